-- near_duplicate_trigger: as whom it runs what, what others can do to it meanwhile, and what it tells. The page is SECURITY.md.
\set SHOW_CONTEXT never
SET client_min_messages = warning;

CREATE FUNCTION words(text) RETURNS minhash128 LANGUAGE sql IMMUTABLE AS $$SELECT public.to_minhash128($1, 'word-uax29')$$;
DROP ROLE IF EXISTS regress_txtfp_mallory, regress_txtfp_alice, regress_txtfp_bob;
CREATE ROLE regress_txtfp_mallory;
CREATE ROLE regress_txtfp_alice;
CREATE ROLE regress_txtfp_bob;
CREATE SCHEMA AUTHORIZATION regress_txtfp_mallory;
CREATE SCHEMA AUTHORIZATION regress_txtfp_alice;
GRANT USAGE ON SCHEMA regress_txtfp_mallory, regress_txtfp_alice TO public;

-- A search whose plan becomes invalid while it runs, and which inserts into its own table, goes on. The planner evaluates the constraint.

SET ROLE regress_txtfp_mallory;
SET search_path = regress_txtfp_mallory, public;
CREATE TABLE docs (id int, fp minhash128);
CREATE TABLE steps (step int);
CREATE FUNCTION side() RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM regress_txtfp_mallory.steps) AND current_setting('regress.nested', true) IS DISTINCT FROM 'on' THEN
		PERFORM set_config('regress.nested', 'on', false);
		CREATE OPERATOR regress_txtfp_mallory.==== (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq);
		DROP OPERATOR regress_txtfp_mallory.==== (int, int);
		INSERT INTO regress_txtfp_mallory.docs SELECT 100 + step, public.words('of nested call ' || step) FROM regress_txtfp_mallory.steps;
	END IF;
	RETURN true;
END $$;
CREATE FUNCTION quiet(int) RETURNS bool IMMUTABLE LANGUAGE plpgsql AS $$BEGIN RETURN regress_txtfp_mallory.side(); END $$;
CREATE TRIGGER near_dup BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8');
INSERT INTO docs VALUES (1, words('so that the search has been prepared'));
ALTER TABLE docs ADD CHECK (quiet(1));
INSERT INTO steps VALUES (1);
SET constraint_exclusion = on;
INSERT INTO docs VALUES (2, words('the second of all rows'));
SET regress.nested = off;
CREATE OPERATOR ==== (LEFTARG = bool, RIGHTARG = bool, FUNCTION = booleq); -- every plan is made again
UPDATE steps SET step = 2;
INSERT INTO docs VALUES (3, words('so that the search has been prepared'));
SET regress.nested = off;
DROP OPERATOR ==== (bool, bool);
UPDATE steps SET step = 3;
INSERT INTO docs VALUES (3, words('of nested call 3'));
-- the nested call fails, and then the outer one, too
SET regress.nested = off;
CREATE OPERATOR ==== (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq);
INSERT INTO docs VALUES (4, words('the fourth of all rows'));
SET regress.nested = off;
DROP OPERATOR ==== (int, int);
UPDATE steps SET step = 1;
INSERT INTO docs SELECT 4, words('the fourth of all rows') UNION ALL SELECT 5, words('of nested call 1');
DELETE FROM steps;
INSERT INTO docs VALUES (4, words('the fourth of all rows')), (5, words('the fourth of all rows'));
INSERT INTO docs VALUES (4, words('the fourth of all rows'));
RESET constraint_exclusion;
SELECT id FROM docs ORDER BY id;
DROP TABLE docs, steps;
DROP FUNCTION quiet(int), side();

-- Rows of a protected table are read as its owner. Whatever mallory puts in its place, nothing of hers runs as alice or as the writer.

