#!/bin/sh
# What large tables cost, by size: load, bulk functions, index (METHOD=sketch or gin), searches, inserts, vacuum, dump, drop; per million rows.
#     PGHOST=… PGDATABASE=… sh bench/scale.sh                   1 and 4 million rows of minhash128; an hour, 20 GB of disk
#     SIZES='250000 1000000 4000000 16000000' sh bench/scale.sh
#     BULK=1 SIZES='1000000 32000000' SLOTS=64 sh bench/scale.sh    only the bulk functions, of rows that no table stores: the disk needs
#                                                               only room for temporary files (0.8 GB per million rows of minhash64, 1.4 of minhash128)
#     COMPACT=1 BULK=1 …                                        the same of their compact form (0.3 GB per million rows of minhash128_compact)
#     STORED=1 COMPACT=1 BULK=1 …                               the same of a table that stores the compact form (another 0.2 GB), which is read faster
#     NO_BULK=1 …, NO_INDEX=1 …, CLUSTERS_ONLY=1 …              without these steps
# MEMORY (256MB) is maintenance_work_mem. The server must run on this machine with the extension installed in that database; needs a
# superuser, and file_fdw for BULK. Uses the schema txtfp_scale, which it drops first and, unless KEEP=1, at the end.
# Times are processor times of the server process, those of the kernel included; "clock" are seconds by the clock.
set -eu

SIZES=${SIZES:-1000000 4000000}
SLOTS=${SLOTS:-128}
MEMORY=${MEMORY:-256MB}
METHOD=${METHOD:-sketch}
CXX=${CXX:-g++}

cd "$(dirname "$0")/.."
WORK=$(mkdir -p "${WORK:-build/bench}" && cd "${WORK:-build/bench}" && pwd)
$CXX -std=c++20 -Isrc -O2 -o "$WORK/scale" bench/scale.cpp
chmod a+rx "$WORK/scale"
value=${COMPACT:+to_minhash${SLOTS}_compact(}fp${COMPACT:+)}
asked=$value # of docs, which has the compact form if there is no table of full ones
[ -z "${BULK-}" ] || asked=fp
. bench/bulk_session.sh
run_psql() { psql -X -q -v ON_ERROR_STOP=1 "$@"; }

run_psql -v schema=txtfp_scale -f bench/tools.sql -c 'CREATE TABLE result (what text, rows bigint, value numeric)'
schema=$(run_psql -A -t -c "SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'txtfp'")
export PGOPTIONS="${PGOPTIONS:-} -c search_path=txtfp_scale,$schema -c maintenance_work_mem=$MEMORY -c max_parallel_maintenance_workers=0
	-c max_parallel_workers_per_gather=0 -c jit=off -c client_min_messages=warning"
# note ROWS WHAT VALUE
note()
{
	run_psql -c "INSERT INTO result VALUES ('$2', $1, $3)"
	echo "  $1 rows, $2: $3"
}
per_million() { echo "$1 $2" | awk '{printf "%.3f", $1 / $2 * 1e6}'; }
now() { date +%s.%N; }
since() { echo "$(now) $1" | awk '{printf "%.3f", $1 - $2}'; }

# bulk_session FUNCTION: number of the process, rows, times and what it read and wrote, a line each
bulk_session()
{
	run_psql -A -t -F ' ' <<-END
		SELECT pg_backend_pid();
		SELECT count(*) FROM $1('SELECT id, $asked FROM docs', threshold => 0.8);
		SELECT split_part(stat, ' ', 14)::numeric / 100, split_part(stat, ' ', 15)::numeric / 100, (regexp_match(io, '\nread_bytes: (\d+)'))[1]::numeric / 1e6,
			(regexp_match(io, '\nwrite_bytes: (\d+)'))[1]::numeric / 1e6
		FROM regexp_replace(pg_read_file('/proc/self/stat'), '\(.*\)', '-') AS stat, pg_read_file('/proc/self/io') AS io;
	END
}

# bulk ROWS FUNCTION: a session of its own, so that its memory and processor times are those of the function
bulk()
{
	started=$(now)
	with_peak bulk_session "$2"
	clock=$(since "$started")
	{ read -r _; read -r count; read -r user system read written; } <"$WORK/session"
	note "$1" "2 $2: result rows" "$count"
	note "$1" "2 $2: user s per million" "$(per_million "$user" "$1")"
	note "$1" "2 $2: kernel s per million" "$(per_million "$system" "$1")"
	note "$1" "2 $2: clock s per million" "$(per_million "$clock" "$1")"
	note "$1" "2 $2: peak MB" "$peak"
	note "$1" "2 $2: peak beyond $MEMORY, bytes per row" "$(echo "$peak ${MEMORY%MB} $1" | awk '{printf "%.1f", ($1 - $2) * 1048576 / $3}')"
	note "$1" "2 $2: MB written per million" "$(per_million "$written" "$1")"
	note "$1" "2 $2: MB read from disk per million" "$(per_million "$read" "$1")"
}

