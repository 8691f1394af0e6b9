-- Live clusters, the texts decide: a link is a pair of which the later row may go because of the earlier one.
\set SHOW_CONTEXT never
\set VERBOSITY default
SET client_min_messages = warning;
SET search_path = public, pg_catalog;

CREATE TABLE signs (id int PRIMARY KEY, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body, 'word-uax29')) STORED, score int);
CREATE INDEX ON signs USING sketch (fp);
CREATE FUNCTION sign(fact text) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT 'The ferry to the island leaves from the old pier beside the market hall every day. ' || fact || ' Tickets are sold at the kiosk, and there are benches under the roof where passengers may wait for the boat.'$$;
CALL live_clusters_create('signs', 'id', 'fp', 0.6, text => 'body', verify => 'lossless', guard => 'strict', clusters => 'whole', events => true);
CALL live_clusters_create('signs', 'id', 'fp', 0.6, 'star', priority => 'score', text => 'body', verify => 'lossless', guard => 'strict', clusters => 'stars');
CALL live_clusters_create('signs', 'id', 'fp', 0.6, text => 'body', clusters => 'similar');
CREATE VIEW wrong AS SELECT 'whole' AS clusters, * FROM live_clusters_check('signs', 'whole') UNION ALL SELECT 'stars', * FROM live_clusters_check('signs', 'stars') UNION ALL SELECT 'similar', * FROM live_clusters_check('signs', 'similar');
CREATE VIEW clusters AS SELECT id, a.cluster AS whole, b.cluster AS star, c.cluster AS similar FROM signs LEFT JOIN whole AS a USING (id) LEFT JOIN stars AS b USING (id) LEFT JOIN "similar" AS c USING (id);

INSERT INTO signs (id, body) VALUES (1, sign('Dogs are permitted.')), (2, sign('Dogs are not permitted.')), (3, sign('DOGS are permitted.')), (4, sign('Dogs  are not permitted.')), (5, NULL);
SELECT * FROM clusters ORDER BY id;
SELECT * FROM wrong;
-- the text that says more is kept, whatever came first, if the priority says so
INSERT INTO signs (id, body) VALUES (6, sign('Dogs are permitted. Bicycles travel free of charge.'));
SELECT * FROM clusters ORDER BY id;
UPDATE signs SET score = 10 WHERE id = 6;
SELECT * FROM clusters ORDER BY id;
SELECT * FROM wrong;
UPDATE signs SET score = NULL WHERE id = 6;
SELECT * FROM clusters ORDER BY id;
SELECT * FROM wrong;
-- a text changes: the row is decided again
UPDATE signs SET body = sign('Dogs are not permitted.') WHERE id = 3;
SELECT * FROM clusters ORDER BY id;
UPDATE signs SET body = CASE id WHEN 2 THEN sign('Dogs are permitted.') ELSE sign('Dogs are not permitted.') END WHERE id IN (1, 2);
SELECT * FROM clusters ORDER BY id;
UPDATE signs SET body = NULL WHERE id = 4;
DELETE FROM signs WHERE id = 1;
SELECT * FROM clusters ORDER BY id;
SELECT * FROM wrong;
-- by the Jaccard similarity of the texts, by the tokens of their fingerprints
CALL live_clusters_create('signs', 'id', 'fp', 0.6, text => 'body', verify => 'jaccard', verify_threshold => 0.9, guard => '', clusters => 'jaccards');
CALL live_clusters_fill('signs', clusters => 'jaccards');
SELECT id, cluster FROM jaccards ORDER BY id;
SELECT * FROM live_clusters_check('signs', 'jaccards');
CALL live_clusters_drop('signs', 'jaccards');
-- a text changes, and its fingerprint does not
CREATE TABLE plain (id int PRIMARY KEY, body text, fp minhash128);
CREATE INDEX ON plain USING sketch (fp);
CALL live_clusters_create('plain', 'id', 'fp', text => 'body', verify => 'lossless', guard => 'strict');
INSERT INTO plain VALUES (1, 'One text', to_minhash128('the same')), (2, 'Another text', to_minhash128('the same')), (3, 'one text', to_minhash128('the same'));
SELECT id, cluster FROM plain_clusters ORDER BY id;
UPDATE plain SET body = 'Another text' WHERE id = 3;
SELECT id, cluster FROM plain_clusters ORDER BY id;
SELECT * FROM live_clusters_check('plain');
-- the stored links do not follow a change that no trigger has seen
ALTER TABLE plain DISABLE TRIGGER USER;
UPDATE plain SET body = 'A third text' WHERE id = 3;
SELECT * FROM live_clusters_check('plain');
ALTER TABLE plain ENABLE TRIGGER USER;
CALL live_clusters_fill('plain', again => true);
SELECT * FROM live_clusters_check('plain');

