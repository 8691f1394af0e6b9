#!/bin/sh
# Compares TLSH with Trend Micro's C++ library, whose digests it reproduces: one thread, same bytes, alternately.
#     sh bench/tlsh.sh            less than a minute
# Needs g++, and pip to download the library's sources (package py-tlsh); without it, only our own figures are printed.
# TLSH_SOURCES=DIRECTORY with include/ and src/ uses other sources.
set -eu

cd "$(dirname "$0")/.."
. bench/common.sh
LIBRARY_FLAGS='-O3 -DBUCKETS_128'

say() { printf '%s\n' "$*" >&2; }

mkdir -p "$WORK/tlsh"
sources=${TLSH_SOURCES:-$WORK/tlsh/py-tlsh}
if [ ! -d "$sources/src" ]; then
	say "fetching the library's sources"
	if pip download --quiet --no-deps --no-binary :all: --dest "$WORK/tlsh" py-tlsh >&2; then
		mkdir -p "$sources"
		tar -xzf "$(ls "$WORK"/tlsh/py[-_]tlsh-*.tar.gz | tail -n 1)" -C "$sources" --strip-components 1
	else
		say "the library cannot be fetched: printing our own figures only"
	fi
fi

say "building"
$CXX -O2 -std=c++20 -Isrc bench/corpora.cpp -o "$WORK/corpora"
mkdir -p "$WORK/texts"
"$WORK/corpora" "$WORK/texts"
objects=
include=
if [ -d "$sources/src" ]; then
	include="-I$sources/include -DBUCKETS_128"
	for source in tlsh tlsh_impl tlsh_util; do
		# shellcheck disable=SC2086  # flags are words
		$CXX $LIBRARY_FLAGS -w "-I$sources/include" -c "$sources/src/$source.cpp" -o "$WORK/tlsh/library_$source.o"
		objects="$objects $WORK/tlsh/library_$source.o"
	done
fi
for source in src/core/tlsh/tlsh.cpp src/core/tlsh/tlsh_windows.cpp bench/tlsh.cpp; do
	object=$WORK/tlsh/$(echo "$source" | tr / _).o
	# shellcheck disable=SC2086
	$CXX $CXXFLAGS -Isrc $include -c "$source" -o "$object"
	objects="$objects $object"
done
# shellcheck disable=SC2086
$CXX $objects -o "$WORK/tlsh/bench"

echo "machine   $(sh bench/machine.sh)"
echo "ours      $($CXX --version | head -n 1), $CXXFLAGS"
if [ -n "$include" ]; then
	version=$(sed -n 's/^#define VERSION_[A-Z]* *\([0-9]*\).*/\1/p' "$sources/include/tlsh_version.h" | paste -sd .)
	echo "library   TLSH $version, $LIBRARY_FLAGS"
fi
echo "method    median of 25 turns, processor time of the thread; commit $(git describe --always --dirty 2>/dev/null || echo unknown)"
echo
"$WORK/tlsh/bench" "$WORK/texts/ascii-1m.txt"
