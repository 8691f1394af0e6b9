-- Measures minhash128_lsh_ops on synthetic sketches. Run by bench/index.sh, which explains it and adds pgbench.
-- Variables: rows (multiple of 500), probes, builds, work_mem.
-- index_data.sql makes the documents.

\ir tools.sql
SET maintenance_work_mem = :'work_mem';

CREATE TABLE result (ord int GENERATED ALWAYS AS IDENTITY, what text, value numeric, unit text, note text DEFAULT '');

-- ---------------------------------------------------------------------------------------------------- the data

\echo making :rows sketches
SELECT clock_timestamp() AS started \gset
\set keys ', lsh_keys(fp, 16, 4) AS keys'
\ir index_data.sql
INSERT INTO result (what, value, unit)
SELECT 'make the sketches and their keys, all tables, per row', extract(epoch FROM clock_timestamp() - :'started') * 1e6 / :rows, 'µs';

-- ---------------------------------------------------------------------------------------------------- tools

CREATE FUNCTION percentile(fraction float8, samples float8[]) RETURNS numeric
LANGUAGE sql IMMUTABLE AS $$ SELECT percentile_cont(fraction) WITHIN GROUP (ORDER BY s)::numeric FROM unnest(samples) s $$;

CREATE FUNCTION insert_times() RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
	row fresh;
	started timestamptz;
	times float8[] := '{}';
BEGIN
	FOR row IN SELECT * FROM fresh LOOP
		started := clock_timestamp();
		INSERT INTO docs VALUES (-row.id, -1, row.fp, lsh_keys(row.fp, 16, 4));
		times := times || milliseconds_since(started);
	END LOOP;
	RETURN times;
END $$;

CREATE PROCEDURE measure_inserts(what text) LANGUAGE plpgsql AS $$
DECLARE
	times float8[] := insert_times();
BEGIN
	INSERT INTO result (what, value, unit, note)
	VALUES ('insert, ' || what, 1000 * percentile(0.5, times), 'µs',
		format('median of %s; p95 %s µs', cardinality(times), round(1000 * percentile(0.95, times), 1)));
	DELETE FROM docs WHERE id < 0;
END $$;

-- ---------------------------------------------------------------------------------------------------- index builds

CREATE TABLE build (index_name text, round int, ms float8, bytes bigint);

CREATE PROCEDURE build_index(wanted text, round int) LANGUAGE plpgsql AS $$
DECLARE
	started timestamptz;
BEGIN
	BEGIN
		CHECKPOINT;	-- so that a build does not pay for dirty pages of another
	EXCEPTION WHEN insufficient_privilege THEN
		NULL;
	END;
	started := clock_timestamp();
	EXECUTE format('CREATE INDEX %s ON docs USING gin (%s) WITH (fastupdate = off)', wanted,
		CASE wanted WHEN 'docs_fp' THEN 'fp minhash128_lsh_ops' ELSE 'keys' END);
	INSERT INTO build VALUES (wanted, round, milliseconds_since(started), pg_relation_size(wanted::regclass));
END $$;

\echo building each index :builds times, by turns
SELECT set_config('txtfp_bench.builds', :'builds', false) \g /dev/null
DO $$
DECLARE
	round int;
	wanted text;
BEGIN
	FOR round IN 1 .. current_setting('txtfp_bench.builds')::int LOOP
		-- the second build finds the table cached, so the order alternates
		FOREACH wanted IN ARRAY CASE round % 2 WHEN 1 THEN '{docs_fp,docs_keys}' ELSE '{docs_keys,docs_fp}' END::text[] LOOP
			CALL build_index(wanted, round);
			COMMIT;
			EXECUTE 'DROP INDEX ' || wanted;
			COMMIT;
		END LOOP;
	END LOOP;
END $$;

\echo inserting
CALL measure_inserts('no index');
CREATE INDEX docs_keys ON docs USING gin (keys) WITH (fastupdate = off);
CALL measure_inserts('GIN on int8[] of as many keys');
DROP INDEX docs_keys;
VACUUM docs;

CREATE INDEX docs_fp ON docs USING gin (fp minhash128_lsh_ops) WITH (fastupdate = off);
VACUUM ANALYZE docs;

INSERT INTO result (what, value, unit, note)
SELECT 'build, ' || CASE index_name WHEN 'docs_fp' THEN 'minhash128_lsh_ops (16 × 4)' ELSE 'GIN on int8[] of as many keys' END,
	percentile(0.5, array_agg(ms)) / 1000, 's',
	format('median of %s; %s; %s', count(*), string_agg(round(ms::numeric / 1000, 1)::text, ' ' ORDER BY round), pg_size_pretty(max(bytes)))
FROM build GROUP BY index_name ORDER BY index_name;

INSERT INTO result (what, value, unit)
SELECT 'build, ratio',
	percentile(0.5, array_agg(ms) FILTER (WHERE index_name = 'docs_fp')) /
	percentile(0.5, array_agg(ms) FILTER (WHERE index_name = 'docs_keys')), '×' FROM build;

-- ---------------------------------------------------------------------------------------------------- probes

-- The threshold is a literal, as in a user's query; the sketch is a parameter.
CREATE PROCEDURE make_probe(threshold numeric) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format($f$
		CREATE OR REPLACE FUNCTION probe(q minhash128) RETURNS bigint LANGUAGE plpgsql AS $p$
		DECLARE
			hits bigint;
		BEGIN
			SELECT count(*) INTO hits FROM docs WHERE minhash_similar(fp, q, %s);
			RETURN hits;
		END $p$ $f$, threshold);
END $$;

CREATE FUNCTION probe_times(how_many bigint, OUT times float8[], OUT hits bigint) LANGUAGE plpgsql AS $$
DECLARE
	row probes;
	started timestamptz;