-- pairs that are together are linked, whatever the texts say, and whether or not they are similar
CREATE TABLE together (a int, b int);
CREATE TABLE apart (a int, b int);
CALL live_clusters_drop('plain');
CALL live_clusters_create('plain', 'id', 'fp', text => 'body', verify => 'lossless', guard => 'strict', apart => 'apart', together => 'together', clusters => 'pairs');
CALL live_clusters_create('plain', 'id', 'fp', mode => 'star', text => 'body', verify => 'lossless', guard => 'strict', apart => 'apart', together => 'together', clusters => 'both_stars');
CALL live_clusters_fill('plain', clusters => 'pairs');
CALL live_clusters_fill('plain', clusters => 'both_stars');
INSERT INTO plain VALUES (4, 'One  text', to_minhash128('the same')), (5, 'Far away', to_minhash128('it has nothing in common'));
INSERT INTO together VALUES (2, 3), (5, 4);
SELECT id, a.cluster, b.cluster AS star FROM pairs AS a FULL JOIN both_stars AS b USING (id) ORDER BY id;
INSERT INTO apart VALUES (4, 1);
SELECT id, a.cluster, b.cluster AS star FROM pairs AS a FULL JOIN both_stars AS b USING (id) ORDER BY id;
SELECT * FROM live_clusters_check('plain', 'pairs') UNION ALL SELECT * FROM live_clusters_check('plain', 'both_stars');
DELETE FROM together;
SELECT id, a.cluster, b.cluster AS star FROM pairs AS a FULL JOIN both_stars AS b USING (id) ORDER BY id;
SELECT * FROM live_clusters_check('plain', 'pairs') UNION ALL SELECT * FROM live_clusters_check('plain', 'both_stars');

-- filled from existing rows, as by deduplicate
CREATE TABLE many (id int PRIMARY KEY, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body, 'word-uax29')) STORED);
CREATE INDEX ON many USING sketch (fp);
INSERT INTO many (id, body) SELECT i, CASE i % 3 WHEN 0 THEN upper(sign(fact)) WHEN 1 THEN replace(sign(fact), ' ', '  ') ELSE sign(fact) END FROM generate_series(1, 120) AS i, LATERAL (SELECT format('Berth %s is free.', i * 7 % 40)) AS f(fact);
CALL live_clusters_create('many', 'id', 'fp', 0.6, 'star', text => 'body', verify => 'lossless', guard => 'strict');
CALL live_clusters_fill('many');
SELECT count(*), count(DISTINCT cluster) FROM many_clusters;
SELECT * FROM live_clusters_check('many');
SELECT count(*) AS different FROM (SELECT id, cluster FROM many_clusters WHERE id <> cluster EXCEPT SELECT id, kept FROM deduplicate('SELECT id, fp, body, -id FROM many', 0.6, verify => 'lossless', guard => 'strict') WHERE outcome = 'remove') AS d;

-- When an update merges clusters, the largest keeps its number. The row that is updated does not count: it has left its own.
CREATE TABLE merges (id int PRIMARY KEY, fp minhash128);
CREATE INDEX ON merges USING sketch (fp);
CALL live_clusters_create('merges', 'id', 'fp', 0.55);
CREATE FUNCTION words(f int, t int) RETURNS minhash128 LANGUAGE sql IMMUTABLE AS $$SELECT public.to_minhash128((SELECT array_agg(i::text) FROM generate_series(f, t) AS i))$$;
INSERT INTO merges VALUES (1, words(1, 100)), (2, words(1, 100)), (3, words(1, 100)), (11, words(41, 140)), (12, words(41, 140)), (13, words(41, 140));
SELECT cluster, size, number FROM merges_clusters GROUP BY 1, 2, 3 ORDER BY 1;
UPDATE merges SET fp = words(21, 120) WHERE id = 3;
SELECT cluster, size, number FROM merges_clusters GROUP BY 1, 2, 3 ORDER BY 1;

