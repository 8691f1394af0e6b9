-- near_duplicate_pairs, near_duplicate_clusters: spilled to disk, hot buckets, cancelled
\set SHOW_CONTEXT never

-- Spilled or not, the result is the same. 20,000 sketches are 20 MB, their band keys 3 MB.

CREATE TABLE docs AS SELECT i AS id, md5(i::text)::uuid AS uuid, 'document ' || md5(i::text) AS name, to_minhash128(t) AS fp, to_simhash64(t::text) AS sh
FROM generate_series(1, 20000) AS i, LATERAL (SELECT array_agg('t' || (i / 3 * 40 + k * (1 + i % 3 * (k % 9 / 8)))) AS t FROM generate_series(1, 40) AS k) AS tokens;
CREATE FUNCTION results(OUT pairs text, OUT clusters text, OUT stars text, OUT by_uuid text, OUT by_text text, OUT simhash text) LANGUAGE plpgsql AS $$
BEGIN
	SELECT md5(string_agg(format('%s-%s', a, b), ' ' ORDER BY a, b)) INTO pairs FROM near_duplicate_pairs('SELECT id, fp FROM docs', 0.7);
	SELECT md5(string_agg(format('%s-%s', id, cluster), ' ' ORDER BY id)) INTO clusters FROM near_duplicate_clusters('SELECT id, fp FROM docs', 0.7);
	SELECT md5(string_agg(format('%s-%s', id, cluster), ' ' ORDER BY id)) INTO stars FROM near_duplicate_clusters('SELECT id, fp FROM docs', 0.7, 'star');
	SELECT md5(string_agg(format('%s-%s', id, cluster), ' ' ORDER BY id)) INTO by_uuid FROM near_duplicate_clusters(NULL::uuid, 'SELECT uuid, fp FROM docs', 0.7);
	SELECT md5(string_agg(format('%s-%s', id, cluster), ' ' ORDER BY id COLLATE "C")) INTO by_text FROM near_duplicate_clusters(NULL::text, 'SELECT name, fp FROM docs', 0.7);
	SELECT md5(string_agg(format('%s-%s', a, b), ' ' ORDER BY a, b)) INTO simhash FROM near_duplicate_pairs('SELECT id, sh FROM docs', max_distance => 7);
END $$;
CREATE TEMP TABLE outcome AS SELECT ''::text AS memory, * FROM results() WHERE false;
SET maintenance_work_mem = '1MB';
INSERT INTO outcome SELECT '1MB', * FROM results();
SET effective_cache_size = 1; -- so files are read in the order of their rows
INSERT INTO outcome SELECT '1MB, no cache', * FROM results();
RESET effective_cache_size;
SET maintenance_work_mem = '16MB';
INSERT INTO outcome SELECT '16MB', * FROM results();
SET maintenance_work_mem = '512MB';
INSERT INTO outcome SELECT '512MB', * FROM results();
SELECT count(*) AS runs, count(DISTINCT pairs) AS pairs, count(DISTINCT clusters) AS clusters, count(DISTINCT stars) AS stars, count(DISTINCT by_uuid) AS by_uuid, count(DISTINCT by_text) AS by_text, count(DISTINCT simhash) AS simhash FROM outcome;
SELECT count(*) > 10000 AS "many clustered" FROM near_duplicate_clusters('SELECT id, fp FROM docs', 0.7);
-- the clusters do not depend on the ids
SELECT count(*) AS differences FROM (SELECT array_agg(id ORDER BY id) FROM near_duplicate_clusters('SELECT id, fp FROM docs', 0.7) GROUP BY cluster
	EXCEPT SELECT array_agg(d.id ORDER BY d.id) FROM near_duplicate_clusters(NULL::uuid, 'SELECT uuid, fp FROM docs', 0.7) AS c JOIN docs AS d ON d.uuid = c.id GROUP BY cluster) AS d;

-- The scan of a large table begins at its first row, so that ids come in the order in which they were stored.
SELECT similarity FROM near_duplicate_pairs('SELECT i, to_minhash64(CASE i WHEN 1 THEN ''off'' ELSE current_setting(''synchronize_seqscans'') END) FROM generate_series(1, 2) AS i', 1);
SHOW synchronize_seqscans;

-- 100,000 identical documents are a cluster, and not 5 * 10^9 pairs

