-- near_duplicate_pairs_between with texts: signals of the pairs, and what a rule says of them
CREATE TABLE shop AS SELECT i AS id, format('%s %s %s-%s%s, %s', (ARRAY['Sony', 'Canon', 'Bosch', 'Philips'])[1 + i % 4], (ARRAY['headphones', 'camera', 'kettle', 'radio', 'drill'])[1 + i % 5],
	(ARRAY['MDR', 'KX', 'GSR'])[1 + i % 3], 100 + i / 3, (ARRAY['', 'B', 'S'])[1 + i % 3], (ARRAY['black', 'silver'])[1 + i % 2]) AS title FROM generate_series(1, 150) AS i;
CREATE TABLE supplier AS SELECT id + 1000 AS id, CASE id % 2 WHEN 0 THEN lower(replace(title, '-', '')) ELSE replace(title, '-', ' ') || ', new' END AS title FROM shop WHERE id % 10 <> 0;
CREATE FUNCTION of_table(name text, columns text DEFAULT ', title') RETURNS text LANGUAGE sql RETURN format('SELECT id, to_minhash128(title, ''shingle-k=3/grapheme-uax29'')%s FROM %s', columns, name);
CREATE TABLE candidates AS SELECT * FROM near_duplicate_pairs_between(of_table('shop'), of_table('supplier'), 0.25, signals => true);
-- The pairs are those without texts; the signals are those of difference_signals by the words of both tables.
SELECT count(*) > 500 AS some, count(*) FILTER (WHERE score IS NULL AND signals = difference_signals(a.title, b.title, corpus => corpus)) = count(*) AS same
FROM candidates AS c JOIN shop AS a ON a.id = c.a JOIN supplier AS b ON b.id = c.b, (SELECT corpus_words_agg(title) AS corpus FROM (SELECT title FROM shop UNION ALL SELECT title FROM supplier) AS t) AS w;
SELECT count(*) FROM (SELECT a, b, similarity FROM candidates EXCEPT SELECT a, b, similarity FROM near_duplicate_pairs_between(of_table('shop', ''), of_table('supplier', ''), 0.25)) AS e;
CREATE TABLE made AS SELECT decision_rule('SELECT b = a + 1000, signals, a FROM candidates WHERE a % 2 = 0', 0.9) AS rule;
CREATE TABLE scored AS SELECT p.* FROM made, near_duplicate_pairs_between(of_table('shop'), of_table('supplier'), 0.25, rule => rule) AS p;
SELECT count(*) = (SELECT count(*) FROM candidates) AS all_pairs, count(*) FILTER (WHERE s.signals IS NULL AND s.score = decision_score(rule, c.signals)) = count(*) AS same FROM made, scored AS s JOIN candidates AS c USING (a, b);
-- min_precision leaves out what the cut-off does; nearest takes the pair with the highest score, of equal ones the most similar one, and then the first.
CREATE TABLE kept AS SELECT s.* FROM made, scored AS s, jsonb_array_elements(rule->'cut_offs') AS cut WHERE cut->>'wished' = '0.9' AND score >= (cut->>'remove_from')::float8;
SELECT (SELECT count(*) FROM kept) > 100 AS some, count(*) AS differences FROM (SELECT a, b, score FROM kept EXCEPT
	SELECT a, b, score FROM made, near_duplicate_pairs_between(of_table('shop'), of_table('supplier'), 0.25, rule => rule, min_precision => 0.9)) AS e;
CREATE TABLE matched AS SELECT p.* FROM made, near_duplicate_pairs_between(of_table('shop'), of_table('supplier'), 0.25, nearest => true, signals => true, rule => rule, min_precision => 0.9) AS p;
SELECT count(*) > 100 AS some, avg((b = a + 1000)::int) > 0.9 AS right, count(*) FILTER (WHERE score = decision_score(rule, signals)) = count(*) AS same FROM made, matched;
SELECT count(*) AS differences FROM (SELECT a, b, score FROM matched EXCEPT (SELECT DISTINCT ON (a) a, b, score FROM kept ORDER BY a, score DESC, similarity DESC, b)) AS e;
-- Ids of other types, groups, texts of another type, rows without a text
SELECT count(*) = (SELECT count(*) FROM candidates) AS same, pg_typeof(min(a)) FROM near_duplicate_pairs_between(NULL::text, replace(of_table('shop'), 'id,', 'id::text,'), replace(of_table('supplier'), 'id,', 'id::text,'), 0.25, signals => true) WHERE NOT signals IS NULL;
SELECT count(*) FILTER (WHERE a % 3 = b % 3) = count(*) AS within, count(*) > 100 AS some
FROM near_duplicate_pairs_between(of_table('shop', ', id % 3, title::varchar'), of_table('supplier', ', id % 3, title'), 0.25, grouped => true, signals => true) WHERE (signals).shared >= 0;
SELECT count(*) AS pairs, count(signals) AS signals, count(score) AS scores, count(*) FILTER (WHERE a = 3 AND NOT signals IS NULL) AS of_null
FROM made, near_duplicate_pairs_between(of_table('shop', ', CASE WHEN id <> 3 THEN title END'), of_table('supplier') || ' WHERE id < 1006', 0.6, signals => true, rule => rule);
SELECT count(*) AS of_null FROM made, near_duplicate_pairs_between(of_table('shop', ', NULL::text'), of_table('supplier'), 0.25, rule => rule, min_precision => 0.9);
-- Refused
SELECT near_duplicate_pairs_between(of_table('shop', ''), of_table('supplier'), 0.25, signals => true);
SELECT near_duplicate_pairs_between(of_table('shop'), of_table('supplier', ''), 0.25, signals => true);
SELECT near_duplicate_pairs_between(of_table('shop'), of_table('supplier', ', id'), 0.25, signals => true);
SELECT near_duplicate_pairs_between(of_table('shop'), of_table('supplier'), 0.25);
SELECT near_duplicate_pairs_between(of_table('shop'), of_table('supplier'), 0.25, signals => NULL);
SELECT near_duplicate_pairs_between(of_table('shop'), of_table('supplier'), 0.25, min_precision => 0.9);
SELECT near_duplicate_pairs_between(of_table('shop'), of_table('supplier'), 0.25, rule => '{}');
SELECT near_duplicate_pairs_between(of_table('shop'), of_table('supplier'), 0.25, rule => rule, min_precision => 0.9999) FROM made;
SELECT near_duplicate_pairs_between(of_table('shop'), of_table('supplier'), 0.25, rule => rule || '{"terms": [{"signal": "neighbours", "of": "log", "center": 0, "scale": 1, "weight": 1}]}') FROM made;
DROP TABLE shop, supplier, candidates, made, scored, kept, matched;
DROP FUNCTION of_table;
