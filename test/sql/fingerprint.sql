-- fingerprint: any of the types in one column
\set SHOW_CONTEXT never
SET jit = off;
SELECT amname, opcname, amvalidate(pg_opclass.oid) AS valid FROM pg_opclass JOIN pg_am ON pg_am.oid = opcmethod WHERE opcname LIKE 'fingerprint%' ORDER BY opcname COLLATE "C";

CREATE TABLE prints (id int, fp fingerprint);
-- on assignment every type casts
INSERT INTO prints VALUES (1, to_minhash64('the quick brown fox jumps')), (2, to_minhash128('the quick brown fox jumps')), (3, to_minhash256('the quick brown fox jumps')), (4, to_simhash64('the quick brown fox jumps')),
	(5, to_minhash64('something else')), (6, to_simhash64('something else')), (7, NULL), (8, to_simhash64('something else'));
SELECT id, fingerprint_name(fp) AS name, fingerprint_metadata(fp) AS metadata, pg_column_size(fp) AS bytes, left(fp::text, 60) AS text FROM prints ORDER BY id;
SELECT fingerprint_metadata(to_minhash64('a')::bytea::minhash64::fingerprint) ->> 'config_hash' AS unknown,
	fingerprint_metadata(to_minhash256('a', 'word-uax29')::fingerprint) ->> 'config_hash' = config_hash('nfkc-cf-simple-bidi-fmt', 'word-uax29', 'minhash-h256') AS known;
-- with the configuration that the caller names
SELECT fingerprint_metadata(to_simhash64('a')::fingerprint, 'nfkc-cf-simple-bidi-fmt', 'cjk-jieba', 'h128-mmh3') AS metadata;
SELECT fingerprint_metadata(fp, 'nfc-cf-none', 'x', 'y') - 'config_hash' = fingerprint_metadata(fp) - 'config_hash' AS rest, fingerprint_metadata(fp, 'nfc-cf-none', 'x', 'y') ->> 'config_hash' = config_hash('nfc-cf-none', 'x', 'y', NULL) AS config, fingerprint_metadata(fp, NULL, 'x', 'y') AS "null"
FROM (SELECT to_minhash64('a')::fingerprint) AS t(fp);
SELECT fingerprint_metadata(to_simhash64('a')::fingerprint, 'nfd', 'x', 'y');

-- Text form: there and back
SELECT count(*) FILTER (WHERE fp::text::fingerprint = fp) AS same FROM prints;
SELECT 'simhash-b64-v1/0123456789ABCDEF'::fingerprint AS simhash, ('minhash-h64-v1/' || encode(to_minhash64('a')::bytea, 'hex'))::fingerprint = to_minhash64('a')::bytea::minhash64::fingerprint AS wire_form;
SELECT ''::fingerprint;
SELECT 'simhash-b64-v1'::fingerprint;
SELECT 'simhash/0123456789abcdef'::fingerprint;
SELECT 'embedding-v1/1,2,3'::fingerprint;
SELECT '/0123456789abcdef'::fingerprint;
SELECT 'simhash-b64-v1/'::fingerprint;
SELECT 'simhash-b64-v1/0123456789abcdeg'::fingerprint;
SELECT 'minhash-h128-v1/00'::fingerprint;
SELECT ('minhash-h64-v1/' || to_minhash128('a')::text)::fingerprint;
SELECT repeat('x', 100)::fingerprint;

-- Binary form
SELECT encode(_fingerprint_send('simhash-b64-v1/0123456789abcdef'), 'hex') AS simhash, left(encode(_fingerprint_send(to_minhash128('a')::fingerprint), 'hex'), 40) AS minhash128;
CREATE TABLE copied (LIKE prints);
\copy prints TO 'results/fingerprint.copy' (FORMAT binary)
\copy copied FROM 'results/fingerprint.copy' (FORMAT binary)
SELECT count(*) AS same FROM prints JOIN copied USING (id) WHERE prints.fp IS NOT DISTINCT FROM copied.fp;
-- A bytea field of COPY can contain any bytes: no kind, an unknown kind, values too short and too long.
CREATE TABLE one (fp fingerprint);
\copy (SELECT '\x00040123456789abcdef'::bytea) TO 'results/fingerprint.copy' (FORMAT binary)
\copy one FROM 'results/fingerprint.copy' (FORMAT binary)
SELECT * FROM one;
\copy (SELECT '\x00'::bytea) TO 'results/fingerprint.copy' (FORMAT binary)
\copy one FROM 'results/fingerprint.copy' (FORMAT binary)
\copy (SELECT '\x004d0123456789abcdef'::bytea) TO 'results/fingerprint.copy' (FORMAT binary)
\copy one FROM 'results/fingerprint.copy' (FORMAT binary)
\copy (SELECT '\x000401234567'::bytea) TO 'results/fingerprint.copy' (FORMAT binary)
\copy one FROM 'results/fingerprint.copy' (FORMAT binary)
\copy (SELECT '\x00040123456789abcdef00'::bytea) TO 'results/fingerprint.copy' (FORMAT binary)
\copy one FROM 'results/fingerprint.copy' (FORMAT binary)
\copy (SELECT '\x00010123456789abcdef01000000'::bytea) TO 'results/fingerprint.copy' (FORMAT binary)
\copy one FROM 'results/fingerprint.copy' (FORMAT binary)

