#!/bin/sh
# What near_duplicate_trigger costs per inserted row on a running server: plain inserts beside inserts with the check, by
# turns, into one table with a GIN index, fastupdate off and on.
#     PGHOST=… PGDATABASE=… sh bench/triggers.sh      1 M rows; some five minutes, 2 GB of disk
#     ROWS=50000 sh bench/triggers.sh
# The extension must be installed in that database. Uses the schema txtfp_bench, which it drops first and, unless
# KEEP=1, at the end. Times are taken inside the server, one INSERT statement per row.
set -eu

ROWS=${ROWS:-1000000}
INSERTS=${INSERTS:-1000}
ROUNDS=${ROUNDS:-5}

here=$(cd "$(dirname "$0")" && pwd)
run_psql() { psql -X -q -v ON_ERROR_STOP=1 -v schema=txtfp_bench "$@"; }

echo "machine: $(LC_ALL=C lscpu | sed -n 's/^Model name: *//p' | head -n 1), $(nproc) CPUs, $(awk '/^MemTotal/ {printf "%.0f GB", $2 / 1048576}' /proc/meminfo)"
run_psql -v rows="$ROWS" -v inserts="$INSERTS" -v rounds="$ROUNDS" -f "$here/triggers.sql"
[ "${KEEP:-0}" = 1 ] || run_psql -c 'SET client_min_messages = warning; DROP SCHEMA txtfp_bench CASCADE'
