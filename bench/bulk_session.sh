# Shared by the scripts of this folder that measure bulk functions, each in a session of its own, whose memory and processor times are then those
# of the function. To be sourced; $WORK is a folder for temporary files.

# largest_memory FILE: the largest memory of its own, in MB, that a server process has until its session ends. The session writes to FILE
# meanwhile: the number of the process in the first line, "end" in the last. Shared buffers and the page cache, part of which is mapped,
# are not its own.
largest_memory()
{
	largest=0
	until [ "$(tail -n 1 "$1")" = end ]; do
		memory=$(awk '/^RssAnon/ { print $2 }' "/proc/$(head -n 1 "$1")/status" 2>/dev/null) || memory=0
		[ "${memory:-0}" -le "$largest" ] || largest=$memory
		sleep 0.1
	done
	echo $((largest / 1024))
}

# clusters_of TABLE: near_duplicate_clusters of a table (id, fp) at 0.8. Prints a line: what it found, its times, its memory.
clusters_of()
{
	: >"$WORK/session"
	clusters_session "$1" >"$WORK/session" &
	peak=$(largest_memory "$WORK/session")
	wait $!
	! grep -q failed "$WORK/session" || exit 1
	echo "$(sed -n 2p "$WORK/session"); $(sed -n 3p "$WORK/session"), peak $peak MB"
}
clusters_session()
{
	run_psql -F ' ' <<-END || echo failed
		SELECT pg_backend_pid();
		SELECT count(*) || ' rows in ' || count(DISTINCT cluster) || ' clusters' FROM near_duplicate_clusters('SELECT id, fp FROM $1', threshold => 0.8);
		SELECT round(split_part(stat, ' ', 14)::numeric / 100, 1) || ' s in user mode, ' || round(split_part(stat, ' ', 15)::numeric / 100, 1) || ' s in the kernel'
		FROM regexp_replace(pg_read_file('/proc/self/stat'), '\(.*\)', '-') AS stat;
	END
	echo end
}
