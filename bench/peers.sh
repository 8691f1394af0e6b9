#!/bin/sh
# Compares searches with extensions for similar questions: pg_similarity (Jaccard of words) and pgvector (bit(64), Hamming distance).
#     PGHOST=… PGDATABASE=… sh bench/peers.sh CORPUS        about three minutes
#     ROWS=5000 PROBES=5 sh bench/peers.sh CORPUS
# An extension that is not installed on the server is skipped with a message. CORPUS: a file that scripts/corpus.sh wrote. The
# server must run on this machine; needs a superuser. Uses the schema txtfp_peers, which it drops at both ends.
set -eu

corpus=$(cd "$(dirname "${1:?which corpus}")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
run_psql() { psql -X -q -v ON_ERROR_STOP=1 -v schema=txtfp_peers "$@"; }

run_psql -v corpus="$corpus" -v rows="${ROWS:-all}" -v probes="${PROBES:-10}" -v values="${ROWS:-1000000}" -f "$here/peers.sql"
run_psql -c 'SET client_min_messages = warning; DROP SCHEMA txtfp_peers CASCADE; DROP EXTENSION IF EXISTS pg_similarity, vector'
