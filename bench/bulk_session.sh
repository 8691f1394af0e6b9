# Shared by the scripts of this folder that measure bulk functions, each in a session of its own, whose memory and processor times are then those
# of the function. To be sourced in the root of the repository; $WORK is a folder for temporary files.
. bench/schema.sh
WORK=${WORK:-build/bench}
CXX=${CXX:-g++}

# begin_bulk SCHEMA [OPTION…]: the program that makes the rows, built with further options of the compiler, and a schema
begin_bulk()
{
	bulk_schema=$1
	shift
	mkdir -p "$WORK"
	$CXX -std=c++20 -Isrc -O3 "$@" -o "$WORK/dedup" bench/dedup.cpp
	use_schema "$bulk_schema"
}

# load TABLE TYPE KIND ROWS: the rows of that kind
load()
{
	run_psql -c "CREATE UNLOGGED TABLE $1 (id bigint, fp $2)"
	"$WORK/dedup" "$3" "$4" | run_psql -c "COPY $1 FROM STDIN (FORMAT binary)"
	run_psql -c "VACUUM ANALYZE $1"
}

seconds() { date +%s.%N; }
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# The seconds of processor time that a thread has used, its user and its kernel time together, from its file in /proc
used_function="CREATE FUNCTION pg_temp.used(file text) RETURNS numeric LANGUAGE sql AS \$\$
	SELECT (split_part(stat, ' ', 14)::numeric + split_part(stat, ' ', 15)::numeric) / 100 FROM regexp_replace(pg_read_file(file), '\(.*\)', '-') AS stat \$\$;"

# with_peak COMMAND…: runs a session whose first line is the number of its server process, leaves its lines in $WORK/session, and sets $peak to the largest
# memory of its own, in MB, that the process had. Shared buffers and the page cache, part of which is mapped, are not its own.
with_peak()
{
	: >"$WORK/session"
	{
		"$@" || echo failed
		echo end
	} >"$WORK/session" &
	peak=0
	until [ "$(tail -n 1 "$WORK/session")" = end ]; do
		memory=$(awk '/^RssAnon/ { print int($2 / 1024) }' "/proc/$(head -n 1 "$WORK/session")/status" 2>/dev/null) || memory=0
		[ "${memory:-0}" -le "$peak" ] || peak=$memory
		sleep 0.1
	done
	wait $!
	! grep -q failed "$WORK/session" || exit 1
}

# clusters_of TABLE: near_duplicate_clusters of a table (id, fp) at 0.8. Prints a line: what it found, its times, its memory.
clusters_of()
{
	with_peak clusters_session "$1"
	echo "$(sed -n 2p "$WORK/session"); $(sed -n 3p "$WORK/session"), peak $peak MB"
}
clusters_session()
{
	run_psql -F ' ' <<-END
		SELECT pg_backend_pid();
		SELECT count(*) || ' rows in ' || count(DISTINCT cluster) || ' clusters' FROM near_duplicate_clusters('SELECT id, fp FROM $1', threshold => 0.8);
		SELECT round(split_part(stat, ' ', 14)::numeric / 100, 1) || ' s in user mode, ' || round(split_part(stat, ' ', 15)::numeric / 100, 1) || ' s in the kernel'
		FROM regexp_replace(pg_read_file('/proc/self/stat'), '\(.*\)', '-') AS stat;
	END
}
