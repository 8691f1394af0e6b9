-- minhash64_agg, minhash128_agg, minhash256_agg, simhash64_agg: fingerprints of texts in chunks
\set SHOW_CONTEXT never
SET jit = off;
SELECT current_database() AS home \gset

CREATE TABLE docs (id int, doc text);
INSERT INTO docs VALUES (1, 'The quick brown fox, jumps over the lazy dog!'), (2, U&'e\0301a\0323\0302 \1EAD Stra\00DFe \FB01le'), (3, U&'\+01F468\200D\+01F469\200D\+01F467 \+01F44D\+01F3FD \+01F1FA\+01F1F8\+01F1E9\+01F1EA'),
	(4, U&'can''t 3.14 a.b 1,000 \05D0"\05D1 \05D0'' '), (5, U&'\1100\1161\11A8\AC00\11A8 \304B\3099 \FF76\FF9E'), (6, U&'\0915\094D\0937\093F \0995\09CD\09B7'),
	(7, U&'  \000D\000A \0009\00A0\3000\2028 x \000D\000A'), (8, U&'\FEFFa\202Eb\200Bc \FDFA \0130\03A3'), (9, U&'\65E5\672C\8A9E\306E\30C6\30AD\30B9\30C8\3001\6F22\5B57'), (10, ''), (11, '...');

-- Every cut into two, anywhere
WITH cuts AS (SELECT id, doc, at, substr(bytes, 1, at) AS head, substr(bytes, at + 1) AS tail FROM docs, LATERAL convert_to(doc, 'UTF8') AS bytes, LATERAL generate_series(0, length(bytes)) AS at),
	streamed AS (SELECT id, doc, at, minhash64_agg(chunk ORDER BY n) AS minhash64, minhash128_agg(chunk, 'shingle-k=2/grapheme-uax29', 'none-cf-none', 'mmh3-x64-128', 42 ORDER BY n) AS minhash128,
		minhash256_agg(chunk, 'word-uax29' ORDER BY n) AS minhash256, simhash64_agg(chunk ORDER BY n) AS simhash64, simhash64_agg(chunk, 'word-uax29', 'nfc-cf-simple', 'mmh3-x64-128', 7, 'uniform' ORDER BY n) AS uniform
	FROM cuts, LATERAL (VALUES (1, head), (2, tail)) AS c(n, chunk) GROUP BY id, doc, at)
SELECT id, count(*) AS cuts, count(*) FILTER (WHERE minhash64 IS DISTINCT FROM to_minhash64(doc) OR minhash128 IS DISTINCT FROM to_minhash128(doc, 'shingle-k=2/grapheme-uax29', 'none-cf-none', 'mmh3-x64-128', 42)
	OR minhash256 IS DISTINCT FROM to_minhash256(doc, 'word-uax29') OR simhash64 IS DISTINCT FROM to_simhash64(doc) OR uniform IS DISTINCT FROM to_simhash64(doc, 'word-uax29', 'nfc-cf-simple', 'mmh3-x64-128', 7, 'uniform')) AS wrong,
	count(minhash64) > 0 AS words FROM streamed GROUP BY id ORDER BY id;
-- A byte at a time, and a character at a time
SELECT count(*) AS docs, count(*) FILTER (WHERE minhash64 IS NOT DISTINCT FROM to_minhash64(doc) AND minhash128 IS NOT DISTINCT FROM to_minhash128(doc) AND minhash256 IS NOT DISTINCT FROM to_minhash256(doc) AND simhash64 IS NOT DISTINCT FROM to_simhash64(doc)) AS same
FROM docs, LATERAL (SELECT minhash64_agg(substr(bytes, at, 1) ORDER BY at) AS minhash64, minhash128_agg(substr(bytes, at, 1) ORDER BY at) AS minhash128, minhash256_agg(substr(bytes, at, 1) ORDER BY at) AS minhash256, simhash64_agg(substr(bytes, at, 1) ORDER BY at) AS simhash64
	FROM convert_to(doc, 'UTF8') AS bytes, LATERAL generate_series(1, length(bytes)) AS at) AS streamed;
