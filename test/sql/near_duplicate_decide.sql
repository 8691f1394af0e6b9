-- near_duplicate_trigger, the texts decide: text, verify, guard, rule, on_review, log. Look-alikes in 14 languages: near_duplicate_look_alikes. Concurrency: specs/iso_near_duplicate_decide.
\set SHOW_CONTEXT never
\set VERBOSITY default
SET client_min_messages = warning;
SET search_path = public, pg_catalog;

CREATE TABLE memories (id int PRIMARY KEY, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED, seen int DEFAULT 1, near int, how float8, tenant int);
CREATE INDEX ON memories USING sketch (fp);
CREATE FUNCTION guarded(VARIADIC arguments text[]) RETURNS void LANGUAGE plpgsql AS $$BEGIN
	EXECUTE 'CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON memories FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger(''id'', ''fp'', '
		|| (SELECT string_agg(quote_literal(a), ', ') FROM unnest(arguments) AS a) || ')';
END$$;
CREATE FUNCTION ferry(fact text) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT 'The ferry to the island leaves from the old pier beside the market hall every day. ' || fact || ' Tickets are sold at the kiosk, and there are benches under the roof where passengers may wait for the boat.'$$;

-- without the texts, what contradicts is counted
SELECT guarded('count', 'counter=seen', 'threshold=0.6');
INSERT INTO memories (id, body) VALUES (1, ferry('Dogs are permitted on board.'));
INSERT INTO memories (id, body) VALUES (2, ferry('Dogs are not permitted on board.')) RETURNING id;
SELECT id, seen FROM memories;
-- with them, it is another row; copies are counted in the one that says the same
SELECT guarded('count', 'counter=seen', 'threshold=0.6', 'text=body', 'verify=lossless', 'guard=strict');
INSERT INTO memories (id, body) VALUES (2, ferry('Dogs are not permitted on board.')) RETURNING id;
INSERT INTO memories (id, body) VALUES (3, ferry('Dogs are not permitted on board.')), (4, upper(ferry('Dogs are permitted on board.'))), (5, replace(ferry('Dogs are not permitted on board.'), ' ', '  ')) RETURNING id;
SELECT id, seen FROM memories ORDER BY id;
-- the default is jaccard and balanced
SELECT guarded('skip', 'threshold=0.6', 'text=body');
INSERT INTO memories (id, body) VALUES (6, ferry('Dogs are never permitted on board.')), (7, ferry('Dogs are permitted on board. ')) RETURNING id;
DELETE FROM memories WHERE id > 2;
-- the exact comparison has the tokens of the fingerprint, or those that are given; of others somebody must say it
CREATE TABLE made (id int PRIMARY KEY, body text, fp minhash128);
CREATE FUNCTION made(VARIADIC arguments text[]) RETURNS void LANGUAGE plpgsql AS $$BEGIN
	EXECUTE 'CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT ON made FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger(''id'', ''fp'', ''skip'', ''text=body'', '
		|| (SELECT string_agg(quote_literal(a), ', ') FROM unnest(arguments) AS a) || ')';
END$$;
SELECT made('threshold=0.6', 'guard=');
INSERT INTO made SELECT i, ferry(fact), to_minhash128(ferry(fact), tokenizer) FROM (VALUES (1, 'Dogs are permitted.', 'word-uax29'), (2, 'Cats are permitted.', 'word-uax29')) AS v(i, fact, tokenizer) RETURNING id;
SELECT made('threshold=0.6', 'guard=', 'tokenizer=shingle-k=12/word-uax29');
INSERT INTO made SELECT 3, ferry('Cats are permitted.'), to_minhash128(ferry('Cats are permitted.'), 'word-uax29') RETURNING id;
TRUNCATE made;
SELECT made('threshold=0.6', 'guard=');
INSERT INTO made SELECT i, ferry(fact), to_minhash128(string_to_array(ferry(fact), ' ')) FROM (VALUES (1, 'Dogs are permitted.'), (2, 'Cats are permitted.')) AS v(i, fact);
SELECT made('threshold=0.6', 'guard=', 'tokenizer=word-uax29');
INSERT INTO made SELECT i, ferry(fact), to_minhash128(string_to_array(ferry(fact), ' ')) FROM (VALUES (1, 'Dogs are permitted.'), (2, 'Cats are permitted.')) AS v(i, fact) RETURNING id;
SELECT made('threshold=0.6', 'guard=', 'verify=lossless');
INSERT INTO made SELECT 4, ferry('DOGS are permitted.'), to_minhash128(string_to_array(ferry('Dogs are permitted.'), ' ')) RETURNING id;
DROP TABLE made;
DROP FUNCTION made(text[]);
-- a written row says whether it is a near-duplicate or must be looked at
CREATE TABLE told (id int PRIMARY KEY, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body, 'word-uax29')) STORED, near int, what text DEFAULT 'mine', number int,
	made text GENERATED ALWAYS AS (upper(body)) STORED);
