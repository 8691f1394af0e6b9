-- Run by strings.sh. Variables: schema, probes.
\ir ../../../bench/tools.sql
SELECT string_agg(DISTINCT format('%I', extnamespace::regnamespace::text), ', ') AS schemas FROM pg_extension WHERE extname IN ('txtfp', 'pg_trgm', 'txtfp_trgm') \gset
SET search_path = :schema, :schemas, pg_catalog;

CREATE TABLE strings AS SELECT row_number() OVER ()::int AS id, string FROM txtfp_strings_input.input;
CREATE TABLE probes AS SELECT overlay(overlay(string PLACING 'q' FROM 5 FOR 1) PLACING 'x' FROM length(string) / 2 FOR 1) AS probe
	FROM strings WHERE length(string) > 15 ORDER BY hashint4(id) LIMIT :probes;
VACUUM ANALYZE strings;
CREATE TABLE result (ord int GENERATED ALWAYS AS IDENTITY, search text, index text, median_ms numeric, p99_ms numeric, answers text);
CREATE TABLE build (index text, seconds numeric, mb numeric);
INSERT INTO build (index, seconds) SELECT 'show_trgm', cost_us('SELECT sum(cardinality(show_trgm(string))) FROM strings') / 1e6;

-- A statement with the parameter $1, planned once; the first round warms up.
CREATE PROCEDURE measure(search text, index text, statement text) LANGUAGE plpgsql AS $$
DECLARE
	p text; start float8; times float8[]; found text; answers text;
BEGIN
	EXECUTE format('CREATE OR REPLACE FUNCTION search(text) RETURNS text LANGUAGE plpgsql AS %L', format('DECLARE found text; BEGIN %s INTO found; RETURN found; END', statement));
	FOR round IN 0 .. 1 LOOP
		times := '{}'; answers := '';
		FOR p IN SELECT probe FROM probes LOOP
			start := cpu_us();
			found := search(p);
			times := times || (cpu_us() - start) / 1000;
			answers := md5(answers || coalesce(found, ''));
		END LOOP;
	END LOOP;
	INSERT INTO result (search, index, median_ms, p99_ms, answers) SELECT search, index, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY t)::numeric, 2), round(percentile_cont(0.99) WITHIN GROUP (ORDER BY t)::numeric, 2), left(answers, 8) FROM unnest(times) AS t;
END $$;

CREATE PROCEDURE measure_all(index text, definition text, nearest boolean) LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO build (index, seconds) SELECT index, cost_us(format('CREATE INDEX strings_index ON strings USING %s', definition)) / 1e6;
	UPDATE build SET mb = pg_relation_size('strings_index') / 1e6 WHERE build.index = measure_all.index;
	CALL measure('% at 0.5', index, 'SELECT string_agg(id::text, '' '' ORDER BY id) FROM strings WHERE string % $1');
	IF nearest THEN
		CALL measure('ten nearest', index, 'SELECT string_agg(d::text, '' '') FROM (SELECT string <-> $1 AS d FROM strings ORDER BY string <-> $1 LIMIT 10) AS s');
		CALL measure('ten nearest words', index, 'SELECT string_agg(d::text, '' '') FROM (SELECT $1 <<-> string AS d FROM strings ORDER BY $1 <<-> string LIMIT 10) AS s');
	END IF;
	DROP INDEX strings_index;
END $$;
SET plan_cache_mode = force_generic_plan;
SET enable_seqscan = off;
SET pg_trgm.similarity_threshold = 0.5;
CALL measure_all('sketch', 'sketch (string sketch_trgm_ops)', true);
CALL measure_all('GIN', 'gin (string gin_trgm_ops) WITH (fastupdate = off)', false);
CALL measure_all('GiST, siglen 64', 'gist (string gist_trgm_ops (siglen = 64))', true);
\echo rows of one search must have equal answers
SELECT search, index, median_ms, p99_ms, answers FROM result ORDER BY search, ord;
SELECT index, round(seconds, 2) AS seconds, round(mb, 1) AS mb FROM build;
