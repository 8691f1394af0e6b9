#!/bin/sh
# What the planner takes of sketch, GIN and GiST, all three on one column, in two dozen cases, beside the fastest of them: processor times.
#     PGHOST=… PGDATABASE=… sh bench/planner.sh STRINGS        STRINGS: a file with one string in each line, such as 84,000 titles
#     ROWS=20000 sh bench/planner.sh STRINGS
# The extension txtfp_trgm must be available in that database; needs a superuser. Uses the schema txtfp_planner, which it drops first and at the end.
set -eu

strings=${1:?which strings}
here=$(cd "$(dirname "$0")" && pwd)
psql="psql -X -q -v ON_ERROR_STOP=1 -v schema=txtfp_planner"
$psql -c 'SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS txtfp_trgm CASCADE; DROP SCHEMA IF EXISTS txtfp_planner_input CASCADE; CREATE SCHEMA txtfp_planner_input; CREATE TABLE txtfp_planner_input.input (string text)'
head -n "${ROWS:-1000000000}" "$strings" | sed 's/\\/\\\\/g; s/\t/ /g' | $psql -c '\copy txtfp_planner_input.input FROM pstdin'
$psql -f "$here/planner.sql"
$psql -c 'SET client_min_messages = warning; DROP SCHEMA txtfp_planner CASCADE; DROP SCHEMA txtfp_planner_input CASCADE'
