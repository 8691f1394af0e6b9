-- deduplicate with signals, guards, a rule, and without loss
CREATE TABLE docs (id bigint PRIMARY KEY, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED);
INSERT INTO docs SELECT i, 'This package has the compiler for the language C, and the files that all users of the compiler want, in one place, so that nobody has to look for them.' ||
	CASE i WHEN 2 THEN '' WHEN 3 THEN ' ' WHEN 4 THEN ' It is small.' ELSE '' END FROM generate_series(1, 4) AS i;
INSERT INTO docs SELECT 5, replace(body, 'C,', 'C++,') FROM docs WHERE id = 1;
INSERT INTO docs SELECT 10 + i, 'The dictionary of ' || name || E'\nThis is the dictionary of a language for a program that checks how words are spelled. It has all words of ' || name || ' that its authors know of, in all of their forms, and it is used by many other programs on this system.'
FROM unnest(ARRAY['Welsh', 'Arabic', 'Breton', 'Danish']) WITH ORDINALITY AS t (name, i);
SELECT id, kept, reason, outcome, score, neighbours, kept_neighbours, (signals).edits, (signals).symbols, (signals).new_both FROM deduplicate('SELECT id, fp, body FROM docs', 0.6, signals => true, verify => 'none', guard => '', explain => true) ORDER BY id;
SELECT id, kept, reason, outcome, neighbours FROM deduplicate('SELECT id, fp, body FROM docs', 0.6, guard => 'symbol, first_line, two_sided, neighbours', verify => 'none', explain => true) ORDER BY id;
-- Neighbours are the other rows of the component
CREATE TABLE copies AS SELECT i AS id, body, to_minhash128(body) AS fp, to_simhash64(body) AS hash, to_tlsh(body) AS digest FROM generate_series(1, 400) AS i,
	LATERAL (SELECT string_agg(CASE WHEN j = 10 + i % 13 THEN 'other' || i % 5 ELSE 'word' || j * (1 + i % 3) END, ' ' ORDER BY j) AS body FROM generate_series(1, 40) AS j) AS t;
CREATE FUNCTION differences(decided text, clusters text) RETURNS TABLE (compared bigint, differences bigint) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT count(*), count(*) FILTER (WHERE d.neighbours <> c.size - 1 OR d.kept_neighbours <> k.size - 1) FROM %s AS d LEFT JOIN %s AS c USING (id) LEFT JOIN %2$s AS k ON k.id = d.kept',
		decided, clusters);
END $$;
SELECT * FROM differences($$deduplicate('SELECT id, fp, body FROM copies', 0.8, signals => true)$$, $$near_duplicate_clusters('SELECT id, fp FROM copies', 0.8)$$);
SELECT * FROM differences($$deduplicate('SELECT id, hash, body FROM copies', max_distance => 8, verify => 'none')$$, $$near_duplicate_clusters('SELECT id, hash FROM copies', max_distance => 8)$$);
SELECT * FROM differences($$deduplicate('SELECT id, digest FROM copies', max_distance => 30)$$, $$near_duplicate_clusters('SELECT id, digest FROM copies', max_distance => 30)$$);
SET statement_timeout = '5min';
SELECT count(*), min(neighbours), max(kept_neighbours) FROM deduplicate('SELECT i, to_minhash128(''what all rows have''), ''what all rows have''::text FROM generate_series(1, 100000) AS i', 0.8, signals => true);
RESET statement_timeout;
DROP FUNCTION differences;
DROP TABLE copies;
SELECT id, kept, reason, outcome FROM deduplicate('SELECT id, fp, body FROM docs', 0.6, guard => 'repeated', verify => 'jaccard') ORDER BY id;
-- outcomes do not depend on the order of the rows
SELECT count(*) AS differences FROM (SELECT id, kept, outcome, reason FROM deduplicate('SELECT id, fp, body FROM docs', 0.6, guard => 'symbol, two_sided', verify => 'none') EXCEPT SELECT id, kept, outcome, reason FROM deduplicate('SELECT id, fp, body FROM docs ORDER BY md5(body)', 0.6, guard => 'symbol, two_sided', verify => 'none')) AS d;

