-- decision_rule, decision_score, removal_sample, removal_precision
-- Right removals lose a few words; wrong ones replace a name twice.
CREATE TABLE labelled AS
SELECT i, i % 2 = 0 AS label, CASE WHEN i % 2 = 0
	THEN difference_signals('the package number ' || i || ' has files that users want', 'the package number ' || i || ' has some files that all users want', i % 5, i % 3)
	ELSE difference_signals('the dictionary of Lang' || i || ' is for Lang' || i || ' users', 'the dictionary of Tong' || i || ' is for Tong' || i || ' users', 20 + i % 7, 30) END AS signals
FROM generate_series(1, 200) AS i;
CREATE TABLE rules AS SELECT decision_rule('SELECT label, signals FROM labelled', 0.9) AS rule;
SELECT jsonb_typeof(rule), rule->'version' AS version, rule->'signals_version' AS signals_version, rule->'labels' AS labels, rule->'right' AS right, jsonb_array_length(rule->'cut_offs') AS cut_offs FROM rules;
SELECT cut->'wished' AS wished, cut->'new'->'precision' AS precision, cut->'new'->'recall' AS recall, cut->'new'->'labels' AS labels FROM rules, jsonb_array_elements(rule->'cut_offs') AS cut ORDER BY 1 DESC LIMIT 2;
SELECT label, count(*), bool_and((decision_score(rule, signals) > 0.5) = label) AS agrees FROM labelled, rules GROUP BY label ORDER BY label;
-- the same rule from the same labels in another order
SELECT rule = decision_rule('SELECT label, signals FROM labelled ORDER BY i DESC') AS same FROM rules;
SELECT decision_score(NULL, signals) IS NULL AS nulls FROM labelled LIMIT 1;

SELECT decision_rule('SELECT label, signals FROM labelled WHERE i < 30');
SELECT decision_rule('SELECT label, signals FROM labelled', 0.995);
SELECT decision_rule('SELECT i % 4 < 2, signals FROM labelled WHERE label', 0.99);
SELECT decision_rule('SELECT label, signals FROM labelled', 1);
SELECT decision_rule('SELECT i, signals FROM labelled');
SELECT decision_rule('SELECT label, i FROM labelled');
SELECT decision_rule('SELECT label FROM labelled');
SELECT decision_rule(NULL);
SELECT decision_rule('SELECT label, difference_signals(''a'', ''b'', nullif(i % 9, 0)) FROM labelled');
SELECT decision_score('{}', signals) FROM labelled LIMIT 1;
SELECT decision_score('[1]', signals) FROM labelled LIMIT 1;
SELECT decision_score(rule || '{"signals_version": 7}', signals) FROM labelled, rules LIMIT 1;
SELECT decision_score(rule || '{"trees": [{"signal": "none", "above": 1, "yes": 1, "no": 0}]}', signals) FROM labelled, rules LIMIT 1;
SELECT decision_score(rule || '{"trees": [{"signal": "edits", "above": 1, "yes": 1}]}', signals) FROM labelled, rules LIMIT 1;
SELECT decision_score(rule || '{"terms": 5}', signals) FROM labelled, rules LIMIT 1;
SELECT decision_score(rule, difference_signals('a', 'b')) FROM rules;
SELECT decision_score(rule, NULL::difference_signals) IS NULL AS nulls FROM rules;
SELECT decision_score(rule, jsonb_populate_record(difference_signals('a', 'b', 1, 1), '{"version": 1}')) FROM rules;
SELECT decision_score(rule, jsonb_populate_record(difference_signals('a', 'b', 1, 1), '{"kept_words": "NaN"}')) FROM rules;

