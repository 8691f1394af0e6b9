-- near_duplicate_trigger of several fingerprint columns: any or all of them decide, and the evidence says which. Concurrency: specs/iso_near_duplicate_columns.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET search_path = public, pg_catalog;

-- 40 words, of which the last two depend on the number of the copy: copies of a text have similarity 38/42
CREATE FUNCTION body(doc int, copy int) RETURNS text LANGUAGE sql IMMUTABLE AS
	$$SELECT string_agg(CASE WHEN i > 38 THEN copy ELSE doc END || 'w' || i, ' ') FROM generate_series(1, 40) AS i$$;
CREATE FUNCTION fp(doc int, copy int) RETURNS minhash128 LANGUAGE sql IMMUTABLE AS $$SELECT public.to_minhash128(public.body(doc, copy), 'word-uax29')$$;
-- the meaning is a direction in degrees: 18 degrees are a cosine of 0.951
CREATE FUNCTION meaning(degrees float8) RETURNS embedding LANGUAGE sql IMMUTABLE AS $$SELECT public.to_embedding(ARRAY[cosd(degrees), sind(degrees)]::real[])$$;

-- any, with every action: the detail, the columns of a flag and the array of a merge tell of the columns that decide, and only of them

CREATE TABLE docs (id int PRIMARY KEY, fp minhash128, meaning embedding, near int, wording float8, sense float8, seen int DEFAULT 1, note text);
CREATE INDEX ON docs USING sketch (fp);
CREATE FUNCTION checks(arguments text) RETURNS void LANGUAGE plpgsql AS $$BEGIN
	EXECUTE 'CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger(''id'', ' || arguments || ')';
END$$;
SELECT checks($$'fp:0.8, meaning:0.95', 'reject', 'match=any'$$);
INSERT INTO docs VALUES (1, fp(1, 1), meaning(0)), (2, fp(2, 1), meaning(90)), (3, NULL, NULL), (4, NULL, NULL);
INSERT INTO docs VALUES (10, fp(1, 2), meaning(50));
INSERT INTO docs VALUES (10, fp(10, 1), meaning(10));
INSERT INTO docs VALUES (10, fp(1, 2), meaning(10));
INSERT INTO docs VALUES (10, fp(1, 2), NULL);
INSERT INTO docs VALUES (10, NULL, meaning(10));
INSERT INTO docs VALUES (10, fp(10, 1), NULL), (11, NULL, meaning(45)), (12, fp(12, 1), meaning(135));
-- the rows that are found have the other column NULL, or it differs
INSERT INTO docs VALUES (13, fp(10, 2), meaning(180));
INSERT INTO docs VALUES (13, fp(12, 2), meaning(200));
-- rows of one statement; updates of one column; an update of none
INSERT INTO docs VALUES (20, fp(20, 1), meaning(220)), (21, fp(20, 2), meaning(300));
UPDATE docs SET meaning = meaning(91) WHERE id = 1;
UPDATE docs SET fp = fp(1, 3), meaning = meaning(1) WHERE id = 1;
UPDATE docs SET fp = fp(2, 3) WHERE id = 1;
UPDATE docs SET note = 'nothing to check';
SELECT array_agg(id ORDER BY id) AS ids FROM docs;
SELECT checks($$'fp:0.8, meaning:0.95', 'skip', 'match=any'$$);
INSERT INTO docs VALUES (30, fp(2, 2), meaning(0)), (31, fp(31, 1), meaning(92)), (32, fp(32, 1), meaning(250)) RETURNING id;
SELECT checks($$'fp:0.8, meaning:0.95', 'flag', 'match=any', 'column=near', 'similarity=wording, sense'$$);
INSERT INTO docs VALUES (40, fp(2, 2), meaning(0)), (41, fp(41, 1), meaning(92)), (42, fp(32, 2), meaning(251)), (43, fp(43, 1), meaning(280)) RETURNING id, near, round(wording::numeric, 2) AS wording, round(sense::numeric, 4) AS sense;
-- if one column has changed, all are compared again
UPDATE docs SET meaning = meaning(300) WHERE id = 42 RETURNING id, near, wording > 0.8 AS wording, sense;
UPDATE docs SET fp = fp(44, 1) WHERE id = 42 RETURNING id, near, wording, sense;
TRUNCATE docs;
SELECT checks($$'fp:0.8, meaning:0.95', 'count', 'match=any', 'counter=seen', 'on_update=delete'$$);
INSERT INTO docs VALUES (1, fp(1, 1), meaning(0)), (2, fp(2, 1), meaning(90)), (3, fp(1, 2), meaning(200)), (4, fp(4, 1), meaning(2)), (5, fp(2, 2), NULL), (6, NULL, meaning(91)), (7, fp(1, 2), meaning(1));
SELECT id, seen FROM docs ORDER BY id;
UPDATE docs SET meaning = meaning(3) WHERE id = 2;
SELECT id, seen FROM docs ORDER BY id;
CREATE FUNCTION tells(kept docs, new docs, similarities float8[]) RETURNS docs LANGUAGE plpgsql AS $$BEGIN
	kept.note := concat_ws(' ', kept.note, new.id, '(' || array_to_string(ARRAY(SELECT round(s::numeric, 2) FROM unnest(similarities) WITH ORDINALITY AS u(s, i) ORDER BY i), ', ', '-') || ')');
	RETURN kept;
