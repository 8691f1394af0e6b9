-- minhash_union, minhash_union_agg, minhash_cardinality, minhash_intersection_estimate, minhash_containment
\set SHOW_CONTEXT never
SET jit = off;

-- The sketch of a union, for sets that overlap, are equal, are disjoint
CREATE FUNCTION numbers(first int, last int) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT string_agg(i::text, ' ') FROM generate_series(first, last) AS i $$;
SELECT a, b, minhash_union(to_minhash64(numbers(1, a), 'word-uax29'), to_minhash64(numbers(b, 300), 'word-uax29')) = to_minhash64(numbers(1, 300), 'word-uax29') AS minhash64,
	minhash_union(to_minhash128(numbers(1, a), 'word-uax29'), to_minhash128(numbers(b, 300), 'word-uax29')) = to_minhash128(numbers(1, 300), 'word-uax29') AS minhash128,
	minhash_union(to_minhash256(numbers(1, a), 'word-uax29'), to_minhash256(numbers(b, 300), 'word-uax29')) = to_minhash256(numbers(1, 300), 'word-uax29') AS minhash256
FROM (VALUES (200, 100), (150, 151), (300, 1), (300, 299)) AS t(a, b);
SELECT minhash_union(NULL, to_minhash64('a')), minhash_union(to_minhash128('a'), NULL), minhash_union_agg(NULL::minhash256), minhash_cardinality(NULL::minhash64);

-- The union of a known and an unknown configuration has the known one, so the order of a union never matters
SELECT left(minhash_union(a, b)::text, 17) AS "a, b", left(minhash_union(b, a)::text, 17) AS "b, a", left(minhash_union(b, b)::text, 17) AS "b, b"
FROM (VALUES (to_minhash128('a'), to_minhash128('b')::bytea::minhash128)) AS t(a, b);
SELECT minhash_union(to_minhash128('a'), to_minhash128('a', 'word-uax29'));
SELECT minhash_union_agg(to_minhash64('a', seed => i)) FROM generate_series(1, 2) AS i;
SELECT minhash_union_agg(fp) FROM (VALUES (to_minhash64('a')), (to_minhash64('b')::bytea::minhash64), (to_minhash64('b', seed => 1))) AS t(fp);
\set VERBOSITY terse
SELECT minhash_union(to_minhash64('a'), to_minhash128('a'));
\set VERBOSITY default

-- The aggregate
CREATE TABLE parts (id int, g int, doc text, small minhash64, fp minhash128, large minhash256);
INSERT INTO parts SELECT i, i % 7, doc, to_minhash64(doc, 'word-uax29'), to_minhash128(doc, 'word-uax29'), to_minhash256(doc, 'word-uax29') FROM generate_series(1, 700) AS i, LATERAL numbers(i, i + i % 50) AS doc;
INSERT INTO parts VALUES (701, 3), (702, 100);
SELECT minhash_union_agg(small) = to_minhash64(string_agg(doc, ' '), 'word-uax29') AS minhash64, minhash_union_agg(fp) = to_minhash128(string_agg(doc, ' '), 'word-uax29') AS minhash128, minhash_union_agg(large) = to_minhash256(string_agg(doc, ' '), 'word-uax29') AS minhash256 FROM parts;
SELECT g, minhash_union_agg(fp) = to_minhash128(string_agg(doc, ' '), 'word-uax29') AS same FROM parts GROUP BY g ORDER BY g;
SELECT minhash_union_agg(fp) FROM parts WHERE id > 700;
SELECT minhash_union_agg(fp) FROM parts WHERE false;
SELECT minhash_union_agg(fp) = fp AS alone FROM parts WHERE id = 5 GROUP BY fp;
SELECT minhash_union_agg(DISTINCT fp ORDER BY fp) FILTER (WHERE g < 3) = to_minhash128(string_agg(doc, ' ') FILTER (WHERE g < 3), 'word-uax29') AS same FROM parts;
-- a state that is stored in the table, out of line, is not changed there
CREATE TABLE wide (id int, large minhash256);
ALTER TABLE wide ALTER large SET STORAGE external;
INSERT INTO wide SELECT id, large FROM parts WHERE id <= 20;
SELECT minhash_union_agg(large) = (SELECT minhash_union_agg(large) FROM parts WHERE id <= 20) AS same FROM wide;
SELECT count(*) AS unchanged FROM wide JOIN parts USING (id, large);
-- windows: growing, moving, whole
SELECT count(*) AS rows, count(*) FILTER (WHERE growing = (SELECT minhash_union_agg(p.fp) FROM parts AS p WHERE p.id <= w.id)) AS growing,
	count(*) FILTER (WHERE moving = (SELECT minhash_union_agg(p.fp) FROM parts AS p WHERE p.id BETWEEN w.id - 2 AND w.id + 1)) AS moving,
	count(*) FILTER (WHERE total = (SELECT minhash_union_agg(p.fp) FROM parts AS p WHERE p.id <= 40)) AS total
