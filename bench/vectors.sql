-- The report of bench/vectors.sh. Variables: file, hnsw.
\ir tools.sql
SET maintenance_work_mem = '1GB';
SELECT max(extnamespace::regnamespace::text) AS vector_schema FROM pg_extension WHERE extname = 'vector' AND :'hnsw' <> 'no' \gset

CREATE TABLE e (id int PRIMARY KEY, e embedding);
ALTER TABLE e ALTER e SET STORAGE plain;
\set copy '\\copy e FROM ' :'file'
:copy
ANALYZE e;
CREATE TABLE queries AS SELECT id, e FROM e ORDER BY hashint4(id), id LIMIT 50;

\echo Vectors
SELECT count(*) AS vectors, min(embedding_dims(e)) AS dimensions FROM e;
\echo All pairs of cosine 0.95
CREATE TABLE runs (recall float8, pairs bigint, s float8);
CREATE FUNCTION run(recall float8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	start float8 := cpu_us();
	n bigint;
BEGIN
	SELECT count(*) INTO n FROM near_duplicate_pairs('SELECT id, e FROM e', 0.95, recall => run.recall);
	INSERT INTO runs VALUES (run.recall, n, (cpu_us() - start) / 1e6);
END $$;
SELECT run(recall) FROM unnest('{1,0.99,0.999}'::float8[]) AS recall \g /dev/null
SELECT recall, pairs, round(s::numeric, 2) AS s FROM runs;

-- The ten nearest, by reading the table
CREATE FUNCTION nearest(q embedding) RETURNS SETOF int LANGUAGE plpgsql AS $$
BEGIN RETURN QUERY SELECT id FROM e ORDER BY e <=> q LIMIT 10; END $$;
CREATE TABLE truth (q int, id int);
SELECT cost_us('INSERT INTO truth SELECT q.id, n FROM queries AS q, nearest(q.e) AS n') / 50000 AS ms \gset
\echo Ten nearest
CREATE TABLE report (way text, recall numeric, ms numeric);
INSERT INTO report VALUES ('the table, <=> of embedding', 1, round(:ms, 1));
SELECT :'vector_schema' <> '' AS has_pgvector \gset
\if :has_pgvector
	SET search_path = :schema, :extension_schema, :vector_schema, pg_catalog;
	CREATE TABLE v AS SELECT id, e::real[]::vector AS v FROM e;
	SELECT embedding_dims(e) AS dims FROM e LIMIT 1 \gset
	ALTER TABLE v ALTER v TYPE vector(:dims);
	CREATE FUNCTION nearest(q vector) RETURNS SETOF int LANGUAGE plpgsql AS $$
	BEGIN RETURN QUERY SELECT id FROM v ORDER BY v <=> q LIMIT 10; END $$;
	CREATE TABLE found (q int, id int);
	SELECT cost_us('CREATE INDEX ON v USING hnsw (v vector_cosine_ops)') / 1e6 AS build \gset
	CREATE PROCEDURE search(ef int) LANGUAGE plpgsql AS $$
	DECLARE
		cost float8;
	BEGIN
		PERFORM set_config('hnsw.ef_search', ef::text, false);
		TRUNCATE found;
		PERFORM cost_us('SELECT count(*) FROM queries AS q, nearest(q.e::real[]::vector) AS n');
		cost := cost_us('INSERT INTO found SELECT q.id, n FROM queries AS q, nearest(q.e::real[]::vector) AS n');
		INSERT INTO report SELECT 'HNSW, ef_search ' || ef, round(count(*) / (SELECT count(*) FROM truth)::numeric, 3), round((cost / 50000)::numeric, 2) FROM truth JOIN found USING (q, id);
	END $$;
	CALL search(40); CALL search(100); CALL search(200); CALL search(400);
	SELECT round(:build, 1) AS "HNSW build, s", pg_size_pretty(pg_indexes_size('v')) AS size;
\endif
SELECT * FROM report;

DROP SCHEMA :schema CASCADE;