CREATE INDEX ON told USING sketch (fp);
CREATE FUNCTION told(VARIADIC arguments text[]) RETURNS void LANGUAGE plpgsql AS $$BEGIN
	EXECUTE 'CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON told FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger(''id'', ''fp'', '
		|| (SELECT string_agg(quote_literal(a), ', ') FROM unnest(arguments) AS a) || ')';
END$$;
SELECT told('flag', 'threshold=0.6', 'text=body', 'verify=none', 'guard=scope', 'column=near', 'outcome=what');
INSERT INTO told (id, body) VALUES (1, ferry('Dogs are permitted on board.')), (2, ferry('Dogs are not permitted on board.')), (3, upper(ferry('Dogs are permitted on board.'))),
	(4, 'Nothing like it has ever been written here') RETURNING id, near, what;
UPDATE told SET body = ferry('Cats swim.') WHERE id = 2 RETURNING id, near, what;
UPDATE told SET body = 'Something else that nobody has written until now' WHERE id = 2 RETURNING id, near, what;
SELECT told('skip', 'threshold=0.6', 'text=body', 'verify=none', 'guard=scope', 'outcome=what');
INSERT INTO told (id, body) VALUES (5, ferry('Dogs are not permitted on board.')), (6, ferry('Dogs are permitted on board. ')) RETURNING id, near, what;
SELECT told('flag', 'column=near', 'outcome=what');
INSERT INTO told (id, body) VALUES (7, 'x');
SELECT told('skip', 'text=body', 'outcome=number');
INSERT INTO told (id, body) VALUES (7, 'x');
SELECT told('skip', 'text=body', 'outcome=made');
INSERT INTO told (id, body) VALUES (7, 'x');
DROP TABLE told;
DROP FUNCTION told(text[]);
-- verify=none, no guard: as without texts, but for rows without one
SELECT guarded('skip', 'threshold=0.6', 'text=body', 'verify=none', 'guard=');
INSERT INTO memories (id, body) VALUES (6, ferry('Dogs are never permitted on board.')) RETURNING id;

-- what somebody must look at: written, flagged, rejected, skipped
SELECT guarded('count', 'counter=seen', 'threshold=0.6', 'text=body', 'verify=none', 'guard=scope', 'column=near', 'similarity=how');
TRUNCATE memories;
INSERT INTO memories (id, body) VALUES (1, ferry('Dogs are permitted on board.'));
INSERT INTO memories (id, body) VALUES (2, ferry('Dogs are not permitted on board.')) RETURNING id, near, how > 0.6 AS how;
INSERT INTO memories (id, body, near) VALUES (3, 'Nothing like it has ever been written here', 99) RETURNING id, near, how;
INSERT INTO memories (id, body) VALUES (4, ferry('Dogs are not permitted on board. ')) RETURNING id;
SELECT id, seen, near FROM memories ORDER BY id;
SELECT guarded('skip', 'threshold=0.6', 'text=body', 'verify=none', 'guard=scope', 'column=near', 'on_review=flag');
INSERT INTO memories (id, body) VALUES (5, ferry('Dogs are never permitted on board.')) RETURNING id, near IN (1, 2) AS near, how;
SELECT guarded('skip', 'threshold=0.6', 'text=body', 'verify=none', 'guard=scope', 'on_review=reject');
INSERT INTO memories (id, body) VALUES (6, ferry('Dogs are hardly permitted on board.'));
SELECT guarded('count', 'counter=seen', 'threshold=0.6', 'text=body', 'verify=none', 'guard=scope', 'on_review=skip');
INSERT INTO memories (id, body) VALUES (6, ferry('Dogs are hardly permitted on board.')) RETURNING id;
SELECT guarded('reject', 'threshold=0.6', 'text=body', 'verify=lossless', 'guard=strict');
INSERT INTO memories (id, body) VALUES (6, ferry('Dogs are hardly permitted on board.')) RETURNING id, near;
INSERT INTO memories (id, body) VALUES (7, ferry('DOGS are hardly permitted on board.'));
SELECT checked > 9 AS checked, found > 1 AS found, reviewed FROM near_duplicate_trigger_stats() JOIN pg_trigger ON oid = trigger WHERE tgrelid = 'memories'::regclass;

