-- near_duplicate_trigger: what it finds, what it does then, what it locks. Concurrency: specs/iso_near_duplicate.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET search_path = public, pg_catalog;

-- 40 words, of which the last two depend on the number of the copy: copies of a text have similarity 38/42
CREATE FUNCTION body(doc int, copy int) RETURNS text LANGUAGE sql IMMUTABLE AS
	$$SELECT string_agg(CASE WHEN i > 38 THEN copy ELSE doc END || 'w' || i, ' ') FROM generate_series(1, 40) AS i$$;
CREATE FUNCTION fp(doc int, copy int) RETURNS minhash128 LANGUAGE sql IMMUTABLE AS $$SELECT to_minhash128(body(doc, copy), 'word-uax29')$$;
CREATE FUNCTION locks(OUT class int, OUT mode text, OUT n bigint, OUT "table" regclass) RETURNS SETOF record LANGUAGE sql AS $$
	SELECT objsubid, mode, count(*), CASE WHEN objsubid = 21762 THEN classid::regclass END FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() GROUP BY 1, 2, 4 ORDER BY 1, 4 $$;

-- reject: the error is that of a unique index, and says which row and which trigger

CREATE TABLE docs (id int PRIMARY KEY, fp minhash128, near int, note text);
CREATE INDEX docs_fp ON docs USING gin (fp) WITH (fastupdate = off);
CREATE TRIGGER near_dup BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8');
INSERT INTO docs SELECT i, fp(i, 1) FROM generate_series(1, 20) AS i;
DO $$
DECLARE
	message text;
	detail text;
	sch text;
	tab text;
	con text;
BEGIN
	INSERT INTO docs VALUES (101, fp(7, 2));
EXCEPTION WHEN unique_violation THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, sch = SCHEMA_NAME, tab = TABLE_NAME, con = CONSTRAINT_NAME;
	RAISE WARNING '% | % | % | % | %', message, detail, sch, tab, con;
END $$;
INSERT INTO docs VALUES (101, fp(7, 2));
INSERT INTO docs VALUES (7, fp(8, 2)); -- before the primary key
INSERT INTO docs VALUES (101, fp(101, 1)), (102, NULL), (103, NULL);
-- rows of one statement, too
INSERT INTO docs VALUES (104, fp(104, 1)), (105, fp(105, 1)), (106, fp(104, 2));
INSERT INTO docs SELECT 200 + i, fp(200 + i / 2, i) FROM generate_series(1, 10) AS i;
-- updates: the row itself is no duplicate of its own, also when its key changes
UPDATE docs SET fp = fp(7, 2) WHERE id = 7;
UPDATE docs SET fp = fp(7, 1), id = 107 WHERE id = 7;
UPDATE docs SET note = 'same fingerprint';
UPDATE docs SET fp = fp(8, 2) WHERE id = 107;
UPDATE docs SET fp = NULL WHERE id = 107;
UPDATE docs SET fp = fp(8, 2) WHERE id = 107;
INSERT INTO docs VALUES (8, fp(8, 3)) ON CONFLICT (id) DO UPDATE SET fp = excluded.fp, note = 'upsert' RETURNING id, fp = fp(8, 3) AS "new", note;
INSERT INTO docs VALUES (9, fp(8, 3)) ON CONFLICT (id) DO NOTHING;
DELETE FROM docs WHERE id = 8;
INSERT INTO docs VALUES (108, fp(8, 2));
SELECT count(*), count(fp), count(*) FILTER (WHERE note = 'same fingerprint') AS noted FROM docs;
-- a fingerprint of another configuration than that of the rows is refused, as by a search
INSERT INTO docs VALUES (109, to_minhash128(body(8, 1), 'word-uax29', seed => 1));
TRUNCATE docs;

-- skip and flag

CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'threshold=0.8');
INSERT INTO docs SELECT i, fp(i / 3, i) FROM generate_series(3, 20) AS i RETURNING id;
UPDATE docs SET fp = fp(2, 99), note = 'not written' WHERE id = 3 RETURNING *;
COPY docs (id) FROM stdin;
30
\.
SELECT array_agg(id ORDER BY id) AS ids, count(note) AS notes FROM docs;
TRUNCATE docs;

CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'flag', 'column=near', 'threshold=0.8');
INSERT INTO docs SELECT i, fp(i / 3, i), 77 FROM generate_series(3, 11) AS i;
INSERT INTO docs (id, near) VALUES (12, 77);
SELECT id, near FROM docs ORDER BY id;
UPDATE docs SET fp = fp(50, 1) WHERE id = 4;
UPDATE docs SET fp = fp(1, 9) WHERE id = 12;
UPDATE docs SET near = 78 WHERE id = 7; -- its fingerprint stays: nothing is looked for
SELECT id, near FROM docs WHERE id IN (4, 7, 12) ORDER BY id;
TRUNCATE docs;

-- thresholds: from the trigger, or the default; a session's parameters change nothing, so that no writer can switch the check off

CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'threshold=0.97');
INSERT INTO docs VALUES (1, fp(1, 1)), (2, fp(1, 2)), (3, fp(1, 1)) RETURNING id;
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip');
INSERT INTO docs VALUES (4, fp(1, 4)) RETURNING id;
SET txtfp.jaccard_threshold = 1;
INSERT INTO docs VALUES (4, fp(1, 4)) RETURNING id;
SET txtfp.jaccard_threshold = 0;
INSERT INTO docs VALUES (5, fp(5, 1)) RETURNING id;
RESET txtfp.jaccard_threshold;
TRUNCATE docs;
-- every setting that a role may set for itself, with odd values: the check finds what it finds otherwise
INSERT INTO docs VALUES (1, fp(1, 1));
DO $$
DECLARE
	s record;
	n int;
	tried int := 0;
