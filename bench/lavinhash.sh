#!/bin/sh
# Compares to_lavinhash's core with the crate lavinhash 1.0.0: same files, same machine, alternately; ours with one thread, the
# crate with as many as it starts (over 1 MiB it uses all CPUs). Stops with an error if two fingerprints differ.
#     sh bench/lavinhash.sh            about two minutes; needs g++, and cargo for the crate
set -eu

cd "$(dirname "$0")/.."
. bench/common.sh
ROUNDS=${ROUNDS:-5}
mkdir -p "$WORK/files"
# shellcheck disable=SC2086  # flags are words
$CXX $CXXFLAGS -Isrc bench/lavinhash.cpp src/core/lavinhash/lavinhash.cpp src/core/lavinhash/lavinhash_content.cpp \
	src/core/lavinhash/lavinhash_structure.cpp src/core/base/cpu.cpp -o "$WORK/lavinhash"
programs=ours
if command -v cargo >/dev/null 2>&1; then
	cargo build --quiet --release --manifest-path bench/lavinhash_crate/Cargo.toml --target-dir "$WORK/crate"
	programs='crate ours'
fi

# Text and code of this machine, and zeros, in which every byte position is a feature.
machine=$(sh bench/machine.sh)
cd "$WORK/files"
cat /usr/share/doc/*/copyright | head -c 1000000 >text-1m
head -c 100000 text-1m >text-100k
head -c 5000 text-1m >text-5k
head -c 1000000 text-1m | tail -c 1000 >text-1k
find /usr/bin -type f -size +1000k -print0 | sort -z | xargs -0 cat 2>/dev/null | head -c 10000000 >code-10m || true
head -c 1000000 code-10m >code-1m
head -c 30000 /dev/zero >zeros-30k
FILES='text-1k text-5k text-100k text-1m code-1m code-10m zeros-30k'

: >"$WORK/rows"
round=1
while [ "$round" -le "$ROUNDS" ]; do
	for program in $programs; do
		run=$WORK/lavinhash
		[ "$program" = ours ] || run=$WORK/crate/release/txtfp-bench-lavinhash
		# shellcheck disable=SC2086
		"$run" $FILES 2>/dev/null | sed "s/^/$program	/" >>"$WORK/rows"
	done
	round=$((round + 1))
done

echo "machine   $machine"
echo "method    median of $ROUNDS rounds by turns, each the median of 15 batches; MB/s"
awk -F '\t' -v files="$FILES" "$median"'
	{
		if ($2 in digest && digest[$2] != $3) {
			printf "DIFFERENT fingerprints of %s: %s %s\n", $2, digest[$2], $3
			failed = 1
			exit
		}
		digest[$2] = $3
		value[$1 SUBSEP $2, ++count[$1 SUBSEP $2]] = $4
	}
	function size(file) { return file ~ /10m/ ? 1e7 : file ~ /1m/ ? 1e6 : file ~ /30k/ ? 3e4 : file ~ /100k/ ? 1e5 : file ~ /5k/ ? 5e3 : 1e3 }
	END {
		if (failed)
			exit 1
		printf "%-12s %10s %10s %8s\n", "file", "crate", "ours", "ratio"
		n = split(files, file, " ")
		for (i = 1; i <= n; i++) {
			crate = median("crate" SUBSEP file[i])
			ours = median("ours" SUBSEP file[i])
			printf "%-12s %10s %10.1f %8s\n", file[i], (crate ? sprintf("%.1f", size(file[i]) / crate * 1e3) : "-"),
				size(file[i]) / ours * 1e3, (crate ? sprintf("%.2f", crate / ours) : "-")
		}
	}' "$WORK/rows"
echo "comparison, ns"
"$WORK/lavinhash" --compare text-1m code-1m | sed 's/^/    /'