CREATE TABLE calls (of text, role name);
GRANT INSERT ON calls TO public;
CREATE FUNCTION spy(of text) RETURNS bool LANGUAGE plpgsql AS $$BEGIN INSERT INTO regress_txtfp_mallory.calls VALUES (of, current_user); RETURN true; END $$;
CREATE TABLE library (id int, fp minhash128);
INSERT INTO library VALUES (1, words('the text that is protected by mallory'));
GRANT SELECT ON library TO regress_txtfp_alice;
SET ROLE regress_txtfp_alice;
SET search_path = regress_txtfp_alice, public;
CREATE TABLE docs (id int, fp minhash128, near int, how float8);
GRANT INSERT, SELECT ON docs TO regress_txtfp_bob;
CREATE TRIGGER copies BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8', 'against=regress_txtfp_mallory.library');
INSERT INTO docs VALUES (1, words('the text that is protected by mallory'));
INSERT INTO docs VALUES (2, words('my own text'));
-- a policy: refused, as the owner of the guarded table may not read all rows
SET ROLE regress_txtfp_mallory;
SET search_path = regress_txtfp_mallory, public;
ALTER TABLE library ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON library USING (spy('policy'));
SET ROLE regress_txtfp_alice;
INSERT INTO regress_txtfp_alice.docs VALUES (3, words('my next text'));
-- a superuser as the owner of the guarded table reads all rows, and the policy is not called, not even to find out what a writer may see
RESET ROLE;
ALTER TABLE regress_txtfp_alice.docs OWNER TO CURRENT_USER;
GRANT SELECT ON regress_txtfp_mallory.library TO regress_txtfp_bob;
SET ROLE regress_txtfp_bob;
INSERT INTO regress_txtfp_alice.docs VALUES (3, words('my next text'));
INSERT INTO regress_txtfp_alice.docs VALUES (3, words('the text that is protected by mallory'));
RESET ROLE;
ALTER TABLE regress_txtfp_alice.docs OWNER TO regress_txtfp_alice;
SET ROLE regress_txtfp_mallory;
ALTER TABLE library DISABLE ROW LEVEL SECURITY;
-- a constraint, which the planner evaluates: as mallory
ALTER TABLE library ADD CHECK (spy('constraint'));
TRUNCATE calls;
CREATE FUNCTION quiet(int) RETURNS bool IMMUTABLE LANGUAGE plpgsql AS $$BEGIN RETURN regress_txtfp_mallory.spy('planner'); END $$;
ALTER TABLE library ADD CHECK (quiet(1));
TRUNCATE calls;
SET ROLE regress_txtfp_bob;
SET constraint_exclusion = on;
INSERT INTO regress_txtfp_alice.docs VALUES (4, words('my fourth text'));
RESET constraint_exclusion;
SET ROLE regress_txtfp_mallory;
SELECT DISTINCT * FROM calls ORDER BY 1, 2;
TRUNCATE calls;
-- other relations under the name of the table
DROP TABLE library;
CREATE VIEW library AS SELECT 1 AS id, NULL::minhash128 AS fp WHERE spy('view');
GRANT SELECT ON library TO regress_txtfp_alice;
SET ROLE regress_txtfp_alice;
INSERT INTO regress_txtfp_alice.docs VALUES (5, words('my fifth text'));
SET ROLE regress_txtfp_mallory;
DROP VIEW library;
CREATE MATERIALIZED VIEW library AS SELECT 1 AS id, NULL::minhash128 AS fp;
GRANT SELECT ON library TO regress_txtfp_alice;
SET ROLE regress_txtfp_alice;
INSERT INTO regress_txtfp_alice.docs VALUES (5, words('my fifth text'));
SET ROLE regress_txtfp_mallory;
DROP MATERIALIZED VIEW library;
CREATE TABLE library (id int, fp minhash128, other int) PARTITION BY LIST (id);
CREATE TABLE library_1 PARTITION OF library DEFAULT;
GRANT SELECT ON library TO regress_txtfp_alice;
SET ROLE regress_txtfp_alice;
INSERT INTO regress_txtfp_alice.docs VALUES (5, words('my fifth text'));
-- rights that are revoked later count at the next row; SELECT on key and fingerprint is enough
SET ROLE regress_txtfp_mallory;
REVOKE SELECT ON library FROM regress_txtfp_alice;
SET ROLE regress_txtfp_alice;
INSERT INTO regress_txtfp_alice.docs VALUES (6, words('my sixth text'));
SET ROLE regress_txtfp_mallory;
GRANT SELECT (id) ON library TO regress_txtfp_alice;
SET ROLE regress_txtfp_alice;
INSERT INTO regress_txtfp_alice.docs VALUES (6, words('my sixth text'));
SET ROLE regress_txtfp_mallory;
GRANT SELECT (fp) ON library TO regress_txtfp_alice;
SET ROLE regress_txtfp_alice;
INSERT INTO regress_txtfp_alice.docs VALUES (6, words('my sixth text'));
-- a temporary table would be another one in each session
CREATE TEMP TABLE library (id int, fp minhash128);
CREATE OR REPLACE TRIGGER copies BEFORE INSERT ON regress_txtfp_alice.docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8', 'against=pg_temp.library');
INSERT INTO regress_txtfp_alice.docs VALUES (7, words('my seventh text'));
CREATE TEMP TABLE temp_docs (id int, fp minhash128);
CREATE TRIGGER copies BEFORE INSERT ON temp_docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8', 'against=pg_temp.library');
INSERT INTO temp_docs VALUES (7, words('my seventh text'));
DROP TABLE temp_docs, pg_temp.library;
SET ROLE regress_txtfp_mallory;
SELECT * FROM calls;
-- the caller's search path is not that of what runs as the owner: this is the search path as the planner evaluates the constraint
CREATE FUNCTION path(int) RETURNS bool IMMUTABLE LANGUAGE plpgsql AS $$BEGIN RAISE WARNING 'search_path = %, %', current_setting('search_path'), current_user; RETURN true; END $$;
DROP TABLE library;
CREATE TABLE library (id int, fp minhash128, CHECK (path(1)));
GRANT SELECT ON library TO regress_txtfp_alice;
SET ROLE regress_txtfp_alice;
CREATE OR REPLACE TRIGGER copies BEFORE INSERT ON regress_txtfp_alice.docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8', 'against=regress_txtfp_mallory.library');
SET constraint_exclusion = on;
INSERT INTO regress_txtfp_alice.docs VALUES (8, words('my eighth text'));
RESET constraint_exclusion;
RESET ROLE;
DROP SCHEMA regress_txtfp_mallory CASCADE;
TRUNCATE regress_txtfp_alice.docs;

