#!/bin/sh
# Measures what exceptions cost the bulk functions on a running server: near_duplicate_clusters in its three modes and deduplicate, without them and with pairs of rows that are apart,
# by turns. Half of the pairs are near-duplicates of each other, the others are any two rows.
#     PGHOST=… PGDATABASE=… sh bench/exceptions.sh               a million rows, of which one in five is a near-duplicate, and 100,000 pairs; 2 GB of disk
#     ROWS=4000000 PAIRS=100000 ROUNDS=5 sh bench/exceptions.sh
# Seconds by the clock and of processor time of the session with its threads; each figure is a median, and the last column is the median of the ratios of
# processor times within a round. The extension must be installed in that database. Uses the schema txtfp_exceptions, which it drops at both ends.
set -eu

ROWS=${ROWS:-1000000}
PAIRS=${PAIRS:-100000}
ROUNDS=${ROUNDS:-5}

cd "$(dirname "$0")/.."
. bench/bulk_session.sh
begin_bulk txtfp_exceptions
export PGOPTIONS="$PGOPTIONS -c maintenance_work_mem=256MB"

# seconds_of QUERY: of one call, "clock processor"
seconds_of()
{
	run_psql -F ' ' <<-END | tr '\n' ' '
		$used_function
		SELECT round(extract(epoch FROM clock_timestamp() - statement_timestamp())::numeric, 2) FROM (SELECT count(*) FROM $1 OFFSET 0) AS called (n) WHERE n > 0;
		SELECT pg_temp.used('/proc/self/stat');
	END
	echo
}

load rows minhash128 sketches "$ROWS"
run_psql -c "CREATE TABLE pairs AS
	(SELECT a, b FROM near_duplicate_pairs('SELECT id, fp FROM rows', threshold => 0.8) ORDER BY hashint8(a), b LIMIT $PAIRS / 2)
	UNION ALL SELECT 1 + i * 7919 % ($ROWS - 1), i * 104729 % $ROWS FROM generate_series(1::bigint, $PAIRS / 2) AS i WHERE 1 + i * 7919 % ($ROWS - 1) <> i * 104729 % $ROWS" -c 'VACUUM ANALYZE pairs'

echo "machine: $(sh bench/machine.sh), $ROWS rows, $(run_psql -c 'SELECT count(*) FROM pairs') pairs, medians of $ROUNDS"
echo "seconds by the clock and of processor time, without and with pairs; ratio"
for call in "near_duplicate_clusters('SELECT id, fp FROM rows', threshold => 0.8" "near_duplicate_clusters('SELECT id, fp FROM rows', threshold => 0.8, mode => 'star'" \
	"near_duplicate_clusters('SELECT id, fp FROM rows', threshold => 0.8, mode => 'complete'" "deduplicate('SELECT id, fp FROM rows', threshold => 0.8"; do
	rm -f "$WORK"/exceptions.*
	for round in $(seq "$ROUNDS"); do
		seconds_of "$call)" >>"$WORK/exceptions.without"
		seconds_of "$call, apart => 'SELECT a, b FROM pairs')" >>"$WORK/exceptions.with"
	done
	paste -d ' ' "$WORK/exceptions.without" "$WORK/exceptions.with" | awk '{ print $4 / $2 }' >"$WORK/exceptions.ratio"
	printf '  %-45s %6.2f %6.2f %6.2f %6.2f   %.2f\n' "$(echo "$call" | sed "s/('SELECT id, fp FROM rows', threshold => 0.8//; s/, mode => / /")" \
		$(for file in without with; do for column in 1 2; do cut -d ' ' -f $column "$WORK/exceptions.$file" | median; done; done) "$(median <"$WORK/exceptions.ratio")"
done
