-- Look-alikes in 14 languages (test/data/look_alikes.tsv) at the gate: near_duplicate_trigger with lossless and strict counts what says the same, and
-- nothing that differs in a fact; deduplicate and live clusters give the same answers. bench/look_alikes.py writes more such pairs.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET search_path = public, pg_catalog;

CREATE TABLE lines (line int GENERATED ALWAYS AS IDENTITY, language text, kind text, a text, b text);
\copy lines (language, kind, a, b) FROM 'test/data/look_alikes.tsv' (HEADER)

-- A text is four of the sentences that every text has, and the facts of its language; a look-alike has another fact in one of them.
CREATE TABLE texts (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, language text, pair int, what text, body text);
CREATE FUNCTION space(language text) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT CASE WHEN language IN ('zh', 'ja') THEN '' ELSE ' ' END$$;
CREATE FUNCTION body(of text, changed int DEFAULT 0, first int DEFAULT 1) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT string_agg(CASE WHEN line = changed THEN b ELSE a END, public.space(of) ORDER BY md5(line::text))
	FROM (SELECT *, row_number() OVER (PARTITION BY kind ORDER BY line) AS n FROM public.lines WHERE language = of) AS l WHERE kind <> 'filler' OR n BETWEEN first AND 4$$;
INSERT INTO texts (language, pair, what, body) SELECT DISTINCT language, 0, 'kept', body(language) FROM lines;
INSERT INTO texts (language, pair, what, body) SELECT language, line, 'look-alike', body(language, line) FROM lines WHERE kind <> 'filler';
INSERT INTO texts (language, pair, what, body) SELECT language, 0, 'same', same FROM (SELECT language, body FROM texts WHERE what = 'kept') AS k, LATERAL (VALUES
	(body), (replace(body, ' ', '  ')), (replace(body, ' ', E'\n')), (replace(body, ' ', E'\u00A0') || E'\n'), (regexp_replace(body, '([a-z])([a-z])', E'\\1\u00AD\\2')),
	(regexp_replace(body, '([a-z]{3})([a-z]{3})', E'\\1\u200B\\2', 'g')), (replace(body, '''', E'\u2019')), (normalize(body, NFD)), (E'\uFEFF' || body), (lower(left(body, 1)) || substr(body, 2)), (body(language, first => 2)), (body(language, first => 3))) AS v(same);

CREATE TABLE docs (id int PRIMARY KEY, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body, 'shingle-k=2/grapheme-uax29')) STORED, seen int DEFAULT 0);
CREATE INDEX ON docs USING sketch (fp);
CREATE TABLE counted (action text, outcome text, reason text, kept int, similarity float8, jaccard float8, containment float8, score float8, new_row jsonb);
CREATE TRIGGER near_dup BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'count', 'counter=seen', 'threshold=0.5', 'text=body', 'verify=lossless', 'guard=strict', 'log=public.counted');
INSERT INTO docs (id, body) SELECT id, body FROM texts ORDER BY id;

CREATE VIEW gone AS SELECT (new_row ->> 'id')::int AS id, kept FROM counted;
SELECT what, count(*) > 100 AS many, CASE what WHEN 'same' THEN avg((g.id IS NOT NULL)::int) >= 0.97 ELSE avg((g.id IS NOT NULL)::int) <= 0.01 END AS right FROM texts LEFT JOIN gone AS g USING (id) WHERE what <> 'kept' GROUP BY what ORDER BY what;
-- what is counted stands for a row of the same language, and each is counted once
SELECT count(*) AS wrong FROM gone JOIN texts AS a USING (id) JOIN texts AS b ON b.id = kept WHERE a.language <> b.language;
SELECT sum(seen) = (SELECT count(*) FROM counted) AS counted FROM docs;
-- the same rows as the bulk function
CREATE TABLE candidates AS SELECT id, to_minhash128(body, 'shingle-k=2/grapheme-uax29') AS fp, body FROM texts;
CREATE TABLE removed AS SELECT id, kept FROM deduplicate('SELECT id, fp, body, -id FROM candidates', 0.5, verify => 'lossless', guard => 'strict') WHERE outcome = 'remove';
SELECT count(*) AS different FROM (SELECT id FROM removed EXCEPT SELECT id FROM gone) AS a;
SELECT count(*) AS different FROM (SELECT id FROM gone EXCEPT SELECT id FROM removed) AS a;
-- and as stars and components, filled from the rows or as they come, of some languages
CREATE TABLE some_of_them AS SELECT id, c.body, fp FROM candidates AS c JOIN texts USING (id) WHERE language IN ('en', 'tr', 'zh', 'hi');
CREATE TABLE live (id int PRIMARY KEY, body text, fp minhash128);
CREATE INDEX ON live USING sketch (fp);
INSERT INTO live SELECT id, body, fp FROM some_of_them WHERE id % 2 = 0;
CALL live_clusters_create('live', 'id', 'fp', 0.5, 'star', text => 'body', verify => 'lossless', guard => 'strict', clusters => 'stars');
CALL live_clusters_create('live', 'id', 'fp', 0.5, text => 'body', verify => 'lossless', guard => 'strict', clusters => 'components');
CALL live_clusters_fill('live', clusters => 'stars');
CALL live_clusters_fill('live', clusters => 'components');
INSERT INTO live SELECT id, body, fp FROM some_of_them WHERE id % 2 = 1;
SELECT count(*) AS different FROM (SELECT id, kept FROM removed JOIN some_of_them USING (id) EXCEPT SELECT id, cluster FROM stars) AS a;
SELECT count(*) AS different FROM (SELECT id, cluster FROM stars WHERE id <> cluster EXCEPT SELECT id, kept FROM removed) AS a;
SELECT count(*) AS languages, count(*) FILTER (WHERE facts > 1) AS mixed FROM (SELECT c.cluster, count(DISTINCT CASE t.what WHEN 'look-alike' THEN t.pair ELSE 0 END) AS facts FROM components AS c JOIN texts AS t USING (id) GROUP BY 1) AS c;
SELECT * FROM live_clusters_check('live', 'stars') UNION ALL SELECT * FROM live_clusters_check('live', 'components');

CALL live_clusters_drop('live', 'stars');
CALL live_clusters_drop('live', 'components');
DROP TABLE lines, texts, docs, counted, candidates, removed, some_of_them, live CASCADE;
DROP FUNCTION space, body;
