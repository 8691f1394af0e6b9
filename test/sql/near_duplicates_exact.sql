-- near_duplicate_pairs, near_duplicate_clusters, deduplicate: TLSH digests and LavinHash values, whose pairs are found exactly
\set SHOW_CONTEXT never
SET extra_float_digits = 0; -- reduce noise

-- Texts of 60 words, in families of five that differ by 0 to 32 words; the first of a family has a copy, and three of its members have texts of other lengths.
CREATE FUNCTION words(family int, member int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT string_agg(left(md5(CASE WHEN i % 60 < member * member * 2 THEN family * 1000 + i + member * 7919 ELSE family * 1000 + i END::text), 3 + i % 5), ' ' ORDER BY i)
	FROM generate_series(1, 60 + member % 3 * 2) AS i $$;
CREATE TABLE docs (id int PRIMARY KEY, part int, body text, t tlsh, l lavinhash);
INSERT INTO docs SELECT id, id % 2, body, to_tlsh(body), to_lavinhash(convert_to(body, 'UTF8'))
FROM (SELECT i AS id, words(i / 6, greatest(0, i % 6 - 1)) AS body FROM generate_series(0, 599) AS i) AS texts;
INSERT INTO docs (id) VALUES (5000); -- no fingerprint

CREATE TEMP TABLE distances AS SELECT x.id AS a, y.id AS b, tlsh_distance(x.t, y.t) AS distance FROM docs x JOIN docs y ON x.id < y.id;
CREATE TEMP TABLE scores AS SELECT x.id AS a, y.id AS b, lavinhash_similarity(x.l, y.l) AS score FROM docs x JOIN docs y ON x.id < y.id;

-- All pairs, compared with brute force
SELECT d AS distance, count(found) > 0 AS some, count(*) FILTER (WHERE found IS NULL) AS missed, count(*) FILTER (WHERE truth IS NULL) AS wrong, count(found) - count(DISTINCT (found, b)) AS several
FROM unnest('{0,20,40,80,300}'::int[]) AS d,
	LATERAL (SELECT t.a AS truth, f.a AS found, f.b FROM (SELECT * FROM distances WHERE distance <= d) AS t
		FULL JOIN near_duplicate_pairs('SELECT id, t FROM docs', max_distance => d) AS f ON t.a = f.a AND t.b = f.b AND f.similarity = 1 - t.distance / 300::float8) AS both_ways GROUP BY d ORDER BY d;
SELECT s AS score, count(found) > 0 AS some, count(*) FILTER (WHERE found IS NULL) AS missed, count(*) FILTER (WHERE truth IS NULL) AS wrong, count(found) - count(DISTINCT (found, b)) AS several
FROM unnest('{100,90,80,60,20}'::int[]) AS s,
	LATERAL (SELECT t.a AS truth, f.a AS found, f.b FROM (SELECT * FROM scores WHERE score >= s) AS t
		FULL JOIN near_duplicate_pairs('SELECT id, l FROM docs', min_score => s) AS f ON t.a = f.a AND t.b = f.b AND f.similarity = t.score / 100::float8) AS both_ways GROUP BY s ORDER BY s;
-- the similarity of the type fingerprint is the same
SELECT count(*) AS others FROM near_duplicate_pairs('SELECT id, t FROM docs', max_distance => 60) JOIN docs x ON x.id = a JOIN docs y ON y.id = b WHERE similarity <> fingerprint_similarity(x.t::fingerprint, y.t::fingerprint);
SELECT count(*) AS others FROM near_duplicate_pairs('SELECT id, l FROM docs', min_score => 60) JOIN docs x ON x.id = a JOIN docs y ON y.id = b WHERE similarity <> fingerprint_similarity(x.l::fingerprint, y.l::fingerprint);
-- the default is that of %
SET txtfp.tlsh_threshold = 25;
SELECT count(*) = (SELECT count(*) FROM distances WHERE distance <= 25) AS "default" FROM near_duplicate_pairs('SELECT id, t FROM docs');
RESET txtfp.tlsh_threshold;
SELECT count(*) = (SELECT count(*) FROM scores WHERE score >= 80) AS "default" FROM near_duplicate_pairs('SELECT id, l FROM docs');

-- The values in a file
SET maintenance_work_mem = '1MB';
SELECT count(*) = (SELECT count(*) FROM scores WHERE score >= 60) AS "all" FROM near_duplicate_pairs('SELECT id, l FROM docs', min_score => 60);
RESET maintenance_work_mem;

-- Clusters
SELECT count(*) > 0 AS some, count(*) FILTER (WHERE (id, cluster, size) NOT IN (SELECT * FROM connected_components('SELECT a, b FROM distances WHERE distance <= 30'))) AS wrong FROM near_duplicate_clusters('SELECT id, t FROM docs', max_distance => 30);
SELECT count(*) > 0 AS some, count(*) FILTER (WHERE (id, cluster, size) NOT IN (SELECT * FROM connected_components('SELECT a, b FROM scores WHERE score >= 70'))) AS wrong FROM near_duplicate_clusters('SELECT id, l FROM docs', min_score => 70);
SELECT count(*) > 0 AS some, count(*) FILTER (WHERE s.id < s.cluster) AS "before its centre", count(*) FILTER (WHERE tlsh_distance(x.t, y.t) > 60) AS "not similar"
FROM near_duplicate_clusters('SELECT id, t FROM docs', max_distance => 60, mode => 'star') AS s JOIN docs x ON x.id = s.id JOIN docs y ON y.id = s.cluster;
SELECT count(*) > 0 AS some, count(*) FILTER (WHERE s.id < s.cluster) AS "before its centre", count(*) FILTER (WHERE lavinhash_similarity(x.l, y.l) < 60) AS "not similar"
FROM near_duplicate_clusters('SELECT id, l FROM docs', min_score => 60, mode => 'star') AS s JOIN docs x ON x.id = s.id JOIN docs y ON y.id = s.cluster;

-- Two sets, and groups
SELECT count(*) AS found, count(*) FILTER (WHERE a % 2 = 1 OR b % 2 = 0) AS wrong, count(*) = (SELECT count(*) FROM distances WHERE distance <= 60 AND a % 2 <> b % 2) AS "all"
FROM near_duplicate_pairs_between('SELECT id, t FROM docs WHERE part = 0', 'SELECT id, t FROM docs WHERE part = 1', max_distance => 60);
SELECT count(*) AS found, count(*) FILTER (WHERE a % 2 = 1 OR b % 2 = 0) AS wrong, count(*) = (SELECT count(*) FROM scores WHERE score >= 60 AND a % 2 <> b % 2) AS "all"
FROM near_duplicate_pairs_between('SELECT id, l FROM docs WHERE part = 0', 'SELECT id, l FROM docs WHERE part = 1', min_score => 60);
SELECT count(*) AS found, count(*) FILTER (WHERE a % 2 <> b % 2) AS wrong, count(*) = (SELECT count(*) FROM distances WHERE distance <= 60 AND a % 2 = b % 2) AS "all"
FROM near_duplicate_pairs('SELECT id, t, part FROM docs', max_distance => 60, grouped => true);
SELECT count(*) AS found, count(*) FILTER (WHERE a % 2 <> b % 2) AS wrong FROM near_duplicate_pairs('SELECT id, l, part FROM docs', min_score => 60, grouped => true);

-- deduplicate
SELECT count(*) > 0 AS some, count(*) FILTER (WHERE tlsh_distance(x.t, y.t) > 60) AS "not similar" FROM deduplicate('SELECT id, t FROM docs', max_distance => 60) AS d JOIN docs x ON x.id = d.id JOIN docs y ON y.id = d.kept;
SELECT reason, count(*) > 0 AS some FROM deduplicate('SELECT id, l, body FROM docs', min_score => 60, verify => 'jaccard', verify_threshold => 0.3, guard => '') GROUP BY reason ORDER BY reason;

-- Errors
SELECT near_duplicate_pairs('SELECT id, t FROM docs', max_distance => -1);
SELECT near_duplicate_pairs('SELECT id, t FROM docs', max_distance => 2474);
SELECT near_duplicate_pairs('SELECT id, l FROM docs', 0.8);
SELECT near_duplicate_pairs('SELECT id, t FROM docs', min_score => 80);
SELECT near_duplicate_pairs('SELECT id, l FROM docs', min_score => 101);
SELECT near_duplicate_pairs('SELECT id, t FROM docs', max_distance => 30, bands => 4);
SELECT near_duplicate_clusters('SELECT id, l FROM docs', min_score => 80, recall => 0.9);
SELECT deduplicate('SELECT id, t, body FROM docs', max_distance => 60, verify => 'jaccard');
DROP TABLE docs;
DROP FUNCTION words;
