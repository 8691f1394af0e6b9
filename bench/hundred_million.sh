#!/bin/sh
# A hundred million documents on one small machine, from their text on, in stages:
#     sh bench/hundred_million.sh                  all stages that are not done yet; about 45 minutes on two processors, 75 GB of free disk
#     STAGES='load vacuum build' sh bench/hundred_million.sh       these, even if they were done
#     ROWS=1000000 DIR=/var/tmp/million sh bench/hundred_million.sh
# BUDGET=2700 (seconds) begins no stage that is not expected to end within them; NOT=deduplicate leaves stages out; RESERVE=10 stops when less than so many GB of disk are free.
# Each stage prints a block: time by the clock, processor time of the whole machine (so nothing else should run), the greatest memory of its own of each
# process, disk that the folder takes (greatest and at the end), log written. The blocks are kept in DIR/results. What a stage needs no more is removed by it.
# DIR (build/hundred_million) holds everything: a server of its own, PostgreSQL's programs being those of PG_CONFIG (with the extension installed), on a
# socket in DIR. Run it as a user who may run a server. TXTFP is the program of `make cli`.
# Ten million documents of 5 kB, 52 GB, through a pipe, no file of which is written; the first three tell which share the generator, reading and hashing have:
#     WORDS=800 ROWS=10000000 STAGES='generate sketch command_line' sh bench/hundred_million.sh
#     WORDS=800 ROWS=10000000 STAGES='prepare load vacuum build' sh bench/hundred_million.sh
#   generate     the generator alone
#   sketch       documents -> txtfp fingerprint --to copy
#   prepare      server and generator
#   load         documents -> txtfp fingerprint --to copy -> COPY (binary) of compact sketches of SLOTS (128) slots
#   vacuum       VACUUM ANALYZE, CHECKPOINT
#   clusters     near_duplicate_clusters at 0.8
#   deduplicate  deduplicate at 0.8
#   crash_build  kill -9 of the server in the middle of CREATE INDEX, restart
#   build        CREATE INDEX USING sketch
#   search       0.95 and 0.8, of rows of the table and of new ones: warm, and with every page from the disk; 0.5 and the ten nearest, which read all groups, FEW=2 times
#   insert       with near_duplicate_trigger: after a restart, while the memory fills (INSERT_WARM=150 seconds), and then by 1, 2 and 8 sessions; without it. A row is a
#                transaction, synchronous_commit is off
#   batch        one hundredth of new rows: their near-duplicates in the table and among themselves
#   delete       1 % of the rows, then VACUUM
#   crash_insert kill -9 in the middle of a COPY into the table, restart, sketch_check
#   command_line documents from a pipe -> txtfp clusters --keep, which are clusters and unique documents, with --memory 2500M (CLI_MEMORY), to which 14 bytes
#                for each document are added; the server is stopped and its data removed before
set -eu

ROWS=${ROWS:-100000000}
SLOTS=${SLOTS:-128}
WORDS=${WORDS:-64}
BUDGET=${BUDGET:-1000000}
RESERVE=${RESERVE:-4}
all_stages='generate sketch prepare load vacuum clusters deduplicate crash_build build search insert batch delete crash_insert command_line'
cd "$(dirname "$0")/.."
mkdir -p "${DIR:-build/hundred_million}"
DIR=$(cd "${DIR:-build/hundred_million}" && pwd)
bin=$(${PG_CONFIG:-pg_config} --bindir)
txtfp=$(readlink -f "${TXTFP:-build/txtfp}")
CXX=${CXX:-g++}
kind=minhash${SLOTS}_compact
documents=$DIR/documents
data=$DIR/data
mkdir -p "$DIR/done"
export PGHOST="$DIR" PGDATABASE=postgres PGUSER=postgres PGPORT=54100
begun=$(date +%s)

export PGOPTIONS='-c client_min_messages=warning'
run_psql() { "$bin/psql" -X -q -A -t -F ' ' -v ON_ERROR_STOP=1 "$@"; }
per_hundred_million() { echo $(($1 * (ROWS / 1000) / 100000 + 5)); } # seconds
note() { printf '  %-58s\t%s\n' "$1" "$2" | tee -a "$DIR/results"; }

# ---------------------------------------------------------------------------------------------- the server