SET maintenance_work_mem = '1MB';
SET statement_timeout = '5min'; -- what is quadratic takes hours
CREATE TABLE same AS SELECT i AS id, to_minhash64('a b c d e f g h') AS fp, '0123456789abcdef'::simhash64 AS sh FROM generate_series(1, 100000) AS i;
SELECT count(*), min(cluster), max(cluster), min(size) FROM near_duplicate_clusters('SELECT id, fp FROM same', 0.8);
SELECT count(*), min(cluster), max(cluster), min(size) FROM near_duplicate_clusters('SELECT id, fp FROM same', 0.8, 'star');
SELECT count(*), min(cluster), max(cluster), min(size) FROM near_duplicate_clusters('SELECT id, sh FROM same', max_distance => 3);
SELECT count(*), count(DISTINCT (a, b)), min(similarity) FROM near_duplicate_pairs('SELECT id, fp FROM same WHERE id <= 500', 0.8);

-- Hot buckets: 15,000 documents that differ in one token of a hundred

CREATE TABLE alike AS SELECT i AS id, to_minhash128(array(SELECT 'x' || t FROM generate_series(1, 100) AS t) || ('y' || i)) AS fp FROM generate_series(1, 15000) AS i;
SELECT count(DISTINCT fp) > 10000 AS distinct FROM alike;
SELECT count(*) > 14990 AS together, count(DISTINCT cluster) AS clusters FROM near_duplicate_clusters('SELECT id, fp FROM alike', 0.8);
SELECT count(*) > 14990 AS together FROM near_duplicate_clusters('SELECT id, fp FROM alike', 0.8, 'star');

-- and 15,000 that share half of their tokens, with nearly equal pairs among them
CREATE TABLE boilerplate AS SELECT i AS id, to_minhash128(array(SELECT 'x' || t FROM generate_series(1, 60) AS t) || array(SELECT format('y%s %s', i / 2, t) FROM generate_series(1, 40) AS t) || ('z' || i)) AS fp FROM generate_series(1, 15000) AS i;
CREATE TEMP TABLE planted AS SELECT x.id AS a, y.id AS b FROM boilerplate x JOIN boilerplate y ON x.id / 2 = y.id / 2 AND x.id < y.id WHERE jaccard(x.fp, y.fp) >= 0.8;
SELECT count(*) > 7400 AS planted, count(*) FILTER (WHERE x.cluster IS DISTINCT FROM y.cluster OR x.cluster IS NULL) <= 40 AS found
FROM planted LEFT JOIN near_duplicate_clusters('SELECT id, fp FROM boilerplate', 0.8) AS x ON x.id = a LEFT JOIN near_duplicate_clusters('SELECT id, fp FROM boilerplate', 0.8) AS y ON y.id = b;
SELECT count(*) >= (SELECT count(*) - 40 FROM planted) AS found, count(*) FILTER (WHERE jaccard(x.fp, y.fp) < 0.8 OR a >= b) AS wrong, count(*) - count(DISTINCT (a, b)) AS several
FROM near_duplicate_pairs('SELECT id, fp FROM boilerplate', 0.8) JOIN boilerplate x ON x.id = a JOIN boilerplate y ON y.id = b;
RESET statement_timeout;

-- Cancelled: in the query, among the candidates, in the output

SET statement_timeout = '300ms';
SELECT count(*) FROM near_duplicate_clusters('SELECT i, to_minhash128(i::text) FROM (SELECT generate_series(1, 100000000) AS i) AS s', 0.8);
SELECT count(*) FROM near_duplicate_pairs('SELECT i, i::simhash64 FROM generate_series(1, 100000::bigint) AS i', max_distance => 32);
SELECT count(*) FROM near_duplicate_pairs('SELECT id, fp FROM same', 0.8);
SELECT count(*) FROM near_duplicate_pairs('SELECT id, sh FROM same', max_distance => 0);
SELECT count(*) FROM connected_components('SELECT i, i + 1 FROM (SELECT generate_series(1, 100000000) AS i) AS s');
RESET statement_timeout;
-- no temporary files are left
SELECT count(*) AS files FROM pg_ls_tmpdir() WHERE name LIKE format('pgsql_tmp%s.%%', pg_backend_pid());

DROP TABLE docs, same, alike, boilerplate;
DROP FUNCTION results;
