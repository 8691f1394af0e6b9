-- Shared by the scripts of this folder; to be included. Variable: schema, which is dropped and created again.
-- Times are processor times of the server process, which do not depend on other load; they need a superuser and Linux.

\set ON_ERROR_STOP on
\pset pager off
\pset footer off
SET client_min_messages = warning;
SELECT max(extnamespace::regnamespace::text) AS extension_schema FROM pg_extension WHERE extname = 'txtfp' \gset
\if :{?extension_schema}
\else
	\warn 'the extension txtfp is not installed in this database: CREATE EXTENSION txtfp;'
	DO $$ BEGIN RAISE EXCEPTION 'txtfp is missing'; END $$;
\endif

DROP SCHEMA IF EXISTS :schema CASCADE;
CREATE SCHEMA :schema;
SET search_path = :schema, :extension_schema, pg_catalog;
SET maintenance_work_mem = '512MB';
SET max_parallel_maintenance_workers = 0;
SET max_parallel_workers_per_gather = 0; -- one process each
SET jit = off;

-- The kernel updates the time of a running process at ticks and when it sleeps.
CREATE FUNCTION cpu_us() RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_sleep(0.0005);
	RETURN split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8 / 1000;
END $$;

CREATE FUNCTION cost_us(statement text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	start float8 := cpu_us();
BEGIN
	EXECUTE statement;
	RETURN cpu_us() - start;
END $$;

-- Elapsed time.
CREATE FUNCTION milliseconds_since(started timestamptz) RETURNS float8
LANGUAGE sql VOLATILE AS $$ SELECT extract(epoch FROM clock_timestamp() - started)::float8 * 1000 $$;

CREATE FUNCTION median(samples float8[]) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
	SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY s)::numeric FROM unnest(samples) AS s
$$;

CREATE FUNCTION plan_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	plan text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		plan := plan || line || E'\n';
	END LOOP;
	RETURN plan;
END $$;

-- True if the plan uses the index docs_fp of the including script. Guards against measuring a sequential scan instead of the index.
CREATE FUNCTION uses_index(query text) RETURNS bool LANGUAGE sql AS $$
	SELECT plan_of(query) ~ 'Index Scan (on|using) docs_fp'
$$;

-- The median of five runs, after one that warms up.
CREATE FUNCTION warm_cost_us(statement text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	times float8[] := '{}';
BEGIN
	FOR round IN 0 .. 5 LOOP
		times := times || cost_us(statement);
	END LOOP;
	RETURN median(times[2:]);
END $$;

-- A search as in a function of an application: planned once per session. The including script creates docs.
CREATE FUNCTION search(q minhash128) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	hits bigint;
BEGIN
	SELECT count(*) INTO hits FROM docs WHERE minhash_similar(fp, q, 0.8);
	RETURN hits;
END $$;
