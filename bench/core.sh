#!/bin/sh
# Compares the core with the crate whose fingerprints it reproduces: one thread, same texts, same machine.
#     sh bench/core.sh                    times of everything; about fifteen minutes
#     sh bench/core.sh --instructions     instruction counts under callgrind instead, which do not vary; about four minutes
#     ROUNDS=1 TEXTS='ascii-5k mixed-5k' sh bench/core.sh
#     CRATE=0.2.2 sh bench/core.sh        beside an older version of the crate than bench/crate/Cargo.toml names
# The two programs run by turns, so that a slow minute of the machine hits both; each figure is the median over the
# rounds of a program's own medians. Stops with an error if the two disagree on a fingerprint of any text.
# Needs g++, ICU and xxHash headers; cargo for the crate (without it, only our own figures are printed); valgrind for
# --instructions.
set -eu

cd "$(dirname "$0")/.."
. bench/common.sh
ROUNDS=${ROUNDS:-15}
MEASURED='canonicalize words minhash simhash'
PARTS='canonicalize words shingles hash update_baseline update_avx2 update_avx512'
UNIT=ns
CRATE_FLAGS='-C target-cpu=native'
if [ "${1:-}" = --instructions ]; then
	UNIT=instr
	CRATE_FLAGS='-C target-cpu=x86-64-v3' # callgrind knows no AVX-512; at run time the core sees the same
fi

say() { printf '%s\n' "$*" >&2; }

mkdir -p "$WORK/texts"

