-- similar_string_pairs beside a join by similarity.
CREATE TABLE names (id int PRIMARY KEY, name text);
INSERT INTO names SELECT i, concat_ws(' ', first[1 + i * 7 % 9], last[1 + i * 5 % 11], CASE WHEN i % 4 = 0 THEN i % 50 END) FROM generate_series(1, 400) AS i,
	(SELECT string_to_array('Anna,Annah,Bernd,Berndt,Katharina,Catharina,Jürgen,Juergen,Li', ','), string_to_array('Meier,Meyer,Maier,Schmidt,Schmitt,Müller,Mueller,O''Neill,van der Berg,Vandenberg,', ',')) AS n (first, last);
INSERT INTO names VALUES (401, NULL), (402, ''), (403, ''), (404, '!'), (405, 'x'), (406, 'x'), (407, repeat('a long name ', 50)), (408, repeat('a long name ', 60) || 'x'),
	(409, (SELECT string_agg(md5(i::text), ' ') FROM generate_series(1, 30) AS i)), (410, (SELECT string_agg(md5(i::text), ' ') FROM generate_series(1, 33) AS i)),
	(411, '東京都港区'), (412, '東京都港区赤坂'), (413, 'Ärger'), (414, 'ärger'), (-1, 'Anna Meier'), (0, E'tab\tand\nline');
CREATE FUNCTION difference(threshold float8) RETURNS text LANGUAGE sql AS $$
	WITH by_function AS MATERIALIZED (SELECT a, b, similarity FROM similar_string_pairs('SELECT id, name FROM names', threshold)),
	by_join AS (SELECT x.id::bigint, y.id::bigint, similarity(x.name, y.name) FROM names x JOIN names y ON x.id < y.id WHERE similarity(x.name, y.name)::float8 >= threshold)
	SELECT format('%s more, %s fewer, of %s', (SELECT count(*) FROM (TABLE by_function EXCEPT ALL TABLE by_join) AS d),
		(SELECT count(*) FROM (TABLE by_join EXCEPT ALL TABLE by_function) AS d), CASE WHEN EXISTS (TABLE by_join) THEN 'some' ELSE 'none' END) $$;
SELECT threshold, difference(threshold) FROM unnest('{0.000001, 0.1, 0.3, 0.3333333, 0.5, 0.6, 0.7, 0.8, 0.95, 1}'::float8[]) AS threshold;
-- Thresholds that a rounded similarity just reaches, and just does not: those that occur
SELECT bool_and(difference(s::float8) LIKE '0 more, 0 fewer, of some') AS at, bool_and(difference(s::float8 + 1e-12) LIKE '0 more, 0 fewer, of %') AS above
	FROM (SELECT DISTINCT similarity(x.name, y.name) AS s FROM names x, names y WHERE x.id < y.id AND x.id % 37 = 0 AND similarity(x.name, y.name) BETWEEN 0.4 AND 0.9 ORDER BY 1 LIMIT 5) AS d;
SELECT * FROM similar_string_pairs($$VALUES (7, 'Storm warning'), (3, 'storm warnings'), (5, 'sunny'), (9, NULL)$$) ORDER BY a, b;
SET pg_trgm.similarity_threshold = 0.9;
SELECT count(*) FROM similar_string_pairs($$VALUES (7, 'Storm warning'), (3, 'storm warnings')$$);
RESET pg_trgm.similarity_threshold;
SELECT count(*) FROM similar_string_pairs('SELECT 1, ''a'' WHERE false', 0.5);

-- ids of other types; strings of other types
SELECT * FROM similar_string_pairs(NULL::text, $$VALUES ('b', 'Storm warning'), ('a', 'storm warnings')$$, 0.5);
SELECT * FROM similar_string_pairs(NULL::uuid, $$SELECT ('00000000-0000-0000-0000-00000000000' || i)::uuid, 'word' FROM generate_series(1, 2) AS i$$, 1);
CREATE DOMAIN title AS varchar(30);
SELECT count(*) FROM similar_string_pairs('SELECT id, left(name, 30)::title FROM names', 0.7);
SELECT count(*) FROM similar_string_pairs('SELECT id, left(name, 30) FROM names', 0.7);

-- The same with little memory, and by several threads: in files, in several blocks, in the same order
CREATE TABLE strings AS SELECT i AS id, left(md5((i % 1300)::text), 20) || md5((i / 20)::text) AS string FROM generate_series(1, 4000) AS i;
CREATE TABLE outcomes (memory text, workers int, pairs text);
DO $$
DECLARE
	memory text; workers int;
BEGIN
	SET LOCAL min_parallel_table_scan_size = 0;
	FOREACH memory IN ARRAY '{1MB, 64MB}'::text[] LOOP
		FOREACH workers IN ARRAY '{0, 1, 3}'::int[] LOOP
			PERFORM set_config('maintenance_work_mem', memory, true), set_config('max_parallel_maintenance_workers', workers::text, true);
			INSERT INTO outcomes SELECT memory, workers, concat_ws(' ', count(*), md5(string_agg(concat_ws(' ', a, b, similarity), ', ' ORDER BY n)))
				FROM similar_string_pairs('SELECT id, string FROM strings ORDER BY hashint4(id)', 0.6) WITH ORDINALITY AS p (a, b, similarity, n);
		END LOOP;
	END LOOP;
END $$;
SELECT memory, count(DISTINCT pairs) AS different FROM outcomes GROUP BY 1 ORDER BY 1;
SELECT count(DISTINCT split_part(pairs, ' ', 1)) FROM outcomes;
SELECT split_part(pairs, ' ', 1)::bigint = (SELECT count(*) FROM strings x JOIN strings y ON x.id / 20 = y.id / 20 AND x.id < y.id
	WHERE similarity(x.string, y.string)::float8 >= 0.6) AS as_by_join FROM outcomes LIMIT 1;
