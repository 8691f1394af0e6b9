-- The statistics of ANALYZE about near-duplicates, and the planner's estimates from them
\set SHOW_CONTEXT never
SET jit = off;
SET default_statistics_target = 100; -- what is tested are estimates from samples of this size

-- 5000 sets of 100 tokens. The first 1000 are in clusters of five, of similarity 1, 0.94, 0.85, 0.75, 0.67 to the first.
CREATE FUNCTION tokens(id int) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
	SELECT array_agg(format('c%sn%s', CASE WHEN id <= 1000 THEN (id - 1) / 5 ELSE id END,
		CASE WHEN n > 100 - ('{0,3,8,14,20}'::int[])[(id - 1) % 5 + 1] THEN n + 1000 * ((id - 1) % 5) ELSE n END))
	FROM generate_series(1, 100) AS n $$;
CREATE TABLE docs (id int PRIMARY KEY, a minhash64, b minhash128, c minhash256);
INSERT INTO docs SELECT id, to_minhash64(t), to_minhash128(t), to_minhash256(t) FROM generate_series(1, 5000) AS id, LATERAL (SELECT tokens(id) AS t) AS s;

\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/include/plans.sql'
\set ECHO none
\i :include
\set ECHO all
CREATE FUNCTION check_estimate(condition text, tables text DEFAULT 'docs', bound float8 DEFAULT 10)
	RETURNS TABLE (rows bigint, within text, ok boolean) LANGUAGE plpgsql AS $$
DECLARE
	expected float8 := estimate(format('SELECT FROM %s WHERE %s', tables, condition));
BEGIN
	EXECUTE format('SELECT count(*) FROM %s WHERE %s', tables, condition) INTO rows;
	within := format('%sx', bound);
	ok := greatest(expected, 1) BETWEEN greatest(rows, 1) / bound AND greatest(rows, 1) * bound;
	IF NOT ok THEN
		RAISE WARNING 'expected % rows, found %: %', expected, rows, condition;
	END IF;
	RETURN NEXT;
END $$;

-- Before ANALYZE: a probe finds itself and little else.
SELECT estimate('SELECT FROM docs WHERE b % (SELECT b FROM docs WHERE id = 1)') < 10 AS probe;

ANALYZE docs;

-- A statistics slot of our own (kind 21749) beside PostgreSQL's: the fraction of all pairs that reach 0.50, 0.55, ... 1.00
CREATE VIEW profiles AS
SELECT starelid::regclass AS relation, attname AS column, n AS slot, (ARRAY[staop1, staop2, staop3, staop4, staop5])[n] AS operator,
	CASE n WHEN 1 THEN stanumbers1 WHEN 2 THEN stanumbers2 WHEN 3 THEN stanumbers3 WHEN 4 THEN stanumbers4 ELSE stanumbers5 END AS fractions
FROM pg_statistic JOIN pg_attribute ON attrelid = starelid AND attnum = staattnum, generate_series(1, 5) AS n
WHERE (ARRAY[stakind1, stakind2, stakind3, stakind4, stakind5])[n] = 21749;
SELECT relation, "column", operator, cardinality(fractions) AS points, (SELECT bool_and(fractions[i] >= fractions[i + 1]) FROM generate_series(1, 10) AS i) AS falling,
	fractions[1] > 0 AS "some at 0.5", fractions[11] = 0 AS "none at 1"
FROM profiles WHERE relation = 'docs'::regclass ORDER BY "column" COLLATE "C";
SELECT attname, null_frac, avg_width, round(n_distinct::numeric, 2) AS n_distinct
FROM pg_stats WHERE tablename = 'docs' AND attname <> 'id' ORDER BY attname COLLATE "C";

