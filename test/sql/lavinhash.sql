-- lavinhash: forms, casts, comparison, construction, similarity
\set SHOW_CONTEXT never
SET jit = off;
SELECT amname, opcname, amvalidate(pg_opclass.oid) AS valid
FROM pg_opclass JOIN pg_am ON pg_am.oid = opcmethod WHERE opcname LIKE 'lavinhash%' ORDER BY opcname COLLATE "C";

-- A serialized form with these bits and this structure
CREATE FUNCTION form(structure bytea, VARIADIC bits int[] DEFAULT '{}') RETURNS lavinhash LANGUAGE sql AS $$
	SELECT ('\x4801'::bytea || decode(lpad(to_hex(length(structure)), 2, '0') || '00', 'hex') ||
		(SELECT string_agg(set_byte('\x00', 0, coalesce((SELECT bit_or(1 << bit % 8) FROM unnest(bits) AS bit WHERE bit / 8 = byte), 0)), NULL ORDER BY byte)
			FROM generate_series(0, 1023) AS byte) || structure)::lavinhash $$;
-- Without the filter, for printing
CREATE FUNCTION summary(fp lavinhash) RETURNS text LANGUAGE sql AS $$
	SELECT format('%s bytes, %s bits, md5 %s, structure %s', length(fp::bytea), bit_count(substr(fp::bytea, 5, 1024)), md5(fp::bytea), encode(substr(fp::bytea, 1029), 'hex')) $$;

-- Text form
SELECT length(form('\x12')::text), form('\x12')::text = upper(form('\x12')::text)::lavinhash::text AS same, form('\x12')::text::lavinhash = form('\x12') AS equal;
SELECT ''::lavinhash;
SELECT '4801'::lavinhash;
SELECT '480'::lavinhash;
SELECT ('4801' || repeat('0', 2053))::lavinhash;
SELECT ('48010000' || repeat('00', 1023) || '0g')::lavinhash;
SELECT (' ' || form('\x12')::text)::lavinhash;
SELECT ('4801ff00' || repeat('0', 100000))::lavinhash;
SELECT ('49010100' || repeat('00', 1025))::lavinhash;
SELECT ('48020100' || repeat('00', 1025))::lavinhash;
SELECT ('48010100' || repeat('00', 1024))::lavinhash;
SELECT ('48010100' || repeat('00', 1026))::lavinhash;
SELECT ('48018300' || repeat('00', 1024 + 130))::lavinhash;
SELECT ('4801ffff' || repeat('00', 1024 + 130))::lavinhash;
SELECT length(('48018200' || repeat('00', 1024 + 130))::lavinhash::text) AS longest, length(('48010000' || repeat('00', 1024))::lavinhash::text) AS shortest;

-- Casts and binary form
SELECT form('\x12', 0, 9, 8191)::bytea::lavinhash = form('\x12', 0, 9, 8191) AS kept, _lavinhash_send(form('\x12', 7)) = form('\x12', 7)::bytea AS binary;
SELECT '\x'::bytea::lavinhash;
SELECT '\x48010100'::bytea::lavinhash;
SELECT (form('\x12')::bytea || '\x00')::lavinhash;
SELECT set_byte(form('\x12')::bytea, 0, 0)::lavinhash;
SELECT set_byte(form('\x12')::bytea, 1, 2)::lavinhash;
SELECT set_byte(form('\x12')::bytea, 3, 1)::lavinhash;
CREATE TABLE prints (n int, fp lavinhash);
INSERT INTO prints VALUES (1, form('\x')), (2, form('\x00')), (3, form('\x10')), (4, form('\x00', 0)), (5, NULL), (6, form('\x00')), (7, form('\x0000'));
\copy prints TO 'results/lavinhash.bin' (FORMAT binary)
CREATE TABLE copies (LIKE prints);
\copy copies FROM 'results/lavinhash.bin' (FORMAT binary)
SELECT count(*) AS rows, count(*) FILTER (WHERE c.fp IS NOT DISTINCT FROM p.fp) AS same FROM prints AS p JOIN copies AS c USING (n);
DROP TABLE copies;

-- Order: that of the bytes
SELECT min(n), count(*) FROM prints GROUP BY fp ORDER BY fp;
SELECT a.n, b.n, a.fp = b.fp AS eq, a.fp <> b.fp AS ne, a.fp < b.fp AS lt, a.fp <= b.fp AS le, a.fp > b.fp AS gt, a.fp >= b.fp AS ge, sign(_lavinhash_cmp(a.fp, b.fp)) AS cmp
FROM prints a, prints b WHERE (a.n, b.n) IN ((2, 6), (1, 2), (4, 2), (3, 2), (1, 5), (7, 2)) ORDER BY 1, 2;
SET enable_hashjoin = off; SET enable_nestloop = off;
SELECT a.n, b.n FROM prints a JOIN prints b USING (fp) ORDER BY 1, 2;
SET enable_hashjoin = on; SET enable_mergejoin = off;
SELECT a.n, b.n FROM prints a JOIN prints b USING (fp) ORDER BY 1, 2;
RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_nestloop;
CREATE UNIQUE INDEX ON prints (fp) WHERE n < 6;
\set VERBOSITY terse
INSERT INTO prints VALUES (0, form('\x10'));
\set VERBOSITY default
DROP TABLE prints;

