#!/bin/sh
# Measures recall and precision of the GIN index on real text: what a self-join of package descriptions finds through it, at
# several thresholds and bandings, against all pairs by their sketches (what a scan of the table would find) and by the
# exact Jaccard similarity of their shingles. bench/report.py draws the curve.
#     PGHOST=… PGDATABASE=… sh bench/recall.sh        about three minutes
# The server must be running with the extension installed, as scripts/demo.sh leaves it. Uses the schema txtfp_recall.
set -eu

cd "$(dirname "$0")/.."
WORK=${WORK:-build/bench}
CXX=${CXX:-g++}
mkdir -p "$WORK"
run_psql() { psql -X -q -v ON_ERROR_STOP=1 "$@"; }

$CXX -std=c++20 -O3 -Isrc bench/recall.cpp src/core/*/*.cpp -licuuc -o "$WORK/recall"
[ -s "$WORK/corpus.copy" ] || sh scripts/corpus.sh "$WORK/corpus.copy" >&2

run_psql -c "SET client_min_messages = warning; DROP SCHEMA IF EXISTS txtfp_recall CASCADE; CREATE SCHEMA txtfp_recall;
	CREATE EXTENSION IF NOT EXISTS txtfp;
	CREATE TABLE txtfp_recall.docs (id bigint GENERATED ALWAYS AS IDENTITY, package text, body text,
		fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED);
	CREATE TABLE txtfp_recall.pairs (a bigint, b bigint, matches integer, exact float8);
	CREATE TABLE txtfp_recall.curve (bucket integer, shared integer, pairs bigint, sum float8)"
run_psql -c "\\copy txtfp_recall.docs (package, body) FROM '$WORK/corpus.copy'"
run_psql -c "\\copy (SELECT id, encode(fp::bytea, 'hex'), (SELECT string_agg(DISTINCT hashtextextended(token, 0)::text, ' ') FROM unnest(tokenize(canonicalize(body), 'shingle-k=5/word-uax29')) AS token) FROM txtfp_recall.docs WHERE fp IS NOT NULL ORDER BY id) TO '$WORK/documents'"
"$WORK/recall" 128 16 4 0.7 "$WORK/curve" <"$WORK/documents" >"$WORK/pairs"
run_psql -c "\\copy txtfp_recall.pairs FROM '$WORK/pairs'" -c "\\copy txtfp_recall.curve FROM '$WORK/curve'" \
	-c 'VACUUM ANALYZE txtfp_recall.docs, txtfp_recall.pairs'

run_psql -A -t -c "SELECT 'documents: ' || count(*) || ', distinct sketches: ' || count(DISTINCT fp) FROM txtfp_recall.docs"

echo
echo "All pairs that share a shingle, by exact similarity: the share that has so many of the 16 bands of 4 in common."
run_psql -c "SELECT round((sum(sum) / sum(pairs))::numeric, 3) AS similarity, sum(pairs) AS pairs,
		round(coalesce(sum(pairs) FILTER (WHERE shared >= 1), 0) / sum(pairs), 4) AS \"1 band\",
		round(coalesce(sum(pairs) FILTER (WHERE shared >= 2), 0) / sum(pairs), 4) AS \"2 bands\",
		round(coalesce(sum(pairs) FILTER (WHERE shared >= 6), 0) / sum(pairs), 4) AS \"6 bands\"
	FROM txtfp_recall.curve GROUP BY bucket ORDER BY bucket"

echo "Found by a self-join through the index. recall: of all pairs of sketches at or above the threshold, which are what a scan"
echo "finds. exact: recall, of all pairs whose exact similarity is at or above the threshold, or that plus 0.05; precision, pairs"
echo "found whose exact similarity is at or above the threshold, or that minus 0.05."
for options in default '(threshold = 0.75)' '(bands = 32, rows = 4)' '(bands = 16, rows = 8, recall = 0.5)'; do
	run_psql -c "DROP INDEX IF EXISTS txtfp_recall.docs_fp" -c "CREATE INDEX docs_fp ON txtfp_recall.docs
		USING gin (fp minhash128_lsh_ops ${options#default}) WITH (fastupdate = off)" 2>/dev/null
	run_psql <<-END
		CREATE TEMP TABLE found (threshold float8, a bigint, b bigint);
		PREPARE find(float8) AS INSERT INTO found SELECT \$1, a.id, b.id
			FROM txtfp_recall.docs a JOIN txtfp_recall.docs b ON minhash_similar(a.fp, b.fp, \$1) AND a.id < b.id;
		SELECT format('EXECUTE find(%s)', threshold) FROM unnest(ARRAY[0.75, 0.8, 0.85, 0.9, 0.95, 1]) AS threshold \gexec
		ANALYZE found;
		SELECT '$options' AS "index options", threshold, pairs, found, round(1.0 * hit / pairs, 5) AS recall,
			round(1.0 * exact_hit / exact, 4) AS "exact recall", round(1.0 * above_hit / nullif(above, 0), 4) AS "from + 0.05",
			round(1.0 * exact_hit / found, 4) AS "precision", round(1.0 * near_hit / found, 4) AS "from - 0.05"
		FROM (
			SELECT t.threshold, count(f.a) AS found,
				count(*) FILTER (WHERE matches >= t.threshold * 128) AS pairs,
				count(f.a) FILTER (WHERE matches >= t.threshold * 128) AS hit,
				count(*) FILTER (WHERE exact >= t.threshold) AS exact,
				count(f.a) FILTER (WHERE exact >= t.threshold) AS exact_hit,
				count(*) FILTER (WHERE exact >= t.threshold + 0.05) AS above,
				count(f.a) FILTER (WHERE exact >= t.threshold + 0.05) AS above_hit,
				count(f.a) FILTER (WHERE exact >= t.threshold - 0.05) AS near_hit
			FROM (SELECT DISTINCT threshold FROM found) AS t
			CROSS JOIN txtfp_recall.pairs AS p LEFT JOIN found AS f ON f.threshold = t.threshold AND f.a = p.a AND f.b = p.b
			GROUP BY t.threshold) AS counts
		ORDER BY threshold;
	END
done
run_psql -c 'SET client_min_messages = warning; DROP SCHEMA txtfp_recall CASCADE'
