#!/bin/sh
# Measures similarities of embeddings, and cutting texts into chunks: the core at each SIMD level that this processor has, and, if a
# server is named, the overhead of SQL, and pgvector if it is installed there.
#     sh bench/embedding.sh                              the core alone; one minute
#     PGHOST=… PGDATABASE=… sh bench/embedding.sh        also SQL; needs a superuser; uses the schema txtfp_embedding, which it drops
#     ROUNDS=1 sh bench/embedding.sh
set -eu

cd "$(dirname "$0")/.."
. bench/common.sh
ROUNDS=${ROUNDS:-7}
mkdir -p "$WORK/texts"
$CXX -O2 -std=c++20 -Isrc bench/corpora.cpp -o "$WORK/corpora"
"$WORK/corpora" "$WORK/texts"
# shellcheck disable=SC2086  # flags are words
$CXX $CXXFLAGS -Isrc bench/embedding.cpp src/core/embedding/embedding.cpp src/core/base/*.cpp src/core/text/*.cpp -licuuc -o "$WORK/embedding"

: >"$WORK/embedding.rows"
: >"$WORK/chunk.rows"
for round in $(seq "$ROUNDS"); do
	for level in baseline avx2 avx512; do
		TXTFP_SIMD_LEVEL=$level "$WORK/embedding" | sed "s/^/$level	/" >>"$WORK/embedding.rows"
	done
	(cd "$WORK/texts" && "$WORK/embedding" --chunk ./*-1m.txt) >>"$WORK/chunk.rows"
done

echo "machine   $(sh bench/machine.sh)"
echo "ours      $($CXX --version | head -n 1), $CXXFLAGS"
echo "method    median of $ROUNDS rounds, each the least of 300 batches of CPU time; one thread; a level above the processor's is its best"
echo
echo "Comparing two embeddings at hand, nanoseconds"
awk -F '\t' "$median"'
	{ key = $1 SUBSEP $2 SUBSEP $3; value[key, ++count[key]] = $4; if (!seen[$2, $3]++) { what[++n] = $2; dimension[n] = $3 } }
	END {
		printf "%-20s %10s %10s %10s %10s\n", "what", "dimension", "baseline", "avx2", "avx512"
		for (i = 1; i <= n; i++) {
			printf "%-20s %10s", what[i], dimension[i]
			printf " %10.1f", median("baseline" SUBSEP what[i] SUBSEP dimension[i])
			printf " %10.1f", median("avx2" SUBSEP what[i] SUBSEP dimension[i])
			printf " %10.1f\n", median("avx512" SUBSEP what[i] SUBSEP dimension[i])
		}
	}' "$WORK/embedding.rows"
echo
echo "Cutting a text of 1 MB into chunks of 256 tokens with an overlap of 32, MB/s"
awk -F '\t' "$median"'
	{ sub(/^\.\//, "", $2); sub(/-1m\.txt$/, "", $2); key = $2 SUBSEP $1; value[key, ++count[key]] = $5 / $3 * 1e3; if (!seen[$2]++) text[++n] = $2 }
	END {
		printf "%-12s %10s %10s %10s\n", "text", "fixed", "sentence", "recursive"
		for (i = 1; i <= n; i++)
			printf "%-12s %10.0f %10.0f %10.0f\n", text[i], median(text[i] SUBSEP "fixed"), median(text[i] SUBSEP "sentence"), median(text[i] SUBSEP "recursive")
	}' "$WORK/chunk.rows"
[ -n "${PGHOST-}" ] || exit 0
echo
psql -X -q -v ON_ERROR_STOP=1 -v schema=txtfp_embedding -v rounds="$ROUNDS" -f bench/embedding.sql
