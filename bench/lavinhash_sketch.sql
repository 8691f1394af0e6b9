\ir tools.sql

-- Of a family of ten, member m has m × 2 of its 100 lines replaced.
CREATE TABLE docs AS SELECT i AS id, fp FROM generate_series(1, :rows) AS i, LATERAL (
	SELECT to_lavinhash(string_agg(md5(CASE WHEN j * 37 % 100 < i % 10 * 2 THEN i::bigint * 1000 + j + (1::bigint << 40) ELSE (i / 10)::bigint * 1000 + j END::text), E'\n' ORDER BY j)) AS fp
	FROM generate_series(1, 100) AS j OFFSET 0) AS made;
\timing on
CREATE INDEX docs_gin ON docs USING gin (fp lavinhash_lsh_ops) WITH (fastupdate = off);
CREATE INDEX docs_sketch ON docs USING sketch (fp);
\timing off
VACUUM (ANALYZE) docs;
SELECT pg_size_pretty(pg_table_size('docs')) AS "table", pg_size_pretty(pg_relation_size('docs_gin')) AS gin, pg_size_pretty(pg_relation_size('docs_sketch')) AS sketch, reach AS "least score of gin"
FROM fingerprint_index_info('docs_gin');

-- GIN is read by bitmap scans alone; a sketch index by plain ones here.
CREATE FUNCTION use_scan(scan text) RETURNS void LANGUAGE sql AS $$
	SELECT set_config('enable_seqscan', CASE WHEN scan = 'any' THEN 'on' ELSE 'off' END, false), set_config('enable_bitmapscan', CASE WHEN scan IN ('any', 'gin') THEN 'on' ELSE 'off' END, false),
		set_config('enable_indexscan', CASE WHEN scan IN ('any', 'sketch') THEN 'on' ELSE 'off' END, false)
$$;
CREATE FUNCTION scan_of(query text) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(substring(plan_of(query), 'docs_gin|docs_sketch'), 'table')
$$;
CREATE TABLE queries (n int, label text, query text);
INSERT INTO queries SELECT score, 'score ' || score, 'SELECT count(*) FROM docs WHERE lavinhash_similar(fp, %L, ' || score || ')' FROM generate_series(30, 90, 10) AS score
UNION ALL VALUES (100, 'ten nearest', 'SELECT count(*) FROM (SELECT id FROM docs ORDER BY fp <-> %L LIMIT 10) AS t'),
	(101, 'ten nearest of score 80', 'SELECT count(*) FROM (SELECT id FROM docs WHERE lavinhash_similar(fp, %1$L, 80) ORDER BY fp <-> %1$L LIMIT 10) AS t');
CREATE TABLE times (n int, scan text, used text, us float8, found bigint);
CREATE PROCEDURE measure(probes int, of_rows int) LANGUAGE plpgsql AS $$
DECLARE
	probe lavinhash;
	asked record;
	kind text;
	statement text;
	started float8;
	number bigint;
	used text;
BEGIN
	FOR p IN 1 .. probes LOOP
		SELECT fp INTO probe FROM docs WHERE id = 1 + (p::bigint * 7919 * 104729) % of_rows;
		FOR asked IN SELECT * FROM queries ORDER BY n LOOP
			statement := format(asked.query, probe);
			FOREACH kind IN ARRAY CASE WHEN p % 2 = 0 THEN '{any,gin,sketch}' ELSE '{sketch,gin,any}' END::text[] LOOP
				PERFORM use_scan(kind);
				used := scan_of(statement);
				CONTINUE WHEN kind <> 'any' AND used <> 'docs_' || kind; -- it cannot serve the search
				started := cpu_us();
				EXECUTE statement INTO number;
				INSERT INTO times VALUES (asked.n, kind, used, cpu_us() - started, number);
			END LOOP;
		END LOOP;
		COMMIT;
	END LOOP;
END $$;
CALL measure(:probes, :rows);
SELECT use_scan('any') \g /dev/null
\echo processor ms of a search (median), rows found (mean), and which scan the planner takes
SELECT label, round(g.us / 1000, 3) AS gin, round(s.us / 1000, 3) AS sketch, round(s.us / g.us, 2) AS "sketch / gin", round(a.us / 1000, 3) AS chosen, a.used AS scans, round(g.found, 1) AS found_gin, round(s.found, 1) AS found_sketch
FROM queries
	LEFT JOIN (SELECT n, median(array_agg(us)) AS us, avg(found) AS found FROM times WHERE scan = 'gin' GROUP BY n) AS g USING (n)
	LEFT JOIN (SELECT n, median(array_agg(us)) AS us, avg(found) AS found FROM times WHERE scan = 'sketch' GROUP BY n) AS s USING (n)
	LEFT JOIN (SELECT n, median(array_agg(us)) AS us, string_agg(DISTINCT used, ', ') AS used FROM times WHERE scan = 'any' GROUP BY n) AS a USING (n)
ORDER BY n;
DROP SCHEMA :schema CASCADE;
