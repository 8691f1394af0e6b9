-- The tables and figures of bench/filters.sh. Variables: rows, cpu.

SET client_min_messages = warning;
DROP SCHEMA IF EXISTS txtfp_bench CASCADE;
CREATE SCHEMA txtfp_bench;
SET search_path = txtfp_bench, public;
SET jit = off;
SET max_parallel_workers_per_gather = 0;
-- families of eight texts; columns that have one of 2, 10, … values, independent of the family and of the place in the table
CREATE TABLE docs AS
SELECT n AS id, (h >> 8) % 100 AS tenant, h % 2 AS of_2, (h >> 4) % 10 AS of_10, h / 7 % 100 AS of_100, h / 11 % 1000 AS of_1000, h / 13 % 10000 AS of_10000,
	to_minhash128(array(SELECT (CASE WHEN i <= n % 8 * 2 THEN n * 100 + 7 ELSE n / 8 * 100000 END + i)::text FROM generate_series(1, 24) AS i)) AS fp
FROM generate_series(1::bigint, :rows) AS n, LATERAL (SELECT hashint8(n + 99) & 2147483647 AS h OFFSET 0) AS x;
CREATE INDEX docs_fp ON docs USING sketch (fp);
CREATE INDEX docs_tenant ON docs USING sketch (tenant, fp);
CREATE INDEX ON docs (of_2);
CREATE INDEX ON docs (of_10);
CREATE INDEX ON docs (of_100);
CREATE INDEX ON docs (of_1000);
CREATE INDEX ON docs (of_10000);
VACUUM ANALYZE docs;

-- milliseconds of this session so far
CREATE FUNCTION clock(cpu boolean) RETURNS float8 LANGUAGE plpgsql VOLATILE AS $$
BEGIN
	IF NOT cpu THEN
		RETURN extract(epoch FROM clock_timestamp()) * 1000;
	END IF;
	RETURN (SELECT (a[14]::float8 + a[15]::float8) * 10 FROM (SELECT string_to_array(pg_read_file('/proc/' || pg_backend_pid() || '/stat'), ' ') AS a) AS x);
END $$;
-- Runs a query by any plan, by an index scan, or by a sort. Statistics of the processor's time come in steps of 10 ms, so short queries are repeated.
CREATE FUNCTION run(query text, plans text, cpu boolean, OUT cost float8, OUT ms float8, OUT node text) LANGUAGE plpgsql AS $$
DECLARE
	plan json;
	started float8;
	n int := 0;
BEGIN
	PERFORM set_config('enable_indexscan', (plans <> 'sort')::text, true), set_config('enable_bitmapscan', (plans <> 'index')::text, true), set_config('enable_sort', (plans <> 'index')::text, true),
		set_config('enable_seqscan', (plans = 'any')::text, true);
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	cost := plan -> 0 -> 'Plan' ->> 'Total Cost';
	node := coalesce(substring(plan::text FROM '"Index Name": "docs_([a-z0-9_]+)"'), 'table') || CASE WHEN plan::text ~ '"Sort"' THEN ', sort' ELSE '' END;
	EXECUTE query;
	EXECUTE query;
	started := clock(cpu);
	WHILE n < 3 OR (clock(cpu) - started < 100 AND n < 300) LOOP
		EXECUTE query;
		n := n + 1;
	END LOOP;
	ms := (clock(cpu) - started) / n;
END $$;
SELECT fp AS probe FROM docs WHERE id = :rows / 3 \gset
CREATE TABLE result AS
SELECT tenant, column_name, k, a.cost, a.ms, a.node, i.cost AS index_cost, i.ms AS index_ms, s.cost AS sort_cost, s.ms AS sort_ms, s.node AS sort_node,
	CASE a.node WHEN i.node THEN least(a.ms, i.ms) WHEN s.node THEN least(a.ms, s.ms) ELSE a.ms END / least(a.ms, i.ms, s.ms) AS ratio
FROM (VALUES ('', 1), ('tenant = 7 AND ', 2)) AS t (tenant, t), (VALUES ('of_2', 1), ('of_10', 2), ('of_100', 3), ('of_1000', 4), ('of_10000', 5)) AS c (column_name, c), (VALUES (1), (10), (100)) AS k (k),
	LATERAL (SELECT format('SELECT id FROM docs WHERE %s%I = 1 ORDER BY fp <%%> %L LIMIT %s', tenant, column_name, :'probe', k) AS query OFFSET 0) AS x,
	LATERAL run(query, 'any', :'cpu') AS a, LATERAL run(query, 'index', :'cpu') AS i, LATERAL run(query, 'sort', :'cpu') AS s
ORDER BY t, c, k;
SELECT tenant || column_name AS condition, k, node AS chosen, round(ms::numeric, 2) AS ms, round(cost) AS cost, round(index_ms::numeric, 2) AS by_sketch_ms, round(index_cost) AS cost, round(sort_ms::numeric, 2) AS by_sort_ms,
	round(sort_cost) AS cost, round(ratio::numeric, 2) AS "chosen / best" FROM result;
SELECT count(*) AS cases, count(*) FILTER (WHERE ratio <= 2) AS within_2, round(max(ratio)::numeric, 2) AS worst FROM result;
