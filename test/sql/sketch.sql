-- The access method sketch: what it finds is what the table holds, for every type, threshold and kind of scan.
\set SHOW_CONTEXT never
CREATE SCHEMA sketch_test;
SET search_path = sketch_test, public, txtfp;
SET jit = off;
SET default_statistics_target = 100; -- plans that are shown depend on it
SET max_parallel_workers_per_gather = 0;
SELECT opcname, amvalidate(c.oid) FROM pg_opclass AS c JOIN pg_am AS a ON a.oid = opcmethod WHERE amname = 'sketch' ORDER BY opcname COLLATE "C";

-- Autovacuum would remove dead rows, which some of the queries count.
-- groups of eight texts, each of which shares less with the first one; some texts many times, NULLs
CREATE FUNCTION words(n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT string_agg(md5(CASE WHEN i <= n % 8 * 4 THEN n * 100 ELSE n / 8 * 100000 END + i || ''), ' ' ORDER BY i) FROM generate_series(1, 30) AS i $$;
CREATE TABLE docs (id int PRIMARY KEY, m64 minhash64, m128 minhash128, m256 minhash256, c64 minhash64_compact, c128 minhash128_compact, c256 minhash256_compact, s simhash64, t tlsh, l lavinhash) WITH (autovacuum_enabled = off);
CREATE FUNCTION put(first int, last int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO docs SELECT id, m64, m128, m256, m64, m128, m256, to_simhash64(w), to_tlsh(w), to_lavinhash(convert_to(w, 'UTF8'))
	FROM generate_series(first, last) AS id, LATERAL (SELECT words(CASE WHEN id % 10 = 9 THEN 9 ELSE id END) OFFSET 0) AS x (w),
		LATERAL (SELECT to_minhash64(w, 'word-uax29') AS m64, to_minhash128(w, 'word-uax29') AS m128, to_minhash256(w, 'word-uax29') AS m256 OFFSET 0) AS y $$;
SELECT put(1, 700);
INSERT INTO docs (id) SELECT -i FROM generate_series(1, 30) AS i;
CREATE INDEX docs_m64 ON docs USING sketch (m64);
CREATE INDEX docs_m128 ON docs USING sketch (m128);
CREATE INDEX docs_m256 ON docs USING sketch (m256);
CREATE INDEX docs_c64 ON docs USING sketch (c64);
CREATE INDEX docs_c128 ON docs USING sketch (c128);
CREATE INDEX docs_c256 ON docs USING sketch (c256);
CREATE INDEX docs_s ON docs USING sketch (s);
CREATE INDEX docs_t ON docs USING sketch (t);
CREATE INDEX docs_l ON docs USING sketch (l);
SELECT put(701, 1400);
INSERT INTO docs (id) SELECT -i FROM generate_series(31, 50) AS i;
ANALYZE docs;

-- For each probe and threshold the ids; in order, the distances and the set of ids. `plan` is what the query must contain.
CREATE TABLE searches (name text, condition text, thresholds float8[], distance text);
INSERT INTO searches VALUES
	('m64', 'minhash_similar(d.m64, %1$L, %2$s)', '{0, 0.05, 0.3, 0.64, 0.8, 1}', 'd.m64 <%%> %1$L'),
	('m128', 'minhash_similar(d.m128, %1$L, %2$s)', '{0, 0.05, 0.3, 0.64, 0.8, 1}', 'd.m128 <%%> %1$L'),
	('m256', 'minhash_similar(d.m256, %1$L, %2$s)', '{0, 0.05, 0.3, 0.64, 0.8, 1}', 'd.m256 <%%> %1$L'),
	('c64', 'minhash_similar(d.c64, %1$L, %2$s)', '{0, 0.05, 0.3, 0.64, 0.8, 1}', 'd.c64 <%%> %1$L'),
	('c128', 'minhash_similar(d.c128, %1$L, %2$s)', '{0, 0.05, 0.3, 0.64, 0.8, 1}', 'd.c128 <%%> %1$L'),
	('c256', 'minhash_similar(d.c256, %1$L, %2$s)', '{0, 0.05, 0.3, 0.64, 0.8, 1}', 'd.c256 <%%> %1$L'),
	('s', 'simhash_similar(d.s, %1$L, %2$s)', '{0, 3, 11, 20, 32, 64}', 'd.s <#> %1$L'),
	('t', 'tlsh_similar(d.t, %1$L, %2$s)', '{0, 1, 40, 100, 150, 2473}', 'd.t <~> %1$L'),
	('l', 'lavinhash_similar(d.l, %1$L, %2$s)', '{0, 28, 29, 80, 99, 100}', 'd.l <-> %1$L');
CREATE FUNCTION answer(query text, by_index boolean, bitmap boolean DEFAULT false) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	plan text := '';
	result text;
BEGIN
	PERFORM set_config('enable_seqscan', (NOT by_index)::text, true), set_config('enable_sort', (NOT by_index)::text, true),
		set_config('enable_indexscan', (by_index AND NOT bitmap)::text, true), set_config('enable_bitmapscan', bitmap::text, true);
	PERFORM set_config(name, 'off', true) FROM pg_settings WHERE name = 'enable_presorted_aggregate'; -- from 16 on
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		plan := plan || line;
	END LOOP;
	IF by_index <> (plan ~ 'docs_([mc]64|[mc]128|[mc]256|s|t|l)\M') THEN
		RAISE EXCEPTION 'plan: %', plan;
	END IF;
	EXECUTE query INTO result;
	RETURN result;
END $$;
CREATE FUNCTION compare(when_ text, every int DEFAULT 331) RETURNS TABLE (at text, name text, answers bigint, rows numeric, wrong bigint) LANGUAGE plpgsql AS $$
DECLARE
	search searches;
BEGIN
	FOR search IN SELECT * FROM searches LOOP
		RETURN QUERY EXECUTE format($q$
			WITH probes AS MATERIALIZED (SELECT id, %1$I AS value FROM docs WHERE id %% $3 = 1 AND id > 0),
			queries AS MATERIALIZED (
				SELECT 1 AS kind, format('SELECT count(*) || '' '' || coalesce(string_agg(d.id::text, '','' ORDER BY d.id), '''') FROM docs AS d WHERE ' || $1, value, threshold) AS query FROM probes, unnest($4) AS threshold
				UNION ALL SELECT 2, format('SELECT count(*) || '' '' || string_agg(coalesce(distance::text, ''null''), '','') || '' '' || sum(id) || '' '' || count(DISTINCT id) FROM (SELECT d.id, ' || $2 || ' AS distance FROM docs AS d ORDER BY ' || $2 || ') AS x', value) FROM probes
				UNION ALL SELECT 2, format('SELECT count(*) || '' '' || string_agg(distance::text, '','') FROM (SELECT d.id, ' || $2 || ' AS distance FROM docs AS d ORDER BY ' || $2 || ' LIMIT 10) AS x', value) FROM probes
				UNION ALL SELECT 2, format('SELECT count(*) || '' '' || string_agg(distance::text, '','') || '' '' || sum(id) FROM (SELECT d.id, ' || $2 || ' AS distance FROM docs AS d WHERE ' || $1 || ' ORDER BY ' || $2 || ') AS x', value, threshold) FROM probes, unnest($4) AS threshold),
			answers AS MATERIALIZED (
				SELECT answer(query, false) AS by_table, answer(query, true) AS by_index, CASE WHEN kind = 1 THEN answer(query, true, true) ELSE answer(query, true) END AS again FROM queries)
			SELECT $5, $6, count(*), sum(split_part(by_table, ' ', 1)::numeric), count(*) FILTER (WHERE by_table IS DISTINCT FROM by_index OR by_table IS DISTINCT FROM again) FROM answers $q$, search.name)
		USING search.condition, search.distance, every, search.thresholds, when_, search.name;
	END LOOP;
END $$;
SELECT * FROM compare('built and inserted');
SELECT sketch_check(c.oid, true) FROM pg_class AS c JOIN pg_am AS a ON a.oid = relam WHERE amname = 'sketch' ORDER BY relname COLLATE "C";

-- deleted rows, vacuum, new rows in the old places
DELETE FROM docs WHERE id % 3 = 0 OR id BETWEEN 300 AND 500;
SELECT * FROM compare('deleted', 601);
VACUUM docs;
SELECT * FROM compare('vacuumed', 601);
CREATE TABLE sizes AS SELECT relname, pg_relation_size(oid) AS size FROM pg_class WHERE relname ~ '^docs_';
SELECT put(1401, 1900);
INSERT INTO docs (id) SELECT -i FROM generate_series(51, 99) AS i;
SELECT relname FROM sizes WHERE pg_relation_size(relname::text::regclass) > size AND relname <> 'docs_pkey';
UPDATE docs SET m128 = m128, s = (SELECT s FROM docs WHERE id = 1) WHERE id > 1700 AND id % 2 = 0;
SELECT * FROM compare('new rows in the old places');
SELECT sketch_check(c.oid, true) FROM pg_class AS c JOIN pg_am AS a ON a.oid = relam WHERE amname = 'sketch' ORDER BY relname COLLATE "C";

-- NULL: a row without a value comes last, and can be asked for; a NULL probe finds nothing and orders nothing
SET enable_seqscan = off;
SET enable_sort = off;
EXPLAIN (COSTS OFF) SELECT id FROM docs WHERE s IS NULL;
SELECT count(*), max(id) FROM docs WHERE s IS NULL;
SELECT count(*), min(id) FROM docs WHERE s IS NOT NULL;
SELECT count(*) FROM docs WHERE m128 % NULL;
SELECT count(*), count(distance) FROM (SELECT m128 <%> NULL AS distance FROM docs ORDER BY m128 <%> NULL) AS x;
SELECT bool_and(id < 0) FROM (SELECT id, row_number() OVER () AS n FROM (SELECT id FROM docs ORDER BY s <#> '0000000000000000') AS x) AS y WHERE n > (SELECT count(s) FROM docs);

-- the operators with the thresholds of the parameters; equality; two conditions; two orders; several probes
CREATE TEMP TABLE probe AS SELECT m128 FROM docs WHERE id = 25;
-- What differs from version to version is left out or called alike.
CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line !~ 'Disabled: true' THEN
			RETURN NEXT regexp_replace(regexp_replace(line, '\(InitPlan \w+\)\.col1', '$0'), 'InitPlan .*', 'InitPlan');
		END IF;
	END LOOP;
END $$;
SELECT * FROM plan($query$SELECT id FROM docs WHERE m128 % (SELECT m128 FROM probe)$query$);
DROP TABLE probe;
SELECT count(*) FROM docs WHERE m128 % (SELECT m128 FROM docs WHERE id = 25);
SET txtfp.jaccard_threshold = 0.1;
SELECT count(*) FROM docs WHERE m128 % (SELECT m128 FROM docs WHERE id = 25);
RESET txtfp.jaccard_threshold;
SELECT count(*) FROM docs WHERE t % (SELECT t FROM docs WHERE id = 25);
SELECT count(*) FROM docs WHERE s % (SELECT s FROM docs WHERE id = 25);
SELECT count(*) FROM docs WHERE l % (SELECT l FROM docs WHERE id = 25);
SELECT count(*) FROM docs WHERE l = (SELECT l FROM docs WHERE id = 25);
SELECT count(*) FROM docs WHERE m256 = (SELECT m256 FROM docs WHERE id = 25);
SELECT count(*) FROM docs WHERE c128 = (SELECT c128 FROM docs WHERE id = 25);
SELECT count(*) FROM docs WHERE c128 = (SELECT c128::bytea::minhash128_compact FROM docs WHERE id = 25); -- another configuration: unknown
SELECT count(*) FROM docs WHERE c128 % (SELECT c128::bytea::minhash128_compact FROM docs WHERE id = 25);
SELECT count(*) FROM docs WHERE t = (SELECT t FROM docs WHERE id = 25) AND s = (SELECT s FROM docs WHERE id = 25);
SELECT array_agg(id ORDER BY id) FROM docs WHERE minhash_similar(m128, (SELECT m128 FROM docs WHERE id = 25), 0.2) AND minhash_similar(m128, (SELECT m128 FROM docs WHERE id = 26), 0.2);
SELECT count(*) FROM (SELECT id FROM docs ORDER BY m128 <%> (SELECT m128 FROM docs WHERE id = 25), m128 <%> (SELECT m128 FROM docs WHERE id = 26)) AS x;
SELECT count(*) FROM docs WHERE s % ANY (ARRAY(SELECT _to_simhash_probe(s, 0) FROM docs WHERE id IN (1, 2, 4)));
SELECT p.id, count(*) FROM (SELECT * FROM docs WHERE id IN (1, 25, 26) OFFSET 0) AS p JOIN docs AS d ON minhash_similar(d.m128, p.m128, 0.3) GROUP BY p.id ORDER BY p.id;
BEGIN;
DECLARE c CURSOR FOR SELECT id FROM docs ORDER BY s <#> (SELECT s FROM docs WHERE id = 25) LIMIT 3;
FETCH 1 FROM c; FETCH 2 FROM c; FETCH 1 FROM c;
COMMIT;
RESET enable_sort;

-- configurations: a row or a probe of another one is an error, one of an unknown configuration is not
INSERT INTO docs (id, m128) VALUES (5000, to_minhash128('one two three four five six', 'shingle-k=2/word-uax29'));
SELECT count(*) FROM docs WHERE m128 % to_minhash128('one two three', 'shingle-k=2/word-uax29');
SELECT id FROM docs ORDER BY m128 <%> to_minhash128('one two three', 'shingle-k=2/word-uax29') LIMIT 1;
SELECT count(*) FROM docs WHERE m128 % to_minhash128(ARRAY['one']);
SELECT count(*) FROM docs WHERE m128 = to_minhash128('one two three', 'shingle-k=2/word-uax29');
SELECT count(*) FROM docs WHERE c128 % to_minhash128_compact('one two three', 'shingle-k=2/word-uax29');
SELECT count(*) FROM docs WHERE c128 % _to_minhash_compact_probe((SELECT c64 FROM docs WHERE id = 1), 0.5);
INSERT INTO docs (id, c128) VALUES (5000, to_minhash128_compact('one two three four five six', 'shingle-k=2/word-uax29'));
SELECT count(*) FROM docs WHERE m128 % _to_minhash_probe((SELECT m64 FROM docs WHERE id = 1), 0.5);
CREATE TABLE mixed (fp minhash64) WITH (autovacuum_enabled = off);
INSERT INTO mixed VALUES (to_minhash64('one two', 'word-uax29')), (to_minhash64('one two', 'grapheme-uax29'));
CREATE INDEX ON mixed USING sketch (fp);
TRUNCATE mixed;
CREATE INDEX mixed_fp ON mixed USING sketch (fp);
INSERT INTO mixed VALUES (to_minhash64(ARRAY['one'])), (to_minhash64('one two', 'word-uax29'));
INSERT INTO mixed VALUES (to_minhash64('one two', 'grapheme-uax29'));
BEGIN;
TRUNCATE mixed;
INSERT INTO mixed VALUES (to_minhash64('one two', 'grapheme-uax29'));
COMMIT;
SELECT sketch_check('mixed_fp', true);
BEGIN;
CREATE TABLE truncated (s simhash64);
CREATE INDEX truncated_s ON truncated USING sketch (s);
INSERT INTO truncated SELECT i::bigint::simhash64 FROM generate_series(1, 2000) AS i;
TRUNCATE truncated;
INSERT INTO truncated SELECT i::bigint::simhash64 FROM generate_series(1, 10) AS i;
SELECT count(*) FROM truncated WHERE simhash_similar(s, '0000000000000000', 64);
COMMIT;
SELECT sketch_check('truncated_s', true);

-- expressions, partial, unlogged and temporary indexes, CONCURRENTLY; an empty index
CREATE TABLE texts (id int, body text, lang text);
INSERT INTO texts SELECT i, words(i), CASE WHEN i % 2 = 0 THEN 'de' ELSE 'en' END FROM generate_series(1, 200) AS i;
CREATE INDEX texts_body ON texts USING sketch (to_minhash128(body, 'word-uax29'));
CREATE INDEX texts_de ON texts USING sketch (to_simhash64(body)) WHERE lang = 'de';
SELECT * FROM plan($query$SELECT id FROM texts ORDER BY to_minhash128(body, 'word-uax29') <%> (SELECT to_minhash128(body, 'word-uax29') FROM texts WHERE id = 24) LIMIT 3$query$);
SELECT id FROM texts ORDER BY to_minhash128(body, 'word-uax29') <%> (SELECT to_minhash128(body, 'word-uax29') FROM texts WHERE id = 24) LIMIT 3;
SELECT id FROM texts WHERE minhash_similar(to_minhash128(body, 'word-uax29'), (SELECT to_minhash128(body, 'word-uax29') FROM texts WHERE id = 24), 0.5) ORDER BY id;
SELECT count(*) FROM texts WHERE lang = 'de';
SELECT id FROM texts WHERE lang = 'de' ORDER BY to_simhash64(body) <#> (SELECT to_simhash64(body) FROM texts WHERE id = 24) LIMIT 1;
CREATE UNLOGGED TABLE quick (s simhash64);
CREATE INDEX quick_s ON quick USING sketch (s);
SELECT count(*) FROM quick WHERE s % '0000000000000001';
SELECT count(*) FROM (SELECT s FROM quick ORDER BY s <#> '0000000000000001') AS x;
INSERT INTO quick SELECT i::bigint::simhash64 FROM generate_series(1, 1000) AS i;
SELECT count(*) FROM quick WHERE simhash_similar(s, '0000000000000000', 2);
CREATE TEMP TABLE passing AS SELECT * FROM quick;
CREATE INDEX passing_s ON passing USING sketch (s);
INSERT INTO passing SELECT * FROM quick;
SELECT count(*) FROM passing WHERE simhash_similar(s, '0000000000000000', 2);
VACUUM docs;
CREATE INDEX CONCURRENTLY docs_again ON docs USING sketch (m128);
REINDEX INDEX CONCURRENTLY docs_again;
SELECT sketch_check('docs_again', true) = sketch_check('docs_m128', true);
-- an index that does not fit its table, because functions that are called immutable are not
CREATE TABLE liars AS SELECT id FROM generate_series(1, 50) AS id;
CREATE OR REPLACE FUNCTION value_of(id int) RETURNS simhash64 LANGUAGE plpgsql IMMUTABLE SET search_path = public, txtfp AS 'BEGIN RETURN (id * 77::bigint)::bit(64)::simhash64; END';
CREATE OR REPLACE FUNCTION part_of(id int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN id % 3; END';
CREATE OR REPLACE FUNCTION is_in(id int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN id % 2 = 0; END';
CREATE INDEX liars_s ON liars USING sketch (part_of(id), value_of(id)) WHERE is_in(id);
SELECT sketch_check('liars_s', true);
CREATE OR REPLACE FUNCTION value_of(id int) RETURNS simhash64 LANGUAGE plpgsql IMMUTABLE SET search_path = public, txtfp AS 'BEGIN RETURN (CASE WHEN id = 20 THEN 21 ELSE id END * 77::bigint)::bit(64)::simhash64; END';
SELECT sketch_check('liars_s', true);
CREATE OR REPLACE FUNCTION value_of(id int) RETURNS simhash64 LANGUAGE plpgsql IMMUTABLE SET search_path = public, txtfp AS 'BEGIN RETURN CASE WHEN id <> 30 THEN (id * 77::bigint)::bit(64)::simhash64 END; END';
SELECT sketch_check('liars_s', true);
CREATE OR REPLACE FUNCTION value_of(id int) RETURNS simhash64 LANGUAGE plpgsql IMMUTABLE SET search_path = public, txtfp AS 'BEGIN RETURN (id * 77::bigint)::bit(64)::simhash64; END';
CREATE OR REPLACE FUNCTION part_of(id int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN CASE WHEN id = 40 THEN 2 ELSE id % 3 END; END';
SELECT sketch_check('liars_s', true);
CREATE OR REPLACE FUNCTION part_of(id int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN id % 3; END';
CREATE OR REPLACE FUNCTION is_in(id int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN id % 2 = 0 OR id = 9; END';
SELECT sketch_check('liars_s', true);
CREATE OR REPLACE FUNCTION is_in(id int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN id % 2 = 0; END';
SELECT sketch_check('liars_s', true);
DROP TABLE liars;
DROP FUNCTION value_of, part_of, is_in;

-- what it cannot do
SELECT bool_or(plan ~ 'Index Only') AS index_only FROM plan($$SELECT count(*) FROM texts WHERE lang = 'de'$$); -- no index-only scan, which would need no column
CREATE TABLE bare (s simhash64);
CREATE INDEX bare_s ON bare USING sketch (s) WHERE s IS NOT NULL;
SET enable_bitmapscan = off;
SELECT bool_or(plan ~ 'Index Only') AS index_only FROM plan($$SELECT count(*) FROM bare WHERE s IS NOT NULL$$);
RESET enable_bitmapscan;
CREATE INDEX ON docs USING sketch (m128, s);
CREATE UNIQUE INDEX ON docs USING sketch (m128);
CREATE INDEX ON docs USING sketch (m128) INCLUDE (id);
ALTER TABLE docs ADD EXCLUDE USING sketch (m128 WITH %);
CREATE INDEX ON docs USING sketch (m128) WITH (fillfactor = 50);
CREATE INDEX ON docs USING sketch (id);
SELECT sketch_check('docs');
SELECT sketch_check('docs_pkey');
SET client_min_messages = warning;
DROP SCHEMA sketch_test CASCADE;
