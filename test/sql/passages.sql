-- passages: constructor, forms, search, index, boilerplate, pairs
\set SHOW_CONTEXT never
SET extra_float_digits = 0; -- reduce noise

SELECT to_passages('one two three'), passages_count(to_passages('one two three')) AS count, to_passages(''), to_passages('...'), to_passages(NULL);
SELECT to_passages('One,  TWO! three') = to_passages('one two three') AS same, to_passages('one two three', 3) = to_passages('one two three') AS other_guarantee;
SELECT '0000000000000000:00000000000000010000000000000002'::passages AS value, passages_count('0000000000000000:'::passages) AS none;
SELECT passages_overlap(p, q), passages_containment(p, q), passages_containment(q, p), passages_similar(p, q), passages_similar(p, q, 2), passages_union(p, q), p < q AS less
FROM (SELECT '0000000000000000:00000000000000010000000000000002'::passages AS p, '0000000000000000:0000000000000002000000000000000300000000000000040000000000000005'::passages AS q) AS v;
SELECT passages_containment('0000000000000000:'::passages, to_passages('a')) AS of_nothing;
SELECT passages_contained(p, q, 1) AS "all", passages_contained(q, p, 0.25) AS quarter, passages_contained(q, p, 0.26) AS more, passages_contained(q, p, 0) AS "at least one"
FROM (SELECT '0000000000000000:0000000000000002'::passages AS p, '0000000000000000:0000000000000002000000000000000300000000000000040000000000000005'::passages AS q) AS v;
SELECT _to_passages_probe(p, 2), _to_passages_probe(p, 0.5::float8), _to_passages_probe(p, 2)::text::passages_probe::text = _to_passages_probe(p, 2)::text AS "round trip" FROM (SELECT '0000000000000000:000000000000000200000000000000030000000000000004'::passages AS p) AS v;
SELECT count(DISTINCT p), passages_count(passages_union_agg(p)) FROM (VALUES (to_passages('a b c')), (to_passages('A B C')), (to_passages('d'))) AS v (p);
-- the operator of the index, without one
WITH values AS (SELECT ('0000000000000000:' || string_agg(lpad(bit::text, 16, '0'), '' ORDER BY bit))::passages AS p FROM generate_series(1, 31) AS n, generate_series(0, 4) AS bit WHERE n >> bit & 1 = 1 GROUP BY n)
SELECT count(*), bool_and((a.p % _to_passages_probe(b.p, n)) = (passages_overlap(a.p, b.p) >= n)) AS by_number, bool_and((a.p % _to_passages_probe(b.p, n / 6.0::float8)) = passages_contained(b.p, a.p, n / 6.0::float8)) AS by_share
FROM values AS a, values AS b, generate_series(1, 6) AS n;
CREATE TEMP TABLE copied (p passages, q passages_probe);
INSERT INTO copied SELECT to_passages(repeat('one two three four five six ', 20)), _to_passages_probe(to_passages('x y'), 3);
SELECT _passages_send(p) = _passages_send(p::text::passages) AS same, length(_passages_send(p)) = 8 + 8 * passages_count(p) AS size, length(_passages_probe_send(q)) = 20 AS probe_size FROM copied;
\copy copied TO 'results/passages.copy' (FORMAT binary)
CREATE TEMP TABLE read_again (LIKE copied);
\copy read_again FROM 'results/passages.copy' (FORMAT binary)
SELECT r.p::text = c.p::text AS passages, r.q::text = c.q::text AS probe FROM copied AS c, read_again AS r; -- configurations, too

-- Guarantee: a common run of 12 words is found at any position, with other line breaks, case and punctuation
CREATE TABLE docs AS SELECT id, string_agg('w' || hashint4(id / 3 * 1000 + n + id % 3 * 20) % 5000, CASE n % 11 WHEN 0 THEN E'\n' ELSE ' ' END ORDER BY n) AS body FROM generate_series(1, 900) AS id, generate_series(1, 50 + id % 100) AS n GROUP BY id;
ALTER TABLE docs ADD p passages GENERATED ALWAYS AS (to_passages(body)) STORED;
CREATE TABLE excerpts AS SELECT id, string_agg(word, ' ' ORDER BY n) AS body, upper(string_agg(word, CASE n % 8 WHEN 0 THEN E'\n' ELSE ', ' END ORDER BY n)) AS wrapped
FROM docs, unnest(tokenize(body)) WITH ORDINALITY AS t (word, n) WHERE n BETWEEN 5 + id % 30 AND 16 + id % 30 AND id % 4 = 0 GROUP BY id;
SELECT count(*), count(*) FILTER (WHERE passages_similar(d.p, to_passages(e.body))) AS found, count(*) FILTER (WHERE passages_similar(d.p, to_passages(e.wrapped))) AS wrapped,
	count(*) FILTER (WHERE passages_containment(to_passages(e.body), d.p) = 1) AS contained FROM excerpts AS e JOIN docs AS d USING (id);
