-- fingerprint_trigger: a plain column kept up to date
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET search_path = public, pg_catalog;

CREATE TABLE written (id int PRIMARY KEY, body text, a minhash64, b minhash128, c minhash256, d simhash64);
CREATE TRIGGER t1 BEFORE INSERT OR UPDATE ON written FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('body', 'a');
CREATE TRIGGER t2 BEFORE INSERT OR UPDATE ON written FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('body', 'b', 'tokenizer=word-uax29', 'canonicalizer=nfc-cf-none', 'hash=mmh3-x64-128', 'seed=-7');
CREATE TRIGGER t3 BEFORE INSERT OR UPDATE ON written FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('body', 'c', 'seed=42', 'tokenizer=shingle-k=2/word-uax29');
CREATE TRIGGER t4 BEFORE INSERT OR UPDATE ON written FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('body', 'd', 'weighting=idf', 'idf={"quick brown": 3, "a=b": 1}');
CREATE VIEW right_ones AS
	SELECT id, a IS NOT DISTINCT FROM to_minhash64(body) AS a, b IS NOT DISTINCT FROM to_minhash128(body, 'word-uax29', 'nfc-cf-none', 'mmh3-x64-128', -7) AS b,
		c IS NOT DISTINCT FROM to_minhash256(body, seed => 42, tokenizer => 'shingle-k=2/word-uax29') AS c,
		d IS NOT DISTINCT FROM to_simhash64(body, weighting => 'idf', idf => '{"quick brown": 3, "a=b": 1}') AS d, num_nulls(a, b, c, d) AS nulls
	FROM written ORDER BY id;

INSERT INTO written VALUES (1, 'The quick brown fox jumps over the lazy dog'), (2, NULL), (3, ''), (4, repeat('wörter von vielerlei Art ', 20000));
-- a fingerprint given in the statement is ignored
INSERT INTO written (id, body, a, d) VALUES (5, 'some words', to_minhash64('others'), 'ffffffffffffffff');
COPY written (id, body) FROM stdin;
6	copied words
7	\N
\.
TABLE right_ones;

-- updates
UPDATE written SET body = body || ' and more' WHERE id IN (1, 2, 4);
UPDATE written SET body = NULL WHERE id = 5;
UPDATE written SET b = NULL, d = '0000000000000000' WHERE id = 6;
UPDATE written SET id = -id;
INSERT INTO written VALUES (-1, 'taken') ON CONFLICT (id) DO UPDATE SET body = 'overwritten';
TABLE right_ones;

-- a row whose text does not change is not computed again, even if the definition has changed; setting NULL computes it again
CREATE OR REPLACE TRIGGER t1 BEFORE INSERT OR UPDATE ON written FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('body', 'a', 'seed=1');
UPDATE written SET id = id - 10;
SELECT count(*) FILTER (WHERE a = to_minhash64(body)) AS before, count(*) FILTER (WHERE a = to_minhash64(body, seed => 1)) AS after FROM written;
UPDATE written SET a = NULL;
SELECT count(*) FILTER (WHERE a = to_minhash64(body)) AS before, count(*) FILTER (WHERE a = to_minhash64(body, seed => 1)) AS after FROM written;
DROP TABLE written CASCADE;

-- other sources and targets: varchar, text[], domains, quoted names, dropped columns
CREATE DOMAIN sketch AS minhash64 CHECK (VALUE <> to_minhash64('five words that are refused'));
CREATE TABLE "Odd" (gone int, "The Body" varchar(100), also_gone int, words text[], "Fp" sketch, set minhash128, fixed char(8), bits simhash64);
ALTER TABLE "Odd" DROP COLUMN gone, DROP COLUMN also_gone;
CREATE TRIGGER t1 BEFORE INSERT OR UPDATE ON "Odd" FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('The Body', 'Fp');
CREATE TRIGGER t2 BEFORE INSERT OR UPDATE ON "Odd" FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('words', 'set', 'seed=3');
CREATE TRIGGER t3 BEFORE INSERT OR UPDATE ON "Odd" FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('fixed', 'bits', 'tokenizer=word-uax29');
INSERT INTO "Odd" ("The Body", words, fixed) VALUES ('some words of five', '{some,words}', 'a b');
SELECT "Fp" = to_minhash64("The Body") AS "varchar", set = to_minhash128(words, seed => 3) AS "text[]", bits = to_simhash64('a b', 'word-uax29') AS "char" FROM "Odd";
INSERT INTO "Odd" ("The Body") VALUES ('Five words that are refused!');
DROP TABLE "Odd";
DROP DOMAIN sketch;

-- partitions with columns in another order
CREATE TABLE whole (id int, body text, fp minhash64) PARTITION BY LIST (id);
CREATE TABLE part_1 PARTITION OF whole FOR VALUES IN (1);
CREATE TABLE part_2 (fp minhash64, dropped int, body text, id int);
ALTER TABLE part_2 DROP COLUMN dropped;
ALTER TABLE whole ATTACH PARTITION part_2 FOR VALUES IN (2);
CREATE TRIGGER t BEFORE INSERT OR UPDATE ON whole FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('body', 'fp');
INSERT INTO whole VALUES (1, 'first words'), (2, 'second words'), (1, 'third words');
UPDATE whole SET id = 3 - id, body = body || ' moved';
SELECT tableoid::regclass, body, fp = to_minhash64(body) AS "right" FROM whole ORDER BY body;
DROP TABLE whole;

