-- The nearest rows, in each form in which they are asked for: by the index, and the same rows as without it
\set SHOW_CONTEXT never
SET jit = off;
-- six rows of a kind, each with four words more of its own than the one before, so that no two are as near to a third
CREATE TABLE docs AS SELECT i AS id, (SELECT string_agg(left(md5(CASE WHEN k <= 25 THEN i / 6 ELSE i END || ' ' || k), 5), ' ' ORDER BY k) FROM generate_series(1, 25 + 4 * (i % 6)) AS k) AS body FROM generate_series(6, 20005) AS i;
ALTER TABLE docs ADD fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED;
CREATE INDEX docs_fp ON docs USING sketch (fp);
CREATE VIEW texts AS SELECT id, body, fp FROM docs;
VACUUM ANALYZE docs;
CREATE FUNCTION nearest(probe text) RETURNS SETOF int LANGUAGE plpgsql STABLE AS $$
DECLARE
	q minhash128 := to_minhash128(probe);
BEGIN
	RETURN QUERY SELECT id FROM docs ORDER BY fp <%> q LIMIT 5;
END $$;
-- Is each search by the index? The rows of a query are (probe, row).
CREATE FUNCTION form(query text, OUT by_index boolean, OUT computes int, OUT same boolean) LANGUAGE plpgsql AS $$
DECLARE
	line text;
	rows text[];
BEGIN
	by_index := false;
	computes := 0;
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF, VERBOSE) ' || query LOOP
		by_index := by_index OR line ~ 'Order By: \(.*fp (OPERATOR\(.*\)|<%>) ';
		computes := computes + (line ~ 'Function Call: to_minhash128')::int;
	END LOOP;
	EXECUTE format('SELECT array_agg(q::text ORDER BY q::text) FROM (%s) AS q', query) INTO rows;
	SET LOCAL enable_indexscan = off;
	EXECUTE format('SELECT array_agg(q::text ORDER BY q::text) = %L FROM (%s) AS q', rows, query) INTO same;
	SET LOCAL enable_indexscan = on;
