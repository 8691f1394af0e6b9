-- The tables and figures of bench/tenants.sh. Variables: schema, rows, parallel_rows.

\ir tools.sql
\echo making :rows rows
-- Families of eight texts, of one tenant each. large: tenants of 10,000 rows; small: of 10 rows (families of five there).
CREATE TABLE docs AS
SELECT n AS id, (n / 8 % (:rows / 10000))::int AS large, (n / 10)::int AS small,
	to_minhash128(array(SELECT (CASE WHEN i <= n % 8 * 2 THEN n * 100 + 7 ELSE n / 8 * 100000 END + i)::text FROM generate_series(1, 24) AS i)) AS fp
FROM generate_series(0::bigint, :rows - 1) AS n;
CREATE TABLE compact AS SELECT id, fp::minhash128_compact AS fp FROM docs;
VACUUM ANALYZE;
CHECKPOINT;

CREATE TABLE builds (n int GENERATED ALWAYS AS IDENTITY, name text, seconds numeric, size bigint);
CREATE PROCEDURE build(name text, definition text) LANGUAGE plpgsql AS $$
DECLARE
	times float8[] := '{}';
	size bigint;
BEGIN
	FOR i IN 1 .. 3 LOOP
		EXECUTE format('DROP INDEX IF EXISTS %I', name);
		times := times || cost_us(format('CREATE INDEX %I ON %s', name, definition)) / 1e6;
		size := pg_relation_size(name::regclass);
		COMMIT;
	END LOOP;
	INSERT INTO builds (name, seconds, size) VALUES (definition, round(median(times), 2), size);
END $$;
CALL build('docs_fp', 'docs USING sketch (fp)');
CALL build('compact_fp', 'compact USING sketch (fp)');
CALL build('docs_large', 'docs USING sketch (large, fp)');
CALL build('docs_small', 'docs USING sketch (small, fp)');
CREATE INDEX docs_btree ON docs (large);
VACUUM ANALYZE docs;
\echo builds by one process: seconds of processor time (the median of three) and sizes, beside the index of one column
SELECT name AS index, seconds AS s, pg_size_pretty(size) AS size, round(size::numeric / first_value(size) OVER (ORDER BY n), 3) AS "of the first" FROM builds ORDER BY n;

-- Processor time of a search, in milliseconds: the median of five times 1,000 searches by a prepared statement, each with a row of the table as probe.
CREATE TABLE probes AS SELECT fp, large, small FROM docs WHERE id % (:rows / 1000) = 3;
CREATE FUNCTION search_ms(index text, query text, key text) RETURNS TABLE (ms numeric, rows numeric, used boolean) LANGUAGE plpgsql AS $$
DECLARE
	times float8[] := '{}';
	found bigint := 0;
	probe record;
	n bigint;
	start float8;
BEGIN
	UPDATE pg_catalog.pg_index SET indisvalid = indexrelid = index::regclass WHERE indrelid = 'docs'::regclass;
	PERFORM set_config('enable_seqscan', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true);
	EXECUTE format('PREPARE search (minhash128, int) AS %s', query);
	SELECT plan_of(format('EXECUTE search(%L, 1)', (SELECT fp FROM probes LIMIT 1))) ~ index INTO used;
	FOR i IN 0 .. 5 LOOP
		start := cpu_us();
		FOR probe IN EXECUTE format('SELECT fp, %I AS key FROM probes', key) LOOP
			EXECUTE format('EXECUTE search(%L, %s)', probe.fp, probe.key) INTO n;
			found := found + n;
		END LOOP;
		times := times || (cpu_us() - start) / 1e6;
	END LOOP;
	DEALLOCATE search;
	RETURN QUERY SELECT round(median(times[2:]), 4), round(found / 6000.0, 1), search_ms.used;
END $$;
SELECT round(ms, 4) AS call FROM search_ms('docs_fp', 'SELECT 1', 'large') \gset
\echo processor time of a search (without the :call ms that a call takes), rows found, and whether the plan has the index
SELECT what, index, greatest(ms - :call, 0) AS ms, s.rows, s.used
FROM (VALUES
	(1, '10 nearest, all rows', 'docs_fp', 'SELECT count(*) FROM (SELECT FROM docs ORDER BY fp <%> $1 LIMIT 10) AS x', 'large'),
	(2, '0.8, all rows', 'docs_fp', 'SELECT count(*) FROM docs WHERE minhash_similar(fp, $1, 0.8)', 'large'),
	(3, '0.5, all rows', 'docs_fp', 'SELECT count(*) FROM docs WHERE minhash_similar(fp, $1, 0.5)', 'large'),
	(4, '10 nearest, tenant of 10,000', 'docs_large', 'SELECT count(*) FROM (SELECT FROM docs WHERE large = $2 ORDER BY fp <%> $1 LIMIT 10) AS x', 'large'),
	(5, '10 nearest, tenant of 10,000', 'docs_btree', 'SELECT count(*) FROM (SELECT FROM docs WHERE large = $2 ORDER BY fp <%> $1 LIMIT 10) AS x', 'large'),
	(6, '0.8, tenant of 10,000', 'docs_large', 'SELECT count(*) FROM docs WHERE large = $2 AND minhash_similar(fp, $1, 0.8)', 'large'),
	(7, '0.5, tenant of 10,000', 'docs_large', 'SELECT count(*) FROM docs WHERE large = $2 AND minhash_similar(fp, $1, 0.5)', 'large'),
	(8, '10 nearest, tenant of 10', 'docs_small', 'SELECT count(*) FROM (SELECT FROM docs WHERE small = $2 ORDER BY fp <%> $1 LIMIT 10) AS x', 'small'),
	(9, '0.8, tenant of 10', 'docs_small', 'SELECT count(*) FROM docs WHERE small = $2 AND minhash_similar(fp, $1, 0.8)', 'small'),
	(10, '0.5, tenant of 10', 'docs_small', 'SELECT count(*) FROM docs WHERE small = $2 AND minhash_similar(fp, $1, 0.5)', 'small')) AS q (n, what, index, query, key),
	LATERAL search_ms(index, query, key) AS s
ORDER BY n;
UPDATE pg_catalog.pg_index SET indisvalid = true WHERE indrelid = 'docs'::regclass;

-- Inserts of 20,000 rows into a table of :rows, the median of five.
CREATE FUNCTION insert_us(definition text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	times float8[] := '{}';
BEGIN
	CREATE TABLE target AS SELECT large, small, fp FROM docs;
	EXECUTE coalesce('CREATE INDEX ON target USING sketch ' || definition, 'SELECT 1');
	FOR i IN 0 .. 5 LOOP
		times := times || cost_us('INSERT INTO target SELECT large, small, fp FROM docs WHERE id < 20000') / 20000;
	END LOOP;
	DROP TABLE target;
	RETURN median(times[2:]);
END $$;
SELECT insert_us(NULL) AS no_index \gset
\echo microseconds of processor time that an index adds to an insert
SELECT definition, round(insert_us(definition) - :no_index, 2) AS us FROM unnest('{(fp),"(large, fp)","(small, fp)"}'::text[]) AS definition;
