-- tlsh_ops, exact at every distance, and tlsh_lsh_ops, approximate
\set SHOW_CONTEXT never
SET jit = off;
SET max_parallel_workers_per_gather = 0;
CREATE FUNCTION hex(seed text, digits int) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT left(string_agg(md5(seed || i), ''), digits) FROM generate_series(1, 3) AS i $$;
-- n digits at scattered places replaced
CREATE FUNCTION edited(fp text, seed text, n int) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	FOR i IN 1 .. n LOOP
		fp := overlay(fp PLACING hex(seed || i, 1) FROM 7 + ('x' || hex(i || seed, 4))::bit(16)::int % 64);
	END LOOP;
	RETURN fp;
END $$;
CREATE TABLE digests (id int PRIMARY KEY, fp tlsh);
-- many headers; one header with many bodies; one digest a thousand times; digests that agree in all parts that the tree splits by
INSERT INTO digests SELECT i, (hex('c' || i, 2) || hex('l' || i, 1) || i % 3 || hex('q' || i, 2) || hex('b' || i, 64))::tlsh FROM generate_series(1, 4000) AS i;
INSERT INTO digests SELECT i, (hex('c' || i, 2) || '9042' || hex('b' || i, 64))::tlsh FROM generate_series(4001, 8000) AS i;
INSERT INTO digests SELECT i, ('aa9042' || hex('same', 64))::tlsh FROM generate_series(8001, 9000) AS i;
INSERT INTO digests SELECT i, ('aa9043' || (SELECT string_agg((ARRAY['1b', '1e', '27', '2d', 'e4', 'e1', 'd8', 'd2'])[1 + ascii(substr(hex('p' || i, 32), j, 1)) % 8], '') FROM generate_series(1, 32) AS j))::tlsh FROM generate_series(9001, 9400) AS i;
-- neighbours, some of them with other length classes
INSERT INTO digests SELECT 10000 + row_number() OVER (ORDER BY id, n), edited(right(fp::text, 70), id::text, n)::tlsh FROM digests, generate_series(1, 15) AS n WHERE id <= 100 OR id BETWEEN 4001 AND 4020;
INSERT INTO digests SELECT 20000 + id, overlay(right(fp::text, 70) PLACING '0' FROM 4)::tlsh FROM digests WHERE id BETWEEN 10001 AND 10500;
INSERT INTO digests VALUES (39998, NULL), (39999, NULL);
CREATE TABLE probes AS SELECT id, fp FROM digests WHERE id % 10 = 1 AND id <= 100 OR id IN (4001, 4011, 8001, 9001, 10005, 10007, 11500) ORDER BY id;
CREATE TABLE expected AS SELECT radius, count(*) AS pairs, sum(hashtext(format('%s %s', p.id, d.id))::bigint) AS checksum
FROM unnest('{0,1,5,10,20,30,40,50,60,70,80,90,100,110,120,130,140,150,160,170,180,190,200,400,2473}'::int[]) AS radius, probes AS p, digests AS d WHERE tlsh_distance(p.fp, d.fp) <= radius GROUP BY radius;
SELECT radius, pairs FROM expected ORDER BY radius;

CREATE TABLE all_values AS SELECT md5(string_agg(fp::text, ' ' ORDER BY fp)) FROM digests;

-- The tree gives the same rows as a scan, at every distance.
CREATE FUNCTION by_index(radius int, OUT pairs bigint, OUT checksum numeric) LANGUAGE plpgsql
SET enable_seqscan = off AS $$
BEGIN
	SELECT count(*), sum(hashtext(format('%s %s', p.id, d.id))::bigint) INTO pairs, checksum
	FROM probes AS p, LATERAL (SELECT id FROM digests WHERE digests.fp % to_tlsh_probe(p.fp, radius) OFFSET 0) AS d;
