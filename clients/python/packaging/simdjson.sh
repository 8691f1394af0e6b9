#!/bin/sh
# Builds the static library of simdjson that a wheel links: PREFIX/include and PREFIX/lib. sh simdjson.sh PREFIX [SOURCE]; SOURCE is a folder with
# simdjson.h and simdjson.cpp; without it, they are fetched.
set -eu

prefix=$1
version=${SIMDJSON_VERSION:-3.0.1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

source=${2:-$work}
if [ $# -lt 2 ]; then
	for file in simdjson.h simdjson.cpp; do
		curl -fsSL -o "$work/$file" "https://github.com/simdjson/simdjson/releases/download/v$version/$file"
	done
fi
mkdir -p "$prefix/include" "$prefix/lib"
cp "$source/simdjson.h" "$prefix/include/"
c++ -std=c++17 -O2 -fPIC -fvisibility=hidden -I"$source" -c "$source/simdjson.cpp" -o "$work/simdjson.o"
ar rcs "$prefix/lib/libsimdjson.a" "$work/simdjson.o"
