-- simhash64: forms, casts, comparison, distance, construction
\set SHOW_CONTEXT never
SET jit = off;
SELECT amname, opcname, amvalidate(pg_opclass.oid) AS valid
FROM pg_opclass JOIN pg_am ON pg_am.oid = opcmethod WHERE opcname LIKE 'simhash%' ORDER BY opcname COLLATE "C";

-- Text form
SELECT '0123456789abcdef'::simhash64, 'FFFFFFFFFFFFFFFF'::simhash64, '0000000000000000'::simhash64;
SELECT '0123456789abcde'::simhash64;
SELECT '0123456789abcdef0'::simhash64;
SELECT '0x23456789abcdef'::simhash64;
SELECT ' 123456789abcdef'::simhash64;
SELECT ''::simhash64;
SELECT repeat('f', 100)::simhash64;
-- Casts
SELECT '0102030405060708'::simhash64::bytea AS bytes, '\x0807060504030201'::bytea::simhash64 AS from_bytes;
SELECT '\x08070605040302'::bytea::simhash64;
SELECT '\x080706050403020100'::bytea::simhash64;
SELECT 'ffffffffffffffff'::simhash64::bigint AS minus_one, (-2)::bigint::simhash64 AS fffe, (1::bigint)::simhash64 AS one;
SELECT '8000000000000001'::simhash64::bit(64) AS bits, (B'1' || repeat('0', 63)::bit(63))::bit(64)::simhash64 AS from_bits;
SELECT B'101'::simhash64;
SELECT 'ffffffffffffffff'::simhash64::jsonb AS number, '18446744073709551615'::jsonb::simhash64 AS from_number, '0'::jsonb::simhash64 AS zero;
SELECT '18446744073709551616'::jsonb::simhash64;
SELECT '-1'::jsonb::simhash64;
SELECT '1.5'::jsonb::simhash64;
SELECT '"1"'::jsonb::simhash64;
SELECT '[1]'::jsonb::simhash64;
SELECT 'null'::jsonb::simhash64;
-- Binary form
CREATE TABLE hashes (n int, fp simhash64);
INSERT INTO hashes VALUES (1, '0000000000000000'), (2, '7fffffffffffffff'), (3, '8000000000000000'), (4, 'ffffffffffffffff'), (5, NULL), (6, '0000000000000000');
SELECT n, encode(_simhash64_send(fp), 'hex') FROM hashes ORDER BY n;
-- Order is that of unsigned integers
SELECT fp, count(*) FROM hashes GROUP BY fp ORDER BY fp;
SELECT DISTINCT fp FROM hashes ORDER BY fp DESC NULLS LAST;
SELECT a.n, b.n, a.fp = b.fp AS eq, a.fp <> b.fp AS ne, a.fp < b.fp AS lt, a.fp <= b.fp AS le, a.fp > b.fp AS gt, a.fp >= b.fp AS ge, _simhash64_cmp(a.fp, b.fp) AS cmp
FROM hashes a, hashes b WHERE (a.n, b.n) IN ((1, 6), (2, 3), (4, 1), (1, 5)) ORDER BY 1, 2;
SET enable_hashjoin = off; SET enable_nestloop = off;
SELECT a.n, b.n FROM hashes a JOIN hashes b USING (fp) ORDER BY 1, 2;
SET enable_hashjoin = on; SET enable_mergejoin = off;
SELECT a.n, b.n FROM hashes a JOIN hashes b USING (fp) ORDER BY 1, 2;
RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_nestloop;
CREATE UNIQUE INDEX ON hashes (fp) WHERE n < 6;
INSERT INTO hashes VALUES (0, 'ffffffffffffffff');
-- Distance
SELECT hamming(a, b), a <#> b AS operator, cosine_estimate(a, b)
FROM (VALUES ('0000000000000000'::simhash64, '0000000000000000'::simhash64), ('0000000000000000', '0000000000000001'), ('00000000ffffffff', '0000000000000000'), ('0123456789abcdef', 'fedcba9876543210')) AS t(a, b);
SELECT hamming(NULL, '0000000000000000'), '0000000000000000'::simhash64 <#> NULL AS operator;
SELECT simhash_similar('0000000000000000', '0000000000000007', 3) AS three, simhash_similar('0000000000000000', '0000000000000007', 2) AS two, simhash_similar('0000000000000000', 'ffffffffffffffff', 64) AS all;
SELECT simhash_similar('0000000000000000', '0000000000000007', -1);
SELECT simhash_similar('0000000000000000', '0000000000000007', 65);
SELECT '0000000000000000'::simhash64 % '000000000000007f'::simhash64 AS seven, '0000000000000000'::simhash64 % '00000000000000ff'::simhash64 AS eight;
SET txtfp.hamming_threshold = 8;
SELECT '0000000000000000'::simhash64 % '00000000000000ff'::simhash64 AS eight;
SET txtfp.hamming_threshold = 65;
SET txtfp.hamming_threshold = -1;
RESET txtfp.hamming_threshold;
-- Probes
SELECT _to_simhash_probe('00000000000000ff', 8), '00000000000000ff/64'::simhash_probe, '00000000000000FF/0'::simhash_probe, encode(_simhash_probe_send('00000000000000ff/8'), 'hex') AS binary;
SELECT _to_simhash_probe('00000000000000ff', 65);
SELECT '00000000000000ff'::simhash_probe;
SELECT '00000000000000ff/'::simhash_probe;
SELECT '00000000000000ff/65'::simhash_probe;
SELECT '00000000000000ff/-1'::simhash_probe;
SELECT '00000000000000fg/3'::simhash_probe;
SELECT '00000000000000ff/3 '::simhash_probe;
SELECT '0000000000000000'::simhash64 % _to_simhash_probe('00000000000000ff', 8) AS eight, '0000000000000000'::simhash64 % _to_simhash_probe('00000000000000ff', 7) AS seven;
-- SimHash of a text (values of the reference implementation)
SELECT to_simhash64('the dog the dog the dog', 'word-uax29') AS tf, to_simhash64('the the the the cat', 'word-uax29') AS tf_cat, to_simhash64('the the the the cat', 'word-uax29', weighting => 'uniform') AS uniform,
	to_simhash64('the dog the dog the dog', 'word-uax29', weighting => 'idf', idf => '{"the": 0.1, "dog": 4.0}') AS idf;
