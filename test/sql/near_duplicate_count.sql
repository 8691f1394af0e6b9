-- near_duplicate_trigger, actions count and merge: one row stays, and is told of the others. Concurrency: specs/iso_near_duplicate_count, tap/033_count. Rights: near_duplicate_rights.
\set SHOW_CONTEXT never
\set VERBOSITY default
SET client_min_messages = warning;
SET search_path = public, pg_catalog;

-- 40 words, of which the last two depend on the number of the copy: copies of a text have similarity 38/42
CREATE FUNCTION fp(doc int, copy int) RETURNS minhash128 LANGUAGE sql IMMUTABLE AS
	$$SELECT public.to_minhash128((SELECT string_agg(CASE WHEN i > 38 THEN copy ELSE doc END || 'w' || i, ' ') FROM generate_series(1, 40) AS i), 'word-uax29')$$;

-- count: numbers of every width, a time, both, a counter without a value; rows of one statement

CREATE DOMAIN tally AS int CHECK (value < 100);
CREATE TABLE docs (id int PRIMARY KEY, fp minhash128, seen bigint DEFAULT 1, seen_4 tally, seen_2 smallint DEFAULT 1, last timestamptz, last_plain timestamp, near int, note text);
CREATE INDEX ON docs USING sketch (fp);
CREATE FUNCTION counts(arguments text) RETURNS void LANGUAGE plpgsql AS $$BEGIN
	EXECUTE 'CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger(''id'', ''fp'', ' || arguments || ')';
END$$;
SELECT counts($$'count', 'counter=seen', 'last=last'$$);
INSERT INTO docs (id, fp) VALUES (1, fp(1, 1)), (2, fp(2, 1)), (3, fp(1, 2)), (4, fp(1, 3)), (5, NULL), (6, NULL) RETURNING id, seen;
INSERT INTO docs (id, fp) VALUES (7, fp(2, 2)) RETURNING id;
SELECT id, seen, last = now() AS now, last < now() AS before FROM docs ORDER BY id;
-- a later time stays
BEGIN;
UPDATE docs SET last = 'infinity' WHERE id = 2;
INSERT INTO docs (id, fp) VALUES (7, fp(2, 2));
SELECT seen, last FROM docs WHERE id = 2;
ROLLBACK;
SELECT counts($$'count', 'counter=seen_4'$$);
INSERT INTO docs (id, fp) VALUES (7, fp(2, 2)), (8, fp(2, 3));
UPDATE docs SET seen_4 = 99 WHERE id = 1;
INSERT INTO docs (id, fp) VALUES (7, fp(1, 2));
SELECT counts($$'count', 'counter=seen_2', 'last=last_plain'$$);
INSERT INTO docs (id, fp) VALUES (7, fp(2, 2));
UPDATE docs SET seen_2 = 32767 WHERE id = 1;
INSERT INTO docs (id, fp) VALUES (7, fp(1, 2));
SELECT counts($$'count', 'last=last_plain'$$);
INSERT INTO docs (id, fp) VALUES (7, fp(1, 2));
SELECT id, seen, seen_4, seen_2, last_plain = localtimestamp AS now, last_plain IS NOT NULL AS once FROM docs ORDER BY id;
-- what was found is counted once
SELECT checked, found FROM near_duplicate_trigger_stats() JOIN pg_trigger ON oid = trigger WHERE tgrelid = 'docs'::regclass;

-- COPY; ON CONFLICT: the new row counts before PostgreSQL looks for the conflict, the row with its own key is no duplicate; MERGE