-- the search goes on past candidates that do not decide
TRUNCATE memories;
SELECT guarded('count', 'counter=seen', 'threshold=0.6', 'text=body', 'verify=lossless', 'guard=strict');
INSERT INTO memories (id, body) SELECT i, ferry(format('Line %s has dogs on board.', i)) FROM generate_series(1, 40) AS i;
INSERT INTO memories (id, body) SELECT 1000 + i, ferry(format('Line %s has dogs on board. ', i)) FROM generate_series(1, 40) AS i;
SELECT count(*), count(*) FILTER (WHERE seen = 2) AS twice FROM memories;
-- beyond the number that is compared, only equal texts are found; the row is not lost
INSERT INTO memories (id, body) SELECT i, ferry(format('Line %s has dogs on board.', i)) FROM generate_series(41, 400) AS i;
SELECT guarded('count', 'counter=seen', 'threshold=0.6', 'text=body', 'verify=lossless', 'guard=strict', 'column=near', 'on_review=skip');
INSERT INTO memories (id, body) VALUES (500, ferry('Line 399 has dogs on board.')), (501, ferry('Line 400 has dogs on board.')), (504, ferry('Line 3 has dogs on board. ')) RETURNING id;
INSERT INTO memories (id, body) VALUES (502, ferry('Line 401 has dogs on board.')) RETURNING id, near IS NOT NULL AS near;
SELECT count(*), sum(seen) FROM memories;
SELECT guarded('count', 'counter=seen', 'threshold=0.6', 'text=body', 'verify=lossless', 'guard=strict', 'on_review=reject');
INSERT INTO memories (id, body) VALUES (503, ferry('Line 402 has dogs on board.'));

-- the guard neighbours counts the rows that are similar to the new one; a copy is found however many there are
TRUNCATE memories;
SELECT guarded('count', 'counter=seen', 'threshold=0.6', 'text=body', 'verify=none', 'guard=neighbours', 'column=near');
INSERT INTO memories (id, body) VALUES (1, ferry('Line 1 has dogs on board.'));
INSERT INTO memories (id, body) VALUES (2, ferry('Line 2 has dogs on board.')) RETURNING id, near;
ALTER TABLE memories DISABLE TRIGGER near_dup;
INSERT INTO memories (id, body) SELECT i, ferry(format('Line %s has dogs on board.', i)) FROM generate_series(2, 16) AS i;
ALTER TABLE memories ENABLE TRIGGER near_dup;
INSERT INTO memories (id, body) VALUES (17, ferry('Line 17 has dogs on board.')) RETURNING id, near;
ALTER TABLE memories DISABLE TRIGGER near_dup;
INSERT INTO memories (id, body) VALUES (17, ferry('Line 17 has dogs on board.'));
ALTER TABLE memories ENABLE TRIGGER near_dup;
INSERT INTO memories (id, body) VALUES (18, ferry('Line 18 has dogs on board.')) RETURNING id, near IS NOT NULL AS near;
INSERT INTO memories (id, body) VALUES (19, ferry('Line 16 has dogs on board.')) RETURNING id;
SELECT count(*), sum(seen) FROM memories;
SELECT guarded('count', 'counter=seen', 'threshold=0.6', 'text=body', 'verify=lossless', 'guard=strict');