-- compared with the true values
CREATE TABLE truth AS SELECT jaccard(x.b, y.b) AS jaccard FROM docs AS x JOIN docs AS y ON x.id < y.id AND x.id <= 1000 AND y.id <= 1000 WHERE jaccard(x.b, y.b) >= 0.5;
SELECT 0.45 + 0.05 * n AS threshold, count(*) FILTER (WHERE jaccard >= 0.45 + 0.05 * n - 1e-9) AS pairs, fractions[n] * 5000 * 4999 / 2 BETWEEN 0.8 * count(*) FILTER (WHERE jaccard >= 0.45 + 0.05 * n - 1e-9)
	AND 1.25 * count(*) FILTER (WHERE jaccard >= 0.45 + 0.05 * n - 1e-9) AS "within 1.25x"
FROM truth, profiles, generate_series(1, 11) AS n WHERE relation = 'docs'::regclass AND "column" = 'b' GROUP BY n, fractions ORDER BY n;
DROP TABLE truth;

-- Probes: a constant, a subquery, an argument of any threshold
SELECT id, t AS threshold, e.* FROM unnest('{12,999,3333}'::int[]) AS id, unnest('{0.5,0.7,0.8,0.9,1}'::float8[]) AS t,
	check_estimate(format('minhash_similar(b, to_minhash128(tokens(%s)), %s)', id, t)) AS e ORDER BY id, t;
SELECT type, e.* FROM unnest('{a,b,c}'::text[]) AS type, check_estimate(format('%s %% (SELECT %1$s FROM docs WHERE id = 12)', type)) AS e ORDER BY type;
SELECT t AS threshold, e.* FROM unnest('{0.6,0.85,1}'::float8[]) AS t, check_estimate(format('b %% _to_minhash_probe(to_minhash128(tokens(12)), %s)', t)) AS e ORDER BY t;
SELECT * FROM check_estimate('minhash_similar((SELECT b FROM docs WHERE id = 12), b, 0.9)');
SELECT * FROM check_estimate('to_minhash128(tokens(12)) % b');
SELECT * FROM check_estimate('b % NULL::minhash128');
SELECT * FROM check_estimate('minhash_similar(b, to_minhash128(tokens(12)), 0)', bound => 10000);

-- The parameter of % is part of the estimate.
SET txtfp.jaccard_threshold = 0.5;
SELECT estimate('SELECT FROM docs AS x JOIN docs AS y ON x.b % y.b') AS low \gset
SELECT * FROM check_estimate('x.b % y.b AND x.id <= 200', 'docs AS x, docs AS y');
SET txtfp.jaccard_threshold = 0.95;
SELECT estimate('SELECT FROM docs AS x JOIN docs AS y ON x.b % y.b') AS high \gset
SELECT * FROM check_estimate('x.b % y.b AND x.id <= 200', 'docs AS x, docs AS y');
SELECT :low > :high AS "fewer at 0.95";
RESET txtfp.jaccard_threshold;

-- Joins
CREATE INDEX docs_b ON docs USING gin (b) WITH (fastupdate = off);
SELECT t AS threshold, e.* FROM unnest('{0.72,0.8,0.9,0.95}'::float8[]) AS t, check_estimate(format('minhash_similar(x.b, y.b, %s)', t), 'docs AS x, docs AS y') AS e ORDER BY t;
SELECT * FROM check_estimate('minhash_similar(x.b, y.b, 0.8) AND x.id < y.id', 'docs AS x, docs AS y');
SELECT * FROM check_estimate('x.b % _to_minhash_probe(y.b, 0.9)', 'docs AS x, docs AS y');
SELECT * FROM check_estimate('x.b % y.b AND x.id <= 20', 'docs AS x, docs AS y');
SELECT * FROM check_estimate('x.c % y.c', '(SELECT * FROM docs WHERE id <= 500) AS x, docs AS y');

