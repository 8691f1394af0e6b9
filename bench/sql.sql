-- The report of bench/sql.sh, and the measurements that need no alternation. Variables: pairs, rounds.

\set ON_ERROR_STOP on
\pset pager off
\pset footer off
SET client_min_messages = warning;
CREATE VIEW figure AS SELECT what, median(array_agg(us)) AS us, count(*) AS rounds FROM sample GROUP BY what;

\echo
\echo Sketching a table of documents, microseconds of CPU time per document
SELECT count(*) AS documents, round(avg(octet_length(body))) AS "bytes each", (SELECT rounds FROM figure WHERE what = 'core') AS rounds FROM docs;
SELECT replace(split_part(s.what, ' ', 1), 'docs_', '') AS storage, round(c.us, 2) AS core, round(r.us, 2) AS "reading the text", round(s.us, 2) AS "to_minhash128",
	round(100 * c.us / s.us, 1) AS "core, % of it", round(100 * c.us / (s.us - r.us), 1) AS "core, % of it without reading"
FROM figure AS s JOIN figure AS r ON r.what = replace(s.what, ' sketch', ' read'), figure AS c WHERE s.what LIKE '% sketch' AND c.what = 'core' ORDER BY 1;

\echo A generated column, microseconds of CPU time per inserted document
SELECT round(p.us, 2) AS "text alone", round(s.us, 2) AS "text and a stored sketch", round(c.us, 2) AS core, round(g.us, 2) AS "text and generated sketch",
	round(g.us / (p.us + c.us), 3) AS "to text alone + core", round(g.us / (s.us + c.us), 3) AS "to stored + core"
FROM figure AS p, figure AS c, figure AS g, figure AS s
WHERE p.what = 'insert plain' AND c.what = 'core' AND g.what = 'insert fingerprinted' AND s.what = 'insert stored';

