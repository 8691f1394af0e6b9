#!/bin/sh
# Compares indexes of the access method sketch with GIN, for tables of several sizes in one run: build, size, log, searches at four thresholds,
# recall, inserts, searches while new rows are not merged yet, vacuum. The methods are gin; planes, which has no band directory; directory, the
# default; and sixteen, which has the 16 bands and the recall of 0.99 that GIN has.
#     PGHOST=… PGDATABASE=… sh bench/directory.sh              10 k, 100 k and 1 M rows; about ten minutes, 4 GB of disk
#     SIZES='10000 100000' PROBES=200 METHODS='gin planes directory sixteen' sh bench/directory.sh
# The server should have shared_buffers of 2 GB or more. The user must be a superuser, and the extension must be installed in that database. Uses the
# schema txtfp_bench, which it drops first and, unless KEEP=1, at the end. Times are processor times of the server process.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
run_psql() { psql -X -q -v ON_ERROR_STOP=1 -v schema=txtfp_bench -v probes="${PROBES:-500}" "$@"; }

echo "machine: $(sh "$(dirname "$0")/machine.sh")"
run_psql -f "$here/tools.sql" -c "CREATE TABLE txtfp_bench.result (ord int GENERATED ALWAYS AS IDENTITY, what text, method text, rows bigint, value float8)"
for rows in ${SIZES:-10000 100000 1000000}; do
	run_psql -v rows="$rows" -f "$here/directory.sql"
	for method in none ${METHODS:-gin planes directory sixteen}; do
		run_psql -v method="$method" -f "$here/directory_method.sql"
	done
done
run_psql -f "$here/directory_report.sql"
[ "${KEEP:-0}" = 1 ] || run_psql -c 'SET client_min_messages = warning; DROP SCHEMA txtfp_bench CASCADE'
