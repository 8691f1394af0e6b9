-- Which tables of the band directory of a sketch index writers and vacuum merge, after how many rows
\set SHOW_CONTEXT never
SET max_parallel_workers_per_gather = 0; -- plans are looked at
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
-- what the planner expects: all groups, or those of a key
ANALYZE rows;
CREATE FUNCTION cost_of(query text) RETURNS numeric LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN CASE plan->0->'Plan'->>'Index Name' WHEN 'rows_s' THEN plan->0->'Plan'->>'Total Cost' END;
END $$;
SELECT key > 1 AND key < hashes / 10 AS of_a_key, two_keys <= key AS fewer FROM
	cost_of('SELECT FROM rows WHERE simhash_similar(s, ''0000000000000000'', 1)') AS hashes,
	cost_of('SELECT FROM rows WHERE part = 7 AND simhash_similar(s, ''0000000000000000'', 1)') AS key,
	cost_of('SELECT FROM rows WHERE part = 7 AND id % 3 = 1 AND simhash_similar(s, ''0000000000000000'', 1)') AS two_keys;
DROP FUNCTION cost_of;
DROP TABLE rows, states;
DROP PROCEDURE put;
DROP FUNCTION vacuumed;
