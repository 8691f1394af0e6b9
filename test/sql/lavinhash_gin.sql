-- lavinhash_lsh_ops: search by score
\set SHOW_CONTEXT never
SET jit = off;
-- 1500 documents of 300 to 6000 random bytes; every fifteenth has versions with 1 to 12 of 40 parts changed
CREATE FUNCTION part(seed text, size int) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
	SELECT substr(decode(string_agg(md5(seed || i), '' ORDER BY i), 'hex'), 1, size) FROM generate_series(1, size / 16 + 1) AS i $$;
CREATE FUNCTION doc(id int, changed int) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
	SELECT string_agg(part(format('%s.%s.%s', id, i, CASE WHEN i < changed THEN changed END), 8 + id % 143), NULL ORDER BY i) FROM generate_series(0, 39) AS i $$;
CREATE TABLE docs (id int PRIMARY KEY, original int, fp lavinhash);
INSERT INTO docs SELECT id, id, to_lavinhash(doc(id, 0)) FROM generate_series(1, 1500) AS id;
INSERT INTO docs SELECT 2000 + row_number() OVER (ORDER BY id, changed), id, to_lavinhash(doc(id, changed)) FROM generate_series(15, 1500, 15) AS id, generate_series(1, 12) AS changed;
INSERT INTO docs VALUES (9000, NULL, NULL), (9001, NULL, ('48010100' || repeat('00', 1025))::lavinhash), (9002, NULL, ('48010100' || repeat('00', 1025))::lavinhash); -- without content
CREATE TABLE probes AS SELECT id, fp FROM docs WHERE id % 15 = 0 AND id <= 1500 OR id = 9001;
CREATE TABLE truth AS SELECT p.id AS probe, d.id, lavinhash_similarity(p.fp, d.fp) AS score FROM probes AS p, docs AS d WHERE lavinhash_similarity(p.fp, d.fp) >= 60;

CREATE FUNCTION by_index(bound int, OUT wanted bigint, OUT hits bigint, OUT wrong bigint) LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = on AS $$
BEGIN
	CREATE TEMP TABLE hit AS SELECT p.id AS probe, d.id
	FROM probes AS p, LATERAL (SELECT docs.id FROM docs WHERE docs.fp % _to_lavinhash_probe(p.fp, bound) OFFSET 0) AS d;
	SELECT count(t.id) FILTER (WHERE score >= bound), count(f.id) FILTER (WHERE score >= bound), count(f.id) FILTER (WHERE score IS NULL OR score < bound)
	INTO wanted, hits, wrong FROM truth AS t FULL JOIN hit AS f USING (probe, id);
	DROP TABLE hit;
END $$;
CREATE INDEX docs_fp ON docs USING gin (fp) WITH (fastupdate = off);
VACUUM ANALYZE docs;
-- the recall is that of the options, and every found row is right; below the reach of the banding all rows are compared
SELECT bound, wanted, hits >= 0.99 * wanted AS enough, wrong FROM unnest('{60,70,75,80,85,90,95,100}'::int[]) AS bound, by_index(bound) ORDER BY bound;
DROP INDEX docs_fp;
CREATE INDEX docs_fp ON docs USING gin (fp lavinhash_lsh_ops (bands = 64, rows = 4, recall = 0.999)) WITH (fastupdate = off);
SELECT bound, wanted, hits >= 0.999 * wanted AS enough, wrong FROM unnest('{75,80,90}'::int[]) AS bound, by_index(bound) ORDER BY bound;
DROP INDEX docs_fp;
CREATE INDEX docs_fp ON docs USING gin (fp lavinhash_lsh_ops (bands = 65));
CREATE INDEX docs_fp ON docs USING gin (fp lavinhash_lsh_ops (bands = 0));
CREATE INDEX docs_fp ON docs USING gin (fp lavinhash_lsh_ops (rows = 257));
CREATE INDEX docs_fp ON docs USING gin (fp lavinhash_lsh_ops (recall = 1));
CREATE INDEX docs_fp ON docs USING gin (fp lavinhash_lsh_ops (threshold = 0.8));