write_settings()
{
	cat >"$data/bench.conf" <<-END
		listen_addresses = ''
		unix_socket_directories = '$DIR'
		port = $PGPORT
		shared_buffers = '${SHARED_BUFFERS:-3GB}'
		effective_cache_size = '16GB'
		maintenance_work_mem = '512MB'
		max_wal_size = '4GB'
		checkpoint_timeout = '15min'
		max_parallel_maintenance_workers = 2
		autovacuum = off
		jit = off
		dynamic_shared_memory_type = mmap
		log_checkpoints = on
	END
}
start_server() { "$bin/pg_ctl" -s -w -t 900 -D "$data" -l "$DIR/server.log" start; }
stop_server() { [ ! -f "$data/postmaster.pid" ] || "$bin/pg_ctl" -s -w -t 900 -D "$data" -m fast stop; }
postmaster() { head -n 1 "$data/postmaster.pid" 2>/dev/null || echo 0; }
kill_server()
{
	server=$(postmaster)
	kill -9 "$server" $(ps -o pid= --ppid "$server") 2>/dev/null || true # a process may have ended meanwhile
	while kill -0 "$server" 2>/dev/null; do sleep 0.1; done
	rm -f "$data/postmaster.pid"
}
# Index files of a CREATE INDEX that a crash has ended belong to nobody; PostgreSQL leaves them.
remove_orphans()
{
	base=$data/$(run_psql -c "SELECT 'base/' || oid FROM pg_database WHERE datname = current_database()")
	for file in $(run_psql -c "SELECT f FROM pg_ls_dir('${base#"$data"/}') AS f WHERE f ~ '^\\d+$' AND pg_filenode_relation(0, f::oid) IS NULL AND f::bigint >= 16384"); do
		note "left by the crash, MB (removed)" "$(du -cm "$base/$file" "$base/$file".* 2>/dev/null | tail -n 1 | cut -f 1)"
		rm -f "$base/$file" "$base/$file".* "$base/${file}_fsm" "$base/${file}_init"
	done
}
# Every page of the server's files comes from the disk afterwards.
drop_caches()
{
	stop_server
	find "$data/base" -type f -size +1M -exec dd if={} iflag=nocache count=0 status=none \;
	start_server
}

# ---------------------------------------------------------------------------------------------- what a stage takes

cpu_times() { awk '/^cpu / { print $2 + $3, $4, $5, $6, $7 + $8, $9 }' /proc/stat; } # user, system, idle, iowait, interrupts, stolen; hundredths of a second
log_position() { run_psql -c 'SELECT pg_current_wal_lsn() - '"'0/0'" 2>/dev/null || echo 0; }
disk() { df -BM --output=used "$DIR" | tail -n 1 | tr -dc 0-9; }

# Memory of its own of every process of the server and of the programs beside it, each second: kB, tab, name. And the disk.
sample()
{
	while :; do
		awk -v server="$(postmaster)" '
			FNR == 1 { name = $2 }
			/^PPid/ { parent = $2 }
			/^RssAnon/ && (parent == server || name == "txtfp" || name == "documents") {
				file = FILENAME
				sub("status", "cmdline", file)
				if (name == "postgres") { getline name <file; close(file) }
				gsub(/\000.*/, "", name); sub(/postgres: postgres postgres \[local\]/, "session:", name); sub(/parallel worker for PID [0-9]+/, "parallel worker", name)
				print $2 "\t" name
			}' /proc/[0-9]*/status 2>/dev/null || true # processes may have ended
		printf '%s\tdisk\n' "$(($(disk) * 1024))"
		sleep 1
	done >"$DIR/samples"
}

