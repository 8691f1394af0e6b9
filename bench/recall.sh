#!/bin/sh
# Measures the recall of the GIN index on real text: every pair of package descriptions by brute force over the same
# sketches, against what a self-join through the index finds, at several thresholds and bandings.
#     PGHOST=… PGDATABASE=… sh bench/recall.sh        some three minutes
# The server must be running with the extension installed, as scripts/demo.sh leaves it. Uses the schema txtfp_recall.
set -eu

cd "$(dirname "$0")/.."
WORK=${WORK:-build/bench}
CXX=${CXX:-g++}
mkdir -p "$WORK"
run_psql() { psql -X -q -v ON_ERROR_STOP=1 "$@"; }

$CXX -std=c++20 -O3 -Isrc bench/recall.cpp src/core/*.cpp -licuuc -o "$WORK/recall"
[ -s "$WORK/corpus.copy" ] || sh scripts/corpus.sh "$WORK/corpus.copy" >&2

run_psql -c "SET client_min_messages = warning; DROP SCHEMA IF EXISTS txtfp_recall CASCADE; CREATE SCHEMA txtfp_recall;
	CREATE EXTENSION IF NOT EXISTS txtfp;
	CREATE TABLE txtfp_recall.docs (id bigint GENERATED ALWAYS AS IDENTITY, package text, body text,
		fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED);
	CREATE TABLE txtfp_recall.truth (a bigint, b bigint, matches integer)"
run_psql -c "\\copy txtfp_recall.docs (package, body) FROM '$WORK/corpus.copy'"
run_psql -c "\\copy (SELECT id, encode(fp::bytea, 'hex') FROM txtfp_recall.docs WHERE fp IS NOT NULL ORDER BY id) TO '$WORK/sketches'"
"$WORK/recall" 128 0.7 <"$WORK/sketches" >"$WORK/pairs"
run_psql -c "\\copy txtfp_recall.truth FROM '$WORK/pairs'" -c 'VACUUM ANALYZE txtfp_recall.docs, txtfp_recall.truth'

run_psql -A -t -c "SELECT 'documents: ' || count(*) || ', distinct sketches: ' || count(DISTINCT fp) FROM txtfp_recall.docs"
for options in '' '(threshold = 0.75)' '(bands = 32, rows = 4)' '(bands = 16, rows = 8, recall = 0.5)'; do
	run_psql -c "DROP INDEX IF EXISTS txtfp_recall.docs_fp" -c "CREATE INDEX docs_fp ON txtfp_recall.docs
		USING gin (fp minhash128_lsh_ops $options) WITH (fastupdate = off)" 2>/dev/null
	echo "index options: ${options:-default}"
	for threshold in 0.75 0.8 0.85 0.9 0.95 1; do
		run_psql -A -t -F ' ' <<-END
			CREATE TEMP TABLE found AS SELECT a.id AS a, b.id AS b
			FROM txtfp_recall.docs a JOIN txtfp_recall.docs b ON minhash_similar(a.fp, b.fp, $threshold) AND a.id < b.id;
			SELECT '  threshold $threshold: pairs', count(*), 'found', count(f.a), 'recall',
				round(count(f.a)::numeric / greatest(count(*), 1), 5)
			FROM txtfp_recall.truth t LEFT JOIN found f USING (a, b) WHERE t.matches >= $threshold * 128;
		END
	done
done
run_psql -c 'SET client_min_messages = warning; DROP SCHEMA txtfp_recall CASCADE'