-- What a writer learns of rows that he may not see: that there is one, not which, nor how similar

SET ROLE regress_txtfp_alice;
SET search_path = regress_txtfp_alice, public;
DROP TRIGGER copies ON docs;
REVOKE SELECT ON docs FROM regress_txtfp_bob;
CREATE TRIGGER near_dup BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'flag', 'column=near', 'similarity=how', 'threshold=0.5');
INSERT INTO docs VALUES (1, words('the quick brown fox jumps over the lazy dog and away'));
SET ROLE regress_txtfp_bob;
INSERT INTO docs (id, fp) VALUES (2, words('the quick brown fox jumps over the lazy dog and runs'));
RESET ROLE;
SELECT id, near, how FROM docs ORDER BY id;
GRANT SELECT (id, near, how) ON docs TO regress_txtfp_bob;
SET ROLE regress_txtfp_bob;
INSERT INTO docs (id, fp) VALUES (3, words('the quick brown fox jumps over the lazy dog and runs')) RETURNING id, near, how;
RESET ROLE;
GRANT SELECT (fp) ON docs TO regress_txtfp_bob;
SET ROLE regress_txtfp_bob;
INSERT INTO docs (id, fp) VALUES (4, words('the quick brown fox jumps over the lazy dog and away')) RETURNING id, near IS NOT NULL AND near <> id AS named, how BETWEEN 0.5 AND 1 AS similar;
RESET ROLE;

-- Texts that decide: who may not read the text learns neither row nor reason. The log is written as the owner, and so is what happens there.