END $$;
CREATE FUNCTION dear(text) RETURNS minhash128 LANGUAGE plpgsql IMMUTABLE COST 100000 AS $$BEGIN RETURN to_minhash128($1); END$$;
SET plan_cache_mode = force_generic_plan;
SELECT body FROM docs WHERE id = 7001 \gset
SELECT name, f.* FROM (VALUES
	('literal', $$SELECT 0 AS probe, id FROM docs ORDER BY fp <%> to_minhash128(PROBE) LIMIT 5$$),
	('literal in FROM', $$SELECT 0 AS probe, id FROM docs, to_minhash128(PROBE) AS q ORDER BY fp <%> q LIMIT 5$$),
	('scalar subquery', $$SELECT 0 AS probe, id FROM docs ORDER BY fp <%> (SELECT fp FROM docs WHERE id = 7000) LIMIT 5$$),
	('CTE', $$WITH q AS (SELECT to_minhash128(body) AS fp FROM docs WHERE id = 7000) SELECT 0 AS probe, id FROM docs ORDER BY fp <%> (SELECT fp FROM q) LIMIT 5$$),
	('LATERAL', $$SELECT b.id AS probe, n.id FROM (SELECT * FROM docs WHERE id < 10) AS b, LATERAL (SELECT d.id FROM docs AS d ORDER BY d.fp <%> to_minhash128(b.body) LIMIT 5) AS n$$),
	('LATERAL, stored', $$SELECT b.id AS probe, n.id FROM (SELECT * FROM docs WHERE id < 10) AS b, LATERAL (SELECT d.id FROM docs AS d ORDER BY d.fp <%> b.fp LIMIT 5) AS n$$),
	('LATERAL, in FROM', $$SELECT b.id AS probe, n.id FROM (SELECT * FROM docs WHERE id < 10) AS b, LATERAL (SELECT d.id FROM docs AS d, to_minhash128(b.body) AS q ORDER BY d.fp <%> q LIMIT 5) AS n$$),
	('LATERAL, CROSS JOIN', $$SELECT b.id AS probe, n.id FROM (SELECT * FROM docs WHERE id < 10) AS b, LATERAL (SELECT d.id, jaccard(d.fp, q) FROM to_minhash128(b.body) AS q CROSS JOIN docs AS d ORDER BY q <%> d.fp LIMIT 5) AS n$$),
	('LATERAL, distance', $$SELECT b.id AS probe, n.id, n.distance FROM (SELECT * FROM docs WHERE id < 10) AS b, LATERAL (SELECT d.id, d.fp <%> q AS distance FROM docs AS d, to_minhash128(b.body) AS q ORDER BY distance LIMIT 5) AS n$$),
	('LATERAL, view', $$SELECT b.id AS probe, n.id FROM (SELECT * FROM docs WHERE id < 10) AS b, LATERAL (SELECT d.id FROM texts AS d, to_minhash128(b.body) AS q ORDER BY d.fp <%> q LIMIT 5) AS n$$),
	('array of probes', $$SELECT p AS probe, n.id FROM unnest(ARRAY[PROBE]) AS p, LATERAL (SELECT d.id FROM docs AS d, to_minhash128(p) AS q ORDER BY d.fp <%> q LIMIT 5) AS n$$),
	('ties', $$SELECT 0 AS probe, id FROM docs, to_minhash128(PROBE) AS q ORDER BY fp <%> q FETCH FIRST 5 ROWS WITH TIES$$),
	('offset', $$SELECT 0 AS probe, id FROM docs, to_minhash128(PROBE) AS q ORDER BY fp <%> q OFFSET 2 LIMIT 3$$),
	('the next page', $$SELECT 0 AS probe, id FROM docs WHERE fp <%> to_minhash128(PROBE) > 0.1 ORDER BY fp <%> to_minhash128(PROBE) LIMIT 3$$),
	('column number', $$SELECT 0 AS probe, id, fp <%> to_minhash128(PROBE) FROM docs ORDER BY 3 LIMIT 5$$),
	('row number', $$SELECT row_number() OVER (ORDER BY fp <%> to_minhash128(PROBE)) AS probe, id FROM docs LIMIT 5$$),
	('equal in a second order', $$SELECT 0 AS probe, id FROM (SELECT id, fp <%> to_minhash128(PROBE) AS d FROM docs ORDER BY d FETCH FIRST 5 ROWS WITH TIES) AS n ORDER BY d, id LIMIT 5$$),
	('VALUES', $$SELECT 0 AS probe, id FROM docs, (VALUES (to_minhash128(PROBE))) AS v (q) ORDER BY fp <%> q LIMIT 5$$),
	('UNION ALL', $$SELECT 0 AS probe, id FROM (SELECT id, fp FROM docs WHERE id < 9000 UNION ALL SELECT id, fp FROM texts) AS u ORDER BY fp <%> to_minhash128(PROBE) LIMIT 10$$),
	('correlated', $$SELECT b.id AS probe, (SELECT d.id FROM docs AS d WHERE d.id <> b.id ORDER BY d.fp <%> b.fp LIMIT 1) AS id FROM docs AS b WHERE b.id < 12$$),
	('array', $$SELECT b.id AS probe, ARRAY(SELECT d.id FROM docs AS d ORDER BY d.fp <%> b.fp LIMIT 3) AS id FROM docs AS b WHERE b.id < 10$$),
	('LEFT JOIN LATERAL', $$SELECT b.id AS probe, n.id FROM (SELECT * FROM docs WHERE id < 10) AS b LEFT JOIN LATERAL (SELECT d.id FROM docs AS d, to_minhash128(b.body) AS q ORDER BY d.fp <%> q LIMIT 5) AS n ON true$$),
	-- and those that cannot be ordered by the index
	('outer join', $$SELECT b.id AS probe, n.id FROM (SELECT * FROM docs WHERE id < 8) AS b, LATERAL (SELECT d.id FROM docs AS d LEFT JOIN to_minhash128(b.body) AS q ON true ORDER BY d.fp <%> q LIMIT 5) AS n$$),
	('dear', $$SELECT b.id AS probe, n.id FROM (SELECT * FROM docs WHERE id < 8) AS b, LATERAL (SELECT d.id FROM docs AS d, dear(b.body) AS q ORDER BY d.fp <%> q LIMIT 5) AS n$$),
	('of the same level', $$SELECT b.id AS probe, d.id FROM docs AS b, docs AS d, to_minhash128(b.body) AS q WHERE b.id = 9 ORDER BY d.fp <%> q LIMIT 5$$),
	('condition', $$SELECT b.id AS probe, n.id FROM (SELECT * FROM docs WHERE id < 10) AS b, LATERAL (SELECT d.id FROM docs AS d, to_minhash128(b.body) AS q WHERE minhash_similar(d.fp, q, 0.5) ORDER BY d.fp <%> q LIMIT 5) AS n$$)
) AS v (name, query), form(replace(query, 'PROBE', quote_literal(:'body'))) AS f;
-- generic plans of prepared statements, and PL/pgSQL
PREPARE in_from(text) AS SELECT id FROM docs, to_minhash128($1) AS q ORDER BY fp <%> q LIMIT 5;
PREPARE in_order(text) AS SELECT id FROM docs ORDER BY fp <%> to_minhash128($1) LIMIT 5;
PREPARE of_value(minhash128) AS SELECT id FROM docs ORDER BY fp <%> $1 LIMIT 5;
EXPLAIN (COSTS OFF) EXECUTE in_from('some text');
EXPLAIN (COSTS OFF) EXECUTE in_order('some text');
EXPLAIN (COSTS OFF) EXECUTE of_value(NULL);
EXECUTE in_from(:'body');
EXECUTE in_order(:'body');
SELECT nearest(:'body');
EXECUTE in_from(NULL);
-- partitions, and rows that a policy hides
CREATE TABLE parts (id int, body text, fp minhash128) PARTITION BY RANGE (id);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (3000);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (3000) TO (30000);
INSERT INTO parts SELECT id, body, fp FROM docs WHERE id < 8000;
CREATE INDEX parts_fp ON parts USING sketch (fp);
ANALYZE parts;
CREATE TABLE guarded AS SELECT id, body, fp FROM docs WHERE id < 8000;
CREATE INDEX guarded_fp ON guarded USING sketch (fp);
ANALYZE guarded;
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY even ON guarded USING (id % 2 = 0);
CREATE ROLE search_forms_reader;
GRANT SELECT ON guarded, parts, docs TO search_forms_reader;
SET ROLE search_forms_reader;
SELECT name, f.* FROM (VALUES
	('partitions', $$SELECT 0 AS probe, id FROM parts ORDER BY fp <%> to_minhash128(PROBE) LIMIT 5$$),
	('partitions, LATERAL', $$SELECT b.id AS probe, n.id FROM (SELECT * FROM docs WHERE id < 10) AS b, LATERAL (SELECT d.id FROM parts AS d ORDER BY d.fp <%> to_minhash128(b.body) LIMIT 5) AS n$$),
	('policy', $$SELECT 0 AS probe, id FROM guarded ORDER BY fp <%> to_minhash128(PROBE) LIMIT 3$$),
	('policy, in FROM', $$SELECT 0 AS probe, id FROM guarded, to_minhash128(PROBE) AS q ORDER BY fp <%> q LIMIT 3$$),
	('policy, LATERAL, in FROM', $$SELECT b.id AS probe, n.id FROM (SELECT * FROM docs WHERE id < 10) AS b, LATERAL (SELECT d.id FROM guarded AS d, to_minhash128(b.body) AS q ORDER BY d.fp <%> q LIMIT 3) AS n$$)
) AS v (name, query), form(replace(query, 'PROBE', quote_literal(:'body'))) AS f;
SELECT bool_and(id % 2 = 0) AS even FROM (SELECT id FROM guarded ORDER BY fp <%> to_minhash128(:'body') LIMIT 3) AS x;
RESET ROLE;
DROP TABLE parts, guarded;
DROP OWNED BY search_forms_reader;
DROP ROLE search_forms_reader;
DROP TABLE docs CASCADE;
