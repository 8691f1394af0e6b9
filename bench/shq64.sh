#!/bin/sh
# Compares Shq64 by random projection with uubed, whose codes it reproduces: repeated shapes of 64 planes, one thread.
#     sh bench/shq64.sh           half a minute
# Needs g++, python3 with venv, and pip to download the package uubed; its native module is in the package uubed-rs, which pip builds
# with Rust. If that fails, only the NumPy form is compared. UUBED_PYTHON=FILE names a Python that has both.
set -eu

cd "$(dirname "$0")/.."
WORK=${WORK:-build/bench}
CXX=${CXX:-g++}
mkdir -p "$WORK"

python=${UUBED_PYTHON:-$WORK/venv/bin/python3}
[ -x "$python" ] || python3 -m venv "$WORK/venv"
for package in uubed uubed-rs; do
	"$python" -c "import $(echo "$package" | sed s/-rs/_native/)" 2>/dev/null || "$python" -m pip install --quiet "$package" >&2 ||
		echo "the package $package cannot be had"
done
# The options of the extension; no -march=native.
flags='-O2 -fPIC -fno-strict-aliasing -fwrapv -fstack-protector-strong -D_FORTIFY_SOURCE=2 -std=c++20 -ffp-contract=off'
# shellcheck disable=SC2086
$CXX $flags -Icontrib/txtfp_compat/src -Isrc bench/shq64.cpp contrib/txtfp_compat/src/core/*.cpp src/core/simhash/bit_counter.cpp \
	src/core/base/*.cpp -o "$WORK/shq64"

echo "machine   $(sh bench/machine.sh)"
echo "ours      $($CXX --version | head -n 1), $flags"
echo "uubed     $("$python" -m pip list 2>/dev/null | sed -n 's/^\(uubed[^ ]*\|numpy\) */\1 /p' | paste -sd , | sed 's/,/, /g')"
echo "method    median of 25 turns; ours: processor time; uubed: processor time of all threads, and elapsed time; commit $(git describe --always --dirty 2>/dev/null || echo unknown)"
echo
"$WORK/shq64" | "$python" bench/shq64.py