TRUNCATE docs;
SELECT counts($$'count', 'counter=seen'$$);
CREATE TEMP TABLE incoming AS SELECT i AS id, fp(i % 5, i) FROM generate_series(1, 20) AS i;
\set file `mktemp`
COPY incoming TO :'file';
COPY docs (id, fp) FROM :'file';
\! rm -f :file
SELECT id, seen FROM docs ORDER BY id;
INSERT INTO docs (id, fp) VALUES (1, fp(1, 99)) ON CONFLICT (id) DO UPDATE SET note = 'itself' RETURNING id, seen, note;
INSERT INTO docs (id, fp) VALUES (1, fp(2, 99)) ON CONFLICT (id) DO UPDATE SET note = 'wrong' RETURNING id;
INSERT INTO docs (id, fp) VALUES (2, fp(9, 99)) ON CONFLICT (id) DO NOTHING;
MERGE INTO docs USING (VALUES (50, fp(3, 50)), (51, fp(51, 1))) AS new(id, fp) ON docs.id = new.id WHEN NOT MATCHED THEN INSERT (id, fp) VALUES (new.id, new.fp);
SELECT id, seen, note FROM docs ORDER BY id;
-- counted in the same statement, before it conflicts
INSERT INTO docs (id, fp) VALUES (60, fp(1, 60)), (1, fp(70, 1)) ON CONFLICT (id) DO UPDATE SET note = 'twice';
SELECT sum(seen) FROM docs;

-- a row that an UPDATE makes similar to another: refused unless on_update says otherwise

UPDATE docs SET fp = fp(2, 3) WHERE id = 1;
UPDATE docs SET note = 'nothing to check', seen = seen + 10 WHERE id = 1;
SELECT counts($$'count', 'counter=seen', 'on_update=skip'$$);
UPDATE docs SET fp = fp(2, 3), note = 'no' WHERE id = 1 RETURNING id;
SELECT counts($$'count', 'counter=seen', 'on_update=flag', 'column=near'$$);
UPDATE docs SET fp = fp(2, 3), note = 'flagged' WHERE id = 1 RETURNING id, near, seen;
UPDATE docs SET fp = fp(1, 3), note = 'not any more' WHERE id = 1 RETURNING id, near, seen;
INSERT INTO docs (id, fp, near) VALUES (61, fp(61, 1), 99), (62, fp(61, 2), 99) RETURNING id, near;
SELECT counts($$'count', 'counter=seen', 'on_update=delete'$$);
UPDATE docs SET fp = fp(2, 3), note = 'gone' WHERE id = 1 RETURNING id;
UPDATE docs SET fp = fp(2, 4), id = 200 WHERE id = 3 RETURNING id;
SELECT id, seen, note FROM docs ORDER BY id;
-- one of several rows becomes similar to one that the statement has already updated, or will
UPDATE docs SET fp = fp(CASE WHEN id IN (51, 61) THEN 300 ELSE id + 400 END, id) WHERE id <> 4;
SELECT id, seen FROM docs ORDER BY id;
BEGIN;
UPDATE docs SET fp = fp(4, 70) WHERE id = 2;
UPDATE docs SET fp = fp(4, 71) WHERE id = 5;
SELECT id, seen FROM docs ORDER BY id;
ROLLBACK;

-- other BEFORE triggers see the row that is changed; one of them may keep it as it is

CREATE FUNCTION stays() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN IF new.note = 'frozen' THEN RETURN NULL; END IF; new.note := format('%s > %s', old.seen, new.seen); RETURN new; END$$;
CREATE TRIGGER stays BEFORE UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION stays();
TRUNCATE docs;
INSERT INTO docs (id, fp, note) VALUES (1, fp(1, 1), NULL), (2, fp(2, 1), 'frozen'), (3, fp(1, 2), NULL), (4, fp(2, 2), NULL);
SELECT id, seen, note FROM docs ORDER BY id;
DROP TRIGGER stays ON docs;
DROP FUNCTION stays();

-- merge: what the function returns is stored; its result may be similar to a third row

CREATE FUNCTION longest(kept docs, new docs, similarity float8) RETURNS docs LANGUAGE plpgsql AS $$BEGIN
	kept.note := concat_ws(' + ', kept.note, new.note);
	kept.seen := kept.seen + new.seen;
	RETURN kept;
