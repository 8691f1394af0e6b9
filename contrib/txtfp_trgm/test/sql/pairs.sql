-- similar_string_pairs beside a join by similarity.
CREATE TABLE names (id int PRIMARY KEY, name text);
INSERT INTO names SELECT i, concat_ws(' ', first[1 + i * 7 % 9], last[1 + i * 5 % 11], CASE WHEN i % 4 = 0 THEN i % 50 END) FROM generate_series(1, 400) AS i,
	(SELECT string_to_array('Anna,Annah,Bernd,Berndt,Katharina,Catharina,Jürgen,Juergen,Li', ','), string_to_array('Meier,Meyer,Maier,Schmidt,Schmitt,Müller,Mueller,O''Neill,van der Berg,Vandenberg,', ',')) AS n (first, last);
INSERT INTO names VALUES (401, NULL), (402, ''), (403, ''), (404, '!'), (405, 'x'), (406, 'x'), (407, repeat('a long name ', 50)), (408, repeat('a long name ', 60) || 'x');
CREATE FUNCTION difference(threshold float8) RETURNS text LANGUAGE sql AS $$
	WITH by_function AS MATERIALIZED (SELECT a, b, similarity FROM similar_string_pairs('SELECT id, name FROM names', threshold)),
	by_join AS (SELECT x.id::bigint, y.id::bigint, similarity(x.name, y.name) FROM names x JOIN names y ON x.id < y.id WHERE similarity(x.name, y.name)::float8 >= threshold)
	SELECT format('%s more, %s fewer, of %s', (SELECT count(*) FROM (TABLE by_function EXCEPT ALL TABLE by_join) AS d),
		(SELECT count(*) FROM (TABLE by_join EXCEPT ALL TABLE by_function) AS d), CASE WHEN EXISTS (TABLE by_join) THEN 'some' ELSE 'none' END) $$;
SELECT threshold, difference(threshold) FROM unnest('{0.000001, 0.1, 0.3, 0.3333333, 0.5, 0.6, 0.8, 0.95, 1}'::float8[]) AS threshold;
SELECT * FROM similar_string_pairs($$VALUES (7, 'Storm warning'), (3, 'storm warnings'), (5, 'sunny'), (9, NULL)$$) ORDER BY a, b;
SET pg_trgm.similarity_threshold = 0.9;
SELECT count(*) FROM similar_string_pairs($$VALUES (7, 'Storm warning'), (3, 'storm warnings')$$);
RESET pg_trgm.similarity_threshold;
SELECT count(*) FROM similar_string_pairs(NULL, 0.5);
-- a query that ends with a comment; a search path that has neither extension
SET search_path = pg_catalog;
SELECT count(*) FROM public.similar_string_pairs('SELECT 1, ''a b'' UNION ALL SELECT 2, ''a b'' -- twice', 1);
RESET search_path;
\set VERBOSITY terse
SELECT count(*) FROM similar_string_pairs('SELECT 1, ''a''', 0);
SELECT count(*) FROM similar_string_pairs('SELECT 1, ''a''', 1.5);
SELECT count(*) FROM similar_string_pairs('SELECT 1, ''a''', 'NaN');
SELECT count(*) FROM similar_string_pairs('SELECT 1', 0.5);
DROP TABLE names;
DROP FUNCTION difference;
