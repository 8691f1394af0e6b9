-- near_duplicate_pairs, near_duplicate_clusters: MinHash sketches, ids, options, errors
\set SHOW_CONTEXT never
SET extra_float_digits = 0; -- reduce noise

CREATE TABLE docs (id bigint PRIMARY KEY, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED);
INSERT INTO docs VALUES
	(1, 'the quick brown fox jumps over the lazy dog and runs far away into the dark green woods behind the hill'),
	(2, 'a completely different sentence about databases, indexes and the people who love to build them at night'),
	(3, 'the quick brown fox jumps over the lazy dog and runs far away into the dark green woods behind the hill'),
	(4, 'The quick, brown fox jumps over the lazy dog and runs far away into the dark green woods behind the house'),
	(5, 'one more sentence that has nothing in common with any of the other ones in this very small collection'),
	(6, 'A completely different sentence about databases, indexes and the people who love to build them at dawn'),
	(7, ''), (8, NULL);

-- The calls of the README
SELECT * FROM near_duplicate_pairs('SELECT id, fp FROM docs', threshold => 0.8);
SELECT * FROM near_duplicate_clusters('SELECT id, fp FROM docs', threshold => 0.8);
SELECT pg_typeof(a) AS a, pg_typeof(b) AS b, pg_typeof(similarity) AS similarity FROM near_duplicate_pairs('SELECT id, fp FROM docs', 0.8) LIMIT 1;
SELECT pg_typeof(id) AS id, pg_typeof(cluster) AS cluster, pg_typeof(size) AS size FROM near_duplicate_clusters('SELECT id, fp FROM docs', 0.8) LIMIT 1;
-- a join needs no cast
SELECT id, cluster, left(body, 20) AS body FROM near_duplicate_clusters('SELECT id, fp FROM docs', 0.8) JOIN docs USING (id) WHERE id <> cluster ORDER BY id;
SELECT a, b, jaccard(x.fp, y.fp) = similarity AS verified FROM near_duplicate_pairs('SELECT id, fp FROM docs', 0.5) JOIN docs x ON x.id = a JOIN docs y ON y.id = b ORDER BY a, b;
SELECT near_duplicate_pairs('SELECT id, fp FROM docs', 0.9) AS record;
SELECT count(*) FROM near_duplicate_pairs('SELECT id, fp FROM docs WHERE false', 0.8);
SELECT count(*) FROM near_duplicate_clusters('SELECT id, fp FROM docs WHERE id = 1', 0.8);
SELECT * FROM near_duplicate_pairs('VALUES (2, to_minhash64(''a b c'')), (1, to_minhash64(''a b c''))', 1);
CREATE TEMP VIEW fingerprints AS SELECT id, fp FROM docs;
SELECT count(*) FROM near_duplicate_pairs('TABLE fingerprints', 0.8);

-- Ids of every type

