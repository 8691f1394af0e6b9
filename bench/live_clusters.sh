#!/bin/sh
# Measures what clusters that stay current cost on a running server. First the cost per inserted row, compared with a plain insert and a search
# through the index, in a table with a GIN index; then the cost of merging two clusters by a row, and of splitting them again.
#     PGHOST=… PGDATABASE=… sh bench/live_clusters.sh      1 M rows; about five minutes, 2 GB of disk
#     ROWS=50000 SIZES='100 1000' sh bench/live_clusters.sh
# The extension must be installed in that database. Uses the schema txtfp_bench, which it drops first and, unless
# KEEP=1, at the end. Times are taken inside the server by the clock, one statement per row.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
run_psql() { psql -X -q -v ON_ERROR_STOP=1 -v schema=txtfp_bench "$@"; }

echo "machine: $(sh "$(dirname "$0")/machine.sh")"
run_psql -v rows="${ROWS:-1000000}" -v inserts="${INSERTS:-1000}" -v rounds="${ROUNDS:-5}" -v sizes="${SIZES:-100 1000 10000}" -f "$here/live_clusters.sql"
[ "${KEEP:-0}" = 1 ] || run_psql -c 'SET client_min_messages = warning; DROP SCHEMA txtfp_bench CASCADE'
