-- One size of bench/directory.sh. Variables: schema, rows (multiple of 500), probes, methods.

\ir directory_settings.sql
\echo making :rows rows
DROP TABLE IF EXISTS docs, probes, fresh, template;
DROP FUNCTION IF EXISTS sketch(text, bigint, text);
\set keys ''
\ir index_data.sql

CREATE OR REPLACE FUNCTION write_down(what text, method text, value float8) RETURNS void LANGUAGE sql AS $$
	INSERT INTO result (what, method, rows, value) SELECT what, method, (SELECT count(*) FROM docs WHERE id >= 0), value
$$;
-- Searches as in a function of an application: planned once per session, each with a literal threshold.
DO $$
DECLARE
	percent int;
BEGIN
	FOREACH percent IN ARRAY '{70, 80, 90, 95}'::int[] LOOP
		EXECUTE format('CREATE OR REPLACE FUNCTION search_%s(q minhash128) RETURNS bigint LANGUAGE plpgsql AS $f$
			DECLARE hits bigint; BEGIN SELECT count(*) INTO hits FROM docs WHERE minhash_similar(fp, q, %s); RETURN hits; END $f$', percent, percent / 100.0);
	END LOOP;
END $$;
CREATE OR REPLACE PROCEDURE measure_searches(what text, method text, percents int[]) LANGUAGE plpgsql AS $$
DECLARE
	percent int;
	hits bigint;
	-- a scan of a large index takes as long as thousands of searches by bands
	n constant int := CASE WHEN method LIKE 'planes%' THEN greatest(10, least((SELECT count(*) FROM probes), 20000000 / (SELECT count(*) FROM docs))) ELSE (SELECT count(*) FROM probes) END;
BEGIN
	FOREACH percent IN ARRAY percents LOOP
		PERFORM write_down(format('%s at 0.%s, µs', what, percent), method, warm_cost_us(format('SELECT sum(search_%s(fp)) FROM probes WHERE n <= %s', percent, n)) / n);
		EXECUTE format('SELECT sum(search_%s(fp)) FROM probes WHERE n <= %s', percent, n) INTO hits;
		PERFORM write_down(format('%s at 0.%s, rows found by each', what, percent), method, hits::float8 / n);
	END LOOP;
END $$;
-- Inserts of many rows by one statement, then of one row per statement. The maximum of the latter is the pause of a writer that merges.
CREATE OR REPLACE PROCEDURE measure_inserts(method text) LANGUAGE plpgsql AS $$
DECLARE
	log pg_lsn := pg_current_wal_insert_lsn();
	times float8[] := '{}';
	one record;
	i int := 0;
BEGIN
	PERFORM write_down('5 insert, µs a row', method, cost_us('INSERT INTO docs SELECT -id, -1, fp FROM fresh') / (SELECT count(*) FROM fresh));
	PERFORM write_down('5 insert, bytes of log a row', method, (pg_current_wal_insert_lsn() - log) / (SELECT count(*) FROM fresh));
	COMMIT;
	FOR one IN SELECT fp FROM fresh, generate_series(1, 8) LOOP
		times := times || cost_us(format('INSERT INTO docs VALUES (%s, -1, %L)', -3000 - i, one.fp));
		i := i + 1;
	END LOOP;
	PERFORM write_down('5 insert, one by one, maximum, ms', method, (SELECT max(t) / 1000 FROM unnest(times) AS t));
	COMMIT;
END $$;
CREATE OR REPLACE PROCEDURE measure_method(method text) LANGUAGE plpgsql AS $$
DECLARE
	log pg_lsn;
	rows constant bigint := (SELECT count(*) FROM docs);
BEGIN
	IF method <> 'none' THEN
		log := pg_current_wal_insert_lsn();
		PERFORM write_down('1 build, seconds per million rows', method, cost_us('CREATE INDEX docs_fp ON docs USING ' || CASE method
			WHEN 'gin' THEN 'gin (fp) WITH (fastupdate = off)' WHEN 'planes' THEN 'sketch (fp) WITH (bands = 0)' WHEN 'directory' THEN 'sketch (fp)' ELSE 'sketch (fp) WITH (bands = 16, recall = 0.99)' END) / rows);
		PERFORM write_down('2 size, MB per million rows', method, pg_relation_size('docs_fp') / 1.048576 / rows);
		PERFORM write_down('2 log of the build, MB per million rows', method, (pg_current_wal_insert_lsn() - log) / 1.048576 / rows);
		COMMIT;
		IF NOT uses_index('SELECT FROM docs WHERE minhash_similar(fp, (SELECT fp FROM probes LIMIT 1), 0.8)') THEN
			RAISE EXCEPTION 'the planner does not use the index';
		END IF;
		CALL measure_searches('3 search', method, '{95, 90, 80, 70}');
		IF method <> 'gin' THEN
			SET txtfp.sketch_recall = 0.99;
			CALL measure_searches('4 search with recall 0.99', method, '{80, 70}');
			RESET txtfp.sketch_recall;
		END IF;
		COMMIT;
	END IF;
	CALL measure_inserts(method);
	IF method <> 'none' THEN
		CALL measure_searches('6 search after 18,000 inserts', method, '{80}');
	END IF;
	DELETE FROM docs WHERE id < 0;
	COMMIT;
END $$;