-- index and scan agree, for constants, parameters and joins
CREATE INDEX docs_p ON docs USING gin (p);
ANALYZE docs;
CREATE TABLE by_scan AS SELECT e.id AS e, d.id AS d, passages_overlap(e.p, d.p) AS shared, passages_containment(e.p, d.p) AS contained FROM (SELECT id, to_passages(body) AS p FROM docs WHERE id % 20 = 0) AS e CROSS JOIN docs AS d;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM docs WHERE passages_similar(p, '0000000000000000:0000000000000001'::passages, 1);
EXPLAIN (COSTS OFF) SELECT id FROM docs WHERE passages_similar('0000000000000000:0000000000000001'::passages, p);
EXPLAIN (COSTS OFF) SELECT id FROM docs WHERE passages_contained('0000000000000000:00000000000000010000000000000002'::passages, p, 0.9);
CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line !~ 'Disabled: true' THEN -- from 18 on
			RETURN NEXT line;
		END IF;
	END LOOP;
END $$;
SELECT * FROM plan($$SELECT id FROM docs WHERE passages_contained(p, '0000000000000000:0000000000000001'::passages, 0.9)$$);
SELECT * FROM plan($$SELECT e.id, d.id FROM excerpts AS e JOIN docs AS d ON passages_similar(d.p, to_passages(e.body))$$);
SELECT min_shared, (SELECT count(*) FROM by_scan WHERE shared >= min_shared) AS by_scan, (SELECT count(*) FROM docs AS e JOIN docs AS d ON passages_similar(d.p, e.p, min_shared) WHERE e.id % 20 = 0) AS by_index FROM unnest('{1,2,3,10,1000}'::int[]) AS t (min_shared);
SELECT share, (SELECT count(*) FROM by_scan WHERE contained >= share) AS by_scan, (SELECT count(*) FROM docs AS e JOIN docs AS d ON passages_contained(e.p, d.p, share) WHERE e.id % 20 = 0) AS by_index FROM unnest('{0.01,0.3,0.9,1}'::float8[]) AS t (share);
DROP INDEX docs_p;
CREATE INDEX docs_p ON docs USING gin (p passages_ops (bits = 8)) WITH (fastupdate = off);
SELECT min_shared, (SELECT count(*) FROM by_scan WHERE shared >= min_shared) AS by_scan, (SELECT count(*) FROM docs AS e JOIN docs AS d ON passages_similar(d.p, e.p, min_shared) WHERE e.id % 20 = 0) AS by_index FROM unnest('{1,2,3,10}'::int[]) AS t (min_shared);
PREPARE found(text, int) AS SELECT count(*) FROM docs WHERE passages_similar(p, to_passages($1), $2);
EXECUTE found('nothing of this stands anywhere in the table of documents, as one may hope', 1);
SELECT count(*) FROM docs WHERE p % _to_passages_probe('0000000000000000:'::passages, 1);
RESET enable_seqscan;
DROP INDEX docs_p;
CREATE INDEX docs_p ON docs USING gin (p passages_ops (bits = 7));

-- Row estimates: a third of the rows share a footer of a dozen passages, and some are copies.
CREATE TABLE footed AS SELECT id, to_passages(string_agg('v' || id % 300 * 1000 + n, ' ' ORDER BY n) || CASE id % 3 WHEN 0 THEN ' ' || repeat('all rights are reserved by the owner of this and no other page ', 3) ||
	(SELECT string_agg('footer' || n, ' ' ORDER BY n) FROM generate_series(1, 80) AS n) ELSE '' END) AS p FROM generate_series(1, 900) AS id, generate_series(1, 60) AS n GROUP BY id;
