#!/bin/sh
# Measures the access method sketch on a running server, beside GIN and a scan of the table, in one run: builds, inserts, searches of each
# type; then 20 searches of MinHash sketches, of tables of four sizes: what the planner takes, and what is fastest.
#     PGHOST=… PGDATABASE=… sh bench/sketch.sh [CORPUS]     1 M rows; some five minutes, 6 GB of disk; shared_buffers of 2 GB or more
#     ROWS=100000 PROBES=10 sh bench/sketch.sh
# CORPUS is a file of scripts/corpus.sh: real texts. The extension must be installed in that database. Uses the schema txtfp_bench, which it
# drops first and, unless KEEP=1, at the end. STEPS="data figures" are its steps; TXTFP_SIMD_LEVEL at the server's start chooses the kernels.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
rows=${ROWS:-1000000}
[ $((rows % 1000)) = 0 ] || { echo "ROWS must be a multiple of 1000" >&2; exit 2; }
run_psql()
{
	psql -X -q -v ON_ERROR_STOP=1 -v schema=txtfp_bench -v rows="$rows" -v probes="${PROBES:-15}" -v corpus="${corpus-}" "$@"
}
corpus=${1-}

echo "machine: $(sh "$(dirname "$0")/machine.sh")"
for step in ${STEPS:-data figures}; do
	run_psql -f "$here/sketch_$step.sql"
done
[ "${KEEP:-0}" = 1 ] || run_psql -c 'SET client_min_messages = warning; DROP SCHEMA txtfp_bench CASCADE'