END $$;
CREATE INDEX digests_fp ON digests USING spgist (fp);
VACUUM ANALYZE digests;
SELECT radius, i.pairs = e.pairs AND i.checksum = e.checksum AS same FROM expected AS e, by_index(radius) AS i ORDER BY radius;
-- ... whether it was built at once or row by row, with any plan
CREATE TABLE digests_copy (LIKE digests);
CREATE INDEX ON digests_copy USING spgist (fp);
INSERT INTO digests_copy SELECT * FROM digests ORDER BY md5(id::text);
ALTER TABLE digests RENAME TO digests_built;
ALTER TABLE digests_copy RENAME TO digests;
VACUUM ANALYZE digests;
SELECT bool_and(i.pairs = e.pairs AND i.checksum = e.checksum) AS row_by_row FROM expected AS e, by_index(radius) AS i;
SET enable_bitmapscan = off;
SELECT bool_and(i.pairs = e.pairs AND i.checksum = e.checksum) AS no_bitmap FROM expected AS e, by_index(radius) AS i;
SET enable_bitmapscan = on; SET enable_indexscan = off;
SELECT bool_and(i.pairs = e.pairs AND i.checksum = e.checksum) AS bitmap FROM expected AS e, by_index(radius) AS i;
RESET enable_bitmapscan; RESET enable_indexscan;
DROP TABLE digests;
ALTER TABLE digests_built RENAME TO digests;

-- Nearest first: the distances are in the order of a sort, to the end, for every probe.
CREATE FUNCTION nearest(probe tlsh, n int) RETURNS int[] LANGUAGE plpgsql SET enable_seqscan = off SET enable_sort = off AS $$
BEGIN
	RETURN array(SELECT fp <~> probe FROM digests ORDER BY fp <~> probe LIMIT n);
END $$;
CREATE FUNCTION sorted(probe tlsh, n int) RETURNS int[] LANGUAGE plpgsql SET enable_indexscan = off SET enable_indexonlyscan = off AS $$
BEGIN
	RETURN array(SELECT fp <~> probe FROM digests ORDER BY fp <~> probe LIMIT n);
END $$;
SELECT bool_and(nearest(fp, 10) = sorted(fp, 10)) AS ten, bool_and(nearest(fp, 20000) = sorted(fp, 20000)) AS all, count(*) AS probes FROM probes;
SELECT nearest((SELECT fp FROM digests WHERE id = 1), 12);
SELECT nearest(NULL, 3);
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM digests ORDER BY fp <~> repeat('0', 70)::tlsh LIMIT 5;
EXPLAIN (COSTS OFF) SELECT id FROM digests WHERE tlsh_similar(fp, repeat('0', 70)::tlsh, 30) ORDER BY fp <~> repeat('0', 70)::tlsh LIMIT 5;
SELECT id, fp <~> p.probe AS distance FROM digests, (SELECT fp AS probe FROM digests WHERE id = 1 OFFSET 0) AS p WHERE tlsh_similar(fp, p.probe, 30) ORDER BY fp <~> p.probe, id LIMIT 5;
-- Index-only scans: values, equality, NULLs
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT fp FROM digests WHERE fp = repeat('0', 70)::tlsh;
RESET enable_bitmapscan;
SELECT count(*), count(DISTINCT fp) FROM digests WHERE fp = (SELECT fp FROM digests WHERE id = 8500);
SELECT md5(string_agg(fp::text, ' ' ORDER BY fp)) = (TABLE all_values) AS same FROM digests WHERE fp IS NOT NULL;
SELECT id FROM digests WHERE fp IS NULL ORDER BY id;
-- two conditions at once
SELECT count(*) FROM digests WHERE fp % to_tlsh_probe((SELECT fp FROM digests WHERE id = 4001), 200) AND fp % to_tlsh_probe((SELECT fp FROM digests WHERE id = 4002), 190);
RESET enable_seqscan;
SELECT count(*) FROM digests WHERE tlsh_distance(fp, (SELECT fp FROM digests WHERE id = 4001)) <= 200 AND tlsh_distance(fp, (SELECT fp FROM digests WHERE id = 4002)) <= 190;

