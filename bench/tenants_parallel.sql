-- The parallel part of bench/tenants.sh, on the table docs that it has made. Variable: schema.

\set ON_ERROR_STOP on
\pset footer off
SELECT extnamespace::regnamespace AS extension_schema FROM pg_extension WHERE extname = 'txtfp' \gset
SET search_path = :schema, :extension_schema, pg_catalog;
SET maintenance_work_mem = '512MB';
SET jit = off;
CREATE TABLE clocks (what text, workers int, seconds float8);
CREATE PROCEDURE measure(rounds int) LANGUAGE plpgsql AS $$
DECLARE
	started timestamptz;
BEGIN
	FOR i IN 1 .. rounds LOOP
		FOR workers IN 0 .. 2 LOOP
			PERFORM set_config('max_parallel_maintenance_workers', workers::text, false);
			DROP INDEX IF EXISTS docs_fp;
			COMMIT;
			started := clock_timestamp();
			CREATE INDEX docs_fp ON docs USING sketch (fp);
			INSERT INTO clocks VALUES ('build', workers, milliseconds_since(started) / 1000);
			COMMIT;
		END LOOP;
	END LOOP;
END $$;
CALL measure(3);
\echo by the clock: medians with 0, 1 and 2 workers beside the leader
SELECT what, workers, round(median(array_agg(seconds)), 4) AS s, round(first_value(median(array_agg(seconds))) OVER (PARTITION BY what ORDER BY workers) / median(array_agg(seconds)), 2) AS "times as fast"
FROM clocks GROUP BY what, workers ORDER BY what, workers;
