-- decision_rule, decision_score, removal_sample, removal_precision
-- Right removals lose a few words; wrong ones replace a name twice.
CREATE TABLE labelled AS
SELECT i, i % 2 = 0 AS label, CASE WHEN i % 2 = 0
	THEN difference_signals('the package number ' || i || ' has files that users want', 'the package number ' || i || ' has some files that all users want', i % 5, i % 3)
	ELSE difference_signals('the dictionary of Lang' || i || ' is for Lang' || i || ' users', 'the dictionary of Tong' || i || ' is for Tong' || i || ' users', 20 + i % 7, 30) END AS signals
FROM generate_series(1, 200) AS i;
CREATE TABLE rules AS SELECT decision_rule('SELECT label, signals FROM labelled', 0.9) AS rule;
SELECT jsonb_typeof(rule), rule->'version' AS version, rule->'signals_version' AS signals_version, rule->'labels' AS labels, rule->'right' AS right, jsonb_array_length(rule->'cut_offs') AS cut_offs FROM rules;
SELECT cut->'wished' AS wished, cut->'precision' AS precision, cut->'recall' AS recall, cut->'labels' AS labels FROM rules, jsonb_array_elements(rule->'cut_offs') AS cut ORDER BY 1 DESC LIMIT 2;
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
SELECT decision_score(rule, ROW(2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)::difference_signals) FROM rules;
SELECT decision_score(rule, ROW(1, 1, 'NaN', 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)::difference_signals) FROM rules;

-- samples
CREATE TABLE planned AS SELECT i AS id, i + 1000000 AS kept, (i % 100) / 100.0::float8 AS score FROM generate_series(1, 10000) AS i;
SELECT stratum, count(*), min(score), max(score), min(weight) AS weight FROM removal_sample('SELECT id, kept, score FROM planned', 100) GROUP BY stratum ORDER BY stratum;
SELECT (SELECT array_agg(s ORDER BY s) FROM removal_sample('SELECT id, kept, score FROM planned', 50, 7) AS s) = (SELECT array_agg(s ORDER BY s) FROM removal_sample('SELECT id, kept, score FROM planned ORDER BY id DESC', 50, 7) AS s) AS same,
	(SELECT array_agg(s ORDER BY s) FROM removal_sample('SELECT id, kept, score FROM planned', 50, 7) AS s) = (SELECT array_agg(s ORDER BY s) FROM removal_sample('SELECT id, kept, score FROM planned', 50, 8) AS s) AS other_seed;
SELECT * FROM removal_sample(NULL::text, query => $$VALUES ('a'::text, 'b'::text, 0.5::float8), ('c', 'd', 0.5), ('e', 'f', 0.5)$$, n => 10) ORDER BY id;
SELECT count(*) AS of_nothing FROM removal_sample('SELECT id, kept, score FROM planned WHERE false', 10);
SELECT removal_sample('SELECT id, kept FROM planned', 10);
SELECT removal_sample('SELECT id, kept, id FROM planned', 10);
SELECT removal_sample('SELECT id, kept, NULL::float8 FROM planned', 10);
SELECT removal_sample('SELECT NULL::bigint, kept, score FROM planned', 10);
SELECT removal_sample('SELECT id, kept, score FROM planned', 0);

SELECT round("precision"::numeric, 3) AS precision, low < 0.9 AND high > 0.9 AS covers, high - low < 0.2 AS narrow, labels
FROM removal_precision($$SELECT stratum, id % 10 <> 0 FROM removal_sample('SELECT id, kept, score FROM planned', 200)$$);
-- a stratum that was read completely is known exactly
SELECT * FROM removal_precision($$VALUES ('1 of 1: 4 rows', true), ('1 of 1: 4 rows', true), ('1 of 1: 4 rows', false), ('1 of 1: 4 rows', true), ('1 of 1: 4 rows', NULL)$$);
SELECT removal_precision($$VALUES ('1 of 2: 4 rows', true)$$);
SELECT removal_precision($$VALUES ('1 of 1: 1 rows', true), ('1 of 1: 1 rows', true)$$);
SELECT removal_precision($$VALUES ('low', true)$$);
SELECT removal_precision($$VALUES ('1 of 1: 4 rows', true), ('1 of 1: 5 rows', true)$$);
SELECT removal_precision($$SELECT '1 of 1: 4 rows'::text, NULL::boolean$$);
SELECT removal_precision($$VALUES (1, true)$$);
DROP TABLE labelled, rules, planned;