-- Plans
EXPLAIN (COSTS OFF) SELECT id FROM digests WHERE tlsh_similar(fp, repeat('0', 70)::tlsh, 30);
EXPLAIN (COSTS OFF) SELECT id FROM digests WHERE tlsh_similar(repeat('0', 70)::tlsh, fp, 30);
EXPLAIN (COSTS OFF) SELECT id FROM digests WHERE fp % repeat('0', 70)::tlsh;
EXPLAIN (COSTS OFF) SELECT id FROM digests WHERE repeat('0', 70)::tlsh % fp;
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM digests AS a JOIN digests AS b ON tlsh_similar(a.fp, b.fp, 30) WHERE a.id <= 20;
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM digests AS a JOIN digests AS b ON a.fp % b.fp WHERE a.id <= 20;
-- distance 0 is equality
EXPLAIN (COSTS OFF) SELECT id FROM digests WHERE tlsh_similar(fp, repeat('0', 70)::tlsh, 0);
-- so much of the tree is within the distance that a scan is cheaper
EXPLAIN (COSTS OFF) SELECT id FROM digests WHERE tlsh_similar(fp, repeat('0', 70)::tlsh, 300);
SET txtfp.tlsh_threshold = 300;
EXPLAIN (COSTS OFF) SELECT id FROM digests WHERE fp % repeat('0', 70)::tlsh;
-- % uses the parameter's value at the time of the search, even in a generic plan
SET txtfp.tlsh_threshold = 20;
SET plan_cache_mode = force_generic_plan;
SET enable_bitmapscan = off; SET enable_seqscan = off; -- whatever the visibility map says
PREPARE search(tlsh) AS SELECT count(*) FROM digests WHERE fp % $1;
EXECUTE search(NULL);
CREATE TABLE counts AS SELECT (SELECT count(*) FROM digests WHERE tlsh_distance(fp, (SELECT fp FROM digests WHERE id = 2)) <= 20) AS at_20, (SELECT count(*) FROM digests WHERE tlsh_distance(fp, (SELECT fp FROM digests WHERE id = 2)) <= 2473) AS at_2473;
SELECT fp AS probe FROM digests WHERE id = 2 \gset
EXPLAIN (COSTS OFF) EXECUTE search(:'probe');
RESET enable_bitmapscan; RESET enable_seqscan;
EXECUTE search(:'probe');
SET txtfp.tlsh_threshold = 2473;
EXECUTE search(:'probe');
TABLE counts;
RESET txtfp.tlsh_threshold; RESET plan_cache_mode;
DEALLOCATE search;

-- Estimates: within a factor of ten of the truth
\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/include/plans.sql'
\set ECHO none
\i :include
\set ECHO all
SELECT d, e.truth BETWEEN e.estimate / 10 AND e.estimate * 10 AS near
FROM unnest(ARRAY[0, 40, 100, 200, 300, 600, 2473]) AS d, LATERAL (SELECT
	estimate(format('SELECT FROM digests AS a JOIN digests AS b ON tlsh_similar(a.fp, b.fp, %s)', d)) AS estimate,
	(SELECT count(*) FROM digests AS a JOIN digests AS b ON tlsh_distance(a.fp, b.fp) <= d WHERE a.id % 100 = 7) * 100 AS truth) AS e;

-- Updates, deletes, vacuum
SET enable_seqscan = off;
UPDATE digests SET fp = repeat('7', 70)::tlsh WHERE id = 10001;
INSERT INTO digests VALUES (40001, repeat('7', 70)::tlsh), (40002, (repeat('7', 69) || '6')::tlsh), (40003, ('00' || repeat('7', 68))::tlsh);
SELECT id, fp <~> repeat('7', 70)::tlsh AS distance FROM digests WHERE tlsh_similar(fp, repeat('7', 70)::tlsh, 5) ORDER BY 2, 1;
DELETE FROM digests WHERE id IN (40001, 10001) OR id BETWEEN 8001 AND 8900;
VACUUM digests;
SELECT id, fp <~> repeat('7', 70)::tlsh AS distance FROM digests WHERE tlsh_similar(fp, repeat('7', 70)::tlsh, 5) ORDER BY 2, 1;
SELECT count(*) FROM digests WHERE fp = (SELECT fp FROM digests WHERE id = 8950);
RESET enable_seqscan;
DROP INDEX digests_fp;

