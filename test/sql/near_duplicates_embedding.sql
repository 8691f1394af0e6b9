-- near_duplicate_pairs and near_duplicate_clusters over embeddings: candidates by SimHash, verified by semantic_similarity.
-- Groups of four with similar directions, one of them twice; the groups are at random angles to each other.
CREATE FUNCTION direction(n int, i int) RETURNS double precision LANGUAGE sql IMMUTABLE AS
	$$SELECT (('x' || left(md5(n || ' ' || i), 8))::bit(32)::int)::double precision / 2147483648$$;
CREATE TABLE vectors AS SELECT n AS id, to_embedding(array_agg((direction(n / 5, i) + CASE WHEN n % 5 < 4 THEN direction(-n, i) / 6 ELSE direction(1 - n, i) / 6 END)::real ORDER BY i),
	CASE WHEN n % 3 = 0 THEN 'm' END) AS e FROM generate_series(0, 299) AS n, generate_series(1, 50) AS i GROUP BY n;
CREATE VIEW truth AS SELECT x.id AS a, y.id AS b, semantic_similarity(x.e, y.e) AS similarity FROM vectors AS x JOIN vectors AS y ON x.id < y.id;

SELECT count(*), min(similarity) > 0.9 FROM truth WHERE similarity >= 0.9;
-- each pair once, with exactly its similarity, and no other pairs
SELECT count(*) AS found, count(t.a) AS true, bool_and(p.similarity = t.similarity) AS same FROM near_duplicate_pairs('SELECT id, e FROM vectors', 0.9) AS p LEFT JOIN truth AS t ON t.a = p.a AND t.b = p.b AND t.similarity >= 0.9;
SELECT t, (SELECT count(*) FROM near_duplicate_pairs('SELECT id, e FROM vectors', t)) AS found, (SELECT count(*) FROM truth WHERE similarity >= t::real) AS true
	FROM unnest('{0.5,0.97,0.99,1}'::double precision[]) AS t;
SELECT count(*) FROM near_duplicate_pairs('SELECT id, e FROM vectors', 0.9, recall => 0.01);
SELECT size, count(DISTINCT cluster), bool_and(cluster = id / 5 * 5) FROM near_duplicate_clusters('SELECT id, e FROM vectors', 0.9) GROUP BY size;
SELECT size, count(DISTINCT cluster) FROM near_duplicate_clusters('SELECT id, e FROM vectors', 0.99, mode => 'star') GROUP BY size;
SELECT count(*) FROM near_duplicate_pairs(NULL::text, 'SELECT ''id '' || id, e FROM vectors', 0.99);
-- the same from a temporary file
SET maintenance_work_mem = '1MB';
SELECT count(*), sum(a + b) FROM near_duplicate_pairs('SELECT v.id + 1000 * n, l2_normalize(e) FROM vectors AS v, generate_series(0, 19) AS n', 0.97);
RESET maintenance_work_mem;
SELECT count(*), sum(a + b) FROM near_duplicate_pairs('SELECT v.id + 1000 * n, l2_normalize(e) FROM vectors AS v, generate_series(0, 19) AS n', 0.97);
-- recall 1: every pair at any threshold, exactly as a comparison of all pairs finds them; in groups, between two queries, in clusters, from a temporary file
SELECT t, (SELECT count(*) FROM near_duplicate_pairs('SELECT id, e FROM vectors', t, recall => 1)) = (SELECT count(*) FROM truth WHERE similarity >= t::real) AS all,
	(SELECT count(*) FROM (SELECT a, b, similarity::real FROM near_duplicate_pairs('SELECT id, e FROM vectors', t, recall => 1) EXCEPT SELECT a, b, similarity FROM truth) AS other) AS wrong
	FROM unnest('{0.01,0.1,0.5,0.9,0.97,0.99,1}'::double precision[]) AS t;
SELECT count(*) = (SELECT count(*) FROM truth WHERE similarity >= 0.2::real AND a % 3 = b % 3) AS all, bool_and(a % 3 = b % 3) AS grouped
	FROM near_duplicate_pairs('SELECT id, e, id % 3 FROM vectors', 0.2, recall => 1, grouped => true);
SELECT count(*) = (SELECT count(*) FROM truth WHERE similarity >= 0.2::real AND (a + b) % 2 = 1) AS all, bool_and(a % 2 = 0 AND b % 2 = 1) AS between
	FROM near_duplicate_pairs_between('SELECT id, e FROM vectors WHERE id % 2 = 0', 'SELECT id, e FROM vectors WHERE id % 2 = 1', 0.2, recall => 1);
