#!/bin/sh
# Measures the core against the crate whose fingerprints it reproduces, one thread, same texts, same machine.
#     sh bench/core.sh            everything; about two minutes
#     ROUNDS=1 TEXTS='ascii-5k mixed-5k' sh bench/core.sh
# The two programs run by turns, so that a slow minute of the machine hits both; each figure is the median over the
# rounds of a program's own medians. Stops with an error if the two sketches of any text differ.
# Needs g++, ICU and xxHash headers; cargo for the crate (without it, only our own figures are printed).
set -eu

cd "$(dirname "$0")/.."
WORK=${WORK:-build/bench}
ROUNDS=${ROUNDS:-5}
CXX=${CXX:-g++}
# What the extension is built with: the PGXS defaults of Debian and the Makefile's own. No -march=native.
CXXFLAGS=${CXXFLAGS:--O2 -g -fPIC -fno-strict-aliasing -fwrapv -fstack-protector-strong -D_FORTIFY_SOURCE=2 -std=c++20 -fvisibility=hidden -fvisibility-inlines-hidden -ffp-contract=off}
CRATE_FLAGS='-C target-cpu=native'
MEASURED='canonicalize words minhash'
BROKEN_DOWN='canonicalize words shingles hash update_baseline update_avx2 update_avx512'

say() { printf '%s\n' "$*" >&2; }

mkdir -p "$WORK/texts"
WORK=$(cd "$WORK" && pwd)

say "building the core's benchmark"
$CXX -O2 -std=c++20 bench/corpora.cpp -o "$WORK/corpora"
for source in src/core/*.cpp bench/core.cpp; do
	object=$WORK/$(basename "$source" .cpp).o
	[ "$source" != bench/core.cpp ] || object=$WORK/main.o
	# shellcheck disable=SC2086  # flags are words
	$CXX $CXXFLAGS -Isrc -c "$source" -o "$object"
	objects="${objects:-} $object"
done
# shellcheck disable=SC2086
$CXX $objects -licuuc -o "$WORK/core"

if command -v cargo >/dev/null 2>&1; then
	say "building the crate's benchmark"
	RUSTFLAGS=$CRATE_FLAGS cargo build --quiet --release --manifest-path bench/crate/Cargo.toml --target-dir "$WORK/crate"
	programs='crate ours'
else
	say "cargo is not installed: printing our own figures only (rustup or the package cargo, Rust 1.88 or later)"
	programs=ours
fi

"$WORK/corpora" "$WORK/texts"
cd "$WORK/texts"
TEXTS=${TEXTS:-"ascii-200 ascii-850 ascii-5k ascii-100k ascii-1m mixed-200 mixed-850 mixed-5k mixed-100k mixed-1m arabic-200 arabic-850 arabic-5k arabic-100k arabic-1m"}

: >"$WORK/rows"
round=1
while [ "$round" -le "$ROUNDS" ]; do
	say "round $round of $ROUNDS"
	for text in $TEXTS; do
		for program in $programs; do
			run=$WORK/core
			[ "$program" = ours ] || run=$WORK/crate/release/txtfp-bench-crate
			"$run" "$text.txt" | sed "s/^/$program	/" >>"$WORK/rows"
		done
	done
	round=$((round + 1))
done

echo "machine   $(LC_ALL=C lscpu | sed -n 's/^Model name: *//p' | head -n 1), $(nproc) CPUs, Linux $(uname -r)"
echo "ours      $($CXX --version | head -n 1), $CXXFLAGS"
if [ "$programs" != ours ]; then
	echo "crate     txtfp $(sed -n '/^name = "txtfp"$/{n;s/version = "\(.*\)"/\1/p}' "$OLDPWD/bench/crate/Cargo.lock"), $(rustc --version), RUSTFLAGS=\"$CRATE_FLAGS\", opt-level 3, fat LTO"
fi
echo "method    median of $ROUNDS rounds by turns, each the median of 15 batches; one thread; commit $(git -C "$OLDPWD" describe --always --dirty 2>/dev/null || echo unknown)"

awk -F '\t' -v texts="$TEXTS" -v measured="$MEASURED" -v broken_down="$BROKEN_DOWN" '
	function median(key,    i, j, n, t, v) {
		n = count[key]
		for (i = 1; i <= n; i++)
			v[i] = value[key, i]
		for (i = 2; i <= n; i++)
			for (j = i; j > 1 && v[j - 1] > v[j]; j--) {
				t = v[j]; v[j] = v[j - 1]; v[j - 1] = t
			}
		return n == 0 ? 0 : n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
	}
	{
		sub(/\.txt$/, "", $2)
		key = $1 SUBSEP $2 SUBSEP $3
	}
	$3 == "sketch" || $3 == "word_count" {
		fact = $2 SUBSEP $3
		if (fact in agreed && agreed[fact] != $4) {
			printf "DIFFERENT %s of %s:\n  %s\n  %s\n", $3, $2, agreed[fact], $4
			failed = 1
		}
		agreed[fact] = $4
		seen[$1] = 1
		next
	}
	{ value[key, ++count[key]] = $4 + 0 }
	END {
		if (failed)
			exit 1
		n = split(texts, text, " ")
		both = "crate" in seen
		if (both) {
			print "sketches  equal in all slots for all texts"
			for (m = split(measured, what, " "); m > 0; m--) {
				printf "\n%-14s %-12s %14s %14s %8s\n", what[m], "text", "crate ns", "ours ns", "ratio"
				for (i = 1; i <= n; i++) {
					crate = median("crate" SUBSEP text[i] SUBSEP what[m])
					ours = median("ours" SUBSEP text[i] SUBSEP what[m])
					printf "%-14s %-12s %14.0f %14.0f %8.2f\n", "", text[i], crate, ours, crate / ours
				}
			}
		}
		printf "\n%-12s %7s %12s", "ours, ns", "words", "minhash"
		w = split(broken_down, part, " ")
		for (p = 1; p <= w; p++)
			printf " %15s", part[p]
		print ""
		for (i = 1; i <= n; i++) {
			printf "%-12s %7d %12.0f", text[i], agreed[text[i], "word_count"], median("ours" SUBSEP text[i] SUBSEP "minhash")
			for (p = 1; p <= w; p++) {
				ns = median("ours" SUBSEP text[i] SUBSEP part[p])
				if (ns > 0) printf " %15.0f", ns; else printf " %15s", "-"
			}
			print ""
		}
	}' "$WORK/rows"
