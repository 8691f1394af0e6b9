#!/bin/sh
# Measures the compact form beside the full sketches on a running server, in one run: bytes of the tables and of a value, and
# near_duplicate_clusters of both, in turns, with the same memory.
#     PGHOST=… PGDATABASE=… sh bench/compact.sh                250 k and 1 M rows; two minutes, 3 GB of disk
#     SIZES='4000000' ROUNDS=1 sh bench/compact.sh             4 M rows; 10 GB of disk, half of it temporary files
#     MEMORY=256MB sh bench/compact.sh                         maintenance_work_mem, otherwise 64MB
# The rows are those of bench/dedup.sh: one in five is a near-duplicate. Each time is the minimum of ROUNDS; the other figures of a line are
# those of the last round. peak is the largest memory of the backend without shared buffers and what it maps of the page cache.
# The extension must be installed in that database. Uses the schema txtfp_compact, which it drops at both ends.
set -eu

SIZES=${SIZES:-250000 1000000}
ROUNDS=${ROUNDS:-3}
MEMORY=${MEMORY:-64MB}

cd "$(dirname "$0")/.."
. bench/bulk_session.sh
begin_bulk txtfp_compact
export PGOPTIONS="$PGOPTIONS -c maintenance_work_mem=$MEMORY"

# run TABLE: appends its seconds to $WORK/TABLE.seconds and leaves the other figures in $WORK/TABLE.out
run()
{
	start=$(seconds)
	clusters_of "$1" >"$WORK/$1.out"
	echo "$(seconds) $start" | awk '{print $1 - $2}' >>"$WORK/$1.seconds"
}
least() { sort -n "$WORK/$1.seconds" | head -n 1; }

echo "machine: $(sh bench/machine.sh), maintenance_work_mem $MEMORY"
for rows in $SIZES; do
	load full_form minhash128 sketches "$rows"
	run_psql -c 'CREATE UNLOGGED TABLE compact_form (id bigint, fp minhash128_compact)' -c 'INSERT INTO compact_form SELECT * FROM full_form'
	run_psql -c 'VACUUM ANALYZE compact_form'
	echo "$rows rows, threshold 0.8:"
	run_psql -F ' ' <<-END
		SELECT format('  a value %s and %s bytes, %s; the tables %s and %s MB, %s', f, c, round(c / f::numeric, 3), a / 1000000, b / 1000000, round(b / a::numeric, 3))
		FROM (SELECT pg_column_size(fp) AS f FROM full_form LIMIT 1) AS x, (SELECT pg_column_size(fp) AS c FROM compact_form LIMIT 1) AS y,
			pg_relation_size('full_form') AS a, pg_relation_size('compact_form') AS b
	END
	rm -f "$WORK"/full_form.seconds "$WORK"/compact_form.seconds
	for round in $(seq "$ROUNDS"); do
		run full_form
		run compact_form
	done
	for form in full_form compact_form; do
		printf '  %-14s %8.2f s   %s\n' "$form" "$(least $form)" "$(cat "$WORK/$form.out")"
	done
	echo "  the compact form is $(echo "$(least full_form) $(least compact_form)" | awk '{printf "%.2f", $1 / $2}') times as fast"
	run_psql -c 'DROP TABLE full_form, compact_form'
done