-- tlsh_lsh_ops: always finds pairs less than 10 apart, and nearly all other near pairs
CREATE INDEX digests_fp ON digests USING gin (fp) WITH (fastupdate = off);
VACUUM ANALYZE digests;
CREATE FUNCTION recall(radius int, OUT wanted bigint, OUT hits bigint, OUT wrong bigint) LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
	WITH chosen AS MATERIALIZED (SELECT id AS probe, fp FROM digests WHERE id % 10 = 3 AND id <= 4100),
		pairs AS (SELECT probe, d.id, tlsh_distance(p.fp, d.fp) <= radius AS near FROM chosen AS p, digests AS d WHERE tlsh_distance(p.fp, d.fp) <= radius + 20),
		matches AS (SELECT probe, d.id FROM chosen AS p, LATERAL (SELECT id FROM digests WHERE digests.fp % to_tlsh_probe(p.fp, radius) OFFSET 0) AS d)
	SELECT count(*) FILTER (WHERE near), count(*) FILTER (WHERE near AND matches.id IS NOT NULL), count(*) FILTER (WHERE near IS NOT TRUE AND matches.id IS NOT NULL)
	INTO wanted, hits, wrong FROM pairs FULL JOIN matches USING (probe, id);
END $$;
SELECT radius, wanted, hits = wanted AS complete, wrong FROM unnest('{0,3,7,9}'::int[]) AS radius, recall(radius) ORDER BY radius;
SELECT radius, wanted, hits >= 0.95 * wanted AS nearly_all, wrong FROM unnest('{15,20,30,40}'::int[]) AS radius, recall(radius) ORDER BY radius;
-- beyond its reach it visits all rows
SELECT radius, hits = wanted AS complete, wrong FROM unnest('{41,60,100}'::int[]) AS radius, recall(radius) ORDER BY radius;
EXPLAIN (COSTS OFF) SELECT id FROM digests WHERE tlsh_similar(fp, :'probe', 4);
EXPLAIN (COSTS OFF) SELECT id FROM digests WHERE tlsh_similar(fp, :'probe', 41);
EXPLAIN (COSTS OFF) SELECT id FROM digests WHERE fp % :'probe';
DROP INDEX digests_fp;
CREATE INDEX digests_fp ON digests USING gin (fp tlsh_lsh_ops (bands = 8, bits = 16)) WITH (fastupdate = off);
SELECT radius, wanted, hits >= 0.9 * wanted AS most, wrong FROM unnest('{7,20,40}'::int[]) AS radius, recall(radius) ORDER BY radius;
DROP INDEX digests_fp;
CREATE INDEX digests_fp ON digests USING gin (fp tlsh_lsh_ops (bands = 33));
CREATE INDEX digests_fp ON digests USING gin (fp tlsh_lsh_ops (bands = 0));
CREATE INDEX digests_fp ON digests USING gin (fp tlsh_lsh_ops (bits = 7));
CREATE INDEX digests_fp ON digests USING gin (fp tlsh_lsh_ops (bits = 33));
CREATE INDEX digests_fp ON digests USING gin (fp tlsh_lsh_ops (rows = 4));
-- no options there; from 17 on the message names the schema
\set VERBOSITY sqlstate
CREATE INDEX digests_fp ON digests USING spgist (fp tlsh_ops (bands = 4));
\set VERBOSITY default
CREATE INDEX digests_fp ON digests USING gin (fp tlsh_lsh_ops (bands = 32, bits = 32));
SET enable_seqscan = off;
SELECT count(*) > 0 AS found FROM digests WHERE tlsh_similar(fp, :'probe', 40);
DROP TABLE digests, probes, expected, counts, all_values;
DROP FUNCTION hex, edited, by_index, nearest, sorted, recall, estimate, index_of, plan_nodes;