say "building the core's benchmark"
$CXX -O2 -std=c++20 -Isrc bench/corpora.cpp -o "$WORK/corpora"
rm -rf "$WORK/objects"
mkdir "$WORK/objects"
# shellcheck disable=SC2016  # expanded by the inner shell
printf '%s\n' src/core/*/*.cpp bench/core.cpp | CXX=$CXX CXXFLAGS=$CXXFLAGS xargs -P 2 -I '{}' \
	sh -c '$CXX $CXXFLAGS -Isrc -c "$1" -o "$2/$(echo "$1" | tr / -).o"' - '{}' "$WORK/objects"
$CXX "$WORK"/objects/*.o -licuuc -o "$WORK/core"

if command -v cargo >/dev/null 2>&1; then
	say "building the crate's benchmark"
	rm -rf "$WORK/crate" && cp -R bench/crate "$WORK/crate"
	[ -z "${CRATE:-}" ] || sed -i "s/^txtfp = { version = \"=[^\"]*\"/txtfp = { version = \"=$CRATE\"/" "$WORK/crate/Cargo.toml"
	RUSTFLAGS=$CRATE_FLAGS cargo build --quiet --release --manifest-path "$WORK/crate/Cargo.toml" --target-dir "$WORK/crate-$UNIT"
	programs='crate ours'
else
	say "cargo is not installed: printing our own figures only (rustup or the package cargo, Rust 1.88 or later)"
	programs=ours
fi

"$WORK/corpora" "$WORK/texts"
if [ -z "${TEXTS:-}" ]; then
	for kind in ascii mixed latin cyrillic arabic devanagari thai han hangul emoji; do
		for size in 200 1k 5k 100k 1m; do
			TEXTS="${TEXTS:-} $kind-$size"
		done
	done
fi

executable() { if [ "$1" = ours ]; then echo "$WORK/core"; else echo "$WORK/crate-$UNIT/release/txtfp-bench-crate"; fi; }

# Prints <text> TAB <measurement> TAB <instructions>: callgrind writes a profile each time measured_call returns.
count_instructions() {
	rm -f "$WORK"/profile.*
	valgrind --quiet --tool=callgrind --toggle-collect=measured_call --dump-after=measured_call \
		--callgrind-out-file="$WORK/profile" "$1" --once "$2" >"$WORK/measurements"
	n=0
	while read -r row; do
		n=$((n + 1))
		printf '%s\t%s\n' "$row" "$(sed -n 's/^totals: //p' "$WORK/profile.$n")"
	done <"$WORK/measurements"
}

machine=$(sh bench/machine.sh)
cd "$WORK/texts"
: >"$WORK/rows"
round=1
[ $UNIT = ns ] || ROUNDS=1
while [ "$round" -le "$ROUNDS" ]; do
	say "round $round of $ROUNDS"
	for text in $TEXTS; do
		for program in $programs; do
			run=$(executable "$program")
			if [ $UNIT = ns ]; then "$run" "$text.txt"; else count_instructions "$run" "$text.txt"; fi |
				sed "s/^/$program	/" >>"$WORK/rows"
		done
	done
	round=$((round + 1))
done

echo "machine   $machine"
echo "ours      $($CXX --version | head -n 1), $CXXFLAGS"
if [ "$programs" != ours ]; then
	echo "crate     txtfp $(sed -n '/^name = "txtfp"$/{n;s/version = "\(.*\)"/\1/p}' "$WORK/crate/Cargo.lock"), $(rustc --version), RUSTFLAGS=\"$CRATE_FLAGS\", opt-level 3, fat LTO"
fi
if [ $UNIT = ns ]; then
	method="median of $ROUNDS rounds by turns, each the median of 15 batches of CPU time"
else
	method="instructions of one warm call, $(valgrind --version), both sides at most AVX2"
fi
echo "method    $method; one thread; commit $(git -C "$OLDPWD" describe --always --dirty 2>/dev/null || echo unknown)"

awk -F '\t' -v texts="$TEXTS" -v measured="$MEASURED" -v parts="$PARTS" -v unit="$UNIT" "$median"'
	{
		sub(/\.txt$/, "", $2)
		key = $1 SUBSEP $2 SUBSEP $3
	}
	$3 == "minhash_slots" || $3 == "simhash_bits" || $3 == "word_count" {
		fact = $2 SUBSEP $3
		if (fact in agreed && agreed[fact] != $4) {
			printf "DIFFERENT %s of %s:\n  %s\n  %s\n", $3, $2, agreed[fact], $4
			failed = 1
		}
		agreed[fact] = $4
		next
	}
	{ seen[$1] = 1; value[key, ++count[key]] = $4 + 0 }
	END {
		if (failed)
			exit 1
		n = split(texts, text, " ")
		both = "crate" in seen
		if (both) {
			if (unit == "ns")
				print "results   the same word counts, MinHash slots and SimHash bits for all texts"
			measurements = split(measured, what, " ")
			printf "\n%-14s %8s %8s %8s   %s\n", "crate / ours", "lowest", "median", "highest", "the lowest is of"
			for (m = 1; m <= measurements; m++) {
				for (i = 1; i <= n; i++) {
					ratio[i] = median("crate" SUBSEP text[i] SUBSEP what[m]) / median("ours" SUBSEP text[i] SUBSEP what[m])
					for (j = i; j > 1 && ratio[order[j - 1]] > ratio[i]; j--)
						order[j] = order[j - 1]
					order[j] = i
				}
				printf "%-14s %8.2f %8.2f %8.2f   %s, of %d texts\n", what[m], ratio[order[1]], ratio[order[int((n + 1) / 2)]], ratio[order[n]], text[order[1]], n
			}
		}
		if (unit != "ns")
			exit 0
		printf "\n%-15s %7s %12s", "ours, ns", "words", "minhash"
		w = split(parts, part, " ")
		for (p = 1; p <= w; p++)
			printf " %15s", part[p]
		print ""
		for (i = 1; i <= n; i++) {
			if (text[i] !~ /-5k$/)
				continue
			printf "%-15s %7d %12.0f", text[i], agreed[text[i], "word_count"], median("ours" SUBSEP text[i] SUBSEP "minhash")
			for (p = 1; p <= w; p++) {
				ns = median("ours" SUBSEP text[i] SUBSEP part[p])
				if (ns > 0) printf " %15.0f", ns; else printf " %15s", "-"
			}
			print ""
		}
	}' "$WORK/rows"