-- a rule says what is wrong in it, wherever that is
CREATE FUNCTION refusal(rule jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	message text;
	detail text;
BEGIN
	RETURN decision_score(rule, signals) FROM labelled LIMIT 1;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
	RETURN concat_ws(': ', message, detail);
END $$;
SELECT change, refusal(rule || change) FROM rules, unnest(ARRAY['{"rule": "other"}', '{"rule": 5}', '{"version": 99}', '{"version": "1"}', '{"signals_version": null}', '{"intercept": "0"}',
	'{"terms": {}}', '{"terms": [5]}', '{"terms": [[]]}', '{"terms": [{}]}', '{"terms": [{"signal": 5}]}', '{"terms": [{"signal": "edits"}]}', '{"terms": [{"signal": "edits", "of": "root"}]}',
	'{"terms": [{"signal": "edits", "of": "log", "center": "1"}]}', '{"terms": [{"signal": "edits", "of": "log", "center": 1, "scale": 0, "weight": 1}]}',
	'{"trees": "5"}', '{"trees": [[]]}', '{"trees": ["x"]}', '{"trees": [{"signal": "edits", "above": "1"}]}', '{"trees": [{"signal": "edits", "above": 1, "yes": {}}]}',
	'{"cut_offs": 1}', '{"cut_offs": [1]}', '{"cut_offs": [{}]}', '{"cut_offs": [{"wished": 0.9, "remove_from": "0"}]}', '{"cut_offs": [{"wished": 0.9, "remove_from": 1}]}']::jsonb[]) AS change;
SELECT refusal(NULL), refusal('5'), refusal('"txtfp"'), refusal('[]');
-- nothing but what a rule says counts; trees and lists have an end
SELECT refusal(rule || '{"intercept": -0.75, "terms": [], "trees": [0.25, 0.5]}') AS half,
	refusal(rule || '{"intercept": 0, "terms": [], "trees": [{"signal": "new_both", "above": -1, "yes": 0, "no": 9}, {"signal": "new_both", "above": 1e9, "yes": 9, "no": 0}]}') AS sides,
	refusal(rule || '{"intercept": 0, "terms": [{"signal": "new_both", "of": "any", "center": 0, "scale": 1, "weight": 0}], "trees": []}') AS weightless FROM rules;
SELECT n, refusal(rule || jsonb_build_object('intercept', 0, 'terms', '[]'::jsonb, 'trees', jsonb_build_array((repeat('{"signal": "edits", "above": -1, "no": 9, "yes": ', n) || '0' || repeat('}', n))::jsonb)))
FROM rules, unnest('{32,33}'::int[]) AS n;
SELECT n, refusal(rule || jsonb_build_object('intercept', 0, 'terms', '[]'::jsonb, 'trees', (SELECT jsonb_agg(0) FROM generate_series(1, n)))) FROM rules, unnest('{10000,10001}'::int[]) AS n;
DROP FUNCTION refusal;
-- labels that are null do not count; options must not be null
SELECT decision_rule('SELECT CASE WHEN i % 5 > 0 THEN label END, CASE WHEN i % 7 > 0 THEN signals END FROM labelled') = decision_rule('SELECT label, signals FROM labelled WHERE i % 5 > 0 AND i % 7 > 0') AS same;
SELECT decision_rule('SELECT label, signals FROM labelled', 0.9, NULL);

-- groups: both figures, of any type, in any order; NULL is a label of its own
CREATE TABLE grouped AS SELECT decision_rule('SELECT label, signals, i / 7 FROM labelled', 0.9) AS rule;
SELECT rule->'groups' AS groups, rule->'for_new' AS for_new, jsonb_typeof(rule#>'{cut_offs,0,similar,precision_interval}') AS similar, jsonb_typeof(rule#>'{cut_offs,0,new,precision_interval}') AS new,
	(rule#>>'{cut_offs,0,new,precision_interval,0}')::float8 < (rule#>>'{cut_offs,0,similar,precision}')::float8 AS wider FROM grouped;
SELECT count(DISTINCT decision_rule(query, 0.9)) AS rules FROM unnest(ARRAY['SELECT label, signals, i / 7 FROM labelled', 'SELECT label, signals, (i / 7)::text FROM labelled ORDER BY md5(i::text)',
	'SELECT label, signals, (i / 7)::int8 FROM labelled ORDER BY i DESC', 'SELECT label, signals, md5((i / 7)::text)::uuid FROM labelled']) AS query;
SELECT decision_rule('SELECT label, signals, nullif(i % 10, 0) FROM labelled')->'groups' AS groups, decision_rule('SELECT label, signals, i / 7 FROM labelled', for_new => false)->'for_new' AS for_new;
SELECT decision_rule('SELECT label, signals, NULL::int FROM labelled') - 'for_new' = decision_rule('SELECT label, signals FROM labelled', for_new => false) - 'for_new' AS all_alone;
SELECT decision_rule('SELECT label, signals, CASE WHEN label THEN i ELSE 0 END FROM labelled');
SELECT decision_rule('SELECT label, signals, i::float8 FROM labelled');
SELECT decision_rule('SELECT label, signals, i, i FROM labelled');
SELECT decision_rule('SELECT label, signals, i FROM labelled', for_new => NULL);

-- signals are recognized by their columns, and looked at
CREATE TABLE alike AS SELECT (signals).* FROM labelled;
SELECT decision_rule('SELECT a.new_both = 0, a FROM alike AS a') = decision_rule('SELECT (signals).new_both = 0, signals FROM labelled') AS same;
ALTER TABLE alike RENAME version TO number;
SELECT decision_rule('SELECT true, a FROM alike AS a');
ALTER TABLE alike RENAME number TO version;
ALTER TABLE alike ALTER version TYPE bigint;
SELECT decision_rule('SELECT true, a FROM alike AS a');
ALTER TABLE alike ALTER version TYPE int, ALTER edits TYPE real;
SELECT decision_rule('SELECT true, a FROM alike AS a');
DROP TABLE alike;
SELECT decision_rule('SELECT label, labelled FROM labelled');
SELECT decision_rule('SELECT label, ROW(1, 2) FROM labelled');
SELECT decision_score(rule, jsonb_populate_record(signals, '{"version": null}')) FROM labelled, rules LIMIT 1;
SELECT decision_score(rule, jsonb_populate_record(signals, '{"edits": null}')) FROM labelled, rules LIMIT 1;
SELECT decision_score(rule, jsonb_populate_record(signals, '{"edits": -1}')) FROM labelled, rules LIMIT 1;
SELECT decision_score(rule, jsonb_populate_record(signals, '{"edits": 1.1e12}')) FROM labelled, rules LIMIT 1;
SELECT decision_score(rule, jsonb_populate_record(signals, '{"neighbours": -1.5}')) FROM labelled, rules LIMIT 1;

-- samples
CREATE TABLE planned AS SELECT i AS id, i + 1000000 AS kept, (i % 100) / 100.0::float8 AS score FROM generate_series(1, 10000) AS i;
SELECT stratum, count(*), min(score), max(score), min(weight) AS weight FROM removal_sample('SELECT id, kept, score FROM planned', 100) GROUP BY stratum ORDER BY stratum;
SELECT (SELECT array_agg(s ORDER BY s) FROM removal_sample('SELECT id, kept, score FROM planned', 50, 7) AS s) = (SELECT array_agg(s ORDER BY s) FROM removal_sample('SELECT id, kept, score FROM planned ORDER BY id DESC', 50, 7) AS s) AS same,
	(SELECT array_agg(s ORDER BY s) FROM removal_sample('SELECT id, kept, score FROM planned', 50, 7) AS s) = (SELECT array_agg(s ORDER BY s) FROM removal_sample('SELECT id, kept, score FROM planned', 50, 8) AS s) AS other_seed;
-- ids and scores of other types, the same values: the same sample
CREATE FUNCTION sample_of(a text, b text, score text, answer anyelement) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN md5(string_agg(format('%s %s %s %s', id, kept, s.score, stratum), ',' ORDER BY id::text))
	FROM removal_sample(answer, query => format('SELECT id::%s, (id + 1)::%s, (id %% 4 / 4.0)::%s FROM planned', a, b, score), n => 50) AS s;
END $$;
SELECT count(DISTINCT sample) AS samples, count(*) AS types FROM (
	SELECT sample_of(a, b, score, NULL::bigint) FROM unnest('{smallint,int,bigint}'::text[]) AS a, unnest('{smallint,int,bigint}'::text[]) AS b, unnest('{real,float8}'::text[]) AS score
	UNION ALL SELECT sample_of('smallint', 'int', 'float8', NULL::int) UNION ALL SELECT sample_of('int', 'smallint', 'real', NULL::int)
	UNION ALL SELECT sample_of('smallint', 'smallint', 'real', NULL::smallint) UNION ALL SELECT sample_of('text', 'text', 'float8', NULL::text)) AS x (sample);
DROP FUNCTION sample_of;
SELECT * FROM removal_sample(NULL::text, query => $$VALUES ('a'::text, 'b'::text, 0.5::float8), ('c', 'd', 0.5), ('e', 'f', 0.5)$$, n => 10) ORDER BY id;
SELECT count(*) AS of_nothing FROM removal_sample('SELECT id, kept, score FROM planned WHERE false', 10);
SELECT removal_sample('SELECT id, kept FROM planned', 10);
SELECT removal_sample('SELECT id, kept, id FROM planned', 10);
SELECT removal_sample('SELECT id, kept, NULL::float8 FROM planned', 10);
SELECT removal_sample('SELECT NULL::bigint, kept, score FROM planned', 10);
SELECT removal_sample('SELECT id, kept, score FROM planned', 0);
SELECT removal_sample('SELECT id, kept, score FROM planned', NULL);
SELECT removal_sample('SELECT id, kept, score FROM planned', 10, NULL);
SELECT removal_sample('SELECT id, kept, ''NaN''::real FROM planned', 10);
SELECT removal_sample('SELECT id, NULL::bigint, score FROM planned', 10);

SELECT round("precision"::numeric, 3) AS precision, low < 0.9 AND high > 0.9 AS covers, high - low < 0.2 AS narrow, labels
FROM removal_precision($$SELECT stratum, id % 10 <> 0 FROM removal_sample('SELECT id, kept, score FROM planned', 200)$$);
-- a stratum that was read completely is known exactly
SELECT * FROM removal_precision($$VALUES ('1 of 1: 4 rows', true), ('1 of 1: 4 rows', true), ('1 of 1: 4 rows', false), ('1 of 1: 4 rows', true), ('1 of 1: 4 rows', NULL)$$);
-- labels of one group tell less
SELECT g, round("precision"::numeric, 2) AS "precision", round((high - low)::numeric, 2) AS width, labels FROM unnest('{1,10,20,NULL}'::int[]) AS g,
	LATERAL removal_precision(format($$SELECT '1 of 1: 5000 rows'::text, i %% 5 > 0, i / nullif(20 / %s, 0) FROM generate_series(0, 19) AS i$$, coalesce(g::text, 'NULL'))) ORDER BY g;
SELECT removal_precision($$VALUES ('1 of 1: 4 rows', true, 0.5)$$);
SELECT removal_precision($$VALUES ('1 of 1: 4 rows', true, 1, 1)$$);
SELECT removal_precision($$VALUES ('1 of 2: 4 rows', true)$$);
SELECT removal_precision($$VALUES ('1 of 1: 1 rows', true), ('1 of 1: 1 rows', true)$$);
SELECT removal_precision($$VALUES ('low', true)$$);
SELECT removal_precision($$VALUES ('1 of 1: 4 rows', true), ('1 of 1: 5 rows', true)$$);
SELECT removal_precision($$SELECT '1 of 1: 4 rows'::text, NULL::boolean$$);
SELECT removal_precision($$VALUES (1, true)$$);
SELECT removal_precision($$VALUES ('1 of 1: 4 rows', 1)$$);
SELECT removal_precision($$VALUES ('1 of 1: 4 rows'::varchar, true)$$) = removal_precision($$VALUES ('1 of 1: 4 rows', true)$$) AS varchar_too;
SELECT removal_precision($$VALUES (NULL::text, true)$$);
SELECT removal_precision($$VALUES ('1 of 2: 4 rows', true), ('1 of 1: 4 rows', true)$$);
DROP TABLE labelled, rules, planned, grouped;

-- Signals with a corpus and without one are not mixed, and a rule knows which it needs
CREATE TEMP TABLE products AS SELECT i, format('%s lamp no%s with a %s cable', CASE i % 3 WHEN 0 THEN 'red' WHEN 1 THEN 'blue' ELSE 'green' END, 1000 + i, CASE i % 2 WHEN 0 THEN 'long' ELSE 'short' END) AS body FROM generate_series(1, 200) AS i;
CREATE TEMP TABLE words AS SELECT corpus_words_agg(body) AS corpus FROM products;
CREATE TEMP TABLE matches AS SELECT a.i % 2 = 0 AS label, difference_signals(a.body, CASE WHEN a.i % 2 = 0 THEN replace(a.body, 'with a', 'with one') ELSE b.body END, corpus => corpus) AS signals
FROM products AS a JOIN products AS b ON b.i = a.i + 3, words;
CREATE TEMP TABLE corpus_rule AS SELECT decision_rule('SELECT label, signals FROM matches', for_new => false) AS rule;
SELECT count(*), bool_and((decision_score(rule, signals) > 0.5) = label) AS right FROM corpus_rule, matches;
SELECT decision_score(rule, difference_signals('a', 'b')) FROM corpus_rule;
SELECT decision_rule('SELECT label, signals FROM matches UNION ALL SELECT true, difference_signals(''a'', ''b'')');
SELECT decision_score(jsonb_set(rule, '{signals_version}', '2'), difference_signals('a', 'b')) FROM corpus_rule;