SELECT count(*) AS docs, count(*) FILTER (WHERE minhash64 IS NOT DISTINCT FROM to_minhash64(doc, 'grapheme-uax29') AND minhash128 IS NOT DISTINCT FROM to_minhash128(doc, 'word-uax29', 'nfc-cf-none', 'mmh3-x64-128', -1)
	AND minhash256 IS NOT DISTINCT FROM to_minhash256(doc) AND simhash64 IS NOT DISTINCT FROM to_simhash64(doc, 'grapheme-uax29') AND tf IS NOT DISTINCT FROM to_simhash64(doc, 'word-uax29', 'nfkc-cf-simple', 'xxh3-64', 1, 'tf')) AS same
FROM docs, LATERAL (SELECT minhash64_agg(c, 'grapheme-uax29' ORDER BY at) AS minhash64, minhash128_agg(c, 'word-uax29', 'nfc-cf-none', 'mmh3-x64-128', -1 ORDER BY at) AS minhash128, minhash256_agg(c ORDER BY at) AS minhash256,
		simhash64_agg(c, 'grapheme-uax29' ORDER BY at) AS simhash64, simhash64_agg(c, 'word-uax29', 'nfkc-cf-simple', 'xxh3-64', 1, 'tf' ORDER BY at) AS tf
	FROM generate_series(1, length(doc)) AS at, LATERAL substr(doc, at, 1) AS c) AS streamed;
-- the configuration is that of the function for a whole text
SELECT left(minhash64_agg('a b')::text, 16) = left(to_minhash64('a')::text, 16) AS minhash64, left(minhash128_agg('\x61'::bytea, 'word-uax29')::text, 16) = left(to_minhash128('a', 'word-uax29')::text, 16) AS minhash128;

-- Order, NULL, no rows
CREATE TABLE chunks (id int, n int, chunk bytea);
INSERT INTO chunks SELECT id, at, substr(bytes, at, 3) FROM docs, LATERAL convert_to(doc, 'UTF8') AS bytes, LATERAL generate_series(1, length(bytes), 3) AS at ORDER BY md5(at::text || id);
INSERT INTO chunks VALUES (1, 5, NULL), (1, 6, ''), (12, 1, NULL), (13, 1, '');
SELECT id, minhash128_agg(chunk ORDER BY n) IS NOT DISTINCT FROM to_minhash128(doc) AS same, simhash64_agg(chunk ORDER BY n) FROM chunks LEFT JOIN docs USING (id) GROUP BY id, doc ORDER BY id;
SELECT minhash64_agg(chunk ORDER BY n), minhash128_agg(chunk), minhash256_agg(chunk), simhash64_agg(chunk) FROM chunks WHERE false;
SELECT minhash64_agg(NULL::text), simhash64_agg(NULL::bytea), minhash64_agg('a'::text, NULL), simhash64_agg('a', 'word-uax29', 'nfc-cf-none', 'xxh3-64', 1, NULL);
SELECT minhash64_agg(chunk, 'word-uax29' ORDER BY n) FILTER (WHERE n > 4) = to_minhash64('quick brown fox, jumps over the lazy dog!', 'word-uax29') AS filtered FROM (SELECT n, substr('The quick brown fox, jumps over the lazy dog!', n, 2) AS chunk FROM generate_series(1, 50, 2) AS n) AS t WHERE n <> 3;
SELECT id, grouping(id) AS all, minhash64_agg(chunk ORDER BY id, n) = to_minhash64(string_agg(convert_from(chunk, 'UTF8'), '' ORDER BY id, n)) AS same FROM chunks WHERE id IN (1, 11) GROUP BY ROLLUP (id) ORDER BY id;
-- groups in a hash table, which is scanned again
SET enable_sort = off; SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_memoize = off;
SELECT n, g, fp = to_minhash64('text ' || g) AS same, bits = to_simhash64('text ' || g) AS simhash FROM generate_series(1, 2) AS n LEFT JOIN (SELECT g, minhash64_agg('text ' || g) AS fp, simhash64_agg('text ' || g) AS bits FROM generate_series(1, 3) AS g GROUP BY g OFFSET 0) AS t ON t.g <> n ORDER BY n, g;
-- ... and more of them than its memory holds
SET work_mem = '64kB';
SELECT count(*) AS groups, count(*) FILTER (WHERE fp = to_minhash64('text of ' || g) AND bits = to_simhash64('text of ' || g)) AS same
FROM (SELECT g, minhash64_agg(chunk) AS fp, simhash64_agg(chunk) AS bits FROM generate_series(1, 3000) AS g, LATERAL (VALUES ('text of ' || g), ('')) AS c(chunk) GROUP BY g) AS t;
RESET work_mem; RESET enable_sort; RESET enable_material; RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_memoize;
-- a large object, a page at a time
SELECT lo_from_bytea(0, convert_to(repeat(U&'\00FCber \65E5\672C ', 5000), 'UTF8')) AS object \gset
SELECT minhash128_agg(lo_get(:object, at, 1000) ORDER BY at) = to_minhash128(repeat(U&'\00FCber \65E5\672C ', 5000)) AS same FROM generate_series(0, 100000, 1000) AS at;
SELECT lo_unlink(:object);