END$$;
CREATE FUNCTION newest(kept docs, new docs, similarity float8) RETURNS docs LANGUAGE sql AS 'SELECT new';
CREATE FUNCTION how(kept docs, new docs, similarity float8) RETURNS docs LANGUAGE sql AS $$SELECT kept.id, kept.fp, kept.seen, 7, kept.seen_2, kept.last, kept.last_plain, new.id, (similarity > 0.8)::text$$;
CREATE FUNCTION nothing(docs, docs, float8) RETURNS docs LANGUAGE sql AS 'SELECT NULL::public.docs';
TRUNCATE docs;
SELECT counts($$'merge', 'merge=public.longest'$$);
INSERT INTO docs (id, fp, note) VALUES (1, fp(1, 1), 'a'), (2, fp(2, 1), 'b'), (3, fp(1, 2), 'c'), (4, fp(1, 3), 'd') RETURNING id;
SELECT id, seen, note FROM docs ORDER BY id;
UPDATE docs SET fp = fp(2, 2) WHERE id = 1;
SELECT counts($$'merge', 'merge=public.longest', 'on_update=delete'$$);
UPDATE docs SET fp = fp(2, 2) WHERE id = 1;
SELECT id, seen, note, fp = fp(2, 1) AS "same" FROM docs ORDER BY id;
SELECT counts($$'merge', 'merge=public.newest', 'on_update=delete'$$);
INSERT INTO docs (id, fp, note) VALUES (5, fp(5, 1), 'e'), (6, fp(2, 3), 'f');
SELECT id, seen, note, fp = fp(2, 3) AS "new" FROM docs ORDER BY id;
SELECT counts($$'merge', 'merge=public.how'$$);
INSERT INTO docs (id, fp) VALUES (7, fp(5, 3));
SELECT id, seen, seen_4, near, note FROM docs ORDER BY id;
SELECT counts($$'merge', 'merge=public.nothing'$$);
INSERT INTO docs (id, fp) VALUES (7, fp(5, 3));
-- a function that makes the kept row similar to a third: on_update says what happens then
CREATE FUNCTION to_2(kept docs, new docs, similarity float8) RETURNS docs LANGUAGE plpgsql AS $$BEGIN IF kept.id = 5 THEN kept.fp := public.fp(2, 9); END IF; kept.seen := kept.seen + new.seen; RETURN kept; END$$;
SELECT counts($$'merge', 'merge=public.to_2'$$);
INSERT INTO docs (id, fp) VALUES (7, fp(5, 3));
SELECT counts($$'merge', 'merge=public.to_2', 'on_update=delete'$$);
INSERT INTO docs (id, fp) VALUES (7, fp(5, 3));
SELECT id, seen FROM docs ORDER BY id;
-- a column more: statement and function know it
ALTER TABLE docs ADD extra text DEFAULT 'x', DROP note;
CREATE OR REPLACE FUNCTION to_2(kept docs, new docs, similarity float8) RETURNS docs LANGUAGE plpgsql AS $$BEGIN kept.extra := kept.extra || new.extra; RETURN kept; END$$;
INSERT INTO docs (id, fp) VALUES (7, fp(2, 3));
SELECT id, seen, extra FROM docs ORDER BY id;
DROP FUNCTION to_2(docs, docs, float8);
INSERT INTO docs (id, fp) VALUES (7, fp(2, 3));

-- generated columns, identities, long values that are stored apart; names to quote

CREATE SCHEMA "My docs";
CREATE TABLE "My docs"."The docs" ("Id" int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text, "Fp" minhash128 GENERATED ALWAYS AS (to_minhash128(body, 'word-uax29')) STORED, size int GENERATED ALWAYS AS (length(body)) STORED, "All" text);
ALTER TABLE "My docs"."The docs" ALTER "All" SET STORAGE EXTERNAL;
CREATE INDEX ON "My docs"."The docs" USING sketch ("Fp");
CREATE FUNCTION "My docs"."Join" (kept "My docs"."The docs", new "My docs"."The docs", similarity float8) RETURNS "My docs"."The docs" LANGUAGE plpgsql AS $$BEGIN
	kept."All" := kept."All" || new."All"; kept.body := kept.body || '!'; RETURN kept;
END$$;
CREATE TRIGGER "Near" BEFORE INSERT OR UPDATE ON "My docs"."The docs" FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('Id', 'Fp', 'merge', 'merge="My docs"."Join"');
INSERT INTO "My docs"."The docs" (body, "All") SELECT 'some text of words', repeat(i::text, 10000) FROM generate_series(1, 3) AS i;
SELECT "Id", body, size, length("All"), "All" ~ '^1+2+3+$' AS "right" FROM "My docs"."The docs";
DROP SCHEMA "My docs" CASCADE;

