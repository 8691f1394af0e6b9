-- GIN operator classes minhash64_lsh_ops, minhash128_lsh_ops, minhash256_lsh_ops
\set SHOW_CONTEXT never
SET extra_float_digits = 0; -- reduce noise
SET jit = off;

SELECT amname, opcname, amvalidate(pg_opclass.oid) AS valid
FROM pg_opclass JOIN pg_am ON pg_am.oid = opcmethod WHERE opcname LIKE 'minhash%' AND opcname NOT LIKE '%compact%' ORDER BY amname COLLATE "C", length(opcname), opcname COLLATE "C";

-- 3000 documents of 120 words. The first 1000 are in clusters of five: 0, 3, 8, 14 or 20 words at the end of a text are
-- its own, which makes similarities of 1, 0.95, 0.87, 0.79, 0.71 between shingle sets.
CREATE FUNCTION body(id int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT string_agg(format('c%sn%s', CASE WHEN id <= 1000 THEN (id - 1) / 5 ELSE id END,
		CASE WHEN n > 120 - ('{0,3,8,14,20}'::int[])[(id - 1) % 5 + 1] THEN n + 1000 * ((id - 1) % 5) ELSE n END), ' ' ORDER BY n)
	FROM generate_series(1, 120) AS n $$;
CREATE TABLE docs (id int PRIMARY KEY, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED);
INSERT INTO docs SELECT id, body(id) FROM generate_series(1, 3000) AS id;
CREATE INDEX docs_fp ON docs USING gin (fp minhash128_lsh_ops) WITH (fastupdate = off);
VACUUM ANALYZE docs;

\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/include/plans.sql'
\set ECHO none
\i :include
\set ECHO all
-- The nodes of a plan, without its kilobytes of constants. @q is the fingerprint of document 12.
CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT repeat('  ', depth) || concat_ws(' ', node->>'Node Type', 'on ' || (node->>'Alias'), 'using ' || (node->>'Index Name'))
	FROM plan_nodes(replace(query, '@q', quote_literal((SELECT fp FROM docs WHERE id = 12)))) $$;
SELECT fp AS q FROM docs WHERE id = 12 \gset

-- Plans use the index without hints.

SELECT plan('SELECT id FROM docs WHERE fp % @q');
SELECT plan('SELECT id FROM docs WHERE @q % fp');
SELECT plan('SELECT id FROM docs WHERE fp % _to_minhash_probe(@q::minhash128, 0.9)');
SELECT plan('SELECT id FROM docs WHERE minhash_similar(fp, @q, 0.75)');
SELECT plan('SELECT id FROM docs WHERE minhash_similar(@q, fp, 0.75)');
SELECT plan('SELECT id FROM docs WHERE minhash_similar(a => @q, threshold => 0.75, b => fp)');
SELECT plan('SELECT id FROM docs WHERE fp % to_minhash128(''some text'')');
SELECT plan('SELECT id, jaccard(fp, @q) FROM docs WHERE minhash_similar(fp, @q, 0.8) ORDER BY fp <%> @q LIMIT 10');
SELECT plan('SELECT id FROM docs, to_minhash128(''some text'') AS q WHERE minhash_similar(fp, q, 0.8) ORDER BY fp <%> q LIMIT 10');
SELECT plan('SELECT id FROM docs WHERE fp % (SELECT fp FROM docs WHERE id = 12)');
SELECT plan('SELECT id FROM docs WHERE minhash_similar(fp, (SELECT fp FROM docs WHERE id = 12), 0.8)');
SELECT plan('SELECT a.id, b.id FROM docs AS a JOIN docs AS b ON a.fp % b.fp AND a.id < b.id');
SELECT plan('SELECT a.id, b.id FROM docs AS a JOIN docs AS b ON minhash_similar(a.fp, b.fp, 0.8) AND a.id < b.id');
SELECT plan('SELECT b.id FROM docs AS a JOIN docs AS b ON minhash_similar(b.fp, a.fp, 0.9) WHERE a.id = 12');
SELECT plan('SELECT q.id, d.id FROM docs AS q, LATERAL (SELECT id FROM docs WHERE minhash_similar(fp, q.fp, 0.8) ORDER BY fp <%> q.fp LIMIT 3) AS d WHERE q.id <= 20');
SELECT plan('SELECT id FROM docs AS d WHERE id <= 20 AND EXISTS (SELECT FROM docs AS other WHERE other.fp % d.fp AND other.id < d.id)');
SELECT plan('UPDATE docs SET body = body WHERE fp % @q');
SET plan_cache_mode = force_generic_plan;
PREPARE near(minhash128) AS SELECT id FROM docs WHERE fp % $1 ORDER BY id;
PREPARE near_at(minhash128, float8) AS SELECT id FROM docs WHERE minhash_similar(fp, $1, $2) ORDER BY id;
PREPARE best(minhash128, float8) AS SELECT id, round(jaccard(fp, $1)::numeric, 3) AS jaccard FROM docs WHERE minhash_similar($1, fp, $2) ORDER BY fp <%> $1, id LIMIT 3;
SELECT plan('EXECUTE near(@q)');
SELECT plan('EXECUTE near_at(@q, 0.8)');
SELECT plan('EXECUTE best(@q, 0.8)');

-- ... and their results
EXECUTE near(:'q');
EXECUTE near_at(:'q', 0.9);
EXECUTE best(:'q', 0.75);
SELECT id, jaccard(fp, q), fp <%> q AS distance FROM docs, to_minhash128(body(12)) AS q WHERE minhash_similar(fp, q, 0.75) ORDER BY fp <%> q, id LIMIT 10;
SELECT id FROM docs WHERE fp % _to_minhash_probe(:'q'::minhash128, 1) ORDER BY id;
SELECT id FROM docs WHERE minhash_similar(:'q', fp, 0.85) ORDER BY id;
SELECT a.id AS a, b.id AS b, round(jaccard(a.fp, b.fp)::numeric, 3) AS jaccard FROM docs AS a JOIN docs AS b ON minhash_similar(a.fp, b.fp, 0.8) AND a.id < b.id WHERE a.id BETWEEN 11 AND 15 ORDER BY a.id, b.id;

-- The threshold is a parameter of % : it is read when the plan runs.
SET txtfp.jaccard_threshold = 0.95;
EXECUTE near(:'q');
BEGIN;
SET LOCAL txtfp.jaccard_threshold = 0.72;
EXECUTE near(:'q');
SELECT plan('SELECT id FROM docs WHERE fp % @q');
COMMIT;
EXECUTE near(:'q');
RESET txtfp.jaccard_threshold;
CREATE FUNCTION similar_85(minhash128) RETURNS SETOF int LANGUAGE sql STABLE SET txtfp.jaccard_threshold = 0.85
	AS 'SELECT id FROM docs WHERE fp % $1 ORDER BY id';
SELECT similar_85(:'q');
SHOW txtfp.jaccard_threshold;
DROP FUNCTION similar_85;

-- Below the reach of the banding (16 bands of 4 rows: about 0.64) the planner scans the table, and a forced scan of the index
-- still gives the exact answer.
SELECT plan('SELECT id FROM docs WHERE minhash_similar(fp, @q, 0.71)');
SELECT plan('SELECT id FROM docs WHERE minhash_similar(fp, @q, 0.65)');
SELECT plan('SELECT id FROM docs WHERE minhash_similar(fp, @q, 0.6)');
SELECT plan('SELECT id FROM docs WHERE minhash_similar(fp, @q, 0.3)');
SELECT plan('SELECT id FROM docs WHERE fp % _to_minhash_probe(@q::minhash128, 0.3)');
SELECT plan('SELECT id FROM docs WHERE minhash_similar(fp, @q, 0)');
BEGIN;
SET LOCAL txtfp.jaccard_threshold = 0.3;
SELECT plan('SELECT id FROM docs WHERE fp % @q');
EXECUTE near(:'q');
SET LOCAL enable_seqscan = off;
SELECT plan('SELECT id FROM docs WHERE fp % @q');
SELECT plan('SELECT id FROM docs WHERE fp % _to_minhash_probe(@q::minhash128, 0.3)');
SELECT id FROM docs WHERE fp % :'q' ORDER BY id;
SELECT id FROM docs WHERE fp % _to_minhash_probe(:'q'::minhash128, 0.3) ORDER BY id;
SELECT count(*) FROM docs WHERE fp % _to_minhash_probe(:'q'::minhash128, 0);
COMMIT;
EXECUTE near_at(:'q', 0.3);
DEALLOCATE ALL;
RESET plan_cache_mode;

-- Bad thresholds and configurations, NULL probes
SELECT id FROM docs WHERE minhash_similar(fp, :'q', 1.5);
SELECT id FROM docs WHERE minhash_similar(fp, :'q', 'NaN');
SELECT id FROM docs WHERE minhash_similar(fp, (SELECT fp FROM docs WHERE id = 12), -0.5);
SELECT id FROM docs WHERE minhash_similar(fp, NULL, 0.8);
SELECT id FROM docs WHERE minhash_similar(fp, :'q', NULL);
SELECT id FROM docs WHERE fp % NULL::minhash128;
SELECT id FROM docs WHERE fp % (SELECT fp FROM docs WHERE id = -1);
SELECT id FROM docs WHERE minhash_similar(fp, (SELECT fp FROM docs WHERE id = -1), 0.8);
SELECT id FROM docs WHERE fp % _to_minhash_probe(to_minhash64(body(12)), 0.8);
CREATE INDEX docs_32 ON docs USING gin (fp minhash128_lsh_ops (bands = 32));
DROP INDEX docs_fp;
SET enable_seqscan = off;
SELECT id FROM docs WHERE fp % _to_minhash_probe(to_minhash64('some text'), 0.8);
SELECT id FROM docs WHERE fp % _to_minhash_probe(to_minhash256('some text'), 0.8);
RESET enable_seqscan;
DROP INDEX docs_32;
CREATE INDEX docs_fp ON docs USING gin (fp minhash128_lsh_ops) WITH (fastupdate = off);
-- the same slots with another known configuration are found, and raise an error; an unknown configuration is accepted
SELECT id FROM docs WHERE fp % ('00000000000000ff' || substr(:'q', 17))::minhash128;
SELECT id FROM docs WHERE fp % :'q'::minhash128::bytea::minhash128 ORDER BY id;

-- Sequential scan and index scan agree for every banding and threshold: no pair is wrong, and the index finds as many as it
-- promises. (If pairs at the threshold itself are found with less than its recall, it promises the recall for the average
-- of real texts above the threshold; here most pairs are just above 0.71.)

CREATE TABLE sketches AS SELECT id, to_minhash64(body(id)) AS a, to_minhash128(body(id)) AS b, to_minhash256(body(id)) AS c FROM generate_series(1, 1200) AS id;
CREATE TABLE pairs AS SELECT p.id AS probe, d.id, jaccard(p.a, d.a) AS a, jaccard(p.b, d.b) AS b, jaccard(p.c, d.c) AS c
FROM sketches AS p JOIN sketches AS d ON jaccard(p.b, d.b) > 0.2 OR jaccard(p.a, d.a) > 0.2 OR jaccard(p.c, d.c) > 0.2 WHERE p.id <= 100;
CREATE FUNCTION compare(col text, options text, thresholds float8[] DEFAULT '{0.71,0.75,0.8,0.85,0.9,0.95,1}')
	RETURNS TABLE (threshold float8, true_pairs bigint, by_index bigint, wrong bigint, recall numeric, index_used boolean) LANGUAGE plpgsql
	SET enable_seqscan = off SET client_min_messages = warning AS $$
DECLARE
	plan text;
BEGIN
	EXECUTE format('CREATE INDEX sketches_gin ON sketches USING gin (%I %s)', col, CASE col WHEN 'a' THEN 'minhash64' WHEN 'b' THEN 'minhash128' ELSE 'minhash256' END || '_lsh_ops' || options);
	FOREACH threshold IN ARRAY thresholds LOOP
		EXECUTE format('EXPLAIN (FORMAT JSON) SELECT FROM sketches AS p JOIN sketches AS d ON d.%I %% _to_minhash_probe(p.%1$I, $1)', col) INTO plan USING threshold;
		index_used := plan LIKE '%sketches_gin%';
		EXECUTE format('SELECT count(*) FILTER (WHERE t.%1$I >= $1), count(*) FILTER (WHERE f.id IS NOT NULL AND t.%1$I >= $1), count(*) FILTER (WHERE f.id IS NOT NULL AND coalesce(t.%1$I, 0) < $1) '
			'FROM pairs AS t FULL JOIN (SELECT p.id AS probe, d.id FROM sketches AS p JOIN sketches AS d ON d.%1$I %% _to_minhash_probe(p.%1$I, $1) WHERE p.id <= 100) AS f USING (probe, id)', col)
			INTO true_pairs, by_index, wrong USING threshold;
		recall := round(by_index / true_pairs::numeric, 4);
		RETURN NEXT;
	END LOOP;
	DROP INDEX sketches_gin;
END $$;

SELECT * FROM compare('b', '');
SELECT * FROM compare('b', '(bands = 32)');
SELECT * FROM compare('b', '(bands = 16, rows = 8)', '{0.71,0.8,0.85,0.9,1}');
SELECT * FROM compare('b', '(bands = 42, rows = 3)');
SELECT * FROM compare('b', '(bands = 128, rows = 1)');
SELECT * FROM compare('b', '(bands = 1, rows = 128)', '{0.9,0.99,1}');
SELECT * FROM compare('b', '(threshold = 0.8)');
SELECT * FROM compare('b', '(threshold = 0.9, recall = 0.95)');
SELECT * FROM compare('b', '(recall = 0.8)');
SELECT * FROM compare('b', '(recall = 0.999999)', '{0.75,0.85,0.9,0.95,1}');
SELECT * FROM compare('a', '');
SELECT * FROM compare('a', '(threshold = 0.75)');
SELECT * FROM compare('c', '');
SELECT * FROM compare('c', '(bands = 64)');
-- thresholds that none of these bandings serves: all rows are compared
SELECT * FROM compare('b', '', '{0.25,0.5,0.6}');
SELECT * FROM compare('a', '(bands = 4, rows = 16)', '{0.25,0.5,0.75}');
DROP FUNCTION compare;
DROP TABLE sketches, pairs;

-- Which thresholds an index serves follows from its own options
CREATE TABLE few AS SELECT i AS id, to_minhash128(ARRAY[i::text, (i + 1)::text, (i + 2)::text]) AS fp FROM generate_series(1, 50) AS i;
CREATE FUNCTION served(options text) RETURNS float8[] LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
	threshold float8;
	line text;
	served float8[];
BEGIN
	EXECUTE format('CREATE INDEX few_fp ON few USING gin (fp minhash128_lsh_ops %s)', options);
	FOREACH threshold IN ARRAY '{0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9}'::float8[] LOOP
		FOR line IN EXECUTE format('EXPLAIN (COSTS OFF) SELECT FROM few WHERE minhash_similar(fp, (SELECT fp FROM few WHERE id = 1), %s)', threshold) LOOP
			IF line LIKE '%Index Scan on few_fp%' THEN
				served := served || threshold;
			END IF;
		END LOOP;
	END LOOP;
	DROP INDEX few_fp;
	RETURN served;
END $$;
SELECT options, served(options) FROM unnest('{"",(threshold = 0.3),"(bands = 16, rows = 8)","(bands = 128, rows = 1)"}'::text[]) AS options;
DROP FUNCTION served;
DROP TABLE few;

-- Options

CREATE TABLE options (a minhash64, b minhash128, c minhash256);
CREATE INDEX o1 ON options USING gin (a);
CREATE INDEX o2 ON options USING gin (b minhash128_lsh_ops (bands = 64, rows = 2), c minhash256_lsh_ops (threshold = 0.5, recall = 0.9));
CREATE INDEX o3 ON options USING gin (c minhash256_lsh_ops (bands = '256', rows = '1'));
CREATE INDEX o4 ON options USING gin (a minhash64_lsh_ops (threshold = 1));
CREATE INDEX o5 ON options USING gin (b minhash128_lsh_ops (threshold = 0.01, recall = 0.01));
SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = 'options'::regclass ORDER BY indexrelid::regclass::text COLLATE "C";
INSERT INTO options SELECT to_minhash64(body(i)), to_minhash128(body(i)), to_minhash256(body(i)) FROM generate_series(1, 20) AS i;
SET enable_seqscan = off;
SELECT count(*) FROM options WHERE a % _to_minhash_probe(to_minhash64(body(1)), 0.75);
SELECT count(*) FROM options WHERE c % _to_minhash_probe(to_minhash256(body(1)), 0.75);
RESET enable_seqscan;

CREATE INDEX ON options USING gin (b minhash128_lsh_ops (bands = 0));
CREATE INDEX ON options USING gin (b minhash128_lsh_ops (bands = -1));
CREATE INDEX ON options USING gin (b minhash128_lsh_ops (bands = 129));
CREATE INDEX ON options USING gin (b minhash128_lsh_ops (bands = 'many'));
CREATE INDEX ON options USING gin (b minhash128_lsh_ops (rows = 0));
CREATE INDEX ON options USING gin (b minhash128_lsh_ops (rows = 129));
CREATE INDEX ON options USING gin (a minhash64_lsh_ops (bands = 65));
CREATE INDEX ON options USING gin (c minhash256_lsh_ops (rows = 257));
CREATE INDEX ON options USING gin (b minhash128_lsh_ops (bands = 33, rows = 4));
CREATE INDEX ON options USING gin (b minhash128_lsh_ops (bands = 33));
CREATE INDEX ON options USING gin (b minhash128_lsh_ops (rows = 9));
CREATE INDEX ON options USING gin (a minhash64_lsh_ops (bands = 17));
CREATE INDEX ON options USING gin (c minhash256_lsh_ops (bands = 16, rows = 17));
CREATE INDEX ON options USING gin (b minhash128_lsh_ops (bands = 128, rows = 128));
CREATE INDEX ON options USING gin (b minhash128_lsh_ops (threshold = 0));
CREATE INDEX ON options USING gin (b minhash128_lsh_ops (threshold = 1.1));
CREATE INDEX ON options USING gin (b minhash128_lsh_ops (threshold = 'NaN'));
CREATE INDEX ON options USING gin (b minhash128_lsh_ops (recall = 0));
CREATE INDEX ON options USING gin (b minhash128_lsh_ops (recall = 1));
CREATE INDEX ON options USING gin (b minhash128_lsh_ops (recall = 'NaN'));
CREATE INDEX ON options USING gin (b minhash128_lsh_ops (threshold = 0.8, bands = 16));
CREATE INDEX ON options USING gin (b minhash128_lsh_ops (threshold = 0.8, rows = 4));
CREATE INDEX ON options USING gin (a minhash64_lsh_ops (threshold = 0.05));
CREATE INDEX ON options USING gin (b minhash128_lsh_ops (threshold = 0.1, recall = 0.999999));
CREATE INDEX ON options USING gin (b minhash128_lsh_ops (band = 16));
CREATE INDEX ON options USING gin (b minhash64_lsh_ops);
CREATE INDEX ON options USING gin (b minhash128_btree_ops);
DROP TABLE options;

-- Changes: the index follows the table.

CREATE FUNCTION check_index() RETURNS TABLE (probes bigint, by_table bigint, by_index bigint, same boolean) LANGUAGE plpgsql AS $$
BEGIN
	CREATE TEMP TABLE by_table AS SELECT p.id AS probe, d.id FROM docs AS p JOIN docs AS d ON jaccard(p.fp, d.fp) >= 0.75 WHERE p.id % 20 = 12;
	SET LOCAL enable_seqscan = off;
	CREATE TEMP TABLE by_index AS SELECT p.id AS probe, d.id FROM docs AS p JOIN docs AS d ON minhash_similar(d.fp, p.fp, 0.75) WHERE p.id % 20 = 12;
	SET LOCAL enable_seqscan = on;
	RETURN QUERY SELECT (SELECT count(DISTINCT t.probe) FROM by_table AS t), (SELECT count(*) FROM by_table), (SELECT count(*) FROM by_index),
		NOT EXISTS (TABLE by_table EXCEPT ALL TABLE by_index) AND NOT EXISTS (TABLE by_index EXCEPT ALL TABLE by_table);
	DROP TABLE by_table, by_index;
END $$;
SELECT * FROM check_index();

-- the pending list: entries that are not in the index proper yet
ALTER TABLE docs SET (autovacuum_enabled = off);
ALTER INDEX docs_fp SET (fastupdate = on);
INSERT INTO docs SELECT id, body(id - 3000) || ' and more' FROM generate_series(3001, 3300) AS id;
UPDATE docs SET body = body || ' updated' WHERE id % 7 = 0;
DELETE FROM docs WHERE id % 11 = 0;
SELECT * FROM check_index();
SELECT gin_clean_pending_list('docs_fp') > 0 AS cleaned;
SELECT gin_clean_pending_list('docs_fp') AS nothing_left;
SELECT * FROM check_index();
VACUUM docs;
SELECT * FROM check_index();
ALTER INDEX docs_fp SET (fastupdate = off);
UPDATE docs SET body = upper(body) WHERE id % 5 = 2;
SELECT gin_clean_pending_list('docs_fp') AS direct;
SELECT * FROM check_index();

-- a transaction that is rolled back, a savepoint
BEGIN;
INSERT INTO docs SELECT 10000 + id, body(id) FROM generate_series(1, 100) AS id;
SELECT count(*) FROM docs WHERE fp % :'q';
SAVEPOINT s;
DELETE FROM docs WHERE id BETWEEN 11 AND 15;
SELECT count(*) FROM docs WHERE fp % :'q';
ROLLBACK TO s;
SELECT count(*) FROM docs WHERE fp % :'q';
ROLLBACK;
SELECT count(*) FROM docs WHERE fp % :'q';

-- texts without tokens have no fingerprint, and no key
INSERT INTO docs VALUES (20001, NULL), (20002, ''), (20003, '...');
SELECT id, fp FROM docs WHERE fp IS NULL ORDER BY id;
SELECT * FROM check_index();
SET enable_seqscan = off;
SELECT count(*) = (SELECT count(*) FROM docs) - 3 AS "all but these three" FROM docs WHERE fp % _to_minhash_probe(:'q'::minhash128, 0);
RESET enable_seqscan;

REINDEX INDEX docs_fp;
SELECT * FROM check_index();
REINDEX INDEX CONCURRENTLY docs_fp;
SELECT * FROM check_index();
VACUUM FULL docs;
SELECT * FROM check_index();
DELETE FROM docs WHERE id > 20;
VACUUM docs;
SELECT id FROM docs WHERE minhash_similar(fp, :'q', 0.75) ORDER BY id;
TRUNCATE docs;
SELECT count(*) FROM docs WHERE fp % :'q';
SELECT id FROM docs WHERE minhash_similar(fp, :'q', 1.5);

-- A bucket that contains all rows
INSERT INTO docs SELECT id, 'Lorem ipsum dolor sit amet, consectetur adipisici elit' FROM generate_series(1, 4000) AS id;
INSERT INTO docs SELECT 5000 + id, body(id) FROM generate_series(1, 100) AS id;
SELECT id FROM docs WHERE fp % to_minhash128(body(12)) ORDER BY id;
SET enable_seqscan = off;
SELECT count(*) FROM docs WHERE fp % to_minhash128('LOREM IPSUM dolor sit amet: consectetur adipisici elit');
DELETE FROM docs WHERE id % 2 = 0;
VACUUM docs;
SELECT count(*) FROM docs WHERE fp % to_minhash128('LOREM IPSUM dolor sit amet: consectetur adipisici elit');
RESET enable_seqscan;
DROP TABLE docs CASCADE;

-- Several columns, a part of the table, an expression, a partitioned table

CREATE TABLE docs (id int, lang text, tags int[], body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED);
INSERT INTO docs SELECT id, CASE id % 3 WHEN 0 THEN 'de' ELSE 'en' END, ARRAY[id % 2, id % 100], body(id) FROM generate_series(1, 2000) AS id;
CREATE INDEX docs_multi ON docs USING gin (fp minhash128_lsh_ops (bands = 20), tags);
ANALYZE docs;
SELECT plan('SELECT id FROM docs WHERE fp % @q AND tags @> ''{0}''');
SELECT id, tags FROM docs WHERE fp % (SELECT fp FROM docs WHERE id = 12) AND tags @> '{0}' ORDER BY id;
SET enable_seqscan = off;
SELECT id, tags FROM docs WHERE fp % _to_minhash_probe((SELECT fp FROM docs WHERE id = 12), 0.3) AND tags @> '{12}' ORDER BY id;
SELECT id FROM docs WHERE fp % to_minhash128(body(11)) AND fp % to_minhash128(body(13)) ORDER BY id;
SELECT id FROM docs WHERE fp % to_minhash128(body(12)) OR minhash_similar(fp, to_minhash128(body(18)), 0.9) ORDER BY id;
RESET enable_seqscan;
DROP INDEX docs_multi;
CREATE INDEX docs_part ON docs USING gin (fp) WHERE lang = 'de';
SELECT plan('SELECT id FROM docs WHERE fp % @q AND lang = ''de''');
SELECT plan('SELECT id FROM docs WHERE fp % @q AND lang = ''en''');
SELECT id FROM docs WHERE fp % (SELECT fp FROM docs WHERE id = 12) AND lang = 'de' ORDER BY id;
CREATE INDEX docs_words ON docs USING gin (to_minhash256(body, 'word-uax29'));
ANALYZE docs;
SELECT plan('SELECT id FROM docs WHERE to_minhash256(body, ''word-uax29'') % to_minhash256(''some text'', ''word-uax29'')');
SELECT plan('SELECT id FROM docs WHERE minhash_similar(to_minhash256(body, ''word-uax29''), to_minhash256(''some text'', ''word-uax29''), 0.8)');
SELECT plan('SELECT id FROM docs WHERE to_minhash256(body) % to_minhash256(''some text'')');
SELECT id FROM docs WHERE minhash_similar(to_minhash256(body, 'word-uax29'), to_minhash256(body(12), 'word-uax29'), 0.75) ORDER BY id;
DROP TABLE docs;

CREATE TABLE docs (id int, body text, fp minhash128) PARTITION BY RANGE (id);
CREATE TABLE docs_low PARTITION OF docs FOR VALUES FROM (1) TO (1001);
CREATE TABLE docs_high PARTITION OF docs FOR VALUES FROM (1001) TO (3001);
CREATE INDEX ON docs USING gin (fp minhash128_lsh_ops (threshold = 0.8)) WITH (fastupdate = off);
INSERT INTO docs SELECT id, body, to_minhash128(body) FROM generate_series(1, 3000) AS id, LATERAL (SELECT body(CASE WHEN id = 1500 THEN 13 ELSE id END)) AS b(body);
ANALYZE docs;
SELECT plan('SELECT id FROM docs WHERE fp % @q');
SELECT plan('SELECT id FROM docs WHERE minhash_similar(fp, @q, 0.8) ORDER BY fp <%> @q LIMIT 3');
SELECT id FROM docs WHERE minhash_similar(fp, (SELECT fp FROM docs WHERE id = 12), 0.8) ORDER BY id;
CREATE TABLE docs_new (LIKE docs);
INSERT INTO docs_new SELECT 3012, body, fp FROM docs WHERE id = 12;
ALTER TABLE docs ATTACH PARTITION docs_new FOR VALUES FROM (3001) TO (4001);
SELECT id FROM docs WHERE minhash_similar(fp, (SELECT fp FROM docs WHERE id = 12), 0.8) ORDER BY id;
DROP TABLE docs;
DROP FUNCTION body, plan, check_index, estimate, index_of, plan_nodes;
