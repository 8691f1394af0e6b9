-- The band directory of the access method sketch: searches by it find what the table holds, whatever has been written, deleted and
-- merged; exact unless less is asked for.
\set SHOW_CONTEXT never
CREATE SCHEMA bands_test;
SET search_path = bands_test, public, txtfp;
SET jit = off;
SET max_parallel_workers_per_gather = 0;

-- families of eight texts, each of which shares less with the first one
CREATE FUNCTION words(n int) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
	SELECT array_agg(CASE WHEN i <= n % 8 * 4 THEN n * 100 + 7 ELSE n / 8 * 100000 END + i || '') FROM generate_series(1, 60) AS i $$;
CREATE TABLE docs (id int, m64 minhash64, m128 minhash128, m256 minhash256, c128 minhash128_compact) WITH (autovacuum_enabled = off);
CREATE FUNCTION put(first int, last int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO docs SELECT id, to_minhash64(w), to_minhash128(w), CASE WHEN id % 4 = 1 THEN to_minhash256(w) END, to_minhash128_compact(w) FROM generate_series(first, last) AS id, LATERAL (SELECT words(id) OFFSET 0) AS x (w) $$;
SELECT put(1, 16000);
INSERT INTO docs (id) SELECT -i FROM generate_series(1, 50) AS i;
CREATE INDEX docs_m64 ON docs USING sketch (m64);
CREATE INDEX docs_m128 ON docs USING sketch (m128);
CREATE INDEX docs_m256 ON docs USING sketch (m256);
CREATE INDEX docs_c128 ON docs USING sketch (c128);
ANALYZE docs;
SELECT i, bands, tables, covered_rows > 14000 AS covered, other_rows < 300 AS others, table_bytes / (bands * CASE i WHEN 'docs_m256' THEN 4000 ELSE 16000 END) AS per_band, free_bytes FROM unnest('{docs_m64, docs_m128, docs_m256, docs_c128}'::text[]) AS i, fingerprint_index_info(i::regclass);
SELECT sketch_check('docs_m64', true), sketch_check('docs_m128', true), sketch_check('docs_m256', true), sketch_check('docs_c128', true);

-- Pages that a query reads, which is what tells a search by bands from one by all groups.
CREATE FUNCTION pages_read(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ' || query INTO plan;
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ' || query INTO plan;
	RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::bigint + (plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::bigint;
END $$;
CREATE FUNCTION answer(query text, by_index boolean, bitmap boolean DEFAULT false) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	plan text := '';
	result text;
BEGIN
	PERFORM set_config('enable_seqscan', (NOT by_index)::text, true), set_config('enable_sort', (NOT by_index)::text, true),
		set_config('enable_indexscan', (by_index AND NOT bitmap)::text, true), set_config('enable_bitmapscan', bitmap::text, true);
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		plan := plan || line;
	END LOOP;
	IF by_index <> (plan ~ 'docs_(m64|m128|m256|c128)\M') THEN
		RAISE EXCEPTION 'plan: %', plan;
	END IF;
	EXECUTE query INTO result;
	RETURN result;
END $$;
-- For each probe and threshold the ids by the table, the index, a bitmap, and in order.
CREATE FUNCTION compare(every int DEFAULT 3244) RETURNS TABLE (name text, answers bigint, rows numeric, wrong bigint) LANGUAGE plpgsql AS $$
BEGIN
	FOREACH name IN ARRAY '{m64, m128, m256, c128}'::text[] LOOP
		RETURN QUERY EXECUTE format($q$
			WITH queries AS MATERIALIZED (
				SELECT format('SELECT count(*) || '' '' || coalesce(string_agg(id::text, '','' ORDER BY id), '''') FROM docs WHERE minhash_similar(%2$I, %%1$L, %%2$s)', %2$I, threshold) AS query,
					format('SELECT count(*) || '' '' || coalesce(string_agg(id::text, '','' ORDER BY id), '''') FROM (SELECT id FROM docs WHERE minhash_similar(%2$I, %%1$L, %%2$s) ORDER BY %2$I <%%%%> %%1$L) AS x', %2$I, threshold) AS in_order
				FROM docs, unnest('{1, 0.95, 0.9, 0.8, 0.7, 0.5}'::float8[]) AS threshold WHERE id %% %1$s = 1 AND id > 0),
			answers AS MATERIALIZED (SELECT answer(query, false) AS by_table, answer(query, true) AS by_index, answer(query, true, true) AS by_bitmap, answer(in_order, true) AS in_order FROM queries)
			SELECT %2$L, count(*), sum(split_part(by_table, ' ', 1)::numeric), count(*) FILTER (WHERE by_table <> by_index OR by_table <> by_bitmap OR by_table <> in_order) FROM answers $q$, every, name);
	END LOOP;
END $$;
-- as many probes as make 12 answers, in the long run three times as many
\getenv long TXTFP_LONG
\if :{?long}
\set step 1
\else
\set step 3
\endif
SELECT name, answers >= 12 AS many, rows > 12 AS found, wrong FROM compare(3244 * :step);

-- what reads few pages: thresholds from 0.8 on, equality, in order, several conditions; and the planner knows
SET enable_seqscan = off;
SELECT m64 AS q64, m128 AS q128, m256 AS q256, c128 AS qc FROM docs WHERE id = 8001 \gset
SELECT pages_read(format(query, :'q64', :'q128', :'q256', :'qc')) < CASE n WHEN 1 THEN 60 ELSE 90 END AS few, query FROM (VALUES
	(1, 'SELECT id FROM docs WHERE minhash_similar(m64, %1$L, 0.8)'), (2, 'SELECT id FROM docs WHERE minhash_similar(m128, %2$L, 0.8)'), (3, 'SELECT id FROM docs WHERE minhash_similar(m256, %3$L, 0.8)'),
	(4, 'SELECT id FROM docs WHERE minhash_similar(m128, %2$L, 1)'), (5, 'SELECT id FROM docs WHERE m128 %% %2$L'), (6, 'SELECT id FROM docs WHERE m128 = %2$L'),
	(7, 'SELECT id FROM docs WHERE minhash_similar(m128, %2$L, 0.9) ORDER BY m128 <%%> %2$L LIMIT 3'), (8, 'SELECT id FROM docs WHERE minhash_similar(m128, %2$L, 0.5) AND minhash_similar(m128, %2$L, 0.9)'),
	(9, 'SELECT id FROM docs WHERE minhash_similar(m128, %2$L, 0.7)'), (10, 'SELECT id FROM docs ORDER BY m128 <%%> %2$L LIMIT 3'), (11, 'SELECT id FROM docs WHERE m128 IS NULL'), (12, 'SELECT id FROM docs WHERE minhash_similar(c128, %4$L, 0.8)'), (13, 'SELECT id FROM docs WHERE minhash_similar(c128, %4$L, 0.7)')) AS q (n, query) ORDER BY n;
CREATE FUNCTION cost(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Total Cost';
END $$;
SELECT cost(format('SELECT id FROM docs WHERE minhash_similar(m128, %L, 0.8)', :'q128')) < 0.5 * cost(format('SELECT id FROM docs WHERE minhash_similar(m128, %L, 0.75)', :'q128')) AS cheaper;
SELECT cost('SELECT id FROM docs WHERE minhash_similar(m128, (SELECT to_minhash128(ARRAY[random()::text])), 0.8)') < 0.5 * cost('SELECT id FROM docs WHERE minhash_similar(m128, (SELECT to_minhash128(ARRAY[random()::text])), 0.75)') AS cheaper_by_parameter;

-- less than exact, by the session and by the index; exact again
SET txtfp.sketch_recall = 0.95;
SELECT pages_read(format('SELECT id FROM docs WHERE minhash_similar(m128, %L, 0.7)', :'q128')) < 90 AS few;
SELECT recall >= 0.9 AS found, promise FROM fingerprint_index_recall('docs_m128', 60, 0.7);
SELECT recall >= 0.9 AS found, promise FROM fingerprint_index_recall('docs_m64', 60, 0.7);
SELECT recall, promise FROM fingerprint_index_recall('docs_m64', 60, 0.8);
SELECT recall >= 0.9 AS found, promise FROM fingerprint_index_recall('docs_c128', 60, 0.7);
SET txtfp.sketch_recall = 1;
SELECT recall, promise FROM fingerprint_index_recall('docs_m128', 60, 0.7);
RESET txtfp.sketch_recall;
ALTER INDEX docs_m128 SET (recall = 0.9);
SELECT recall FROM fingerprint_index_info('docs_m128');
SELECT pages_read(format('SELECT id FROM docs WHERE minhash_similar(m128, %L, 0.7)', :'q128')) < 90 AS few;
SELECT recall >= 0.85 AS found, promise FROM fingerprint_index_recall('docs_m128', 60, 0.7);
SET txtfp.sketch_recall = 1;
SELECT pages_read(format('SELECT id FROM docs WHERE minhash_similar(m128, %L, 0.7)', :'q128')) < 90 AS few;
RESET txtfp.sketch_recall;
-- What the triggers find does not depend on what a session asks for.
CREATE TABLE guarded AS SELECT id, to_minhash128(words(id)) AS fp FROM generate_series(1, 16000) AS id;
CREATE INDEX guarded_fp ON guarded USING sketch (fp);
ANALYZE guarded;
CREATE TABLE fresh AS SELECT 100000 + n AS id, (SELECT to_minhash128(array_agg(CASE WHEN i > 48 THEN -n * 100 ELSE n / 8 * 100000 END + i || '')) FROM generate_series(1, 60) AS i) AS fp FROM generate_series(8, 2400, 8) AS n;
CREATE TABLE unlike AS SELECT id FROM fresh AS f WHERE NOT EXISTS (SELECT FROM guarded AS g WHERE minhash_similar(g.fp, f.fp, 0.6));
CREATE TRIGGER near_dup BEFORE INSERT ON guarded FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'threshold=0.6');
SET txtfp.sketch_recall = 0.01;
INSERT INTO guarded SELECT * FROM fresh;
SHOW txtfp.sketch_recall;
RESET txtfp.sketch_recall;
SELECT count(*) AS unlike, (SELECT count(*) FROM guarded WHERE id > 100000) AS written, count(*) FILTER (WHERE id NOT IN (SELECT id FROM guarded)) AS other FROM unlike;
-- nor what the check of clusters finds: here, before they are filled, all members
DROP TRIGGER near_dup ON guarded;
ALTER TABLE guarded ADD PRIMARY KEY (id);
CALL live_clusters_create('guarded', 'id', 'fp', 0.6);
SELECT count(*) AS members, count(*) > 100 AS many FROM live_clusters_check('guarded') \gset
SET txtfp.sketch_recall = 0.01;
SELECT :'many' AS many, count(*) = :members AS same FROM live_clusters_check('guarded');
RESET txtfp.sketch_recall;
CALL live_clusters_drop('guarded');
DROP TABLE guarded, fresh, unlike;
ALTER INDEX docs_m128 RESET (recall);
SELECT recall, promise FROM fingerprint_index_recall('docs_m128', 60, 0.7);

-- rows since: looked at, then merged by writers, then by vacuum
SELECT put(16001, 16500);
SELECT other_rows BETWEEN 500 AND 1000 AS others FROM fingerprint_index_info('docs_m128');
SELECT name, answers >= 12 AS many, rows > 12 AS found, wrong FROM compare(4120 * :step);
SELECT put(16501, 28000);
SELECT i, tables > 1 AS several, covered_rows > 20000 AS covered FROM unnest('{docs_m128, docs_m256}'::text[]) AS i, fingerprint_index_info(i::regclass);
SELECT sketch_check('docs_m64', true), sketch_check('docs_m128', true), sketch_check('docs_m256', true), sketch_check('docs_c128', true);
SELECT name, answers >= 12 AS many, rows > 12 AS found, wrong FROM compare(5144 * :step);
SELECT pages_read(format('SELECT id FROM docs WHERE minhash_similar(m128, %L, 0.8)', m128)) < 400 AS few FROM docs WHERE id IN (8001, 27001);
VACUUM docs;
SELECT i, tables <= 2 AS one_or_two, covered_rows > 26500 AS covered, other_rows < 1600 AS others, free_bytes > 0 AS free FROM unnest('{docs_m64, docs_m128, docs_m256, docs_c128}'::text[]) AS i, fingerprint_index_info(i::regclass);
SELECT sketch_check('docs_m64', true), sketch_check('docs_m128', true), sketch_check('docs_m256', true), sketch_check('docs_c128', true);
SELECT name, answers >= 12 AS many, rows > 12 AS found, wrong FROM compare(5144 * :step);

-- places of deleted rows are used again, by other values; then merged
CREATE TABLE sizes AS SELECT relname, pg_relation_size(oid) AS size, covered_rows FROM pg_class, fingerprint_index_info(oid) WHERE relname ~ '^docs_m';
DELETE FROM docs WHERE id BETWEEN 4000 AND 7000 OR id % 2 = 0;
VACUUM docs;
SELECT put(50001, 58000);
SELECT relname, i.covered_rows < s.covered_rows AS uncovered FROM sizes AS s, fingerprint_index_info(relname::text::regclass) AS i WHERE pg_relation_size(relname::text::regclass) <= size AND i.covered_rows < s.covered_rows ORDER BY relname;
SELECT sketch_check('docs_m64', true), sketch_check('docs_m128', true), sketch_check('docs_m256', true), sketch_check('docs_c128', true);
SELECT name, answers >= 12 AS many, rows > 12 AS found, wrong FROM compare(5144 * :step);
VACUUM docs;
SELECT put(60001, 61000);
DELETE FROM docs WHERE id % 7 = 0;
VACUUM docs;
SELECT sketch_check('docs_m64', true), sketch_check('docs_m128', true), sketch_check('docs_m256', true), sketch_check('docs_c128', true);
SELECT name, answers >= 12 AS many, rows > 12 AS found, wrong FROM compare(5144 * :step);

-- the space of tables that were replaced takes new groups and new tables
SELECT put(70001, 74000);
VACUUM docs;
SELECT put(80001, 84000);
VACUUM docs;
SELECT relname, pg_relation_size(relname::text::regclass) < 2.2 * size AS bounded FROM sizes ORDER BY relname;
SELECT sketch_check('docs_m64', true), sketch_check('docs_m128', true), sketch_check('docs_m256', true), sketch_check('docs_c128', true);
SELECT name, answers >= 12 AS many, rows > 12 AS found, wrong FROM compare(5144 * :step);

-- an index without a directory gets one by vacuum, unless it is not to have one; one that is too small has none
DROP INDEX docs_m64, docs_m128, docs_m256, docs_c128;
CREATE INDEX docs_m128 ON docs USING sketch (m128) WITH (bands = 0);
VACUUM docs;
SELECT tables, covered_rows FROM fingerprint_index_info('docs_m128') WHERE tables > 0;
SELECT pages_read(format('SELECT id FROM docs WHERE minhash_similar(m128, %L, 0.8)', :'q128')) > 200 AS many;
ALTER INDEX docs_m128 SET (bands = 20, recall = 0.9);
VACUUM docs;
SELECT bands, tables, covered_rows > 10000 AS covered FROM fingerprint_index_info('docs_m128');
SELECT pages_read(format('SELECT id FROM docs WHERE minhash_similar(m128, %L, 0.8)', :'q128')) < 90 AS few;
SELECT recall > 0.85 AS found FROM fingerprint_index_recall('docs_m128', 30, 0.8);
SELECT sketch_check('docs_m128', true) > 0 AS sound;
CREATE INDEX docs_few ON docs USING sketch (m128) WHERE id < 3000;
SELECT tables, covered_rows FROM fingerprint_index_info('docs_few') WHERE tables > 0;

-- rows that share bands by the thousands: all groups are looked at instead; a probe without such bands is quick
DROP TABLE docs;
CREATE TABLE docs (id int, m128 minhash128) WITH (autovacuum_enabled = off);
INSERT INTO docs SELECT i, to_minhash128(words(CASE WHEN i <= 10000 THEN 8 ELSE i END)) FROM generate_series(1, 15000) AS i;
INSERT INTO docs SELECT 20000 + i, to_minhash128((words(16))[1:58] || ARRAY['x' || i, 'y' || i]) FROM generate_series(1, 15000) AS i;
CREATE INDEX docs_m128 ON docs USING sketch (m128);
ANALYZE docs;
SELECT covered_rows > 28000 AS covered FROM fingerprint_index_info('docs_m128');
SELECT sketch_check('docs_m128', true);
SELECT id, threshold, answer(query, true) = answer(query, false) AS same, split_part(answer(query, true), ' ', 1)::int > 5000 AS many
FROM docs, unnest('{1, 0.9, 0.8}'::float8[]) AS threshold, format('SELECT count(*) || '' '' || sum(id) FROM docs WHERE minhash_similar(m128, %L, %s)', m128, threshold) AS query WHERE id IN (1, 12000, 20007) ORDER BY id, threshold;
SELECT pages_read(format('SELECT id FROM docs WHERE minhash_similar(m128, %L, 0.8)', m128)) < 90 AS few FROM docs WHERE id = 12000;

-- sorted on disk; temporary and unlogged; TRUNCATE; one transaction
SET maintenance_work_mem = '1MB';
REINDEX INDEX docs_m128;
SELECT sketch_check('docs_m128', true);
RESET maintenance_work_mem;
CREATE TEMP TABLE passing AS SELECT * FROM docs WHERE id <= 15000;
CREATE INDEX passing_m128 ON passing USING sketch (m128);
INSERT INTO passing SELECT * FROM docs WHERE id > 15000;
SELECT tables > 1 AS several FROM fingerprint_index_info('passing_m128');
SELECT sketch_check('passing_m128', true);
BEGIN;
CREATE UNLOGGED TABLE quick (id int, m128 minhash128);
CREATE INDEX quick_m128 ON quick USING sketch (m128);
INSERT INTO quick SELECT * FROM docs;
TRUNCATE quick;
SELECT tables FROM fingerprint_index_info('quick_m128');
INSERT INTO quick SELECT * FROM docs;
COMMIT;
SELECT tables > 0 AS some FROM fingerprint_index_info('quick_m128');
SELECT sketch_check('quick_m128', true);
ALTER TABLE quick SET LOGGED;
SELECT sketch_check('quick_m128', true);
CREATE TABLE nulls (m128 minhash128);
INSERT INTO nulls SELECT FROM generate_series(1, 9000);
CREATE INDEX nulls_m128 ON nulls USING sketch (m128);
SELECT sketch_check('nulls_m128', true);
SELECT count(*) FROM nulls WHERE minhash_similar(m128, :'q128', 0.9);
SELECT count(*) FROM nulls WHERE m128 IS NULL;

-- An index that is too small for bands: rows that vacuum has removed make room in each group, however few they are.
CREATE TABLE few (id int, fp minhash128) WITH (autovacuum_enabled = off);
INSERT INTO few SELECT id, to_minhash128(ARRAY['w' || id, 'x' || id]) FROM generate_series(1, 2000) AS id;
CREATE INDEX few_fp ON few USING sketch (fp);
SELECT other_rows AS room, pg_relation_size('few_fp') AS size FROM fingerprint_index_info('few_fp') \gset
DELETE FROM few WHERE id <= 3;
VACUUM (INDEX_CLEANUP on) few;
INSERT INTO few SELECT -id, to_minhash128(ARRAY['y' || id, 'z' || id]) FROM generate_series(1, :room - 1997) AS id;
SELECT pg_relation_size('few_fp') - :size AS grown, other_rows - :room AS added, sketch_check('few_fp', true) FROM fingerprint_index_info('few_fp');
INSERT INTO few SELECT 5000, fp FROM few WHERE id = 5;
SELECT pg_relation_size('few_fp') > :size AS grown FROM fingerprint_index_info('few_fp');
DROP TABLE few;

-- what is refused
CREATE INDEX ON docs USING sketch (m128) WITH (bands = 33);
CREATE INDEX ON docs USING sketch (m128) WITH (bands = -1);
CREATE INDEX ON docs USING sketch (m128) WITH (recall = 0);
CREATE INDEX ON docs USING sketch (m128) WITH (bands = 32, recall = 1, rows = 4);
CREATE TABLE others (s simhash64);
CREATE INDEX ON others USING sketch (s) WITH (bands = 4);
CREATE INDEX ON others USING sketch (s) WITH (recall = 0.9);
CREATE INDEX others_s ON others USING sketch (s) WITH (bands = 0, recall = 1);
SELECT bands, rows, tables, covered_rows, other_rows, table_bytes, free_bytes FROM fingerprint_index_info('others_s');
SET txtfp.sketch_recall = 2;
SET txtfp.sketch_recall = -0.5;
SET txtfp.sketch_recall = -1;
RESET txtfp.sketch_recall;
SET client_min_messages = warning;
DROP SCHEMA bands_test CASCADE;
