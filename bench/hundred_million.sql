-- Searches of bench/hundred_million.sh, in one session, each timed by the clock. Prints median and 99th percentile of the last repetition, its processor time of a search, and the
-- rows that a search found, all in milliseconds. Rows of the text that 0.8 % of all have are no probes. Variables: threshold (a number or nearest), from (stored, new), most, repetitions.

SET max_parallel_workers_per_gather = 0;
SET plan_cache_mode = force_generic_plan;
SELECT CASE :'from' WHEN 'stored' THEN 'stored' ELSE 'fresh' END AS source,
	CASE :'threshold' WHEN 'nearest' THEN '(SELECT id FROM docs ORDER BY fp <%> probe.fp LIMIT 10) AS nearest' ELSE 'docs WHERE minhash_similar(fp, probe.fp, ' || :'threshold' || ')' END AS query \gset
SELECT fp AS common FROM stored GROUP BY fp ORDER BY count(*) DESC LIMIT 1 \gset
CREATE TEMP TABLE probes AS SELECT row_number() OVER (ORDER BY hashint8(id)) AS n, id, fp FROM :source WHERE fp <> :'common' ORDER BY hashint8(id) LIMIT :most;
CREATE TEMP TABLE times (repetition int, ms float8, hits bigint);
SELECT format($$
CREATE FUNCTION pg_temp.search_all(repetition int) RETURNS void LANGUAGE plpgsql AS $f$
DECLARE
	probe record;
	found bigint;
	started timestamptz;
BEGIN
	FOR probe IN SELECT fp FROM probes ORDER BY n LOOP
		started := clock_timestamp();
		SELECT count(*) INTO found FROM %s;
		INSERT INTO times VALUES (repetition, extract(epoch FROM clock_timestamp() - started) * 1000, found);
	END LOOP;
END $f$ $$, :'query') \gexec
CREATE FUNCTION pg_temp.cpu_ms() RETURNS float8 LANGUAGE sql VOLATILE AS $$ SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8 / 1e6 FROM pg_sleep(0.001) $$;
SELECT pg_temp.search_all(r) FROM generate_series(1, :repetitions - 1) AS r \g /dev/null
SELECT pg_temp.cpu_ms() AS cpu \gset
SELECT pg_temp.search_all(:repetitions) \g /dev/null
SELECT round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms)::numeric, 3) || ', ' || round(percentile_cont(0.99) WITHIN GROUP (ORDER BY ms)::numeric, 3) || ', '
	|| round(((pg_temp.cpu_ms() - :cpu) / count(*))::numeric, 3) || '; ' || round(avg(hits), 1) FROM times WHERE repetition = :repetitions;