BEGIN
	FOR s IN SELECT name, vartype, value FROM pg_settings, LATERAL unnest(CASE vartype WHEN 'bool' THEN ARRAY['on', 'off'] WHEN 'enum' THEN enumvals ELSE ARRAY[min_val, max_val] END) AS value
		WHERE context = 'user' AND name NOT LIKE ALL ('{%timeout%,log_%,debug_%,%trace%,client_min_messages,transaction_%,default_transaction_%,temp_file_limit,backtrace_functions,exit_on_error,ignore_checksum_failure,zero_damaged_pages,restrict_nonsystem_relation_kind,standard_conforming_strings}') AND vartype <> 'string'
	LOOP
		BEGIN
			PERFORM set_config(s.name, s.value, true);
			INSERT INTO docs VALUES (2, fp(1, 2));
			GET DIAGNOSTICS n = ROW_COUNT;
			tried := tried + 1;
			IF n > 0 THEN
				RAISE WARNING '% = % lets a near-duplicate in', s.name, s.value;
			END IF;
			RAISE SQLSTATE 'TTTTT';
		EXCEPTION WHEN SQLSTATE 'TTTTT' THEN
			NULL;
		WHEN OTHERS THEN
			RAISE WARNING '% = %: %', s.name, s.value, SQLERRM;
		END;
	END LOOP;
	RAISE WARNING 'many were tried: %', tried > 150;
END $$;
TRUNCATE docs;

-- locks: the mark of the table in share mode, and keys. Alone, with gate and mark exclusively: a statement of many rows, a trigger
-- that says so, a transaction that has the table for itself, and one that would hold too many keys

CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'flag', 'column=near');
BEGIN;
INSERT INTO docs VALUES (1, NULL);
SELECT * FROM locks();
INSERT INTO docs VALUES (2, fp(1, 1));
SELECT * FROM locks();
INSERT INTO docs VALUES (3, fp(1, 1));
SELECT * FROM locks();
SAVEPOINT s;
INSERT INTO docs VALUES (4, fp(2, 1));
SELECT * FROM locks();
ROLLBACK TO s;
SELECT * FROM locks();
INSERT INTO docs VALUES (5, fp(3, 1));
SELECT * FROM locks();
SAVEPOINT s;
INSERT INTO docs VALUES (6, fp(4, 1));
SELECT * FROM locks();
ROLLBACK TO s;
SELECT * FROM locks();
ROLLBACK;
BEGIN;
LOCK TABLE docs IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO docs VALUES (1, fp(1, 1));
SELECT * FROM locks();
ROLLBACK;
-- what writes many rows, and what does not
CREATE FUNCTION writes(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$BEGIN EXECUTE statement; RETURN QUERY SELECT DISTINCT mode FROM locks() WHERE class = 21762; END$$;
BEGIN; INSERT INTO docs SELECT i, fp(i, 1) FROM generate_series(1, 1000) AS i; SELECT * FROM locks(); ROLLBACK;
BEGIN; INSERT INTO docs VALUES (1, fp(1, 1)), (2, fp(2, 1)); SELECT * FROM locks(); ROLLBACK;
BEGIN; WITH new AS (INSERT INTO docs VALUES (1, fp(1, 1)), (2, fp(2, 1)) RETURNING id) SELECT count(*) FROM new; SELECT * FROM locks(); ROLLBACK;
BEGIN; WITH new AS (INSERT INTO docs VALUES (1, fp(1, 1)) RETURNING id) SELECT count(*) FROM new; SELECT * FROM locks(); ROLLBACK;
BEGIN;
PREPARE two AS INSERT INTO docs SELECT i, fp(i, 1) FROM unnest($1::int[]) AS i;
EXECUTE two ('{1,2}');
SELECT * FROM locks();
ROLLBACK;
DEALLOCATE two;
BEGIN; SELECT writes('INSERT INTO docs VALUES (1, fp(1, 1)), (2, fp(2, 1))'); SELECT * FROM locks(); ROLLBACK;
BEGIN; SELECT writes('INSERT INTO docs SELECT i, fp(i, 1) FROM generate_series(1, 3) AS i'); SELECT * FROM locks(); ROLLBACK;
DROP FUNCTION writes(text);
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'threshold=0.95', 'locks=keys');
BEGIN;
INSERT INTO docs VALUES (1, fp(1, 1));
SELECT * FROM locks();
ROLLBACK;
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'threshold=0.5');
BEGIN;
INSERT INTO docs VALUES (1, fp(1, 1));
SELECT * FROM locks();
ROLLBACK;
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'locks=table');
BEGIN;
INSERT INTO docs VALUES (1, fp(1, 1));
SELECT * FROM locks();
ROLLBACK;

-- simhash64

CREATE TABLE bits (id text PRIMARY KEY, sh simhash64, near text);
CREATE INDEX ON bits USING gin (sh);
CREATE TRIGGER near_dup BEFORE INSERT OR UPDATE ON bits FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'sh', 'reject', 'max_distance=3');
BEGIN;
INSERT INTO bits VALUES ('it''s', '0123456789abcdef');
SELECT * FROM locks();
COMMIT;
INSERT INTO bits VALUES ('b', '1123456789abcdfe');
INSERT INTO bits VALUES ('c', '1123456789abcd9e');
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON bits FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'sh', 'flag', 'column=near');
SET txtfp.hamming_threshold = 0;
INSERT INTO bits VALUES ('d', '1123456789abcdff'), ('e', '112345678aabcd9e'), ('f', '112345678aabcf9f') RETURNING id, near IS NOT NULL AS found;
RESET txtfp.hamming_threshold;
BEGIN;
INSERT INTO bits VALUES ('g', '1123456789abcdff') RETURNING near IS NOT NULL AS found;
SELECT * FROM locks();
INSERT INTO bits VALUES ('h', 'ffffffffffffffff');
SELECT * FROM locks();
ROLLBACK;
DROP TABLE bits;