SELECT to_simhash64('The quick brown fox jumps over the lazy dog.') = to_simhash64('the quick brown fox jumps over the lazy dog', 'shingle-k=2/word-uax29', 'nfkc-cf-simple-bidi-fmt', 'xxh3-64', 828927532781, 'tf', NULL) AS defaults;
SELECT to_simhash64(doc) FROM (VALUES (''), ('…'), (' '), (NULL), ('a')) AS t(doc);
SELECT to_simhash64('a b', NULL), to_simhash64('a b', weighting => NULL);
SELECT to_simhash64('a b', 'words');
SELECT to_simhash64('a b', canonicalizer => 'NFC');
SELECT to_simhash64('a b', hash => 'md5');
SELECT to_simhash64('a b', weighting => 'tfidf');
SELECT to_simhash64('a b', weighting => 'idf');
SELECT to_simhash64('a b', idf => '{}');
SELECT to_simhash64('a b', weighting => 'idf', idf => '[1]');
SELECT to_simhash64('a b', weighting => 'idf', idf => '1');
SELECT to_simhash64('a b', weighting => 'idf', idf => '{"a": "1"}');
SELECT to_simhash64('a b', weighting => 'idf', idf => '{"a": null}');
SELECT to_simhash64('a b', weighting => 'idf', idf => '{"a": [1]}');
SELECT to_simhash64('a b', weighting => 'idf', idf => '{"a": 1e39}');
SELECT to_simhash64('a b', 'word-uax29', weighting => 'idf', idf => '{}') = to_simhash64('a b', 'word-uax29', weighting => 'uniform') AS unknown_tokens_weigh_one;
-- an IDF table that differs from row to row
SELECT n, to_simhash64('the dog the dog the dog', 'word-uax29', weighting => 'idf', idf => t.idf)
FROM (VALUES (1, '{"the": 0.1, "dog": 4.0}'::jsonb), (2, '{"the": 4.0, "dog": 0.1}'), (3, '{"the": 4.0, "dog": 0.1}'), (4, '{"the": 0.1, "dog": 4.0}')) AS t(n, idf) ORDER BY n;
-- weights below 1 do not count; of a text without others there is no fingerprint
SELECT n, to_simhash64(doc, 'word-uax29', weighting => 'idf', idf => '{"the": 0.1, "dog": 0.9, "cat": 1}') FROM (VALUES (1, 'the dog'), (2, 'the cat'), (3, 'the bird')) AS t(n, doc) ORDER BY n;
SELECT to_simhash64('the dog', 'word-uax29', weighting => 'idf', idf => '{"the": 0, "dog": -0.5, "cat": 4, "bird": 4}');
SELECT to_simhash64(ARRAY['the', 'dog'], 'xxh3-64', 1, 'idf', '{"the": 0, "dog": 0}') AS tokens, simhash64_agg('the dog', 'word-uax29', 'none-cf-none', 'xxh3-64', 1, 'idf', '{"the": 0, "dog": 0}') AS chunks, to_simhash64(ARRAY['the', 'dog'], ARRAY[0, -0.0]) AS features;
-- SimHash of features
SELECT to_simhash64(ARRAY['the', 'dog'], ARRAY[0, 12]) AS dog, to_simhash64(ARRAY['dog'], ARRAY[1.5]) AS alone, to_simhash64(ARRAY['dog', 'dog', 'the'], ARRAY[1, 1, 1.5]) AS repeated, to_simhash64(ARRAY['dog'], ARRAY[-1]) AS inverted, to_simhash64('{}'::text[], '{}') AS none;
SELECT to_simhash64(ARRAY['the', 'dog'], ARRAY[1]);
SELECT to_simhash64(ARRAY['the', NULL], ARRAY[1, 2]);
SELECT to_simhash64(ARRAY['the', 'dog'], ARRAY[1, NULL]);
SELECT to_simhash64(ARRAY['the'], ARRAY['NaN'::float8]);
SELECT to_simhash64(ARRAY['the'], ARRAY['-Infinity'::float8]);
DROP TABLE hashes;