END$$;
SELECT checks($$'fp:0.8, meaning:0.95', 'merge', 'match=any', 'merge=public.tells'$$);
INSERT INTO docs VALUES (10, fp(1, 2), meaning(200)), (11, fp(11, 1), meaning(10)), (12, fp(1, 1), meaning(0));
SELECT id, note FROM docs ORDER BY id;
-- the statistics count by column
SELECT checked, found, found_by FROM near_duplicate_trigger_stats() JOIN pg_trigger ON oid = trigger WHERE tgrelid = 'docs'::regclass;
TRUNCATE docs;

-- all: wording and meaning; a row with NULL in one of the columns is similar to nothing

SELECT checks($$'fp:0.8, meaning:0.95', 'reject', 'match=all'$$);
INSERT INTO docs VALUES (1, fp(1, 1), meaning(0)), (2, fp(1, 2), meaning(90)), (3, fp(3, 1), meaning(0)), (4, fp(1, 3), NULL), (5, NULL, meaning(0)), (6, fp(1, 3), NULL);
INSERT INTO docs VALUES (10, fp(1, 4), meaning(10));
INSERT INTO docs VALUES (10, fp(1, 4), meaning(95));
INSERT INTO docs VALUES (10, fp(1, 4), meaning(45));
UPDATE docs SET meaning = meaning(5) WHERE id = 4;
UPDATE docs SET meaning = meaning(135) WHERE id = 4;
SELECT checks($$'fp:0.8, meaning:0.95', 'flag', 'match=all', 'column=near', 'similarity=wording, sense'$$);
INSERT INTO docs VALUES (20, fp(1, 4), meaning(92)), (21, fp(1, 4), meaning(180)), (22, fp(1, 4), NULL) RETURNING id, near, wording > 0.8 AS wording, sense > 0.95 AS sense;
SELECT checks($$'fp:0.8, meaning:0.95', 'merge', 'match=all', 'merge=public.tells'$$);
INSERT INTO docs VALUES (30, fp(1, 1), meaning(0)), (31, fp(31, 1), meaning(0));
SELECT id, note FROM docs WHERE note IS NOT NULL OR id > 30 ORDER BY id;
SELECT checks($$'fp:0.8, meaning:0.95', 'skip', 'match=all'$$);
COPY docs (id, fp, meaning) FROM stdin;
40	\N	\N
\.
INSERT INTO docs VALUES (41, fp(41, 1), meaning(41)) RETURNING id;
TRUNCATE docs;

-- names: quoted ones, one with a comma and a colon as the only column, limits of every kind, defaults; one column in a list is as one without

