-- One size of bench/index_growth.sh. Variables: rows, probes.

\set ON_ERROR_STOP on
SET client_min_messages = warning;
DROP TABLE IF EXISTS docs, probes, fresh, template;
DROP FUNCTION IF EXISTS sketch(text, bigint, text);
\set keys ''
\ir index_data.sql

CREATE OR REPLACE FUNCTION write_down(what text, keys int, value float8) RETURNS void LANGUAGE sql AS $$
	INSERT INTO result SELECT what, keys, (SELECT count(*) FROM docs WHERE id >= 0), value
$$;

-- Inserts all rows of `fresh` with one statement; the caller removes them.
CREATE OR REPLACE PROCEDURE measure_inserts(what text, keys int) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM write_down(what, keys, cost_us('INSERT INTO docs SELECT -id, -1, fp FROM fresh') / (SELECT count(*) FROM fresh));
END $$;

-- Pages of table and index that a statement accesses, cached or not.
CREATE OR REPLACE FUNCTION pages_of(statement text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, FORMAT JSON) ' || statement INTO plan;
	RETURN (plan->0->'Plan'->>'Shared Hit Blocks')::bigint + (plan->0->'Plan'->>'Shared Read Blocks')::bigint;
END $$;

CREATE OR REPLACE PROCEDURE measure_searches(what text, keys int) LANGUAGE plpgsql AS $$
BEGIN
	IF NOT uses_index('SELECT FROM docs WHERE minhash_similar(fp, (SELECT fp FROM probes LIMIT 1), 0.8)') THEN
		RAISE EXCEPTION 'the planner does not use the index';
	END IF;
	PERFORM write_down(what, keys, warm_cost_us('SELECT sum(search(fp)) FROM probes, generate_series(1, 5)') / (5 * (SELECT count(*) FROM probes)));
END $$;

CREATE OR REPLACE PROCEDURE measure_join(keys int) LANGUAGE plpgsql AS $$
DECLARE
	query constant text := 'SELECT count(*) FROM probes AS p JOIN docs AS d ON minhash_similar(d.fp, p.fp, 0.8)';
BEGIN
	IF NOT uses_index(query) THEN
		RAISE EXCEPTION 'the planner does not use the index for the join';
	END IF;
	PERFORM write_down('5 nested-loop join, µs per outer row', keys, warm_cost_us(query) / (SELECT count(*) FROM probes));
END $$;

CREATE OR REPLACE PROCEDURE measure_index(keys int) LANGUAGE plpgsql AS $$
DECLARE
	rows constant bigint := (SELECT count(*) FROM docs);
	create_index constant text := format('CREATE INDEX docs_fp ON docs USING gin (fp minhash128_lsh_ops (bands = %s, rows = 4)) WITH (fastupdate = off)', keys);
BEGIN
	PERFORM set_config('maintenance_work_mem', '64MB', true);
	PERFORM write_down('1 build with 64 MB, seconds per million rows', keys, cost_us(create_index) / rows);
	PERFORM write_down('2 index built with 64 MB, MB per million rows', keys, pg_relation_size('docs_fp') / 1.048576 / rows);
	DROP INDEX docs_fp;
	PERFORM set_config('maintenance_work_mem', '512MB', true);
	PERFORM write_down('1 build with 512 MB, seconds per million rows', keys, cost_us(create_index) / rows);
	PERFORM write_down('2 index built with 512 MB, MB per million rows', keys, pg_relation_size('docs_fp') / 1.048576 / rows);
	ANALYZE docs;
	CALL measure_searches('3 search, µs', keys);
	PERFORM write_down('3 search, pages', keys, pages_of('SELECT sum(search(fp)) FROM probes') / (SELECT count(*)::float8 FROM probes));
	CALL measure_join(keys);
	CALL measure_inserts('7 insert, fastupdate off, µs per row', keys);
	ALTER INDEX docs_fp SET (fastupdate = on);
	DELETE FROM docs WHERE id < 0;
	CALL measure_inserts('8 insert, fastupdate on, µs per row', keys);
	CALL measure_searches('4 search with a pending list, µs', keys);
	PERFORM write_down('9 flushing the pending list, µs per row', keys, cost_us($q$SELECT gin_clean_pending_list('docs_fp')$q$) / (SELECT count(*) FROM fresh));
	DELETE FROM docs WHERE id < 0;
	DROP INDEX docs_fp;
END $$;

CALL measure_inserts('6 insert without the index, µs per row', 0);
DELETE FROM docs WHERE id < 0;
VACUUM ANALYZE docs;
CALL measure_index(16);
VACUUM ANALYZE docs;
CALL measure_index(32);
