-- near_duplicate_trigger, option apart: pairs of keys that somebody has decided about are not near-duplicates, whatever their fingerprints say
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET search_path = public, pg_catalog;

CREATE FUNCTION words(text) RETURNS minhash128 LANGUAGE sql IMMUTABLE AS $$SELECT public.to_minhash128($1, 'word-uax29')$$;
CREATE TABLE docs (id int PRIMARY KEY, fp minhash128, near int, seen int DEFAULT 1);
CREATE INDEX ON docs USING sketch (fp);
CREATE TABLE not_duplicates (a int, b int, PRIMARY KEY (a, b));
CREATE FUNCTION checks(arguments text, apart text DEFAULT 'public.not_duplicates') RETURNS void LANGUAGE plpgsql AS $$BEGIN
	EXECUTE format('CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger(''id'', ''fp'', %s, %L)', arguments, 'apart=' || apart);
END$$;
SELECT checks($$'reject'$$);
INSERT INTO docs VALUES (1, words('a text of some words')), (2, words('another thing'));
INSERT INTO docs VALUES (3, words('a text of some words'));
-- in either order; and only that pair
INSERT INTO not_duplicates VALUES (1, 3), (4, 1), (5, 6), (NULLIF(7, 8), 9);
INSERT INTO docs VALUES (3, words('a text of some words'));
INSERT INTO docs VALUES (4, words('a text of some words'));
INSERT INTO docs VALUES (5, words('a text of some words'));
INSERT INTO not_duplicates VALUES (3, 4);
INSERT INTO docs VALUES (4, words('a text of some words'));
UPDATE docs SET fp = words('a text of some words') WHERE id = 2;
INSERT INTO not_duplicates VALUES (2, 1), (2, 3), (2, 4);
UPDATE docs SET fp = words('a text of some words') WHERE id = 2;
SELECT array_agg(id ORDER BY id) AS ids FROM docs;
-- the next similar row is found
SELECT checks($$'flag', 'column=near'$$);
TRUNCATE not_duplicates;
INSERT INTO not_duplicates VALUES (1, 10), (2, 10), (3, 10);
INSERT INTO docs VALUES (10, words('a text of some words')) RETURNING near;
SELECT checks($$'count', 'counter=seen'$$);
DELETE FROM docs WHERE id > 1;
INSERT INTO not_duplicates VALUES (11, 1);
INSERT INTO docs VALUES (10, words('a text of some words')), (11, words('a text of some words')), (12, words('a text of some words')) RETURNING id;
SELECT sum(seen), count(*) FROM docs;
-- with within, and an AFTER trigger; uuid, domains and names to quote
CREATE DOMAIN number AS uuid;
CREATE TABLE "My docs" ("Id" number, tenant int, fp minhash128);
CREATE SCHEMA "My pairs";
CREATE TABLE "My pairs"."Not same" (note text, b uuid, a number) PARTITION BY HASH (a);
CREATE TABLE "My pairs".part PARTITION OF "My pairs"."Not same" FOR VALUES WITH (MODULUS 1, REMAINDER 0);
CREATE TRIGGER near_dup AFTER INSERT OR UPDATE ON "My docs" FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('Id', 'fp', 'reject', 'within=tenant', 'apart="My pairs"."Not same"');
INSERT INTO "My docs" VALUES ('11111111-1111-1111-1111-111111111111', 1, words('the same text')), ('22222222-2222-2222-2222-222222222222', 2, words('the same text'));
INSERT INTO "My docs" VALUES ('33333333-3333-3333-3333-333333333333', 2, words('the same text'));
INSERT INTO "My pairs"."Not same" VALUES ('wrong', '33333333-3333-3333-3333-333333333333', '11111111-1111-1111-1111-111111111111'), ('right', '33333333-3333-3333-3333-333333333333', '22222222-2222-2222-2222-222222222222');
INSERT INTO "My docs" VALUES ('33333333-3333-3333-3333-333333333333', 2, words('the same text'));
-- names may change while the plan is kept
ALTER TABLE "My pairs"."Not same" RENAME a TO c;
INSERT INTO "My docs" VALUES ('44444444-4444-4444-4444-444444444444', 3, words('the same text'));
ALTER TABLE "My pairs"."Not same" RENAME c TO a;
INSERT INTO "My docs" VALUES ('44444444-4444-4444-4444-444444444444', 3, words('the same text'));
ALTER TABLE "My pairs"."Not same" RENAME TO renamed;
INSERT INTO "My docs" VALUES ('55555555-5555-5555-5555-555555555555', 3, words('the same text'));
DROP TABLE "My docs";
DROP SCHEMA "My pairs" CASCADE;
DROP DOMAIN number;

-- every error
CREATE FUNCTION error_of(apart text, more text DEFAULT '') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	state text; message text; detail text;
BEGIN
	PERFORM checks($a$'reject'$a$ || more, apart);
	INSERT INTO docs VALUES (1000, words('x'));
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
	RETURN concat_ws(' | ', state, message, nullif(detail, ''));
END$$;
CREATE TABLE wide (a bigint, b int);
CREATE TABLE narrow (a int);
CREATE VIEW pairs AS SELECT 1 AS a, 2 AS b;
DROP ROLE IF EXISTS regress_txtfp_other;
CREATE ROLE regress_txtfp_other;
CREATE TABLE others (a int, b int);
ALTER TABLE others OWNER TO regress_txtfp_other;
SELECT apart, error_of('public.' || apart) FROM unnest('{wide,narrow,pairs,others,none}'::text[]) AS apart;
SELECT error_of('not_duplicates'), error_of('public.not_duplicates', $$, 'against=public.docs'$$) AS against;
-- another owner later, too, and nothing of his is run
SELECT checks($$'reject'$$);
INSERT INTO docs VALUES (20, words('twenty'));
ALTER TABLE not_duplicates OWNER TO regress_txtfp_other;
INSERT INTO docs VALUES (21, words('twenty-one'));
ALTER TABLE not_duplicates OWNER TO CURRENT_USER;
-- a writer needs no right on it
GRANT INSERT ON docs TO regress_txtfp_other;
INSERT INTO not_duplicates VALUES (30, 1), (30, 10);
SET ROLE regress_txtfp_other;
INSERT INTO docs VALUES (30, words('a text of some words'));
INSERT INTO docs VALUES (31, words('a text of some words'));
RESET ROLE;
SELECT array_agg(id ORDER BY id) AS ids FROM docs;

DROP TABLE docs, not_duplicates, wide, narrow, others;
DROP VIEW pairs;
DROP ROLE regress_txtfp_other;
DROP FUNCTION words(text), checks(text, text), error_of(text, text);
