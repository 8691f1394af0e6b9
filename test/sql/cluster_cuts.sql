-- near_duplicate_clusters at several thresholds, and with a limit on the size of clusters; compared with the same in SQL
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET txtfp.jaccard_threshold = 0.5;

-- A chain of which each row is similar to the next, copies, a crowd, and rows that are alone
CREATE TEMP TABLE docs AS
SELECT i AS id, i % 13 AS priority, to_minhash128(CASE
	WHEN i <= 60 THEN (SELECT array_agg('c' || j) FROM generate_series(i * 2, i * 2 + 24 + i % 7) AS j)
	WHEN i <= 75 THEN (SELECT array_agg('e' || j) FROM generate_series(1, 20) AS j)
	WHEN i <= 140 THEN (SELECT array_agg(CASE WHEN j <= 20 THEN 'k' || j ELSE (i * j) % 97 || 'w' || j END) FROM generate_series(1, 20 + i % 9) AS j)
	ELSE ARRAY['a' || i, 'b' || i, 'd' || i] END) AS fp FROM generate_series(1, 150) AS i;
CREATE TEMP TABLE links AS SELECT a.id AS a, b.id AS b, jaccard(a.fp, b.fp) AS similarity FROM docs AS a JOIN docs AS b ON a.id < b.id WHERE jaccard(a.fp, b.fp) >= 0.3;

-- ---- several thresholds: each as alone, in one result
CREATE TEMP TABLE nested AS SELECT * FROM near_duplicate_clusters('SELECT id, fp FROM docs', thresholds => '{0.5,0.9,0.3,0.7,1}', recall => 0.9999);
CREATE FUNCTION components(lim float8) RETURNS TABLE (id bigint, cluster bigint, size bigint) LANGUAGE sql AS
	$$ SELECT * FROM connected_components(format('SELECT a, b FROM links WHERE similarity >= %s', lim)) $$;
SELECT formed_at, count(*) AS rows, count(DISTINCT cluster) AS clusters, max(size) AS largest,
	(SELECT count(*) FROM (SELECT id, cluster, size FROM nested AS o WHERE o.formed_at = n.formed_at EXCEPT SELECT * FROM components(n.formed_at)) AS d) AS wrong,
	(SELECT count(*) FROM (SELECT * FROM components(n.formed_at) EXCEPT SELECT id, cluster, size FROM nested AS o WHERE o.formed_at = n.formed_at) AS d) AS missing