-- Construction (values of the reference implementation; NULL where its value has no piece of the document)
SELECT string_agg(md5(i::text), ' ') AS doc FROM generate_series(1, 10) AS i \gset
SELECT summary(to_lavinhash('a'));
SELECT summary(to_lavinhash('Hello, World!'));
SELECT name, summary(to_lavinhash(doc)) FROM (VALUES ('zeros_64', decode(repeat('00', 64), 'hex')), ('zeros_65', decode(repeat('00', 65), 'hex')), ('zeros_1000', decode(repeat('00', 1000), 'hex')),
	('letter_x_500', convert_to(repeat('x', 500), 'UTF8')), ('tie48_asc', 'abcdeeffgghhhhiiiijjjjjjjjjjjjkkkkkkkkkkkkkkkkkk'), ('tie24_asc', 'abcdefghhiiiiiijjjjjjjjj')) AS t(name, doc);
SELECT to_lavinhash('') IS NULL AS empty, to_lavinhash(NULL) IS NULL AS nothing, to_lavinhash('a', NULL) IS NULL AS modulus, to_lavinhash('a', 16, NULL) IS NULL AS chunked;
SELECT to_lavinhash(:'doc') = to_lavinhash(:'doc', 16, true) AS defaults;
SELECT to_lavinhash('abc', 0);
SELECT to_lavinhash('abc', -1);
SELECT to_lavinhash('abc', 1000001);
SELECT to_lavinhash('', 0);
-- a text is its bytes in UTF-8; a literal without a type is a text
SELECT doc, to_lavinhash(doc || :'doc') = to_lavinhash(convert_to(doc || :'doc', 'UTF8')) AS same FROM unnest('{a,"Größe, 日本",C:\\temp\\new}'::text[]) AS doc;
SELECT '\x' || encode(:'doc', 'hex') AS hex \gset
SELECT to_lavinhash(:'hex') = to_lavinhash(:'hex'::bytea) AS literal_is_bytes, to_lavinhash(:'hex') = to_lavinhash(:'hex'::text) AS literal_is_text, to_lavinhash(''::text) IS NULL AS empty;
SELECT to_lavinhash('abc'::text, 0);
CREATE TABLE texts (body text, fp lavinhash GENERATED ALWAYS AS (to_lavinhash(body)) STORED);
INSERT INTO texts VALUES ('C:\temp' || :'doc'), ('short'), ('');
SELECT left(body, 7) AS body, fp = to_lavinhash(convert_to(body, 'UTF8')) AS same FROM texts ORDER BY body;
DROP TABLE texts;
CREATE TABLE docs (id int PRIMARY KEY, doc bytea, fp lavinhash GENERATED ALWAYS AS (to_lavinhash(doc)) STORED);
INSERT INTO docs VALUES (1, :'doc'), (2, ''), (3, NULL), (4, 'abc');
SELECT id, fp IS NULL AS no_fingerprint FROM docs ORDER BY id;
TRUNCATE docs;

-- Documents of every storage give the same value: in the row, compressed, out of line, out of line and compressed, over 1 MiB
CREATE FUNCTION noise(seed text, blocks int) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
	SELECT decode(string_agg(md5(seed || i), '' ORDER BY i), 'hex') FROM generate_series(1, blocks) AS i $$;
CREATE TABLE stored (kind text, doc bytea);
INSERT INTO stored SELECT 'compressed', convert_to(repeat('The quick brown fox. ', n), 'UTF8') FROM unnest('{200,30000}'::int[]) AS n;
ALTER TABLE stored ALTER doc SET STORAGE external;
INSERT INTO stored SELECT 'external', convert_to(repeat('The quick brown fox. ', n), 'UTF8') FROM unnest('{200,30000}'::int[]) AS n;
INSERT INTO stored SELECT 'noise', noise('a', 70000) UNION ALL SELECT 'large', noise('a', 70000) || noise('b', 70000) || noise('c', 70000) || noise('d', 70000) || noise('e', 70000);
SELECT kind, length(doc), pg_column_size(doc) < length(doc) AS compressed, summary(to_lavinhash(doc)) = summary(to_lavinhash(doc || ''::bytea)) AS same,
	to_lavinhash(doc) IS NOT DISTINCT FROM to_lavinhash(doc, chunked => false) AS chunks_do_not_matter
