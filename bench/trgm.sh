#!/bin/sh
# Compares the same near-duplicate searches through minhash128_lsh_ops and through pg_trgm's GIN and GiST indexes, on real text, and
# the planner's row estimates with the true numbers.
#     PGHOST=… PGDATABASE=… sh bench/trgm.sh CORPUS         about five minutes
#     ROWS=5000 PROBES=10 sh bench/trgm.sh CORPUS
# CORPUS: a file that scripts/corpus.sh wrote. The extensions txtfp and pg_trgm must be available in that database; needs a
# superuser. Uses the schema txtfp_trgm, which it drops first and, unless KEEP=1, at the end.
set -eu

corpus=$(cd "$(dirname "${1:?which corpus}")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
run_psql() { psql -X -q -v ON_ERROR_STOP=1 -v schema=txtfp_trgm "$@"; }

run_psql -v corpus="$corpus" -v rows="${ROWS:-all}" -v probes="${PROBES:-30}" -f "$here/trgm.sql" -f "$here/estimates.sql"
[ "${KEEP:-0}" = 1 ] || run_psql -c 'SET client_min_messages = warning; DROP SCHEMA txtfp_trgm CASCADE'