-- the state has the settings of the decision, and its version
SELECT tgname, array_to_string(regexp_split_to_array(encode(tgargs, 'escape'), '\\000'), ' ') AS arguments FROM pg_trigger WHERE tgrelid = 'many'::regclass ORDER BY tgname;
CREATE OR REPLACE TRIGGER many_clusters AFTER INSERT OR UPDATE OR DELETE ON many FOR EACH ROW EXECUTE FUNCTION live_clusters_trigger('id', 'fp', 'many_clusters', 'threshold=0.6', 'mode=star', 'text=body', 'verify=lossless', 'guard=balanced', 'decision=3');
DELETE FROM many WHERE id = 1;
SELECT * FROM live_clusters_check('many');
CREATE OR REPLACE TRIGGER many_clusters AFTER INSERT OR UPDATE OR DELETE ON many FOR EACH ROW EXECUTE FUNCTION live_clusters_trigger('id', 'fp', 'many_clusters', 'threshold=0.6', 'mode=star', 'text=body', 'verify=lossless', 'guard=strict', 'decision=0');
DELETE FROM many WHERE id = 1;
CREATE OR REPLACE TRIGGER many_clusters AFTER INSERT OR UPDATE OR DELETE ON many FOR EACH ROW EXECUTE FUNCTION live_clusters_trigger('id', 'fp', 'many_clusters', 'threshold=0.6', 'mode=star', 'text=body', 'verify=lossless', 'guard=strict');
DELETE FROM many WHERE id = 1;
CREATE TABLE later (id int PRIMARY KEY, body text, fp minhash128);
CALL live_clusters_create('later', 'id', 'fp', text => 'body', guard => 'strict');
-- both triggers are of another version
CREATE FUNCTION version(n int) RETURNS void LANGUAGE plpgsql AS $$DECLARE t record; BEGIN
	FOR t IN SELECT tgname, regexp_replace(pg_get_triggerdef(oid), 'decision=\d+', 'decision=' || n) AS definition FROM pg_trigger WHERE tgrelid = 'later'::regclass LOOP
		EXECUTE format('DROP TRIGGER %I ON later', t.tgname);
		EXECUTE t.definition;
	END LOOP;
END$$;
SELECT version(99);
INSERT INTO later VALUES (1);
SELECT version(3);
INSERT INTO later VALUES (1);
ALTER TABLE later ALTER body TYPE varchar;
INSERT INTO later VALUES (2);
ALTER TABLE later ALTER body TYPE int USING 1;
INSERT INTO later VALUES (3);

-- wrong arguments
CREATE FUNCTION refused(arguments text) RETURNS text LANGUAGE plpgsql AS $$DECLARE hint text; detail text; BEGIN
	EXECUTE format('CALL live_clusters_create(''signs'', ''id'', ''fp'', %s)', arguments);
	RETURN 'not refused';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' | ', sqlstate, sqlerrm, nullif(detail, ''), nullif(hint, ''));
END$$;
SELECT refused($$guard => 'strict'$$);
SELECT refused($$verify => 'lossless'$$);
SELECT refused($$text => 'score', verify => 'lossless'$$);
SELECT refused($$text => 'body', verify => 'exactly'$$);
SELECT refused($$text => 'body', guard => 'dog'$$);
SELECT refused($$text => 'body', verify_threshold => 2$$);
SELECT refused($$text => 'body', rule => '{}'$$);
SELECT refused($$text => 'body', min_precision => 0.9$$);
SELECT refused($$text => 'body', rule => '{}', min_precision => 0.9$$);
SELECT refused($$text => 'body', verify => 'containment', verify_threshold => 0.9, guard => ''$$);

SELECT version(3);
CREATE OR REPLACE TRIGGER many_clusters AFTER INSERT OR UPDATE OR DELETE ON many FOR EACH ROW EXECUTE FUNCTION live_clusters_trigger('id', 'fp', 'many_clusters', 'threshold=0.6', 'mode=star', 'text=body', 'verify=lossless', 'guard=strict', 'decision=3');
DROP VIEW wrong, clusters;
SELECT format('CALL live_clusters_drop(%L, %L)', tgrelid::regclass, tgname) FROM pg_trigger WHERE tgfoid = 'live_clusters_trigger'::regproc AND tgname NOT LIKE '%\_empty' AND tgrelid NOT IN ('apart'::regclass, 'together'::regclass) ORDER BY 1 \gexec
SELECT relname FROM pg_class WHERE relname LIKE '%\_members';
DROP TABLE signs, plain, many, merges, later, together, apart CASCADE;
DROP FUNCTION sign(text), words, version(int), refused;
