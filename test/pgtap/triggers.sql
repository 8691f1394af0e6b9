-- Triggers: promised properties
BEGIN;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS txtfp;
SELECT plan(46);

CREATE TABLE docs (id int PRIMARY KEY, body text, fp minhash128, near int);
CREATE INDEX ON docs USING gin (fp) WITH (fastupdate = off);
CREATE TRIGGER a_fingerprint BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('body', 'fp', 'tokenizer=word-uax29');
CREATE TRIGGER near_duplicates BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8');

SELECT lives_ok($$INSERT INTO docs VALUES (1, 'A text of some words, which others may copy.')$$, 'a text gets in');
SELECT is(fp, to_minhash128(body, 'word-uax29'), 'with its fingerprint') FROM docs;
SELECT throws_ok($$INSERT INTO docs VALUES (2, 'a text of some words which others may copy')$$, '23505', 'new row for relation "docs" violates near-duplicate check "near_duplicates"', 'its copy does not');
SELECT throws_ok($$INSERT INTO docs VALUES (2, 'b'), (3, 'b')$$, '23505', NULL, 'nor near-duplicates of one statement');
SELECT lives_ok($$INSERT INTO docs VALUES (2, 'Another text, of other contents')$$, 'another text does');
SELECT throws_ok($$UPDATE docs SET body = 'A text of some words, which others may copy' WHERE id = 2$$, '23505', NULL, 'it cannot become one');
SELECT lives_ok($$UPDATE docs SET body = body || '!' WHERE id = 2$$, 'it may change');
SELECT lives_ok($$INSERT INTO docs VALUES (3, NULL), (4, ''), (5, '')$$, 'texts without tokens resemble nothing');

CREATE OR REPLACE TRIGGER near_duplicates BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'threshold=0.8');
SELECT is_empty($$INSERT INTO docs VALUES (6, 'A TEXT of some words, which others may copy.') RETURNING id$$, 'skip leaves a copy out');
CREATE OR REPLACE TRIGGER near_duplicates BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'flag', 'column=near', 'threshold=0.8');
SELECT results_eq($$INSERT INTO docs VALUES (6, 'A TEXT of some words, which others may copy.') RETURNING near$$, ARRAY[1], 'flag says of which');

ALTER TABLE docs ADD seen int DEFAULT 1, ADD last timestamptz;
CREATE OR REPLACE TRIGGER near_duplicates BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'count', 'counter=seen', 'last=last', 'threshold=0.8');
SELECT is_empty($$INSERT INTO docs VALUES (7, 'Another TEXT of other contents') RETURNING id$$, 'count leaves a copy out');
SELECT results_eq($$SELECT id, seen, last = now() FROM docs WHERE seen > 1$$, $$VALUES (2, 2, true)$$, 'and counts it');
SELECT throws_ok($$UPDATE docs SET body = 'Another TEXT of other contents' WHERE id = 1$$, '23505', NULL, 'a row does not become a copy');
CREATE OR REPLACE TRIGGER near_duplicates BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'count', 'counter=seen', 'on_update=delete', 'threshold=0.8');
SELECT is_empty($$WITH u AS (UPDATE docs SET body = 'Another TEXT of other contents' WHERE id = 1 RETURNING id) SELECT FROM u$$, 'unless on_update says so');
SELECT results_eq($$SELECT id, seen FROM docs WHERE id < 3$$, $$VALUES (2, 3)$$, 'then it is counted and deleted');
CREATE FUNCTION merges(kept docs, new docs, similarity float8) RETURNS docs LANGUAGE plpgsql AS $$BEGIN kept.seen := kept.seen + 100 * new.id; RETURN kept; END$$;
SELECT format($$CREATE OR REPLACE TRIGGER near_duplicates BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'merge', %L, 'threshold=0.8')$$, 'merge=' || pronamespace::regnamespace || '.merges') FROM pg_proc WHERE proname = 'merges' \gexec
SELECT is_empty($$INSERT INTO docs VALUES (8, 'Another TEXT of other contents') RETURNING id$$, 'merge leaves a copy out');
SELECT results_eq($$SELECT id, seen FROM docs WHERE seen > 1 ORDER BY id$$, $$VALUES (2, 803)$$, 'and its function says what is kept');

