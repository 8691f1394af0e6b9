#!/bin/sh
# Times the command-line program: clusters of a million documents of 400 characters with one thread, with all threads and with little memory,
# compared with datatrove's MinHash; and the program txtfp-simhash of contrib/txtfp_compat, compared with the algorithm of the program that it replaces.
#     sh bench/cli.sh                      a quarter of an hour; most of it is datatrove
#     ROUNDS=1 DOCUMENTS=100000 PEER_DOCUMENTS=2000 sh bench/cli.sh
# Needs build/txtfp (make cli) and that program (make -C contrib/txtfp_compat cli), GNU time, and pip to download datatrove and the sources of simhash-cpp, which are in simhash-py. If a download
# fails, its comparison is omitted. Ratios are of processor times, because datatrove's steps wait for each other. datatrove processes only the
# first PEER_DOCUMENTS documents of the same file.
set -eu

cd "$(dirname "$0")/.."
median=$(cat bench/median.awk)
WORK=${WORK:-build/bench}
ROUNDS=${ROUNDS:-3}
DOCUMENTS=${DOCUMENTS:-1000000}
PEER_DOCUMENTS=${PEER_DOCUMENTS:-10000}
SIMHASH_DOCUMENTS=${SIMHASH_DOCUMENTS:-100000}
CXX=${CXX:-g++}
mkdir -p "$WORK/cli"
WORK=$(cd "$WORK/cli" && pwd)
[ -x build/txtfp ] || { echo "build/txtfp is missing: make cli" >&2; exit 1; }
txtfp=$PWD/build/txtfp simhash=$PWD/contrib/txtfp_compat/build/txtfp-simhash

# peer_python: a virtual environment with datatrove, in the versions that were measured
if [ ! -x "$WORK/venv/bin/python" ]; then
	python3 -m venv "$WORK/venv"
	"$WORK/venv/bin/pip" install -q datatrove==0.10.1 tokenizers nltk orjson spacy xxhash==3.5.0 >"$WORK/pip.log" 2>&1 || rm -rf "$WORK/venv"
fi
if [ ! -d "$WORK/simhash-py" ]; then
	mkdir -p "$WORK/simhash-py"
	"${PYTHON:-python3}" -m pip download -q --no-deps --no-binary :all: -d "$WORK" simhash-py==0.4.0 >"$WORK/simhash.log" 2>&1 &&
		tar -xzf "$WORK"/simhash-py-0.4.0.tar.gz -C "$WORK/simhash-py" --strip-components 1 || rmdir "$WORK/simhash-py"
fi

corpus=$WORK/documents-$DOCUMENTS.jsonl
[ -s "$corpus" ] || python3 bench/cli_corpus.py "$DOCUMENTS" >"$corpus"
head -n "$SIMHASH_DOCUMENTS" "$corpus" >"$WORK/simhash.jsonl"
mkdir -p "$WORK/peer"
head -n "$PEER_DOCUMENTS" "$corpus" >"$WORK/peer/documents.jsonl"

# timed NAME COMMAND…: adds "NAME, seconds by the clock, processor seconds, peak memory in MB" to the rows
timed()
{
	name=$1
	shift
	/usr/bin/time -f '%e %U %S %M' -o "$WORK/time" "$@" >"$WORK/out" 2>&1 || { cat "$WORK/out" >&2; exit 1; }
	awk -v name="$name" '{ printf "%s\t%.2f\t%.2f\t%.0f\n", name, $1, $2 + $3, $4 / 1000 }' "$WORK/time" >>"$WORK/rows"
}

: >"$WORK/rows"
for round in $(seq "$ROUNDS"); do
	timed 'clusters, 1 thread' "$txtfp" clusters --quiet --threads 1 "$corpus" -o "$WORK/1.tsv"
	timed 'clusters, 2 threads' "$txtfp" clusters --quiet --threads 2 "$corpus" -o "$WORK/2.tsv"
	timed 'clusters, 2 threads, --memory 64MB' "$txtfp" clusters --quiet --threads 2 --memory 64MB "$corpus" -o "$WORK/3.tsv"
	cmp "$WORK/1.tsv" "$WORK/2.tsv" && cmp "$WORK/1.tsv" "$WORK/3.tsv"
	timed "clusters of $PEER_DOCUMENTS, 1 thread" "$txtfp" clusters --quiet --threads 1 "$WORK/peer/documents.jsonl" -o "$WORK/4.tsv"
	if [ -d "$WORK/simhash-py" ] && [ -x "$simhash" ]; then
		cpp=$WORK/simhash-py/simhash/simhash-cpp
		[ -x "$WORK/cli_simhash" ] || $CXX -O3 -std=c++20 -Icontrib/txtfp_compat/src -I"$cpp/include" bench/cli_simhash.cpp \
			"$cpp"/src/*.cpp -lsimdjson -o "$WORK/cli_simhash"
		timed "simhash of $SIMHASH_DOCUMENTS, 1 thread" "$simhash" simhash -i "$WORK/simhash.jsonl" -o "$WORK/simhash.1" -b 6 -d 3 -f json -t text -x id \
			--exact-duplicates --threads 1 --quiet
		timed "simhash of $SIMHASH_DOCUMENTS, 2 threads" "$simhash" simhash -i "$WORK/simhash.jsonl" -o "$WORK/simhash.2" -b 6 -d 3 -f json -t text -x id \
			--exact-duplicates --threads 2 --quiet
		timed "the original's algorithm" "$WORK/cli_simhash" "$WORK/simhash.jsonl" 6 3 "$WORK/simhash.3"
	fi
done
if [ -x "$WORK/venv/bin/python" ]; then
	"$WORK/venv/bin/python" bench/cli_datatrove.py "$WORK/peer" "$WORK/datatrove" 1 2>"$WORK/datatrove.log" | tail -n 1 |
		awk -v n="$PEER_DOCUMENTS" '{ printf "datatrove 0.10.1 of %s, 1 process\t%s\t%s\t0\n", n, $1, $2 }' >>"$WORK/rows"
fi

echo "machine   $(sh bench/machine.sh)"
echo "corpus    $DOCUMENTS documents, $(($(wc -c <"$corpus") / 1000000)) MB, a fifth near-duplicates: bench/cli_corpus.py"
echo "method    median of $ROUNDS rounds"
echo
awk -F '\t' "$median"'
	{ if (!seen[$1]++) name[++n] = $1; for (i = 2; i <= 4; i++) { key = $1 SUBSEP i; value[key, ++count[key]] = $i } }
	END {
		printf "%-42s %10s %12s %10s\n", "", "seconds", "CPU seconds", "peak, MB"
		for (i = 1; i <= n; i++)
			printf "%-42s %10.2f %12.2f %10s\n", name[i], median(name[i] SUBSEP 2), median(name[i] SUBSEP 3), (median(name[i] SUBSEP 4) ? median(name[i] SUBSEP 4) : "-")
	}' "$WORK/rows"