ALTER TABLE docs ADD "a, b:c" minhash64, ADD "say ""hi""" simhash64, ADD p passages;
SELECT checks($$'a, b:c', 'reject'$$);
INSERT INTO docs (id, "a, b:c") VALUES (1, to_minhash64('some text of five words')), (2, to_minhash64('Some text of five words'));
SELECT checks($$'"a, b:c":0.9', 'reject'$$);
INSERT INTO docs (id, "a, b:c") VALUES (1, to_minhash64('some text of five words')), (2, to_minhash64('Some text of five words'));
SELECT checks($$' fp ', 'reject', 'threshold=0.9', 'match=all'$$);
INSERT INTO docs (id, fp) VALUES (1, fp(1, 1)), (2, fp(1, 1));
SELECT checks($$'meaning', 'reject', 'threshold=0.95'$$);
INSERT INTO docs (id, meaning) VALUES (1, meaning(0)), (2, meaning(10));
SELECT checks($$'"a, b:c" , "say ""hi""":3, fp,p : 2', 'reject', 'match=any'$$);
INSERT INTO docs (id, "a, b:c", "say ""hi""", fp, p) VALUES (1, to_minhash64('some text of five words'), '0123456789abcdef', fp(1, 1), to_passages(body(1, 1)));
INSERT INTO docs (id, "a, b:c", "say ""hi""", fp, p) VALUES (2, to_minhash64('some text of five words'), '1123456789abcdef', fp(1, 2), to_passages(body(1, 3)));
INSERT INTO docs (id, "say ""hi""") VALUES (2, '1123456789abcd9e');
INSERT INTO docs (id, p) VALUES (3, to_passages(body(1, 3)));
-- eight columns
CREATE TABLE eight (id int, near int, a simhash64, b simhash64, c simhash64, d simhash64, e simhash64, f simhash64, g simhash64, h simhash64, s1 float8, s2 float8, s3 float8, s4 float8, s5 float8, s6 float8, s7 float8, s8 float8);
CREATE INDEX ON eight USING sketch (h);
CREATE TRIGGER near_dup BEFORE INSERT ON eight FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'a:0,b:1,c:2,d:3,e:4,f:5,g:6,h:7', 'flag', 'match=any', 'column=near', 'similarity=s1,s2,s3,s4,s5,s6,s7,s8');
INSERT INTO eight (id, a, b, c, d, e, f, g, h) SELECT i, sh, sh, sh, sh, sh, sh, sh, sh FROM (VALUES (1, simhash64 '0000000000000000'), (2, '000000000000000f')) AS v(i, sh);
SELECT id, near, s1, s2, s3, s4, s5, s6, s7, s8 FROM eight ORDER BY id;
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT ON eight FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'a:7,b:7,c:7,d:7,e:7,f:7,g:7,h:7', 'reject', 'match=all');
INSERT INTO eight (id, a, b, c, d, e, f, g, h) SELECT i, sh, sh, sh, sh, sh, sh, sh, sh FROM (VALUES (3, simhash64 'ff00000000000000'), (4, 'ff0000000000000f')) AS v(i, sh);
DROP TABLE eight;

-- within, apart, against, partitions, generated columns, AFTER and deferred triggers

CREATE TABLE tenants (id int PRIMARY KEY, tenant int, fp minhash128, sh simhash64, near int);
CREATE INDEX ON tenants USING sketch (tenant, fp);
CREATE INDEX ON tenants USING sketch (tenant, sh);
CREATE TABLE not_duplicates (a int, b int, PRIMARY KEY (a, b));
INSERT INTO not_duplicates VALUES (1, 5), (6, 2);
CREATE TRIGGER near_dup BEFORE INSERT OR UPDATE ON tenants FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp:0.8, sh:3', 'flag', 'column=near', 'match=any', 'within=tenant', 'apart=public.not_duplicates');
INSERT INTO tenants VALUES (1, 1, fp(1, 1), '0000000000000000'), (2, 2, fp(1, 1), '0000000000000000'), (3, 1, fp(1, 2), 'ffffffffffffffff'), (4, 2, fp(4, 1), '0000000000000001'), (5, 1, fp(5, 1), '0000000000000000'), (6, 2, fp(1, 3), 'ff00ff00ff00ff00'), (7, NULL, fp(1, 1), '0000000000000000') RETURNING id, near;
UPDATE tenants SET tenant = 1 WHERE id = 6 RETURNING id, near IN (1, 3) AS "right";
DROP TABLE tenants, not_duplicates;

CREATE TABLE library (code text PRIMARY KEY, wording minhash128, sense embedding, hits int DEFAULT 0);
INSERT INTO library VALUES ('a', fp(1, 1), meaning(0)), ('b', fp(2, 1), meaning(90)), ('c', fp(1, 2), meaning(180));
CREATE TABLE essays (id int PRIMARY KEY, fp minhash128, meaning embedding, sense embedding);
CREATE TRIGGER copies BEFORE INSERT ON essays FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp:0.8, meaning:0.95', 'reject', 'match=all', 'against=public.library', 'against_key=code', 'against_column=wording, sense');
INSERT INTO essays VALUES (1, fp(1, 3), meaning(2)), (2, fp(2, 2), meaning(0));
INSERT INTO essays VALUES (1, fp(2, 2), meaning(0));
CREATE OR REPLACE TRIGGER copies BEFORE INSERT ON essays FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp:0.8, meaning:0.95', 'count', 'match=any', 'counter=hits', 'against=public.library', 'against_key=code', 'against_column="wording" , sense');
INSERT INTO essays VALUES (2, fp(2, 3), meaning(45)), (3, fp(3, 1), meaning(181)), (4, fp(4, 1), meaning(45)), (5, NULL, meaning(91));
SELECT code, hits FROM library ORDER BY code;
SELECT id FROM essays ORDER BY id;
DROP TABLE essays, library;

