-- Parallel scans of the access method sketch: the processes together return each row once, in order if an order is asked for.
\set SHOW_CONTEXT never
CREATE SCHEMA parallel_test;
SET search_path = parallel_test, public, txtfp;
SET jit = off;
CREATE TABLE docs (id int, part int, m128 minhash128, s simhash64) WITH (autovacuum_enabled = off);
INSERT INTO docs SELECT n, n % 3, CASE WHEN n % 50 <> 49 THEN to_minhash128(ARRAY(SELECT (CASE WHEN i <= n % 8 * 4 THEN n * 100 + 7 ELSE n / 8 * 100000 END + i)::text FROM generate_series(1, 60) AS i)) END, (n / 8 * 1234567891::bigint # n % 8)::simhash64
FROM generate_series(1, 16000) AS n;
CREATE INDEX docs_m128 ON docs USING sketch (m128);
CREATE INDEX docs_s ON docs USING sketch (part, s);
INSERT INTO docs SELECT 20000 + id, part, m128, s FROM docs WHERE id % 13 = 0;
ANALYZE docs;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_sort = off;
CREATE FUNCTION answer(query text, is_parallel boolean) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	plan text := '';
	result text;
BEGIN
	PERFORM set_config('max_parallel_workers_per_gather', CASE WHEN is_parallel THEN '2' ELSE '0' END, true), set_config('parallel_setup_cost', '0', true), set_config('parallel_tuple_cost', '0', true),
		set_config('min_parallel_table_scan_size', '0', true), set_config('min_parallel_index_scan_size', '0', true);
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		plan := plan || line;
	END LOOP;
	IF is_parallel <> (plan ~ 'Parallel Index Scan using docs_') THEN
		RAISE EXCEPTION 'plan: %', regexp_replace(plan, '[0-9a-f]{40,}', '…', 'g');
	END IF;
	EXECUTE query INTO result;
	RETURN result;
END $$;
SET txtfp.jaccard_threshold = 0.1; -- which the planner takes for a threshold that it does not know
CREATE TABLE queries (n int, query text);
INSERT INTO queries SELECT n, format(query, m128, s) FROM docs, (VALUES
	(1, 'SELECT count(*) || '' '' || sum(id) FROM docs WHERE minhash_similar(m128, %1$L, 0.05)'), -- all groups
	(2, 'SELECT count(*) || '' '' || sum(id) FROM docs WHERE minhash_similar(m128, %1$L, (SELECT 0.9::float8))'), -- by bands, which the planner does not expect: one process
	(3, 'SELECT count(*) || '' '' || sum(id) FROM docs WHERE m128 IS NULL'),
	(4, 'SELECT count(*) || '' '' || sum(id) FROM docs WHERE m128 IS NOT NULL'),
	(5, 'SELECT count(*) || '' '' || sum(id) FROM docs WHERE simhash_similar(s, %2$L, 20)'),
	(6, 'SELECT count(*) || '' '' || sum(id) FROM docs WHERE part = 1 AND simhash_similar(s, %2$L, 20)'),
	(7, 'SELECT count(*) || '' '' || string_agg(d::text, '','') FROM (SELECT m128 <%%> %1$L AS d FROM docs ORDER BY m128 <%%> %1$L LIMIT 40) AS x'),
	(8, 'SELECT count(*) || '' '' || count(DISTINCT id) || '' '' || md5(string_agg(d::text, '','')) FROM (SELECT id, m128 <%%> %1$L AS d FROM docs WHERE minhash_similar(m128, %1$L, 0) ORDER BY m128 <%%> %1$L) AS x'),
	(9, 'SELECT count(*) || '' '' || string_agg(d::text, '','') FROM (SELECT s <#> %2$L AS d FROM docs WHERE part = 2 ORDER BY s <#> %2$L LIMIT 100) AS x')) AS q (n, query) WHERE id IN (17, 15000);
SELECT n, bool_and(answer(query, true) = answer(query, false)) AS same, max(split_part(answer(query, true), ' ', 1)::int) > 0 AS found FROM queries GROUP BY n ORDER BY n;
-- what the directory finds is few, and no parallel plan is made for it
SELECT answer(query, false) FROM (SELECT replace(query, '(SELECT 0.9::float8)', '0.9') AS query FROM queries WHERE n = 2 ORDER BY query LIMIT 1) AS q;
-- a scan that is started again and again
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET min_parallel_index_scan_size = 0;
SET enable_material = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT count(*), count(DISTINCT t.n) FROM generate_series(1, 4) AS t (n) LEFT JOIN (SELECT id FROM docs WHERE simhash_similar(s, '0000000000000000', 24) OFFSET 0) AS d ON d.id % 4 = t.n - 1;
SELECT count(*) FROM docs WHERE simhash_similar(s, '0000000000000000', 24);
-- the share of the cost that is saved: with p processes 1 - 1/p; the leader is one the less, the more workers there are
ALTER TABLE docs SET (parallel_workers = 4);
CREATE FUNCTION cost(workers int, leader boolean) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	PERFORM set_config('max_parallel_workers_per_gather', workers::text, true), set_config('parallel_leader_participation', leader::text, true);
	EXECUTE 'EXPLAIN (FORMAT JSON) SELECT id FROM docs WHERE simhash_similar(s, ''0000000000000000'', 24)' INTO plan;
	plan := plan -> 0 -> 'Plan';
	RETURN (CASE WHEN workers > 0 THEN plan -> 'Plans' -> 0 ELSE plan END) ->> 'Total Cost';
END $$;
SELECT workers, leader, round((cost(0, true) - cost(workers, leader)) / (cost(0, true) - cost(4, false)) * 0.75, 2) AS saved FROM generate_series(1, 4) AS workers, unnest('{true,false}'::boolean[]) AS leader WHERE leader OR workers > 1 ORDER BY leader, workers;
DROP FUNCTION cost;
ALTER TABLE docs RESET (parallel_workers);
-- Workers do not know a value of the query outside: an ordering by one is not divided among them.
CREATE FUNCTION plan_and_answer(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	plan text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		plan := plan || line;
	END LOOP;
	RETURN NEXT substring(plan FROM '((?:Parallel )?Index Scan using docs_m128) on docs[ \w]* Order By: ');
	RETURN QUERY EXECUTE query;
END $$;
SELECT plan_and_answer(query) FROM (VALUES
	('SELECT q.id || '': '' || (SELECT string_agg(round(d::numeric, 2)::text, '' '') FROM (SELECT m128 <%> q.m128 AS d FROM docs ORDER BY m128 <%> q.m128 LIMIT 4) AS x) FROM (SELECT id, m128 FROM docs WHERE id IN (17, 15000)) AS q ORDER BY id'),
	('SELECT q.id || '': '' || string_agg(round(d::numeric, 2)::text, '' '') FROM (SELECT id, m128 FROM docs WHERE id IN (17, 15000)) AS q, LATERAL (SELECT m128 <%> q.m128 AS d FROM docs WHERE id > 0 ORDER BY m128 <%> q.m128 LIMIT 4) AS x GROUP BY id ORDER BY id'),
	('SELECT string_agg(round(d::numeric, 2)::text, '' '') FROM (SELECT m128 <%> (SELECT m128 FROM docs WHERE id = 17) AS d FROM docs ORDER BY d LIMIT 4) AS x')) AS q (query);
SET client_min_messages = warning;
DROP SCHEMA parallel_test CASCADE;
