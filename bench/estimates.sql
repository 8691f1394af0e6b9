-- Compares the planner's row estimates with the true numbers. Runs after bench/trgm.sql, on its tables.

\set ON_ERROR_STOP on
\pset pager off
\pset footer off
SET client_min_messages = warning;
SELECT max(extnamespace::regnamespace::text) AS extension_schema FROM pg_extension WHERE extname = 'txtfp' \gset
SET search_path = :schema, :extension_schema, pg_catalog;
SET max_parallel_workers_per_gather = 0;
CREATE INDEX docs_sh ON docs USING gin (sh) WITH (fastupdate = off);
ANALYZE docs;

CREATE FUNCTION estimate(condition text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) SELECT FROM ' || condition INTO plan;
	RETURN (plan -> 0 -> 'Plan' ->> 'Plan Rows')::float8;
END $$;

-- Probes are rows of the table, so each has at least one match.
CREATE TABLE sample AS SELECT id, fp, sh FROM docs WHERE fp IS NOT NULL AND sh IS NOT NULL ORDER BY hashint8extended(id, 11) LIMIT 200;
CREATE TABLE near AS SELECT s.id, jaccard(d.fp, s.fp) AS j FROM sample AS s, docs AS d WHERE jaccard(d.fp, s.fp) >= 0.5;
CREATE TABLE close AS SELECT s.id, d.sh <#> s.sh AS distance FROM sample AS s, docs AS d WHERE d.sh <#> s.sh <= 11;
CREATE TABLE estimated AS
SELECT 'minhash128'::text AS type, t AS threshold, id, estimate(format('docs WHERE minhash_similar(fp, %L, %s)', fp, t)) AS guess, (SELECT count(*) FROM near AS n WHERE n.id = s.id AND j >= t) AS truth
FROM sample AS s, unnest('{0.5,0.6,0.7,0.8,0.9,0.95}'::numeric[]) AS t
UNION ALL
SELECT 'simhash64', t, id, estimate(format('docs WHERE simhash_similar(sh, %L, %s)', sh, t)), (SELECT count(*) FROM close AS c WHERE c.id = s.id AND distance <= t)
FROM sample AS s, unnest('{3,7,11}'::numeric[]) AS t;

\echo Row estimates of searches beside the truth, 200 probes from the table
SELECT type, threshold, round(avg(guess)::numeric, 1) AS "mean estimate", round(avg(truth), 1) AS "mean truth", round((avg(guess) / avg(truth))::numeric, 2) AS "estimate / truth",
	round(100.0 * count(*) FILTER (WHERE greatest(guess, 1) BETWEEN truth / 10.0 AND truth * 10.0) / count(*), 1) AS "within 10 times, %"
FROM estimated GROUP BY type, threshold ORDER BY type, threshold;

\echo Row estimates of self-joins beside the truth (minhash128 from 0.7, where the index finds all but 0.2 %)
SELECT type, threshold, guess AS estimate, truth, round((guess / truth)::numeric, 2) AS "estimate / truth"
FROM (SELECT 'minhash128' AS type, t AS threshold, estimate(format('docs AS a JOIN docs AS b ON minhash_similar(a.fp, b.fp, %s)', t)) AS guess,
		(SELECT count(*) FROM docs AS a JOIN docs AS b ON minhash_similar(a.fp, b.fp, t::float8)) AS truth
	FROM unnest('{0.7,0.8,0.9,0.95}'::numeric[]) AS t
	UNION ALL
	SELECT 'simhash64', t, estimate(format('docs AS a JOIN docs AS b ON simhash_similar(a.sh, b.sh, %s)', t)),
		(SELECT count(*) FROM docs AS a JOIN docs AS b ON simhash_similar(a.sh, b.sh, t::int))
	FROM unnest('{3,7}'::numeric[]) AS t) AS joins
ORDER BY type, threshold;
