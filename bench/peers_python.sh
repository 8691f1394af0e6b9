#!/bin/sh
# Compares MinHash of the core with the Python packages datasketch and rensa (same texts, one thread), and their LSH indexes in memory.
#     sh bench/peers_python.sh CORPUS       about three minutes; TEXTS=1000 for less
# CORPUS: a file that scripts/corpus.sh wrote. Needs python3 with venv, and pip to fetch the packages into build/bench/venv.
set -eu

corpus=$(cd "$(dirname "${1:?which corpus}")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."
WORK=${WORK:-build/bench}
CXX=${CXX:-g++}
mkdir -p "$WORK"

[ -x "$WORK/venv/bin/python3" ] || python3 -m venv "$WORK/venv"
for package in datasketch rensa; do
	"$WORK/venv/bin/python3" -c "import $package" 2>/dev/null || "$WORK/venv/bin/python3" -m pip install --quiet "$package" >&2 ||
		echo "the package $package cannot be had: left out"
done
# The options of the extension; no -march=native.
# shellcheck disable=SC2046
$CXX -O2 -fPIC -fno-strict-aliasing -fwrapv -fstack-protector-strong -D_FORTIFY_SOURCE=2 -std=c++20 -ffp-contract=off -Isrc bench/documents.cpp \
	$(find src/core -name '*.cpp') -licuuc -o "$WORK/documents"
OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1 "$WORK/venv/bin/python3" bench/peers.py "$corpus" "$WORK/documents" "${TEXTS:-20000}"
