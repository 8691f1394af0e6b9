#!/bin/sh
# How much of src/core the corpora of the fuzz targets reach, in per cent of lines and of branches by folder: sh scripts/fuzz_coverage.sh [CORPORA]
#
# Each input runs once, in a build that counts (build/fuzz-counted-NAME). CORPORA is a folder with one for each target (default: those of test/fuzz/corpus).
# Needs clang++-14 and llvm-14.
set -eu

cd "$(dirname "$0")/.."
corpora=${1:-build/corpora}
targets=$(cd test/fuzz && ls ./*.cpp | sed 's,.*/,,; s/\.cpp$//')
counts=build/fuzz-counts
# shellcheck disable=SC2046
make -s FUZZ_COUNTED=yes corpora $(for target in $targets; do echo "build/fuzz-counted-$target"; done)
rm -rf "$counts"
mkdir -p "$counts"
for target in $targets; do
	[ -d "$corpora/$target" ] || continue
	program=build/fuzz-counted-$target at=$counts/$target
	LLVM_PROFILE_FILE="$at.raw" "$program" -runs=0 "$corpora/$target" 2>"$at.log"
	llvm-profdata-14 merge -o "$at.profile" "$at.raw"
	llvm-cov-14 export -format=lcov -instr-profile "$at.profile" "$program" >"$at.lcov"
done
python3 - "$counts"/*.lcov <<'END'
import collections, sys

reached = {"lines": collections.defaultdict(dict), "branches": collections.defaultdict(dict)}
for path in sys.argv[1:]:
    for line in open(path):
        kind, _, rest = line.strip().partition(":")
        if kind == "SF":
            name = "/" + rest
            folder = name.rsplit("/src/core/", 1)[1].split("/")[0] if "/src/core/" in name else None
        elif folder and kind in ("DA", "BRDA"):
            *place, count = rest.split(",")
            found = reached["lines" if kind == "DA" else "branches"][folder]
            key = (name, *place)
            found[key] = found.get(key, False) or count not in ("0", "-")
folders = sorted(reached["lines"])
print(f"{'src/core':12} lines branches")
for folder in folders + ["all"]:
    cells = [[hit for f in (folders if folder == "all" else [folder]) for hit in reached[kind][f].values()] for kind in reached]
    print(f"{folder:12} " + " ".join(f"{100 * sum(c) / max(len(c), 1):{w}.1f}" for c, w in zip(cells, (5, 8))))
END
