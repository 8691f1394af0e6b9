-- The tables of bench/sql.sh. Variables: schema, corpus, docs.

\ir tools.sql

-- Documents of about 5 KB: package descriptions joined, each on one line, so that a file of lines has the same texts.
CREATE TABLE source (n int GENERATED ALWAYS AS IDENTITY, package text, body text);
\set copy '\\copy source (package, body) FROM ' :'corpus'
:copy
VACUUM ANALYZE source;
CREATE TABLE docs AS
SELECT id, string_agg(body, ' ' ORDER BY n) AS body
FROM (SELECT n, translate(body, E'\n\t\\', '   ') AS body, (sum(octet_length(body)) OVER (ORDER BY n) / 5000)::int AS id FROM source) AS s
GROUP BY id ORDER BY id LIMIT :docs;

CREATE TABLE docs_external (id int, body text);
ALTER TABLE docs_external ALTER body SET STORAGE EXTERNAL;
CREATE TABLE docs_pglz (id int, body text COMPRESSION pglz);
SELECT 'lz4' = ANY (enumvals) AS lz4 FROM pg_settings WHERE name = 'default_toast_compression' \gset
\if :lz4
CREATE TABLE docs_lz4 (id int, body text COMPRESSION lz4);
INSERT INTO docs_lz4 SELECT id, body || '' FROM docs;
\endif
CREATE TABLE docs_inline (id int, body text) WITH (toast_tuple_target = 8160);
ALTER TABLE docs_inline ALTER body SET STORAGE EXTERNAL;
INSERT INTO docs_inline SELECT id, body || '' FROM docs;
INSERT INTO docs_external SELECT id, body || '' FROM docs;
INSERT INTO docs_pglz SELECT id, body || '' FROM docs;
CREATE TABLE plain (id int, body text);
CREATE TABLE stored (id int, body text, fp minhash128);
CREATE TABLE sketched AS SELECT id, body, to_minhash128(body) AS fp FROM docs;
CREATE TABLE fingerprinted (id int, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED);
VACUUM ANALYZE;

CREATE TABLE sample (what text, us float8);

-- Microseconds of CPU time per document; the first statement is a warm-up.
CREATE PROCEDURE measure_scans() LANGUAGE plpgsql AS $$
DECLARE
	relation text;
	rows constant bigint := (SELECT count(*) FROM docs);
BEGIN
	PERFORM to_minhash128('the library is loaded by this');
	FOR relation IN SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname LIKE 'docs\__%' AND relkind = 'r' LOOP
		PERFORM cost_us(format('SELECT sum(ascii(body)) FROM %I', relation));
		INSERT INTO sample VALUES
			(relation || ' read', cost_us(format('SELECT sum(ascii(body)) FROM %I', relation)) / rows),
			(relation || ' sketch', cost_us(format('SELECT count(to_minhash128(body)) FROM %I', relation)) / rows);
	END LOOP;
END $$;

-- The text arrives as from a client: in memory and uncompressed.
CREATE PROCEDURE measure_inserts() LANGUAGE plpgsql AS $$
DECLARE
	rows constant bigint := (SELECT count(*) FROM docs);
BEGIN
	TRUNCATE plain, stored, fingerprinted;
	INSERT INTO sample VALUES ('insert plain', cost_us($q$INSERT INTO plain SELECT id, body || '' FROM sketched$q$) / rows);
	INSERT INTO sample VALUES ('insert stored', cost_us($q$INSERT INTO stored SELECT id, body || '', fp FROM sketched$q$) / rows);
	INSERT INTO sample VALUES ('insert fingerprinted', cost_us($q$INSERT INTO fingerprinted SELECT id, body || '' FROM sketched$q$) / rows);
END $$;