SET maintenance_work_mem = '1MB';
SET temp_file_limit = '100kB';
\set VERBOSITY sqlstate
SELECT count(*) FROM similar_string_pairs('SELECT id, string FROM strings', 0.9);
SET max_parallel_maintenance_workers = 0;
SELECT count(*) FROM similar_string_pairs('SELECT id, string FROM strings', 0.9);
\set VERBOSITY default
RESET temp_file_limit;
SET txtfp.progress = on;
SELECT count(*) FROM similar_string_pairs('SELECT id, string FROM strings WHERE id < 3000', 0.9);
RESET txtfp.progress;
RESET max_parallel_maintenance_workers;
RESET maintenance_work_mem;

-- A query that ends with a comment or a semicolon; a search path that has neither extension, and one whose functions have the same names
SET search_path = pg_catalog;
SELECT count(*) FROM public.similar_string_pairs('SELECT 1, ''a b'' UNION ALL SELECT 2, ''a b'' -- twice', 1);
SELECT count(*) FROM public.similar_string_pairs('SELECT 1, ''a b'' UNION ALL SELECT 2, ''a b'';', 1);
RESET search_path;
CREATE SCHEMA other;
CREATE FUNCTION other.similarity(text, text) RETURNS real LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE 'not this one'; END $$;
CREATE FUNCTION other.rank_of(x text, y text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE 'not this one'; END $$;
CREATE OPERATOR other.% (LEFTARG = text, RIGHTARG = text, FUNCTION = other.rank_of);
SET search_path = other, public, pg_catalog;
SELECT count(*) FROM similar_string_pairs('SELECT id, name FROM names', 0.95);
RESET search_path;
DROP SCHEMA other CASCADE;

-- With the rights of the caller, in a statement and within a function
CREATE ROLE regress_trgm_caller;
CREATE FUNCTION of_owner() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS $$ SELECT count(*) FROM similar_string_pairs('SELECT id, name FROM names', 0.95) $$;
SET ROLE regress_trgm_caller;
SELECT count(*) FROM similar_string_pairs('SELECT id, name FROM names', 0.95);
SELECT of_owner() > 0;
RESET ROLE;
DROP FUNCTION of_owner;
DROP ROLE regress_trgm_caller;

\set VERBOSITY terse
SELECT count(*) FROM similar_string_pairs(NULL, 0.5);
SELECT count(*) FROM similar_string_pairs('SELECT 1, ''a''', 0);
SELECT count(*) FROM similar_string_pairs('SELECT 1, ''a''', 1.5);
SELECT count(*) FROM similar_string_pairs('SELECT 1, ''a''', 'NaN');
SET pg_trgm.similarity_threshold = 0;
SELECT count(*) FROM similar_string_pairs('SELECT 1, ''a''');
RESET pg_trgm.similarity_threshold;
SELECT count(*) FROM similar_string_pairs('SELECT 1', 0.5);
SELECT count(*) FROM similar_string_pairs('SELECT 1, 2', 0.5);
SELECT count(*) FROM similar_string_pairs('SELECT 1, ''a''::char(3)', 0.5);
SELECT count(*) FROM similar_string_pairs('SELECT ''a'', ''a''', 0.5);
SELECT count(*) FROM similar_string_pairs(1.5, 'SELECT 1.5, ''a''', 0.5);
SELECT count(*) FROM similar_string_pairs('SELECT NULL::int, ''a''', 0.5);
SELECT count(*) FROM similar_string_pairs('VALUES (1, ''a''), (2, ''b''), (1, ''c'')', 0.5);
SELECT count(*) FROM similar_string_pairs('SELECT 1, ''a'') AS q (id, string); DROP TABLE names; --', 0.5);
SELECT count(*) FROM similar_string_pairs('SELECT 1, ''a''; DROP TABLE names', 0.5);
SELECT count(*) FROM similar_string_pairs('DELETE FROM names RETURNING id, name', 0.5);
SELECT count(*) FROM similar_string_pairs('WITH d AS (DELETE FROM names RETURNING id, name) SELECT id, name FROM d', 0.5);
SELECT count(*) FROM similar_string_pairs('SELECT id, name FROM names FOR UPDATE', 0.5);
SELECT count(*) FROM similar_string_pairs('names', 0.5);
\set VERBOSITY default
\set SHOW_CONTEXT never
-- pg_trgm is asked about each value of the similarity.
BEGIN;
CREATE OR REPLACE FUNCTION similarity(text, text) RETURNS real LANGUAGE c IMMUTABLE STRICT AS '$libdir/pg_trgm', 'word_similarity';
SELECT count(*) FROM similar_string_pairs($$VALUES (7, 'Storm warning'), (3, 'storm warnings')$$, 0.1);
ROLLBACK;
BEGIN;
ALTER EXTENSION pg_trgm DROP FUNCTION similarity(text, text);
SELECT count(*) FROM similar_string_pairs('SELECT 1, ''a''', 0.1);
ROLLBACK;
-- The owner of an extension may add functions to it.
BEGIN;
ALTER EXTENSION pg_trgm DROP FUNCTION similarity(text, text);
ALTER FUNCTION similarity(text, text) RENAME TO their_similarity;
CREATE FUNCTION similarity(text, text) RETURNS real LANGUAGE sql IMMUTABLE STRICT AS 'SELECT 0.5::real';
ALTER EXTENSION pg_trgm ADD FUNCTION similarity(text, text);
SELECT count(*) FROM similar_string_pairs('SELECT 1, ''a''', 0.1);
ROLLBACK;
SELECT count(*) FROM names;
DROP TABLE names, strings, outcomes;
DROP DOMAIN title;
DROP FUNCTION difference;
