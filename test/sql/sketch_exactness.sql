-- A condition on a similarity or a distance finds every row that a scan of the table finds, whatever indexes of the column there are, on whichever side
-- of a join and at whichever level of a hierarchy, and whatever their recall becomes after planning.
\set SHOW_CONTEXT never
CREATE SCHEMA sketch_exactness_test;
SET search_path = sketch_exactness_test, public, txtfp;
SET jit = off;
SET max_parallel_workers_per_gather = 0;
-- groups of eight sketches, whose similarities to the first are 1 to 0.5
CREATE FUNCTION sketch_of(cluster int, n int) RETURNS minhash128 LANGUAGE sql IMMUTABLE AS $$
	SELECT to_minhash128(array_agg(CASE WHEN j <= 20 - n % 8 THEN 'w' || cluster || '-' || j ELSE 'v' || n || '-' || j END)) FROM generate_series(1, 20) AS j $$;
CREATE TABLE docs AS SELECT n AS id, sketch_of(n / 8, n) AS fp FROM generate_series(1, 12000) AS n;
CREATE TABLE queries AS SELECT n AS id, sketch_of(n, 0) AS fp FROM generate_series(1, 20) AS n;
SELECT fp AS q FROM queries WHERE id = 1 \gset

-- the rows that the indexes find of those that a scan finds, by a plan of the planner's choice, and without scans of the tables
CREATE FUNCTION found(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	chosen bigint; by_index bigint; by_scan bigint;
BEGIN
	EXECUTE query INTO chosen;
	PERFORM set_config('enable_seqscan', 'off', true);
	EXECUTE query INTO by_index;
	PERFORM set_config('enable_seqscan', 'on', true), set_config('enable_indexscan', 'off', true), set_config('enable_bitmapscan', 'off', true);
	EXECUTE query INTO by_scan;
	PERFORM set_config('enable_indexscan', 'on', true), set_config('enable_bitmapscan', 'on', true);
	RETURN format('%s and %s of %s', chosen, by_index, by_scan);
END $$;
-- the same of conditions with ten constants
CREATE FUNCTION of_table(name text, VARIADIC conditions text[] DEFAULT '{jaccard(fp\, %L) >= 0.9,fp <%%> %L < 0.45}') RETURNS text LANGUAGE sql
RETURN (SELECT string_agg(found(format('SELECT sum(n) FROM (%s) AS x (n)', counts)), ', ' ORDER BY condition) FROM (SELECT condition, string_agg(format('SELECT count(*) FROM %s WHERE ' || condition, name, fp), ' UNION ALL ') AS counts
	FROM unnest(conditions) AS condition, sketch_exactness_test.queries WHERE id <= 10 GROUP BY condition) AS q);
CREATE FUNCTION of_join(a text, b text) RETURNS text LANGUAGE sql RETURN
	found(format('SELECT count(*) FROM %s AS a JOIN %s AS b ON jaccard(a.fp, b.fp) >= 0.9', a, b)) || ', ' || found(format('SELECT count(*) FROM %s AS a JOIN %s AS b ON a.fp <%%> b.fp < 0.45', a, b));

-- an index that may miss rows: GIN, and sketch with a recall, beside an exact one and alone
CREATE TABLE one AS TABLE docs;
CREATE INDEX one_sketch ON one USING sketch (fp);
CREATE INDEX one_gin ON one USING gin (fp minhash128_lsh_ops (threshold = 0.9, recall = 0.5));
ANALYZE one, queries;
SELECT of_table('one');
ALTER INDEX one_sketch SET (recall = 0.05);
SELECT of_table('one');
DROP INDEX one_gin;
SELECT of_table('one');
ALTER INDEX one_sketch RESET (recall);
SET txtfp.sketch_recall = 0.05;
SELECT of_table('one');
RESET txtfp.sketch_recall;

-- of a partition, of a child
CREATE TABLE parts (id int, fp minhash128) PARTITION BY RANGE (id);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (9000);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (9000) TO (20000);
INSERT INTO parts TABLE docs;
CREATE INDEX ON parts USING sketch (fp);
CREATE INDEX parts_gin ON parts_1 USING gin (fp minhash128_lsh_ops (threshold = 0.9, recall = 0.5));
ANALYZE parts;
SELECT of_table('parts');
DROP INDEX parts_gin;
ALTER INDEX parts_1_fp_idx SET (recall = 0.05);
SELECT of_table('parts');
CREATE TABLE parent (id int, fp minhash128);
CREATE INDEX ON parent USING sketch (fp);
CREATE TABLE child () INHERITS (parent);
INSERT INTO child TABLE docs;
CREATE INDEX ON child USING gin (fp minhash128_lsh_ops (threshold = 0.9, recall = 0.5));
CREATE INDEX ON child USING sketch (fp) WITH (recall = 0.05);
ANALYZE parent, child;
SELECT of_table('parent');

-- on the other side of a join; in both arms of a union, in a view and a CTE
CREATE TABLE probes AS TABLE queries;
CREATE INDEX ON probes USING sketch (fp);
CREATE TABLE by_gin AS TABLE docs;
CREATE INDEX ON by_gin USING gin (fp minhash128_lsh_ops (threshold = 0.9, recall = 0.5));
CREATE TABLE by_bands AS TABLE docs;
CREATE INDEX by_bands_sketch ON by_bands USING sketch (fp) WITH (recall = 0.05);
ANALYZE probes, by_gin, by_bands;
SELECT tables > 0 AS has_bands FROM fingerprint_index_info('by_bands_sketch');
SELECT of_join('probes', 'by_gin'), of_join('by_gin', 'probes');
SELECT of_join('probes', 'by_bands'), of_join('by_bands', 'probes');
SELECT of_join('probes', 'parts'), of_join('probes', 'parent');
CREATE VIEW everything AS SELECT * FROM one UNION ALL SELECT * FROM by_gin UNION ALL SELECT * FROM by_bands UNION ALL SELECT id + 1, fp FROM parts;
SELECT of_table('everything');
SELECT of_table('(WITH w AS (SELECT * FROM everything) SELECT * FROM w) AS x');
SELECT of_table('by_bands', '(jaccard(fp, %L) >= 0.9 OR id < 100)', 'NOT (fp <%%> %L > 0.45)', 'id %% 2 = 0 AND (fp <%%> %L) < 0.45');
SELECT found('SELECT count(*) FROM probes AS p WHERE EXISTS (SELECT FROM by_bands AS b WHERE jaccard(b.fp, p.fp) BETWEEN 0.55 AND 0.6)');
SELECT found('SELECT count(*) FROM probes AS p WHERE NOT EXISTS (SELECT FROM by_bands AS b WHERE jaccard(b.fp, p.fp) >= 0.55 AND jaccard(b.fp, p.fp) <= 0.6)');
SELECT found('SELECT count(*) FROM probes AS p, LATERAL (SELECT FROM by_bands AS b WHERE b.fp <%> p.fp < 0.45 OFFSET 0) AS n');

-- an index on an expression that only relabels the column
CREATE DOMAIN print AS minhash128;
CREATE TABLE of_domain AS SELECT id, fp::print AS fp FROM docs;
CREATE INDEX ON of_domain USING sketch (fp);
CREATE INDEX ON of_domain USING gin ((fp::minhash128) minhash128_lsh_ops (threshold = 0.9, recall = 0.5));
ANALYZE of_domain;
SELECT of_table('of_domain');

-- a prepared statement keeps its plan when the index, or the session, becomes inexact
SET enable_seqscan = off;
PREPARE p AS SELECT count(*) FROM by_bands WHERE jaccard(fp, :'q') >= 0.55;
ALTER INDEX by_bands_sketch RESET (recall);
EXECUTE p;
ALTER INDEX by_bands_sketch SET (recall = 0.05);
EXECUTE p;
EXPLAIN (COSTS OFF) SELECT b.id FROM queries AS q JOIN by_bands AS b ON jaccard(b.fp, q.fp) >= 0.55 WHERE q.id = 7;
ALTER INDEX by_bands_sketch RESET (recall);
SET txtfp.sketch_recall = 0.05;
EXECUTE p;
PREPARE of_parameter (minhash128) AS SELECT count(*) FROM by_bands WHERE fp <%> $1 < 0.45;
SET plan_cache_mode = force_generic_plan;
EXECUTE of_parameter (:'q');
RESET txtfp.sketch_recall;
EXECUTE of_parameter (:'q');
RESET plan_cache_mode;
-- a search by % or minhash_similar may still miss rows there
SET txtfp.sketch_recall = 0.05;
SELECT (SELECT count(*) FROM probes AS p JOIN by_bands AS b ON minhash_similar(b.fp, p.fp, 0.55)) < (SELECT count(*) FROM probes AS p JOIN by_bands AS b ON jaccard(b.fp, p.fp) >= 0.55) AS "fewer";
RESET txtfp.sketch_recall;
RESET enable_seqscan;
SET client_min_messages = warning;
DROP SCHEMA sketch_exactness_test CASCADE;
