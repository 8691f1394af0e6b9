-- Which tables of the band directory of a sketch index writers and vacuum merge, after how many rows
\set SHOW_CONTEXT never
CREATE TABLE rows (id int, part int, s simhash64) WITH (autovacuum_enabled = off);
CREATE INDEX rows_s ON rows USING sketch (part, (id % 3), (id % 5), (id % 7), s);
CREATE TABLE states (step int, tables int, covered bigint, others bigint);
CREATE PROCEDURE put(first int, last int, step int) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN first..last BY step LOOP
		INSERT INTO rows SELECT n, n / 50, (n * 1234567891::bigint)::simhash64 FROM generate_series(i, i + step - 1) AS n;
		INSERT INTO states SELECT i + step - 1, tables, covered_rows, other_rows FROM fingerprint_index_info('rows_s') WHERE tables IS NOT NULL OR bands IS NOT NULL;
	END LOOP;
END $$;
CREATE FUNCTION vacuumed() RETURNS TABLE (tables bigint, covered bigint, others bigint, wrong bigint) LANGUAGE sql AS $$
	SELECT tables, covered_rows, other_rows, sketch_check('rows_s', true) - (SELECT count(*) FROM rows) FROM fingerprint_index_info('rows_s') WHERE tables IS NOT NULL $$;
-- writers
CALL put(1, 100000, 1000);
-- the rows after which another number of rows is in tables
SELECT * FROM (SELECT *, lag(covered) OVER (ORDER BY step) AS before FROM states) AS s WHERE covered IS DISTINCT FROM before ORDER BY step;
SELECT wrong FROM vacuumed();
-- vacuum merges tables that are at most three times as large as what is smaller
VACUUM rows;
SELECT * FROM vacuumed();
-- it does not begin a table for less than 16 groups
CALL put(100001, 103000, 1000);
VACUUM rows;
SELECT * FROM vacuumed();
CALL put(103001, 108000, 1000);
VACUUM rows;
SELECT * FROM vacuumed();
-- writers: a table of few groups becomes part of a new one, the large one does not
TRUNCATE states;
CALL put(108001, 134000, 1000);
SELECT * FROM (SELECT *, lag(covered) OVER (ORDER BY step) AS before FROM states) AS s WHERE covered IS DISTINCT FROM before ORDER BY step;
VACUUM rows;
SELECT * FROM vacuumed();
-- nothing to do
VACUUM rows;
SELECT * FROM vacuumed();
-- a bitmap counts what it gets
CREATE FUNCTION bitmap_rows(query text) RETURNS int LANGUAGE plpgsql SET enable_seqscan = off SET enable_indexscan = off AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || query INTO plan;
	RETURN (plan->0->'Plan'->'Plans'->0->>'Actual Rows')::numeric;
END $$;
SELECT bitmap_rows('SELECT FROM rows WHERE part = 7 AND simhash_similar(s, ''0000000000000000'', 64)'), bitmap_rows('SELECT FROM rows WHERE part < 7 AND simhash_similar(s, ''0000000000000000'', 64)');
DROP FUNCTION bitmap_rows;
DROP TABLE rows, states;
DROP PROCEDURE put;
DROP FUNCTION vacuumed;
