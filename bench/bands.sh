#!/bin/sh
# Measures what the choice of bands and rows costs, on real text: index size, rows that share one band, rows that share as many
# bands as a search at 0.8 requires, time, recall.
#     PGHOST=… PGDATABASE=… sh bench/bands.sh CORPUS         about three minutes
#     ROWS=5000 PROBES=100 sh bench/bands.sh CORPUS
# CORPUS: a file that scripts/corpus.sh wrote. Needs the extension installed in that database, and a superuser.
# Uses the schema txtfp_bands, which it drops first and, unless KEEP=1, at the end.
set -eu

corpus=$(cd "$(dirname "${1:?which corpus}")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
run_psql() { psql -X -q -v ON_ERROR_STOP=1 -v schema=txtfp_bands "$@"; }

run_psql -v corpus="$corpus" -v rows="${ROWS:-all}" -v probes="${PROBES:-1000}" -f "$here/bands.sql"
[ "${KEEP:-0}" = 1 ] || run_psql -c 'SET client_min_messages = warning; DROP SCHEMA txtfp_bands CASCADE'
