-- near_duplicate_pairs_between through an index of the access method sketch, where that is cheaper than reading all rows
\set SHOW_CONTEXT never
SET max_parallel_workers_per_gather = 0; -- searches of other processes are not counted in fingerprint_index_info
CREATE FUNCTION body(id int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT string_agg(format('f%sw%s', id / 3, CASE WHEN n > 60 - id % 3 * 2 THEN n + 1000 ELSE n END), ' ' ORDER BY n) FROM generate_series(1, 60) AS n $$;
CREATE TABLE old AS SELECT id::bigint AS id, to_minhash64_compact(body(id)) AS fp FROM generate_series(1, 30000) AS id;
CREATE TABLE new AS SELECT id, to_minhash64_compact(body(id) || CASE WHEN id % 6 = 0 THEN ' ' || md5(id::text) ELSE '' END) AS fp FROM generate_series(29990, 30010) AS id;
INSERT INTO new VALUES (1, NULL);
CREATE INDEX old_fp ON old USING sketch (fp);
CREATE INDEX old_id ON old (id);
ANALYZE old, new;
-- pairs, what is wrong of them, and whether the index was searched
CREATE FUNCTION compare(query_a text, query_b text, options text DEFAULT '', OUT pairs bigint, OUT wrong bigint, OUT missing bigint, OUT by_index boolean) LANGUAGE plpgsql AS $$
DECLARE
	before bigint := (SELECT rows_returned FROM fingerprint_index_info('old_fp'));
BEGIN
	EXECUTE format('CREATE TEMP TABLE found AS SELECT a, b, similarity FROM near_duplicate_pairs_between(%L, %L, 0.8%s)', query_a, query_b, options);
	by_index := (SELECT rows_returned FROM fingerprint_index_info('old_fp')) > before;
	CREATE TEMP TABLE truth AS SELECT a.id::bigint AS a, b.id AS b, jaccard(a.fp, b.fp) AS similarity FROM new AS a, old AS b WHERE jaccard(a.fp, b.fp) >= 0.8;
	pairs := (SELECT count(*) FROM found);
	wrong := (SELECT count(*) FROM (TABLE found EXCEPT TABLE truth) AS x) + (SELECT count(*) - count(DISTINCT (a, b)) FROM found);
	missing := (SELECT count(*) FROM (TABLE truth EXCEPT TABLE found) AS x);
	DROP TABLE found, truth;
END $$;
SELECT * FROM compare('SELECT id, fp FROM new', 'SELECT id, fp FROM old');
SELECT * FROM compare('TABLE new', 'SELECT id, fp FROM old WHERE id > 0; -- all', ', recall => NULL');
SELECT * FROM compare('WITH n AS (TABLE new) SELECT id, fp FROM n;', 'TABLE old ; ');
-- an index that may miss rows misses none here
ALTER INDEX old_fp SET (recall = 0.01);
SELECT * FROM compare('SELECT id, fp FROM new', 'SELECT id, fp FROM old');
ALTER INDEX old_fp RESET (recall);
SET txtfp.sketch_recall = 0.01;
SELECT * FROM compare('SELECT id, fp FROM new', 'SELECT id, fp FROM old');
RESET txtfp.sketch_recall;
-- of rows that share a leading column or another condition the others are not searched
SELECT * FROM compare('SELECT id, fp FROM new', 'SELECT id, fp FROM old WHERE id % 2 = 0');
-- a banding is that of the join; so is a table that is searched from more rows than it has, or has no index
SELECT pairs > 10 AS pairs, wrong, by_index FROM compare('SELECT id, fp FROM new', 'SELECT id, fp FROM old', ', recall => 0.9');
SELECT pairs > 10 AS pairs, wrong, by_index FROM compare('SELECT id, fp FROM new', 'SELECT id, fp FROM old', ', bands => 16, rows => 4');
SELECT count(*) > 30000 AS pairs FROM near_duplicate_pairs_between('SELECT id, fp FROM old', 'SELECT id, fp FROM old', 0.8);
SELECT count(*) > 10 AS pairs FROM near_duplicate_pairs_between('SELECT id, fp FROM old', 'SELECT id, fp FROM new', 0.8);
-- ids of smaller integers; a semicolon within the query leaves the index out
SELECT pairs > 10 AS pairs, wrong, missing, by_index FROM compare('SELECT id::int, fp FROM new', 'SELECT id::smallint, fp FROM old');
SELECT pairs > 10 AS pairs, wrong, by_index FROM compare('SELECT id, fp FROM new', 'SELECT id, fp FROM old WHERE '';'' <> ''''');
SELECT pairs > 10 AS pairs, wrong, by_index FROM compare('SELECT id, fp FROM new WHERE '';'' <> ''''', 'SELECT id, fp FROM old');
-- nearest
CREATE TEMP TABLE nearest AS SELECT * FROM near_duplicate_pairs_between('SELECT id, fp FROM new', 'SELECT id, fp FROM old', 0.8, nearest => true);
SELECT count(*) AS rows, count(DISTINCT a) AS of_new, bool_and(jaccard(new.fp, old.fp) = similarity AND similarity = (SELECT max(jaccard(x.fp, new.fp)) FROM old AS x)) AS best FROM nearest JOIN new ON new.id = a JOIN old ON old.id = b;
SELECT count(*) AS new_rows FROM new WHERE EXISTS (SELECT FROM old WHERE jaccard(old.fp, new.fp) >= 0.8);
SELECT searches FROM (SELECT by_bands + of_all_groups - lag(by_bands + of_all_groups) OVER (ORDER BY n) AS searches FROM (SELECT 1 AS n, s.* FROM fingerprint_index_info('old_fp') AS s
	UNION ALL SELECT 2, s.* FROM (SELECT count(*) FROM near_duplicate_pairs_between('SELECT id, fp FROM new', 'SELECT id, fp FROM old', 0.8, nearest => true)) AS c, LATERAL (SELECT (fingerprint_index_info('old_fp')).* WHERE c.count > 0) AS s) AS x) AS y WHERE searches IS NOT NULL;
-- of equally near rows the one with the smallest id, wherever it is in the table, as without the index
CREATE TABLE equals AS SELECT id, fp FROM (SELECT id, fp FROM old UNION ALL SELECT id + 40000, fp FROM old WHERE id > 29900 UNION ALL SELECT id - 40000, fp FROM old WHERE id > 29950) AS x ORDER BY id % 7, id DESC;
CREATE INDEX equals_fp ON equals USING sketch (fp);
ANALYZE equals;
SELECT count(*) AS rows, count(*) FILTER (WHERE b < 0) AS smallest, count(*) FILTER (WHERE b <> c) AS differences
FROM near_duplicate_pairs_between('SELECT id, fp FROM new', 'SELECT id, fp FROM equals', 0.8, nearest => true) JOIN near_duplicate_pairs_between('SELECT id, fp FROM new', 'SELECT id, fp FROM equals OFFSET 0', 0.8, nearest => true) AS o(a, c, similarity) USING (a);
SELECT count(*) FILTER (WHERE b <> c) AS differences
FROM near_duplicate_pairs_between(NULL::text, 'SELECT id::text, fp FROM new', 'SELECT id::text, fp FROM equals', 0.8, nearest => true) JOIN near_duplicate_pairs_between(NULL::text, 'SELECT id::text, fp FROM new', 'SELECT id::text, fp FROM equals OFFSET 0', 0.8, nearest => true) AS o(a, c, similarity) USING (a);
DROP TABLE equals;
-- ids of another type; another threshold; the default one
SELECT count(*), pg_typeof(min(a)) FROM near_duplicate_pairs_between(NULL::text, 'SELECT id::text, fp FROM new', 'SELECT id::text, fp FROM old', 0.8);
SELECT count(*), bool_and(similarity = 1) FROM near_duplicate_pairs_between('SELECT id, fp FROM new', 'SELECT id, fp FROM old', 1);
SELECT count(*) FROM near_duplicate_pairs_between('SELECT id, fp FROM new', 'SELECT id, fp FROM old') WHERE similarity < current_setting('txtfp.jaccard_threshold')::float8;
-- partitions, of which one has no index
CREATE TABLE parted (id bigint, fp minhash64_compact) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (29995);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (29995) TO (40000);
INSERT INTO parted TABLE old;
CREATE INDEX ON parted_1 USING sketch (fp);
ANALYZE parted;
SELECT count(*) AS differences FROM ((TABLE parted_1 UNION TABLE parted_2) EXCEPT TABLE old) AS x;
SELECT (SELECT count(*) FROM near_duplicate_pairs_between('SELECT id, fp FROM new', 'SELECT id, fp FROM parted', 0.8)) - (SELECT count(*) FROM near_duplicate_pairs_between('SELECT id, fp FROM new', 'SELECT id, fp FROM old', 0.8)) AS difference;
-- errors
SELECT near_duplicate_pairs_between('SELECT id, fp FROM new', 'SELECT NULL::bigint, fp FROM old', 0.8);
SELECT near_duplicate_pairs_between('SELECT CASE WHEN id > 0 THEN NULL::bigint END, fp FROM new', 'SELECT id, fp FROM old', 0.8);
SELECT near_duplicate_pairs_between('SELECT id, fp FROM new', 'SELECT id, fp FROM old', 1.5);
SELECT near_duplicate_pairs_between('SELECT id, to_minhash128(ARRAY[''a'']) FROM new', 'SELECT id, fp FROM old', 0.8);
SELECT near_duplicate_pairs_between('SELECT id::text, fp FROM new', 'SELECT id, fp FROM old', 0.8);
SELECT near_duplicate_pairs_between('new', 'SELECT id, fp FROM old', 0.8);
SELECT near_duplicate_pairs_between('SELECT id, fp FROM new', 'old', 0.8);
SELECT near_duplicate_pairs_between('SELECT id, fp FROM new', 'SELECT id, fp FROM old; SELECT 1', 0.8);
SELECT near_duplicate_pairs_between('SELECT id, fp FROM new) AS a, (SELECT 1', 'SELECT id, fp FROM old', 0.8);
SELECT near_duplicate_pairs_between('SELECT id, fp FROM new', 'SELECT id, fp FROM old FOR UPDATE', 0.8);
SELECT near_duplicate_pairs_between('SELECT 1, to_minhash64_compact(body(7), seed => 1)', 'SELECT id, fp FROM old', 0.8);
SELECT near_duplicate_pairs_between('SELECT id, fp FROM new', 'SELECT id, fp FROM old', 0);
DROP TABLE old, new, nearest, parted;
DROP FUNCTION body, compare;
