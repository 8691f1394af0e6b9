-- near_duplicate_trigger warns once per session where no index serves it, or where a GIN index has a list of pending keys.
CREATE TABLE docs (id int PRIMARY KEY, fp minhash128);
INSERT INTO docs SELECT i, to_minhash128(ARRAY[i::text]) FROM generate_series(1, 1500) AS i;
CREATE TRIGGER no_duplicates BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'threshold=0.8');
-- no index
INSERT INTO docs SELECT i, to_minhash128(ARRAY[i::text]) FROM generate_series(2001, 2003) AS i;
INSERT INTO docs SELECT i, to_minhash128(ARRAY[i::text]) FROM generate_series(2004, 2006) AS i;
-- a GIN index with fastupdate, the default
CREATE INDEX docs_fp ON docs USING gin (fp);
\c
INSERT INTO docs SELECT i, to_minhash128(ARRAY[i::text]) FROM generate_series(2007, 2009) AS i;
INSERT INTO docs SELECT i, to_minhash128(ARRAY[i::text]) FROM generate_series(2010, 2012) AS i;
-- without fastupdate, and with an index of the access method sketch: no warning
ALTER INDEX docs_fp SET (fastupdate = off);
\c
INSERT INTO docs SELECT i, to_minhash128(ARRAY[i::text]) FROM generate_series(2013, 2015) AS i;
DROP INDEX docs_fp;
CREATE INDEX docs_fp ON docs USING sketch (fp);
\c
INSERT INTO docs SELECT i, to_minhash128(ARRAY[i::text]) FROM generate_series(2016, 2018) AS i;
-- a small table: no warning
CREATE TABLE few (LIKE docs);
CREATE TRIGGER no_duplicates BEFORE INSERT ON few FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'threshold=0.8');
INSERT INTO few SELECT i, to_minhash128(ARRAY[i::text]) FROM generate_series(1, 3) AS i;
SELECT count(*) FROM docs;
DROP TABLE docs, few;
