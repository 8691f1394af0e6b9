#!/bin/sh
# Measures how an index of the access method sketch grows with the table, up to tens of millions of rows: build, size, log, searches,
# inserts. The table has no column of sketches; the index is on an expression, so 32 M rows need 15 GB of disk and not 48.
#     PGHOST=… PGDATABASE=… sh bench/large_index.sh                                1 M and 4 M rows; five minutes, 3 GB of disk
#     SIZES='10000 100000 1000000 4000000 16000000 32000000' sh bench/large_index.sh     an hour, 20 GB of disk
#     METHODS='scan gin planes directory' SIZES=1000000 sh bench/large_index.sh    planes: no band directory; scan: a table with a column of sketches
# The server should have enough memory to cache the index. The user must be a superuser, and the extension must be installed in that database.
# Uses the schema txtfp_bench, which it drops first and, unless KEEP=1, at the end. Times are processor times of the server process; the
# searches' are medians of five passes after one that warms up.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
run_psql() { psql -X -q -v ON_ERROR_STOP=1 -v schema=txtfp_bench -v probes="${PROBES:-500}" "$@"; }

echo "machine: $(sh "$(dirname "$0")/machine.sh")"
run_psql -f "$here/tools.sql" -c 'CREATE TABLE txtfp_bench.result (what text, method text, rows bigint, value float8)'
for rows in ${SIZES:-1000000 4000000}; do
	run_psql -v rows="$rows" -f "$here/large_index.sql"
	for method in ${METHODS:-directory}; do
		case $method in
		scan) run_psql -f "$here/directory_settings.sql" -c 'CALL measure_scan()' ;;
		*) run_psql -f "$here/directory_settings.sql" -c "CALL measure_method('$method')" -c 'DROP INDEX docs_fp' ;;
		esac
	done
done
columns=$(for rows in ${SIZES:-1000000 4000000}; do printf ', round(max(value) FILTER (WHERE rows = %s)::numeric, 2) AS "%s rows"' "$rows" "$rows"; done)
run_psql -c "SET search_path = txtfp_bench" -c "SELECT method, what AS measured$columns FROM result GROUP BY method, what ORDER BY method, what"
[ "${KEEP:-0}" = 1 ] || run_psql -c 'SET client_min_messages = warning; DROP SCHEMA txtfp_bench CASCADE'
