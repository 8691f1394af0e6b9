#!/bin/sh
# Measures bulk deduplication on a running server, in one run:
#   clusters   near_duplicate_clusters compared with plain SQL: a table of the band keys, a parallel hash self-join of it, DISTINCT,
#              verification by jaccard, and connected_components, which plain SQL does not have
#   growth     clusters of four times as many rows
#   simhash    near_duplicate_pairs at distance 3 compared with the block permutation algorithm that simhash-cpp publishes
#     PGHOST=… PGDATABASE=… sh bench/dedup.sh         1 M and 4 M rows; about ten minutes, 12 GB of disk
#     SIMHASH_CPP=directory sh bench/dedup.sh         also with simhash-cpp itself, whose sources are in the Python package simhash-py
#     ROWS=100000 ROUNDS=5 GROWTH=0 sh bench/dedup.sh
# Each time is the minimum of ROUNDS; the other figures of a line are those of the last round. peak is the largest memory of the backend
# without shared buffers and what it maps of the page cache.
# The extension must be installed in that database. Uses the schema txtfp_dedup, which it drops at both ends.
set -eu

ROWS=${ROWS:-1000000}
ROUNDS=${ROUNDS:-3}
GROWTH=${GROWTH:-4}

cd "$(dirname "$0")/.."
. bench/bulk_session.sh
begin_bulk txtfp_dedup ${SIMHASH_CPP:+-DSIMHASH_CPP -I"$SIMHASH_CPP/include" "$SIMHASH_CPP"/src/*.cpp}

# least LABEL COMMAND…: sets $least to the minimum of the seconds of ROUNDS runs
least()
{
	label=$1
	shift
	least=
	for round in $(seq "$ROUNDS"); do
		start=$(seconds)
		"$@" >"$WORK/out"
		least=$(echo "$(seconds) $start $least" | awk '{t = $1 - $2; print ($3 == "" || t < $3) ? t : $3}')
	done
	printf '  %-64s %8.2f s   %s\n' "$label" "$least" "$(tail -n 1 "$WORK/out")"
}
ratio() { echo "$1 $2" | awk '{printf "%.2f", $1 / $2}'; }

# clusters TABLE MEMORY
clusters() { PGOPTIONS="$PGOPTIONS -c maintenance_work_mem=$2" clusters_of "$1"; }

plain_sql()
{
	run_psql <<-END
		SET work_mem = '512MB';
		SET max_parallel_workers_per_gather = 2;
		CREATE UNLOGGED TABLE bands AS SELECT id, key FROM sketches, lsh_params(0.8, 128, 0.99) AS p, unnest(lsh_keys(fp, p.bands, p.rows)) AS key;
		ANALYZE bands;
		CREATE UNLOGGED TABLE candidates AS SELECT DISTINCT a.id AS a, b.id AS b FROM bands a JOIN bands b ON a.key = b.key AND a.id < b.id;
		ANALYZE candidates;
		CREATE UNLOGGED TABLE edges AS SELECT a, b FROM candidates JOIN sketches x ON x.id = a JOIN sketches y ON y.id = b WHERE jaccard(x.fp, y.fp) >= 0.8;
		SELECT count(*) || ' rows in ' || count(DISTINCT cluster) || ' clusters' FROM connected_components('SELECT a, b FROM edges');
		DROP TABLE bands, candidates, edges;
	END
}

simhash_pairs()
{
	run_psql -c "SELECT count(*) || ' pairs' FROM near_duplicate_pairs('SELECT id, fp FROM simhashes', max_distance => 3)"
}
simhash_distinct_pairs()
{
	run_psql -c "SELECT count(*) || ' pairs of distinct values' FROM near_duplicate_pairs('SELECT min(id), fp FROM simhashes GROUP BY fp', max_distance => 3)"
}

echo "machine: $(sh bench/machine.sh)"
echo "$ROWS sketches of 128 slots, one in five a near-duplicate, threshold 0.8:"
load sketches minhash128 sketches "$ROWS"
least 'plain SQL' plain_sql
sql=$least
least 'near_duplicate_clusters, maintenance_work_mem 64 MB' clusters sketches 64MB
small=$least
least 'near_duplicate_clusters, maintenance_work_mem 4 GB' clusters sketches 4GB
echo "  ratio to plain SQL: $(ratio "$small" "$sql") with 64 MB, $(ratio "$least" "$sql") with 4 GB"
if [ "$GROWTH" -gt 1 ]; then
	load more minhash128 sketches $((GROWTH * ROWS))
	least "$GROWTH times as many, 64 MB" clusters more 64MB
	echo "  growth: $(ratio "$least" "$small")"
fi

echo "$ROWS values of 64 bits, distance 3:"
load simhashes simhash64 simhashes "$ROWS"
least 'near_duplicate_pairs' simhash_pairs
least 'near_duplicate_pairs of the distinct values' simhash_distinct_pairs
for round in $(seq "$ROUNDS"); do "$WORK/dedup" find-all "$ROWS"; done | sort | awk -F, '
	!($1 $2 in seen) {seen[$1 $2] = 1; order[++n] = $1 $2}
	{split($3, t, " "); if (!($1 $2 in least) || t[1] < least[$1 $2]) {least[$1 $2] = t[1]}}
	END {for (i = 1; i <= n; ++i) printf "  %-64s %8.2f s\n", substr(order[i], 1, 64), least[order[i]]}'