ANALYZE footed;
CREATE FUNCTION estimate(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN plan #>> '{0,Plan,Plan Rows}';
END $$;
CREATE FUNCTION check_estimate(condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found float8;
	expected float8 := estimate('SELECT FROM footed AS a, footed AS b WHERE ' || condition);
BEGIN
	EXECUTE 'SELECT count(*) FROM footed AS a, footed AS b WHERE ' || condition INTO found;
	RETURN CASE WHEN greatest(expected / found, found / expected) < 2 THEN 'good' ELSE format('%s instead of %s', expected, found) END;
END $$;
SELECT condition, check_estimate(condition) FROM unnest(ARRAY['passages_similar(a.p, b.p)', 'passages_similar(a.p, b.p, 3)', 'passages_similar(a.p, b.p, 15)', 'passages_contained(b.p, a.p, 0.2)',
	'passages_contained(b.p, a.p, 0.95)']) AS condition;
SELECT estimate('SELECT FROM footed WHERE passages_similar(p, NULL)') AS nothing, estimate(format('SELECT FROM footed WHERE passages_contained(%L, p, 0.9)', p)) BETWEEN 1 AND 10 AS few,
	estimate(format('SELECT FROM footed WHERE p %% _to_passages_probe(%L::passages, 1)', p)) BETWEEN 50 AND 200 AS probe FROM footed WHERE id = 3;
EXPLAIN SELECT FROM footed WHERE passages_similar(p, to_passages('a'), 0);
EXPLAIN SELECT FROM footed WHERE passages_contained(to_passages('a'), p, 1.5);
DROP TABLE footed;
DROP FUNCTION estimate, check_estimate;

-- Boilerplate
CREATE TABLE pages AS SELECT id, 'Welcome to the site of the society of friends of old trees and of new ones, founded long ago. ' ||
	(SELECT string_agg('own' || id * 100 + n, ' ') FROM generate_series(1, 30) AS n) || '. All rights reserved by the society, which is in no way responsible for what its members say or do.' AS body FROM generate_series(1, 50) AS id;
SELECT words > 12 AS long, found_in, left(passage, 20) AS begins FROM frequent_passages('SELECT body FROM pages', 40);
SELECT count(*) FROM frequent_passages('SELECT body FROM pages', 51);
-- a passage ends where the documents differ, and without_passages keeps what is in one of them
CREATE TABLE fees AS SELECT i AS id, 'The fee for a copy of this paper in any form is now ' || 100 + i || ' euros and is to be paid to the society before the end of the year.' AS body FROM generate_series(1, 12) AS i;
SELECT passage, words, found_in FROM frequent_passages('SELECT body FROM fees ORDER BY id', 10);
SELECT without_passages(body, p) FROM fees, (SELECT passages_union_agg(fingerprints) AS p FROM frequent_passages('SELECT body FROM fees ORDER BY id', 10)) AS f WHERE id = 7;
-- two runs meet in one document only, and in fewer than asked: its parts are returned
INSERT INTO fees SELECT 20 + i, CASE WHEN i = 0 THEN 'A B C D E F G H I J' WHEN i <= 3 THEN 'x A B C D E F ' || i WHEN i <= 6 THEN i || ' D E F G H I J y' ELSE 'E D F C G' END FROM generate_series(0, 8) AS i;
SELECT passage, words, found_in FROM frequent_passages('SELECT body FROM fees WHERE id >= 20 ORDER BY id', 4, 4);
-- runs that overlap in many ways, spelled in several: the passages do not depend on the order of rows, even if each reading has another one
CREATE TABLE overlapping AS SELECT i AS id, (SELECT string_agg(CASE WHEN i % 4 = 0 THEN 'Word' ELSE 'word' END || CASE WHEN (w * 31 + i * 17) % 29 = 0 THEN 1000 + i ELSE w END, ' ' ORDER BY w)
	FROM generate_series(i * 7 % 60, i * 7 % 60 + 8 + i * 13 % 37) AS w) AS body FROM generate_series(1, 150) AS i;
CREATE TABLE passages_in_order AS SELECT * FROM frequent_passages('SELECT body FROM overlapping ORDER BY id', 4, 4);
SELECT count(*) > 30 AS many, bool_and(found_in >= 4) AS frequent, bool_and(found_in = (SELECT count(*) FROM overlapping WHERE lower(body) || ' ' LIKE '%' || lower(passage) || ' %')) AS exact FROM passages_in_order;
SELECT "order", (WITH p AS MATERIALIZED (SELECT * FROM frequent_passages('SELECT body FROM overlapping ORDER BY ' || "order", 4, 4))
	SELECT count(*) FROM ((TABLE p EXCEPT ALL TABLE passages_in_order) UNION ALL (TABLE passages_in_order EXCEPT ALL TABLE p)) AS d) AS differences
FROM unnest(ARRAY['id DESC', 'md5(body)', 'length(body)', 'random()']) AS "order";
DROP TABLE overlapping, passages_in_order;
-- the query must return the same rows again
CREATE SEQUENCE readings;
SELECT count(*) FROM frequent_passages($$SELECT CASE WHEN (nextval('readings') - 1) / 2 = 1 THEN 'a b' ELSE 'one two three four five six seven eight nine ten eleven twelve' END FROM generate_series(1, 2)$$, 2);
DROP SEQUENCE readings;
DROP TABLE fees;
SELECT count(*) FROM frequent_passages('SELECT id, NULL::text FROM pages');
CREATE TABLE boilerplate AS SELECT passages_union_agg(fingerprints) AS p FROM frequent_passages('SELECT id, body FROM pages', 10);
SELECT count(*) FILTER (WHERE rest LIKE '%own' || id * 100 + 15 || '%') AS own, count(*) FILTER (WHERE rest ~ 'friends of old trees|rights reserved by the society') AS boilerplate, round(avg(length(body))) AS before, round(avg(length(rest))) AS after
FROM (SELECT id, body, without_passages(body, p) AS rest FROM pages, boilerplate) AS t;
SELECT round(avg(text_jaccard(a.body, b.body))::numeric, 2) AS with_boilerplate, round(avg(text_jaccard(without_passages(a.body, p), without_passages(b.body, p)))::numeric, 2) AS without FROM boilerplate, pages AS a JOIN pages AS b ON a.id < b.id;
SELECT without_passages('nothing of it', p), without_passages('', p) FROM boilerplate;

-- Pairs
SELECT a, b, shared > 2 AS several, share_of_a = passages_containment(x.p, y.p) AND share_of_b = passages_containment(y.p, x.p) AND shared = passages_overlap(x.p, y.p) AS exact
FROM passage_pairs('SELECT id, p FROM docs WHERE id < 100 UNION ALL SELECT 3000, to_passages((SELECT body FROM docs WHERE id = 7) || '' and so on'')', 3) JOIN docs AS x ON x.id = a JOIN (SELECT id, p FROM docs UNION ALL SELECT 3000, to_passages((SELECT body FROM docs WHERE id = 7) || ' and so on')) AS y ON y.id = b ORDER BY a, b;
SELECT count(*) AS pairs, bool_and(a < b) AS ordered, count(DISTINCT (a, b)) = count(*) AS once FROM passage_pairs('SELECT id, to_passages(body) FROM pages', 1, 100);
SELECT count(*) AS pairs FROM passage_pairs('SELECT id, to_passages(body) FROM pages', 1, 20);
SELECT count(*) AS differences FROM ((SELECT a, b FROM passage_pairs('SELECT id, p FROM docs', 1, 1000000)) EXCEPT (SELECT x.id, y.id FROM docs AS x JOIN docs AS y ON x.id < y.id AND passages_similar(x.p, y.p))) AS d;
SELECT *, pg_typeof(a) FROM passage_pairs(NULL::text, 'VALUES (''x'', to_passages(''a b c'')), (''y'', to_passages(''A b c'')), (''z'', NULL)', 1, 100);
SELECT count(*) FROM passage_pairs('SELECT id, p FROM docs WHERE false');

-- Errors
SELECT 'x'::passages;
SELECT '0000000000000000:00000000000000020000000000000001'::passages;
SELECT '0000000000000000:0000000000000001'::passages_probe;
SELECT '0/0000000000000000:0000000000000001'::passages_probe;
SELECT to_passages('a', 0);
SELECT to_passages('a', 10001);
SELECT to_passages('a', 12, 'shingle-k=2/word-uax29');
SELECT to_passages('a', 12, 'words');
SELECT to_passages('a', canonicalizer => 'none');
SELECT passages_similar(to_passages('a'), to_passages('a', 5));
SELECT passages_similar(to_passages('a'), to_passages('a'), 0);
SELECT passages_contained(to_passages('a'), to_passages('a'), 1.5);
SELECT passages_union(to_passages('a'), to_passages('a', 5));
SELECT without_passages('a', to_passages('a', 5));
SELECT * FROM frequent_passages('SELECT 1');
SELECT * FROM frequent_passages('SELECT ''a''::text', 0);
SELECT * FROM passage_pairs('SELECT 1, ''a''::text');
SELECT * FROM passage_pairs('SELECT 1');
SELECT * FROM passage_pairs('SELECT 1, to_passages(''a'') UNION ALL SELECT 2, to_passages(''a'', 5)');
SELECT * FROM passage_pairs('SELECT 1, to_passages(''a'') UNION ALL SELECT 1, to_passages(''b'')');
SELECT * FROM passage_pairs('SELECT 1, to_passages(''a'')', 0);
SELECT * FROM passage_pairs(NULL);
DEALLOCATE found;
DROP TABLE docs, excerpts, by_scan, pages, boilerplate, copied;