SET ROLE regress_txtfp_alice;
CREATE TABLE said (id int PRIMARY KEY, body text, fp minhash128 GENERATED ALWAYS AS (public.to_minhash128(body, 'word-uax29')) STORED, seen int DEFAULT 1);
CREATE TABLE said_log (action text, outcome text, reason text, kept int, similarity float8, jaccard float8, containment float8, score float8, new_row jsonb, role name DEFAULT current_user);
CREATE FUNCTION logged() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE WARNING 'logged by %, search_path %', current_user, current_setting('search_path'); RETURN new; END $$;
CREATE TRIGGER logged AFTER INSERT ON said_log FOR EACH ROW EXECUTE FUNCTION logged();
CREATE TRIGGER near_dup BEFORE INSERT ON said FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.5', 'text=body', 'verify=lossless', 'guard=strict');
INSERT INTO said VALUES (1, 'the quick brown fox jumps over the lazy dog and away');
GRANT INSERT, SELECT (id, fp) ON said TO regress_txtfp_bob;
SET ROLE regress_txtfp_bob;
INSERT INTO said VALUES (2, 'The quick brown fox jumps over the lazy dog and away');
RESET ROLE;
GRANT SELECT (body) ON said TO regress_txtfp_bob;
SET ROLE regress_txtfp_bob;
INSERT INTO said VALUES (2, 'The quick brown fox jumps over the lazy dog and away');
SET ROLE regress_txtfp_alice;
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT ON said FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'count', 'counter=seen', 'threshold=0.5', 'text=body', 'verify=lossless', 'guard=strict', 'log=regress_txtfp_alice.said_log');
SET ROLE regress_txtfp_bob;
INSERT INTO said VALUES (3, 'The quick brown fox  jumps over the lazy dog and away');
SELECT FROM said_log;
RESET ROLE;
SELECT action, reason, kept, new_row -> 'id' AS id, role FROM regress_txtfp_alice.said_log;
-- a protected table whose text the owner of the guarded table may not read
CREATE TABLE regress_txtfp_alice.secret AS SELECT 1 AS id, 'the quick brown fox jumps over the lazy dog and away'::text AS body, words('the quick brown fox jumps over the lazy dog and away') AS fp;
GRANT SELECT (id, fp) ON regress_txtfp_alice.secret TO regress_txtfp_alice;
SET ROLE regress_txtfp_alice;
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT ON said FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'text=body', 'verify=lossless', 'guard=strict', 'against=regress_txtfp_alice.secret');
INSERT INTO said VALUES (4, 'The quick brown fox jumps over the lazy dog and away');
RESET ROLE;
GRANT SELECT (body) ON regress_txtfp_alice.secret TO regress_txtfp_alice;
SET ROLE regress_txtfp_alice;
INSERT INTO said VALUES (4, 'The quick brown fox jumps over the lazy dog and away') RETURNING id;
RESET ROLE;
REVOKE SELECT (body) ON regress_txtfp_alice.secret FROM regress_txtfp_alice;
SET ROLE regress_txtfp_alice;
INSERT INTO said VALUES (5, 'The quick brown fox jumps over the lazy dog and away');
RESET ROLE;

-- A BEFORE trigger answers before WITH CHECK does: its owner is warned, once. An AFTER trigger answers after it. The counts tell nothing, either.

SET ROLE regress_txtfp_alice;
CREATE TABLE tenants (id int, tenant name, fp minhash128);
CREATE TRIGGER near_dup BEFORE INSERT ON tenants FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'within=tenant');
INSERT INTO tenants VALUES (1, 'alice', words('a secret of tenant alice'));
ALTER TABLE tenants ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON tenants USING (tenant = current_user) WITH CHECK (tenant = current_user);
GRANT INSERT, SELECT ON tenants TO regress_txtfp_bob;
INSERT INTO tenants VALUES (2, 'alice', words('another secret of tenant alice, longer'));
INSERT INTO tenants VALUES (3, 'alice', words('a third text'));
SET ROLE regress_txtfp_bob;
INSERT INTO tenants VALUES (4, 'alice', words('a secret of tenant alice'));
INSERT INTO tenants VALUES (4, 'alice', words('a guess that is wrong'));
SELECT checked > 0 AS checked, found FROM near_duplicate_trigger_stats() WHERE relation = 'tenants'::regclass;
SET ROLE regress_txtfp_alice;
SELECT checked > 0 AS checked, found > 0 AS found FROM near_duplicate_trigger_stats() WHERE relation = 'tenants'::regclass;
DROP TRIGGER near_dup ON tenants;
CREATE TRIGGER near_dup AFTER INSERT ON tenants FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'within=tenant');
INSERT INTO tenants VALUES (5, 'alice', words('a fourth text'));
SET ROLE regress_txtfp_bob;
INSERT INTO tenants VALUES (6, 'alice', words('a secret of tenant alice'));
INSERT INTO tenants VALUES (6, 'alice', words('a guess that is wrong'));
INSERT INTO tenants VALUES (6, current_user, words('a secret of tenant alice'));
INSERT INTO tenants VALUES (7, current_user, words('a secret of tenant alice'));
RESET ROLE;
DROP SCHEMA regress_txtfp_alice CASCADE;
DROP ROLE regress_txtfp_mallory, regress_txtfp_alice, regress_txtfp_bob;
DROP FUNCTION words(text);
