#!/bin/sh
# Measures the Hamming index on a running server, in both layouts, and the sequential scan of the same table.
#     PGHOST=… PGDATABASE=… sh bench/hamming.sh       1 M values; about two minutes, 400 MB of disk
#     ROWS=100000 PROBES=200 sh bench/hamming.sh
# The extension must be installed in that database. Uses the schema txtfp_bench, which it drops first and, unless KEEP=1,
# at the end. Times are taken inside the server, one process, warm.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
run_psql() { psql -X -q -v ON_ERROR_STOP=1 -v schema=txtfp_bench "$@"; }

echo "machine: $(sh "$(dirname "$0")/machine.sh")"
run_psql -v rows="${ROWS:-1000000}" -v probes="${PROBES:-200}" -f "$here/hamming.sql"
[ "${KEEP:-0}" = 1 ] || run_psql -c 'SET client_min_messages = warning; DROP SCHEMA txtfp_bench CASCADE'