CREATE TEMP VIEW typed AS SELECT id, id::int2 AS small, id::int4 AS int, md5(id::text)::uuid AS uuid, 'doc ' || id AS text, ('doc ' || id)::varchar(9) AS varchar, fp FROM docs;
SELECT * FROM near_duplicate_clusters('SELECT small, fp FROM typed', 0.8);
SELECT *, pg_typeof(id) FROM near_duplicate_clusters('SELECT int, fp FROM typed', 0.8);
SELECT *, pg_typeof(id) FROM near_duplicate_clusters(NULL::int, 'SELECT int, fp FROM typed', 0.8);
SELECT * FROM near_duplicate_clusters(NULL::uuid, 'SELECT uuid, fp FROM typed', 0.8);
SELECT * FROM near_duplicate_clusters(NULL::text, 'SELECT text, fp FROM typed', threshold => 0.8, mode => 'star');
SELECT * FROM near_duplicate_clusters(NULL::varchar, 'SELECT text, fp FROM typed', 0.8);
SELECT * FROM near_duplicate_pairs(NULL::int, 'SELECT int, fp FROM typed', 0.8);
SELECT * FROM near_duplicate_pairs(NULL::uuid, 'SELECT uuid, fp FROM typed', 0.8);
SELECT * FROM near_duplicate_pairs(NULL::varchar, query => 'SELECT varchar, fp FROM typed', threshold => 0.8);
CREATE DOMAIN doc_id AS int CHECK (VALUE > 0);
SELECT * FROM near_duplicate_pairs('SELECT int::doc_id, fp FROM typed', 0.95);
-- the order of ids: by number, not by text; text by bytes; uuid by bytes
SELECT * FROM near_duplicate_clusters('VALUES (10, to_minhash64(''a'')), (-9, to_minhash64(''a'')), (9, to_minhash64(''a''))', 1);
SELECT * FROM near_duplicate_clusters(NULL::text, 'VALUES (''10'', to_minhash64(''a'')), (''é'', to_minhash64(''a'')), (''a'', to_minhash64(''a'')), (''B'', to_minhash64(''a'')), ('''', to_minhash64(''a'')), (''9'', to_minhash64(''a''))', 1);
SELECT * FROM near_duplicate_pairs('VALUES (9223372036854775807, to_minhash64(''a'')), (-9223372036854775808, to_minhash64(''a''))', 1);

-- All pairs, compared with brute force. Sketches of sets: i and j share tokens if the numbers are close.

CREATE TABLE sets AS SELECT i::bigint AS id, to_minhash64(t) AS fp64, to_minhash128(t) AS fp, to_minhash256(t) AS fp256
FROM generate_series(1, 400) AS i, LATERAL (SELECT array_agg('t' || (i / 3 * 40 + k * (1 + i % 3 * (k % 9 / 8)))) AS t FROM generate_series(1, 60) AS k) AS tokens;
CREATE FUNCTION compare(fingerprint text, threshold float8, OUT pairs bigint, OUT hits bigint, OUT wrong bigint, OUT several bigint) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('WITH truth AS (SELECT x.id AS a, y.id AS b, jaccard(x.%1$I, y.%1$I) AS similarity FROM sets x JOIN sets y ON x.id < y.id WHERE jaccard(x.%1$I, y.%1$I) >= %2$L),
		found AS (SELECT * FROM near_duplicate_pairs(''SELECT id, %1$I FROM sets'', %2$L))
		SELECT (SELECT count(*) FROM truth), (SELECT count(*) FROM found), (SELECT count(*) FROM (TABLE found EXCEPT TABLE truth) AS wrong),
			(SELECT count(*) - count(DISTINCT (a, b)) FROM found)', fingerprint, threshold) INTO pairs, hits, wrong, several;
END $$;
SELECT f AS fingerprint, t AS threshold, pairs, hits >= 0.99 * pairs AS "0.99 of them found", wrong, several
FROM unnest('{fp64,fp,fp256}'::text[]) AS f, unnest('{0.3,0.5,0.7,0.8,0.9,1}'::float8[]) AS t, compare(f, t) ORDER BY 1, 2;

-- Clusters are the components of the pairs; a cluster is named after its smallest id; sizes
CREATE TEMP TABLE clusters AS SELECT * FROM near_duplicate_clusters('SELECT id, fp FROM sets', 0.5);
SELECT count(*) AS members, count(DISTINCT cluster) AS clusters, min(size) AS "min size",
	count(*) FILTER (WHERE size <> (SELECT count(*) FROM clusters AS c WHERE c.cluster = clusters.cluster)) AS "wrong size",
	count(*) FILTER (WHERE cluster <> (SELECT min(id) FROM clusters AS c WHERE c.cluster = clusters.cluster)) AS "wrong name" FROM clusters;
SELECT count(*) AS differences FROM (SELECT id, cluster, size FROM clusters EXCEPT SELECT * FROM connected_components('SELECT a, b FROM near_duplicate_pairs(''SELECT id, fp FROM sets'', 0.5)')) AS d;
-- the order of the rows does not matter
SELECT count(*) AS differences FROM (TABLE clusters EXCEPT SELECT * FROM near_duplicate_clusters('SELECT id, fp FROM sets ORDER BY md5(id::text)', 0.5)) AS d;
SELECT count(*) AS differences FROM (SELECT * FROM near_duplicate_pairs('SELECT id, fp FROM sets', 0.5) EXCEPT SELECT * FROM near_duplicate_pairs('SELECT id, fp FROM sets ORDER BY id DESC', 0.5)) AS d;

-- Stars: every member is similar to the one that the star is named after; greedy in the order of ids
CREATE TEMP TABLE stars AS SELECT * FROM near_duplicate_clusters('SELECT id, fp FROM sets', 0.5, 'star');
SELECT count(*) > 0 AS some,
	count(*) FILTER (WHERE s.id < s.cluster) AS "before its centre", count(*) FILTER (WHERE jaccard(x.fp, y.fp) < 0.5) AS "not similar"
FROM stars AS s JOIN sets x ON x.id = s.id JOIN sets y ON y.id = s.cluster;
SELECT * FROM near_duplicate_clusters('SELECT id, fp FROM docs', 0.8, mode => 'star');
-- a chain: a component is not cut by the threshold, a star is
CREATE TEMP TABLE chain AS SELECT i AS id, to_minhash256(array_agg('t' || k)) AS fp FROM generate_series(1, 8) AS i, generate_series(15 * i, 15 * i + 99) AS k GROUP BY i;
SELECT string_agg(format('%s in %s', id, cluster), ', ' ORDER BY id) AS components FROM near_duplicate_clusters('SELECT id, fp FROM chain', 0.65);
SELECT string_agg(format('%s in %s', id, cluster), ', ' ORDER BY id) AS stars FROM near_duplicate_clusters('SELECT id, fp FROM chain', 0.65, 'star');

-- Options

SELECT count(*) > 0 AS found FROM near_duplicate_pairs('SELECT id, fp FROM docs', 0.8, bands => 16, rows => 4);
SELECT count(*) AS "no band of all slots" FROM near_duplicate_pairs('SELECT id, fp FROM docs', 0.8, bands => 1, rows => 128);
SELECT count(*) > 0 AS found FROM near_duplicate_pairs('SELECT id, fp FROM docs', 0.8, recall => 0.5);
SELECT count(*) > 0 AS found FROM near_duplicate_clusters('SELECT id, fp FROM docs', 0.8, bands => 128, rows => 1);
SELECT count(*) > 0 AS found FROM near_duplicate_clusters('SELECT id, fp FROM docs', 0.8, recall => 0.999);

-- Errors of the options

-- without a threshold, the threshold of % is used
SET txtfp.jaccard_threshold = 0.87;
SELECT count(*) FROM near_duplicate_pairs('SELECT id, fp FROM docs');
SELECT count(*) FROM near_duplicate_pairs('SELECT id, fp FROM docs', recall => 0.9);
SELECT count(*) FROM near_duplicate_pairs(NULL::int8, 'SELECT id, fp FROM docs', NULL);
SELECT count(*) FROM near_duplicate_clusters('SELECT id, fp FROM docs', mode => 'star');
SET txtfp.jaccard_threshold = 0;
SELECT near_duplicate_pairs('SELECT id, fp FROM docs');
RESET txtfp.jaccard_threshold;
SELECT count(*) FROM near_duplicate_pairs('SELECT i, i::simhash64 FROM generate_series(1, 50::bigint) AS i') AS d;
SET txtfp.hamming_threshold = 1;
SELECT count(*) FROM near_duplicate_pairs('SELECT i, i::simhash64 FROM generate_series(1, 50::bigint) AS i') AS d;
RESET txtfp.hamming_threshold;
SELECT near_duplicate_pairs(NULL, 0.8);
SELECT near_duplicate_pairs('SELECT id, fp FROM docs', NULL);
SELECT near_duplicate_pairs('SELECT id, fp FROM docs', 0);
SELECT near_duplicate_pairs('SELECT id, fp FROM docs', 1.5);
SELECT near_duplicate_pairs('SELECT id, fp FROM docs', 'Infinity');
SELECT near_duplicate_pairs('SELECT id, fp FROM docs', 'NaN');
SELECT near_duplicate_pairs('SELECT id, fp FROM docs', 0.8, bands => 16);
SELECT near_duplicate_pairs('SELECT id, fp FROM docs', 0.8, rows => 4);
SELECT near_duplicate_pairs('SELECT id, fp FROM docs', 0.8, bands => 16, rows => 9);
SELECT near_duplicate_pairs('SELECT id, fp FROM docs', 0.8, bands => 0, rows => 4);
SELECT near_duplicate_pairs('SELECT id, fp FROM docs', 0.8, bands => 2147483647, rows => 2147483647);
SELECT near_duplicate_pairs('SELECT id, fp FROM docs', 0.8, 0.9, 16, 4);
SELECT near_duplicate_pairs('SELECT id, fp FROM docs', 0.8, recall => 1);
SELECT near_duplicate_pairs('SELECT id, fp FROM docs', 0.8, recall => 0);
SELECT near_duplicate_pairs('SELECT id, fp FROM docs', 0.01);
SELECT near_duplicate_clusters('SELECT id, fp FROM docs', 0.8, 'stars');
SELECT near_duplicate_clusters('SELECT id, fp FROM docs', 0.8, NULL);
SELECT near_duplicate_clusters('SELECT id, fp FROM docs', NULL);
SELECT near_duplicate_clusters(NULL, 0.8);

-- Errors of the query

SELECT near_duplicate_pairs('', 0.8);
SELECT near_duplicate_pairs('SELECT id, fp FROM nowhere', 0.8);
SELECT near_duplicate_pairs('SELECT id FROM docs', 0.8);
SELECT near_duplicate_pairs('SELECT id, fp, body FROM docs', 0.8);
SELECT near_duplicate_pairs('SELECT id, body FROM docs', 0.8);
SELECT near_duplicate_pairs('SELECT fp, id FROM docs', 0.8);
SELECT near_duplicate_pairs('SELECT uuid, fp FROM typed', 0.8);
SELECT near_duplicate_pairs('SELECT text, fp FROM typed', 0.8);
SELECT near_duplicate_pairs(NULL::int, 'SELECT id, fp FROM typed', 0.8);
SELECT near_duplicate_pairs(NULL::text, 'SELECT id, fp FROM typed', 0.8);
SELECT near_duplicate_pairs(NULL::numeric, 'SELECT id::numeric, fp FROM typed', 0.8);
SELECT near_duplicate_pairs(NULL::bigint, 'SELECT id::numeric, fp FROM typed', 0.8);
SELECT near_duplicate_pairs('SELECT NULL::int, fp FROM docs', 0.8);
SELECT near_duplicate_pairs('SELECT 7, fp FROM docs', 0.8);
SELECT near_duplicate_pairs(NULL::uuid, 'SELECT uuid, fp FROM typed UNION ALL SELECT uuid, fp FROM typed WHERE id = 3', 0.8);
SELECT near_duplicate_clusters(NULL::text, 'SELECT text, fp FROM typed UNION ALL SELECT text, fp FROM typed WHERE id = 3', 0.8);
SELECT near_duplicate_pairs('SELECT id, fp FROM docs WHERE id = $1', 0.8);
SELECT near_duplicate_pairs('SELECT id, fp FROM docs; SELECT id, fp FROM docs', 0.8);
SELECT near_duplicate_pairs('DELETE FROM docs RETURNING id, fp', 0.8);
SELECT near_duplicate_pairs('WITH gone AS (DELETE FROM docs RETURNING id, fp) SELECT * FROM gone', 0.8);
SELECT near_duplicate_pairs('SELECT id, fp FROM docs FOR UPDATE', 0.8);
SELECT near_duplicate_pairs('SELECT id, fp INTO copy FROM docs', 0.8);
SELECT near_duplicate_pairs('EXPLAIN SELECT id, fp FROM docs', 0.8);
SELECT near_duplicate_pairs('docs', 0.8);
SELECT near_duplicate_clusters('"My".docs', 0.8);
SELECT near_duplicate_pairs('', 0.8);
SELECT near_duplicate_pairs('SELECT', 0.8);
SELECT near_duplicate_pairs('SELECT id, fp FROM docs UNION ALL SELECT 0, to_minhash128(''a'', ''word-uax29'')', 0.8);
SELECT near_duplicate_pairs('SELECT 1 / (id - 5), fp FROM docs', 0.8);
SELECT count(*) AS "still there" FROM docs;

-- Sketches with unknown configuration can be compared with any
SELECT * FROM near_duplicate_pairs('SELECT id, fp FROM docs WHERE id IN (1, 3) UNION ALL SELECT 0, fp::bytea::minhash128 FROM docs WHERE id = 1', 0.8);

-- Where it runs: a read-only transaction, PL/pgSQL, a cursor, the rights of the caller

BEGIN READ ONLY;
SELECT count(*) FROM near_duplicate_clusters('SELECT id, fp FROM docs', 0.8);
COMMIT;
DO $$
DECLARE
	n int := 0;
	row record;
BEGIN
	FOR row IN SELECT * FROM near_duplicate_pairs('SELECT id, fp FROM docs', 0.8) LOOP
		n := n + 1;
	END LOOP;
	RAISE NOTICE '% pairs', n;
	BEGIN
		PERFORM near_duplicate_pairs('SELECT 1 / 0, fp FROM docs', 0.8);
	EXCEPTION WHEN division_by_zero THEN
		RAISE NOTICE 'caught';
	END;
END $$;
BEGIN;
DECLARE c CURSOR FOR SELECT a, b FROM near_duplicate_pairs('SELECT id, fp FROM docs', 0.8);
FETCH 1 FROM c;
FETCH 1 FROM c;
COMMIT;
-- rows of the statement's own transaction, but not of the statement itself
BEGIN;
INSERT INTO docs VALUES (9, 'one more sentence that has nothing in common with any of the other ones in this very small collection');
DELETE FROM docs USING near_duplicate_clusters('SELECT id, fp FROM docs', 0.8) AS c WHERE docs.id = c.id AND c.id <> c.cluster RETURNING docs.id;
ROLLBACK;
CREATE ROLE regress_txtfp_reader;
SET ROLE regress_txtfp_reader;
SELECT count(*) FROM near_duplicate_pairs('SELECT id, fp FROM docs', 0.8);
RESET ROLE;
GRANT SELECT ON docs TO regress_txtfp_reader;
SET ROLE regress_txtfp_reader;
SELECT count(*) FROM near_duplicate_pairs('SELECT id, fp FROM docs', 0.8);
RESET ROLE;
REVOKE ALL ON docs FROM regress_txtfp_reader;
DROP ROLE regress_txtfp_reader;

-- Progress: at the end of each phase
SET txtfp.progress = on;
SELECT count(*) FROM near_duplicate_clusters('SELECT id, fp FROM docs', 0.8);
SELECT count(*) FROM near_duplicate_pairs('SELECT id, fp FROM docs', 0.8);
RESET txtfp.progress;

DROP TABLE docs, sets CASCADE;
DROP FUNCTION compare;
DROP DOMAIN doc_id;
