-- Run by planner.sh. Variable: schema.
\ir ../../../bench/tools.sql
SELECT string_agg(DISTINCT format('%I', extnamespace::regnamespace::text), ', ') AS schemas FROM pg_extension WHERE extname IN ('txtfp', 'pg_trgm', 'txtfp_trgm') \gset
SET search_path = :schema, :schemas, pg_catalog;

-- A tenant has a hundredth of the rows.
CREATE TABLE big AS SELECT row_number() OVER ()::int AS id, (hashint4(row_number() OVER ()::int) & 127) % 100 AS tenant, string FROM txtfp_planner_input.input;
CREATE TABLE small AS SELECT * FROM big WHERE id % (SELECT count(*) / 3000 + 1 FROM big) = 0;
CREATE TABLE tiny AS SELECT * FROM big WHERE id % (SELECT count(*) / 100 + 1 FROM big) = 0;
CREATE TABLE probes AS SELECT row_number() OVER ()::int AS n, overlay(overlay(string PLACING 'q' FROM 5 FOR 1) PLACING 'x' FROM length(string) / 2 FOR 1) AS probe, string,
	(SELECT w FROM regexp_split_to_table(string, '\W+') AS w ORDER BY length(w) DESC, w LIMIT 1) AS word
	FROM (SELECT * FROM big WHERE length(string) BETWEEN 25 AND 70 ORDER BY hashint4(id) LIMIT 3) AS s;
DO $$
DECLARE
	t text;
