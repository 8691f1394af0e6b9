-- connected_components of given pairs
\set SHOW_CONTEXT never

SELECT * FROM connected_components('VALUES (1, 2), (3, 2), (5, 6), (9, 8), (8, 9)');
SELECT pg_typeof(id) AS id, pg_typeof(cluster) AS cluster, pg_typeof(size) AS size FROM connected_components('VALUES (1, 2)') LIMIT 1;
-- an id that is only paired with itself is a component of one
SELECT * FROM connected_components('VALUES (4, 4), (1, 2), (2, 2)');
SELECT count(*) FROM connected_components('SELECT 1, 2 WHERE false');
SELECT * FROM connected_components(NULL::text, 'VALUES (''b'', ''a''), (''c'', ''b''), (''ä'', ''z''), ('''', ''x'')');
SELECT * FROM connected_components(NULL::uuid, 'SELECT md5(''1'')::uuid, md5(''2'')::uuid');
SELECT *, pg_typeof(id) FROM connected_components(NULL::int, 'VALUES (1::int2, -2)');
SELECT * FROM connected_components('SELECT 1::int2, 2::int8');
SELECT * FROM connected_components(query => 'SELECT -9223372036854775808, 9223372036854775807');

-- A long path in any order, and a forest, compared with a recursive query
SELECT count(*), min(cluster), max(cluster), min(size) FROM connected_components('SELECT i, i + 1 FROM generate_series(1, 50000) AS i ORDER BY md5(i::text)');
CREATE TEMP TABLE edges AS SELECT i AS a, i - 1 - i % 7 * 11 AS b FROM generate_series(100, 700) AS i WHERE i % 5 <> 0;
WITH RECURSIVE both_ways AS (SELECT a, b FROM edges UNION SELECT b, a FROM edges),
	reach AS (SELECT a AS id, a AS other FROM both_ways UNION SELECT r.id, e.b FROM reach r JOIN both_ways e ON e.a = r.other),
	truth AS (SELECT id, min(other) AS cluster, count(*) AS size FROM reach GROUP BY id),
	ours AS (SELECT * FROM connected_components('SELECT a, b FROM edges'))
SELECT (SELECT count(*) FROM truth) AS ids, (SELECT count(DISTINCT cluster) FROM truth) AS components,
	(SELECT count(*) FROM ours) AS ours, (SELECT count(*) FROM (TABLE ours EXCEPT TABLE truth) AS d) AS differences;

-- With little memory
SET maintenance_work_mem = '1MB';
SELECT count(*), min(cluster), max(size) FROM connected_components(NULL::text, 'SELECT repeat(''long '', 20) || i, repeat(''long '', 20) || i + 1 FROM generate_series(1, 20000) AS i ORDER BY md5(i::text)');
SELECT count(*), count(DISTINCT cluster), max(size) FROM connected_components(NULL::uuid, 'SELECT md5(i::text)::uuid, md5((i / 2)::text)::uuid FROM generate_series(2, 40000) AS i');
RESET maintenance_work_mem;

SELECT connected_components(NULL);
SELECT connected_components('SELECT 1');
SELECT connected_components('SELECT 1, 2, 3');
SELECT connected_components('SELECT 1, NULL::int');
SELECT connected_components('SELECT 1, ''a''::text');
SELECT connected_components('SELECT 1.5, 2.5');
SELECT connected_components(NULL::text, 'SELECT 1, 2');
SELECT connected_components(NULL::date, 'SELECT 1, 2');
SELECT connected_components('INSERT INTO edges VALUES (1, 2) RETURNING a, b');
SELECT connected_components('SELECT 1, 2 FROM');
