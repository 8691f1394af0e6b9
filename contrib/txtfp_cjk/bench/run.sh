#!/bin/sh
# The measurements of README.md: sh bench/run.sh [PART…], in the folder of the module, after make
#
#   build    each dictionary compiled anew: seconds and memory
#   first    the first call of a connection: time and private memory (needs a server)
#   speed    throughput beside jieba-rs and lindera (needs cargo), by turns, after a check that the tokens are the same
#   quality  near-duplicates and search with and without dictionaries (needs a server)
#
# The server (PGHOST, PGPORT, …, a superuser) has txtfp and txtfp_cjk installed; nothing is stored but a database txtfp_cjk_bench, which is removed.
# Texts: Debian's translated package descriptions (descriptions.sh), in build/descriptions. PG_CONFIG as for make.
set -eu
cd "$(dirname "$0")/.."
ROUNDS=${ROUNDS:-5}
PYTHON=${PYTHON:-/usr/bin/python3} # with psycopg
CONNECTIONS=${CONNECTIONS:-21}
texts=build/descriptions

# measured COMMAND…: runs it, and prints seconds, seconds of processor time, and the largest memory of one of its processes
measured()
{
	"$PYTHON" -c '
import resource, subprocess, sys, time
begin = time.monotonic()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{time.monotonic() - begin:.1f} s | {used.ru_utime + used.ru_stime:.1f} s | {used.ru_maxrss / 1024:.0f} MB")' "$@"
}

part_build()
{
	make -s check-dictionaries >/dev/null # the tools, the wheels
	echo "| dictionary | time | processor time | memory |"
	echo "|---|---|---|---|"
	for dictionary in jieba ipadic ko-dic; do
		rm -rf "build/dictionaries/$dictionary.dict" "build/tables/$dictionary"
		echo "| \`$dictionary\` | $(measured make -s "build/dictionaries/$dictionary.dict") |"
	done
	make -s check-dictionaries
}

# The clock of the kernel counts a process's time exactly when the process itself reads /proc/self/stat.
processor_time="ignored := pg_read_file('/proc/self/stat'); ran := split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::bigint - ran"
private="memory := (SELECT sum((regexp_match(line, '([0-9]+) kB'))[1]::int) FROM regexp_split_to_table(pg_read_file('/proc/self/smaps'), E'\n') AS line
	WHERE line LIKE 'Anonymous:%') - memory"
first_call="
DO \$\$
DECLARE
	began timestamptz; took interval; memory bigint := 0; ran bigint := 0; ignored text;
BEGIN
	WARM
	$private;
	$processor_time;
	began := clock_timestamp();
	PERFORM tokenize('TEXT', 'TOKENIZER');
	took := clock_timestamp() - began;
	$processor_time;
	$private;
	RAISE NOTICE '% % %', 1000 * extract(epoch FROM took), ran / 1e6, memory;
END \$\$;"

part_first()
{
	psql -X -q -d postgres -c 'DROP DATABASE IF EXISTS txtfp_cjk_bench' -c "CREATE DATABASE txtfp_cjk_bench ENCODING 'UTF8' TEMPLATE template0 LOCALE 'C.UTF-8'"
	psql -X -q -d txtfp_cjk_bench -c 'SET client_min_messages = warning' -c 'CREATE EXTENSION txtfp_cjk CASCADE'
	echo "| tokenizer | the library of txtfp is loaded | median | best | processor time, median | private memory, median |"
	echo "|---|---|---|---|---|---|"
	for tokenizer in cjk-jieba cjk-jieba-hmm cjk-lindera-ipadic cjk-lindera-ko-dic; do
		case $tokenizer in
		*jieba*) text=我爱北京天安门 ;;
		*ipadic) text=私は日本語を勉強しています ;;
		*) text=안녕하세요 ;;
		esac
		for library in before within; do
			warm=
			[ $library = within ] || warm="PERFORM tokenize('warm', 'word-uax29');"
			statement=$(echo "$first_call" | sed "s/TEXT/$text/; s/TOKENIZER/$tokenizer/; s/WARM/$warm/")
			for connection in $(seq "$CONNECTIONS"); do
				psql -X -q -d txtfp_cjk_bench -c "$statement" 2>&1
			done | sed -n 's/^NOTICE:  //p' | "$PYTHON" -c "
import statistics, sys
wall, ran, memory = zip(*(map(float, line.split()) for line in sys.stdin))
print('| \`$tokenizer\` | $library | %.1f ms | %.1f ms | %.1f ms | %.0f kB |' % (
	statistics.median(wall), min(wall), statistics.median(ran), statistics.median(memory)))"
		done
	done
	psql -X -q -d postgres -c 'DROP DATABASE txtfp_cjk_bench'
	echo
	echo "load $(cut -d ' ' -f 1-3 /proc/loadavg); $CONNECTIONS connections each"
}

need_texts() { [ -s $texts/ko ] || sh bench/descriptions.sh $texts; }

part_speed()
{
	need_texts
	make -s build/segment
	mkdir -p build/bench
	cp -R bench/crate build/bench/
	cargo build --quiet --release --manifest-path build/bench/crate/Cargo.toml --target-dir build/bench/target
	crate=build/bench/target/release/txtfp-cjk-crate
	echo "| tokenizer | texts | the crate | ours | ratio, median of $ROUNDS |"
	echo "|---|---|---|---|---|"
	for tokenizer in cjk-jieba cjk-jieba-hmm cjk-lindera-ipadic cjk-lindera-ko-dic; do
		case $tokenizer in
		*jieba*) dictionary=jieba languages="zh_CN zh_TW" ;;
		*ipadic) dictionary=ipadic languages=ja ;;
		*) dictionary=ko-dic languages=ko ;;
		esac
		# shellcheck disable=SC2086  # one argument for each language
		"$PYTHON" bench/quality.py --texts $texts $languages >build/bench/texts
		ours="build/segment $tokenizer build/dictionaries/$dictionary.dict"
		theirs="$crate $tokenizer build/tables/$dictionary"
		$ours <build/bench/texts >build/bench/ours
		$theirs <build/bench/texts >build/bench/theirs
		cmp build/bench/ours build/bench/theirs || { echo "the tokens differ: $tokenizer" >&2 && exit 1; }
		for round in $(seq "$ROUNDS"); do
			echo "$($theirs 3 <build/bench/texts) $($ours 3 <build/bench/texts)"
		done | "$PYTHON" -c "
import statistics, sys
pairs = [(float(line.split()[0]), float(line.split()[4])) for line in sys.stdin]
print('| \`$tokenizer\` | %.1f MB, $languages | %.1f MB/s | %.1f MB/s | %.2f |' % ($(wc -c <build/bench/texts) / 1e6,
	statistics.median(a for a, b in pairs), statistics.median(b for a, b in pairs), statistics.median(b / a for a, b in pairs)))"
	done
}

part_quality()
{
	need_texts
	psql -X -q -d postgres -c 'DROP DATABASE IF EXISTS txtfp_cjk_bench' -c "CREATE DATABASE txtfp_cjk_bench ENCODING 'UTF8' TEMPLATE template0 LOCALE 'C.UTF-8'"
	PGDATABASE=txtfp_cjk_bench "$PYTHON" bench/quality.py $texts
	psql -X -q -d postgres -c 'DROP DATABASE txtfp_cjk_bench'
}

for part in "${@:-build first speed quality}"; do
	for each in $part; do
		printf '\n## %s\n\n' "$each"
		"part_$each"
	done
done
