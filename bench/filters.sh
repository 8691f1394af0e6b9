#!/bin/sh
# Measures the plans of the nearest rows that fulfil a condition on another column, with and without a tenant: for each case the plan that PostgreSQL
# chooses, the index `sketch`, and the B-tree of the other column with a sort; their costs and times, and how much longer the chosen one takes
# than the best one.
#     PGHOST=… PGDATABASE=… sh bench/filters.sh     1 M rows; some three minutes, 3 GB of disk; shared_buffers of 2 GB or more
# ROWS=100000 makes fewer. The extension must be installed in that database. Uses the schema txtfp_bench, which it drops first and, unless
# KEEP=1, at the end. Times are of the third run, by the clock; CPU=1 takes processor time, which needs Linux and a superuser.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
psql -X -q -v ON_ERROR_STOP=1 -v rows="${ROWS:-1000000}" -v cpu="${CPU:-0}" -f "$here/filters.sql"
[ "${KEEP:-0}" = 1 ] || psql -X -q -c 'SET client_min_messages = warning; DROP SCHEMA txtfp_bench CASCADE'
