-- The bulk functions give the same result, in the same order, with any number of workers
\set SHOW_CONTEXT never
SET min_parallel_table_scan_size = 0;

-- Families of texts; of each tenth family all have a large part in common, so that more than 256 rows share a band.
CREATE FUNCTION body(i int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT string_agg(CASE WHEN i % 10 = 0 AND w <= 40 THEN 'boiler' || w WHEN w = 50 + i % 7 THEN 'own' || i ELSE md5((i / 7)::text || w) END, ' ' ORDER BY w) FROM generate_series(1, 60) AS w $$;
CREATE TABLE docs AS SELECT (i * 7919) % 20011 AS id, i % 3 AS part, body(i) AS body FROM generate_series(1, 6000) AS i;
ALTER TABLE docs ADD full_ minhash128, ADD small minhash64_compact, ADD t tlsh, ADD bits simhash64;
UPDATE docs SET full_ = to_minhash128(body), small = to_minhash64_compact(to_minhash64(body)), t = to_tlsh(body), bits = to_simhash64(body);
ANALYZE docs;

-- One line for each call; the digest is that of the result as it comes.
CREATE FUNCTION digests(workers int, memory text) RETURNS TABLE (what text, n bigint, digest text) LANGUAGE plpgsql AS $$
DECLARE
	call text;
BEGIN
	PERFORM set_config('max_parallel_maintenance_workers', workers::text, true), set_config('maintenance_work_mem', memory, true);
	FOREACH call IN ARRAY ARRAY[
		'near_duplicate_pairs(''SELECT id, full_ FROM docs'', 0.7)',
		'near_duplicate_pairs(''SELECT id, small FROM docs'', 0.7)',
		'near_duplicate_pairs(''SELECT id, t FROM docs'', max_distance => 60)',
		'near_duplicate_pairs(''SELECT id, full_, part FROM docs'', 0.7, grouped => true)',
		'near_duplicate_pairs_between(''SELECT id, full_ FROM docs WHERE part = 0'', ''SELECT id, full_ FROM docs WHERE part > 0'', 0.7)',
		'near_duplicate_clusters(''SELECT id, full_ FROM docs'', 0.7)',
		'near_duplicate_clusters(''SELECT id, small FROM docs'', 0.7)',
		'near_duplicate_clusters(''SELECT id, t FROM docs'', max_distance => 60)',
		'near_duplicate_clusters(''SELECT id, full_ FROM docs'', 0.7, ''star'')',
		'deduplicate(''SELECT id, full_, body FROM docs'', 0.6, ''jaccard'', 0.5)',
		'deduplicate(''SELECT id, bits, body FROM docs'', max_distance => 12, verify => ''jaccard'', verify_threshold => 0.5)'] LOOP
		what := call;
		EXECUTE 'SELECT count(*), md5(string_agg(r::text, '' '')) FROM ' || call || ' AS r' INTO n, digest;
		RETURN NEXT;
	END LOOP;
END $$;
CREATE TEMP TABLE alone AS SELECT * FROM digests(0, '64MB');
SELECT count(*) AS calls, count(*) FILTER (WHERE n > 100) AS "with results" FROM alone;
SELECT what, workers FROM unnest('{1,2,4}'::int[]) AS workers, LATERAL digests(workers, '64MB') AS d JOIN alone AS a USING (what) WHERE (a.n, a.digest) IS DISTINCT FROM (d.n, d.digest);
-- with temporary files the order may be another
CREATE TEMP TABLE filed AS SELECT * FROM digests(0, '1MB');
SELECT what, workers FROM unnest('{1,2,4}'::int[]) AS workers, LATERAL digests(workers, '1MB') AS d JOIN filed AS a USING (what) WHERE a.n <> d.n;
SELECT what FROM filed JOIN alone USING (what) WHERE filed.n <> alone.n;
SET max_parallel_maintenance_workers = 2;
SET maintenance_work_mem = '1MB';
CREATE TEMP TABLE p2 AS SELECT * FROM near_duplicate_pairs('SELECT id, full_ FROM docs', 0.7);
CREATE TEMP TABLE c2 AS SELECT * FROM near_duplicate_clusters('SELECT id, full_ FROM docs', 0.7);
SET max_parallel_maintenance_workers = 0;
SELECT count(*) AS differences FROM ((TABLE p2 EXCEPT ALL SELECT * FROM near_duplicate_pairs('SELECT id, full_ FROM docs', 0.7)) UNION ALL
	(SELECT * FROM near_duplicate_pairs('SELECT id, full_ FROM docs', 0.7) EXCEPT ALL TABLE p2)) AS d;
SELECT count(*) AS differences FROM (TABLE c2 EXCEPT ALL SELECT * FROM near_duplicate_clusters('SELECT id, full_ FROM docs', 0.7)) AS d;

-- No workers at all, and a statement that has written before
SET max_parallel_maintenance_workers = 4;
SET maintenance_work_mem = '64MB';
SET max_parallel_workers = 0;
SELECT count(*) = (SELECT n FROM alone WHERE what LIKE 'near_duplicate_clusters%full_%0.7)') AS "the same" FROM near_duplicate_clusters('SELECT id, full_ FROM docs', 0.7);
RESET max_parallel_workers;
BEGIN;
UPDATE docs SET part = part;
SELECT count(*) = (SELECT n FROM alone WHERE what LIKE 'near_duplicate_clusters%full_%0.7)') AS "the same" FROM near_duplicate_clusters('SELECT id, full_ FROM docs', 0.7);
ROLLBACK;

-- A sink that fails ends the workers: the result does not fit
SET temp_file_limit = '1kB';
SET work_mem = '64kB';
DO $$
BEGIN
	PERFORM count(*) FROM near_duplicate_pairs('SELECT id, t FROM docs', max_distance => 300);
EXCEPTION WHEN configuration_limit_exceeded THEN
	RAISE NOTICE 'the limit of temporary files is reached';
END $$;
RESET temp_file_limit;
SELECT count(*) > 0 AS "and works again" FROM near_duplicate_pairs('SELECT id, full_ FROM docs', 0.7);
SET statement_timeout = '150ms';
SELECT count(*) FROM near_duplicate_pairs('SELECT id, t FROM docs UNION ALL SELECT id + 100000, t FROM docs', max_distance => 300);
RESET statement_timeout;
SELECT count(*) > 0 AS "and works again" FROM near_duplicate_pairs('SELECT id, full_ FROM docs', 0.7);
DROP TABLE docs;
DROP FUNCTION body, digests;