CREATE TABLE whole (id int, day int, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body, 'word-uax29')) STORED, sh simhash64 GENERATED ALWAYS AS (to_simhash64(body, 'word-uax29')) STORED) PARTITION BY LIST (day);
CREATE TABLE day_1 PARTITION OF whole FOR VALUES IN (1);
CREATE TABLE day_2 (gone int, body text, day int, sh simhash64 GENERATED ALWAYS AS (to_simhash64(body, 'word-uax29')) STORED, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body, 'word-uax29')) STORED, id int);
ALTER TABLE day_2 DROP COLUMN gone;
ALTER TABLE whole ATTACH PARTITION day_2 FOR VALUES IN (2);
CREATE INDEX ON whole USING sketch (sh);
CREATE TRIGGER near_dup BEFORE INSERT OR UPDATE ON whole FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp:0.8, sh:20', 'reject', 'match=all');
INSERT INTO whole VALUES (1, 1, body(1, 1)), (2, 2, body(2, 1));
INSERT INTO whole VALUES (3, 2, body(1, 2));
INSERT INTO day_2 (body, day, id) VALUES (body(1, 2), 2, 3);
UPDATE whole SET day = 3 - day, body = body(id, 3);
UPDATE whole SET body = body(1, 4) WHERE id = 2;
SELECT tableoid::regclass, id FROM whole ORDER BY id;
DROP TRIGGER near_dup ON whole;
CREATE CONSTRAINT TRIGGER near_dup AFTER INSERT OR UPDATE ON whole DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp, sh:0', 'reject', 'match=any');
BEGIN;
INSERT INTO whole VALUES (3, 1, body(3, 1)), (4, 2, body(3, 2));
UPDATE whole SET body = body(4, 1) WHERE id = 4;
COMMIT;
BEGIN;
INSERT INTO whole VALUES (5, 1, body(3, 3));
COMMIT;
SELECT id FROM whole ORDER BY id;
DROP TABLE whole;

-- locks: with any the keys of all columns, with all those of the first one that has some; a value without keys makes the transaction write alone

CREATE FUNCTION locks(OUT class int, OUT mode text, OUT n bigint) RETURNS SETOF record LANGUAGE sql AS $$
	SELECT objsubid, mode, count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() GROUP BY 1, 2 ORDER BY 1 $$;
TRUNCATE docs;
SELECT checks($$'fp:0.9, "say ""hi""":3', 'reject', 'match=any'$$);
BEGIN; INSERT INTO docs (id, fp, "say ""hi""", meaning) VALUES (1, fp(1, 1), '0123456789abcdef', NULL); SELECT * FROM locks(); ROLLBACK;
BEGIN; INSERT INTO docs (id, fp, "say ""hi""", meaning) VALUES (1, NULL, '0123456789abcdef', NULL); SELECT * FROM locks(); ROLLBACK;
SELECT checks($$'fp:0.9, "say ""hi""":3', 'reject', 'match=all'$$);
BEGIN; INSERT INTO docs (id, fp, "say ""hi""", meaning) VALUES (1, fp(1, 1), '0123456789abcdef', NULL); SELECT * FROM locks(); ROLLBACK;
BEGIN; INSERT INTO docs (id, fp, "say ""hi""", meaning) VALUES (1, fp(1, 1), NULL, NULL); SELECT * FROM locks(); ROLLBACK;
SELECT checks($$'"say ""hi""":3, fp:0.9', 'reject', 'match=all'$$);
BEGIN; INSERT INTO docs (id, fp, "say ""hi""", meaning) VALUES (1, fp(1, 1), '0123456789abcdef', NULL); SELECT * FROM locks(); ROLLBACK;
SELECT checks($$'meaning:0.9, "say ""hi""":3', 'reject', 'match=all'$$);
BEGIN; INSERT INTO docs (id, fp, "say ""hi""", meaning) VALUES (1, NULL, '0123456789abcdef', meaning(0)); SELECT * FROM locks(); ROLLBACK;
SELECT checks($$'meaning:0.9, "say ""hi""":3', 'reject', 'match=any'$$);
BEGIN; INSERT INTO docs (id, fp, "say ""hi""", meaning) VALUES (1, NULL, '0123456789abcdef', NULL); SELECT * FROM locks(); ROLLBACK;
BEGIN; INSERT INTO docs (id, fp, "say ""hi""", meaning) VALUES (1, NULL, '0123456789abcdef', meaning(0)); SELECT * FROM locks(); ROLLBACK;
SELECT checks($$'fp:0.4, "say ""hi""":30', 'reject', 'match=all'$$);
BEGIN; INSERT INTO docs (id, fp, "say ""hi""", meaning) VALUES (1, fp(1, 1), '0123456789abcdef', NULL); SELECT * FROM locks(); ROLLBACK;
SELECT checks($$'fp:0.9, "say ""hi""":3', 'reject', 'match=any', 'locks=table'$$);
BEGIN; INSERT INTO docs (id, fp, "say ""hi""", meaning) VALUES (1, fp(1, 1), '0123456789abcdef', NULL); SELECT * FROM locks(); ROLLBACK;
SELECT checks($$'meaning:0.9', 'reject'$$);
BEGIN; INSERT INTO docs (id, fp, "say ""hi""", meaning) VALUES (1, NULL, NULL, meaning(0)); SELECT * FROM locks(); ROLLBACK;
-- two columns with the same values have different keys
ALTER TABLE docs ADD fp_2 minhash128;
SELECT checks($$'fp:0.9, fp_2:0.9', 'reject', 'match=any'$$);
BEGIN;
INSERT INTO docs (id, fp, fp_2) VALUES (1, fp(1, 1), fp(1, 1));
SELECT * FROM locks();
ROLLBACK;