stage_begins()
{
	[ -z "${sampler-}" ] || kill "$sampler" 2>/dev/null || true
	begun_disk=$(disk) begun_cpu=$(cpu_times) begun_log=$(log_position) begun_clock=$(date +%s.%N)
	sample &
	sampler=$!
}
stage_ends()
{
	ended_clock=$(date +%s.%N)
	echo "$begun_cpu $(cpu_times) $begun_clock $ended_clock $ROWS" | awk '{
		printf "  %-58s\t%.1f\n  %-58s\t%.1f (user %.1f, system %.1f); waiting for the disk %.1f\n  %-58s\t%.3f, %.3f\n", "seconds by the clock", $14 - $13,
			"processor seconds", ($7 - $1 + $8 - $2 + $11 - $5) / 100, ($7 - $1) / 100, ($8 - $2 + $11 - $5) / 100, ($10 - $4) / 100,
			"of a million rows: clock, processor", ($14 - $13) / $15 * 1e6, ($7 - $1 + $8 - $2 + $11 - $5) / 100 / $15 * 1e6 }' | tee -a "$DIR/results"
	kill "$sampler" 2>/dev/null || true
	wait "$sampler" 2>/dev/null || true
	sampler=
	awk -F '\t' -v before="$begun_disk" '{ if ($1 > most[$2]) most[$2] = $1 } END {
		for (name in most) if (name != "disk" && most[name] > 30000) printf "  %-58s\t%d\n", "greatest memory, MB: " substr(name, 1, 36), most[name] / 1024
		printf "  %-58s\t%+.1f\n", "greatest disk, GB beyond the begin", (most["disk"] / 1024 - before) / 1024 }' "$DIR/samples" | sort | tee -a "$DIR/results"
	note 'disk at the end, GB beyond the begin; free' "$(echo "$(disk) $begun_disk $(df -BM --output=avail "$DIR" | tail -n 1 | tr -dc 0-9)" | awk '{ printf "%+.1f; %.1f", ($1 - $2) / 1024, $3 / 1024 }')"
	log=$(log_position)
	[ "$log" = 0 ] || [ "$begun_log" = 0 ] || note 'log, MB' "$(echo "$log $begun_log" | awk '{ printf "%.0f", ($1 - $2) / 1e6 }')"
}

# clocked WHAT COMMAND…: a part of a stage
clocked()
{
	what=$1
	shift
	part_cpu=$(cpu_times) part_clock=$(date +%s.%N)
	"$@"
	note "$what: seconds by the clock, processor" "$(echo "$part_cpu $(cpu_times) $part_clock $(date +%s.%N)" | awk '{ printf "%.1f, %.1f", $14 - $13, ($7 - $1 + $8 - $2 + $11 - $5) / 100 }')"
}

# ---------------------------------------------------------------------------------------------- the stages

generate() { "$documents" "$ROWS" "$ROWS" 0 >/dev/null; }
sketch() { "$documents" "$ROWS" "$ROWS" 0 | "$txtfp" fingerprint --quiet --to copy --format tsv --kind "$kind" - >/dev/null; }

prepare()
{
	stop_server
	rm -rf "$data"
	"$bin/initdb" -D "$data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 >"$DIR/initdb.log"
	echo "include 'bench.conf'" >>"$data/postgresql.conf"
	write_settings
	start_server
	run_psql -c 'CREATE EXTENSION txtfp' -c "CREATE TABLE docs (id bigint, fp $kind)" -c "CREATE TABLE fresh (id bigint, fp $kind)"
}

# copy_documents TABLE ROWS FIRST
copy_documents()
{
	run_psql -c "COPY $1 FROM PROGRAM '$documents $2 $ROWS $3 | $txtfp fingerprint --quiet --to copy --format tsv --kind $kind -' (FORMAT binary)"
}
load()
{
	run_psql -c 'TRUNCATE docs'
	copy_documents docs "$ROWS" 0
}

vacuum()
{
	run_psql -c 'VACUUM ANALYZE docs' -c CHECKPOINT
	note 'table, MB' "$(run_psql -c "SELECT pg_table_size('docs') / 1000000")"
}

clusters()
{
	note 'rows in clusters, clusters, largest' "$(run_psql -c "SELECT count(*), count(*) FILTER (WHERE id = cluster), max(size) FROM near_duplicate_clusters('SELECT id, fp FROM docs', threshold => 0.8)")"
}

deduplicate()
{
	note 'rows to remove' "$(run_psql -c "SELECT count(*) FROM deduplicate('SELECT id, fp FROM docs', threshold => 0.8)")"
}

create_index() { run_psql -c 'CREATE INDEX docs_fp ON docs USING sketch (fp)'; }
crash_build()
{
	run_psql -c 'DROP INDEX IF EXISTS docs_fp'
	create_index 2>/dev/null &
	builder=$!
	sleep "$(awk -v rows="$ROWS" 'BEGIN { print rows / 1e8 * 25 + 0.5 }')"
	note 'progress when the server is killed' "$(run_psql -c "SELECT coalesce(max(phase || ', ' || tuples_done || ' rows'), 'ended before') FROM pg_stat_progress_create_index")"
	kill_server
	wait "$builder" 2>/dev/null || true
	clocked 'restart' start_server
	note 'index after the crash' "$(run_psql -c "SELECT coalesce(to_regclass('docs_fp')::text, 'none')")"
	remove_orphans
}