-- rows without a text, and texts that change while the fingerprint does not
TRUNCATE memories;
CREATE TABLE plain (id int PRIMARY KEY, body varchar(400), fp minhash128, seen int DEFAULT 1);
CREATE TRIGGER near_dup BEFORE INSERT OR UPDATE ON plain FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'text=body', 'verify=lossless', 'guard=strict');
INSERT INTO plain VALUES (1, 'One text', to_minhash128('the same')), (2, NULL, to_minhash128('the same')), (3, NULL, to_minhash128('the same')), (4, 'Another text', to_minhash128('the same')) RETURNING id;
UPDATE plain SET body = 'One text' WHERE id = 4 RETURNING id;
UPDATE plain SET body = 'One  text' WHERE id = 4 RETURNING id;
UPDATE plain SET body = 'A third text' WHERE id = 4 RETURNING id;
UPDATE plain SET seen = 5, body = body RETURNING id;
DROP TABLE plain;

-- UPDATE, each of on_update
INSERT INTO memories (id, body) VALUES (1, ferry('Dogs are permitted on board.')), (2, ferry('Dogs are not permitted on board.'));
SELECT guarded('count', 'counter=seen', 'threshold=0.6', 'text=body', 'verify=lossless', 'guard=strict', 'on_update=delete');
UPDATE memories SET body = ferry('Dogs are never permitted on board.') WHERE id = 2 RETURNING id;
UPDATE memories SET body = ferry('Dogs are permitted on board. ') WHERE id = 2 RETURNING id;
SELECT id, seen FROM memories ORDER BY id;

-- within: only rows of the same tenant; apart
CREATE TABLE pairs (a int, b int);
SELECT guarded('skip', 'threshold=0.6', 'text=body', 'within=tenant', 'apart=public.pairs');
TRUNCATE memories;
INSERT INTO pairs VALUES (5, 1);
INSERT INTO memories (id, body, tenant) SELECT i, ferry('Dogs are permitted on board.'), i % 2 FROM generate_series(1, 6) AS i RETURNING id, tenant;
DROP TRIGGER near_dup ON memories;
DROP TABLE pairs;

-- several columns: a candidate of one that does not decide, one of the other that does
CREATE TABLE columns (id int PRIMARY KEY, title text, body text, fp minhash128, title_fp minhash128, near int, a float8, b float8);
CREATE FUNCTION two(VARIADIC arguments text[]) RETURNS void LANGUAGE plpgsql AS $$BEGIN
	EXECUTE 'CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT ON columns FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger(''id'', ''fp:0.5, title_fp:0.5'', '
		|| (SELECT string_agg(quote_literal(x), ', ') FROM unnest(arguments) AS x) || ')';
END$$;
SELECT two('flag', 'match=any', 'column=near', 'similarity=a, b', 'text=body', 'verify=lossless', 'guard=strict');
INSERT INTO columns SELECT id, title, body, to_minhash128(body, 'word-uax29'), to_minhash128(title, 'word-uax29') FROM (VALUES
	(1, 'On ferries', ferry('Dogs are permitted.')), (2, 'Something else', ferry('Dogs are not permitted.')), (3, 'On ferries', 'Dogs are not permitted.'), (4, 'On ferries', ferry('DOGS are permitted.'))) AS v(id, title, body)
RETURNING id, near, a, b;
SELECT two('flag', 'match=all', 'column=near', 'similarity=a, b', 'text=body', 'verify=lossless', 'guard=strict');
DELETE FROM columns WHERE id > 1;
INSERT INTO columns SELECT id, title, body, to_minhash128(body, 'word-uax29'), to_minhash128(title, 'word-uax29') FROM (VALUES
	(2, 'Something else', ferry('Dogs are permitted.')), (3, 'On ferries', ferry('Dogs are not permitted.')), (4, 'On ferries', ferry('DOGS are permitted.'))) AS v(id, title, body)
RETURNING id, near;
SELECT two('flag', 'match=any', 'column=near', 'text=body');
INSERT INTO columns VALUES (9);