-- A long text, and a word longer than any chunk
SELECT minhash128_agg(repeat('The quick brown fox jumps over the lazy dog. ', 1000) ORDER BY n) = to_minhash128(repeat('The quick brown fox jumps over the lazy dog. ', 3)) AS same FROM generate_series(1, 5000) AS n;
SELECT minhash64_agg(repeat('a', 1000) ORDER BY n) = to_minhash64(repeat('a', 5000000)) AS same FROM generate_series(1, 5000) AS n;

-- Bytes that are not UTF-8
SELECT minhash128_agg('\xc3'::bytea);
SELECT minhash128_agg(chunk ORDER BY n) FROM (VALUES (1, '\x61e2'::bytea), (2, '\x82'), (3, '')) AS t(n, chunk);
SELECT simhash64_agg('\x61c328'::bytea);
SELECT minhash256_agg(chunk ORDER BY n) FROM (VALUES (1, '\x61e2'::bytea), (2, '\x62')) AS t(n, chunk);
SELECT minhash64_agg(chunk ORDER BY n) FROM (VALUES (1, '\xed'::bytea), (2, '\xa0'), (3, '\x80')) AS t(n, chunk);
SELECT minhash64_agg('\x610062'::bytea);
SELECT minhash64_agg('\xff'::bytea);
-- Wrong configurations
SELECT minhash64_agg('a', 'words');
SELECT minhash128_agg('a', 'word-uax29', 'nfd', 'xxh3-64', 1);
SELECT minhash256_agg('a', 'word-uax29', 'nfc-cf-none', 'md5', 1);
SELECT simhash64_agg('a', 'word-uax29', 'nfc-cf-none', 'xxh3-64', 1, 'log');
SELECT simhash64_agg('a', 'word-uax29', 'nfc-cf-none', 'xxh3-64', 1, 'idf');
-- An idf table is the last argument; NULL means none
SELECT weighting, simhash64_agg(doc, 'word-uax29', 'nfkc-cf-simple-bidi-fmt', 'xxh3-64', 828927532781, weighting, idf) = to_simhash64(doc, 'word-uax29', weighting => weighting, idf => idf) AS same
FROM (VALUES ('tf', NULL::jsonb), ('uniform', NULL), ('idf', '{"a": 3, "b": 0.25, "c": 2}'), ('idf', '{}')) AS t(weighting, idf), (SELECT 'a b b c c c d'::text) AS d(doc) GROUP BY weighting, idf, doc ORDER BY weighting, idf;
WITH weights AS MATERIALIZED (SELECT jsonb_object_agg(t, 1 + ascii(t) % 7) AS idf FROM docs, unnest(tokenize(canonicalize(doc))) AS t)
SELECT count(*) AS docs, count(*) FILTER (WHERE streamed IS NOT DISTINCT FROM to_simhash64(doc, 'word-uax29', weighting => 'idf', idf => weights.idf)) AS same,
	count(*) FILTER (WHERE streamed IS DISTINCT FROM to_simhash64(doc, 'word-uax29')) AS weighted
FROM docs, weights, LATERAL (SELECT simhash64_agg(substr(convert_to(doc, 'UTF8'), at, 5), 'word-uax29', 'nfkc-cf-simple-bidi-fmt', 'xxh3-64', 828927532781, 'idf', weights.idf ORDER BY at) AS streamed
	FROM generate_series(1, octet_length(doc), 5) AS at) AS s;
