#!/bin/sh
# Searches of short strings by pg_trgm's operators through sketch_trgm_ops, GIN and GiST: processor times, sizes, and whether the answers are equal.
#     PGHOST=… PGDATABASE=… sh bench/strings.sh STRINGS        STRINGS: a file with one string in each line, as those of corpus.sh
#     ROWS=5000 PROBES=10 GIN=10 GIST=10 sh bench/strings.sh STRINGS
# PROBES is the number of searches through the index USING sketch (100), GIN and GIST how many of them are done through the other indexes (20 and 5; 0:
# there is no such index). BITS lists the options `bits` to be compared; 0 is the default (0).
# The extension txtfp_trgm must be available in that database; needs a superuser. Uses the schema txtfp_strings, which it drops first and at the end.
set -eu

strings=${1:?which strings}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/load.sh"
load txtfp_strings "$strings"
$psql -v probes="${PROBES:-100}" -v gin="${GIN:-20}" -v gist="${GIST:-5}" -v bits="${BITS:-0}" -f "$here/strings.sql"
unload