\echo Parallel plans of SELECT count(to_minhash128(body)), settings as installed
RESET max_parallel_workers_per_gather;
SET max_parallel_workers_per_gather = 2;
CREATE TABLE half AS SELECT * FROM source LIMIT 5000;
ANALYZE half;
ALTER TABLE docs_external SET (parallel_workers = 2);
CREATE FUNCTION elapsed_ms(statement text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	start timestamptz := clock_timestamp();
BEGIN
	EXECUTE statement;
	RETURN extract(epoch FROM clock_timestamp() - start) * 1000;
END $$;
CREATE FUNCTION speedup(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	parallel float8[];
	serial float8[];
BEGIN
	FOR round IN 0 .. 5 LOOP
		PERFORM set_config('max_parallel_workers_per_gather', '2', true);
		parallel := parallel || elapsed_ms(query);
		PERFORM set_config('max_parallel_workers_per_gather', '0', true);
		serial := serial || elapsed_ms(query);
	END LOOP;
	PERFORM set_config('max_parallel_workers_per_gather', '2', true);
	RETURN median(serial[2:]) / median(parallel[2:]);
END $$;
SELECT t.what AS "table", pg_size_pretty(pg_relation_size(t.name::regclass)) AS heap, pg_size_pretty(pg_table_size(t.name::regclass)) AS "with TOAST",
	CASE WHEN plan_of(q) LIKE '%Gather%' THEN 'yes' ELSE 'no' END AS parallel, CASE WHEN plan_of(q) LIKE '%Gather%' THEN round(speedup(q), 2) END AS "times as fast, by the clock"
FROM (VALUES (1, 'descriptions', 'source'), (2, '5,000 of them', 'half'), (3, '5 KB texts in TOAST', 'docs_pglz'),
	(4, '5 KB texts in TOAST, parallel_workers = 2', 'docs_external')) AS t (n, what, name), format('SELECT count(to_minhash128(body)) FROM %I', t.name) AS q
ORDER BY n;
SET max_parallel_workers_per_gather = 0;

\echo Comparing, nanoseconds of CPU time per pair, all pairs of a table with itself, the bare join deducted
CREATE TABLE m AS SELECT row_number() OVER () AS id, n::float8 AS x, to_minhash64(body) AS m64, to_minhash128(body) AS m128, to_minhash256(body) AS m256, to_simhash64(body) AS s64,
	to_tlsh(body) AS t FROM source WHERE octet_length(body) > 300 LIMIT :pairs;
ANALYZE m;
CREATE FUNCTION per_pair(expression text, rounds int) RETURNS numeric LANGUAGE sql AS $$
	SELECT 1000 * (median(array_agg(cost_us(format('SELECT sum(%s) FROM m AS a, m AS b', expression))))
		- median(array_agg(cost_us('SELECT sum(a.x + b.x) FROM m AS a, m AS b')))) / (SELECT count(*) FROM m) ^ 2
	FROM generate_series(1, rounds)
$$;
SELECT (SELECT count(*) FROM m) ^ 2 AS pairs, round(per_pair('jaccard(a.m64, b.m64)', :rounds), 1) AS minhash64, round(per_pair('jaccard(a.m128, b.m128)', :rounds), 1) AS minhash128,
	round(per_pair('jaccard(a.m256, b.m256)', :rounds), 1) AS minhash256, round(per_pair('a.s64 <#> b.s64', :rounds), 1) AS simhash64;

\echo jaccard of one sketch with every row of a table, against reading the rows
CREATE TABLE sketches AS SELECT to_minhash128(body) AS fp, n::float8 AS x FROM source;
VACUUM ANALYZE sketches;
SELECT count(*) AS rows, pg_size_pretty(pg_relation_size('sketches')) AS size FROM sketches;
SELECT fp AS probe FROM sketches WHERE fp IS NOT NULL LIMIT 1 \gset
SELECT set_config('txtfp_sql.probe', :'probe', false) \g /dev/null
WITH runs AS (SELECT cost_us(format('SELECT sum(jaccard(fp, %L)) FROM sketches', current_setting('txtfp_sql.probe'))) AS j, cost_us('SELECT sum(x) FROM sketches') AS s FROM generate_series(1, :rounds)),
	medians AS (SELECT median(array_agg(j)) / (SELECT count(*) FROM sketches) AS j, median(array_agg(s)) / (SELECT count(*) FROM sketches) AS s FROM runs)
SELECT round(1000 * s) AS "scan, ns per row", round(1000 * j) AS "scan and jaccard", round(1000 * (j - s), 1) AS jaccard FROM medians;

\echo What a search reads of TOAST: 100 searches of documents whose texts are out of line
CREATE INDEX fingerprinted_fp ON fingerprinted USING gin (fp) WITH (fastupdate = off);
VACUUM ANALYZE fingerprinted;
CREATE FUNCTION searches() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	q minhash128;
	hits bigint;
	total bigint := 0;
BEGIN
	FOR q IN SELECT fp FROM fingerprinted WHERE fp IS NOT NULL LIMIT 100 LOOP
		SELECT count(*) INTO hits FROM fingerprinted WHERE minhash_similar(fp, q, 0.8);
		total := total + hits;
	END LOOP;
	RETURN total;
END $$;
DO $$ BEGIN PERFORM pg_stat_force_next_flush(); END $$;
SELECT heap_blks_read + heap_blks_hit AS heap, toast_blks_read + toast_blks_hit AS toast FROM pg_statio_user_tables WHERE relid = 'fingerprinted'::regclass \gset
SELECT searches() AS found \gset
DO $$ BEGIN PERFORM pg_stat_force_next_flush(); END $$;
SELECT :found AS "rows found", heap_blks_read + heap_blks_hit - :heap AS "heap pages", toast_blks_read + toast_blks_hit - :toast AS "TOAST pages"
FROM pg_statio_user_tables WHERE relid = 'fingerprinted'::regclass;