build()
{
	run_psql -c 'DROP INDEX IF EXISTS docs_fp'
	clocked 'CREATE INDEX' create_index
	clocked 'CHECKPOINT' run_psql -c CHECKPOINT
	run_psql -c 'ANALYZE docs'
	note 'index, MB; with the table' "$(run_psql -c "SELECT pg_relation_size('docs_fp') / 1000000, (pg_relation_size('docs_fp') + pg_table_size('docs')) / 1000000")"
}

fresh()
{
	run_psql -c 'DROP TABLE IF EXISTS fresh' -c "CREATE TABLE fresh (id bigint, fp $kind)"
	copy_documents fresh "$1" "$2"
	run_psql -c 'ALTER TABLE fresh ADD PRIMARY KEY (id)' -c 'VACUUM ANALYZE fresh'
}

# searches LABEL REPETITIONS THRESHOLDS PROBES [KINDS]: of each kind of probe, in one session; the last repetition counts
searches()
{
	for threshold in $3; do
		for from in ${5:-stored new}; do
			note "$1, $threshold, probes $from: ms median, p99, processor; rows" "$(run_psql -v threshold="$threshold" -v from="$from" -v most="$4" -v repetitions="$2" -f bench/hundred_million.sql)"
		done
	done
}
search()
{
	fresh 20000 "$ROWS"
	run_psql -c 'DROP TABLE IF EXISTS stored' -c "CREATE TABLE stored AS SELECT id, fp FROM docs TABLESAMPLE system (least(100, 400000 * 100.0 / $ROWS)) REPEATABLE (1)" -c 'VACUUM ANALYZE stored'
	searches warm 2 '0.95 0.8' 2000
	searches 'all groups are read, one after the other' 1 '0.5 nearest' "${FEW:-2}" stored
	note 'warm, 0.8, the text that 0.8 % have: rows, ms' "$(run_psql <<-'END' | tr '\n' ' '
		SELECT fp AS common FROM stored GROUP BY fp ORDER BY count(*) DESC LIMIT 1 \gset
		\timing
		SELECT count(*) FROM docs WHERE minhash_similar(fp, :'common', 0.8);
		END
	)"
	for threshold in 0.95 0.8; do
		drop_caches
		searches 'from the disk' 1 $threshold 500
	done
}

# insert_rows LABEL SESSIONS SECONDS
insert_rows()
{
	PGOPTIONS="$PGOPTIONS -c synchronous_commit=off" "$bin/pgbench" -n -M prepared -c "$2" -j $(($2 < 2 ? 1 : 2)) -T "$3" -f "$DIR/insert.sql" >"$DIR/pgbench" 2>&1
	note "sessions $2, $1: rows per second, latency ms; tables" "$(sed -n 's/^tps = \([0-9]*\).*/\1/p; s/^latency average = \([0-9.]*\) ms/\1/p' "$DIR/pgbench" | tac | tr '\n' ' ')$(
		run_psql -c "SELECT tables FROM fingerprint_index_info('docs_fp')")"
}
insert()
{
	fresh "${INSERTS:-3000000}" $((2 * ROWS))
	run_psql -c 'DROP SEQUENCE IF EXISTS arrival' -c "CREATE SEQUENCE arrival START $((2 * ROWS)) CACHE 1"
	echo "INSERT INTO docs SELECT id, fp FROM fresh WHERE id = (SELECT nextval('arrival'));" >"$DIR/insert.sql"
	run_psql -c 'DROP TRIGGER IF EXISTS near_duplicates ON docs' \
		-c "CREATE TRIGGER near_duplicates BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'threshold=0.8')"
	drop_caches
	insert_rows 'trigger, after a restart, all from the disk' 1 "${INSERT_SECONDS:-12}"
	for part in 1 2 3 4 5; do
		insert_rows "trigger, the memory fills, part $part" 8 $((${INSERT_WARM:-150} / 5))
	done
	for sessions in 1 2 8; do
		insert_rows 'trigger' $sessions "${INSERT_SECONDS:-12}"
	done
	run_psql -c 'DROP TRIGGER near_duplicates ON docs'
	for sessions in 1 2 8; do
		insert_rows 'no trigger' $sessions "${INSERT_SECONDS:-12}"
	done
}

