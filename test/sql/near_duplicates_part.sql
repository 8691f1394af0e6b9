-- near_duplicate_pairs_part: the parts together are near_duplicate_pairs
\set SHOW_CONTEXT never
CREATE TABLE docs AS
SELECT i AS id, format('%s', md5(i::text))::uuid AS uid, i % 3 AS kind, to_minhash128(t) AS fp, to_simhash64(t::text) AS sh
FROM generate_series(1, 3000) AS i, LATERAL (SELECT array_agg('t' || (i / 6 * 40 + k * (1 + i % 3 * (k % 9 / 8)))) AS t FROM generate_series(1, 40) AS k) AS tokens;
CREATE TEMP TABLE whole AS SELECT * FROM near_duplicate_pairs('SELECT id, fp FROM docs', 0.7);
SELECT count(*) > 3000 AS many, count(*) FILTER (WHERE similarity = 1) > 1000 AS copies FROM whole;

-- each pair is in one part, whatever their number; more parts than bands are empty
SELECT parts, count(*) - (SELECT count(*) FROM whole) AS several,
	count(*) FILTER (WHERE NOT EXISTS (SELECT FROM whole AS w WHERE (w.a, w.b, w.similarity) = (p.a, p.b, p.similarity))) AS wrong,
	count(DISTINCT part) > 1 AS divided
FROM unnest('{1,2,3,300}'::int[]) AS parts, generate_series(1, parts) AS part,
	near_duplicate_pairs_part('SELECT id, fp FROM docs', part, parts, 0.7) AS p
GROUP BY parts ORDER BY parts;
-- with options, groups, ids of another type; in little memory
SET maintenance_work_mem = '1MB';
SELECT count(*), count(DISTINCT (a, b)) = count(*) AS once, count(*) = (SELECT count(*) FROM near_duplicate_pairs('SELECT id, fp, kind FROM docs', 0.7, bands => 16, rows => 4, grouped => true)) AS all
FROM generate_series(1, 4) AS part, near_duplicate_pairs_part('SELECT id, fp, kind FROM docs', part, 4, 0.7, bands => 16, rows => 4, grouped => true);
RESET maintenance_work_mem;
SELECT count(*) = (SELECT count(*) FROM whole) AS all FROM generate_series(1, 2) AS part, near_duplicate_pairs_part(NULL::uuid, 'SELECT uid, fp FROM docs', part, 2, 0.7);
-- clusters of the parts
SELECT count(*) AS differences FROM near_duplicate_clusters('SELECT id, fp FROM docs', 0.7) AS c
FULL JOIN connected_components($$SELECT a, b FROM generate_series(1, 2) AS part, near_duplicate_pairs_part('SELECT id, fp FROM docs', part, 2, 0.7)$$) AS p USING (id)
WHERE c.cluster IS DISTINCT FROM p.cluster;

SELECT * FROM near_duplicate_pairs_part('SELECT id, fp FROM docs', 0, 2, 0.7);
SELECT * FROM near_duplicate_pairs_part('SELECT id, fp FROM docs', 3, 2, 0.7);
SELECT * FROM near_duplicate_pairs_part('SELECT id, fp FROM docs', 1, 0, 0.7);
SELECT * FROM near_duplicate_pairs_part('SELECT id, fp FROM docs', NULL, 2, 0.7);
SELECT * FROM near_duplicate_pairs_part('SELECT id, fp FROM docs', 1, NULL, 0.7);
SELECT * FROM near_duplicate_pairs_part('SELECT id, sh FROM docs', 1, 2, max_distance => 3);
SELECT count(*) >= 0 AS undivided FROM near_duplicate_pairs_part('SELECT id, sh FROM docs', 1, 1, max_distance => 3);
SELECT * FROM near_duplicate_pairs_part('SELECT id, to_embedding(ARRAY[id, 1]) FROM docs', 1, 2, 0.9);

-- nobody runs a bulk function now
SELECT * FROM bulk_progress();
DROP TABLE docs;
