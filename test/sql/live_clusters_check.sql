-- live_clusters_check: what is stored and what is expected, for each column of the tables of the clusters
\set SHOW_CONTEXT never
CREATE TABLE points (id int PRIMARY KEY, fp simhash64);
CREATE INDEX ON points USING sketch (fp);
CALL live_clusters_create('points', 'id', 'fp', clusters => 'components', max_distance => 2);
CALL live_clusters_create('points', 'id', 'fp', clusters => 'stars', mode => 'star', max_distance => 2);
CALL live_clusters_fill('points', clusters => 'components');
CALL live_clusters_fill('points', clusters => 'stars');
INSERT INTO points SELECT n, ((1::bigint << n) - 1)::simhash64 FROM unnest('{1, 3, 5, 20, 22, 40}'::int[]) AS n;
SELECT 'components' AS clusters, id, cluster, NULL::int AS kept FROM components_members UNION ALL SELECT 'stars', id, cluster, kept FROM stars_members ORDER BY 1, 2;
SELECT cluster, first, size FROM components_sets ORDER BY cluster;
SELECT * FROM components_links ORDER BY a, b;
SELECT * FROM live_clusters_check('points', 'components');
SELECT * FROM live_clusters_check('points', 'stars');
-- one change at a time
CREATE FUNCTION after(change text, clusters text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	told text[];
BEGIN
	BEGIN
		EXECUTE change;
		EXECUTE format('SELECT array_agg(c::text ORDER BY c::text) FROM live_clusters_check(''points'', %L) AS c', clusters) INTO told;
		RAISE EXCEPTION 'undone';
	EXCEPTION WHEN raise_exception THEN
	END;
	RETURN QUERY SELECT unnest(told);
END $$;
SELECT change, told FROM unnest(ARRAY[
	'UPDATE components_members SET cluster = 2 WHERE id = 5',
	'UPDATE components_members SET cluster = 77 WHERE id = 22',
	'DELETE FROM components_members WHERE id = 3',
	'INSERT INTO components_members (id, cluster, priority, since) VALUES (40, 2, ''-Infinity'', now())',
	'INSERT INTO components_members (id, cluster, priority, since) VALUES (41, 2, ''-Infinity'', now())',
	'UPDATE components_members SET kept = 5 WHERE id = 1',
	'UPDATE components_sets SET first = 3 WHERE cluster = 1',
	'UPDATE components_sets SET size = size + 1 WHERE cluster = 2',
	'DELETE FROM components_sets WHERE cluster = 2',
	'DELETE FROM components_links WHERE b = 5',
	'UPDATE components_links SET b = 22 WHERE b = 5',
	'INSERT INTO components_links VALUES (1, 40)',
	'UPDATE components_members SET priority = 0 WHERE id = 20']) WITH ORDINALITY AS u (change, n) LEFT JOIN LATERAL after(change, 'components') AS told ON true ORDER BY n, told;
SELECT change, told FROM unnest(ARRAY[
	'UPDATE stars_members SET kept = 3 WHERE id = 1',
	'UPDATE stars_members SET kept = 1 WHERE id = 5',
	'UPDATE stars_members SET kept = 22 WHERE id IN (20, 22)',
	'DELETE FROM stars_members WHERE id = 22',
	'UPDATE stars_members SET number = 7 WHERE id = 20',
	'UPDATE stars_members SET number = NULL WHERE id = 1',
	'UPDATE stars_members SET number = 2 WHERE id IN (1, 3)',
	'UPDATE stars_members SET number = 9 WHERE id = 5',
	'UPDATE stars_members SET similarity = 0.5 WHERE id = 3',
	'UPDATE stars_members SET priority = 2 WHERE id = 3',
	'UPDATE stars_sets SET priority = 2 WHERE cluster = 2',
	'UPDATE stars_members SET cluster = 2 WHERE id = 3',
	'UPDATE stars_sets SET size = 7 WHERE cluster = 1',
	'DELETE FROM stars_links']) WITH ORDINALITY AS u (change, n) LEFT JOIN LATERAL after(change, 'stars') AS told ON true ORDER BY n, told;
SELECT * FROM live_clusters_check('points', 'components');
SELECT * FROM live_clusters_check('points', 'stars');
CALL live_clusters_drop('points', 'components');
CALL live_clusters_drop('points', 'stars');
DROP TABLE points;
DROP FUNCTION after;