-- groups with their own tables; equal tables are one, wherever they are stored
SELECT g, simhash64_agg(chunk, 'word-uax29', 'nfkc-cf-simple-bidi-fmt', 'xxh3-64', 1, 'idf', jsonb_build_object('a', g, 'b', 10 - g) ORDER BY n)
	= to_simhash64('a b', 'word-uax29', seed => 1, weighting => 'idf', idf => jsonb_build_object('a', g, 'b', 10 - g)) AS same
FROM generate_series(1, 4) AS g, (VALUES (1, 'a '), (2, 'b')) AS c(n, chunk) GROUP BY g ORDER BY g;
SELECT simhash64_agg('a ', 'word-uax29', 'nfc-cf-none', 'xxh3-64', 1, 'idf', idf) IS NOT NULL AS equal_tables FROM (VALUES ('{"a": 1.0}'::jsonb), ('{"a": 1}'), ('{"a": 1.00}')) AS t(idf);
SELECT simhash64_agg('a ', 'word-uax29', 'nfc-cf-none', 'xxh3-64', 1, 'idf', idf) FROM (VALUES ('{"a": 1}'::jsonb), ('{"a": 2}')) AS t(idf);
SELECT simhash64_agg('a', 'word-uax29', 'nfc-cf-none', 'xxh3-64', 1, 'idf', NULL);
SELECT simhash64_agg('a', 'word-uax29', 'nfc-cf-none', 'xxh3-64', 1, 'tf', '{"a": 1}');
SELECT simhash64_agg('a'::bytea, 'word-uax29', 'nfc-cf-none', 'xxh3-64', 1, 'idf', '[1]');
SELECT minhash64_agg('a', tokenizer) FROM (VALUES ('word-uax29'), ('grapheme-uax29')) AS t(tokenizer);
SELECT simhash64_agg('a'::bytea, 'word-uax29', 'nfc-cf-none', 'xxh3-64', seed, 'tf') FROM generate_series(1, 2) AS seed;
SELECT tokenizer, minhash64_agg(chunk, tokenizer ORDER BY n) = to_minhash64('a b', tokenizer) AS same FROM (VALUES (1, 'a '), (2, 'b')) AS c(n, chunk), (VALUES ('word-uax29'), ('grapheme-uax29')) AS t(tokenizer) GROUP BY tokenizer ORDER BY tokenizer;
-- Nothing can follow the end of a text, so there is no window function
\set VERBOSITY sqlstate
SELECT minhash128_agg(doc) OVER () FROM docs;
SELECT simhash64_agg(doc) OVER (ORDER BY id) FROM docs;
\set VERBOSITY default

-- It can be cancelled, within a chunk and between chunks.
-- seconds of processor time of this process, or of the clock where there is no /proc
\set used 'SELECT coalesce((SELECT split_part(s, '' '', 12)::int + split_part(s, '' '', 13)::int FROM regexp_replace(pg_read_file(''/proc/self/stat'', 0, 1000, true), ''^.*\\) '', ''x '') AS s) / 100.0, extract(epoch FROM clock_timestamp()))'
:used AS start \gset
BEGIN; SET LOCAL statement_timeout = '50ms';
SELECT minhash128_agg(repeat('The quick brown fox jumps over the lazy dog. ', 4500000));
ROLLBACK; SELECT (:used) - :start < 5 AS prompt;
:used AS start \gset
BEGIN; SET LOCAL statement_timeout = '200ms';
SELECT simhash64_agg('some words ') FROM generate_series(1, 20000000) AS n;
ROLLBACK; SELECT (:used) - :start < 5 AS prompt;

-- Another encoding: text is converted, but bytea is still UTF-8.
CREATE DATABASE regression_txtfp_stream TEMPLATE template0 ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C';
\c regression_txtfp_stream
CREATE EXTENSION txtfp;
SELECT minhash128_agg(chunk ORDER BY n) = to_minhash128(E'caf\xe9 \xdf') AS text, minhash128_agg(convert_to(chunk, 'UTF8') ORDER BY n) = to_minhash128(E'caf\xe9 \xdf') AS bytea, left(to_minhash128(E'caf\xe9 \xdf')::text, 49) AS whole
FROM (SELECT n, substr(E'caf\xe9 \xdf', n, 1) AS chunk FROM generate_series(1, 6) AS n) AS t;
SELECT minhash128_agg(E'caf\xe9'::bytea);
\c :home
DROP DATABASE regression_txtfp_stream;
DROP TABLE docs, chunks;
