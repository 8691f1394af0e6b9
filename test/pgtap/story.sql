-- The first screen of the README must work exactly as shown. Also tests properties that all sketches have.
BEGIN;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS txtfp;
SELECT plan(24);
CREATE SCHEMA story;
SELECT set_config('search_path', 'story, ' || current_setting('search_path'), true) <> '' AS schema \gset

SELECT lives_ok($$CREATE TABLE docs (
	id   bigint PRIMARY KEY,
	body text NOT NULL,
	fp   minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED
)$$);
SELECT lives_ok('CREATE INDEX ON docs USING gin (fp minhash128_lsh_ops) WITH (fastupdate = off)');
INSERT INTO docs SELECT i, (SELECT string_agg(format('word%s of%s', j, i / 3), ' ') FROM generate_series(1, 60 + i % 3) AS j) FROM generate_series(1, 1200) AS i; -- enough of them that GIN costs less than a sequential scan on 16 and later, too
ANALYZE docs;
SELECT results_eq($$SELECT id FROM docs, to_minhash128((SELECT body FROM docs WHERE id = 300)) q WHERE minhash_similar(fp, q, 0.8) ORDER BY fp <%> q, id LIMIT 10$$,
	ARRAY[300, 301, 302]::bigint[], 'near-duplicates of a text, best first');
CREATE FUNCTION plan_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan text;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan;
END $$;
SELECT matches(plan_of($$SELECT id, jaccard(fp, q) FROM docs, to_minhash128('some text') q WHERE minhash_similar(fp, q, 0.8) ORDER BY fp <%> q LIMIT 10$$), 'Bitmap Index Scan.*docs_fp_idx', '... by the index');
SELECT matches(plan_of($$SELECT id FROM docs WHERE fp % to_minhash128('some text')$$), 'Bitmap Index Scan.*docs_fp_idx', 'a probe by the index');
SELECT matches(plan_of('SELECT a.id, b.id FROM docs a JOIN docs b ON a.fp % b.fp AND a.id < b.id'), 'Nested Loop.*Bitmap Index Scan.*docs_fp_idx', 'a self-join by the index');
SELECT is((SELECT count(*) FROM docs a JOIN docs b ON minhash_similar(a.fp, b.fp, 0.8) AND a.id < b.id), (SELECT count(*) FROM docs a JOIN docs b ON jaccard(a.fp, b.fp) >= 0.8 AND a.id < b.id), 'all pairs');

-- the defaults

SELECT ok(to_minhash128('a b c d e f') = to_minhash128('a b c d e f', 'shingle-k=5/word-uax29', 'nfkc-cf-simple-bidi-fmt', 'xxh3-64', 828927532781), 'defaults of to_minhash128');
SELECT is(canonicalize('ABC'), canonicalize('ABC', 'nfkc-cf-simple-bidi-fmt'), 'default of canonicalize');
SELECT is(tokenize('a b.c'), tokenize('a b.c', 'word-uax29'), 'default of tokenize');
SELECT is(current_setting('txtfp.jaccard_threshold'), '0.8', 'default of txtfp.jaccard_threshold');

-- the stages compose

SELECT is(to_minhash128(body)::bytea, to_minhash128(tokenize(canonicalize(body), 'shingle-k=5/word-uax29'))::bytea, 'text = tokens of the canonical text') FROM docs WHERE id = 7;
SELECT is(substr(to_minhash256(body)::bytea, 1, 520), to_minhash64(body)::bytea, '64 slots are the first of 256') FROM docs WHERE id = 7;

-- similarity is symmetric, 1 for equal values, and within bounds; distance is its complement; operators and functions agree

CREATE TEMP TABLE pairs AS SELECT a.fp AS a, b.fp AS b FROM docs AS a, docs AS b WHERE a.id <= 30 AND b.id <= 30;
SELECT is_empty('SELECT 1 FROM pairs WHERE jaccard(a, b) <> jaccard(b, a)', 'symmetric');
SELECT is_empty('SELECT 1 FROM pairs WHERE jaccard(a, b) NOT BETWEEN 0 AND 1', 'between 0 and 1');
SELECT is_empty('SELECT 1 FROM pairs WHERE (jaccard(a, b) = 1) <> (a = b)', '1 for equals only');
SELECT is_empty('SELECT 1 FROM pairs WHERE a <%> b <> 1 - jaccard(a, b) OR a <%> b <> jaccard_distance(a, b)', '<%> is 1 - jaccard');
SELECT is_empty('SELECT 1 FROM pairs WHERE a % b <> (jaccard(a, b) >= 0.8)', '% is jaccard >= 0.8');
SELECT is_empty('SELECT 1 FROM pairs, unnest(''{0,0.5,0.8,0.953125,1}''::float8[]) AS t WHERE minhash_similar(a, b, t) <> (jaccard(a, b) >= t)', 'minhash_similar is jaccard >= threshold');
SELECT is_empty('SELECT 1 FROM pairs, unnest(''{0,0.5,0.8,0.953125,1}''::float8[]) AS t WHERE a % _to_minhash_probe(b, t) <> (jaccard(a, b) >= t)', '... and so is a probe');
SELECT is_empty('SELECT 1 FROM pairs WHERE jaccard(a, b) < 1 AND (lsh_keys(a, 1, 128) && lsh_keys(b, 1, 128))', 'one band of all slots: equal keys for equals only');

-- NULL for texts without tokens and for NULL

SELECT is_empty($$SELECT doc FROM unnest(ARRAY['', '  ', '...', U&'\+01F600', U&'\200B']) AS doc WHERE to_minhash64(doc) IS NOT NULL OR to_minhash128(doc) IS NOT NULL OR to_minhash256(doc) IS NOT NULL$$, 'no token, no sketch');
SELECT ok(to_minhash128('{}'::text[]) IS NULL, 'nor for the empty set');
SELECT ok(jaccard(NULL, to_minhash128('a')) IS NULL AND to_minhash128(NULL) IS NULL AND minhash_similar(to_minhash128('a'), NULL, 0.8) IS NULL, 'NULL in, NULL out');

SELECT * FROM finish();
ROLLBACK;