-- against: the text of the protected table has another name
CREATE TABLE library (id int PRIMARY KEY, content text, fp minhash128);
INSERT INTO library SELECT 7, ferry('Dogs are permitted.'), to_minhash128(ferry('Dogs are permitted.'));
CREATE TRIGGER near_dup BEFORE INSERT ON memories FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.6', 'text=body', 'against=public.library', 'against_text=content', 'verify=lossless', 'guard=strict');
INSERT INTO memories (id, body) VALUES (11, ferry('Dogs are not permitted.')), (12, ferry('Dogs are not permitted.')) RETURNING id;
INSERT INTO memories (id, body) VALUES (13, ferry('Dogs are PERMITTED.'));
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT ON memories FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'text=body', 'against=public.library');
INSERT INTO memories (id, body) VALUES (13, 'x');
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT ON memories FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'text=body', 'against=public.library', 'against_text=id');
INSERT INTO memories (id, body) VALUES (13, 'x');
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT ON memories FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'text=body', 'against_text=body');
INSERT INTO memories (id, body) VALUES (13, 'x');
DROP TRIGGER near_dup ON memories;

-- a text that is generated, and partitions whose columns have other numbers; the kept row is in another one
CREATE TABLE pages (id int, part int, title text, rest text, body text GENERATED ALWAYS AS (title || '. ' || rest) STORED, fp minhash128, seen int DEFAULT 1, PRIMARY KEY (id, part)) PARTITION BY LIST (part);
CREATE TABLE pages_1 PARTITION OF pages FOR VALUES IN (1);
CREATE TABLE pages_2 (x int, fp minhash128, rest text, title text, part int NOT NULL, y int, seen int DEFAULT 1, id int NOT NULL, body text GENERATED ALWAYS AS (title || '. ' || rest) STORED);
ALTER TABLE pages_2 DROP COLUMN x, DROP COLUMN y;
ALTER TABLE pages ATTACH PARTITION pages_2 FOR VALUES IN (2);
CREATE TABLE pages_log (action text, outcome text, reason text, kept int, similarity float8, jaccard float8, containment float8, score float8, new_row jsonb);
CREATE TRIGGER near_dup BEFORE INSERT OR UPDATE ON pages FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'count', 'counter=seen', 'on_update=delete', 'text=body', 'verify=lossless', 'guard=strict', 'log=public.pages_log');
INSERT INTO pages (id, part, title, rest, fp) VALUES (1, 1, 'Ferries', ferry('Dogs are permitted.'), to_minhash128('the same')), (2, 2, 'Ferries', ferry('Dogs are not permitted.'), to_minhash128('the same')),
	(3, 2, 'ferries', ferry('Dogs are permitted.'), to_minhash128('the same')), (4, 1, 'Ferries', ferry('DOGS are not permitted.'), to_minhash128('the same'));
SELECT tableoid::regclass, id, seen FROM pages ORDER BY id;
SELECT kept, reason, new_row - 'fp' - 'rest' AS new_row FROM pages_log ORDER BY new_row -> 'id';
UPDATE pages SET rest = ferry('Dogs are permitted.') WHERE id = 2;
UPDATE pages SET seen = seen + 10;
SELECT tableoid::regclass, id, seen FROM pages ORDER BY id;
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON pages FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'scope=partition', 'text=body', 'verify=lossless', 'guard=strict');
INSERT INTO pages (id, part, title, rest, fp) SELECT 4 + i, 2, 'Ferries', ferry('Dogs are permitted.'), to_minhash128('the same') FROM generate_series(1, 2) AS i RETURNING id;
DROP TABLE pages, pages_log;

