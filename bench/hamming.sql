-- Measures simhash64_ops in both layouts and the sequential scan. Run by bench/hamming.sh.
-- The data: random values, and around each probe ten planted near-duplicates at distances 1 to 3.

\ir tools.sql

CREATE TABLE docs AS SELECT i AS id, hashint8extended(i, 42)::simhash64 AS fp FROM generate_series(1::bigint, :rows) AS i;
CREATE TABLE probes AS SELECT row_number() OVER (ORDER BY id)::int AS n, fp FROM docs WHERE id % (:rows / :probes) = 0;
INSERT INTO docs
SELECT :rows + 10 * n + copy,
	(fp::bigint # (1::bigint << copy * 5) # (1::bigint << (copy * 5 + copy % 3 * 3)) # (1::bigint << (copy * 7 + 3)))::simhash64
FROM probes, generate_series(0, 9) AS copy;
VACUUM ANALYZE docs;
VACUUM ANALYZE probes;

CREATE TABLE result (ord int GENERATED ALWAYS AS IDENTITY, layout text, what text, value numeric, unit text, note text);

-- Times one search per probe and records the median; the note has the number of rows found and the plan.
CREATE PROCEDURE measure(layout text, what text, search text, how_many int) LANGUAGE plpgsql AS $$
DECLARE
	probe probes;
	started timestamptz;
	times float8[] := '{}';
	found bigint;
	hits bigint := 0;
	line text;
	plan text := '';
BEGIN
	EXECUTE format('CREATE OR REPLACE FUNCTION search(q simhash64) RETURNS bigint LANGUAGE plpgsql AS %L',
		format('DECLARE found bigint; BEGIN SELECT count(*) INTO found FROM %s AS f; RETURN found; END', search));
	FOR line IN EXECUTE 'EXPLAIN SELECT count(*) FROM ' || replace(search, 'q', '''0123456789abcdef''') || ' AS f' LOOP
		plan := plan || line;
	END LOOP;
	FOR probe IN SELECT * FROM probes ORDER BY n LIMIT how_many LOOP
		started := clock_timestamp();
		found := search(probe.fp);
		times := times || milliseconds_since(started);
		hits := hits + found;
	END LOOP;
	INSERT INTO result (layout, what, value, unit, note)
	SELECT layout, what, percentile_cont(0.5) WITHIN GROUP (ORDER BY t), 'ms', format('%s rows each; %s', round(hits::numeric / how_many, 1),
		CASE WHEN plan ~ 'Bitmap Index' THEN 'index' WHEN plan ~ 'Function Scan' THEN 'function' ELSE 'scan' END) FROM unnest(times) AS t;
END $$;

CREATE PROCEDURE measure_all(layout text, how_many int) LANGUAGE plpgsql AS $$
DECLARE
	d int;
BEGIN
	FOREACH d IN ARRAY '{3,7,11,15}'::int[] LOOP
		CALL measure(layout, format('within %s', d), format('(SELECT FROM docs WHERE simhash_similar(fp, q, %s))', d), how_many);
	END LOOP;
END $$;

CREATE PROCEDURE build(layout text, options text) LANGUAGE plpgsql AS $$
DECLARE
	started timestamptz := clock_timestamp();
BEGIN
	EXECUTE format('CREATE INDEX docs_fp ON docs USING gin (fp simhash64_ops %s) WITH (fastupdate = off)', options);
	INSERT INTO result (layout, what, value, unit, note)
	VALUES (layout, 'build', milliseconds_since(started) / 1000, 's', pg_size_pretty(pg_relation_size('docs_fp')));
END $$;

\echo without an index
CALL measure_all('none', 20);
\echo wide
CALL build('wide', '');
VACUUM ANALYZE docs;
CALL measure_all('warm-up', 50);
CALL measure_all('wide', :probes);
DROP INDEX docs_fp;
\echo compact
CALL build('compact', '(compact = true)');
VACUUM ANALYZE docs;
CALL measure_all('warm-up', 50);
CALL measure_all('compact', :probes);

SELECT r.layout, r.what, round(r.value, 3) AS median, r.unit, r.note, round(s.value / r.value, 1) AS "scan / this"
FROM result AS r LEFT JOIN result AS s ON s.layout = 'none' AND s.what = r.what
WHERE r.layout <> 'warm-up' ORDER BY r.ord;