-- Plans
CREATE INDEX docs_fp ON docs USING gin (fp);
SET max_parallel_workers_per_gather = 0;
CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN -- fingerprints are long, and plans of PostgreSQL 15 to 18 spell subqueries differently
	RETURN QUERY EXECUTE 'EXPLAIN (COSTS OFF) ' || query;
END $$;
PREPARE by_similar(lavinhash) AS SELECT id FROM docs WHERE lavinhash_similar(fp, $1, 80);
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE by_similar(NULL);
RESET plan_cache_mode;
SELECT regexp_replace(p, '[0-9a-f]{20,}', '…', 'g') AS plan FROM plan(format('SELECT id FROM docs WHERE lavinhash_similar(%L, fp, 85)', to_lavinhash(doc(30, 0)))) AS p;
SELECT regexp_replace(p, '[0-9a-f]{20,}', '…', 'g') AS plan FROM plan(format('SELECT id FROM docs WHERE fp %% %L::lavinhash ORDER BY fp <-> %1$L LIMIT 3', to_lavinhash(doc(30, 0)))) AS p;
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM docs AS a JOIN docs AS b ON lavinhash_similar(a.fp, b.fp, 85) AND a.id < b.id WHERE a.id <= 20;
-- a score that this banding cannot serve
SELECT regexp_replace(p, '[0-9a-f]{20,}', '…', 'g') AS plan FROM plan(format('SELECT id FROM docs WHERE lavinhash_similar(fp, %L, 50)', to_lavinhash(doc(30, 0)))) AS p;
SELECT id, fp <-> q AS distance FROM docs, to_lavinhash(doc(30, 0)) AS q WHERE lavinhash_similar(fp, q, 85) ORDER BY fp <-> q, id LIMIT 4;
SELECT count(*) FROM docs WHERE lavinhash_similar(fp, to_lavinhash(doc(30, 0)), 101);

-- ANALYZE stores the fraction of pairs by score (kind 21752)
SELECT cardinality(fractions) AS scores, fractions[1] AS "score 0", fractions[101] < 0.01 AS "few at 100", (SELECT bool_and(fractions[i] >= fractions[i + 1]) FROM generate_series(1, 100) AS i) AS falling
FROM (SELECT CASE 21752 WHEN stakind1 THEN stanumbers1 WHEN stakind2 THEN stanumbers2 WHEN stakind3 THEN stanumbers3 WHEN stakind4 THEN stanumbers4 WHEN stakind5 THEN stanumbers5 END AS fractions
	FROM pg_statistic JOIN pg_attribute ON attrelid = starelid AND attnum = staattnum WHERE starelid = 'docs'::regclass AND attname = 'fp') AS s;
\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/include/plans.sql'
\set ECHO none
\i :include
\set ECHO all
SELECT estimate(format('SELECT FROM docs WHERE lavinhash_similar(fp, %L, 80)', to_lavinhash(doc(30, 0)))) BETWEEN 1 AND 30 AS near,
	estimate(format('SELECT FROM docs WHERE lavinhash_similar(fp, %L, 10)', to_lavinhash(doc(30, 0)))) > 1500 AS all_alike,
	estimate(format('SELECT FROM docs WHERE fp %% _to_lavinhash_probe(%L, 80)', to_lavinhash(doc(30, 0)))) BETWEEN 1 AND 30 AS probe,
	estimate('SELECT FROM docs WHERE fp % NULL::lavinhash') AS nothing,
	estimate('SELECT FROM docs AS a JOIN docs AS b ON a.fp % b.fp') BETWEEN 2000 AND 40000 AS pairs;
DROP TABLE docs, probes, truth;
DROP FUNCTION part, doc, by_index, plan, estimate, index_of, plan_nodes;
