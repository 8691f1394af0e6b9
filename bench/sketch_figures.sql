-- Searches, inserts and the planner's choices of bench/sketch.sh, on the tables of sketch_data.sql. Processor time, median over the probes.

\set ON_ERROR_STOP on
\pset pager off
\pset footer off
SET client_min_messages = warning;
SELECT extnamespace::regnamespace AS extension_schema FROM pg_extension WHERE extname = 'txtfp' \gset
SET search_path = :schema, :extension_schema, pg_catalog;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SET plan_cache_mode = force_custom_plan;
DELETE FROM result WHERE what !~ '^build';

-- Marks the indexes of all other access methods as invalid, so that the planner cannot use them. 'any' makes all of them valid.
CREATE OR REPLACE FUNCTION use(method text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	UPDATE pg_catalog.pg_index SET indisvalid = method IN ('any', amname) FROM pg_catalog.pg_class AS c, pg_catalog.pg_am AS a
	WHERE c.oid = indexrelid AND a.oid = relam AND amname IN ('gin', 'sketch') AND relnamespace = current_schema()::regnamespace;
	PERFORM set_config('enable_seqscan', (method IN ('any', 'scan'))::text, false);
END $$;

CREATE OR REPLACE FUNCTION used(query text) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN plan ~ '_gin\M' THEN 'gin' WHEN plan ~ '_(sketch|body)\M' THEN 'sketch' ELSE 'scan' END FROM plan_of(query) AS plan
$$;

-- q in the search stands for the probe.
CREATE OR REPLACE PROCEDURE measure(what text, search text, probes text, count int, methods text[]) LANGUAGE plpgsql AS $$
DECLARE
	method text;
	probe text;
	idle float8 := 1e9;
	times float8[];
	note text := '';
BEGIN
	FOR i IN 1 .. 9 LOOP
		idle := least(idle, cost_us('SELECT count(*) FROM (SELECT 1) AS x'));
	END LOOP;
	FOREACH method IN ARRAY methods LOOP
		PERFORM use(method);
		COMMIT;
		times := '{}';
		FOR probe IN EXECUTE format('SELECT quote_literal(fp::text) FROM (%s LIMIT %s) AS p', probes, CASE method WHEN 'scan' THEN 3 ELSE count END + 1) LOOP
			IF times = '{}' THEN
				note := used(replace(search, '$q', probe));
				EXIT WHEN method <> 'any' AND note <> method; -- it cannot
			END IF;
			times := times || (cost_us(replace(search, '$q', probe)) - idle);
		END LOOP;
		IF times <> '{}' THEN
			INSERT INTO result (what, method, ms, note) SELECT measure.what, method, median(times[2:]) / 1000,
				CASE WHEN method = 'any' THEN note ELSE format('p95 %s', round((percentile_cont(0.95) WITHIN GROUP (ORDER BY t) / 1000)::numeric, 3)) END FROM unnest(times[2:]) AS t;
		END IF;
		COMMIT;
	END LOOP;
END $$;

\set all '{scan,gin,sketch}'
CALL measure('0.8', 'SELECT count(*) FROM docs WHERE minhash_similar(fp, $q, 0.8)', 'SELECT fp FROM probes', :probes, :'all');
CALL measure('0.5', 'SELECT count(*) FROM docs WHERE minhash_similar(fp, $q, 0.5)', 'SELECT fp FROM probes', :probes, :'all');
CALL measure('0.3', 'SELECT count(*) FROM docs WHERE minhash_similar(fp, $q, 0.3)', 'SELECT fp FROM probes', :probes, :'all');
CALL measure('10 nearest', 'SELECT count(*) FROM (SELECT FROM docs ORDER BY fp <%> $q LIMIT 10) AS x', 'SELECT fp FROM probes', :probes, :'all');
CALL measure('10 nearest of a stranger', 'SELECT count(*) FROM (SELECT FROM docs ORDER BY fp <%> $q LIMIT 10) AS x', 'SELECT fp FROM strangers', :probes, :'all');
SELECT format('CALL measure(%L, %L, %L, %s, %L)', 'Hamming ' || d, format('SELECT count(*) FROM hashes WHERE simhash_similar(fp, $q, %s)', d), 'SELECT fp FROM hashes', :probes, :'all')
FROM unnest('{3,7,11,15,20}'::int[]) AS d \gexec
CALL measure('Hamming, 10 nearest', 'SELECT count(*) FROM (SELECT FROM hashes ORDER BY fp <#> $q LIMIT 10) AS x', 'SELECT fp FROM hashes', :probes, :'all');
SELECT format('CALL measure(%L, %L, %L, %s, %L)', 'TLSH ' || d, format('SELECT count(*) FROM digests WHERE tlsh_similar(fp, $q, %s)', d), 'SELECT fp FROM digests', :probes, :'all')
FROM unnest('{20,40,60,100,150}'::int[]) AS d \gexec
CALL measure('TLSH, 10 nearest', 'SELECT count(*) FROM (SELECT FROM digests ORDER BY fp <~> $q LIMIT 10) AS x', 'SELECT fp FROM digests', :probes, :'all');
CALL measure('LavinHash 80 (a twentieth of the rows)', 'SELECT count(*) FROM files WHERE lavinhash_similar(fp, $q, 80)', 'SELECT fp FROM files', :probes, :'all');
CALL measure('LavinHash, 10 nearest (a twentieth of the rows)', 'SELECT count(*) FROM (SELECT FROM files ORDER BY fp <-> $q LIMIT 10) AS x', 'SELECT fp FROM files', :probes, :'all');
SELECT to_regclass('texts') IS NOT NULL AS has_corpus \gset
\if :has_corpus
CALL measure('real texts, 10 nearest', 'SELECT count(*) FROM (SELECT FROM texts ORDER BY fp <%> $q LIMIT 10) AS x', 'SELECT fp FROM texts WHERE id % 431 = 7', 150, :'all');
CALL measure('real texts, 0.8', 'SELECT count(*) FROM texts WHERE minhash_similar(fp, $q, 0.8)', 'SELECT fp FROM texts WHERE id % 431 = 7', 150, :'all');
CALL measure('real texts, index on the expression, 10 nearest', 'SELECT count(*) FROM (SELECT FROM texts ORDER BY to_minhash128(body) <%> $q LIMIT 10) AS x', 'SELECT fp FROM texts WHERE id % 431 = 7', 50, '{sketch}');
CALL measure('real texts, index on the expression, 0.8', 'SELECT count(*) FROM texts WHERE minhash_similar(to_minhash128(body), $q, 0.8)', 'SELECT fp FROM texts WHERE id % 431 = 7', 50, '{sketch}');
\endif

-- inserts of 20,000 rows, the best of five; 4,000 into GIN
CREATE OR REPLACE PROCEDURE measure_inserts(source text, type text, method text) LANGUAGE plpgsql AS $$
DECLARE
	rows int := CASE method WHEN 'gin' THEN 4000 ELSE 20000 END;
	best float8 := 1e9;
BEGIN
	EXECUTE format('CREATE TABLE target (fp %s)', type);
	EXECUTE format('CREATE TABLE rows AS SELECT fp FROM %s LIMIT %s', source, rows);
	IF method <> 'scan' THEN
		EXECUTE format('CREATE INDEX ON target USING %s (fp) %s', method, CASE method WHEN 'gin' THEN 'WITH (fastupdate = off)' ELSE '' END);
	END IF;
	FOR i IN 1 .. 5 LOOP
		best := least(best, cost_us('INSERT INTO target SELECT fp FROM rows'));
	END LOOP;
	INSERT INTO result (what, method, ms, note) VALUES ('insert into ' || type, CASE method WHEN 'scan' THEN 'none' ELSE method END, best / rows / 1000, 'a row');
	DROP TABLE target, rows;
END $$;
SELECT format('CALL measure_inserts(%L, %L, %L)', source, type, method) FROM (VALUES ('docs', 'minhash128'), ('hashes', 'simhash64'), ('digests', 'tlsh')) AS t (source, type), unnest('{scan,sketch,gin}'::text[]) AS method \gexec

SELECT s.what, round(scan.ms, 3) AS "scan ms", round(gin.ms, 3) AS "GIN ms", round(s.ms, 3) AS "sketch ms", s.note,
	round(scan.ms / s.ms, 1) AS "scan / sketch", round(gin.ms / s.ms, 2) AS "GIN / sketch"
FROM result AS s LEFT JOIN result AS scan ON scan.what = s.what AND scan.method IN ('scan', 'none') LEFT JOIN result AS gin ON gin.what = s.what AND gin.method = 'gin'
WHERE s.method = 'sketch' ORDER BY s.ord;

\echo what the planner takes
SELECT format('CALL measure(%L, %L, %L, %s, %L)', format('%s rows: %s', :rows / 1000 * size, search.what), replace(search.query, 'docs', CASE size WHEN 1000 THEN 'docs' ELSE 'docs_' || size END), 'SELECT fp FROM probes', least(:probes, 7), '{scan,gin,sketch,any}')
FROM unnest('{1,10,100,1000}'::int[]) AS size, (VALUES
	(1, '0.8', 'SELECT count(*) FROM docs WHERE minhash_similar(fp, $q, 0.8)'),
	(2, '0.5', 'SELECT count(*) FROM docs WHERE minhash_similar(fp, $q, 0.5)'),
	(3, '0.1', 'SELECT count(*) FROM docs WHERE minhash_similar(fp, $q, 0.1)'),
	(4, '10 nearest', 'SELECT count(*) FROM (SELECT FROM docs ORDER BY fp <%> $q LIMIT 10) AS x'),
	(5, '10 nearest above 0.8', 'SELECT count(*) FROM (SELECT FROM docs WHERE minhash_similar(fp, $q, 0.8) ORDER BY fp <%> $q LIMIT 10) AS x')) AS search (n, what, query)
ORDER BY size, n \gexec
SELECT use('any') \g /dev/null
SELECT what, round(max(ms) FILTER (WHERE method = 'scan'), 3) AS "scan ms", round(max(ms) FILTER (WHERE method = 'gin'), 3) AS "GIN ms", round(max(ms) FILTER (WHERE method = 'sketch'), 3) AS "sketch ms",
	max(note) FILTER (WHERE method = 'any') AS taken, round(max(ms) FILTER (WHERE method = 'any') / min(ms) FILTER (WHERE method <> 'any'), 2) AS "taken / fastest"
FROM result WHERE what ~ ' rows: ' GROUP BY what ORDER BY min(ord);
