-- Bulk functions over two queries, and within groups, against brute force
\set SHOW_CONTEXT never
SET extra_float_digits = 0; -- reduce noise

-- 600 documents of 40 families, in both tables and over groups; every family has copies that are equal and copies that are similar
CREATE FUNCTION body(id int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT string_agg(format('f%sw%s', id % 40, CASE WHEN n > 60 - id / 40 % 4 THEN n + id / 40 % 8 * 1000 ELSE n END), ' ' ORDER BY n) FROM generate_series(1, 60) AS n $$;
CREATE TABLE docs AS SELECT id, (ARRAY[1, 2, 3, NULL])[1 + id / 7 % 4] AS tenant, to_minhash128(body) AS fp, to_minhash64(body) AS small, to_simhash64(body) AS sh, to_passages(body) AS p,
	to_embedding(ARRAY[sin(id % 40), cos(id % 40), sin(2 * (id % 40)), 1 + id / 40 % 4 * 0.01]::real[]) AS e
FROM generate_series(1, 600) AS id, body(id) AS body;
CREATE TABLE a AS SELECT * FROM docs WHERE id % 3 = 0;
CREATE TABLE b AS SELECT id - 100 AS id, tenant, fp, small, sh, p, e FROM docs WHERE id % 3 <> 0; -- ids of both overlap

CREATE TABLE kinds (kind text, threshold float8, similar_to text, bound text GENERATED ALWAYS AS (CASE kind WHEN 'sh' THEN 'max_distance => ' ELSE 'threshold => ' END || threshold) STORED);
INSERT INTO kinds (kind, threshold, similar_to) VALUES ('fp', 0.7, 'jaccard(x.fp, y.fp) >= 0.7'), ('fp', 1, 'jaccard(x.fp, y.fp) >= 1'), ('small', 0.75, 'jaccard(x.small, y.small) >= 0.75'),
	('sh', 9, 'hamming(x.sh, y.sh) <= 9'), ('sh', 0, 'hamming(x.sh, y.sh) = 0'), ('e', 0.999, 'semantic_similarity(x.e, y.e) >= 0.999');
-- what is expected, what is found, what is wrong of it and what is there more than once
CREATE FUNCTION compare(expected text, query text, OUT pairs bigint, OUT hits bigint, OUT wrong bigint, OUT several bigint) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('WITH truth AS MATERIALIZED (%s), found AS MATERIALIZED (%s) SELECT (SELECT count(*) FROM truth), (SELECT count(*) FROM found), (SELECT count(*) FROM (TABLE found EXCEPT TABLE truth) AS wrong), (SELECT count(*) - count(DISTINCT (a, b)) FROM found)',
		expected, query) INTO pairs, hits, wrong, several;
END $$;
CREATE FUNCTION compare_all() RETURNS TABLE (what text, kind text, threshold float8, pairs bigint, found boolean, wrong bigint, several bigint) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY SELECT 'groups', k.kind, k.threshold, c.pairs, c.hits >= 0.98 * c.pairs, c.wrong, c.several FROM kinds AS k, compare(
		format('SELECT x.id::bigint AS a, y.id::bigint AS b FROM docs x JOIN docs y ON x.id < y.id AND x.tenant IS NOT DISTINCT FROM y.tenant AND %s', k.similar_to),
		format('SELECT a, b FROM near_duplicate_pairs(%L, %s, grouped => true)', format('SELECT id, %I, tenant FROM docs', k.kind), k.bound)) AS c;
	RETURN QUERY SELECT 'two queries', k.kind, k.threshold, c.pairs, c.hits >= 0.98 * c.pairs, c.wrong, c.several FROM kinds AS k, compare(
		format('SELECT x.id::bigint AS a, y.id::bigint AS b FROM a AS x JOIN b AS y ON %s', k.similar_to),
		format('SELECT a, b FROM near_duplicate_pairs_between(%L, %L, %s)', format('SELECT id, %I FROM a', k.kind), format('SELECT id, %I FROM b', k.kind), k.bound)) AS c;
	RETURN QUERY SELECT 'two queries, groups', k.kind, k.threshold, c.pairs, c.hits >= 0.98 * c.pairs, c.wrong, c.several FROM kinds AS k, compare(
		format('SELECT x.id::bigint AS a, y.id::bigint AS b FROM a AS x JOIN b AS y ON x.tenant IS NOT DISTINCT FROM y.tenant AND %s', k.similar_to),
		format('SELECT a, b FROM near_duplicate_pairs_between(%L, %L, %s, grouped => true)', format('SELECT id, %I, tenant FROM a', k.kind), format('SELECT id, %I, tenant::bigint FROM b', k.kind), k.bound)) AS c;
	RETURN QUERY SELECT 'passages, groups', '', NULL::float8, c.pairs, c.hits = c.pairs, c.wrong, c.several FROM compare(
		'SELECT x.id::bigint AS a, y.id::bigint AS b FROM docs x JOIN docs y ON x.id < y.id AND x.tenant IS NOT DISTINCT FROM y.tenant AND passages_overlap(x.p, y.p) >= 3',
		$q$SELECT a, b FROM passage_pairs('SELECT id, p, tenant FROM docs', 3, grouped => true)$q$) AS c;
	RETURN QUERY SELECT 'passages, two queries', '', NULL::float8, c.pairs, c.hits = c.pairs, c.wrong, c.several FROM compare(
		'SELECT x.id::bigint AS a, y.id::bigint AS b FROM a AS x JOIN b AS y ON passages_overlap(x.p, y.p) >= 3',
		$q$SELECT a, b FROM passage_pairs_between('SELECT id, p FROM a', 'SELECT id, p FROM b', 3)$q$) AS c;
	RETURN QUERY SELECT 'passages, two queries, groups', '', NULL::float8, c.pairs, c.hits = c.pairs, c.wrong, c.several FROM compare(
		'SELECT x.id::bigint AS a, y.id::bigint AS b FROM a AS x JOIN b AS y ON x.tenant IS NOT DISTINCT FROM y.tenant AND passages_overlap(x.p, y.p) >= 3',
		$q$SELECT a, b FROM passage_pairs_between('SELECT id, p, tenant FROM a', 'SELECT id, p, tenant FROM b', 3, grouped => true)$q$) AS c;
END $$;
SET maintenance_work_mem = '1MB';
SELECT * FROM compare_all();
-- files were mapped, and the signal of a disk that fails was caught, only while they were read
SELECT count(*) AS mapped FROM regexp_matches(pg_read_file('/proc/self/maps', 0, 10000000), 'pgsql_tmp', 'g');
SELECT ('x' || substring(pg_read_file('/proc/self/status', 0, 100000) FROM 'SigCgt:\s*\w+(\w\w)\n'))::bit(8)::int & 64 AS caught;
SET maintenance_work_mem = '64MB';
SELECT * FROM compare_all();
-- similarity, and that of passages
SELECT count(*) AS differences FROM near_duplicate_pairs_between('SELECT id, fp FROM a', 'SELECT id, fp FROM b', 0.7) AS n JOIN a ON a.id = n.a JOIN b ON b.id = n.b WHERE jaccard(a.fp, b.fp) <> similarity;
SELECT count(*) AS differences FROM passage_pairs_between('SELECT id, p FROM a', 'SELECT id, p FROM b', 3) AS n JOIN a ON a.id = n.a JOIN b ON b.id = n.b WHERE passages_overlap(a.p, b.p) <> shared OR passages_containment(a.p, b.p) <> share_of_a OR passages_containment(b.p, a.p) <> share_of_b;

-- Clusters and removals of groups: those of each group by itself
CREATE FUNCTION of_each(query text) RETURNS TABLE (id bigint, other bigint) LANGUAGE plpgsql AS $$
DECLARE
	own text;
BEGIN
	FOREACH own IN ARRAY '{tenant = 1,tenant = 2,tenant = 3,tenant IS NULL}'::text[] LOOP
		RETURN QUERY EXECUTE replace(query, '@', own);
	END LOOP;
END $$;
CREATE FUNCTION differences(grouped text, each text, OUT rows bigint, OUT differences bigint) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('WITH grouped AS MATERIALIZED (%s), each AS MATERIALIZED (SELECT * FROM of_each(%L)) SELECT (SELECT count(*) FROM grouped), (SELECT count(*) FROM ((TABLE grouped EXCEPT TABLE each) UNION ALL (TABLE each EXCEPT TABLE grouped)) AS d)', grouped, each)
		INTO rows, differences;
END $$;
SELECT kind, mode, d.* FROM (VALUES ('fp', '0.7'), ('sh', 'max_distance => 7'), ('e', '0.999')) AS k(kind, bound), unnest('{components,star}'::text[]) AS mode, differences(
	format('SELECT id, cluster FROM near_duplicate_clusters(%L, %s, mode => %L, grouped => true)', format('SELECT id, %I, tenant FROM docs', kind), bound, mode),
	format('SELECT id, cluster FROM near_duplicate_clusters(%L, %s, mode => %L)', format('SELECT id, %I FROM docs WHERE @', kind), bound, mode)) AS d ORDER BY kind, mode;
SELECT * FROM differences($$SELECT id, cluster FROM near_duplicate_clusters('SELECT id, fp, tenant, id % 10 FROM docs', 0.7, 'star', grouped => true)$$,
	$$SELECT id, cluster FROM near_duplicate_clusters('SELECT id, fp, id % 10 FROM docs WHERE @', 0.7, 'star')$$);
SELECT * FROM differences($$SELECT id, kept FROM deduplicate('SELECT id, fp, tenant, body(id), id % 10 FROM docs', 0.7, verify => 'jaccard', grouped => true)$$,
	$$SELECT id, kept FROM deduplicate('SELECT id, fp, body(id), id % 10 FROM docs WHERE @', 0.7, verify => 'jaccard')$$);
SELECT * FROM differences($$SELECT id, kept FROM deduplicate('SELECT id, sh, tenant FROM docs', max_distance => 7, grouped => true)$$, $$SELECT id, kept FROM deduplicate('SELECT id, sh FROM docs WHERE @', max_distance => 7)$$);

-- Groups and ids of every type; text groups are compared by their bytes
SELECT count(*) AS pairs, count(DISTINCT (a, b)) AS once FROM near_duplicate_pairs('SELECT id, fp, tenant FROM docs', 0.8, grouped => true);
SELECT count(*) AS pairs FROM near_duplicate_pairs('SELECT id, fp, tenant::int2 FROM docs', 0.8, grouped => true);
SELECT count(*) AS pairs FROM near_duplicate_pairs('SELECT id, fp, tenant::text FROM docs', 0.8, grouped => true);
SELECT count(*) AS pairs FROM near_duplicate_pairs('SELECT id, fp, ''tenant ''::varchar || tenant FROM docs', 0.8, grouped => true);
SELECT count(*) AS pairs FROM near_duplicate_pairs('SELECT id, fp, md5(tenant::text)::uuid FROM docs', 0.8, grouped => true);
SELECT count(*) AS pairs FROM near_duplicate_pairs('SELECT id, fp, 1 FROM docs', 0.8, grouped => true);
SELECT count(*) AS pairs FROM near_duplicate_pairs('SELECT id, fp FROM docs', 0.8);
SELECT count(*) AS pairs FROM near_duplicate_pairs('SELECT id, fp, id FROM docs', 0.8, grouped => true);
SELECT count(*) AS pairs FROM near_duplicate_pairs_between(NULL::uuid, 'SELECT md5(id::text)::uuid, fp FROM a', 'SELECT md5(id::text)::uuid, fp FROM b', 0.8);
SELECT min(a), max(b), pg_typeof(min(a)) FROM near_duplicate_pairs_between(NULL::text, 'SELECT ''a'' || id, fp FROM a', 'SELECT ''b'' || id, fp FROM b', 0.8);
SELECT count(*) AS pairs FROM near_duplicate_pairs_between('SELECT id::int2, fp FROM a', 'SELECT id::bigint, fp FROM b', 0.8);
SELECT count(*) AS pairs FROM near_duplicate_pairs_between('SELECT id, fp FROM a ORDER BY md5(id::text)', 'SELECT id, fp FROM b ORDER BY md5(id::text)', 0.8);
SELECT count(*) AS pairs FROM passage_pairs_between(NULL::text, 'SELECT id::text, p FROM a', 'SELECT id::text, p FROM b', 1, 100);
-- the same query twice: each row with itself, and each pair in both directions
SELECT count(*) AS pairs, count(*) FILTER (WHERE a = b) AS own, bool_and(similarity = 1) FILTER (WHERE a = b) AS same FROM near_duplicate_pairs_between('SELECT id, fp FROM docs', 'SELECT id, fp FROM docs', 0.8);
-- without a threshold, it is that of the operator
SELECT count(*) AS pairs FROM near_duplicate_pairs_between('SELECT id, fp FROM a', 'SELECT id, fp FROM b');
-- nearest: of each row that has a pair one pair, and there is no better one
SELECT k.kind, k.threshold, grouped, rows, rows > 0 AS found, (rows, wrong) = (best, 0) AS best FROM kinds AS k, (VALUES (false), (true)) AS g (grouped), LATERAL (SELECT CASE WHEN grouped THEN ', tenant' ELSE '' END AS column_) AS c,
	LATERAL (SELECT format('SELECT id, %I%s FROM a', kind, column_) AS query_a, format('SELECT id, %I%s FROM b', kind, column_) AS query_b, CASE kind WHEN 'sh' THEN NULL ELSE threshold END AS least, CASE kind WHEN 'sh' THEN threshold::int END AS most) AS q,
	LATERAL (WITH pairs AS MATERIALIZED (SELECT * FROM near_duplicate_pairs_between(query_a, query_b, least, max_distance => most, grouped => g.grouped)),
		nearest AS MATERIALIZED (SELECT * FROM near_duplicate_pairs_between(query_a, query_b, least, max_distance => most, grouped => g.grouped, nearest => true))
		SELECT (SELECT count(*) FROM nearest) AS rows, (SELECT count(DISTINCT a) FROM pairs) AS best, (SELECT count(*) FROM (SELECT a, similarity FROM nearest EXCEPT SELECT a, max(similarity) FROM pairs GROUP BY a) AS x) AS wrong) AS result
ORDER BY 1, 2, 3;
SELECT count(*) AS pairs FROM near_duplicate_pairs_between(NULL::text, 'SELECT ''a'' || id, fp FROM a', 'SELECT ''b'' || id, fp FROM b', 0.8, nearest => true);
-- one side is empty
SELECT count(*) FROM near_duplicate_pairs_between('SELECT id, fp FROM a WHERE false', 'SELECT id, fp FROM b', 0.8);
SELECT count(*) FROM near_duplicate_pairs_between('SELECT id, fp FROM a', 'SELECT id, fp FROM b WHERE false', 0.8);
SELECT count(*) FROM near_duplicate_pairs_between('SELECT id, sh FROM a', 'SELECT id, sh FROM b WHERE false', max_distance => 3);
SELECT count(*) FROM near_duplicate_pairs_between('SELECT id, e FROM a WHERE false', 'SELECT id, e FROM b', 0.9);
SELECT count(*) FROM passage_pairs_between('SELECT id, p FROM a WHERE false', 'SELECT id, p FROM b WHERE false');

-- Hot buckets: 3000 rows of one text in a thousand groups, and 3000 against three
CREATE TABLE hot AS SELECT id, id / 3 AS grp, to_minhash128('one text for all of them' || CASE WHEN id % 3 = 0 THEN '' ELSE ' and one more' END) AS fp, to_simhash64('one text for all of them') AS sh, to_passages('one text for all of them and one more and yet another one') AS p FROM generate_series(1, 3000) AS id;
SELECT count(*) FROM near_duplicate_pairs('SELECT id, fp, grp FROM hot', 1, grouped => true);
SELECT count(*) FROM near_duplicate_pairs('SELECT id, sh, grp FROM hot', max_distance => 3, grouped => true);
SELECT count(*), count(DISTINCT cluster) FROM near_duplicate_clusters('SELECT id, sh, grp FROM hot', max_distance => 3, grouped => true);
SELECT count(*) FROM passage_pairs('SELECT id, p, grp FROM hot', grouped => true);
SELECT count(*) FROM near_duplicate_pairs_between('SELECT id, fp FROM hot WHERE id <= 3', 'SELECT id, fp FROM hot WHERE id > 3', 1);
SELECT count(*) FROM near_duplicate_pairs_between('SELECT id, sh FROM hot WHERE id <= 3', 'SELECT id, sh FROM hot WHERE id > 3', max_distance => 3);

-- Errors
SELECT near_duplicate_pairs('SELECT id, fp, tenant FROM docs', 0.8);
SELECT near_duplicate_pairs('SELECT id, fp FROM docs', 0.8, grouped => true);
SELECT near_duplicate_pairs('SELECT id, fp, tenant, 1 FROM docs', 0.8, grouped => true);
SELECT near_duplicate_pairs('SELECT id, fp, 1.5 FROM docs', 0.8, grouped => true);
SELECT near_duplicate_pairs('SELECT id, fp, tenant FROM docs', 0.8, grouped => NULL);
SELECT near_duplicate_clusters('SELECT id, fp FROM docs', 0.8, grouped => true);
SELECT near_duplicate_clusters('SELECT id, fp, tenant, ''text'' FROM docs', 0.8, grouped => true);
SELECT deduplicate('SELECT id, fp, tenant, body(id), 1, 2 FROM docs', 0.8, grouped => true);
SELECT passage_pairs('SELECT id, p FROM docs', grouped => true);
SELECT passage_pairs('SELECT id, p, tenant FROM docs');
SELECT near_duplicate_pairs_between('SELECT id, fp FROM a', 'SELECT id, small FROM b', 0.8);
SELECT near_duplicate_pairs_between('SELECT id, fp FROM a', 'SELECT id::text, fp FROM b', 0.8);
SELECT near_duplicate_pairs_between('SELECT id, fp FROM a', 'SELECT id FROM b', 0.8);
SELECT near_duplicate_pairs_between('SELECT id, fp, tenant FROM a', 'SELECT id, fp, tenant::text FROM b', 0.8, grouped => true);
SELECT near_duplicate_pairs_between('SELECT id, fp FROM a', 'SELECT 1, fp FROM b', 0.8);
SELECT near_duplicate_pairs_between('SELECT id, fp FROM a', NULL, 0.8);
SELECT near_duplicate_pairs_between(NULL, 'SELECT id, fp FROM a', 0.8);
SELECT near_duplicate_pairs_between('SELECT id, fp FROM a', 'SELECT id, fp FROM b', 0.8, nearest => NULL);
SELECT near_duplicate_pairs_between('SELECT id, fp FROM a', 'DELETE FROM b', 0.8);
SELECT near_duplicate_pairs_between('SELECT id, fp FROM a', 'SELECT id, to_minhash128(body(id), seed => 1) FROM b', 0.8);
SELECT passage_pairs_between('SELECT id, p FROM a', 'SELECT id, to_passages(body(id), 20) FROM b');
-- progress
SET txtfp.progress = on;
SELECT count(*) FROM near_duplicate_pairs_between('SELECT id, fp FROM a', 'SELECT id, fp FROM b', 0.8);
RESET txtfp.progress;
DROP TABLE docs, a, b, hot, kinds;
DROP FUNCTION body, compare, compare_all, of_each, differences;