-- the extension may be in any schema, and the search path is not used
CREATE TABLE docs (body text, fp minhash64);
CREATE TRIGGER t BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('body', 'fp', 'tokenizer=word-uax29');
CREATE SCHEMA "Trap";
CREATE FUNCTION "Trap".to_minhash64(doc text, tokenizer text, canonicalizer text DEFAULT '', hash text DEFAULT '', seed bigint DEFAULT 0) RETURNS minhash64 LANGUAGE plpgsql AS $$BEGIN RAISE 'trapped'; END$$;
SET search_path = "Trap", public, pg_catalog;
INSERT INTO docs VALUES ('a b c');
CREATE SCHEMA "Else where";
ALTER EXTENSION txtfp SET SCHEMA "Else where";
INSERT INTO docs VALUES ('d e f');
SELECT body, fp OPERATOR("Else where".=) "Else where".to_minhash64(body, 'word-uax29'::text, seed => 828927532781, hash => 'xxh3-64', canonicalizer => 'nfkc-cf-simple-bidi-fmt') AS "right" FROM docs;
-- nor does one that somebody else has put into the extension's schema, and that fits better
ALTER TABLE docs ADD short varchar(20), ADD short_fp "Else where".minhash64;
CREATE FUNCTION "Else where".to_minhash64(varchar) RETURNS "Else where".minhash64 LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'in the trap as %', current_user; END$$;
CREATE TRIGGER short BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION "Else where".fingerprint_trigger('short', 'short_fp');
INSERT INTO docs (short) VALUES ('some words');
-- whatever extension its owner has added it to
ALTER EXTENSION txtfp ADD FUNCTION "Else where".to_minhash64(varchar);
INSERT INTO docs (short) VALUES ('some words');
ALTER EXTENSION txtfp DROP FUNCTION "Else where".to_minhash64(varchar);
DROP FUNCTION "Else where".to_minhash64(varchar);
INSERT INTO docs (short) VALUES ('some words') RETURNING short_fp OPERATOR("Else where".=) "Else where".to_minhash64('some words'::text) AS "right";
DROP TRIGGER short ON docs;
ALTER TABLE docs DROP short, DROP short_fp;
ALTER EXTENSION txtfp SET SCHEMA public;
DROP FUNCTION "Trap".to_minhash64;
DROP SCHEMA "Trap", "Else where";
SET search_path = public, pg_catalog;

-- Errors

SELECT fingerprint_trigger();
CREATE TABLE plain (id int, body text, fp minhash64, made minhash64 GENERATED ALWAYS AS (to_minhash64(body)) STORED, upper_body text GENERATED ALWAYS AS (upper(body)) STORED, jb jsonb);
CREATE FUNCTION attempt(event text, arguments text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	message text;
	hint text;
	detail text;
BEGIN
	EXECUTE format('CREATE TRIGGER t %s EXECUTE FUNCTION fingerprint_trigger(%s)', event, arguments);
	INSERT INTO plain VALUES (1, 'some words');
	UPDATE plain SET id = 2;
	DELETE FROM plain;
	DROP TRIGGER t ON plain;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT, detail = PG_EXCEPTION_DETAIL;
	-- what PostgreSQL says further of a function that is missing differs from version to version
	RETURN concat_ws(E'\n', SQLSTATE || ': ' || message, CASE WHEN SQLSTATE <> '42883' THEN nullif(detail, '') END, CASE WHEN SQLSTATE <> '42883' THEN nullif(hint, '') END);
END $$;
\a\t
SELECT event || E'\n' || attempt(event, $$'body', 'fp'$$) || E'\n' FROM unnest('{BEFORE INSERT OR UPDATE ON plain FOR EACH ROW,AFTER INSERT ON plain FOR EACH ROW,BEFORE INSERT ON plain FOR EACH STATEMENT,BEFORE DELETE ON plain FOR EACH ROW,BEFORE TRUNCATE ON plain}'::text[]) AS event WHERE event NOT LIKE '%TRUNCATE%';
SELECT arguments || E'\n' || attempt('BEFORE INSERT ON plain FOR EACH ROW', arguments) || E'\n' FROM unnest(ARRAY['', $$'body'$$, $$'body', 'fp', 'seed'$$, $$'body', 'fp', '=3'$$, $$'body', 'fp', 'seed=x'$$,
	$$'body', 'fp', 'seed='$$, $$'body', 'fp', 'seed=9223372036854775808'$$, $$'body', 'fp', 'Seed=3'$$, $$'body', 'fp', 'doc=3'$$, $$'body', 'fp', 'weighting=tf'$$, $$'body', 'fp', 'tokenizer=words'$$,
	$$'body', 'fp', 'hash=md5'$$, $$'body', 'fp', 'canonicalizer='$$, $$'body', 'fp', 'seed=1', 'seed=2'$$, $$'Body', 'fp'$$, $$'body', 'none'$$, $$'ctid', 'fp'$$, $$'body', 'body'$$, $$'body', 'id'$$, $$'id', 'fp'$$, $$'jb', 'fp'$$,
	$$'fp', 'fp'$$, $$'body', 'made'$$, $$'upper_body', 'fp'$$]) AS arguments;
DROP TABLE plain;
CREATE VIEW view AS SELECT * FROM docs;
CREATE TRIGGER t INSTEAD OF INSERT ON view FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('body', 'fp');
INSERT INTO view VALUES ('x');
DROP VIEW view;
DROP TABLE docs;
DROP FUNCTION attempt(text, text);
