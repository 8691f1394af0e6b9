-- Changes that create jobs, and changes that do not.
\set VERBOSITY terse
CREATE TABLE notes (id int PRIMARY KEY, title text, body text, vector real[], n numeric UNIQUE);
INSERT INTO notes VALUES (1, 'a', 'one', NULL), (2, 'b', NULL, NULL), (3, 'c', 'three', '{1}');

SELECT embed_queue('notes', 'no', 'body', 'vector', 'm');
SELECT embed_queue('notes', 'id', 'id', 'vector', 'm');
SELECT embed_queue('notes', 'n', 'body', 'vector', 'm');
SELECT embed_queue('notes', 'title', 'body', 'vector', 'm');
SELECT embed_queue('notes', 'id', 'body', 'vector', NULL);

SELECT embed_queue('notes', 'id', 'body', 'vector', 'm') > 0 AS made;
SELECT embed_queue('notes', 'id', 'title', 'vector', 'm');
-- Existing rows without an embedding
SELECT key FROM embed_jobs ORDER BY id;
DELETE FROM embed_jobs;

INSERT INTO notes (id, body) SELECT i, 'text ' || i FROM generate_series(10, 14) i;
INSERT INTO notes (id, body) VALUES (15, NULL);
SELECT key FROM embed_jobs ORDER BY id;
DELETE FROM embed_jobs;

UPDATE notes SET title = 'other', vector = '{1,2}', body = body;
SELECT count(*) AS unchanged FROM embed_jobs;
UPDATE notes SET body = 'new' WHERE id IN (10, 15);
UPDATE notes SET body = NULL WHERE id = 11;
UPDATE notes SET id = 112 WHERE id = 12;
INSERT INTO notes (id, body) VALUES (13, 'upserted') ON CONFLICT (id) DO UPDATE SET body = excluded.body;
SELECT key FROM embed_jobs ORDER BY id;
DELETE FROM embed_jobs;

-- Writers need no rights on the queue
CREATE ROLE embed_writer;
GRANT INSERT ON notes TO embed_writer;
SET ROLE embed_writer;
INSERT INTO notes (id, body) VALUES (20, 'by a writer');
RESET ROLE;
SELECT key FROM embed_jobs ORDER BY id;
REVOKE ALL ON notes FROM embed_writer;
DROP ROLE embed_writer;

-- The type of a key cannot change, because the output function of another type might run foreign code with the rights of the trigger
ALTER TABLE notes ALTER id TYPE numeric;

-- A trigger made by hand, in an attempt to have a view read with the rights of the function
CREATE TEMPORARY VIEW txtfp_embed_new AS SELECT 1 AS id, 'x'::text AS body;
CREATE TABLE trap (id int, body text);
CREATE TRIGGER trap AFTER INSERT ON trap FOR EACH STATEMENT EXECUTE FUNCTION embed_enqueue('1', 'id', 'body');
INSERT INTO trap VALUES (1, 'x');
DROP TABLE trap;
DROP VIEW txtfp_embed_new;

-- Failures and retries
INSERT INTO embed_failures (queue, key, state, attempts, reason) SELECT id, '10', 'given up', 8, 'http error' FROM embed_queues;
DELETE FROM embed_jobs;
SELECT embed_retry(-1);
SELECT embed_retry();
SELECT j.key, j.attempts, f.state FROM embed_jobs j JOIN embed_failures f USING (queue, key);

-- Keys of other types, in a schema with a quoted name
CREATE SCHEMA "Odd ""one""";
CREATE TABLE "Odd ""one"""."The table" ("The key" uuid PRIMARY KEY, "text column" varchar(50), e embedding);
SELECT embed_queue('"Odd ""one"""."The table"', 'The key', 'text column', 'e', 'm') > 0 AS made;
DELETE FROM embed_jobs;
INSERT INTO "Odd ""one"""."The table" VALUES ('00000000-0000-0000-0000-00000000000a', 'x');
UPDATE "Odd ""one"""."The table" SET "text column" = 'y';
SELECT key FROM embed_jobs ORDER BY id;

SELECT embed_queue_drop(id) IS NOT NULL AS dropped FROM embed_queues ORDER BY id;
SELECT embed_queue_drop(0);
SELECT count(*) AS triggers FROM pg_trigger WHERE tgname LIKE 'embed%';
SELECT count(*) AS jobs FROM embed_jobs;
DROP TABLE notes;
DROP SCHEMA "Odd ""one""" CASCADE;