-- minhash64 and minhash256, uuid keys; names to quote; a schema outside of the search path

CREATE SCHEMA "My docs";
CREATE TABLE "My docs"."The docs" ("Id" uuid, "Fp" minhash256, small minhash64, "Near" uuid);
CREATE TRIGGER "Near dup" BEFORE INSERT ON "My docs"."The docs" FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('Id', 'Fp', 'reject', 'threshold=0.9');
CREATE TRIGGER small BEFORE INSERT ON "My docs"."The docs" FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('Id', 'small', 'flag', 'column=Near', 'threshold=0.9');
INSERT INTO "My docs"."The docs" VALUES ('11111111-1111-1111-1111-111111111111', to_minhash256('some text of five words'), to_minhash64('other text of five words'));
INSERT INTO "My docs"."The docs" VALUES ('22222222-2222-2222-2222-222222222222', to_minhash256('Some text, of five words.'), NULL);
INSERT INTO "My docs"."The docs" VALUES ('33333333-3333-3333-3333-333333333333', to_minhash256('some other text of five words'), to_minhash64('other text of five words')) RETURNING "Near";
-- rows without a key: none can be checked; one from before the trigger is found, but cannot be named
INSERT INTO "My docs"."The docs" VALUES (NULL, to_minhash256('new text of five words'), NULL);
INSERT INTO "My docs"."The docs" VALUES (NULL, NULL, NULL);
ALTER TABLE "My docs"."The docs" DISABLE TRIGGER ALL;
INSERT INTO "My docs"."The docs" VALUES (NULL, to_minhash256('old text of five words'), to_minhash64('old text of five words'));
ALTER TABLE "My docs"."The docs" ENABLE TRIGGER ALL;
INSERT INTO "My docs"."The docs" VALUES ('44444444-4444-4444-4444-444444444444', to_minhash256('old text of five words'), NULL);
INSERT INTO "My docs"."The docs" VALUES ('44444444-4444-4444-4444-444444444444', NULL, to_minhash64('old text of five words')) RETURNING "Near";
-- names may change while the plan is kept
ALTER TABLE "My docs"."The docs" RENAME TO renamed;
ALTER SCHEMA "My docs" RENAME TO elsewhere;
INSERT INTO elsewhere.renamed VALUES ('33333333-3333-3333-3333-333333333333', to_minhash256('some text of five words'), NULL);
ALTER TABLE elsewhere.renamed RENAME "Fp" TO fp2;
INSERT INTO elsewhere.renamed VALUES ('33333333-3333-3333-3333-333333333333', to_minhash256('some text of five words'), NULL);
DROP SCHEMA elsewhere CASCADE;

-- the search uses the index, also with a plan that was made when the table was empty, and whatever the session prefers

CREATE FUNCTION scans() RETURNS TABLE (seq bool, idx bool) LANGUAGE sql AS $$
	SELECT pg_stat_get_xact_numscans('docs'::regclass) > 0, pg_stat_get_xact_numscans('docs_fp'::regclass) > 0 $$;
SELECT pg_stat_force_next_flush();
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8');
BEGIN;
SET LOCAL enable_bitmapscan = off;
SET LOCAL plan_cache_mode = force_custom_plan;
SET LOCAL gin_fuzzy_search_limit = 1;
INSERT INTO docs VALUES (1, fp(1, 1)), (2, fp(2, 1));
SELECT * FROM scans();
SHOW enable_bitmapscan;
SHOW enable_seqscan;
ROLLBACK;

-- Generated columns: BEFORE computes them itself, AFTER reads them

CREATE TABLE made (id int PRIMARY KEY, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body, 'word-uax29')) STORED, near int);
CREATE TRIGGER near_dup BEFORE INSERT OR UPDATE ON made FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'flag', 'column=near', 'threshold=0.8');
INSERT INTO made VALUES (1, body(1, 1)), (2, body(2, 1)), (3, body(1, 2)), (4, NULL), (5, '');
UPDATE made SET body = body(1, 3) WHERE id = 2;
UPDATE made SET body = body(3, 1) WHERE id = 3;
UPDATE made SET body = upper(body), near = 9 WHERE id = 1; -- the same fingerprint
SELECT id, near, fp IS NOT DISTINCT FROM to_minhash128(body, 'word-uax29') AS "right" FROM made ORDER BY id;
DROP TRIGGER near_dup ON made;
CREATE TRIGGER near_dup AFTER INSERT OR UPDATE ON made FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8');
INSERT INTO made VALUES (6, body(1, 6));
INSERT INTO made VALUES (6, body(6, 1)), (7, body(7, 1)), (8, body(6, 2));
INSERT INTO made VALUES (6, body(6, 1)), (7, body(7, 1));
UPDATE made SET body = body(6, 2) WHERE id = 6;
UPDATE made SET body = body(6, 3), id = 60 WHERE id = 6;
UPDATE made SET body = body(7, 2) WHERE id = 60;
UPDATE made SET near = 1;
SELECT id, body IN (body(6, 3), body(7, 1)) AS "right" FROM made WHERE id > 5 ORDER BY id;
DROP TABLE made;

