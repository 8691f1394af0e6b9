-- See decisions.sh. Reads a corpus from standard input.
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS txtfp_bench CASCADE;
CREATE SCHEMA txtfp_bench;
SET search_path = txtfp_bench, public;
\set guards '''balanced'''

CREATE TABLE texts (id bigint GENERATED ALWAYS AS IDENTITY, key text, origin text, body text);
\copy texts (key, origin, body) FROM pstdin
CREATE TABLE docs AS SELECT *, to_minhash128(body) AS fp FROM texts;
CREATE UNIQUE INDEX ON docs (id);
ANALYZE docs;

CREATE TABLE plans (way text, id bigint, kept bigint, outcome text, jaccard float8, label boolean, signals difference_signals);
INSERT INTO plans SELECT 'jaccard', d.id, d.kept, outcome, d.jaccard, a.key = b.key, d.signals
	FROM deduplicate('SELECT id, fp, body FROM docs', 0.8, verify => 'jaccard', guard => '', signals => true) AS d JOIN docs AS a ON a.id = d.id JOIN docs AS b ON b.id = d.kept;
INSERT INTO plans SELECT 'containment', d.id, d.kept, outcome, d.jaccard, a.key = b.key
	FROM deduplicate('SELECT id, fp, body FROM docs', 0.8, verify => 'containment', guard => '') AS d JOIN docs AS a ON a.id = d.id JOIN docs AS b ON b.id = d.kept;
INSERT INTO plans SELECT 'lossless', d.id, d.kept, outcome, d.jaccard, a.key = b.key
	FROM deduplicate('SELECT id, fp, body FROM docs', 0.8, verify => 'lossless', guard => '') AS d JOIN docs AS a ON a.id = d.id JOIN docs AS b ON b.id = d.kept;
INSERT INTO plans SELECT 'guards', d.id, d.kept, outcome, d.jaccard, a.key = b.key
	FROM deduplicate('SELECT id, fp, body FROM docs', 0.8, verify => 'jaccard', guard => :guards) AS d JOIN docs AS a ON a.id = d.id JOIN docs AS b ON b.id = d.kept;

SELECT :'corpus' AS corpus, p.way AS "verify", count(*) AS removals, count(*) FILTER (WHERE label) AS "of them right", round(avg(label::int), 2) AS share,
	round((count(*) FILTER (WHERE NOT label) / max(wrong_ones)::numeric), 2) AS "wrong ones left", round((count(*) FILTER (WHERE label) / max(right_ones)::numeric), 2) AS "right ones kept"
FROM plans AS p, (SELECT count(*) FILTER (WHERE NOT label) AS wrong_ones, count(*) FILTER (WHERE label) AS right_ones FROM plans WHERE way = 'jaccard') AS j
WHERE outcome IS DISTINCT FROM 'review' GROUP BY p.way ORDER BY array_position('{jaccard,containment,lossless,guards}', p.way);

-- Pair by pair: the guards that were asked for decide about the removals of the first line. And the learned rules, in an order that does not depend on the run.
CREATE TABLE removals AS SELECT *, row_number() OVER (ORDER BY md5(id || ' ' || kept)) AS number FROM plans WHERE way = 'jaccard' AND signals IS NOT NULL;

-- The precision at the least score at which so many of the right ones are removed.
CREATE FUNCTION precision_at(scores text, recall float8) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE result float8;
BEGIN
	EXECUTE format('SELECT rights / n::float8 FROM (
		SELECT score, sum(sum(label::int)) OVER by_score AS rights, sum(count(*)) OVER by_score AS n, sum(sum(label::int)) OVER () AS all_rights FROM (%s) AS s GROUP BY score
		WINDOW by_score AS (ORDER BY score DESC)) AS t WHERE rights >= $1 * all_rights ORDER BY score DESC LIMIT 1', scores) INTO result USING recall;
	RETURN result;
END $$;

CREATE TABLE scores (way text, draw int, number bigint, score float8, label boolean);
INSERT INTO scores SELECT 'Jaccard similarity', 0, number, jaccard, label FROM removals;

-- Learns from the removals of a condition, and scores the others.
CREATE PROCEDURE learn(way text, draw int, condition text, others text) LANGUAGE plpgsql AS $$
DECLARE rule jsonb;
BEGIN
	rule := decision_rule(format('SELECT label, signals FROM removals WHERE %s', condition));
	EXECUTE format('INSERT INTO scores SELECT $1, $2, number, decision_score($3, signals), label FROM removals WHERE %s', others) USING way, draw, rule;
END $$;
DO $$ BEGIN
	FOR fold IN 0 .. 4 LOOP
		CALL learn('rule from four fifths of the labels', 0, format('number %% 5 <> %s', fold), format('number %% 5 = %s', fold));
	END LOOP;
END $$;
SELECT set_config('txtfp_bench.draws', :'draws', false) \g /dev/null
DO $$
DECLARE done int; draw int;
BEGIN
	FOR labels IN 1 .. 2 LOOP
		done := 0;
		draw := 0;
		WHILE done < current_setting('txtfp_bench.draws')::int LOOP
			draw := draw + 1;
			DROP TABLE IF EXISTS drawn;
			CREATE TEMP TABLE drawn AS SELECT number, label FROM removals ORDER BY md5(draw || ' ' || number) LIMIT CASE labels WHEN 1 THEN 400 ELSE 100 END;
			CONTINUE WHEN (SELECT least(count(*) FILTER (WHERE label), count(*) FILTER (WHERE NOT label)) FROM drawn) < 20; -- too few for a rule
			CALL learn(CASE labels WHEN 1 THEN 'rule from 400 labels' ELSE 'rule from 100 labels' END, draw, 'number IN (SELECT number FROM drawn)', 'number NOT IN (SELECT number FROM drawn)');
			done := done + 1;
		END LOOP;
	END LOOP;
END $$;

SELECT :'corpus' AS corpus, way AS "precision at recall", count(*) AS draws, round(avg(p5)::numeric, 3) AS "0.5", round(avg(p7)::numeric, 3) AS "0.7", round(avg(p9)::numeric, 3) AS "0.9",
	round(stddev(p7)::numeric, 3) AS "deviation at 0.7"
FROM (SELECT way, draw, precision_at(query, 0.5) AS p5, precision_at(query, 0.7) AS p7, precision_at(query, 0.9) AS p9
	FROM (SELECT DISTINCT way, draw, format('SELECT score, label FROM scores WHERE way = %L AND draw = %s', way, draw) AS query FROM scores) AS q) AS t
GROUP BY way ORDER BY array_position('{Jaccard similarity,rule from four fifths of the labels,rule from 400 labels,rule from 100 labels}', way);

-- For the other corpus
CREATE SCHEMA IF NOT EXISTS txtfp_bench_rules;
CREATE TABLE txtfp_bench_rules.:"corpus" AS SELECT label, signals FROM removals;