-- AFTER: reject alone, and nothing is flagged
CREATE TRIGGER near_dup AFTER INSERT OR UPDATE ON memories FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.6', 'text=body', 'verify=lossless', 'guard=strict');
TRUNCATE memories;
INSERT INTO memories (id, body) VALUES (1, ferry('Dogs are permitted.')), (2, ferry('Dogs are not permitted.'));
INSERT INTO memories (id, body) VALUES (3, ferry('Dogs are not permitted. '));
UPDATE memories SET body = ferry('Dogs are permitted. ') WHERE id = 2;
CREATE OR REPLACE TRIGGER near_dup AFTER INSERT OR UPDATE ON memories FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'text=body', 'on_review=skip');
INSERT INTO memories (id, body) VALUES (30, 'x');
CREATE OR REPLACE TRIGGER near_dup AFTER INSERT OR UPDATE ON memories FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'text=body', 'column=near');
INSERT INTO memories (id, body) VALUES (30, 'x');
CREATE OR REPLACE TRIGGER near_dup AFTER INSERT OR UPDATE ON memories FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'text=body', 'similarity=how');
INSERT INTO memories (id, body) VALUES (30, 'x');
DROP TRIGGER near_dup ON memories;

-- a learned rule
CREATE TABLE rules AS SELECT decision_rule($$SELECT i % 2 = 0, difference_signals(public.ferry('Dogs are permitted.'), public.ferry(CASE WHEN i % 2 = 0 THEN 'Dogs are permitted. ' ELSE 'Dogs are not permitted in zone ' || i || '.' END)) FROM generate_series(1, 60) AS i$$) AS rule;
SELECT guarded('skip', 'threshold=0.6', 'text=body', 'verify=none', 'guard=', 'rule=' || rule::text, 'min_precision=0.9') FROM rules;
TRUNCATE memories;
INSERT INTO memories (id, body) VALUES (1, ferry('Dogs are permitted.')), (2, ferry('Dogs are not permitted in zone 5.')), (3, ferry('Dogs are permitted. ')) RETURNING id;
-- of neighbours, which nobody counts here
SELECT guarded('skip', 'text=body', 'min_precision=0.9', 'rule=' || (jsonb_set(rule, '{terms}', '[{"scale": 1, "center": 0, "signal": "neighbours", "weight": 1, "of": "log"}]'))::text) FROM rules;
INSERT INTO memories (id, body) VALUES (4, 'x');

-- log: what was not written, and taking it back by one statement
CREATE TABLE memories_log (entry bigint GENERATED ALWAYS AS IDENTITY, at timestamptz DEFAULT now(), action text, outcome text, reason text, kept int, similarity float8, jaccard float8, containment float8, score float8, new_row jsonb);
TRUNCATE memories;
SELECT guarded('count', 'counter=seen', 'threshold=0.6', 'text=body', 'verify=none', 'guard=', 'log=public.memories_log', 'on_update=delete');
INSERT INTO memories (id, body, tenant) VALUES (1, ferry('Dogs are permitted.'), 1), (2, ferry('Dogs are not permitted.'), 2), (3, ferry('Dogs are permitted. '), 3), (4, 'Of another thing altogether', 4);
UPDATE memories SET body = ferry('Dogs are never permitted.') WHERE id = 4;
SELECT entry, action, outcome, reason, kept, similarity > 0.6 AS similarity, round(jaccard::numeric, 2) AS jaccard, round(containment::numeric, 2) AS containment, score, new_row - 'fp' - 'body' AS new_row, new_row ->> 'body' = ferry('Dogs are permitted. ') AS body FROM memories_log ORDER BY entry;
SELECT id, seen FROM memories ORDER BY id;
-- the trigger decides anew: what it would do now is done again
SELECT guarded('count', 'counter=seen', 'threshold=0.6', 'text=body', 'verify=lossless', 'guard=strict', 'log=public.memories_log');
WITH taken AS (DELETE FROM memories_log RETURNING kept, new_row),
	uncounted AS (UPDATE memories AS m SET seen = seen - t.times FROM (SELECT kept, count(*) AS times FROM taken GROUP BY kept) AS t WHERE m.id = t.kept RETURNING m.id)
