-- Plans that once were wrong: distance 0, a threshold that is a parameter, EXISTS, the operator class option threshold
\set SHOW_CONTEXT never
SET jit = off;
SET plan_cache_mode = auto; -- what is tested is the choice between generic and custom plans
CREATE TABLE docs AS SELECT i AS id, body, to_minhash128(body, 'word-uax29') AS m, to_simhash64(body) AS s, to_tlsh(body) AS t
FROM (SELECT i, (SELECT string_agg(md5((i / 5 * 50 + k + CASE WHEN k < 3 THEN i % 5 * 1000000 ELSE 0 END)::text), ' ') FROM generate_series(1, 40) AS k) AS body FROM generate_series(1, 10000) AS i) AS d;
UPDATE docs SET s = o.s, t = o.t FROM docs AS o WHERE o.id = docs.id - 1 AND docs.id % 10 = 0;
CREATE INDEX docs_m ON docs USING gin (m);
VACUUM FULL ANALYZE docs;
\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/include/plans.sql'
\set ECHO none
\i :include
\set ECHO all

-- Distance 0 is equality, which every class of index serves: constants, subqueries, joins
CREATE FUNCTION equal_rows(column_name text, definition text) RETURNS TABLE (index text, query text, used text, same bool) LANGUAGE plpgsql AS $$
DECLARE
	value text;
	by_index text;
	by_scan text;
