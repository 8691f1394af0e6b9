-- Run by strings.sh. Variables: schema, probes, gin, gist, bits.
\ir ../../../bench/tools.sql
SELECT string_agg(DISTINCT format('%I', extnamespace::regnamespace::text), ', ') AS schemas FROM pg_extension WHERE extname IN ('txtfp', 'pg_trgm', 'txtfp_trgm') \gset
SET search_path = :schema, :schemas, pg_catalog;

CREATE TABLE strings AS SELECT row_number() OVER ()::int AS id, string FROM txtfp_strings_input.input;
CREATE TABLE probes AS SELECT row_number() OVER (ORDER BY hashint4(id)) AS n, overlay(overlay(string PLACING 'q' FROM 5 FOR 1) PLACING 'x' FROM length(string) / 2 FOR 1) AS probe
	FROM strings WHERE length(string) > 15 ORDER BY hashint4(id) LIMIT :probes;
VACUUM ANALYZE strings;
CREATE TABLE result (ord int GENERATED ALWAYS AS IDENTITY, search text, index text, probes int, median_ms numeric, p99_ms numeric, rows_found numeric, different bigint);
CREATE TABLE answers (search text, index text, n int, answer text);
CREATE TABLE build (ord int GENERATED ALWAYS AS IDENTITY, index text, seconds numeric, mb numeric, insert_us numeric);
INSERT INTO build (index, seconds) SELECT 'show_trgm', cost_us('SELECT sum(cardinality(show_trgm(string))) FROM strings') / 1e6;

-- A statement with the parameter $1, planned once; the first round warms up. `different` counts answers that differ from those of the first index.
CREATE PROCEDURE measure(search text, index text, number int, statement text) LANGUAGE plpgsql AS $$
DECLARE
	p record; start float8; times float8[]; found text; rows float8[];
BEGIN
	EXECUTE format('CREATE OR REPLACE FUNCTION search(text) RETURNS text LANGUAGE plpgsql AS %L', format('DECLARE found text; BEGIN %s INTO found; RETURN found; END', statement));
	FOR round IN 0 .. 1 LOOP
		times := '{}'; rows := '{}';
		FOR p IN SELECT * FROM probes ORDER BY n LIMIT number LOOP
			start := cpu_us();
			found := search(p.probe);
			times := times || (cpu_us() - start) / 1000;
			rows := rows || coalesce(cardinality(string_to_array(found, ' ')), 0)::float8;
			IF round = 0 THEN
				INSERT INTO answers VALUES (search, index, p.n, md5(coalesce(found, '')));
			END IF;
		END LOOP;
	END LOOP;
	INSERT INTO result (search, index, probes, median_ms, p99_ms, rows_found, different) SELECT search, index, number, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY t)::numeric, 2),
		round(percentile_cont(0.99) WITHIN GROUP (ORDER BY t)::numeric, 2), round(median(rows), 1),
		(SELECT count(*) FROM answers a JOIN answers b USING (search, n) WHERE a.search = measure.search AND a.index = measure.index AND b.index = (SELECT r.index FROM result r ORDER BY ord LIMIT 1) AND a.answer <> b.answer) FROM unnest(times) AS t;
END $$;

CREATE PROCEDURE measure_all(index text, definition text, number int, nearest boolean) LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO build (index, seconds) SELECT index, cost_us(format('CREATE INDEX strings_index ON strings USING %s', definition)) / 1e6;
	UPDATE build SET mb = pg_relation_size('strings_index') / 1e6 WHERE build.index = measure_all.index;
	CALL measure('% at 0.5', index, number, 'SELECT string_agg(id::text, '' '' ORDER BY id) FROM strings WHERE string % $1');
	IF nearest THEN
		CALL measure('ten nearest', index, number, 'SELECT string_agg(d::text, '' '') FROM (SELECT string <-> $1 AS d FROM strings ORDER BY string <-> $1 LIMIT 10) AS s');
		CALL measure('ten nearest words', index, number, 'SELECT string_agg(d::text, '' '') FROM (SELECT $1 <<-> string AS d FROM strings ORDER BY $1 <<-> string LIMIT 10) AS s');
	END IF;
	-- the time of an INSERT with the index, less that without it
	UPDATE build SET insert_us = cost_us('INSERT INTO strings SELECT -n, string || n FROM (SELECT row_number() OVER () AS n, string FROM strings LIMIT 5000) AS s') / 5000 WHERE build.index = measure_all.index;
	DROP INDEX strings_index;
	UPDATE build SET insert_us = insert_us - cost_us('INSERT INTO strings SELECT -n, string || n FROM (SELECT row_number() OVER () AS n, string FROM strings LIMIT 5000) AS s') / 5000 WHERE build.index = measure_all.index;
	DELETE FROM strings WHERE id < 0;
END $$;
SET plan_cache_mode = force_generic_plan;
SET enable_seqscan = off;
SET pg_trgm.similarity_threshold = 0.5;
SELECT format('CALL measure_all(%L, %L, %s, true)', CASE option WHEN '0' THEN 'sketch' ELSE 'sketch, bits ' || option END,
	'sketch (string sketch_trgm_ops' || CASE option WHEN '0' THEN '' ELSE ' (bits = ' || option || ')' END || ')', :probes)
	FROM regexp_split_to_table(:'bits', '[ ,]+') WITH ORDINALITY AS o (option, n)
	UNION ALL SELECT format('CALL measure_all(%L, %L, %s, false)', 'GIN', 'gin (string gin_trgm_ops) WITH (fastupdate = off)', :gin) WHERE :gin > 0
	UNION ALL SELECT format('CALL measure_all(%L, %L, %s, true)', 'GiST, siglen 64', 'gist (string gist_trgm_ops (siglen = 64))', :gist) WHERE :gist > 0
\gexec
\echo different: answers that are not those of the first index, for the same probes
SELECT search, index, probes, median_ms, p99_ms, rows_found, different FROM result ORDER BY search, ord;
SELECT index, round(seconds, 2) AS seconds, round(mb, 1) AS mb, round(insert_us, 1) AS insert_us FROM build ORDER BY ord;
