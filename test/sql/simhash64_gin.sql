-- simhash64_ops: exact within any Hamming distance
\set SHOW_CONTEXT never
SET jit = off;
-- 20,000 random values, and 2,000 neighbours at distances 0 to 20 of the first hundred
CREATE TABLE hashes (id int PRIMARY KEY, fp simhash64);
INSERT INTO hashes SELECT i, ('x' || left(md5(i::text), 16))::bit(64)::simhash64 FROM generate_series(1, 20000) AS i;
INSERT INTO hashes
SELECT 20000 + row_number() OVER (ORDER BY h.id, d, copy), (h.fp::bigint # (SELECT bit_or(1::bigint << b) FROM (
	SELECT DISTINCT ('x' || left(md5(format('%s/%s/%s/%s', h.id, d, copy, j)), 2))::bit(8)::int % 64 AS b FROM generate_series(1, d) AS j) AS bits))::simhash64
FROM hashes AS h, generate_series(1, 20) AS d, generate_series(1, 1) AS copy WHERE h.id <= 100;
INSERT INTO hashes VALUES (30000, NULL);
CREATE TABLE probes AS SELECT fp FROM hashes WHERE id <= 25 OR id BETWEEN 20001 AND 20010;
CREATE VIEW truth AS SELECT d, count(*) AS pairs, sum(hashtext(format('%s %s', p.fp, h.id))::bigint) AS checksum
FROM generate_series(0, 20) AS d, probes AS p, hashes AS h WHERE hamming(p.fp, h.fp) <= d GROUP BY d;
CREATE TABLE expected AS SELECT * FROM truth;
SELECT d, pairs FROM expected ORDER BY d;

-- The index gives the same rows in both layouts, when the planner is forced to use it.
CREATE FUNCTION by_index(radius int, OUT pairs bigint, OUT checksum numeric) LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = on AS $$
BEGIN
	SELECT count(*), sum(hashtext(format('%s %s', p.fp, h.id))::bigint) INTO pairs, checksum
	FROM probes AS p, LATERAL (SELECT id FROM hashes WHERE hashes.fp % _to_simhash_probe(p.fp, radius) OFFSET 0) AS h;
END $$;
CREATE INDEX hashes_fp ON hashes USING gin (fp) WITH (fastupdate = off);
VACUUM ANALYZE hashes;
SELECT d, i.pairs = e.pairs AND i.checksum = e.checksum AS wide FROM expected AS e, by_index(d) AS i ORDER BY d;
DROP INDEX hashes_fp;
CREATE INDEX hashes_fp ON hashes USING gin (fp simhash64_ops (compact = true)) WITH (fastupdate = off);
SELECT d, i.pairs = e.pairs AND i.checksum = e.checksum AS compact FROM expected AS e, by_index(d) AS i ORDER BY d;
DROP INDEX hashes_fp;
CREATE INDEX hashes_fp ON hashes USING gin (fp simhash64_ops (compact = maybe));
CREATE INDEX hashes_fp ON hashes USING gin (fp simhash64_ops (blocks = 4));

-- Plans
CREATE INDEX hashes_fp ON hashes USING gin (fp) WITH (fastupdate = off);
SET max_parallel_workers_per_gather = 0;
EXPLAIN (COSTS OFF) SELECT id FROM hashes WHERE simhash_similar(fp, '0123456789abcdef', 3);
EXPLAIN (COSTS OFF) SELECT id FROM hashes WHERE simhash_similar('0123456789abcdef', fp, 3);
EXPLAIN (COSTS OFF) SELECT h.id FROM hashes AS q JOIN hashes AS h ON simhash_similar(h.fp, q.fp, 7) WHERE q.id = 1;
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM hashes AS a JOIN hashes AS b ON simhash_similar(a.fp, b.fp, 3) AND a.id < b.id WHERE a.id <= 20;
EXPLAIN (COSTS OFF) SELECT id FROM hashes WHERE simhash_similar(fp, '0123456789abcdef', 3) ORDER BY fp <#> '0123456789abcdef' LIMIT 5;
-- so many block values that a scan is cheaper
EXPLAIN (COSTS OFF) SELECT id FROM hashes WHERE simhash_similar(fp, '0123456789abcdef', 12);
EXPLAIN (COSTS OFF) SELECT id FROM hashes WHERE simhash_similar(fp, '0123456789abcdef', 40);
-- distance 0 is equality
EXPLAIN (COSTS OFF) SELECT id FROM hashes WHERE simhash_similar(fp, '0123456789abcdef', 0);
SET txtfp.hamming_threshold = 3;
EXPLAIN (COSTS OFF) SELECT id FROM hashes WHERE fp % '0123456789abcdef'::simhash64;
SELECT count(*) FROM probes AS p JOIN hashes AS h ON h.fp % p.fp;
SELECT count(*) FROM probes AS p JOIN hashes AS h ON hamming(h.fp, p.fp) <= 3;
RESET txtfp.hamming_threshold;

-- Estimates: within a factor of ten of the truth
\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/include/plans.sql'
\set ECHO none
\i :include
\set ECHO all
SELECT d, e.truth BETWEEN e.estimate / 10 AND e.estimate * 10 AS near
FROM unnest(ARRAY[3, 7, 20, 26, 30, 40]) AS d, LATERAL (SELECT
	estimate(format('SELECT FROM hashes AS a JOIN hashes AS b ON simhash_similar(a.fp, b.fp, %s)', d)) AS estimate,
	(SELECT count(*) FROM hashes AS a JOIN hashes AS b ON hamming(a.fp, b.fp) <= d WHERE a.id <= 500) * 44 AS truth) AS e;

-- Updates, pending entries, vacuum
DROP INDEX hashes_fp;
CREATE INDEX hashes_fp ON hashes USING gin (fp) WITH (fastupdate = on);
INSERT INTO hashes VALUES (40001, '0123456789abcdef'), (40002, '0123456789abcdee'), (40003, '8123456789abcdee');
SET enable_seqscan = off;
SELECT id, fp <#> '0123456789abcdef' AS distance FROM hashes WHERE simhash_similar(fp, '0123456789abcdef', 3) ORDER BY 2, 1;
UPDATE hashes SET fp = 'fedcba9876543210' WHERE id = 40002;
DELETE FROM hashes WHERE id = 40003;
VACUUM hashes;
SELECT id, fp <#> '0123456789abcdef' AS distance FROM hashes WHERE simhash_similar(fp, '0123456789abcdef', 3) ORDER BY 2, 1;
DROP TABLE hashes, probes, expected CASCADE;
DROP FUNCTION by_index, estimate, index_of, plan_nodes;
