#!/bin/sh
# What the planner takes of sketch, GIN and GiST, all three on one column, in two dozen cases, beside the fastest of them: processor times.
#     PGHOST=… PGDATABASE=… sh bench/planner.sh STRINGS        STRINGS: a file with one string in each line, such as 84,000 titles
#     ROWS=20000 sh bench/planner.sh STRINGS
# The extension txtfp_trgm must be available in that database; needs a superuser. Uses the schema txtfp_planner, which it drops first and at the end.
set -eu

strings=${1:?which strings}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/load.sh"
load txtfp_planner "$strings"
$psql -f "$here/planner.sql"
unload
