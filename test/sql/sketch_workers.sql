-- Searches by the access method sketch in parallel plans. Workers do not know what an index orders by if that is a value of an outer query.
CREATE TABLE tree (id int, fp minhash128_compact);
CREATE TABLE tree_1 () INHERITS (tree);
CREATE TABLE tree_2 () INHERITS (tree);
INSERT INTO tree_1 SELECT n, to_minhash128_compact(ARRAY['a' || n, 'b' || n / 3, 'c' || n / 6, 'd' || n / 6]) FROM generate_series(1, 12000) AS n;
INSERT INTO tree_2 SELECT n, to_minhash128_compact(ARRAY['a' || n, 'b' || n / 3, 'c' || n / 6, 'd' || n / 6]) FROM generate_series(12001, 24000) AS n;
CREATE INDEX ON tree_2 USING sketch (fp);
ANALYZE tree, tree_1, tree_2;
CREATE TABLE probes WITH (parallel_workers = 0) AS SELECT * FROM tree_2 WHERE id IN (18000, 18001);
SELECT fp AS q FROM tree WHERE id = 18000 \gset
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET min_parallel_index_scan_size = 0;
SET parallel_leader_participation = off;
SET enable_bitmapscan = off;
CREATE FUNCTION plan_of(query text, OUT gathers bool, OUT in_order bool) LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	gathers := plan::text ~ '"Gather';
	in_order := plan::text ~ '"Order By"';
END $$;
-- a search without an ordering is part of a parallel plan; one in the order of the distance to a row of an outer query is none of a worker
SELECT * FROM plan_of(format('SELECT id FROM tree WHERE minhash_similar(fp, %L, 0.5)', :'q'));
SELECT count(*) FROM tree WHERE minhash_similar(fp, :'q', 0.3);
\set nearest 'SELECT p.id, n.id AS nearest, n.d FROM probes AS p, LATERAL (SELECT t.id, round((t.fp <%> p.fp)::numeric, 2) AS d FROM tree AS t WHERE minhash_similar(t.fp, ' :'q' ', 0.3) ORDER BY t.fp <%> p.fp LIMIT 1) AS n ORDER BY 1'
SELECT * FROM plan_of(:'nearest');
:nearest;
DROP TABLE probes, tree, tree_1, tree_2;
DROP FUNCTION plan_of;