SELECT size, count(DISTINCT cluster), bool_and(cluster = id / 5 * 5) FROM near_duplicate_clusters('SELECT id, e FROM vectors', 0.9, recall => 1) GROUP BY size;
SET maintenance_work_mem = '1MB';
SELECT count(*), sum(a + b) FROM near_duplicate_pairs('SELECT v.id + 1000 * n, l2_normalize(e) FROM vectors AS v, generate_series(0, 19) AS n', 0.97, recall => 1);
RESET maintenance_work_mem;
SELECT count(*), sum(a + b) FROM near_duplicate_pairs('SELECT v.id + 1000 * n, l2_normalize(e) FROM vectors AS v, generate_series(0, 19) AS n', 0.97, recall => 1);
SELECT count(*) FROM near_duplicate_pairs('SELECT i, ''[1]''::embedding FROM generate_series(1, 0) AS i', 0.9, recall => 1);
-- so many that the vectors are turned to their principal axes first: the pairs that a comparison of all finds, with any number of workers, codes for all elements or for few
CREATE TABLE many AS SELECT n AS id, to_embedding(array_agg((sin(n / 4 * 1000.0 + i * (n / 4 % 97 + 1)) + sin(n * 31.0 * i) / 5)::real ORDER BY i)) AS e FROM generate_series(1, 6000) AS n, generate_series(1, 100) AS i GROUP BY n;
CREATE TABLE many_pairs AS SELECT 0 AS workers, * FROM near_duplicate_pairs('SELECT id, e FROM many', 0.9, recall => 1) LIMIT 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_maintenance_workers = 0;
INSERT INTO many_pairs SELECT 0, * FROM near_duplicate_pairs('SELECT id, e FROM many', 0.9, recall => 1);
SET max_parallel_maintenance_workers = 1;
INSERT INTO many_pairs SELECT 1, * FROM near_duplicate_pairs('SELECT id, e FROM many', 0.9, recall => 1);
SET max_parallel_maintenance_workers = 4;
INSERT INTO many_pairs SELECT 4, * FROM near_duplicate_pairs('SELECT id, e FROM many', 0.9, recall => 1);
SET maintenance_work_mem = '1MB';
INSERT INTO many_pairs SELECT 5, * FROM near_duplicate_pairs('SELECT id, e FROM many', 0.9, recall => 1);
SELECT workers, count(*) > 9000 AS many, hash_array_extended(array_agg(ARRAY[a, b, (similarity * 1e9)::bigint] ORDER BY a, b), 0) = first_value(hash_array_extended(array_agg(ARRAY[a, b, (similarity * 1e9)::bigint] ORDER BY a, b), 0)) OVER (ORDER BY workers) AS same FROM many_pairs GROUP BY workers;
SELECT count(*) > 500 AS many, count(*) FILTER (WHERE p.similarity IS DISTINCT FROM t.similarity) AS wrong
	FROM (SELECT * FROM many_pairs WHERE workers = 5 AND a <= 300) AS p
	FULL JOIN (SELECT x.id AS a, y.id AS b, semantic_similarity(x.e, y.e) AS similarity FROM many AS x JOIN many AS y ON x.id < y.id WHERE x.id <= 300 AND semantic_similarity(x.e, y.e) >= 0.9::real) AS t USING (a, b);
SELECT count(*) > 5000 AS many, count(*) = (SELECT count(DISTINCT id) FROM many_pairs, unnest(ARRAY[a, b]) AS id) AS same FROM near_duplicate_clusters('SELECT id, e FROM many', 0.9, recall => 1);
RESET maintenance_work_mem;
RESET max_parallel_maintenance_workers;
RESET min_parallel_table_scan_size;
DROP TABLE many, many_pairs;
SELECT * FROM near_duplicate_pairs('SELECT 1, NULL::embedding UNION ALL SELECT 2, ''[1]''', 0.9);
SELECT * FROM near_duplicate_pairs('SELECT i, (''['' || i || '']'')::embedding FROM generate_series(1, 3) AS i', 1) ORDER BY 1, 2;
SELECT * FROM near_duplicate_pairs('SELECT i, e FROM unnest(''{[1],[1],[-1],m/[2]}''::embedding[]) WITH ORDINALITY AS t (e, i)', 1) ORDER BY 1, 2;
-- more dimensions than cached coefficients
SELECT a, b, round(similarity::numeric, 3) FROM near_duplicate_pairs('SELECT n, array_agg((direction(n / 2, i) + n / 50.0)::real ORDER BY i)::embedding FROM generate_series(0, 3) AS n, generate_series(1, 4500) AS i GROUP BY n', 0.99);

SELECT * FROM near_duplicate_pairs('SELECT 1, ''m/[1]''::embedding UNION ALL SELECT 2, ''[2]'' UNION ALL SELECT 3, ''n/[3]''', 0.9);
SELECT * FROM near_duplicate_pairs('SELECT 1, ''[1]''::embedding UNION ALL SELECT 2, ''[2,3]''', 0.9);
SELECT * FROM near_duplicate_pairs('SELECT 1, ''[0,0]''::embedding', 0.9);
-- squares that single precision does not have
CREATE VIEW extremes AS SELECT i, e FROM unnest('{"[1e20,1e20]","[1,1]","[2e20,2e20]","[1e-20,1e-20]","[3e38,3e38]","[1e20,-1e20]","[1e-30,-1e-30]","[1e20,1e20]"}'::embedding[]) WITH ORDINALITY AS t (e, i);
SELECT array_agg(a || '-' || b ORDER BY a, b) AS pairs, min(similarity) > 0.9999 AS similar FROM near_duplicate_pairs('SELECT i, e FROM extremes', 0.9);
SELECT array_agg(a || '-' || b ORDER BY a, b) AS pairs, min(similarity) > 0.9999 AS similar FROM near_duplicate_pairs('SELECT i, e FROM extremes', 0.9, recall => 1);
SELECT * FROM near_duplicate_clusters('SELECT i, e FROM extremes', 0.9) ORDER BY 1;
DROP VIEW extremes;
SELECT * FROM near_duplicate_pairs('SELECT 1, ''[1]''::embedding', 0);
SELECT * FROM near_duplicate_pairs('SELECT 1, ''[1]''::embedding', 1.1);
SELECT * FROM near_duplicate_pairs('SELECT 1, ''[1]''::embedding', 'NaN');
SELECT * FROM near_duplicate_pairs('SELECT 1, ''[1]''::embedding', 0.9, bands => 4, rows => 4);
SELECT * FROM near_duplicate_pairs('SELECT 1, ''[1]''::embedding', 0.9, recall => 1.01);
DROP VIEW truth;
DROP TABLE vectors;
DROP FUNCTION direction;