-- two fingerprints decide: any of them, or all
CREATE TABLE notes (id int PRIMARY KEY, fp minhash128, meaning embedding, near int, wording float8, sense float8);
CREATE TRIGGER near_duplicates BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp:0.8, meaning:0.95', 'reject', 'match=any');
SELECT lives_ok($$INSERT INTO notes VALUES (1, to_minhash128('a text of some words'), '[1, 0]')$$, 'a text and its meaning get in');
SELECT throws_ok($$INSERT INTO notes VALUES (2, to_minhash128('A text of some words!'), '[0, 1]')$$, '23505', NULL, 'any: its wording does not');
SELECT throws_ok($$INSERT INTO notes VALUES (2, to_minhash128('said in other words'), '[1, 0.1]')$$, '23505', NULL, 'nor does its meaning');
CREATE OR REPLACE TRIGGER near_duplicates BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp:0.8, meaning:0.95', 'reject', 'match=all');
SELECT lives_ok($$INSERT INTO notes VALUES (2, to_minhash128('A text of some words!'), '[0, 1]'), (3, to_minhash128('said in other words'), '[1, 0.1]'), (4, to_minhash128('a text of some words'), NULL)$$, 'all: one of both is allowed');
SELECT throws_ok($$INSERT INTO notes VALUES (5, to_minhash128('A text of some words'), '[1, 0.1]')$$, '23505', NULL, 'both are not');
CREATE OR REPLACE TRIGGER near_duplicates BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp:0.8, meaning:0.95', 'flag', 'match=any', 'column=near', 'similarity=wording, sense');
SELECT results_eq($$INSERT INTO notes VALUES (6, to_minhash128('of no other text'), '[0, 1]') RETURNING near, wording, sense$$, $$VALUES (2, NULL::float8, 1::float8)$$, 'a flag says which decided');
SELECT results_eq($$SELECT found, found_by FROM near_duplicate_trigger_stats() JOIN pg_trigger ON oid = trigger WHERE tgrelid = 'notes'::regclass$$, $$VALUES (4::bigint, '{2,3}'::bigint[])$$, 'and so do the statistics');

-- the texts decide
CREATE TABLE signs (id int PRIMARY KEY, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body, 'word-uax29')) STORED, near int, seen int DEFAULT 1);
CREATE TABLE signs_log (action text, outcome text, reason text, kept int, similarity float8, jaccard float8, containment float8, score float8, new_row jsonb);
SELECT format($$CREATE TRIGGER near_duplicates BEFORE INSERT OR UPDATE ON signs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'count', 'counter=seen', 'column=near', 'threshold=0.6', 'text=body', 'verify=lossless', 'guard=strict', %L)$$, 'log=' || relnamespace::regnamespace || '.signs_log') FROM pg_class WHERE relname = 'signs_log' \gexec
SELECT isnt_empty($$INSERT INTO signs VALUES (1, 'On this lawn the dogs of all visitors are permitted.') RETURNING id$$, 'a sign');
SELECT isnt_empty($$INSERT INTO signs VALUES (2, 'On this lawn the dogs of all visitors are not permitted.') RETURNING id$$, 'what contradicts it is another sign');
SELECT is_empty($$INSERT INTO signs VALUES (3, 'On  this lawn the DOGS of all visitors are not permitted.') RETURNING id$$, 'a copy is counted');
SELECT results_eq($$SELECT id, seen FROM signs ORDER BY id$$, $$VALUES (1, 1), (2, 2)$$, 'in the sign that says the same');
SELECT results_eq($$SELECT action, outcome, reason, kept, (new_row ->> 'id')::int FROM signs_log$$, $$VALUES ('count', 'remove', 'equal_words', 2, 3)$$, 'and stands in the log');
CREATE OR REPLACE TRIGGER near_duplicates BEFORE INSERT OR UPDATE ON signs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'threshold=0.6', 'text=body', 'verify=none', 'guard=scope', 'column=near', 'on_review=flag');
SELECT results_eq($$INSERT INTO signs VALUES (4, 'On this lawn the dogs of all visitors are never permitted.') RETURNING near$$, ARRAY[1], 'what somebody must look at is flagged');
SELECT results_eq($$SELECT found, reviewed FROM near_duplicate_trigger_stats() JOIN pg_trigger ON oid = trigger WHERE tgrelid = 'signs'::regclass$$, $$VALUES (1::bigint, 1::bigint)$$, 'and counted');
CREATE OR REPLACE TRIGGER near_duplicates BEFORE INSERT OR UPDATE ON signs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'threshold=0.6', 'text=body', 'verify=none', 'guard=scope', 'on_review=reject');
SELECT throws_ok($$INSERT INTO signs VALUES (5, 'On this lawn the dogs of all visitors are hardly permitted.')$$, '23505', NULL, 'or rejected');