FROM (SELECT id, minhash_union_agg(fp) OVER (ORDER BY id) AS growing, minhash_union_agg(fp) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) AS moving, minhash_union_agg(fp) OVER () AS total FROM parts WHERE id <= 40) AS w WHERE id < 40;
-- parallel
INSERT INTO parts SELECT id + 1000 * n, g, doc, small, fp, large FROM parts, generate_series(1, 5) AS n WHERE id <= 700;
ANALYZE parts;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
SELECT minhash_union_agg(fp)::text AS parallel FROM parts \gset
SELECT string_agg(left(minhash_union_agg::text, 25), ' ') AS parallel_groups FROM (SELECT minhash_union_agg(fp) FROM parts GROUP BY g ORDER BY g) AS t \gset
CREATE FUNCTION plan_nodes(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		RETURN QUERY SELECT substring(line, '(?:Partial|Finalize|Parallel|Gather).*') WHERE line ~ 'Partial|Finalize|Parallel|Gather';
	END LOOP;
END $$;
SELECT * FROM plan_nodes('SELECT minhash_union_agg(fp) FROM parts') AS node;
SET max_parallel_workers_per_gather = 0;
SELECT minhash_union_agg(fp)::text = :'parallel' AS same FROM parts;
SELECT string_agg(left(minhash_union_agg::text, 25), ' ') = :'parallel_groups' AS same FROM (SELECT minhash_union_agg(fp) FROM parts GROUP BY g ORDER BY g) AS t;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;
SELECT oid::regprocedure AS aggregate, aggtranstype::regtype AS state, aggcombinefn::oid::regprocedure AS combine FROM pg_aggregate JOIN pg_proc ON pg_proc.oid = aggfnoid WHERE proname = 'minhash_union_agg' ORDER BY oid::regprocedure::text COLLATE "C";

-- Sizes: the standard error is 12.7, 8.9, 6.3 percent of the size
SELECT n, round(minhash_cardinality(to_minhash64(doc, 'word-uax29'))) AS minhash64, round(minhash_cardinality(to_minhash128(doc, 'word-uax29'))) AS minhash128, round(minhash_cardinality(to_minhash256(doc, 'word-uax29'))) AS minhash256
FROM (VALUES (1), (2), (10), (100), (1000), (10000)) AS t(n), LATERAL numbers(1, n) AS doc;
SELECT a, b, common, round(minhash_intersection_estimate(x, y)) AS estimate, round(minhash_intersection_estimate(x, y, a, b)) AS of_sizes,
	round(common::numeric / a, 2) AS containment, round(minhash_containment(x, y)::numeric, 2) AS estimate, round(minhash_containment(x, y, a, b)::numeric, 2) AS of_sizes, round(minhash_containment(y, x)::numeric, 2) AS reverse
FROM (VALUES (100, 100, 90), (100, 100, 50), (100, 100, 0), (100, 100, 100), (300, 1000, 300), (100, 1000, 100), (1000, 3000, 500)) AS t(a, b, common),
	LATERAL to_minhash256(numbers(1, a), 'word-uax29') AS x, LATERAL to_minhash256(numbers(a - common + 1, a - common + b), 'word-uax29') AS y;
SELECT minhash_containment(fp, fp) AS itself, minhash_intersection_estimate(fp, fp) = minhash_cardinality(fp) AS size FROM to_minhash64(numbers(1, 50), 'word-uax29') AS fp;
SELECT minhash_containment(to_minhash64('a'), to_minhash64('b'), NULL, 1), minhash_intersection_estimate(NULL, to_minhash64('b'));
SELECT minhash_containment(to_minhash64('a'), to_minhash64('b'), 0, 1);
SELECT minhash_containment(to_minhash128('a'), to_minhash128('b'), 1, -2.5);
SELECT minhash_intersection_estimate(to_minhash256('a'), to_minhash256('b'), 'NaN', 1);
SELECT minhash_intersection_estimate(to_minhash256('a'), to_minhash256('b'), 1, 'Infinity');
SELECT minhash_containment(to_minhash64('a'), to_minhash64('a', 'word-uax29'));
SELECT minhash_intersection_estimate(to_minhash64('a'), to_minhash64('a', 'word-uax29'), 1, 1);
DROP TABLE parts, wide;
DROP FUNCTION numbers, plan_nodes;
