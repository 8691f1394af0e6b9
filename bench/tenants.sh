#!/bin/sh
# Measures the access method sketch with a leading column, compact sketches, and several processes, on a running server, in one run: builds and
# sizes; searches in tenants of 10,000 and of 10 rows beside those of an index of one column and of a B-tree with a sort; inserts; a parallel
# build by the clock.
#     PGHOST=… PGDATABASE=… sh bench/tenants.sh     1 M rows, 4 M for the parallel part; some five minutes, 12 GB of disk; shared_buffers of 2 GB or more
# ROWS=100000 makes fewer, PARALLEL_ROWS=0 leaves the parallel part out. The extension must be installed in that database; needs a superuser
# and Linux. Uses the schema txtfp_bench, which it drops first and, unless KEEP=1, at the end.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
rows=${ROWS:-1000000}
[ $((rows % 1000)) = 0 ] || { echo "ROWS must be a multiple of 1000" >&2; exit 2; }
echo "machine: $(sh "$(dirname "$0")/machine.sh")"
run_psql() { psql -X -q -v ON_ERROR_STOP=1 -v schema=txtfp_bench "$@"; }
run_psql -v rows="$rows" -f "$here/tenants.sql"
parallel_rows=${PARALLEL_ROWS:-$((4 * rows))}
if [ "$parallel_rows" -gt 0 ]; then
	echo "making $parallel_rows rows"
	WORK=${WORK:-$here/../build/bench}
	mkdir -p "$WORK"
	${CXX:-g++} -std=c++20 -I"$here/../src" -O3 -o "$WORK/sketches" "$here/sketches.cpp"
	export PGOPTIONS="${PGOPTIONS:-} -c search_path=txtfp_bench,$(run_psql -Atc "SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'txtfp'")"
	run_psql -c 'DROP TABLE docs, compact' -c 'CREATE TABLE docs (id bigint, fp minhash128)'
	"$WORK/sketches" "$parallel_rows" | run_psql -c 'COPY docs FROM STDIN (FORMAT binary)'
	run_psql -c 'VACUUM ANALYZE docs' -c CHECKPOINT -f "$here/tenants_parallel.sql"
fi
[ "${KEEP:-0}" = 1 ] || psql -X -q -c 'SET client_min_messages = warning; DROP SCHEMA txtfp_bench CASCADE'