FROM stored ORDER BY kind COLLATE "C", length(doc);
DROP TABLE stored;

-- Similarity (values of the reference implementation)
SELECT a, b, lavinhash_similarity(x, y), x <-> y AS distance, lavinhash_structure(x, y), lavinhash_content(x, y), lavinhash_similarity(x, y, 0) AS "alpha 0", lavinhash_similarity(x, y, 0.5) AS "0.5", lavinhash_similarity(x, y, alpha => 1) AS "1"
FROM (VALUES ('zeros_65', 'zeros_1000', decode(repeat('00', 65), 'hex'), decode(repeat('00', 1000), 'hex')),
	('zeros_1000', 'letter_x_500', decode(repeat('00', 1000), 'hex'), convert_to(repeat('x', 500), 'UTF8'))) AS t(a, b, doc_a, doc_b),
	LATERAL (SELECT to_lavinhash(doc_a) AS x, to_lavinhash(doc_b) AS y) AS p;
-- without content, as other programs make values of short documents
SELECT lavinhash_similarity(form('\x00'), form('\x00')) AS same, lavinhash_similarity(form('\x00'), form('\x50')) AS other, lavinhash_similarity(form('\x00'), to_lavinhash(repeat('x', 65))) AS content;
-- without a structure
SELECT lavinhash_similarity(form('\x'), form('\x')) AS both, lavinhash_similarity(form('\x'), form('\x50')) AS one, lavinhash_structure(form('\x'), form('\x50')) AS structure;
SELECT form('\x12') <-> NULL AS distance, lavinhash_similarity(form('\x12'), form('\x12'), NULL) AS similarity;
SELECT lavinhash_similarity(form('\x12'), form('\x12'), 'NaN');
SELECT lavinhash_similarity(form('\x12'), form('\x12'), -0.1);
SELECT lavinhash_similarity(form('\x12'), form('\x12'), 1.1);
SELECT lavinhash_similarity(form('\x12'), form('\x12'), 'Infinity');

-- Thresholds: 32 of 40 bits in common
CREATE TABLE pair AS SELECT form('\x12345678', VARIADIC array_agg(100 * i)) AS a, form('\x12345678', VARIADIC array_agg(100 * i) FILTER (WHERE i <= 32)) AS b FROM generate_series(1, 40) AS i;
SELECT lavinhash_similarity(a, b), lavinhash_similar(a, b, 86) AS "86", lavinhash_similar(a, b, 87) AS "87", lavinhash_similar(a, b, 0) AS "0", lavinhash_similar(a, a, 100) AS "100" FROM pair;
SELECT lavinhash_similar(a, b, -1) FROM pair;
SELECT lavinhash_similar(a, b, 101) FROM pair;
SHOW txtfp.lavinhash_threshold;
SELECT a % b AS at_80 FROM pair;
SET txtfp.lavinhash_threshold = 87;
SELECT a % b AS at_87, b % a AS commuted FROM pair;
SET txtfp.lavinhash_threshold = 86;
SELECT a % b AS at_86, b % a AS commuted FROM pair;
SET txtfp.lavinhash_threshold = 101;
SET txtfp.lavinhash_threshold = -1;
RESET txtfp.lavinhash_threshold;
-- Probes
SELECT a % _to_lavinhash_probe(b, 86) AS "86", a % _to_lavinhash_probe(b, 87) AS "87", _to_lavinhash_probe(a, 7)::text = '7/' || a::text AS text, _to_lavinhash_probe(a, 7)::text::lavinhash_probe::text = '7/' || a::text AS back,
	_lavinhash_probe_send(_to_lavinhash_probe(a, 7)) = '\x00000007' || a::bytea AS binary FROM pair;
SELECT _to_lavinhash_probe(a, 101) FROM pair;
SELECT ''::lavinhash_probe;
SELECT '80'::lavinhash_probe;
SELECT '80/'::lavinhash_probe;
SELECT '80/48010000'::lavinhash_probe;
SELECT ('101/' || form('\x12')::text)::lavinhash_probe;
SELECT ('-1/' || form('\x12')::text)::lavinhash_probe;
SELECT ('8e1/' || form('\x12')::text)::lavinhash_probe;
SELECT ('80/' || form('\x12')::text || '0')::lavinhash_probe;
SELECT ('80/' || form('\x12')::text || '00')::lavinhash_probe;
DROP TABLE pair;

-- a long hash can be cancelled
SET statement_timeout = '100ms';
\set VERBOSITY sqlstate
SELECT to_lavinhash(decode(repeat('ab', 60000000), 'hex'));
\set VERBOSITY default
RESET statement_timeout;
DROP TABLE docs;
DROP FUNCTION form, summary, noise;