-- Few rows, no rows, null fingerprints, one fingerprint for all
CREATE TABLE few (fp minhash128);
ANALYZE few;
INSERT INTO few VALUES (NULL), (to_minhash128(tokens(1)));
ANALYZE few;
SELECT count(*) AS profiles FROM profiles WHERE relation = 'few'::regclass;
SELECT * FROM check_estimate('fp % to_minhash128(tokens(1))', 'few');
TRUNCATE few;
INSERT INTO few SELECT NULL FROM generate_series(1, 1000);
ANALYZE few;
SELECT count(*) AS profiles FROM profiles WHERE relation = 'few'::regclass;
SELECT * FROM check_estimate('fp % to_minhash128(tokens(1))', 'few');
TRUNCATE few;
INSERT INTO few SELECT to_minhash128(tokens(1)) FROM generate_series(1, 1000);
ANALYZE few;
SELECT fractions[11] AS "all pairs" FROM profiles WHERE relation = 'few'::regclass;
SELECT * FROM check_estimate('fp % to_minhash128(tokens(1))', 'few');
SELECT * FROM check_estimate('x.fp % y.fp', 'few AS x, few AS y');
TRUNCATE few;
-- 19 of 20 rows are null, the others in groups of 25
INSERT INTO few SELECT CASE id % 20 WHEN 0 THEN to_minhash128(ARRAY[(id / 500)::text]) END FROM generate_series(1, 2000) AS id;
ANALYZE few;
SELECT * FROM check_estimate('fp % to_minhash128(ARRAY[''2''])', 'few');
SELECT * FROM check_estimate('x.fp % y.fp', 'few AS x, few AS y');
ALTER TABLE few ALTER fp SET STATISTICS 0;
TRUNCATE few;
INSERT INTO few SELECT to_minhash128(tokens(i)) FROM generate_series(1, 50) AS i;
ANALYZE few;
SELECT * FROM check_estimate('fp % to_minhash128(tokens(7))', 'few');
DROP TABLE few;

-- Expression indexes and partitioned tables have the statistics too.
CREATE TABLE texts (body text);
INSERT INTO texts SELECT array_to_string(tokens(id), ' ') FROM generate_series(1, 1500) AS id;
CREATE INDEX texts_fp ON texts USING gin (to_minhash128(body, 'word-uax29'));
ANALYZE texts;
SELECT relation, cardinality(fractions) AS points FROM profiles WHERE relation = 'texts_fp'::regclass;
SELECT * FROM check_estimate('minhash_similar(to_minhash128(body, ''word-uax29''), to_minhash128(array_to_string(tokens(12), '' ''), ''word-uax29''), 0.85)', 'texts');
DROP TABLE texts;
CREATE TABLE parts (id int, fp minhash128) PARTITION BY RANGE (id);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (501);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (501) TO (2001);
INSERT INTO parts SELECT id, b FROM docs WHERE id <= 2000;
ANALYZE parts;
SELECT relation, cardinality(fractions) AS points FROM profiles WHERE relation IN ('parts'::regclass, 'parts_1'::regclass, 'parts_2'::regclass) ORDER BY relation::text COLLATE "C";
SELECT * FROM check_estimate('fp % to_minhash128(tokens(12))', 'parts');
SELECT * FROM check_estimate('x.fp % y.fp', 'parts AS x, parts AS y');
DROP TABLE parts;

-- An invalid threshold raises an error in the execution, not in the planner.
SELECT count(*) FROM docs WHERE minhash_similar(a, (SELECT a FROM docs WHERE id = 1), 'NaN');
SELECT estimate('SELECT FROM docs WHERE minhash_similar(a, (SELECT a FROM docs WHERE id = 1), 1e300)') BETWEEN 1 AND 5000 AS "1e300",
	estimate('SELECT FROM docs WHERE minhash_similar(a, (SELECT a FROM docs WHERE id = 1), -1e300)') BETWEEN 1 AND 5000 AS "-1e300",
	estimate('SELECT FROM docs WHERE minhash_similar(a, (SELECT a FROM docs WHERE id = 1), ''NaN'')') BETWEEN 1 AND 5000 AS "NaN";

DROP VIEW profiles;
DROP TABLE docs;
DROP FUNCTION tokens, check_estimate, estimate, index_of, plan_nodes;
