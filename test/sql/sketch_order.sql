-- The access method sketch: searches in order through the band directory. Exact ones give what the table gives; inexact ones find what their recall promises
-- as far as the directory goes, and then all other rows, or none.
\set SHOW_CONTEXT never
CREATE SCHEMA order_test;
SET search_path = order_test, public;
SET jit = off;
SET max_parallel_workers_per_gather = 0;

-- families of eight texts of 24 words, each of which shares less with the first one; every fifth row has another part
CREATE FUNCTION words(n int) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
	SELECT array_agg(CASE WHEN i <= n % 8 * 3 THEN n * 100 ELSE n / 8 * 100000 END + i || '') FROM generate_series(1, 24) AS i $$;
CREATE TABLE docs (id int, part int, fp minhash256, c minhash256_compact) WITH (autovacuum_enabled = off);
CREATE FUNCTION put(first int, last int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO docs SELECT id, id % 5, fp, to_minhash256_compact(fp) FROM generate_series(first, last) AS id, to_minhash256(words(id)) AS fp $$;
SELECT put(1, 36000);
INSERT INTO docs (id, part) SELECT -i, i % 5 FROM generate_series(1, 7) AS i;
CREATE INDEX docs_fp ON docs USING sketch (fp);
CREATE INDEX docs_c ON docs USING sketch (c);
ANALYZE docs;
SET enable_seqscan = off;

-- The distances of the k nearest rows of a probe by the index and by the table, for each k up to 12.
CREATE FUNCTION nearest(ks int[], probe minhash256, filter text DEFAULT 'true', col text DEFAULT 'fp') RETURNS TABLE (by_index float8[], by_table float8[]) LANGUAGE plpgsql AS $$
DECLARE
	query text := format('SELECT array_agg(d) FROM (SELECT %1$I <%%> $1 AS d FROM docs WHERE %2$s ORDER BY %1$I <%%> $1 LIMIT $2) AS x', col, filter);
	compact minhash256_compact := to_minhash256_compact(probe);
	nearest float8[];
	k int;
BEGIN
	PERFORM set_config('enable_indexscan', 'off', true), set_config('enable_seqscan', 'on', true);
	IF col = 'fp' THEN EXECUTE query INTO nearest USING probe, 12; ELSE EXECUTE query INTO nearest USING compact, 12; END IF;
	PERFORM set_config('enable_indexscan', 'on', true), set_config('enable_seqscan', 'off', true);
	FOREACH k IN ARRAY ks LOOP
		IF col = 'fp' THEN EXECUTE query INTO by_index USING probe, k; ELSE EXECUTE query INTO by_index USING compact, k; END IF;
		by_table := nearest[1:k];
		RETURN NEXT;
	END LOOP;
END $$;
-- For probes of the table and new ones: searches whose distances are not in order, that differ from the table, that give fewer rows; and the share
-- of the rows at least as similar as `floor` that the index gives.
CREATE FUNCTION compare(floor float8, filter text DEFAULT 'true', col text DEFAULT 'fp', every int DEFAULT 3601)
RETURNS TABLE (searches bigint, unordered bigint, different bigint, fewer bigint, recall numeric, nearer bigint) LANGUAGE sql AS $$
	WITH answers AS MATERIALIZED (
		SELECT by_index, by_table, array(SELECT d FROM unnest(by_index) AS d WHERE d <= 1 - floor) AS near, array(SELECT d FROM unnest(by_table) AS d WHERE d <= 1 - floor) AS near_table
		FROM generate_series(1, 36000, every) AS id, LATERAL (SELECT to_minhash256(CASE WHEN id % 5 = 0 THEN ARRAY['new', id || ''] ELSE words(id) END) AS probe) AS p, nearest('{1, 3, 12}', probe, filter, col))
	SELECT count(*), count(*) FILTER (WHERE by_index <> array(SELECT d FROM unnest(by_index) AS d ORDER BY d)), count(*) FILTER (WHERE by_index IS DISTINCT FROM by_table),
		count(*) FILTER (WHERE cardinality(by_index) IS DISTINCT FROM cardinality(by_table)), round(sum(cardinality(near))::numeric / nullif(sum(cardinality(near_table)), 0), 2),
		count(*) FILTER (WHERE EXISTS (SELECT FROM unnest(by_index, by_table) AS z (i, t) WHERE i < t)) FROM answers $$;
CREATE FUNCTION searches(index regclass, OUT by_bands bigint, OUT of_all_groups bigint) LANGUAGE sql AS $$ SELECT by_bands, of_all_groups FROM fingerprint_index_info(index) $$;

-- exact, through the directory and on; nothing is missed
SELECT * FROM compare(0.8);
SELECT * FROM compare(0.8, col => 'c');
SELECT * FROM searches('docs_fp') \gset before_
SELECT id FROM docs ORDER BY fp <%> to_minhash256(words(800)) LIMIT 1;
SELECT by_bands - :before_by_bands AS by_bands, of_all_groups - :before_of_all_groups AS of_all_groups FROM searches('docs_fp');
SELECT count(*) FROM (SELECT FROM docs ORDER BY fp <%> to_minhash256(words(800)) LIMIT 8) AS x;
SELECT by_bands - :before_by_bands AS by_bands, of_all_groups - :before_of_all_groups AS of_all_groups FROM searches('docs_fp');
-- an index that is small is read at once
CREATE INDEX docs_few ON docs USING sketch (fp) WHERE id <= 12000;
SELECT id FROM docs WHERE id <= 12000 ORDER BY fp <%> to_minhash256(words(800)) LIMIT 1;
SELECT * FROM searches('docs_few');

SELECT probes, expected > 60 AS some, recall, promise FROM fingerprint_index_recall('docs_fp', 30, 0.3, nearest => 5);
SELECT probes, expected, recall FROM fingerprint_index_recall('docs_few', 5, 0, nearest => 7);
-- inexact: as the directory finds them, then all others in order; a row is returned once
SET txtfp.sketch_recall = 0.9;
SELECT searches, unordered, fewer, recall >= 0.9 AS found, nearer FROM compare(0.4);
SELECT searches, unordered, fewer, recall >= 0.9 AS found, nearer FROM compare(0.4, col => 'c');
SELECT count(*) BETWEEN 35900 AND 36007 AS all, count(DISTINCT id) = count(*) AS once, count(*) FILTER (WHERE d IS NULL) AS nulls, count(*) FILTER (WHERE d < before) AS unordered, max(n) FILTER (WHERE d IS NOT NULL) < min(n) FILTER (WHERE d IS NULL) AS last
FROM (SELECT id, d, lag(d) OVER (ORDER BY n) AS before, n FROM (SELECT id, d, row_number() OVER () AS n FROM (SELECT id, fp <%> to_minhash256(words(800)) AS d FROM docs ORDER BY fp <%> to_minhash256(words(800)) LIMIT 100000) AS x) AS y) AS z;
SELECT expected > 30 AS some, recall >= 0.9 AS found, promise FROM fingerprint_index_recall('docs_fp', 30, 0.4, nearest => 5);
SELECT expected > 30 AS some, recall >= 0.9 AS found, promise FROM fingerprint_index_recall('docs_c', 30, 0.4, nearest => 5);
-- or none
SET txtfp.sketch_order_all = off;
SELECT searches, unordered, fewer > 5 AS fewer, recall >= 0.9 AS found, nearer FROM compare(0.4);
SELECT searches, unordered, fewer > 5 AS fewer, recall >= 0.9 AS found, nearer FROM compare(0.4, col => 'c');
SELECT expected > 30 AS some, recall >= 0.9 AS found FROM fingerprint_index_recall('docs_fp', 30, 0.4, nearest => 5);
SELECT expected, recall < 1 AS fewer FROM fingerprint_index_recall('docs_fp', 5, 0, nearest => 12);
SELECT count(*) BETWEEN 3 AND 7 AS near, bool_and(d <= 0.62) AS nearer FROM (SELECT fp <%> to_minhash256(words(800)) AS d FROM docs ORDER BY fp <%> to_minhash256(words(800)) LIMIT 100000) AS x;
SELECT count(*) FROM (SELECT FROM docs ORDER BY fp <%> to_minhash256(ARRAY['new']) LIMIT 10) AS x;
SELECT id FROM docs WHERE fp IS NULL ORDER BY fp <%> to_minhash256(words(800)) LIMIT 3;
SELECT count(*) FROM (SELECT FROM docs ORDER BY fp <%> NULL LIMIT 36003) AS x;
-- the planner knows how little it costs
CREATE FUNCTION start_cost(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Startup Cost';
END $$;
SELECT start_cost('SELECT id FROM docs ORDER BY fp <%> to_minhash256(words(800))') AS ends \gset
SET txtfp.sketch_order_all = on;
SELECT 4 * :ends < start_cost('SELECT id FROM docs ORDER BY fp <%> to_minhash256(words(800))') AS less;
RESET txtfp.sketch_recall;

-- A filter on another column; conditions that the directory serves, does not serve, and that must be exact
SELECT * FROM compare(0.5, 'part = 3', every => 5401);
SELECT * FROM compare(0.5, 'minhash_similar(fp, $1, 0.3)', every => 5401);
SET txtfp.sketch_recall = 0.5;
SELECT searches, unordered, fewer, recall >= 0.5 AS found, nearer FROM compare(0.5, 'part = 3', every => 5401);
SELECT searches, unordered, different, nearer FROM compare(0.5, 'jaccard(fp, $1) >= 0.1', every => 5401);
SET txtfp.sketch_order_all = off;
SELECT searches, unordered, different, nearer FROM compare(0.5, 'jaccard(fp, $1) >= 0.1', every => 5401);
SELECT searches, unordered, fewer > 3 AS fewer, recall >= 0.5 AS found, nearer FROM compare(0.5, 'minhash_similar(fp, $1, 0.05)', every => 5401);
-- searched again for each row outside; a cursor keeps what it began with; a second ordering
SELECT id, (SELECT array_agg(n) FROM (SELECT n.id AS n FROM docs AS n ORDER BY n.fp <%> docs.fp LIMIT 2) AS x) FROM docs WHERE id IN (800, 1600) ORDER BY id;
BEGIN;
DECLARE c CURSOR FOR SELECT id < 0 FROM docs ORDER BY fp <%> to_minhash256(words(800)) LIMIT 100000;
FETCH 1 FROM c;
SET LOCAL txtfp.sketch_order_all = on;
FETCH ALL FROM c;
COMMIT;
SET txtfp.sketch_order_all = on;
SELECT id FROM docs ORDER BY fp <%> to_minhash256(words(801)), fp <%> to_minhash256(words(800)) LIMIT 2;
RESET txtfp.sketch_recall;
RESET txtfp.sketch_order_all;

-- rows since, deleted rows, places that are used again
SELECT put(36001, 36400);
SELECT * FROM compare(0.8, every => 5400);
DELETE FROM docs WHERE id % 2 = 0 OR id BETWEEN 4000 AND 9000;
VACUUM docs;
SELECT put(50001, 53000);
SELECT * FROM compare(0.8, every => 5401);
SET txtfp.sketch_recall = 0.9;
SELECT searches, unordered, fewer, recall >= 0.9 AS found, nearer FROM compare(0.4, every => 5401);
SELECT count(DISTINCT id) = count(*) AS once, count(*) >= 0.99 * (SELECT count(*) FROM docs) AS all FROM (SELECT id FROM docs ORDER BY fp <%> to_minhash256(words(801)) LIMIT 100000) AS x;
RESET txtfp.sketch_recall;

-- leading columns, of which one value fills many groups and others few; the parameter of the index
DROP INDEX docs_fp, docs_c, docs_few;
UPDATE docs SET part = CASE WHEN id % 100 = 0 THEN 7 ELSE 8 END WHERE part > 1;
CREATE INDEX docs_part ON docs USING sketch (part, fp) WITH (recall = 0.9);
ANALYZE docs;
SELECT part, searches, unordered, fewer, recall >= 0.9 AS found, nearer FROM unnest('{0, 7, 8}'::int[]) AS part, compare(0.4, 'part = ' || part, every => 5401);
SELECT searches, unordered, fewer, recall >= 0.9 AS found, nearer FROM compare(0.4, 'true', every => 5401);
SET txtfp.sketch_order_all = off;
SELECT part, searches, unordered, recall >= 0.9 AS found, nearer FROM unnest('{0, 7, 8}'::int[]) AS part, compare(0.4, 'part = ' || part, every => 5401);
RESET txtfp.sketch_order_all;
-- rows that share bands by the thousands: all groups are read
UPDATE docs SET fp = to_minhash256(words(8)) WHERE id % 2 = 1;
REINDEX INDEX docs_part;
SELECT searches, unordered, different FROM compare(0.8, every => 9001);

SET txtfp.sketch_order_all = maybe;
SELECT fingerprint_index_recall('docs_part', nearest => 0);
SET client_min_messages = warning;
DROP SCHEMA order_test CASCADE;