BEGIN
	times := '{}';
	hits := 0;
	FOR row IN SELECT * FROM probes ORDER BY n LIMIT how_many LOOP
		started := clock_timestamp();
		hits := hits + probe(row.fp);
		times := times || milliseconds_since(started);
	END LOOP;
END $$;

CREATE PROCEDURE measure_probes(threshold numeric, mode text, explained text) LANGUAGE plpgsql AS $$
DECLARE
	what text := format('probe, threshold %s, %s', threshold, explained);
	r record;
BEGIN
	IF NOT EXISTS (SELECT FROM served WHERE served.threshold = measure_probes.threshold) THEN
		INSERT INTO result (what, unit, note) VALUES (what, 'ms', 'NOT MEASURED: the planner does not use the index');
		RETURN;
	END IF;
	PERFORM set_config('plan_cache_mode', mode, false);
	CALL make_probe(threshold);
	PERFORM probe_times(NULL);	-- warm-up
	r := probe_times(NULL);
	INSERT INTO result (what, value, unit, note)
	VALUES (what, percentile(0.5, r.times), 'ms',
		format('median of %s; p95 %s ms; %s rows each', cardinality(r.times), round(percentile(0.95, r.times), 3),
			round(r.hits::numeric / cardinality(r.times), 2)));
END $$;

\echo probing
-- The thresholds for which both kinds of plan, custom and generic, use the index.
CREATE TABLE served (threshold numeric);
DO $$
DECLARE
	threshold numeric;
	sketch text := fp FROM probes WHERE n = 1;
	query text;
	used bool;
	mode text;
BEGIN
	FOREACH threshold IN ARRAY '{0.7,0.8,0.9}'::numeric[] LOOP
		EXECUTE format('PREPARE probe_plan (minhash128) AS SELECT count(*) FROM docs WHERE minhash_similar(fp, $1, %s)', threshold);
		query := format('EXECUTE probe_plan (%L)', sketch);
		used := true;
		FOREACH mode IN ARRAY '{force_custom_plan,force_generic_plan}'::text[] LOOP
			PERFORM set_config('plan_cache_mode', mode, true);
			used := used AND uses_index(query);
		END LOOP;
		IF used THEN
			INSERT INTO served VALUES (threshold);
		END IF;
		DEALLOCATE probe_plan;
	END LOOP;
END $$;

CALL measure_probes(0.7, 'auto', 'as a function runs it');
CALL measure_probes(0.8, 'auto', 'as a function runs it');
CALL measure_probes(0.9, 'auto', 'as a function runs it');
CALL measure_probes(0.8, 'force_generic_plan', 'planned once');
CALL measure_probes(0.8, 'force_custom_plan', 'planned each time');
RESET plan_cache_mode;

-- ---------------------------------------------------------------------------------------------------- join

\echo joining
\set join 'SELECT count(*) FROM probes p JOIN docs d ON minhash_similar(d.fp, p.fp, 0.8)'
SELECT plan_of(:'join') AS join_plan, uses_index(:'join') AS join_uses_index \gset
\if :join_uses_index
\else
	\warn 'the planner does not use the index for the join: the figure below is of another plan'
\endif
SELECT set_config('txtfp_bench.join', :'join', false) \g /dev/null
DO $$
DECLARE
	started timestamptz;
	outer_rows bigint := (SELECT count(*) FROM probes);
	hits bigint;
	times float8[] := '{}';
BEGIN
	FOR round IN 0 .. 5 LOOP	-- the first one warms up
		started := clock_timestamp();
		EXECUTE current_setting('txtfp_bench.join') INTO hits;
		IF round > 0 THEN
			times := times || milliseconds_since(started);
		END IF;
	END LOOP;
	INSERT INTO result (what, value, unit, note)
	VALUES ('nested-loop join, threshold 0.8, per outer row', percentile(0.5, times) / outer_rows, 'ms',
		format('median of 5 runs of %s outer rows; %s pairs', outer_rows, hits));
END $$;

-- ---------------------------------------------------------------------------------------------------- sequential scan

\echo scanning
DO $$
DECLARE
	by_index record;
	by_scan record;
	few constant bigint := 5;
BEGIN
	CALL make_probe(0.8);
	by_index := probe_times(few);
	PERFORM set_config('enable_bitmapscan', 'off', true), set_config('enable_indexscan', 'off', true),
		set_config('max_parallel_workers_per_gather', '0', true);
	CALL make_probe(0.8);	-- forgets the cached plan
	by_scan := probe_times(few);
	INSERT INTO result (what, value, unit, note)
	VALUES ('sequential scan, threshold 0.8, one process', percentile(0.5, by_scan.times), 'ms',
		format('median of %s; finds %s rows, the index %s', few, by_scan.hits, by_index.hits));
END $$;

\echo inserting with the index
CALL measure_inserts('minhash128_lsh_ops (16 × 4)');
VACUUM docs;

-- ---------------------------------------------------------------------------------------------------- report

\echo
\echo The plan of the join:
\echo :join_plan
\pset format aligned
SELECT name AS setting, current_setting(name) AS value FROM unnest('{server_version,shared_buffers,maintenance_work_mem,
	max_parallel_workers_per_gather,jit,wal_level,debug_assertions}'::text[]) name;
SELECT 'docs: ' || :'rows' AS "table", pg_size_pretty(pg_relation_size('docs')) AS heap,
	pg_size_pretty(pg_relation_size('docs_fp')) AS index;
SELECT what AS "measured", round(value, CASE WHEN value < 10 THEN 3 ELSE 1 END) AS value, unit, note FROM result ORDER BY ord;