-- partitions and inheritance: the function gets rows of the table that has the trigger

CREATE TABLE whole (id int, day int, fp minhash128, seen int DEFAULT 1) PARTITION BY LIST (day);
CREATE TABLE day_1 PARTITION OF whole FOR VALUES IN (1);
CREATE TABLE day_2 (gone int, seen int DEFAULT 1, fp minhash128, id int, day int);
ALTER TABLE day_2 DROP COLUMN gone;
ALTER TABLE whole ATTACH PARTITION day_2 FOR VALUES IN (2);
CREATE TRIGGER near_dup BEFORE INSERT OR UPDATE ON whole FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'count', 'counter=seen', 'on_update=delete');
INSERT INTO whole VALUES (1, 1, fp(1, 1)), (2, 2, fp(2, 1)), (3, 2, fp(1, 2)), (4, 1, fp(2, 2));
INSERT INTO day_2 (id, day, fp) VALUES (5, 2, fp(1, 3)), (6, 2, fp(2, 3));
UPDATE whole SET day = 3 - day; -- rows that move
SELECT tableoid::regclass, id, seen FROM whole ORDER BY id;
UPDATE whole SET fp = fp(1, 4) WHERE id = 2;
SELECT tableoid::regclass, id, seen FROM whole ORDER BY id;
CREATE FUNCTION moves(kept whole, new whole, similarity float8) RETURNS whole LANGUAGE plpgsql AS $$BEGIN kept.day := new.day; kept.seen := kept.seen + new.seen; RETURN kept; END$$;
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON whole FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'merge', 'merge=public.moves');
INSERT INTO whole VALUES (7, 1, fp(1, 5), 10);
SELECT tableoid::regclass, id, seen FROM whole ORDER BY id;
INSERT INTO day_2 (id, day, fp, seen) VALUES (8, 2, fp(1, 6), 100);
SELECT tableoid::regclass, id, seen FROM whole ORDER BY id;
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON whole FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'merge', 'merge=public.moves', 'scope=partition');
INSERT INTO whole VALUES (9, 1, fp(1, 7), 1000), (10, 2, fp(1, 8), 2000);
SELECT tableoid::regclass, id, seen FROM whole ORDER BY id;
DROP TABLE whole CASCADE;
CREATE TABLE parent (id int, fp minhash128, seen int DEFAULT 1);
CREATE TABLE child (more text) INHERITS (parent);
CREATE TRIGGER near_dup BEFORE INSERT ON parent FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'count', 'counter=seen');
INSERT INTO child VALUES (1, fp(1, 1), 1, 'stays');
INSERT INTO parent VALUES (2, fp(1, 2));
CREATE FUNCTION doubles(kept parent, new parent, similarity float8) RETURNS parent LANGUAGE sql AS 'SELECT kept.id, kept.fp, kept.seen * 2';
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT ON parent FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'merge', 'merge=public.doubles');
INSERT INTO parent VALUES (2, fp(1, 2));
SELECT tableoid::regclass, id, seen FROM parent;
SELECT more FROM child;
DROP TABLE parent CASCADE;

-- within a tenant; simhash64 and passages; against a protected table

CREATE TABLE tenants (id int PRIMARY KEY, tenant int, sh simhash64, seen int DEFAULT 1);
CREATE INDEX ON tenants USING sketch (tenant, sh);
CREATE TRIGGER near_dup BEFORE INSERT OR UPDATE ON tenants FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'sh', 'count', 'counter=seen', 'within=tenant', 'on_update=delete', 'max_distance=3');
INSERT INTO tenants SELECT i, i % 3, '0123456789abcdef' FROM generate_series(1, 10) AS i;
SELECT id, tenant, seen FROM tenants ORDER BY id;
UPDATE tenants SET tenant = 2 WHERE id = 3;
SELECT id, tenant, seen FROM tenants ORDER BY id;
DROP TABLE tenants;