-- Deferred: only the last version of a row counts

CREATE TABLE late (id int PRIMARY KEY, fp minhash128);
CREATE CONSTRAINT TRIGGER near_dup AFTER INSERT OR UPDATE ON late DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8');
BEGIN;
INSERT INTO late VALUES (1, fp(1, 1)), (2, fp(1, 2)), (3, fp(1, 3));
UPDATE late SET fp = fp(2, 1) WHERE id = 2;
DELETE FROM late WHERE id = 3;
COMMIT;
BEGIN;
INSERT INTO late VALUES (3, fp(1, 3));
UPDATE late SET id = 4 WHERE id = 3; -- the fingerprint stays
COMMIT;
SELECT id FROM late ORDER BY id;
DROP TABLE late;

-- Partitions: created on the whole, it checks the whole; created on a partition, or with scope=partition, the partition

CREATE TABLE whole (id int, day int, fp minhash128) PARTITION BY LIST (day);
CREATE TABLE day_1 PARTITION OF whole FOR VALUES IN (1);
CREATE TABLE day_2 (gone int, fp minhash128, id int, day int) PARTITION BY RANGE (id);
ALTER TABLE day_2 DROP COLUMN gone;
CREATE TABLE day_2_low PARTITION OF day_2 FOR VALUES FROM (0) TO (100);
CREATE TABLE day_2_high PARTITION OF day_2 FOR VALUES FROM (100) TO (200);
ALTER TABLE whole ATTACH PARTITION day_2 FOR VALUES IN (2);
CREATE INDEX ON whole USING gin (fp);
CREATE TRIGGER near_dup BEFORE INSERT OR UPDATE ON whole FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8');
INSERT INTO whole VALUES (1, 1, fp(1, 1)), (2, 2, fp(2, 1));
INSERT INTO whole VALUES (3, 2, fp(1, 2));
INSERT INTO day_2_high VALUES (fp(1, 2), 103, 2);
INSERT INTO whole VALUES (4, 1, fp(2, 2));
UPDATE whole SET day = 3 - day, fp = fp(id, 3); -- rows that move
UPDATE whole SET day = 2, fp = fp(1, 4) WHERE id = 2;
SELECT tableoid::regclass, id FROM whole ORDER BY id;
BEGIN;
INSERT INTO whole VALUES (4, 1, fp(4, 2));
SELECT * FROM locks();
ROLLBACK;
DROP TRIGGER near_dup ON whole;
CREATE TRIGGER near_dup BEFORE INSERT OR UPDATE ON whole FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8', 'scope=partition');
INSERT INTO whole VALUES (3, 1, fp(1, 2));
INSERT INTO whole VALUES (4, 2, fp(1, 2));
INSERT INTO whole VALUES (104, 2, fp(1, 5)), (105, 2, fp(5, 1));
INSERT INTO whole VALUES (106, 2, fp(1, 6));
DROP TRIGGER near_dup ON whole;
CREATE TRIGGER near_dup BEFORE INSERT OR UPDATE ON day_2 FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8', 'scope=table');
INSERT INTO whole VALUES (5, 1, fp(5, 2));
INSERT INTO whole VALUES (6, 2, fp(5, 3));
DROP TABLE whole;

-- Within a tenant or a day: rows with the same value in a column, NULL being equal to nothing

CREATE DOMAIN tenant AS text COLLATE "C";
CREATE TABLE tenants (id int PRIMARY KEY, tenant tenant, fp minhash128, near int);
CREATE INDEX ON tenants USING gin (fp);
CREATE TRIGGER near_dup BEFORE INSERT OR UPDATE ON tenants FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'within=tenant', 'threshold=0.8');
INSERT INTO tenants VALUES (1, 'a', fp(1, 1)), (2, 'b', fp(1, 2)), (3, NULL, fp(1, 3)), (4, NULL, fp(1, 4)), (5, 'a', fp(2, 1));
INSERT INTO tenants VALUES (6, 'b', fp(1, 5));
UPDATE tenants SET tenant = 'a' WHERE id = 3;
UPDATE tenants SET tenant = 'c' WHERE id = 3;
UPDATE tenants SET tenant = NULL;
BEGIN;
INSERT INTO tenants VALUES (7, 'a', fp(1, 1));
INSERT INTO tenants VALUES (8, 'b', fp(1, 1));
SELECT * FROM locks();
ROLLBACK;
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON tenants FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'flag', 'within=tenant', 'threshold=0.8', 'column=near');
INSERT INTO tenants VALUES (7, 'a', fp(1, 1)), (8, 'b', fp(1, 1)), (9, 'a', fp(1, 2)), (10, NULL, fp(1, 2)) RETURNING id, near;
UPDATE tenants SET tenant = 'b' WHERE id = 9 RETURNING id, near;
DROP TABLE tenants;
DROP DOMAIN tenant;

-- Inheritance: the children are looked at, but do not fire the parent's trigger

CREATE TABLE parent (id int, fp minhash128);
CREATE TABLE child () INHERITS (parent);
CREATE TRIGGER near_dup BEFORE INSERT ON parent FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8');
INSERT INTO child VALUES (1, fp(1, 1)), (2, fp(1, 2));
INSERT INTO parent VALUES (3, fp(1, 3));
DROP TABLE parent CASCADE;

-- Who may insert need not be allowed to read; then the error does not tell the key. Row security hides rows, but not the near-duplicate itself.