-- every two kinds, any and all, with and without indexes: as a comparison of all rows finds; thousands of small statements, which are not worth compiling

CREATE TABLE kinds (type text, value text, test text, measure text, "limit" text);
INSERT INTO kinds SELECT type, 'to_' || type || '(%s, ''word-uax29'')', 'minhash_similar(%1$s, %2$s, 0.8)', 'jaccard(%1$s, %2$s)', '0.8' FROM unnest('{minhash64,minhash128,minhash256,minhash64_compact,minhash128_compact,minhash256_compact}'::text[]) AS type;
INSERT INTO kinds VALUES ('simhash64', 'to_simhash64(%s, ''word-uax29'')', 'simhash_similar(%1$s, %2$s, 9)', 'hamming(%1$s, %2$s)', '9'), ('passages', 'to_passages(%s, 5)', 'passages_similar(%1$s, %2$s, 3)', 'passages_overlap(%1$s, %2$s)', '3'),
	('embedding', 'to_embedding(ARRAY[1, length(%1$s), hashtext(%1$s) %% 40]::real[])', 'semantic_similarity(%1$s, %2$s) >= 0.99::real', 'semantic_similarity(%1$s, %2$s)', '0.99');
CREATE FUNCTION faults(a kinds, b kinds, match text, indexed bool, OUT n bigint, OUT wrong bigint) LANGUAGE plpgsql SET jit = off AS $$
DECLARE
	test_a text := format(a.test, 'x.a', 'y.a'); test_b text := format(b.test, 'x.b', 'y.b');
	decides text := format('(coalesce(%s, false) %s coalesce(%s, false))', test_a, CASE match WHEN 'any' THEN 'OR' ELSE 'AND' END, test_b);