FROM nested AS n GROUP BY formed_at ORDER BY formed_at DESC;
SELECT count(*) AS wrong FROM nested AS n JOIN docs AS a ON a.id = n.id JOIN docs AS b ON b.id = n.cluster WHERE n.similarity <> jaccard(a.fp, b.fp);
SELECT count(*) AS "not nested" FROM nested AS x JOIN nested AS y ON y.id = x.id AND y.formed_at < x.formed_at JOIN nested AS z ON z.id = x.cluster AND z.formed_at = y.formed_at WHERE z.cluster <> y.cluster;
SELECT count(*) FILTER (WHERE size > 1) AS rows, max(formed_at) AS first FROM (SELECT DISTINCT ON (id) * FROM nested ORDER BY id, formed_at DESC) AS n;
-- with priorities, groups, ids of another type, compact sketches and embeddings: as one call for each
CREATE FUNCTION compare_with_single(query text, limits float8[], options text DEFAULT '', id_type text DEFAULT 'bigint') RETURNS TABLE (formed_at float8, rows bigint, wrong bigint) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TEMP TABLE at_once AS SELECT * FROM near_duplicate_clusters(NULL::%s, %L, threshold => NULL, thresholds => %L%s)', id_type, query, limits, options);
	FOREACH formed_at IN ARRAY limits LOOP
		EXECUTE format('SELECT count(n.id), count(*) FILTER (WHERE (n.cluster, n.size, n.similarity) IS DISTINCT FROM (a.cluster, a.size, a.similarity)) FROM near_duplicate_clusters(NULL::%s, %L, threshold => %s%s) AS a
			FULL JOIN (SELECT * FROM at_once AS o WHERE o.formed_at = %s) AS n ON n.id = a.id', id_type, query, formed_at, options, formed_at) INTO rows, wrong;
		RETURN NEXT;
	END LOOP;
	DROP TABLE at_once;
END$$;
SELECT * FROM compare_with_single('SELECT id, fp, priority FROM docs', '{0.8,0.5}', ', recall => 0.9999');
SELECT * FROM compare_with_single('SELECT id, fp, id % 2 FROM docs', '{0.8,0.5}', ', recall => 0.9999, grouped => true');
SELECT * FROM compare_with_single('SELECT ''r'' || id, fp::minhash128_compact FROM docs', '{0.8,0.5}', ', recall => 0.9999', 'text');
CREATE TEMP TABLE vectors AS SELECT i AS id, to_embedding((SELECT array_agg((sin(i / 3 * j) + (i % 3) * 0.2 * cos(7 * i * j))::real) FROM generate_series(1, 16) AS j)) AS e FROM generate_series(1, 60) AS i;
SELECT formed_at, rows > 10 AS some, wrong FROM compare_with_single('SELECT id, e FROM vectors', '{0.95,0.8}', ', recall => 1');
SELECT count(*) FROM near_duplicate_clusters('SELECT id, fp FROM docs WHERE false', thresholds => '{0.8,0.5}');

-- ---- max_size: a row is in its component at the lowest threshold at which that is not too large
CREATE TEMP TABLE levels AS SELECT level, c.* FROM (SELECT DISTINCT similarity AS level FROM links UNION SELECT 1) AS l, LATERAL components(level) AS c;
CREATE FUNCTION cut_by_hand(lim float8, most int) RETURNS TABLE (id bigint, cluster bigint, size bigint, formed_at float8) LANGUAGE sql AS $$
	SELECT id, cluster, size, CASE WHEN most < (SELECT o.size FROM levels AS o WHERE o.id = r.id AND o.level >= lim ORDER BY o.level LIMIT 1) THEN (SELECT max(o.level) FROM levels AS o WHERE o.id = r.id AND o.size = r.size) END
	FROM (SELECT DISTINCT ON (id) * FROM levels WHERE level >= lim AND (size <= most OR level = 1) ORDER BY id, level) AS r $$;
CREATE FUNCTION check_cut(lim float8, most int) RETURNS TABLE (rows bigint, clusters bigint, largest bigint, cut bigint, wrong bigint, missing bigint, "formed wrongly" bigint) LANGUAGE sql AS $$
	WITH c AS MATERIALIZED (SELECT * FROM near_duplicate_clusters('SELECT id, fp FROM docs', lim, recall => 0.9999, max_size => most)), h AS MATERIALIZED (SELECT * FROM cut_by_hand(lim, most))
	SELECT count(*), count(DISTINCT cluster), max(size), count(DISTINCT cluster) FILTER (WHERE formed_at IS NOT NULL),
		(SELECT count(*) FROM (SELECT id, cluster, size FROM c EXCEPT SELECT id, cluster, size FROM h) AS d),
		(SELECT count(*) FROM (SELECT id, cluster, size FROM h EXCEPT SELECT id, cluster, size FROM c) AS d),
		(SELECT count(*) FROM c JOIN h USING (id) WHERE c.formed_at IS DISTINCT FROM h.formed_at)
	FROM c $$;
SELECT most, c.* FROM (VALUES (2), (3), (5), (14), (15), (40), (1000)) AS m(most), LATERAL check_cut(0.5, most) AS c;
SELECT most, c.* FROM (VALUES (7), (30)) AS m(most), LATERAL check_cut(0.3, most) AS c;
-- in every mode no cluster is larger, but for equal rows; stars stay stars, and complete clusters complete
CREATE TEMP TABLE cut AS SELECT mode, most, c.* FROM (VALUES ('star', 4), ('star', 9), ('complete', 4), ('complete', 9)) AS m(mode, most), LATERAL near_duplicate_clusters('SELECT id, fp FROM docs', 0.5, mode => mode, recall => 0.9999, max_size => most) AS c;
SELECT mode, most, count(DISTINCT cluster) AS clusters, max(size) AS largest, max(size) FILTER (WHERE formed_at < 1 OR formed_at IS NULL) AS "but for copies", count(*) FILTER (WHERE similarity < 0.5) AS "no star",
	(SELECT count(*) FROM cut AS x JOIN cut AS y ON (x.mode, x.most, x.cluster) = (y.mode, y.most, y.cluster) AND x.id < y.id WHERE (x.mode, x.most) = (c.mode, c.most) AND NOT EXISTS (SELECT FROM links WHERE a = x.id AND b = y.id AND links.similarity >= 0.5)) AS "pairs that are not similar"
FROM cut AS c GROUP BY 1, 2 ORDER BY 1, 2;
-- stars against the plain rule: the centre keeps as many of the most similar as there is room for, those as similar as the first of the others go
CREATE FUNCTION cut_stars_by_hand(lim float8, most int) RETURNS TABLE (id int, cluster int) LANGUAGE plpgsql AS $$
DECLARE
	c record;
	at float8;
BEGIN
	CREATE TEMP TABLE star AS SELECT s.id::int, s.cluster::int, CASE WHEN s.size <= most THEN s.cluster::int END AS centre FROM near_duplicate_clusters('SELECT id, fp FROM docs', lim, mode => 'star', recall => 0.9999) AS s;
	CREATE TEMP TABLE both_ways AS SELECT a, b, similarity FROM links UNION ALL SELECT b, a, similarity FROM links;
	CREATE INDEX ON both_ways (a);
	CREATE INDEX ON star (id);
	ANALYZE both_ways, star;
	LOOP
		SELECT * INTO c FROM star WHERE centre IS NULL ORDER BY star.cluster, star.id LIMIT 1;
		EXIT WHEN NOT FOUND;
		SELECT min(similarity) INTO at FROM (SELECT l.similarity, count(*) OVER (ORDER BY l.similarity DESC) AS n FROM both_ways AS l JOIN star AS o ON o.id = l.b AND o.centre IS NULL AND o.cluster = c.cluster WHERE l.a = c.id AND l.similarity >= lim) AS near WHERE n < most OR similarity = 1;
		UPDATE star SET centre = c.id WHERE star.id = c.id OR (centre IS NULL AND star.cluster = c.cluster AND star.id IN (SELECT l.b FROM both_ways AS l WHERE l.a = c.id AND l.similarity >= at));
	END LOOP;
	RETURN QUERY SELECT s.id, s.centre FROM star AS s WHERE EXISTS (SELECT FROM star AS o WHERE o.centre = s.centre AND o.id <> s.id);
	DROP TABLE both_ways;
	DROP TABLE star;
END$$;
SELECT most, count(*) AS rows, count(*) FILTER (WHERE cluster IS DISTINCT FROM expected) AS wrong FROM (VALUES (2), (6), (15)) AS m(most),
	LATERAL (SELECT c.cluster, h.cluster AS expected FROM near_duplicate_clusters('SELECT id, fp FROM docs', 0.5, mode => 'star', recall => 0.9999, max_size => most) AS c FULL JOIN cut_stars_by_hand(0.5, most) AS h ON h.id = c.id) AS c GROUP BY 1 ORDER BY 1;
-- apart goes with it, and workers do not matter
SELECT count(DISTINCT cluster) FILTER (WHERE id IN (5, 6)) AS "clusters of 5 and 6", max(size) FILTER (WHERE formed_at < 1 OR formed_at IS NULL) AS largest
FROM near_duplicate_clusters('SELECT id, fp FROM docs', 0.5, max_size => 9, apart => 'VALUES (5, 6)');
SET min_parallel_table_scan_size = 0;
CREATE FUNCTION with_workers(n int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('max_parallel_maintenance_workers', n::text, true);
	RETURN (SELECT md5(string_agg(c::text, ',' ORDER BY formed_at, id)) FROM near_duplicate_clusters('SELECT id, fp FROM docs', recall => 0.9999, thresholds => '{0.9,0.7,0.5,0.3}') AS c)
		|| (SELECT md5(string_agg(c::text, ',' ORDER BY id)) FROM near_duplicate_clusters('SELECT id, fp FROM docs', 0.5, max_size => 9) AS c);
END$$;
SELECT bool_and(with_workers(n) = with_workers(0)) AS same FROM unnest('{1,2,4}'::int[]) AS n;
RESET min_parallel_table_scan_size;
-- fingerprints with distances and scores: the similarity decides, formed_at is one
SELECT id, cluster, size, formed_at FROM near_duplicate_clusters('VALUES (1, ''0000000000000000''::simhash64), (2, ''0000000000000001''), (3, ''000000000000000f''), (4, ''00000000000000ff''), (5, ''00000000000000fe'')', max_distance => 4, max_size => 2) ORDER BY id;
-- equal rows stay together
SELECT id, cluster, size, formed_at FROM near_duplicate_clusters('VALUES (1, ''0000000000000000''::simhash64), (2, ''0000000000000000''), (3, ''0000000000000000''), (4, ''0000000000000001'')', max_distance => 4, max_size => 2) ORDER BY id;
SELECT mode, id, cluster, size, formed_at FROM (VALUES ('star'), ('complete')) AS m(mode), near_duplicate_clusters('VALUES (1, ''0000000000000000''::simhash64), (2, ''0000000000000000''), (3, ''0000000000000000''), (4, ''0000000000000001'')', max_distance => 4, max_size => 2, mode => mode) ORDER BY 1, 2;

-- ---- a cluster of more than a thousand different rows, and copies of some: those that share a key of the join are compared, which at this threshold are few
TRUNCATE docs, links, levels;
CREATE INDEX ON levels (id, level);
INSERT INTO docs SELECT id, 0, to_minhash128((SELECT array_agg('c' || j) FROM generate_series(d, d + 70 + d % 3) AS j)) FROM (SELECT i AS id, CASE WHEN i <= 1050 THEN i ELSE i % 40 * 25 + 1 END AS d FROM generate_series(1, 1150) AS i) AS r;
INSERT INTO links SELECT a.id, b.id, jaccard(a.fp, b.fp) FROM docs AS a JOIN docs AS b ON a.id < b.id WHERE minhash_similar(a.fp, b.fp, 0.85);
INSERT INTO levels SELECT level, c.* FROM (SELECT DISTINCT similarity AS level FROM links UNION SELECT 1) AS l, LATERAL components(level) AS c;
SELECT c.* FROM check_cut(0.85, 10) AS c;
-- a star of as many, in pairs, which have little in common but with the centre: so few have a key in common. What the centre does not keep stays with its other half;
-- a few are as similar to a row of another pair
TRUNCATE docs, links, levels;
INSERT INTO docs SELECT i, 0, to_minhash128((SELECT array_agg('s' || j) FROM generate_series(1, 100) AS j WHERE i = 1 OR hashint8extended(j, i / 2) % 100 > -40)
	|| CASE WHEN i > 1 THEN ARRAY(SELECT i / 2 || 'o' || j FROM generate_series(1, 40) AS j) || CASE WHEN i % 2 = 0 THEN ARRAY['x' || i, 'y' || i, 'z' || i, 'u' || i] END END)
FROM generate_series(1, 2000) AS i;
CREATE TEMP TABLE whole_star AS SELECT * FROM near_duplicate_clusters('SELECT id, fp FROM docs', 0.44, bands => 28, rows => 4, mode => 'star');
CREATE TEMP TABLE cut_star AS SELECT * FROM near_duplicate_clusters('SELECT id, fp FROM docs', 0.44, bands => 28, rows => 4, mode => 'star', max_size => 20);
SELECT max(a.size) > 1100 AS is_large, count(*) FILTER (WHERE x.cluster = y.cluster) > 400 AS pairs, count(*) FILTER (WHERE x.cluster IS DISTINCT FROM y.cluster) < 10 AS few_apart, (SELECT max(size) FROM cut_star) AS largest
FROM whole_star AS a JOIN whole_star AS b ON a.cluster = 1 AND b.cluster = 1 AND a.id > 1 AND a.id + 1 = b.id AND a.id / 2 = b.id / 2 LEFT JOIN cut_star AS x ON x.id = a.id LEFT JOIN cut_star AS y ON y.id = b.id
WHERE 1 NOT IN (coalesce(x.cluster, 0), coalesce(y.cluster, 0));
-- boilerplate: so many rows share keys that each is compared with each
TRUNCATE docs, links, levels;
INSERT INTO docs SELECT i, 0, to_minhash128((SELECT array_agg(CASE WHEN j <= 25 THEN 'b' || j ELSE i / (j - 20) || 'w' || j END) FROM generate_series(1, 30) AS j)) FROM generate_series(1, 1050) AS i;
INSERT INTO links SELECT a.id, b.id, jaccard(a.fp, b.fp) FROM docs AS a JOIN docs AS b ON a.id < b.id WHERE minhash_similar(a.fp, b.fp, 0.76);
INSERT INTO levels SELECT level, c.* FROM (SELECT DISTINCT similarity AS level FROM links UNION SELECT 1) AS l, LATERAL components(level) AS c;
SELECT c.* FROM check_cut(0.76, 100) AS c;

-- ---- errors
SELECT near_duplicate_clusters('SELECT id, fp FROM docs', 0.5, thresholds => '{0.8}');
SELECT near_duplicate_clusters('SELECT id, fp FROM docs', max_distance => 3, thresholds => '{0.8}');
SELECT near_duplicate_clusters('SELECT id, fp FROM docs', thresholds => '{}');
SELECT near_duplicate_clusters('SELECT id, fp FROM docs', thresholds => '{0.8,NULL}');
SELECT near_duplicate_clusters('SELECT id, fp FROM docs', thresholds => '{0.8,0}');
SELECT near_duplicate_clusters('SELECT id, fp FROM docs', thresholds => '{0.8,1.5}');
SELECT near_duplicate_clusters('SELECT id, fp FROM docs', thresholds => '{0.8,NaN}');
SELECT near_duplicate_clusters('SELECT id, fp FROM docs', thresholds => '{0.8,0.7,0.8}');
SELECT near_duplicate_clusters('SELECT id, fp FROM docs', thresholds => '{0.8,0.7}', mode => 'star');
SELECT near_duplicate_clusters('SELECT id, fp FROM docs', thresholds => '{0.8,0.7}', mode => 'complete');
SELECT near_duplicate_clusters('SELECT id, fp FROM docs', thresholds => '{0.8,0.7}', apart => 'VALUES (1, 2)');
SELECT near_duplicate_clusters('SELECT id, fp FROM docs', thresholds => '{0.8,0.7}', max_size => 9);
SELECT near_duplicate_clusters('VALUES (1, ''0000000000000000''::simhash64)', thresholds => '{0.8,0.7}');
SELECT near_duplicate_clusters('SELECT id, fp FROM docs', 0.5, max_size => 1);
SELECT near_duplicate_clusters('SELECT id, fp FROM docs', 0.5, max_size => 9, together => 'VALUES (1, 2)');
DROP FUNCTION compare_with_single, components, cut_by_hand, cut_stars_by_hand, check_cut, with_workers;