-- Casts back
SELECT (SELECT fp FROM prints WHERE id = 1)::minhash64 = to_minhash64('the quick brown fox jumps') AS minhash64, (SELECT fp FROM prints WHERE id = 2)::minhash128 = to_minhash128('the quick brown fox jumps') AS minhash128,
	(SELECT fp FROM prints WHERE id = 3)::minhash256 = to_minhash256('the quick brown fox jumps') AS minhash256, (SELECT fp FROM prints WHERE id = 4)::simhash64 = to_simhash64('the quick brown fox jumps') AS simhash64, NULL::fingerprint::minhash64 AS nothing;
SELECT to_simhash64('a')::fingerprint::minhash64;
SELECT to_minhash64('a')::fingerprint::minhash128;
SELECT to_minhash128('a')::fingerprint::simhash64;
SELECT to_minhash128('a')::fingerprint::minhash128::text = to_minhash128('a')::text AS text, to_minhash128('a')::fingerprint::minhash128::bytea = to_minhash128('a')::bytea AS bytes, jaccard(to_minhash128('a')::fingerprint::minhash128, to_minhash128('a')) AS jaccard;
-- casts only on assignment, so that values of different types cannot be compared by mistake
\set VERBOSITY terse
SELECT to_minhash64('a') = to_simhash64('a');
SELECT fingerprint_similarity(to_minhash64('a'), to_minhash64('a'));
\set VERBOSITY default

-- Similarity: the measure of the kind
SELECT a.id, b.id, round(fingerprint_similarity(a.fp, b.fp)::numeric, 3) AS similarity FROM prints AS a JOIN prints AS b ON fingerprint_name(a.fp) = fingerprint_name(b.fp) AND a.id <= b.id ORDER BY 1, 2;
SELECT fingerprint_similarity(a::fingerprint, b::fingerprint) = jaccard(a, b) AS jaccard, fingerprint_similarity(x::fingerprint, y::fingerprint) = cosine_estimate(x, y) AS cosine, fingerprint_similarity(NULL, x::fingerprint) AS nothing
FROM to_minhash128('a b c d e f g', 'word-uax29') AS a, to_minhash128('a b c d x y z', 'word-uax29') AS b, to_simhash64('a b c d e f g') AS x, to_simhash64('a b c d x y z') AS y;
SELECT fingerprint_similarity(to_minhash64('a')::fingerprint, to_simhash64('a')::fingerprint);
SELECT fingerprint_similarity(to_minhash64('a')::fingerprint, to_minhash128('a')::fingerprint);
SELECT fingerprint_similarity(to_minhash64('a')::fingerprint, to_minhash64('a', 'word-uax29')::fingerprint);

-- Order and equality
SELECT fp = fp AS eq, fp <> fp AS ne, fp < fp AS lt, fp <= fp AS le, fp > fp AS gt, fp >= fp AS ge, _fingerprint_cmp(fp, fp) AS cmp, count(*) FROM prints WHERE fp IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6, 7;
SELECT count(*) AS pairs, count(*) FILTER (WHERE (a.fp < b.fp)::int + (a.fp = b.fp)::int + (a.fp > b.fp)::int = 1 AND (a.fp <= b.fp) = (NOT a.fp > b.fp) AND (a.fp >= b.fp) = (NOT a.fp < b.fp) AND (a.fp <> b.fp) = (NOT a.fp = b.fp)
	AND _fingerprint_cmp(a.fp, b.fp) = - _fingerprint_cmp(b.fp, a.fp)) AS consistent FROM prints AS a, prints AS b WHERE a.fp IS NOT NULL AND b.fp IS NOT NULL;