CREATE ROLE regress_txtfp_writer;
GRANT INSERT ON docs TO regress_txtfp_writer;
INSERT INTO docs VALUES (1, fp(1, 1));
SET ROLE regress_txtfp_writer;
INSERT INTO docs VALUES (2, fp(1, 2));
RESET ROLE;
GRANT SELECT (id) ON docs TO regress_txtfp_writer;
SET ROLE regress_txtfp_writer;
INSERT INTO docs VALUES (2, fp(1, 2));
RESET ROLE;
GRANT SELECT (fp) ON docs TO regress_txtfp_writer;
SET ROLE regress_txtfp_writer;
INSERT INTO docs VALUES (2, fp(1, 2));
RESET ROLE;
ALTER TABLE docs ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON docs FOR ALL TO regress_txtfp_writer USING (false) WITH CHECK (true);
SET ROLE regress_txtfp_writer;
INSERT INTO docs VALUES (2, fp(1, 2));
INSERT INTO docs VALUES (3, fp(3, 2));
RESET ROLE;
-- what row security shows is named, what it hides is not; a flag names the row itself then
DROP POLICY p ON docs;
CREATE POLICY p ON docs FOR ALL TO regress_txtfp_writer USING (id >= 10) WITH CHECK (true);
GRANT SELECT ON docs TO regress_txtfp_writer;
INSERT INTO docs VALUES (10, fp(10, 1));
SET ROLE regress_txtfp_writer;
INSERT INTO docs VALUES (11, fp(10, 2));
INSERT INTO docs VALUES (11, fp(1, 2));
RESET ROLE;
CREATE TRIGGER flags BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'flag', 'column=near', 'similarity=how', 'threshold=0.8');
ALTER TABLE docs ADD how float8, DISABLE TRIGGER near_dup;
SET ROLE regress_txtfp_writer;
INSERT INTO docs VALUES (11, fp(10, 2)), (12, fp(1, 2)), (13, fp(13, 2)) RETURNING id, near, how > 0.8 AS similar;
RESET ROLE;
INSERT INTO docs VALUES (14, fp(1, 2)) RETURNING near IN (1, 12) AS named, how;
DELETE FROM docs WHERE id >= 10;
DROP TRIGGER flags ON docs;
ALTER TABLE docs ENABLE TRIGGER near_dup;
ALTER TABLE docs FORCE ROW LEVEL SECURITY, OWNER TO regress_txtfp_writer;
SET ROLE regress_txtfp_writer;
INSERT INTO docs VALUES (2, fp(1, 2));
INSERT INTO docs VALUES (4, fp(4, 2));
RESET ROLE;
SELECT array_agg(id ORDER BY id) AS ids, current_user = session_user AS "same user" FROM docs;
DROP TABLE docs;
DROP ROLE regress_txtfp_writer;

-- after an error within the search, user and settings are what they were; the trigger goes on

CREATE ROLE regress_txtfp_owner;
CREATE TABLE mixed (id int, fp minhash128);
INSERT INTO mixed VALUES (1, to_minhash128('a b c', seed => 1));
CREATE TRIGGER near_dup BEFORE INSERT ON mixed FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8');
ALTER TABLE mixed OWNER TO regress_txtfp_owner;
DO $$
BEGIN
	INSERT INTO mixed VALUES (2, to_minhash128('a b c', seed => 2));
EXCEPTION WHEN invalid_parameter_value THEN
	RAISE WARNING '% | same user: % | %, %, %', SQLERRM, current_user = session_user, current_setting('enable_seqscan'), current_setting('jit') = (SELECT reset_val FROM pg_settings WHERE name = 'jit'), current_setting('plan_cache_mode') = (SELECT reset_val FROM pg_settings WHERE name = 'plan_cache_mode');
END $$;
INSERT INTO mixed VALUES (2, to_minhash128('a b c', seed => 2));
TRUNCATE mixed;
INSERT INTO mixed VALUES (2, to_minhash128('a b c', seed => 2));
INSERT INTO mixed VALUES (3, to_minhash128('A, b c', seed => 2));
DROP TABLE mixed;
DROP ROLE regress_txtfp_owner;

-- functions and operators of other schemas are not used

CREATE SCHEMA trap;
CREATE TYPE trap.t AS (x int);
CREATE FUNCTION trap.minhash_similar(minhash128, minhash128, float8) RETURNS bool LANGUAGE plpgsql AS $$BEGIN RAISE 'trapped'; END$$;
CREATE FUNCTION trap.equals(int, int) RETURNS bool LANGUAGE plpgsql AS $$BEGIN RAISE 'trapped'; END$$;
CREATE OPERATOR trap.= (LEFTARG = int, RIGHTARG = int, FUNCTION = trap.equals);
CREATE TABLE docs (id int PRIMARY KEY, fp minhash128);
CREATE TRIGGER near_dup BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8');
SET search_path = trap, public, pg_catalog;
INSERT INTO docs VALUES (1, fp(1, 1));
INSERT INTO docs VALUES (2, fp(1, 2));
CREATE SCHEMA "Else where";
ALTER EXTENSION txtfp SET SCHEMA "Else where";
SET search_path = trap, public, "Else where", pg_catalog;
INSERT INTO docs VALUES (2, fp(1, 2));
ALTER EXTENSION txtfp SET SCHEMA public;
SET search_path = public, pg_catalog;
INSERT INTO docs VALUES (2, fp(1, 2));
DROP SCHEMA trap, "Else where" CASCADE;

-- what was found is counted, also what nobody is told of, and what was rolled back

