-- Searches and inserts of bench/scale.sh: by one session, warm. Variables: rows, slots, program.

CREATE TABLE IF NOT EXISTS probes (id bigint, fp minhash:slots);
CREATE TABLE IF NOT EXISTS fresh (id bigint, fp minhash:slots);
TRUNCATE probes, fresh;
-- rows of the table, scattered; and rows that it does not have yet
INSERT INTO probes SELECT id, fp FROM docs WHERE id % greatest(:rows / 2000, 1) = 0 LIMIT 2000;
\set copy_fresh 'COPY fresh FROM PROGRAM ''' :program ' 5000 ' :slots ' ' :rows ''' (FORMAT binary)'
:copy_fresh;
ANALYZE probes, fresh;

CREATE OR REPLACE FUNCTION searches() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	probe probes;
	hits bigint := 0;
BEGIN
	FOR probe IN SELECT * FROM probes LOOP
		hits := hits + (SELECT count(*) FROM docs WHERE minhash_similar(fp, probe.fp, 0.8));
	END LOOP;
	RETURN hits;
END $$;
CREATE OR REPLACE PROCEDURE insert_all() LANGUAGE plpgsql AS $$
DECLARE
	row fresh;
BEGIN
	FOR row IN SELECT * FROM fresh LOOP
		INSERT INTO docs VALUES (row.id, row.fp);
	END LOOP;
END $$;

SET enable_seqscan = off;
SET plan_cache_mode = force_generic_plan;
DO $$ BEGIN
	IF NOT uses_index('SELECT FROM docs WHERE minhash_similar(fp, (SELECT fp FROM probes LIMIT 1), 0.8)') THEN RAISE EXCEPTION 'the planner does not use the index'; END IF;
END $$;
INSERT INTO result SELECT '5 search, µs', :rows, warm_cost_us('SELECT searches()') / (SELECT count(*) FROM probes);
SELECT pg_current_wal_lsn() AS lsn \gset
INSERT INTO result SELECT '5 insert, µs', :rows, cost_us('CALL insert_all()') / (SELECT count(*) FROM fresh);
INSERT INTO result SELECT '5 insert, WAL bytes', :rows, (pg_current_wal_lsn() - :'lsn') / (SELECT count(*) FROM fresh);
DELETE FROM docs WHERE id >= :rows;
