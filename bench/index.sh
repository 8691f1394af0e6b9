#!/bin/sh
# Measures the GIN index on a running server: builds against a GIN index on int8[], sizes, probes, joins, inserts.
#     PGHOST=… PGDATABASE=… sh bench/index.sh         1 M rows; about ten minutes, 5 GB of disk
#     ROWS=50000 PROBES=500 BUILDS=3 sh bench/index.sh
# The extension must be installed in that database. Uses the schema txtfp_bench, which it drops first and, unless
# KEEP=1, at the end. Times of the SQL part are taken inside the server; pgbench then adds what a client sees.
set -eu

ROWS=${ROWS:-1000000}
PROBES=${PROBES:-1000}
BUILDS=${BUILDS:-3}
WORK_MEM=${WORK_MEM:-512MB}

if [ $((ROWS % 500)) -ne 0 ] || [ "$PROBES" -lt 500 ] || [ "$BUILDS" -lt 3 ]; then
	echo "ROWS must be a multiple of 500, PROBES at least 500, BUILDS at least 3" >&2
	exit 2
fi

here=$(cd "$(dirname "$0")" && pwd)
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

run_psql() { psql -X -q -v ON_ERROR_STOP=1 -v schema=txtfp_bench "$@"; }

echo "machine: $(sh "$(dirname "$0")/machine.sh")"
run_psql -v rows="$ROWS" -v probes="$PROBES" -v builds="$BUILDS" -v work_mem="$WORK_MEM" -f "$here/index.sql"

# The latency for a client, which includes the round trip and the look-up of the probe's sketch. Thresholds at which the planner
# does not use the index are left out here, too.
if command -v pgbench >/dev/null 2>&1; then
	echo "pgbench -M prepared, one client, median latency of 2000 transactions:"
	schema=$(run_psql -A -t -c "SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'txtfp'")
	for threshold in $(run_psql -A -t -c 'SELECT threshold FROM txtfp_bench.served ORDER BY 1'); do
		cat >"$logs/probe.sql" <<-END
			\\set n random(1, $PROBES)
			SELECT count(*) FROM probes p JOIN docs d ON minhash_similar(d.fp, p.fp, $threshold) WHERE p.n = :n;
		END
		rm -f "$logs"/log.*
		PGOPTIONS="${PGOPTIONS:-} -c search_path=txtfp_bench,$schema" \
			pgbench -n -M prepared -c 1 -t 2000 --random-seed=15 -l --log-prefix="$logs/log" -f "$logs/probe.sql" >/dev/null 2>"$logs/errors" || {
			cat "$logs/errors" >&2
			exit 1
		}
		# the third column is the latency in microseconds; the first hundred transactions warm up
		cat "$logs"/log.* | sed 1,100d | cut -d ' ' -f 3 | sort -n |
			awk -v t="$threshold" '{v[NR] = $1} END {printf "  threshold %s   %.3f ms   (p95 %.3f ms)\n", t, v[int((NR + 1) / 2)] / 1000, v[int(NR * 0.95)] / 1000}'
	done
else
	echo "pgbench is not installed: no cross-check from the client's side"
fi

[ "${KEEP:-0}" = 1 ] || run_psql -c 'SET client_min_messages = warning; DROP SCHEMA txtfp_bench CASCADE'
