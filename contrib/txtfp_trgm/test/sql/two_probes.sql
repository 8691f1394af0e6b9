-- A condition on one string, in the order of another: each row once, as by a scan of the table
\set SHOW_CONTEXT never
SET jit = off;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE names (id int, s text);
INSERT INTO names SELECT i, (ARRAY['miller', 'millner', 'mueller', 'smith', 'smythe', 'schmidt', 'schmitt'])[1 + i % 7] || ' ' || (ARRAY['anna', 'anne', 'hanna', 'johanna', 'joanne'])[1 + i / 7 % 5] || ' ' || i % 41
FROM generate_series(1, 4000) AS i;
CREATE INDEX names_s ON names USING sketch (s sketch_trgm_ops);
ANALYZE names;
CREATE FUNCTION found(by_index boolean, one text, two text, likeness real, most int) RETURNS TABLE (n bigint, ids bigint, distances text) LANGUAGE plpgsql AS $$
DECLARE
	query text := format('SELECT id, s <-> %1$L AS d FROM names WHERE s %% %2$L ORDER BY s <-> %1$L LIMIT %3$s', two, one, most);
	line text;
	plan text := '';
BEGIN
	PERFORM set_config('enable_seqscan', (NOT by_index)::text, true), set_config('enable_sort', (NOT by_index)::text, true), set_config('enable_indexscan', by_index::text, true),
		set_config('enable_bitmapscan', 'off', true), set_config('pg_trgm.similarity_threshold', likeness::text, true);
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		plan := plan || line;
	END LOOP;
	IF by_index <> (plan ~ 'names_s') THEN
		RAISE EXCEPTION 'plan: %', plan;
	END IF;
	RETURN QUERY EXECUTE format('SELECT count(*), count(DISTINCT id), string_agg(round(d::numeric, 5)::text, '','' ORDER BY d) FROM (%s) AS x', query);
END $$;
SELECT one, two, likeness, most, i.n > 0 AS some, i.n = i.ids AS once, i IS NOT DISTINCT FROM t AS same
FROM (VALUES ('miller anna 7', 'schmidt hanna 9', 0.3, 5), ('miller anna 7', 'schmidt hanna 9', 0.3, 4000), ('smith anne 1', 'smythe joanne 1', 0.5, 100), ('mueller', 'miller', 0.4, 50),
	('schmitt johanna 40', 'schmitt johanna 40', 0.9, 10), ('smith anne 1', 'nothing like it', 0.6, 4000)) AS v (one, two, likeness, most),
	LATERAL found(true, one, two, likeness::real, most) AS i, LATERAL found(false, one, two, likeness::real, most) AS t;
-- Two conditions: of the rows that cannot meet the second one, the index returns few.
CREATE FUNCTION met(condition text, OUT rows bigint, OUT removed bigint) LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	removed := 0;
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT FROM names WHERE ' || condition LOOP
		rows := coalesce(rows, substring(line FROM 'Scan using names_s .* rows=(\d+)')::bigint);
		removed := coalesce(substring(line FROM 'Rows Removed by Index Recheck: (\d+)')::bigint, removed);
	END LOOP;
END $$;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT one.rows AS one, two.rows AS two, both_met.rows, both_met.rows = (SELECT count(*) FROM names WHERE id % 1 = 0 AND similarity(s, 'miller anna 7') >= 0.3 AND similarity(s, 'schmidt hanna 9') >= 0.3) AS same,
	both_met.removed * 10 < least(one.rows, two.rows) - both_met.rows AS few
FROM met($$s % 'miller anna 7'$$) AS one, met($$s % 'schmidt hanna 9'$$) AS two, met($$s % 'miller anna 7' AND s % 'schmidt hanna 9'$$) AS both_met;
DROP TABLE names;
DROP FUNCTION found, met;