BEGIN
	EXECUTE format('CREATE TABLE pairs (id int, a %s, b %s, near int, how_a float8, how_b float8)', a.type, b.type);
	IF indexed THEN
		EXECUTE format('CREATE INDEX ON pairs USING %s (a)', CASE a.type WHEN 'passages' THEN 'gin' WHEN 'embedding' THEN 'hash' ELSE 'sketch' END);
		EXECUTE format('CREATE INDEX ON pairs USING %s (b)', CASE b.type WHEN 'passages' THEN 'gin' WHEN 'embedding' THEN 'hash' ELSE 'sketch' END);
	END IF;
	EXECUTE format('CREATE TRIGGER t BEFORE INSERT ON pairs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger(''id'', ''a:%s, b:%s'', ''flag'', ''match=%s'', ''column=near'', ''similarity=how_a, how_b'')', a.limit, b.limit, match);
	EXECUTE format('INSERT INTO pairs SELECT i, CASE WHEN i %% 9 > 0 THEN %s END, CASE WHEN i %% 11 > 0 THEN %s END FROM generate_series(1, 30) AS i', format(a.value, 'body(i % 6, i % 7)'), format(b.value, 'body(i % 4, i % 5)'));
	EXECUTE format('SELECT count(near), count(*) FILTER (WHERE (near IS NOT NULL) <> EXISTS (SELECT FROM pairs AS y WHERE y.id < x.id AND %s))
		+ count(*) FILTER (WHERE near IS NULL AND (how_a IS NOT NULL OR how_b IS NOT NULL))
		+ count(*) FILTER (WHERE near IS NOT NULL AND NOT EXISTS (SELECT FROM pairs AS y WHERE y.id = x.near AND %1$s AND x.how_a IS NOT DISTINCT FROM CASE WHEN %s THEN %s::float8 END AND x.how_b IS NOT DISTINCT FROM CASE WHEN %s THEN %s::float8 END))
		FROM pairs AS x', decides, test_a, format(a.measure, 'x.a', 'y.a'), test_b, format(b.measure, 'x.b', 'y.b')) INTO n, wrong;
	DROP TABLE pairs;
END$$;
SELECT match, indexed, count(*), min(n) > 0 AS some, max(n) < 30 AS "not all", sum(wrong) AS wrong, array_agg(a.type || ' ' || b.type) FILTER (WHERE wrong > 0) AS faulty
	FROM kinds AS a JOIN kinds AS b ON a.type <= b.type, unnest('{any,all}'::text[]) AS match, unnest('{f,t}'::bool[]) AS indexed, LATERAL faults(a, b, match, indexed) GROUP BY match, indexed ORDER BY 1, 2;
DROP FUNCTION faults(kinds, kinds, text, bool);
DROP TABLE kinds;

-- each search uses the index of its column; the one for all uses one of them

CREATE TABLE indexed (id int, fp minhash128, sh simhash64, meaning embedding);
CREATE INDEX indexed_fp ON indexed USING sketch (fp);
CREATE INDEX indexed_sh ON indexed USING gin (sh);
CREATE FUNCTION scans() RETURNS TABLE (seq bool, fp bool, sh bool) LANGUAGE sql AS $$
	SELECT pg_stat_get_xact_numscans('indexed'::regclass) > 0, pg_stat_get_xact_numscans('indexed_fp'::regclass) > 0, pg_stat_get_xact_numscans('indexed_sh'::regclass) > 0 $$;
CREATE TRIGGER near_dup BEFORE INSERT ON indexed FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp:0.8, sh:3', 'reject', 'match=any');
SELECT pg_stat_force_next_flush() \g /dev/null
BEGIN; INSERT INTO indexed VALUES (1, fp(1, 1), '0000000000000000', meaning(0)); SELECT * FROM scans(); ROLLBACK;
SELECT pg_stat_force_next_flush() \g /dev/null
BEGIN; INSERT INTO indexed VALUES (1, fp(1, 1), NULL, meaning(0)); SELECT * FROM scans(); ROLLBACK;
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT ON indexed FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'meaning:0.9, fp:0.8', 'reject', 'match=all');
SELECT pg_stat_force_next_flush() \g /dev/null
BEGIN; INSERT INTO indexed VALUES (1, fp(1, 1), NULL, meaning(0)); SELECT * FROM scans(); ROLLBACK;
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT ON indexed FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'meaning:0.9, fp:0.8', 'reject', 'match=any');
SELECT pg_stat_force_next_flush() \g /dev/null
BEGIN; INSERT INTO indexed VALUES (1, fp(1, 1), NULL, meaning(0)); SELECT * FROM scans(); ROLLBACK;
-- without: a warning for each column; with all, for the first that can have one
DROP INDEX indexed_fp, indexed_sh;
DROP FUNCTION scans();
ALTER TABLE indexed DISABLE TRIGGER near_dup;
INSERT INTO indexed SELECT i, to_minhash128(ARRAY[i::text]), i::bit(64)::simhash64, meaning(i) FROM generate_series(1, 1500) AS i;
ALTER TABLE indexed ENABLE TRIGGER near_dup;
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT ON indexed FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'meaning:0.9, fp:0.8, sh:0', 'skip', 'match=any');
\c
SET search_path = public, pg_catalog;
INSERT INTO indexed VALUES (2000, fp(1, 1), 'ffffffffffffffff', NULL);
INSERT INTO indexed VALUES (2001, NULL, NULL, meaning(1));
\c
SET search_path = public, pg_catalog;
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT ON indexed FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'meaning:0.9, sh:0, fp:0.8', 'skip', 'match=all');
INSERT INTO indexed VALUES (2002, fp(1, 1), 'ffffffffffffffff', meaning(1));
CREATE INDEX ON indexed USING sketch (fp);
\c
SET search_path = public, pg_catalog;
INSERT INTO indexed VALUES (2002, fp(1, 1), 'ffffffffffffffff', meaning(1)) RETURNING id;
DROP TABLE indexed;
\set SHOW_CONTEXT never
SET client_min_messages = warning;

-- names may change while plans are kept, columns may be dropped, limits may change

