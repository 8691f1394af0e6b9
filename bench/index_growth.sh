#!/bin/sh
# Measures how minhash128_lsh_ops grows with the table, with 16 and with 32 keys: build, size, searches, nested-loop join, inserts
# with fastupdate off and on.
#     PGHOST=… PGDATABASE=… sh bench/index_growth.sh            10 k, 100 k and 1 M rows; about ten minutes, 5 GB of disk
#     FULL=1 sh bench/index_growth.sh                           also 4 M rows: 20 GB of disk
#     SIZES='5000 20000' PROBES=100 sh bench/index_growth.sh    sizes are multiples of 500
# The server must run on this machine with the extension installed in that database; needs a superuser. Uses the
# schema txtfp_growth, which it drops first and, unless KEEP=1, at the end.
set -eu

SIZES=${SIZES:-10000 100000 1000000${FULL:+ 4000000}}
here=$(cd "$(dirname "$0")" && pwd)
run_psql() { psql -X -q -v ON_ERROR_STOP=1 "$@"; }

run_psql -v schema=txtfp_growth -f "$here/tools.sql" -c 'CREATE TABLE result (what text, keys int, rows bigint, value numeric)'
schema=$(run_psql -A -t -c "SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'txtfp'")
export PGOPTIONS="${PGOPTIONS:-} -c search_path=txtfp_growth,$schema -c maintenance_work_mem=512MB -c max_parallel_maintenance_workers=0
	-c max_parallel_workers_per_gather=0 -c jit=off -c client_min_messages=warning"
for rows in $SIZES; do
	run_psql -v rows="$rows" -v probes="${PROBES:-200}" -f "$here/index_growth.sql"
done
echo
echo "Times are CPU times of the server process; searches and join at threshold 0.8, warm"
columns=$(for rows in $SIZES; do printf ', round(max(value) FILTER (WHERE rows = %s), 2) AS "%s rows"' "$rows" "$rows"; done)
run_psql -P footer=off -c "SELECT what AS measured, keys$columns FROM result GROUP BY what, keys ORDER BY what, keys"
[ "${KEEP:-0}" = 1 ] || run_psql -c 'DROP SCHEMA txtfp_growth CASCADE'