-- without loss: a shorter row goes, a longer one stays
SELECT id, kept, reason FROM deduplicate('SELECT id, fp, body, length(body) FROM docs', 0.6, verify => 'lossless', guard => '') ORDER BY id;
SELECT id, kept, reason FROM deduplicate('SELECT id, fp, body FROM docs WHERE id < 5', 0.6, verify => 'lossless', guard => '') ORDER BY id;
SELECT id, kept FROM deduplicate($$SELECT i, to_minhash128(t, 'word-uax29'), t FROM (VALUES (1, 'a b a b'), (2, 'b a b'), (3, 'b b a b')) AS v (i, t)$$, 0.6, verify => 'lossless', guard => '') ORDER BY id;

-- a rule
CREATE TABLE labelled AS SELECT i % 2 = 0 AS label, CASE WHEN i % 2 = 0
	THEN difference_signals(right_body || CASE WHEN i % 4 = 0 THEN ' It is small.' ELSE ' ' END, right_body, i % 5, i % 3)
	ELSE difference_signals(format(wrong_body, 'Lang' || n), format(wrong_body, 'Tong' || n), 2 + i % 7, 3) END AS signals
FROM generate_series(1, 200) AS i, translate(i::text, '0123456789', 'abcdefghij') AS n,
	format('This package has the editor number %s, and the files that all users of the editor want, so that nobody has to look for them.', i) AS right_body,
	concat('The word list of %1$s', E'\n', 'This is the word list of a language for a program that checks how words are spelled. It has all words of %1$s that its authors know of.') AS wrong_body;
CREATE TABLE rules AS SELECT decision_rule('SELECT label, signals FROM labelled', 0.95) AS rule;
SELECT id, kept, reason, outcome, score > 0.5 AS right FROM rules, deduplicate('SELECT id, fp, body FROM docs', 0.6, rule => rule, min_precision => 0.95, verify => 'none', guard => '') ORDER BY id;
SELECT id, kept, reason, outcome FROM rules, deduplicate('SELECT id, fp, body FROM docs', 0.6, rule => rule, min_precision => 0.93, verify => 'none', guard => 'symbol', explain => true) ORDER BY id;

-- presets: only what the kept text has whole; and guards that look at places
SELECT id, kept, reason, outcome FROM deduplicate('SELECT id, fp, body FROM docs', 0.6, verify => 'none', guard => 'strict') ORDER BY id;
SELECT id, kept, reason, outcome FROM deduplicate('SELECT id, fp, body FROM docs', 0.6, verify => 'none', guard => 'balanced, name') ORDER BY id;

-- an empty list is none
SELECT bool_and(outcome = 'remove') AS none FROM deduplicate('SELECT id, fp, body FROM docs', 0.6, verify => 'none', guard => ' ');

-- errors
SELECT deduplicate('SELECT id, fp, body FROM docs', 0.6, guard => 'symbol, colour');
SELECT deduplicate('SELECT id, fp FROM docs', 0.6, signals => true);
SELECT deduplicate('SELECT id, fp, body FROM docs', 0.6, signals => NULL);
SELECT deduplicate('SELECT id, fp, body FROM docs', 0.6, rule => rule) FROM rules;
SELECT deduplicate('SELECT id, fp, body FROM docs', 0.6, min_precision => 0.9);
SELECT deduplicate('SELECT id, fp, body FROM docs', 0.6, rule => '{}', min_precision => 0.9);
SELECT deduplicate('SELECT id, fp, body FROM docs', 0.6, rule => rule, min_precision => 0.999) FROM rules;
SELECT deduplicate('SELECT id, fp FROM docs', 0.6, verify => 'lossless');
DROP TABLE docs, labelled, rules;
