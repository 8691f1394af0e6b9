#!/bin/sh
# Figures of the Python package beside the core, the command line, datasketch, rensa, semhash and text-dedup: sh bench/python.sh [PART…]
#
# The parts are those of bench/python.py; spark needs Java, copy a server with the extension (PGHOST or its like) and build/txtfp (make cli), or TXTFP.
# Needs python3 with venv, and pip to fetch packages into build/bench/python-venv. ROWS=20000 for less than a million rows.
set -eu

cd "$(dirname "$0")/.."
. bench/common.sh

python=${TXTFP_PYTHON:-$WORK/python-venv/bin/python3} # an environment that has everything
if [ ! -x "$python" ]; then
	python3 -m venv "$WORK/python-venv"
	"$python" -m pip install --quiet "./clients/python[files,psycopg,spark]" "psycopg[binary]" >&2
	for package in datasketch rensa semhash "datasets click click-option-group ftfy regex xxhash rich scipy bitarray psutil"; do
		# shellcheck disable=SC2086
		"$python" -m pip install --quiet $package >&2 || echo "$package cannot be had: left out"
	done
	"$python" -m pip install --quiet --no-deps text-dedup >&2 || echo "text-dedup cannot be had: left out"
fi
for topic in base text minhash; do
	printf '#include "%s"\n' src/core/$topic/*.cpp >"$WORK/python-$topic.cpp"
done
# shellcheck disable=SC2086
$CXX $CXXFLAGS -I. -Isrc bench/python.cpp "$WORK"/python-base.cpp "$WORK"/python-text.cpp "$WORK"/python-minhash.cpp -licuuc -o "$WORK/python-core"
TXTFP_BENCH="$WORK" TXTFP_BENCH_CORE="$WORK/python-core" "$python" bench/python.py "$@"