TRUNCATE docs;
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'threshold=0.8');
CREATE TEMP VIEW counts AS SELECT tgname, relation, checked, found FROM near_duplicate_trigger_stats() AS c JOIN pg_trigger AS t ON t.oid = c.trigger;
SELECT * FROM counts;
INSERT INTO docs SELECT i, fp(i / 5, i) FROM generate_series(5, 14) AS i;
INSERT INTO docs VALUES (15, NULL);
BEGIN;
INSERT INTO docs VALUES (16, fp(1, 16));
ROLLBACK;
SELECT * FROM counts;
DROP VIEW counts;

-- DISABLE TRIGGER: rows come in unchecked; they are found when it is enabled again. Pending checks are not given up.

ALTER TABLE docs DISABLE TRIGGER near_dup;
INSERT INTO docs VALUES (21, fp(21, 1)), (22, fp(21, 2)) RETURNING id;
ALTER TABLE docs ENABLE TRIGGER near_dup;
INSERT INTO docs VALUES (23, fp(21, 3)) RETURNING id;
UPDATE docs SET id = 24 WHERE id = 22;
ALTER TABLE docs ENABLE REPLICA TRIGGER near_dup;
INSERT INTO docs VALUES (23, fp(21, 3)) RETURNING id;
SET session_replication_role = replica;
INSERT INTO docs VALUES (25, fp(21, 5)) RETURNING id;
ALTER TABLE docs ENABLE ALWAYS TRIGGER near_dup;
INSERT INTO docs VALUES (25, fp(21, 5)) RETURNING id;
RESET session_replication_role;
INSERT INTO docs VALUES (25, fp(21, 5)) RETURNING id;
DROP TRIGGER near_dup ON docs;
CREATE CONSTRAINT TRIGGER near_dup AFTER INSERT ON docs DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8');
BEGIN;
INSERT INTO docs VALUES (26, fp(21, 6));
ALTER TABLE docs DISABLE TRIGGER near_dup;
ROLLBACK;
BEGIN;
ALTER TABLE docs DISABLE TRIGGER near_dup;
INSERT INTO docs VALUES (26, fp(21, 6));
ALTER TABLE docs ENABLE TRIGGER near_dup;
INSERT INTO docs VALUES (27, fp(27, 1));
COMMIT;
SELECT array_agg(id ORDER BY id) AS ids FROM docs;

-- One plan serves all partitions

