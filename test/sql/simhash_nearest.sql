-- simhash_nearest is exact, with the index and without it
\set SHOW_CONTEXT never
SET jit = off;
CREATE TABLE points (dropped int, id int PRIMARY KEY, fp simhash64, "Other fp" simhash64, n int);
ALTER TABLE points DROP COLUMN dropped;
INSERT INTO points
SELECT i, ('x' || left(md5(i::text), 16))::bit(64)::simhash64, 'ffffffffffffffff', i FROM generate_series(1, 30000) AS i;
-- around each of the first ten: twenty neighbours, at distances 1 to 20
INSERT INTO points
SELECT 30000 + row_number() OVER (ORDER BY p.id, d), (p.fp::bigint # ((1::bigint << d) - 1))::simhash64, NULL, d
FROM points AS p, generate_series(1, 20) AS d WHERE p.id <= 10;
INSERT INTO points VALUES (40000, NULL, NULL, NULL);
CREATE INDEX points_fp ON points USING gin (fp) WITH (fastupdate = off);
VACUUM ANALYZE points;

SELECT id, fp <#> (SELECT fp FROM points WHERE id = 1) AS distance, n
FROM simhash_nearest(NULL::points, 'fp', (SELECT fp FROM points WHERE id = 1), 6);

-- The distances equal those of a sort of all rows, for values with and without neighbours.
CREATE VIEW agreement AS
SELECT k, count(*) AS probes, count(*) FILTER (WHERE by_search.distances = by_sort.distances) AS equal
FROM unnest('{1,2,5,12,40}'::int[]) AS k,
	(SELECT fp FROM points WHERE id <= 12 UNION ALL SELECT '0123456789abcdef') AS probe,
	LATERAL (SELECT array_agg(p.fp <#> probe.fp) AS distances FROM simhash_nearest(NULL::points, 'fp', probe.fp, k) AS p) AS by_search,
	LATERAL (SELECT array_agg(distance) AS distances FROM
		(SELECT fp <#> probe.fp AS distance FROM points WHERE fp IS NOT NULL ORDER BY 1 LIMIT k) AS nearest) AS by_sort
GROUP BY k;
SELECT * FROM agreement ORDER BY k;

-- If neighbours are near, the index answers: no sequential scan, two scans of the index.
CREATE FUNCTION scans(query text, OUT seq bigint, OUT index bigint) LANGUAGE plpgsql AS $$
DECLARE
	before pg_stat_xact_user_tables;
BEGIN
	SELECT * INTO before FROM pg_stat_xact_user_tables WHERE relname = 'points';
	EXECUTE query;
	SELECT seq_scan - before.seq_scan, idx_scan - before.idx_scan INTO seq, index FROM pg_stat_xact_user_tables WHERE relname = 'points';
END $$;
SELECT * FROM scans($$SELECT count(*) FROM (SELECT fp FROM points WHERE id = 3) AS q, simhash_nearest(NULL::points, 'fp', q.fp, 4)$$);

-- without an index, of a partitioned table, of a view
DROP INDEX points_fp;
SELECT * FROM agreement ORDER BY k;
CREATE TABLE parts (id int, fp simhash64) PARTITION BY RANGE (id);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (15000);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (15000) TO (100000);
INSERT INTO parts SELECT id, fp FROM points;
CREATE INDEX ON parts USING gin (fp);
ANALYZE parts;
CREATE VIEW some_points AS SELECT id, fp FROM points WHERE n = 7;
SELECT id, fp <#> q.q AS distance FROM (SELECT fp AS q FROM points WHERE id = 2) AS q, simhash_nearest(NULL::parts, 'fp', q.q, 4);
SELECT id, fp <#> q.q AS distance FROM (SELECT fp AS q FROM points WHERE id = 2) AS q, simhash_nearest(NULL::some_points, 'fp', q.q, 1);

-- Edges
SELECT "Other fp" FROM simhash_nearest(NULL::points, 'Other fp', 'fffffffffffffffe', 1);
SELECT count(*) FROM simhash_nearest(NULL::points, 'fp', '0123456789abcdef', 1000000);
SELECT count(*) FROM simhash_nearest(NULL::points, 'fp', NULL, 10);
SELECT count(*) FROM simhash_nearest(NULL::points, NULL, '0123456789abcdef', 10);
SELECT count(*) FROM simhash_nearest(NULL::points, 'fp', '0123456789abcdef', NULL);
SELECT (simhash_nearest(p, 'fp', p.fp, 1)).id FROM points AS p WHERE id < 3 ORDER BY 1;
SELECT count(*) FROM simhash_nearest(NULL::points, 'fp', '0123456789abcdef', -1);
SELECT count(*) FROM simhash_nearest(NULL::points, 'nothing', '0123456789abcdef', 1);
SELECT count(*) FROM simhash_nearest(NULL::points, 'id', '0123456789abcdef', 1);
SELECT count(*) FROM simhash_nearest(1, 'fp', '0123456789abcdef', 1);
-- a table and a column with the name of the query's alias
CREATE TABLE t (t int, fp simhash64);
INSERT INTO t VALUES (1, '0123456789abcdef'), (2, '0123456789abcde0');
SELECT * FROM simhash_nearest(NULL::t, 'fp', '0123456789abcdef', 2);
DROP TABLE t;
CREATE TYPE loose AS (fp simhash64);
SELECT count(*) FROM simhash_nearest(NULL::loose, 'fp', '0123456789abcdef', 1);
-- columns with names that the search's own query might use
CREATE TABLE t (t text, fp simhash64, id int);
INSERT INTO t VALUES ('one', '0000000000000001', 1), ('two', '0000000000000003', 2), (NULL, 'ffffffffffffffff', 3);
SELECT t, id FROM simhash_nearest(NULL::t, 'fp', '0000000000000000', 2);
DROP TABLE t;
-- runs with the rights of the caller, for any search path
CREATE ROLE txtfp_nearest_reader;
SET ROLE txtfp_nearest_reader;
SELECT count(*) FROM simhash_nearest(NULL::points, 'fp', '0123456789abcdef', 1);
RESET ROLE;
DROP ROLE txtfp_nearest_reader;
SET search_path = pg_catalog;
SELECT id FROM public.simhash_nearest(NULL::public.points, 'fp', '0123456789abcdef', 1);
RESET search_path;

DROP VIEW some_points, agreement;
DROP TABLE parts, points;
DROP FUNCTION scans;
DROP TYPE loose;