batch()
{
	new=$((ROWS / 100))
	fresh "$new" $((10 * ROWS))
	for rows in $new $((new / 100)); do
		clocked "batch of $rows" run_psql -o "$DIR/batch" -v rows="$((10 * ROWS + rows))" -f - <<-'END'
			SELECT count(*), count(DISTINCT a) FROM (
				SELECT a FROM near_duplicate_pairs_between(format('SELECT id, fp FROM fresh WHERE id < %s', :rows), 'SELECT id, fp FROM docs', threshold => 0.8, nearest => true)
				UNION ALL
				SELECT id FROM near_duplicate_clusters(format('SELECT id, fp FROM fresh WHERE id < %s', :rows), threshold => 0.8) WHERE id <> cluster) AS x;
		END
		note 'found, new rows with a near-duplicate' "$(cat "$DIR/batch")"
	done
}

delete()
{
	clocked 'DELETE of 1 %' run_psql -c 'DELETE FROM docs WHERE id % 100 = 7'
	clocked 'VACUUM' run_psql -c 'VACUUM docs'
}

crash_insert()
{
	rows=$(run_psql -c 'SELECT count(*) FROM docs')
	copy_documents docs 1000000 $((20 * ROWS)) 2>/dev/null &
	writer=$!
	sleep "${CRASH_AFTER:-5}"
	kill_server
	wait "$writer" 2>/dev/null || true
	clocked restart start_server
	note 'rows before and after the crash' "$rows, $(run_psql -c 'SELECT count(*) FROM docs')"
	clocked sketch_check run_psql -o "$DIR/check" -c "SELECT sketch_check('docs_fp')"
	note 'rows of the index' "$(cat "$DIR/check")"
}

command_line()
{
	stop_server
	rm -rf "$data"
	mkfifo "$DIR/kept"
	wc -l <"$DIR/kept" >"$DIR/kept_lines" &
	"$documents" "$ROWS" "$ROWS" 0 | "$txtfp" clusters --quiet --format tsv --kind "$kind" --threshold 0.8 --memory "${CLI_MEMORY:-2500M}" --temporary "$DIR" --keep "$DIR/kept" -o "$DIR/clusters.tsv" --force -
	wait $!
	note 'rows in clusters, documents kept' "$(($(wc -l <"$DIR/clusters.tsv") - 1)), $(cat "$DIR/kept_lines")"
	rm -f "$DIR/clusters.tsv" "$DIR/kept"
}

# seconds that a stage is expected to take with a hundred million rows
expected()
{
	case $1 in
	prepare) echo 5 ;;
	generate) echo $((WORDS)) ;;
	sketch) echo $((4 * WORDS)) ;;
	load) echo 280 ;;
	vacuum) echo 70 ;;
	clusters) echo 240 ;;
	deduplicate) echo 260 ;;
	crash_build) echo 60 ;;
	build) echo 240 ;;
	search) echo 220 ;;
	insert) echo 260 ;;
	batch) echo 120 ;;
	delete) echo 150 ;;
	crash_insert) echo 150 ;;
	command_line) echo 360 ;;
	esac
}

$CXX -std=c++20 -Isrc -O2 -DWORDS="$WORDS" -o "$documents" bench/hundred_million.cpp
sampler=
trap '[ -z "$sampler" ] || kill "$sampler" 2>/dev/null || true' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
case " ${STAGES-} " in
*' prepare '*) ;;
*) [ ! -f "$data/PG_VERSION" ] || [ -f "$data/postmaster.pid" ] && kill -0 "$(postmaster)" 2>/dev/null || { [ ! -f "$data/PG_VERSION" ] || { rm -f "$data/postmaster.pid"; start_server; }; } ;;
esac
echo "machine: $(sh bench/machine.sh), huge pages of $(awk '/^HugePages_Total/ { n = $2 } /^Hugepagesize/ { print n * $2 / 1048576 }' /proc/meminfo) GB; $ROWS documents of $WORDS words, $kind" |
	tee -a "$DIR/results"
for stage in ${STAGES:-$all_stages}; do
	[ -n "${STAGES-}" ] || [ ! -e "$DIR/done/$stage" ] || continue
	case " ${NOT-} " in *" $stage "*) continue ;; esac
	took=$(($(date +%s) - begun)) needs=$(per_hundred_million "$(expected "$stage")")
	if [ $((took + needs)) -gt "$BUDGET" ]; then
		note "$stage is left out: $took s are over, it may take s" "$needs"
		continue
	fi
	[ "$(df -BG --output=avail "$DIR" | tail -n 1 | tr -dc 0-9)" -ge "$RESERVE" ] || { note 'stopped: free disk is below GB' "$RESERVE"; exit 1; }
	echo "$stage ($(date +%T), $took s, expected $needs s)" | tee -a "$DIR/results"
	stage_begins
	$stage
	stage_ends
	: >"$DIR/done/$stage"
done