CREATE TABLE library (id int PRIMARY KEY, p passages, hits int DEFAULT 0, last timestamptz);
INSERT INTO library VALUES (1, to_passages('A text of some words, which others may copy', 4));
CREATE TABLE essays (id int PRIMARY KEY, body text, p passages GENERATED ALWAYS AS (to_passages(body, 4)) STORED);
CREATE TRIGGER copies BEFORE INSERT OR UPDATE ON essays FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'p', 'count', 'against=public.library', 'counter=hits', 'last=last', 'on_update=delete');
INSERT INTO essays VALUES (1, 'He said: WHICH OTHERS MAY COPY, if they ask'), (2, 'my own'), (3, 'and he said: WHICH OTHERS MAY COPY, if they ask');
UPDATE essays SET body = 'A text of some words, which others may copy' WHERE id = 2;
SELECT id, hits, last = now() AS now, last IS NOT NULL AS once FROM library;
SELECT count(*) FROM essays;
CREATE FUNCTION noted(kept library, new essays, similarity float8) RETURNS library LANGUAGE plpgsql AS $$BEGIN kept.hits := kept.hits + 100 * new.id; RETURN kept; END$$;
CREATE OR REPLACE TRIGGER copies BEFORE INSERT OR UPDATE ON essays FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'p', 'merge', 'against=public.library', 'merge=public.noted');
INSERT INTO essays VALUES (5, 'He said: WHICH OTHERS MAY COPY, if they ask');
SELECT id, hits FROM library;
DROP TABLE essays, library CASCADE;
CREATE TABLE essays (id int PRIMARY KEY, p passages, seen int DEFAULT 1);
CREATE TRIGGER copies BEFORE INSERT OR UPDATE ON essays FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'p', 'count', 'counter=seen');
INSERT INTO essays SELECT i, to_passages('A text of some words, which others may copy', 4) FROM generate_series(1, 4) AS i;
SELECT id, seen FROM essays;
DROP TABLE essays;

-- a function that changes the rows itself, or their tables: nothing is lost

CREATE TABLE printed (id int PRIMARY KEY, fp minhash128, seen int DEFAULT 1) PARTITION BY RANGE (id);
CREATE TABLE printed_1 PARTITION OF printed FOR VALUES FROM (0) TO (10);
INSERT INTO printed (id, fp) VALUES (1, fp(1, 1));
CREATE TABLE drafts (id int PRIMARY KEY, fp minhash128, seen int DEFAULT 1);
CREATE FUNCTION does(kept printed, new drafts, similarity float8) RETURNS printed LANGUAGE plpgsql AS
	$$BEGIN EXECUTE current_setting('test.statement'); kept.seen := kept.seen + 10; RETURN kept; END$$;
CREATE FUNCTION does(kept drafts, new drafts, similarity float8) RETURNS drafts LANGUAGE plpgsql AS
	$$BEGIN EXECUTE current_setting('test.statement') USING new.id; kept.seen := kept.seen + 10; RETURN kept; END$$;
CREATE FUNCTION error_with(statement text, change text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	message text; hint text;
BEGIN
	PERFORM set_config('test.statement', statement, false);
	EXECUTE change;
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' | ', SQLSTATE, message, nullif(hint, ''));
END$$;
CREATE TRIGGER near_dup BEFORE INSERT ON drafts FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'merge', 'merge=public.does', 'against=public.printed');
SELECT statement, error_with(statement, 'INSERT INTO drafts VALUES (2, fp(1, 2))') FROM (VALUES ('DELETE FROM public.printed'), ('UPDATE public.printed SET seen = 5'), ('TRUNCATE public.printed'),
	('ALTER TABLE public.printed ADD more text'), ('ALTER TABLE public.printed ALTER seen TYPE text'), ('ALTER TABLE public.printed DETACH PARTITION public.printed_1'), ('DROP TABLE public.printed_1'),
	('DROP TABLE public.printed CASCADE'), ('ALTER TABLE public.printed_1 RENAME TO printed_one'), ('ALTER TABLE public.printed RENAME TO old')) AS s(statement);
SELECT tableoid::regclass, id, seen FROM old;
SELECT id FROM drafts;
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON drafts FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'merge', 'merge=public.does', 'on_update=delete');
INSERT INTO drafts VALUES (1, fp(1, 1)), (2, fp(2, 1));
SELECT statement, error_with(statement, 'INSERT INTO drafts VALUES (3, fp(1, 2))') FROM (VALUES ('DELETE FROM public.drafts WHERE id = 1'), ('UPDATE public.drafts SET seen = 5'),
	('INSERT INTO public.drafts SELECT $1 + 1, public.fp(1, 3) WHERE $1 = 3'), ('INSERT INTO public.drafts VALUES (10, public.fp(10, 3))'), ('DELETE FROM public.drafts WHERE id = 10')) AS s(statement);