TRUNCATE docs;
SELECT checks($$'fp:0.8, meaning:0.95', 'reject', 'match=any'$$);
INSERT INTO docs (id, fp, meaning) VALUES (1, fp(1, 1), meaning(0));
INSERT INTO docs (id, fp, meaning) VALUES (2, fp(2, 1), meaning(1));
ALTER TABLE docs RENAME meaning TO sense_of_it;
INSERT INTO docs (id, fp) VALUES (2, fp(2, 1));
ALTER TABLE docs RENAME sense_of_it TO meaning;
INSERT INTO docs (id, fp, meaning) VALUES (2, fp(2, 1), meaning(1));
SELECT checks($$'fp:0.8, meaning:0.9999', 'reject', 'match=any'$$);
INSERT INTO docs (id, fp, meaning) VALUES (2, fp(2, 1), meaning(1));
SELECT checks($$'fp:0.8, meaning:0.9999', 'reject', 'match=all'$$);
INSERT INTO docs (id, fp, meaning) VALUES (3, fp(1, 1), meaning(90));
SELECT checks($$'meaning:0.95, fp:0.8', 'reject', 'match=all'$$);
INSERT INTO docs (id, fp, meaning) VALUES (4, fp(1, 1), meaning(91));
ALTER TABLE docs RENAME TO renamed;
INSERT INTO renamed (id, fp, meaning) VALUES (4, fp(1, 1), meaning(91));
ALTER TABLE renamed RENAME TO docs;
ALTER TABLE docs DROP COLUMN meaning;
INSERT INTO docs (id, fp) VALUES (4, fp(1, 1));
ALTER TABLE docs ADD meaning embedding;
INSERT INTO docs (id, fp, meaning) VALUES (4, fp(1, 1), meaning(91));
INSERT INTO docs (id, fp, meaning) VALUES (5, fp(1, 1), meaning(91));
-- embeddings that cannot be compared: an error where they are, as for sketches
INSERT INTO docs (id, fp, meaning) VALUES (5, fp(1, 1), to_embedding(ARRAY[1, 0, 0]));
INSERT INTO docs (id, fp, meaning) VALUES (5, fp(5, 1), to_embedding(ARRAY[1, 0, 0]));

-- a role must be allowed to read all columns to learn which row it is; row security hides numbers by column, too

DROP ROLE IF EXISTS regress_txtfp_writer;
CREATE ROLE regress_txtfp_writer;
GRANT INSERT, SELECT (id, fp) ON docs TO regress_txtfp_writer;
SET ROLE regress_txtfp_writer;
INSERT INTO docs (id, fp, meaning) VALUES (6, fp(1, 1), meaning(91));
RESET ROLE;
GRANT SELECT (meaning) ON docs TO regress_txtfp_writer;
SET ROLE regress_txtfp_writer;
INSERT INTO docs (id, fp, meaning) VALUES (6, fp(1, 1), meaning(91));
RESET ROLE;
SELECT checks($$'meaning:0.95, fp:0.8', 'flag', 'match=all', 'column=near', 'similarity=sense, wording'$$);
ALTER TABLE docs ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON docs FOR ALL TO regress_txtfp_writer USING (id > 5) WITH CHECK (true);
GRANT SELECT ON docs TO regress_txtfp_writer;
SET ROLE regress_txtfp_writer;
INSERT INTO docs (id, fp, meaning) VALUES (6, fp(1, 1), meaning(91)) RETURNING near, wording, sense;
SELECT found, found_by FROM near_duplicate_trigger_stats() JOIN pg_trigger ON oid = trigger WHERE tgrelid = 'docs'::regclass;
RESET ROLE;
SELECT found > 0 AS found, array_length(found_by, 1) AS columns FROM near_duplicate_trigger_stats() JOIN pg_trigger ON oid = trigger WHERE tgrelid = 'docs'::regclass;
-- the owner of the guarded table must be allowed to read all columns of a protected one
CREATE TABLE library (id int, fp minhash128, meaning embedding);
CREATE TABLE essays (id int, fp minhash128, meaning embedding);
ALTER TABLE essays OWNER TO regress_txtfp_writer;
GRANT SELECT (id, fp) ON library TO regress_txtfp_writer;
CREATE TRIGGER copies BEFORE INSERT ON essays FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp:0.8, meaning:0.95', 'reject', 'match=any', 'against=public.library');
INSERT INTO essays VALUES (1, fp(1, 1), meaning(0));
GRANT SELECT (meaning) ON library TO regress_txtfp_writer;
INSERT INTO essays VALUES (1, fp(1, 1), meaning(0));
ALTER TABLE library ALTER meaning TYPE minhash128 USING NULL;
INSERT INTO essays VALUES (2, fp(1, 1), meaning(0));
DROP TABLE essays, library;
REVOKE ALL ON docs FROM regress_txtfp_writer;
DROP POLICY p ON docs;
ALTER TABLE docs DISABLE ROW LEVEL SECURITY;
DROP ROLE regress_txtfp_writer;

-- every error

