-- The tables and indexes of bench/sketch.sh. Variables: schema, rows, corpus.

\ir tools.sql
\set probes 100
\set keys ''
\echo making :rows rows of each type
\ir index_data.sql
CREATE TABLE strangers AS
SELECT n, to_minhash128(array(SELECT 'stranger ' || n || ' ' || i FROM generate_series(1, 60) AS i)) AS fp FROM generate_series(1, 100) AS n;
CREATE TABLE docs_1 AS SELECT * FROM docs WHERE id < :rows / 1000;
CREATE TABLE docs_10 AS SELECT * FROM docs WHERE id < :rows / 100;
CREATE TABLE docs_100 AS SELECT * FROM docs WHERE id < :rows / 10;

CREATE TABLE hashes AS SELECT i AS id, hashint8extended(i, 42)::simhash64 AS fp FROM generate_series(1::bigint, :rows) AS i;
-- families of ten digests of 130 bytes each, of which one in five differs
CREATE TABLE digests AS
SELECT i AS id, to_tlsh(decode((SELECT string_agg(md5((CASE WHEN j % 5 = i % 5 AND i % 10 > 0 THEN i ELSE i / 10 END)::text || ' ' || j), '') FROM generate_series(1, 4 + i / 10 % 12) AS j), 'hex')) AS fp
FROM generate_series(1, :rows) AS i;
CREATE TABLE files AS
SELECT i AS id, to_lavinhash(decode((SELECT string_agg(md5((CASE WHEN j % 5 = i % 5 AND i % 10 > 0 THEN i ELSE i / 10 END)::text || ' ' || j), '') FROM generate_series(1, 16) AS j), 'hex')) AS fp
FROM generate_series(1, :rows / 20) AS i;
SELECT :'corpus' <> '' AS has_corpus \gset
\if :has_corpus
CREATE TABLE texts (id int GENERATED ALWAYS AS IDENTITY, package text, body text);
\set copy '\\copy texts (package, body) FROM ' :'corpus'
:copy
ALTER TABLE texts ADD fp minhash128;
UPDATE texts SET fp = to_minhash128(body);
\endif
VACUUM ANALYZE;

CREATE TABLE result (ord int GENERATED ALWAYS AS IDENTITY, what text, method text, ms numeric, note text DEFAULT '');
CREATE FUNCTION build(name text, definition text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	us float8 := cost_us(format('CREATE INDEX %s ON %s', name, definition));
BEGIN
	INSERT INTO result (what, method, ms, note) VALUES ('build: ' || regexp_replace(definition, ' .*', ''), substring(definition, 'USING (\w+)'), us / 1000, pg_size_pretty(pg_relation_size(name::regclass)));
END $$;
\echo building indexes
CHECKPOINT;
SELECT build(t || '_gin', t || ' USING gin (fp) WITH (fastupdate = off)') FROM unnest('{docs, docs_100, docs_10, docs_1, hashes, digests, files}'::text[]) AS t \g /dev/null
CHECKPOINT;
SELECT build(t || '_sketch', t || ' USING sketch (fp)') FROM unnest('{docs, docs_100, docs_10, docs_1, hashes, digests, files}'::text[]) AS t \g /dev/null
\if :has_corpus
SELECT build('texts_sketch', 'texts USING sketch (fp)'), build('texts_body', 'texts USING sketch (to_minhash128(body))') \g /dev/null
\endif
VACUUM ANALYZE;