CREATE TABLE library (id int PRIMARY KEY, p passages);
INSERT INTO library VALUES (1, to_passages('A text of some words, which others may copy', 4));
CREATE TABLE essays (id int PRIMARY KEY, body text, p passages GENERATED ALWAYS AS (to_passages(body, 4)) STORED);
CREATE TRIGGER no_copies BEFORE INSERT OR UPDATE ON essays FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'p', 'reject', 'against=public.library');
SELECT throws_ok($$INSERT INTO essays VALUES (1, 'He said: WHICH OTHERS MAY COPY, if they ask')$$, '23505', 'new row for relation "essays" violates near-duplicate check "no_copies"', 'a passage of a protected table is refused');
SELECT lives_ok($$INSERT INTO essays VALUES (1, 'Others may'), (2, 'Others may')$$, 'rows of the guarded table are not compared with each other');
SELECT throws_ok($$UPDATE essays SET body = body || ' copy some words, which others may copy' WHERE id = 2$$, '23505', NULL, 'nor may a row get such a passage');

CREATE FUNCTION defined(arguments text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'CREATE OR REPLACE TRIGGER near_duplicates BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION ' || arguments;
	INSERT INTO docs VALUES (100, 'x');
END $$;
SELECT throws_ok($$SELECT defined('near_duplicate_trigger()')$$, '22023', NULL, 'no arguments');
SELECT throws_ok($$SELECT defined('near_duplicate_trigger(''id'', ''fp'', ''drop'')')$$, '22023', NULL, 'an unknown action');
SELECT throws_ok($$SELECT defined('near_duplicate_trigger(''id'', ''fp'', ''skip'', ''threshold=2'')')$$, '22023', NULL, 'a threshold out of range');
SELECT throws_ok($$SELECT defined('near_duplicate_trigger(''id'', ''fp, near'', ''skip'', ''match=any'')')$$, '42804', NULL, 'a list with a column that is no fingerprint');
SELECT throws_ok($$SELECT defined('near_duplicate_trigger(''id'', ''fp:'', ''skip'')')$$, '22023', NULL, 'a list that cannot be read');
SELECT throws_ok($$SELECT defined('near_duplicate_trigger(''no'', ''fp'', ''skip'')')$$, '42703', NULL, 'an unknown column');
SELECT throws_ok($$SELECT defined('near_duplicate_trigger(''id'', ''body'', ''skip'')')$$, '42804', NULL, 'a column that is no fingerprint');
SELECT throws_ok($$SELECT defined('fingerprint_trigger(''body'', ''near'')')$$, '42804', NULL, 'nor for the other trigger');
SELECT throws_ok($$SELECT defined('fingerprint_trigger(''body'', ''fp'', ''k=5'')')$$, '22023', NULL, 'an unknown option');
SELECT throws_ok($$SELECT fingerprint_trigger()$$, '39P01', NULL, 'a call that is no trigger''s');
SELECT throws_ok($$SELECT near_duplicate_trigger()$$, '39P01', NULL, 'nor for the other trigger');

SELECT * FROM finish();
ROLLBACK;
