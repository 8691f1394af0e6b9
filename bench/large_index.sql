-- One size of bench/large_index.sh. Variables: schema, rows (a multiple of 500 without the factor 15485863), probes.

\ir directory_settings.sql
\echo making :rows rows
DROP TABLE IF EXISTS docs, probes CASCADE;

-- The text of a document: 96 hexadecimal digits, the last `replaced` of them from `variant`; without these it is that of other documents of `origin`.
CREATE OR REPLACE FUNCTION sketch(origin bigint, variant text, replaced int) RETURNS minhash128 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT to_minhash128(left(md5(origin::text) || md5((-origin)::text) || md5((origin # 12345)::text), 96 - replaced) || left(md5(variant), replaced), 'shingle-k=8/grapheme-uax29')
$$;

-- Of each five documents, the last is a near-duplicate of the first: 2 to 5 digits replaced, similarity (89 − r) / (89 + r) = 0.96 … 0.89.
CREATE OR REPLACE FUNCTION sketch_of(doc bigint) RETURNS minhash128 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT sketch(CASE WHEN doc % 5 = 4 THEN doc - 4 ELSE doc END, doc::text, CASE WHEN doc % 5 = 4 THEN 2 + (doc / 5 % 4)::int ELSE 0 END)
$$;

-- 15485863 is prime: (id · 15485863) mod rows visits every number once, in scattered order, so that near-duplicates are far from each other on disk.
CREATE TABLE docs AS SELECT id * 15485863 % :rows AS doc FROM generate_series(0::bigint, :rows - 1) AS id;

-- New texts. Each is a near-duplicate of a document in the table; half of these belong to a planted pair.
CREATE TABLE probes AS
SELECT i AS n, sketch(i * 7919::bigint % (:rows / 5) * 5 + i % 2, 'probe ' || i, 1 + i % 4) AS fp FROM generate_series(1, :probes) AS i;
VACUUM ANALYZE docs;
VACUUM ANALYZE probes;

CREATE OR REPLACE FUNCTION write_down(what text, method text, value float8) RETURNS void LANGUAGE sql AS $$
	INSERT INTO result VALUES (what, method, (SELECT count(*) FROM docs WHERE doc >= 0), value)
$$;
DO $$
DECLARE
	percent int;
BEGIN
	FOREACH percent IN ARRAY '{80, 95}'::int[] LOOP
		EXECUTE format('CREATE OR REPLACE FUNCTION search_%s(q minhash128) RETURNS bigint LANGUAGE plpgsql AS $f$
			DECLARE hits bigint; BEGIN SELECT count(*) INTO hits FROM docs WHERE minhash_similar(sketch_of(doc), q, %s); RETURN hits; END $f$', percent, percent / 100.0);
	END LOOP;
END $$;
CREATE OR REPLACE PROCEDURE measure_searches(what text, method text, percent int, n int) LANGUAGE plpgsql AS $$
DECLARE
	searches constant text := format('SELECT sum(search_%s(fp)) FROM probes WHERE n <= %s', percent, n);
	hits bigint;
BEGIN
	PERFORM write_down(format('%s at 0.%s, µs', what, percent), method, warm_cost_us(searches) / n);
	EXECUTE searches INTO hits;
	PERFORM write_down(format('%s at 0.%s, rows found by each', what, percent), method, hits::float8 / n);
END $$;
-- Searches of a table with a column of sketches and no index.
CREATE OR REPLACE PROCEDURE measure_scan() LANGUAGE plpgsql AS $$
BEGIN
	DROP TABLE IF EXISTS stored;
	CREATE UNLOGGED TABLE stored AS SELECT doc, sketch_of(doc) AS fp FROM docs;
	PERFORM write_down('3 search at 0.80, µs', 'scan', warm_cost_us('SELECT sum((SELECT count(*) FROM stored AS d WHERE minhash_similar(d.fp, p.fp, 0.8))) FROM probes AS p WHERE n <= 3') / 3);
	DROP TABLE stored;
END $$;
CREATE OR REPLACE PROCEDURE measure_method(method text) LANGUAGE plpgsql AS $$
DECLARE
	rows constant bigint := (SELECT count(*) FROM docs);
	log pg_lsn;
	-- a search without a band directory takes as long as thousands of others
	n constant int := CASE WHEN method = 'planes' THEN greatest(5, least((SELECT count(*) FROM probes), 20000000 / rows)) ELSE (SELECT count(*) FROM probes) END;
BEGIN
	PERFORM write_down('1 the sketches alone, seconds per million rows', method, cost_us('SELECT count(sketch_of(doc)) FROM docs TABLESAMPLE SYSTEM (5)') / rows * 20);
	log := pg_current_wal_insert_lsn();
	PERFORM write_down('1 build with the sketches, seconds per million rows', method, cost_us('CREATE INDEX docs_fp ON docs USING ' || CASE method
		WHEN 'gin' THEN 'gin (sketch_of(doc)) WITH (fastupdate = off)' WHEN 'planes' THEN 'sketch (sketch_of(doc)) WITH (bands = 0)' ELSE 'sketch (sketch_of(doc))' END) / rows);
	PERFORM write_down('2 size, MB per million rows', method, pg_relation_size('docs_fp') / 1.048576 / rows);
	PERFORM write_down('2 log of the build, MB per million rows', method, (pg_current_wal_insert_lsn() - log) / 1.048576 / rows);
	COMMIT;
	ANALYZE docs;
	IF NOT uses_index('SELECT FROM docs WHERE minhash_similar(sketch_of(doc), (SELECT fp FROM probes LIMIT 1), 0.8)') THEN
		RAISE EXCEPTION 'the planner does not use the index';
	END IF;
	CALL measure_searches('3 search', method, 95, n);
	CALL measure_searches('3 search', method, 80, n);
	COMMIT;
	PERFORM write_down('4 insert with the sketch, µs a row', method, cost_us('INSERT INTO docs SELECT -i FROM generate_series(1, 10000) AS i') / 10000);
	CALL measure_searches('5 search after 10,000 inserts', method, 80, n);
	DELETE FROM docs WHERE doc < 0;
	COMMIT;
END $$;
