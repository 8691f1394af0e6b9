#!/bin/sh
# Measures the indexes on tlsh on a running server: scan, tlsh_ops, nearest first, tlsh_lsh_ops with its recall.
#     PGHOST=… PGDATABASE=… sh bench/tlsh_index.sh CORPUS         texts: 1 M recombined and edited package descriptions
#     PGHOST=… PGDATABASE=… sh bench/tlsh_index.sh DIRECTORY      bytes: pieces of the files below it, as the server can read them
#     ROWS=100000 PROBES=40 sh bench/tlsh_index.sh CORPUS
# CORPUS: a file that scripts/corpus.sh wrote. Needs the extension installed in that database, and a superuser.
# Uses the schema txtfp_bench, which it drops first and, unless KEEP=1, at the end.
# Times are CPU times of the server process, the minimum of three rounds over all probes, one process, because the machine may
# do other work.
set -eu

ROWS=${ROWS:-1000000}
PROBES=${PROBES:-60}
here=$(cd "$(dirname "$0")" && pwd)
source=${1:?which corpus or directory}
list=$(mktemp)
trap 'rm -f "$list"' EXIT

run_psql() { psql -X -q -v ON_ERROR_STOP=1 -v schema=txtfp_bench "$@"; }

if [ -d "$source" ]; then
	kind=files
	find "$source" -xdev -type d ! -perm -o=rx -prune -o -type f -perm -o=r -size +0 -size -40000 -printf '%p\t%s\n' 2>/dev/null | grep -v '\\' >"$list"
else
	kind=texts
	cat "$source" >"$list"
fi
echo "machine: $(LC_ALL=C lscpu | sed -n 's/^Model name: *//p' | head -n 1), $(nproc) CPUs, $(awk '/^MemTotal/ {printf "%.0f GB", $2 / 1048576}' /proc/meminfo)"
run_psql -v rows="$ROWS" -v probes="$PROBES" -v kind="$kind" -v list="$list" -f "$here/tlsh_index.sql"
[ "${KEEP:-0}" = 1 ] || run_psql -c 'SET client_min_messages = warning; DROP SCHEMA txtfp_bench CASCADE'