CREATE TABLE days (id int, day int, fp simhash64) PARTITION BY LIST (day);
DO $$BEGIN FOR i IN 1 .. 60 LOOP EXECUTE format('CREATE TABLE days_%s PARTITION OF days FOR VALUES IN (%s)', i, i); END LOOP; END$$;
CREATE TRIGGER near_dup BEFORE INSERT ON days FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'max_distance=3');
CREATE FUNCTION plans(OUT bytes bigint) LANGUAGE sql AS $$SELECT sum(used_bytes) FROM pg_backend_memory_contexts WHERE name LIKE 'CachedPlan%'$$;
INSERT INTO days VALUES (1, 1, '0000000000000001'), (2, 2, '000000000000ff00');
CREATE TEMP TABLE before AS SELECT plans() AS bytes;
INSERT INTO days SELECT i, i, (i::bigint * 4294967296 * 16777259 # i)::simhash64 FROM generate_series(3, 60) AS i ON CONFLICT DO NOTHING;
SELECT plans() - bytes < 100000 AS "one plan" FROM before;
INSERT INTO days VALUES (1000, 60, '0000000000000001');
DROP TABLE days, before;
DROP FUNCTION plans();

-- Rows of a protected table

CREATE SCHEMA guarded;
CREATE TABLE guarded.books (title text PRIMARY KEY, body text, p passages GENERATED ALWAYS AS (to_passages(body, 5)) STORED, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body, tokenizer => 'word-uax29')) STORED);
CREATE INDEX ON guarded.books USING gin (p);
INSERT INTO guarded.books VALUES ('Ice', 'The river froze before the boats were out of the water, and nobody in the village remembered such a winter'), ('Sand', 'Carrots want loose sand and much time between the rows');
CREATE TABLE essays (id int, body text, source text, shared float8, p passages, fp minhash128);
CREATE FUNCTION read_body() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN NEW.p = to_passages(NEW.body, 5); NEW.fp = to_minhash128(NEW.body, tokenizer => 'word-uax29'); RETURN NEW; END$$;
CREATE TRIGGER a BEFORE INSERT OR UPDATE ON essays FOR EACH ROW EXECUTE FUNCTION read_body();
CREATE TRIGGER copied BEFORE INSERT OR UPDATE ON essays FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'p', 'reject', 'against=guarded.books', 'against_key=title');
INSERT INTO essays VALUES (1, 'My text: the RIVER froze, before the boats came!'); -- four words in a row and a fifth
INSERT INTO essays VALUES (2, 'My text: the river froze and the boats came out of another water'), (3, 'My text: the river froze and the boats came out of another water');
UPDATE essays SET body = 'much time between the rows' WHERE id = 2;
UPDATE essays SET id = 4 WHERE id = 2;
INSERT INTO essays VALUES (5, NULL);
SELECT count(*) AS locks FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
-- at least so many
CREATE OR REPLACE TRIGGER copied BEFORE INSERT OR UPDATE ON essays FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'p', 'reject', 'against=guarded.books', 'against_key=title', 'min_shared=3');
INSERT INTO essays VALUES (6, 'much time between the rows');
INSERT INTO essays VALUES (7, 'The river froze before the boats were out of the water, and nobody in the village remembered');
-- an AFTER trigger, and the other actions
CREATE TRIGGER copied_after AFTER INSERT ON essays FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'p', 'reject', 'against=guarded.books', 'against_key=title');
INSERT INTO essays VALUES (8, 'much time between the rows');
DROP TRIGGER copied_after ON essays;
CREATE OR REPLACE TRIGGER copied BEFORE INSERT OR UPDATE ON essays FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'p', 'skip', 'against=guarded.books', 'against_key=title');
INSERT INTO essays VALUES (9, 'much time between the rows'), (10, 'much time among the rows') RETURNING id;
-- the same with another fingerprint; a row with the key of a protected one is no exception
ALTER TABLE guarded.books ADD id int UNIQUE;
UPDATE guarded.books SET id = CASE title WHEN 'Ice' THEN 20 ELSE 21 END;
CREATE OR REPLACE TRIGGER copied BEFORE INSERT OR UPDATE ON essays FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'against=guarded.books');
INSERT INTO essays SELECT 20, lower(body) FROM guarded.books WHERE id = 20;
ALTER TABLE essays ADD copy_of int;
CREATE OR REPLACE TRIGGER copied BEFORE INSERT OR UPDATE ON essays FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'flag', 'column=copy_of', 'similarity=shared', 'against=guarded.books');
INSERT INTO essays (id, body) SELECT 22, upper(body) FROM guarded.books WHERE id = 21 RETURNING id, copy_of, shared;
-- the owner of the guarded table must be allowed to read; a writer who may not is not told which row it is
CREATE ROLE txtfp_writer;
GRANT INSERT ON essays TO txtfp_writer;
CREATE OR REPLACE TRIGGER copied BEFORE INSERT OR UPDATE ON essays FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'p', 'reject', 'against=guarded.books', 'against_key=title');
SET ROLE txtfp_writer;
INSERT INTO essays VALUES (23, 'much time between the rows');
RESET ROLE;
CREATE ROLE txtfp_essayist;
ALTER TABLE essays OWNER TO txtfp_essayist;
INSERT INTO essays VALUES (23, 'much time between the rows');
GRANT USAGE ON SCHEMA guarded TO txtfp_essayist;
INSERT INTO essays VALUES (23, 'much time between the rows');
GRANT SELECT ON guarded.books TO txtfp_essayist;
INSERT INTO essays VALUES (23, 'much time between the rows');
-- passages of another guarantee; passages among the rows of the table itself, one writer at a time
INSERT INTO guarded.books (title, body) VALUES ('x', NULL);
ALTER TABLE essays DISABLE TRIGGER a;
INSERT INTO essays (id, p) VALUES (24, to_passages('much time between the rows'));
ALTER TABLE essays ENABLE TRIGGER a;
CREATE OR REPLACE TRIGGER copied BEFORE INSERT OR UPDATE ON essays FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'p', 'reject');
INSERT INTO essays VALUES (25, 'and the boats came out of another water, it is said');
-- columns of a domain
CREATE DOMAIN excerpts AS passages;
CREATE TABLE guarded.poems (id int, p excerpts);
INSERT INTO guarded.poems VALUES (1, to_passages('a rose is a rose is a rose', 5));
ALTER TABLE essays ADD own excerpts;
CREATE OR REPLACE TRIGGER copied BEFORE INSERT OR UPDATE ON essays FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'own', 'reject', 'against=guarded.poems', 'against_column=p');
GRANT SELECT ON guarded.poems TO txtfp_essayist;
INSERT INTO essays (id, own) VALUES (30, to_passages('He says that a Rose is a rose.', 5));
INSERT INTO essays (id, own) VALUES (30, to_passages('He says that a rose was a rose.', 5));
ALTER TABLE essays DROP own;
-- dropped, renamed
CREATE OR REPLACE TRIGGER copied BEFORE INSERT OR UPDATE ON essays FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'p', 'reject', 'against=guarded.books', 'against_key=title');
ALTER TABLE guarded.books RENAME title TO name;
INSERT INTO essays VALUES (26, 'much time between the rows');
ALTER TABLE guarded.books RENAME name TO title;
INSERT INTO essays VALUES (26, 'much time between the rows');
ALTER TABLE guarded.books RENAME TO volumes;
INSERT INTO essays VALUES (26, 'much time between the rows');
CREATE VIEW guarded.books AS SELECT * FROM guarded.volumes;
GRANT SELECT ON guarded.books TO txtfp_essayist;
INSERT INTO essays VALUES (26, 'much time between the rows');
DROP VIEW guarded.books;
ALTER TABLE guarded.volumes RENAME TO books;
\a\t
CREATE FUNCTION guard(arguments text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	message text;
	hint text;
	detail text;
BEGIN
	EXECUTE format('CREATE OR REPLACE TRIGGER copied BEFORE INSERT ON essays FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger(%s)', arguments);
	INSERT INTO essays VALUES (27, 'much time between the rows');
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT, detail = PG_EXCEPTION_DETAIL;
	RETURN concat_ws(E'\n', SQLSTATE || ': ' || message, nullif(detail, ''), nullif(hint, ''));
END $$;
SELECT arguments || E'\n' || guard(arguments) || E'\n' FROM unnest(ARRAY[$$'id', 'p', 'reject', 'against=books'$$, $$'id', 'p', 'reject', 'against=a.b.c.d'$$, $$'id', 'p', 'reject', 'against="'$$, $$'id', 'p', 'reject', 'against=guarded.none'$$,
	$$'id', 'p', 'reject', 'against=none.books'$$, $$'id', 'p', 'reject', 'against=public.essays'$$, $$'id', 'p', 'reject', 'against=guarded.books', 'against_key=none'$$, $$'id', 'p', 'reject', 'against=guarded.books', 'against_column=none'$$,
	$$'id', 'p', 'reject', 'against=guarded.books', 'against_column=fp'$$, $$'id', 'p', 'reject', 'against_key=title'$$, $$'id', 'p', 'reject', 'against_column=p'$$, $$'id', 'p', 'reject', 'against=guarded.books', 'within=id'$$,
	$$'id', 'p', 'reject', 'against=guarded.books', 'locks=keys'$$, $$'id', 'p', 'reject', 'scope=table', 'against=guarded.books'$$, $$'id', 'p', 'flag', 'column=copy_of', 'against=guarded.books', 'against_key=title'$$,
	$$'id', 'p', 'reject', 'min_shared=0'$$, $$'id', 'p', 'reject', 'min_shared=x'$$, $$'id', 'p', 'reject', 'threshold=0.5'$$, $$'id', 'p', 'reject', 'against=guarded.books', 'against_column=p'$$]) AS arguments;
\a\t
DROP TABLE essays;
DROP SCHEMA guarded CASCADE;
DROP FUNCTION read_body(), guard(text);
DROP DOMAIN excerpts;
DROP ROLE txtfp_writer, txtfp_essayist;

-- Errors

SELECT near_duplicate_trigger();
DROP TABLE docs;
CREATE TABLE plain (id int, fp minhash128, sh simhash64, body text, near int, long bigint, made int GENERATED ALWAYS AS (id) STORED, odd xid8, pt point);
CREATE FUNCTION attempt(event text, arguments text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	message text;
	hint text;
BEGIN
	EXECUTE format('CREATE TRIGGER t %s EXECUTE FUNCTION near_duplicate_trigger(%s)', event, arguments);
	INSERT INTO plain (id, fp, sh, odd, pt) VALUES (1, fp(1, 1), '1111111111111111', '5', '(1,2)');
	UPDATE plain SET id = 2;
	DELETE FROM plain;
	DROP TRIGGER t ON plain;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(E'\n', SQLSTATE || ': ' || message, nullif(hint, ''));
END $$;
\a\t
SELECT event || E'\n' || attempt(event, $$'id', 'fp', 'reject'$$) || E'\n' FROM unnest('{BEFORE INSERT OR UPDATE ON plain FOR EACH ROW,AFTER INSERT OR UPDATE ON plain FOR EACH ROW,BEFORE INSERT ON plain FOR EACH STATEMENT,BEFORE DELETE ON plain FOR EACH ROW,AFTER DELETE ON plain FOR EACH ROW}'::text[]) AS event;
SELECT action || E'\n' || attempt('AFTER INSERT ON plain FOR EACH ROW', format($$'id', 'fp', %s$$, action)) || E'\n' FROM unnest(ARRAY[$$'skip'$$, $$'flag', 'column=near'$$]) AS action;
SELECT arguments || E'\n' || attempt('BEFORE INSERT ON plain FOR EACH ROW', arguments) || E'\n' FROM unnest(ARRAY['', $$'id'$$, $$'id', 'fp'$$, $$'id', 'fp', 'delete'$$, $$'id', 'fp', 'REJECT'$$, $$'id', 'fp', 'flag'$$,
	$$'id', 'fp', 'reject', 'threshold'$$, $$'id', 'fp', 'reject', 'threshold='$$, $$'id', 'fp', 'reject', 'threshold=x'$$, $$'id', 'fp', 'reject', 'threshold=1.1'$$, $$'id', 'fp', 'reject', 'threshold=-0.1'$$,
	$$'id', 'fp', 'reject', 'threshold=nan'$$, $$'id', 'fp', 'reject', 'threshold=0.8 '$$, $$'id', 'fp', 'reject', 'max_distance=3'$$, $$'id', 'sh', 'reject', 'threshold=0.8'$$, $$'id', 'sh', 'reject', 'max_distance=65'$$,
	$$'id', 'sh', 'reject', 'max_distance=3.5'$$, $$'id', 'sh', 'reject', 'max_distance=-1'$$, $$'id', 'fp', 'reject', 'column=near'$$, $$'id', 'fp', 'flag', 'column=none'$$, $$'id', 'fp', 'flag', 'column=long'$$,
	$$'id', 'fp', 'flag', 'column=made'$$, $$'id', 'fp', 'flag', 'column=near', 'similarity=made'$$, $$'id', 'fp', 'flag', 'column=near', 'similarity=near'$$, $$'id', 'fp', 'reject', 'similarity=made'$$, $$'id', 'fp', 'skip', 'within=none'$$, $$'id', 'fp', 'skip', 'within=made'$$, $$'id', 'fp', 'skip', 'within=pt'$$, $$'id', 'fp', 'skip', 'within=odd'$$, $$'id', 'fp', 'skip', 'scope=all'$$, $$'id', 'fp', 'skip', 'locks=none'$$, $$'none', 'fp', 'skip'$$, $$'id', 'none', 'skip'$$, $$'id', 'body', 'skip'$$, $$'id', 'id', 'skip'$$,
	$$'tableoid', 'fp', 'skip'$$, $$'pt', 'fp', 'skip'$$, $$'odd', 'fp', 'skip'$$, $$'id', 'sh', 'skip', 'max_distance=64'$$, $$'id', 'fp', 'skip', 'threshold=0'$$, $$'id', 'fp', 'skip', 'threshold=1e-3', 'scope=table', 'locks=keys'$$]) AS arguments;
\a\t
DROP TABLE plain;
DROP FUNCTION attempt(text, text), locks(), scans(), fp(int, int), body(int, int);