BEGIN
	FOREACH t IN ARRAY '{big, small, tiny}'::text[] LOOP
		EXECUTE format('CREATE INDEX %1$s_id ON %1$s (id); CREATE INDEX %1$s_tenant ON %1$s (tenant); CREATE INDEX %1$s_sketch ON %1$s USING sketch (string sketch_trgm_ops);
			CREATE INDEX %1$s_gin ON %1$s USING gin (string gin_trgm_ops); CREATE INDEX %1$s_gist ON %1$s USING gist (string gist_trgm_ops (siglen = 64))', t);
	END LOOP;
END $$;
VACUUM ANALYZE big, small, tiny, probes;

-- The indexes of trigrams that the planner may use: {sketch, gin, gist} or one of them or none. The schema is dropped afterwards.
CREATE PROCEDURE allow(kinds text[]) LANGUAGE sql AS $$
	UPDATE pg_index SET indisvalid = substring(indexrelid::regclass::text FROM '_(\w+)$') = ANY (kinds) WHERE indexrelid::regclass::text ~ '^(big|small|tiny)_(sketch|gin|gist)$' $$;

CREATE TABLE cases (number int GENERATED ALWAYS AS IDENTITY, what text, setting numeric, statement text);
INSERT INTO cases (what, setting, statement) VALUES
	('% at 0.15', 0.15, 'SELECT count(*) FROM big WHERE string % {probe}'),
	('% at 0.3', 0.3, 'SELECT count(*) FROM big WHERE string % {probe}'),
	('% at 0.5', 0.5, 'SELECT count(*) FROM big WHERE string % {probe}'),
	('% at 0.7', 0.7, 'SELECT count(*) FROM big WHERE string % {probe}'),
	('% at 0.9, which finds itself', 0.9, 'SELECT count(*) FROM big WHERE string % {string}'),
	('a word, % at 0.3', 0.3, 'SELECT count(*) FROM big WHERE string % {word}'),
	('one letter, % at 0.1', 0.1, 'SELECT count(*) FROM big WHERE string % ''a'''),
	('%> a word, at 0.6', 0.6, 'SELECT count(*) FROM big WHERE string %> {word}'),
	('%> a word, at 0.9', 0.9, 'SELECT count(*) FROM big WHERE string %> {word}'),
	('%>> a word, at 0.6', 0.6, 'SELECT count(*) FROM big WHERE string %>> {word}'),
	('nearest', 0.3, 'SELECT id FROM big ORDER BY string <-> {probe} LIMIT 1'),
	('ten nearest', 0.3, 'SELECT id FROM big ORDER BY string <-> {probe} LIMIT 10'),
	('1,000 nearest', 0.3, 'SELECT id FROM big ORDER BY string <-> {probe} LIMIT 1000'),
	('ten nearest words', 0.3, 'SELECT id FROM big ORDER BY {word} <<-> string LIMIT 10'),
	('% at 0.5, ten nearest', 0.5, 'SELECT id FROM big WHERE string % {probe} ORDER BY string <-> {probe} LIMIT 10'),
	('% at 0.3 of 100 ids', 0.3, 'SELECT count(*) FROM big WHERE string % {probe} AND id BETWEEN 501 AND 600'),
	('% at 0.5 of a tenant', 0.5, 'SELECT count(*) FROM big WHERE string % {probe} AND tenant = 7'),
	('ten nearest of a tenant', 0.5, 'SELECT id FROM big WHERE tenant = 7 ORDER BY string <-> {probe} LIMIT 10'),
	('equal', 0.5, 'SELECT count(*) FROM big WHERE string = {string}'),
	('3,000 rows, % at 0.3', 0.3, 'SELECT count(*) FROM small WHERE string % {probe}'),
	('3,000 rows, ten nearest', 0.3, 'SELECT id FROM small ORDER BY string <-> {probe} LIMIT 10'),
	('100 rows, % at 0.3', 0.3, 'SELECT count(*) FROM tiny WHERE string % {probe}'),
	('100 rows, ten nearest', 0.3, 'SELECT id FROM tiny ORDER BY string <-> {probe} LIMIT 10'),
	('20 rows each with their similar ones, 0.7', 0.7, 'SELECT count(*) FROM small s JOIN big b ON b.string % s.string WHERE s.id <= (SELECT id FROM small ORDER BY id OFFSET 19 LIMIT 1)');

CREATE TABLE results (number int, allowed text, ms float8, plan text);
-- Of each probe the least of three times; together. Planning is left out: its time is the same for all.
CREATE PROCEDURE measure(allowed text) LANGUAGE plpgsql AS $$
DECLARE
	c cases; p probes; statement text; total float8; least float8; start float8; plan text;
BEGIN
	CALL allow(CASE allowed WHEN 'all' THEN '{sketch, gin, gist}'::text[] ELSE ARRAY[allowed] END);
	COMMIT;
	PERFORM set_config('enable_seqscan', (allowed IN ('all', 'none'))::text, false);
	FOR c IN TABLE cases LOOP
		PERFORM set_config(name, c.setting::text, false) FROM unnest('{pg_trgm.similarity_threshold, pg_trgm.word_similarity_threshold, pg_trgm.strict_word_similarity_threshold}'::text[]) AS name;
		total := 0;
		FOR p IN TABLE probes LOOP
			statement := replace(replace(replace(c.statement, '{probe}', quote_literal(p.probe)), '{word}', quote_literal(p.word)), '{string}', quote_literal(p.string));
			EXECUTE 'PREPARE measured AS ' || statement;
			plan := plan_of('EXECUTE measured');
			least := NULL;
			FOR round IN 1 .. 3 LOOP
				start := cpu_us();
				EXECUTE 'EXECUTE measured';
				least := least(least, cpu_us() - start);
				EXIT WHEN least > 100000;
			END LOOP;
			EXECUTE 'DEALLOCATE measured';
			total := total + least / 1000;
		END LOOP;
		INSERT INTO results VALUES (c.number, allowed, total / (SELECT count(*) FROM probes), coalesce(substring(plan FROM '(?:big|small|tiny)_(sketch|gin|gist)'), 'no index of strings'));
		COMMIT;
	END LOOP;
END $$;
SET plan_cache_mode = force_custom_plan;
CALL measure('sketch');
CALL measure('gin');
CALL measure('gist');
CALL measure('none');
CALL measure('all');
CALL allow('{sketch, gin, gist}');
SELECT what, round(sketch::numeric, 2) AS sketch, round(gin::numeric, 2) AS gin, round(gist::numeric, 2) AS gist, round("none"::numeric, 2) AS "none", round(chosen::numeric, 2) AS "of all", plan AS takes,
	round((chosen / least(sketch, gin, gist, "none"))::numeric, 2) AS "times the best"
FROM cases JOIN (SELECT number, max(ms) FILTER (WHERE allowed = 'sketch') AS sketch, max(ms) FILTER (WHERE allowed = 'gin') AS gin, max(ms) FILTER (WHERE allowed = 'gist') AS gist,
	max(ms) FILTER (WHERE allowed = 'none') AS "none", max(ms) FILTER (WHERE allowed = 'all') AS chosen, max(plan) FILTER (WHERE allowed = 'all') AS plan FROM results GROUP BY 1) AS r USING (number) ORDER BY number;