INSERT INTO memories (id, body, tenant) SELECT r.id, r.body, r.tenant FROM taken, jsonb_populate_record(NULL::memories, new_row) AS r WHERE (SELECT count(*) FROM uncounted) >= 0;
SELECT id, seen, tenant FROM memories ORDER BY id;
SELECT action, outcome, reason, kept, new_row -> 'id' AS id FROM memories_log;
SELECT guarded('skip', 'threshold=0.6', 'text=body', 'verify=none', 'guard=scope', 'on_review=skip', 'log=public.memories_log');
INSERT INTO memories (id, body) VALUES (9, ferry('Dogs are hardly permitted.'));
SELECT guarded('skip', 'threshold=0.6', 'log=public.memories_log');
INSERT INTO memories (id, body) VALUES (9, ferry('Dogs are hardly permitted.'));
SELECT action, outcome, reason, jaccard, score FROM memories_log ORDER BY entry DESC LIMIT 2;
CREATE FUNCTION merged(kept memories, new memories, similarity float8) RETURNS memories LANGUAGE sql AS $$SELECT kept.id, kept.body, kept.fp, kept.seen + 100, kept.near, kept.how, new.id$$;
SELECT guarded('merge', 'merge=public.merged', 'threshold=0.6', 'text=body', 'verify=lossless', 'guard=strict', 'log=public.memories_log');
INSERT INTO memories (id, body) VALUES (10, ferry('DOGS are permitted.')), (11, ferry('Cats are permitted.'));
SELECT id, seen, tenant FROM memories WHERE id > 9 OR seen > 100 ORDER BY id;
SELECT action, outcome, reason, kept, new_row -> 'id' AS id FROM memories_log ORDER BY entry DESC LIMIT 1;

-- a log that is none, and one that is altered
SELECT guarded('skip', 'log=memories_log');
INSERT INTO memories (id, body) VALUES (20, 'x');
SELECT guarded('skip', 'log=public.memories');
INSERT INTO memories (id, body) VALUES (20, 'x');
SELECT guarded('skip', 'log=public.nothing');
INSERT INTO memories (id, body) VALUES (20, 'x');
CREATE VIEW of_log AS SELECT * FROM memories_log;
SELECT guarded('skip', 'log=public.of_log');
INSERT INTO memories (id, body) VALUES (20, 'x');
DROP VIEW of_log;
SELECT guarded('skip', 'threshold=0.6', 'log=public.memories_log');
ALTER TABLE memories_log ALTER COLUMN score TYPE numeric;
INSERT INTO memories (id, body) VALUES (20, ferry('DOGS are permitted.'));
ALTER TABLE memories_log DROP COLUMN score;
INSERT INTO memories (id, body) VALUES (20, ferry('DOGS are permitted.'));
ALTER TABLE memories_log ADD COLUMN score float8 GENERATED ALWAYS AS (1) STORED;
INSERT INTO memories (id, body) VALUES (20, ferry('DOGS are permitted.'));
ALTER TABLE memories_log DROP COLUMN score, ADD COLUMN score float8;
CREATE ROLE regress_txtfp_logger;
ALTER TABLE memories_log OWNER TO regress_txtfp_logger;
INSERT INTO memories (id, body) VALUES (20, ferry('DOGS are permitted.'));
DROP TABLE memories_log;
DROP ROLE regress_txtfp_logger;
INSERT INTO memories (id, body) VALUES (20, ferry('DOGS are permitted.'));

-- wrong arguments
CREATE FUNCTION refused(VARIADIC arguments text[]) RETURNS text LANGUAGE plpgsql AS $$DECLARE hint text; detail text; BEGIN
	EXECUTE format('SELECT guarded(%s)', (SELECT string_agg(quote_literal(a), ', ') FROM unnest(arguments) AS a));
	INSERT INTO memories (id, body) VALUES (1000, 'a row');
	RETURN 'not refused';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' | ', sqlstate, sqlerrm, nullif(detail, ''), nullif(hint, ''));