SELECT id, seen FROM drafts ORDER BY id;
SELECT statement, error_with(statement, 'UPDATE drafts SET fp = fp(1, 2) WHERE id = 2') FROM (VALUES ('DELETE FROM public.drafts WHERE id = 2'), ('UPDATE public.drafts SET seen = 5 WHERE id = 2'), ('SELECT 1')) AS s(statement);
SELECT id, seen FROM drafts ORDER BY id;
DROP TABLE old, drafts CASCADE;
DROP FUNCTION error_with;

-- every error of the arguments

CREATE FUNCTION error_of(arguments text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	state text; message text; detail text; hint text;
BEGIN
	PERFORM counts(arguments);
	INSERT INTO docs (id, fp) VALUES (1000, fp(1000, 1));
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' | ', state, message, nullif(detail, ''), nullif(hint, ''));
END$$;
ALTER TABLE docs ADD made int GENERATED ALWAYS AS (id + 1) STORED, ADD number bigint GENERATED ALWAYS AS IDENTITY, ADD how float8;
CREATE FUNCTION two(docs, docs) RETURNS docs LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION number(docs, docs, float8) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION several(docs, docs, float8) RETURNS SETOF docs LANGUAGE sql AS 'SELECT $1';
CREATE PROCEDURE procedure(docs, docs, float8) LANGUAGE sql AS 'SELECT 1';
SELECT arguments, error_of(arguments) FROM (VALUES
	($$'drop'$$), ($$'count'$$), ($$'count', 'counter=none'$$), ($$'count', 'counter=extra'$$), ($$'count', 'counter=made'$$), ($$'count', 'counter=number'$$),
	($$'count', 'counter=id'$$), ($$'count', 'counter=near', 'within=near'$$), ($$'count', 'last=seen'$$), ($$'count', 'last=near'$$), ($$'count', 'counter=seen', 'merge=public.newest'$$),
	($$'count', 'counter=seen', 'on_update=merge'$$), ($$'count', 'counter=seen', 'on_update=flag'$$), ($$'count', 'counter=seen', 'column=near'$$), ($$'count', 'counter=seen', 'on_update=skip', 'column=near'$$),
	($$'count', 'counter=seen', 'similarity=how'$$), ($$'skip', 'counter=seen'$$), ($$'reject', 'on_update=skip'$$), ($$'merge'$$), ($$'merge', 'counter=seen'$$), ($$'merge', 'merge=newest'$$),
	($$'merge', 'merge=public.none'$$), ($$'merge', 'merge=nowhere.newest'$$), ($$'merge', 'merge=public.two'$$), ($$'merge', 'merge=public.number'$$), ($$'merge', 'merge=public.several'$$), ($$'merge', 'merge=public.procedure'$$),
	($$'merge', 'merge=a.b.c.d'$$), ($$'count', 'counter=seen', 'on_update=flag', 'column=near', 'threshold=0.9'$$)) AS a(arguments);
DROP TRIGGER near_dup ON docs;
CREATE TRIGGER near_dup AFTER INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'count', 'counter=seen');
INSERT INTO docs (id, fp) VALUES (1001, fp(1, 1));
DROP TRIGGER near_dup ON docs;

-- a key that is NULL does not matter: the row itself is changed, not one with its key

CREATE TABLE keyless (id int, fp minhash128, seen int DEFAULT 1);
INSERT INTO keyless VALUES (NULL, fp(1, 1));
CREATE TRIGGER near_dup BEFORE INSERT ON keyless FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'count', 'counter=seen');
INSERT INTO keyless VALUES (1, fp(1, 2)), (2, fp(1, 3));
SELECT * FROM (SELECT id, seen FROM keyless) AS k;
DROP TABLE keyless;

DROP TABLE docs CASCADE;
DROP FUNCTION fp(int, int), counts(text), error_of(text);
DROP DOMAIN tally;
