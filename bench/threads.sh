#!/bin/sh
# Measures near_duplicate_clusters, and deduplicate with exact comparison, with several threads on a running server, by turns: the clock, the processor
# time of the session with its threads, and that of its own thread, which alone runs the query and returns the rows. On two free processors a call takes
# about half of all, or what its own thread takes, if that is more.
#     PGHOST=… PGDATABASE=… sh bench/threads.sh               a million rows of both forms, a million texts, with 0 and 2 threads; 5 GB of disk
#     ROWS=4000000 FORMS=minhash128_compact THREADS='0 1 2 4' ROUNDS=5 MEMORY=256MB sh bench/threads.sh
# The rows are those of bench/sketches.cpp; of the texts, which have 400 characters, each fifth is a near-duplicate of the one before. Each figure is a
# median. The extension must be installed in that database. Uses the schema txtfp_threads, which it drops at both ends.
set -eu

ROWS=${ROWS:-1000000}
FORMS=${FORMS:-minhash128_compact minhash128 texts}
THREADS=${THREADS:-0 2}
ROUNDS=${ROUNDS:-5}
MEMORY=${MEMORY:-256MB}

cd "$(dirname "$0")/.."
. bench/common.sh
. bench/schema.sh
$CXX -std=c++20 -Isrc -O3 -o "$WORK/sketches" bench/sketches.cpp
use_schema txtfp_threads
export PGOPTIONS="$PGOPTIONS -c maintenance_work_mem=$MEMORY"

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# The seconds of processor time that a thread has used, its user and its kernel time together, from its file in /proc
used_function="CREATE FUNCTION pg_temp.used(file text) RETURNS numeric LANGUAGE sql AS \$\$
	SELECT (split_part(stat, ' ', 14)::numeric + split_part(stat, ' ', 15)::numeric) / 100 FROM regexp_replace(pg_read_file(file), '\(.*\)', '-') AS stat \$\$;"

# seconds_of THREADS: of one call, "clock all own"
seconds_of()
{
	PGOPTIONS="$PGOPTIONS -c max_parallel_maintenance_workers=$1" run_psql -F ' ' <<-END | tr '\n' ' '
		$used_function
		SELECT round(extract(epoch FROM clock_timestamp() - statement_timestamp())::numeric, 2) FROM (SELECT count(*) FROM $call OFFSET 0) AS called (n) WHERE n > 0;
		SELECT pg_temp.used('/proc/self/stat'), pg_temp.used('/proc/self/task/' || pg_backend_pid() || '/stat');
	END
}

# A text is two halves of 200 characters, each from one of 64,000 bodies of made words; a near-duplicate has one more word between them.
make_texts()
{
	run_psql -v rows="$ROWS" <<-'END'
		CREATE TEMP TABLE bodies AS SELECT i AS id, left(string_agg(substr(md5((i * 31 + w)::text), 1, 2 + (w * 7 + i) % 7), ' ' ORDER BY w), 200) AS body
			FROM generate_series(0, 63999) AS i, generate_series(1, 60) AS w GROUP BY i;
		CREATE UNLOGGED TABLE rows AS SELECT n AS id, made.body, to_minhash128(made.body) AS fp
			FROM generate_series(0::bigint, :rows - 1) AS n CROSS JOIN LATERAL (SELECT n - (n % 5 = 4)::int AS original) AS o
			JOIN bodies AS x ON x.id = original * 7919 % 64000 JOIN bodies AS y ON y.id = (hashint8(original)::bigint + 2147483648) % 64000
			CROSS JOIN LATERAL (SELECT x.body || CASE WHEN n % 5 = 4 THEN ' ' || n ELSE '' END || ' ' || y.body AS body) AS made ORDER BY n;
		VACUUM ANALYZE rows;
	END
}

echo "machine: $(sh bench/machine.sh), maintenance_work_mem $MEMORY, medians of $ROUNDS"
for form in $FORMS; do
	call="near_duplicate_clusters('SELECT id, fp FROM rows', threshold => 0.8)"
	if [ "$form" = texts ]; then
		call="deduplicate('SELECT id, fp, body FROM rows', 0.8, 'jaccard', guard => '')"
		make_texts
	else
		run_psql -c 'CREATE UNLOGGED TABLE made (id bigint, fp minhash128)'
		"$WORK/sketches" "$ROWS" | run_psql -c 'COPY made FROM STDIN (FORMAT binary)'
		run_psql -c "CREATE UNLOGGED TABLE rows AS SELECT id, fp::$form AS fp FROM made" -c 'DROP TABLE made' -c 'VACUUM ANALYZE rows'
	fi
	rm -f "$WORK"/threads.*
	for round in $(seq "$ROUNDS"); do
		for threads in $THREADS; do
			seconds_of "$threads" >>"$WORK/threads.$threads"
			echo >>"$WORK/threads.$threads"
		done
	done
	for threads in $THREADS; do
		printf '  %s %-20s %s threads: %6.2f s by the clock, %6.2f s of processor time, %6.2f s of it in its own thread\n' "$ROWS" "$form" "$threads" \
			"$(cut -d ' ' -f 1 "$WORK/threads.$threads" | median)" "$(cut -d ' ' -f 2 "$WORK/threads.$threads" | median)" "$(cut -d ' ' -f 3 "$WORK/threads.$threads" | median)"
	done
	run_psql -c 'DROP TABLE rows'
done