CREATE FUNCTION error_of(arguments text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	state text; message text; detail text; hint text;
BEGIN
	PERFORM checks(arguments);
	INSERT INTO docs (id, fp) VALUES (1000, fp(1000, 1));
	RAISE SQLSTATE 'TTTTT';
EXCEPTION WHEN SQLSTATE 'TTTTT' THEN
	RETURN 'none';
WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(E'\n', state || ': ' || message, nullif(detail, ''), nullif(hint, ''));
END$$;
CREATE TABLE other (id int, fp minhash128, meaning embedding);
ALTER TABLE docs ADD made float8 GENERATED ALWAYS AS (id) STORED;
CREATE FUNCTION one(kept docs, new docs, similarity float8) RETURNS docs LANGUAGE sql AS 'SELECT kept';
\a\t
SELECT arguments || E'\n' || error_of(arguments) || E'\n' FROM unnest(ARRAY[$$'', 'reject'$$, $$'fp,', 'reject'$$, $$'fp:', 'reject'$$, $$'"fp', 'reject'$$, $$'f"p', 'reject'$$, $$'"fp"x', 'reject'$$, $$'a,b,c,d,e,f,g,h,i', 'reject'$$,
	$$'fp, none', 'reject', 'match=any'$$, $$'fp, fp:0.9', 'reject', 'match=any'$$, $$'fp, note', 'reject', 'match=any'$$, $$'fp, meaning:0.9', 'reject'$$, $$'fp, meaning', 'reject', 'match=any'$$, $$'meaning', 'reject'$$,
	$$'meaning:1.5', 'reject'$$, $$'meaning:x', 'reject'$$, $$'fp:3', 'reject'$$, $$'fp:0.9, "say ""hi""":0.9', 'reject', 'match=any'$$, $$'fp:0.9, "say ""hi""":65', 'reject', 'match=any'$$, $$'p:0', 'reject'$$, $$'p:0.5', 'reject'$$,
	$$'fp:0.8, meaning:0.9', 'reject', 'match=both'$$, $$'fp:0.8, meaning:0.9', 'reject', 'match=any', 'threshold=0.9'$$, $$'fp:0.8', 'reject', 'threshold=0.9'$$, $$'fp', 'reject', 'threshold=0.9', 'threshold=0.8'$$,
	$$'fp:0.8, meaning:0.9', 'reject', 'match=any', 'max_distance=3'$$, $$'fp:0.8, meaning:0.9', 'reject', 'match=any', 'more=3'$$, $$'fp:0.8, meaning:0.9', 'merge', 'match=any', 'more=3'$$,
	$$'fp:0.8, meaning:0.9', 'reject', 'match=any', 'similarity=wording, sense'$$, $$'fp:0.8, meaning:0.9', 'flag', 'match=any', 'column=near', 'similarity=wording'$$, $$'fp:0.8, meaning:0.9', 'flag', 'match=any', 'column=near', 'similarity=wording, sense, made'$$,
	$$'fp:0.8, meaning:0.9', 'flag', 'match=any', 'column=near', 'similarity=wording, made'$$, $$'fp:0.8, meaning:0.9', 'flag', 'match=any', 'column=near', 'similarity=wording, near'$$, $$'fp:0.8, meaning:0.9', 'flag', 'match=any', 'column=near', 'similarity=wording:1, sense'$$,
	$$'fp:0.8, meaning:0.9', 'flag', 'match=any', 'column=near', 'similarity=wording, wording'$$, $$'fp:0.8, meaning:0.9', 'flag', 'match=any', 'column=near', 'similarity=wording, none'$$, $$'fp:0.8, meaning:0.9', 'count', 'match=any', 'counter=seen', 'similarity=wording, sense'$$,
	$$'fp:0.8, meaning:0.9', 'merge', 'match=any', 'merge=public.one'$$, $$'fp:0.8', 'merge', 'match=any', 'merge=public.tells'$$, $$'fp:0.8, meaning:0.9', 'merge', 'match=all', 'merge=public.tells'$$,
	$$'fp:0.8, meaning:0.9', 'reject', 'match=any', 'against_column=fp, meaning'$$, $$'fp:0.8, meaning:0.9', 'reject', 'match=any', 'against=public.other', 'against_column=fp'$$, $$'fp:0.8, meaning:0.9', 'reject', 'match=any', 'against=public.other', 'against_column=meaning, fp'$$,
	$$'fp:0.8, meaning:0.9', 'reject', 'match=any', 'against=public.other', 'against_column=fp:0.9, meaning'$$, $$'fp:0.8, meaning:0.9', 'reject', 'match=any', 'against=public.other', 'against_column=fp, "meaning'$$, $$'fp:0.8, meaning:0.9', 'reject', 'match=any', 'against=public.other', 'against_column=fp, none'$$,
	$$'fp:0.8, meaning:0.9', 'reject', 'match=any', 'against=public.other'$$, $$'fp:0.8, meaning:0.9', 'flag', 'match=any', 'column=near', 'similarity=wording, sense', 'within=seen'$$]) AS arguments;
\a\t

DROP TABLE docs, other CASCADE;
DROP FUNCTION body(int, int), fp(int, int), meaning(float8), checks(text), locks(), error_of(text);