END$$;
SELECT refused('skip', 'text=nothing');
SELECT refused('skip', 'text=seen');
SELECT refused('skip', 'verify=lossless');
SELECT refused('skip', 'guard=strict');
SELECT refused('skip', 'on_review=flag');
SELECT refused('skip', 'on_review=reject');
SELECT refused('skip', 'tokenizer=word-uax29');
SELECT refused('skip', 'text=body', 'verify=exactly');
SELECT refused('skip', 'text=body', 'verify_threshold=2');
SELECT refused('skip', 'text=body', 'verify_threshold=much');
SELECT refused('skip', 'text=body', 'guard=dog');
SELECT refused('skip', 'text=body', 'on_review=count');
SELECT refused('skip', 'text=body', 'on_review=flag');
SELECT refused('skip', 'text=body', 'rule={}');
SELECT refused('skip', 'text=body', 'rule={}', 'min_precision=0.9');
SELECT refused('skip', 'text=body', 'rule=no json', 'min_precision=0.9');
SELECT refused('skip', 'text=body', 'min_precision=0.9');
SELECT refused('skip', 'text=body', 'min_precision=0.99999', 'rule=' || rule::text) FROM rules;
SELECT refused('skip', 'text=body', 'min_precision=2', 'rule=' || rule::text) FROM rules;
SELECT refused('skip', 'text=body', 'tokenizer=all');
SELECT refused('skip', 'text=body', 'canonicalizer=none at all');
SELECT refused('skip', 'column=near');
SELECT refused('reject', 'log=public.memories_log');
SELECT refused('count', 'counter=seen', 'text=body', 'what=this');
ALTER TABLE memories ADD sh simhash64;
DROP TRIGGER near_dup ON memories;
CREATE TRIGGER near_dup BEFORE INSERT ON memories FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'sh', 'skip', 'text=body');
INSERT INTO memories (id, body) VALUES (1000, 'x');
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT ON memories FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'sh', 'skip', 'text=body', 'verify_threshold=0.6');
INSERT INTO memories (id, body, sh) VALUES (1000, 'x of y', '0000000000000001'), (1001, 'x of z', '0000000000000001'), (1002, 'x of y.', '0000000000000001') RETURNING id;

DROP TABLE memories, columns, library, rules CASCADE;
DROP FUNCTION guarded, two, ferry, refused;

-- A rule of signals with a corpus needs it at the gate, too, and then decides as deduplicate
CREATE TABLE goods (id int PRIMARY KEY, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body, 'word-uax29')) STORED);
CREATE TABLE offers AS SELECT i, format('%s lamp no%s with a %s cable and a plug', (ARRAY['red', 'blue', 'green'])[1 + i % 3], 1000 + i, (ARRAY['short', 'long'])[1 + i % 2]) AS body FROM generate_series(1, 120) AS i;
CREATE TABLE vocabulary AS SELECT corpus_words_agg(body) AS corpus FROM offers;
CREATE TABLE goods_rule AS SELECT decision_rule($$SELECT a.i % 2 = 0, difference_signals(a.body, CASE WHEN a.i % 2 = 0 THEN replace(a.body, 'with a', 'with one') ELSE b.body END, corpus => corpus)
	FROM public.offers AS a JOIN public.offers AS b ON b.i = a.i + 6, public.vocabulary$$, for_new => false) AS rule;
CREATE FUNCTION guard_goods(options text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
	EXECUTE format('CREATE OR REPLACE TRIGGER near_duplicates BEFORE INSERT ON goods FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger(''id'', ''fp'', ''skip'', ''threshold=0.5'', ''text=body'', ''verify=none'', ''guard='', %s)', options);
END $$;
SELECT guard_goods(format('%L, ''min_precision=0.9''', 'rule=' || rule::text)) FROM goods_rule;
INSERT INTO goods SELECT i, body FROM offers WHERE i = 1;
SELECT guard_goods(format('%L, ''min_precision=0.9'', ''corpus=12''', 'rule=' || rule::text)) FROM goods_rule;
INSERT INTO goods SELECT i, body FROM offers WHERE i = 1;
SELECT guard_goods(format('%L', 'corpus=' || corpus)) FROM vocabulary;
INSERT INTO goods SELECT i, body FROM offers WHERE i = 1;
SELECT guard_goods(format('%L, ''min_precision=0.9'', %L', 'rule=' || rule::text, 'corpus=' || corpus)) FROM goods_rule, vocabulary;
INSERT INTO goods SELECT i, body FROM offers;
INSERT INTO goods SELECT 1000 + i, replace(body, 'with a', 'with one') FROM offers;
SELECT count(*) FILTER (WHERE id < 1000) AS offers, count(*) FILTER (WHERE id > 1000) AS copies FROM goods;
DROP TABLE goods, offers, vocabulary, goods_rule;
DROP FUNCTION guard_goods;