BEGIN
	EXECUTE format('CREATE INDEX docs_zero ON docs USING %s', definition);
	EXECUTE format('SELECT quote_literal(%I) FROM docs WHERE id = 1000', column_name) INTO value;
	FOREACH query IN ARRAY ARRAY[
		format('SELECT id FROM docs WHERE %s_similar(%s, %s, 0)', CASE column_name WHEN 's' THEN 'simhash' ELSE 'tlsh' END, column_name, value),
		format('SELECT id FROM docs WHERE %s = (SELECT %1$s FROM docs WHERE id = 1000)', column_name),
		format('SELECT d.id FROM docs AS p, LATERAL (SELECT id FROM docs WHERE %s_similar(docs.%s, p.%2$s, 0) OFFSET 0) AS d WHERE p.id IN (999, 5000)', CASE column_name WHEN 's' THEN 'simhash' ELSE 'tlsh' END, column_name)
	] LOOP
		index := definition;
		SET LOCAL enable_seqscan = off;
		used := index_of(query);
		EXECUTE format('SELECT string_agg(id::text, '','' ORDER BY id) FROM (%s) AS q', query) INTO by_index;
		SET LOCAL enable_seqscan = on;
		SET LOCAL enable_bitmapscan = off;
		SET LOCAL enable_indexscan = off;
		EXECUTE format('SELECT string_agg(id::text, '','' ORDER BY id) FROM (%s) AS q', query) INTO by_scan;
		SET LOCAL enable_bitmapscan = on;
		SET LOCAL enable_indexscan = on;
		same := by_index = by_scan;
		query := left(query, 40);
		query := regexp_replace(query, '''.*', 'q');
		RETURN NEXT;
	END LOOP;
	DROP INDEX docs_zero;
END $$;
SELECT r.* FROM (VALUES ('s', 'gin (s)'), ('s', 'gin (s simhash64_ops (compact = true))'), ('t', 'sketch (t)'), ('s', 'btree (s)'), ('t', 'hash (t)')) AS v (c, d), equal_rows(c, d) AS r;
-- by default, not only with sequential scans disabled
CREATE INDEX docs_s ON docs USING gin (s);
CREATE INDEX docs_t ON docs USING sketch (t);
SELECT s, t, m FROM docs WHERE id = 1000 \gset
SELECT index_of(format('SELECT FROM docs WHERE simhash_similar(s, %L, 0)', :'s')) AS simhash, index_of(format('SELECT FROM docs WHERE tlsh_similar(t, %L, 0)', :'t')) AS tlsh;

-- A threshold that is a parameter: each execution gets the plan for its value, out of reach or not
PREPARE search (minhash128, float8) AS SELECT count(*) FROM docs WHERE minhash_similar(m, $1, $2);
PREPARE hamming (simhash64, int) AS SELECT count(*) FROM docs WHERE simhash_similar(s, $1, $2);
CREATE FUNCTION plans(first text, then_ text, times int) RETURNS TABLE (first_plan text, then_plan text) LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR i IN 1 .. times LOOP
		EXECUTE first;
	END LOOP;
	RETURN QUERY SELECT index_of(first), index_of(then_);
END $$;
SELECT * FROM plans(format('EXECUTE search(%L, 0.2)', :'m'), format('EXECUTE search(%L, 0.8)', :'m'), 8);
DEALLOCATE search;
PREPARE search (minhash128, float8) AS SELECT count(*) FROM docs WHERE minhash_similar(m, $1, $2);
SELECT * FROM plans(format('EXECUTE search(%L, 0.8)', :'m'), format('EXECUTE search(%L, 0.2)', :'m'), 8);
SELECT generic_plans, custom_plans > 8 AS custom FROM pg_prepared_statements WHERE name = 'search';
SELECT * FROM plans(format('EXECUTE hamming(%L, 40)', :'s'), format('EXECUTE hamming(%L, 3)', :'s'), 8);
-- a generic plan also uses the index
SET plan_cache_mode = force_generic_plan;
SELECT index_of(format('EXECUTE search(%L, 0.8)', :'m')), index_of(format('EXECUTE search(%L, 0.2)', :'m'));
PREPARE first_one (minhash128, float8) AS SELECT id FROM docs WHERE minhash_similar(m, $1, $2) LIMIT 1;
SELECT index_of(format('EXECUTE first_one(%L, 0.8)', :'m'));
SET plan_cache_mode = auto;
CREATE FUNCTION matches(q minhash128, lowest float8) RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM docs WHERE minhash_similar(m, q, lowest)';
SELECT lowest, matches(:'m', lowest) = (SELECT count(*) FROM docs WHERE jaccard(m, :'m') >= lowest) AS same FROM unnest('{0.1,0.5,0.8,1}'::float8[]) AS lowest;

-- EXISTS, NOT EXISTS, IN: estimated within a factor of ten. A fifth of the documents have a near-duplicate among the odd fifth.
CREATE TABLE probes AS SELECT id, m, s, t FROM docs WHERE id % 25 = 3;
ANALYZE probes;
CREATE TABLE semi (query text);
INSERT INTO semi VALUES
	('SELECT FROM docs AS d WHERE EXISTS (SELECT FROM probes AS p WHERE minhash_similar(d.m, p.m, 0.8))'),
	('SELECT FROM docs AS d WHERE EXISTS (SELECT FROM docs AS p WHERE minhash_similar(d.m, p.m, 0.8) AND p.id <> d.id)'),
	('SELECT FROM docs AS d WHERE EXISTS (SELECT FROM docs AS p WHERE d.m % p.m AND p.id <> d.id)'),
	('SELECT FROM docs AS d WHERE NOT EXISTS (SELECT FROM probes AS p WHERE minhash_similar(d.m, p.m, 0.8))'),
	('SELECT FROM docs AS d WHERE EXISTS (SELECT FROM probes AS p WHERE simhash_similar(d.s, p.s, 7))'),
	('SELECT FROM docs AS d WHERE EXISTS (SELECT FROM probes AS p WHERE tlsh_similar(d.t, p.t, 20))');
CREATE FUNCTION rows_of(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE 'SELECT count(*) FROM (' || query || ') AS q' INTO n;
	RETURN n;
END $$;
SELECT substring(query, 18) AS query, rows, estimate(query) BETWEEN rows / 10.0 AND rows * 10.0 AS within FROM semi, LATERAL (SELECT rows_of(query) AS rows OFFSET 0) AS r;
-- threshold 0 is every row
SELECT estimate(format('SELECT FROM docs WHERE minhash_similar(m, %L, 0)', :'m')) = 10000 AS "every row";

-- The option threshold finds the same rows as the banding that it chooses
CREATE TABLE banded AS SELECT id, m FROM docs;
CREATE INDEX banded_threshold ON banded USING gin (m minhash128_lsh_ops (threshold = 0.7, recall = 0.95));
VACUUM ANALYZE banded;
SET enable_seqscan = off;
SELECT index_of(format('SELECT FROM banded WHERE minhash_similar(m, %L, 0.7)', :'m')) AS index, (SELECT count(*) FROM banded WHERE minhash_similar(m, :'m', 0.7)) = (SELECT count(*) FROM docs WHERE jaccard(m, :'m') >= 0.7) AS same;
-- several sizes, thresholds and recalls in one session: each has its own banding
CREATE TABLE several AS SELECT id, to_minhash64(body) AS a, to_minhash256(body) AS c, m AS b FROM docs WHERE id <= 300;
SELECT format('CREATE INDEX ON several USING gin (%s minhash%s_lsh_ops (threshold = %s, recall = %s))', c, h, t, r) FROM (VALUES ('a', 64), ('b', 128), ('c', 256)) AS v (c, h), unnest('{0.6,0.7,0.8,0.9}'::text[]) AS t, unnest('{0.95,0.99}'::text[]) AS r ORDER BY 1 \gexec
SELECT v.*, (SELECT count(*) FROM several AS p JOIN several AS d ON minhash_similar(d.b, p.b, v)) >= 0.95 * (SELECT count(*) FROM several AS p JOIN several AS d ON jaccard(d.b, p.b) >= v) AS found
FROM unnest('{0.8,0.9}'::float8[]) AS v;
RESET enable_seqscan;

-- Boilerplate: each row shares 33 of 40 tokens with all others, Jaccard 0.70. A search through the index would visit most rows, so the
-- table is scanned, where ANALYZE has seen them, and unless scans are disabled; at 0.95 the index asks for more bands.
CREATE TABLE boiler AS SELECT i AS id, to_minhash128(array(SELECT 'x' || t FROM generate_series(1, 33) AS t) || array(SELECT 'y' || i || ' ' || t FROM generate_series(1, 7) AS t)) AS fp
FROM generate_series(1, 5000) AS i;
CREATE INDEX boiler_fp ON boiler USING gin (fp) WITH (fastupdate = off);
SELECT format('SELECT FROM boiler WHERE minhash_similar(fp, %L, 0.8)', fp) AS search, format('SELECT FROM boiler WHERE minhash_similar(fp, %L, 0.95)', fp) AS near FROM boiler WHERE id = 77 \gset
SELECT index_of(:'search') AS "not analyzed";
VACUUM ANALYZE boiler;
SELECT index_of(:'search') AS "at 0.8", index_of(:'near') AS "at 0.95", index_of('SELECT FROM docs AS p JOIN boiler AS d ON minhash_similar(d.fp, p.m, 0.8) WHERE p.id < 5') AS "join";
SELECT rows_of(:'search') AS scanned \gset
SET enable_seqscan = off;
SELECT index_of(:'search') AS "scans disabled", rows_of(:'search') = :scanned AS same;
RESET enable_seqscan;

-- Sizes that are NaN
SELECT minhash_containment(m, m, 'Infinity', 1) FROM docs LIMIT 1;
SELECT minhash_intersection_estimate(m, m, 1, 'NaN') FROM docs LIMIT 1;

-- Shingles of shingles, and large arrays, can be cancelled: in seconds of processor time, or of the clock where there is no /proc
CREATE FUNCTION used() RETURNS float8 LANGUAGE sql VOLATILE AS $$
SELECT coalesce((SELECT split_part(s, ' ', 12)::int + split_part(s, ' ', 13)::int FROM regexp_replace(pg_read_file('/proc/self/stat', 0, 1000, true), '^.*\) ', 'x ') AS s) / 100.0, extract(epoch FROM clock_timestamp())) $$;
CREATE FUNCTION stopped(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	started float8 := used();
BEGIN
	EXECUTE statement;
	RETURN 'finished';
EXCEPTION WHEN query_canceled THEN
	RETURN CASE WHEN used() - started < 10 THEN 'stopped' ELSE 'late' END;
END $$;
SET statement_timeout = '1s';
SELECT stopped($$SELECT to_minhash64(repeat('some words ', 3000000), 'shingle-k=1000/shingle-k=1000/shingle-k=1000/shingle-k=1000/word-uax29')$$);
RESET statement_timeout;

DROP TABLE docs, probes, semi, banded, several, boiler;
DROP FUNCTION equal_rows, plans, matches, rows_of, stopped, used, estimate, index_of, plan_nodes;