# measured ROWS WHAT SQL: processor time, WAL
measured()
{
	run_psql -A -t -F ' ' >"$WORK/out" <<-END
		SELECT pg_current_wal_lsn() AS lsn, cpu_us() AS cpu, clock_timestamp() AS clock \gset
		$3;
		SELECT (cpu_us() - :cpu) / 1e6, extract(epoch FROM clock_timestamp() - :'clock'), (pg_current_wal_lsn() - :'lsn') / 1e6;
	END
	read -r cpu clock wal <"$WORK/out"
	note "$1" "$2: s per million" "$(per_million "$cpu" "$1")"
	note "$1" "$2: clock s per million" "$(per_million "$clock" "$1")"
	note "$1" "$2: WAL, MB per million" "$(per_million "$wal" "$1")"
}
size() { run_psql -A -t -c "SELECT pg_relation_size('$1') / 1e6"; }

table_of()
{
	run_psql -c 'DROP TABLE IF EXISTS docs' -c "CREATE TABLE docs (id bigint, fp minhash$SLOTS)"
	measured "$1" '1 load' "COPY docs FROM PROGRAM '$WORK/scale $1 $SLOTS' (FORMAT binary)"
	measured "$1" '1 first vacuum and analyze' 'VACUUM ANALYZE docs'
	note "$1" '1 table, MB per million' "$(per_million "$(size docs)" "$1")"
}

index_of()
{
	rows=$1
	[ "$METHOD" = gin ] && options=' WITH (fastupdate = off)' || options=
	measured "$rows" "4 $METHOD build" "CREATE INDEX docs_fp ON docs USING $METHOD (fp)$options"
	note "$rows" "4 $METHOD, MB per million" "$(per_million "$(size docs_fp)" "$rows")"
	run_psql -c 'ANALYZE docs' -f bench/scale.sql -v rows="$rows" -v slots="$SLOTS" -v program="$WORK/scale"
	run_psql -c "DELETE FROM docs WHERE id % 100 = 7"
	measured "$rows" '6 vacuum after 1 % was deleted' 'VACUUM docs'
	measured "$rows" "4 $METHOD rebuild" 'REINDEX INDEX docs_fp'
}

dump_of()
{
	started=$(now)
	bytes=$(pg_dump -t txtfp_scale.docs | wc -c)
	note "$1" '7 pg_dump, clock s per million' "$(per_million "$(since "$started")" "$1")"
	note "$1" '7 pg_dump, MB per million' "$(per_million "$((bytes / 1000000))" "$1")"
	started=$(now)
	run_psql -c 'DROP TABLE docs'
	note "$1" '8 drop of the table (a partition), clock s' "$(since "$started")"
}

foreign_of()
{
	run_psql -c 'DROP FOREIGN TABLE IF EXISTS made CASCADE' -c "CREATE FOREIGN TABLE made (id bigint, fp minhash$SLOTS) SERVER txtfp_scale OPTIONS (program '$WORK/scale $1 $SLOTS', format 'binary')"
	if [ -n "${STORED-}" ]; then
		run_psql -c 'DROP TABLE IF EXISTS docs' -c "CREATE TABLE docs AS SELECT id, $value AS fp FROM made" -c 'VACUUM ANALYZE docs' -c CHECKPOINT
	else
		run_psql -c "CREATE VIEW docs AS SELECT id, $value AS fp FROM made"
	fi
}

echo "machine: $(sh bench/machine.sh)"
[ -z "${BULK-}" ] || run_psql -c 'CREATE EXTENSION IF NOT EXISTS file_fdw SCHEMA public' -c 'DROP SERVER IF EXISTS txtfp_scale CASCADE' -c 'CREATE SERVER txtfp_scale FOREIGN DATA WRAPPER file_fdw'
for rows in $SIZES; do
	if [ -n "${BULK-}" ]; then foreign_of "$rows"; else table_of "$rows"; fi
	[ -n "${NO_BULK-}" ] || bulk "$rows" near_duplicate_clusters
	[ -n "${NO_BULK-}${CLUSTERS_ONLY-}" ] || bulk "$rows" near_duplicate_pairs
	if [ -z "${BULK-}" ]; then
		[ -n "${NO_INDEX-}" ] || index_of "$rows"
		dump_of "$rows"
	fi
done
echo
echo "minhash$SLOTS${COMPACT:+_compact}, maintenance_work_mem $MEMORY"
columns=$(for rows in $SIZES; do printf ', round(max(value) FILTER (WHERE rows = %s), 2) AS "%s rows"' "$rows" "$rows"; done)
run_psql -P footer=off -c "SELECT what AS measured$columns FROM result GROUP BY what ORDER BY what"
[ "${KEEP:-0}" = 1 ] || run_psql -c 'DROP SCHEMA txtfp_scale CASCADE' ${BULK:+-c 'DROP SERVER txtfp_scale CASCADE'}