SELECT count(DISTINCT fp) AS different FROM prints;
SELECT fingerprint_name(fp), count(*) FROM prints GROUP BY fp ORDER BY fp NULLS FIRST, 1;
SET enable_hashjoin = off; SET enable_nestloop = off;
SELECT a.id, b.id FROM prints AS a JOIN prints AS b USING (fp) WHERE a.id < b.id;
SET enable_hashjoin = on; SET enable_mergejoin = off;
SELECT a.id, b.id FROM prints AS a JOIN prints AS b USING (fp) WHERE a.id < b.id;
RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_nestloop;
CREATE UNIQUE INDEX ON prints (fp) WHERE id < 8;
INSERT INTO prints VALUES (0, to_simhash64('something else'));

-- tlsh and lavinhash
CREATE TABLE fuzzy (id int, fp fingerprint);
INSERT INTO fuzzy SELECT i, to_tlsh(doc) FROM generate_series(1, 20) AS i, LATERAL (SELECT string_agg(md5(n::text), ' ') FROM generate_series(i, i + 20) AS n) AS t(doc);
INSERT INTO fuzzy SELECT 100 + i, to_lavinhash(convert_to(doc, 'UTF8')) FROM generate_series(1, 20) AS i, LATERAL (SELECT string_agg(md5(n::text), ' ') FROM generate_series(i, i + 20) AS n) AS t(doc);
SELECT fingerprint_name(fp) AS name, count(*) AS values, count(DISTINCT fp) AS different, count(*) FILTER (WHERE fp::text::fingerprint = fp) AS from_text, min(fingerprint_metadata(fp) ->> 'algorithm') AS algorithm FROM fuzzy GROUP BY 1 ORDER BY 1;
SELECT fingerprint_metadata(fp) AS metadata, pg_column_size(fp) AS bytes FROM fuzzy WHERE id = 1;
\copy fuzzy TO 'results/fingerprint.copy' (FORMAT binary)
\copy copied FROM 'results/fingerprint.copy' (FORMAT binary)
SELECT count(*) AS same FROM fuzzy JOIN copied USING (id, fp);
SELECT count(*) AS values, count(*) FILTER (WHERE (fp::tlsh)::fingerprint = fp) AS tlsh FROM fuzzy WHERE id < 100;
SELECT count(*) AS values, count(*) FILTER (WHERE (fp::lavinhash)::fingerprint = fp) AS lavinhash FROM fuzzy WHERE id > 100;
SELECT count(*) AS pairs, count(*) FILTER (WHERE fingerprint_similarity(a.fp, b.fp) = greatest(0, 1 - tlsh_distance(a.fp::tlsh, b.fp::tlsh) / 300.0::float8)) AS tlsh FROM fuzzy AS a, fuzzy AS b WHERE a.id < 100 AND b.id < 100;
SELECT count(*) AS pairs, count(*) FILTER (WHERE fingerprint_similarity(a.fp, b.fp) = lavinhash_similarity(a.fp::lavinhash, b.fp::lavinhash) / 100.0) AS lavinhash FROM fuzzy AS a, fuzzy AS b WHERE a.id > 100 AND b.id > 100;
SELECT fp::lavinhash FROM fuzzy WHERE id = 1;
SELECT fingerprint_similarity(a.fp, b.fp) FROM fuzzy AS a, fuzzy AS b WHERE a.id = 1 AND b.id = 101;
DROP TABLE fuzzy;

-- An index on the sketches of a mixed column
INSERT INTO prints SELECT i, to_minhash128(md5((i % 300)::text) || ' and words', 'word-uax29') FROM generate_series(10, 1000) AS i;
INSERT INTO prints SELECT i, to_simhash64(md5(i::text)) FROM generate_series(10, 1000) AS i;
CREATE INDEX prints_sketches ON prints USING gin ((fp::minhash128)) WHERE fingerprint_name(fp) = 'minhash-h128-v1';
ANALYZE prints;
\set search 'SELECT string_agg(id::text, '' '' ORDER BY id) AS found FROM prints WHERE fingerprint_name(fp) = ''minhash-h128-v1'' AND minhash_similar(fp::minhash128, to_minhash128(md5(''77'') || '' and words'', ''word-uax29''), 0.9) AND id > 2'
SET enable_bitmapscan = off;
:search;
RESET enable_bitmapscan; SET enable_seqscan = off;
:search;
CREATE FUNCTION uses(index text, query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	plan text;
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		plan := concat(plan, line);
	END LOOP;
	RETURN plan ~ index;
END $$;
SELECT uses('prints_sketches', :'search') AS by_index;
RESET enable_seqscan;
DROP TABLE prints, copied, one;
DROP FUNCTION uses;
