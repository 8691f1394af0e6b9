#!/bin/sh
# Measures the overhead of SQL: to_minhash128 over a table compared with the core's own loop over the same texts, generated columns,
# parallel plans, jaccard, and whether the recheck of a search reads TOAST.
#     PGHOST=… PGDATABASE=… sh bench/sql.sh CORPUS      about two minutes
#     ROUNDS=3 DOCS=1000 PAIRS=300 sh bench/sql.sh CORPUS
# CORPUS: a file that scripts/corpus.sh wrote. The server must run on this machine with the extension installed in that
# database; needs a superuser. The core is the one that `make` built. Uses the schema txtfp_sql, which it drops first
# and, unless KEEP=1, at the end.
set -eu

corpus=${1:?which corpus}
corpus=$(cd "$(dirname "$corpus")" && pwd)/$(basename "$corpus")
cd "$(dirname "$0")/.."
CXX=${CXX:-g++}
ROUNDS=${ROUNDS:-7}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
run_psql() { psql -X -q -v ON_ERROR_STOP=1 -v schema=txtfp_sql "$@"; }

[ -e src/core/minhash/minhash.o ] || { echo "the extension must have been built here: make" >&2; exit 1; }
$CXX -O2 -std=c++20 -Isrc bench/documents.cpp src/core/*/*.o -licuuc -o "$work/documents"

run_psql -v corpus="$corpus" -v docs="${DOCS:-5000}" -f bench/sql_data.sql
schema=$(run_psql -A -t -c "SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'txtfp'")
export PGOPTIONS="${PGOPTIONS:-} -c search_path=txtfp_sql,$schema -c max_parallel_workers_per_gather=0 -c jit=off"
run_psql -c "\\copy (SELECT body FROM docs ORDER BY id) TO '$work/docs'"
for round in $(seq "$ROUNDS"); do
	run_psql -c "INSERT INTO sample VALUES ('core', $("$work/documents" "$work/docs" 1))"
	run_psql -c 'CALL measure_scans()' -c 'CALL measure_inserts()'
done
run_psql -v pairs="${PAIRS:-1000}" -v rounds="$ROUNDS" -f bench/sql.sql
[ "${KEEP:-0}" = 1 ] || run_psql -c 'SET client_min_messages = warning; DROP SCHEMA txtfp_sql CASCADE'
