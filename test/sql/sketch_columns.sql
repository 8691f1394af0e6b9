-- Leading columns of the access method sketch, such as tenants: searches within equal values find what the table holds, whatever has been written,
-- moved from one tenant to another, deleted and merged; other searches are as without leading columns.
\set SHOW_CONTEXT never
CREATE SCHEMA columns_test;
SET search_path = columns_test, public, txtfp;
SET jit = off;
SET max_parallel_workers_per_gather = 0;
SELECT count(*) AS classes, bool_and(amvalidate(c.oid)) AS valid FROM pg_opclass AS c JOIN pg_am AS a ON a.oid = opcmethod WHERE amname = 'sketch';
-- every type that can be hashed has a class, or one of a polymorphic type or of another one that it can be read as
SELECT DISTINCT opcintype::regtype FROM pg_opclass JOIN pg_am AS a ON a.oid = opcmethod WHERE amname = 'hash' AND opcdefault AND opcnamespace = 'pg_catalog'::regnamespace
	AND opcintype NOT IN (SELECT opcintype FROM pg_opclass JOIN pg_am AS a ON a.oid = opcmethod WHERE amname = 'sketch');

-- families of eight texts; a large tenant, some of 200 rows, many of 4, rows without a tenant, rows without a fingerprint
CREATE FUNCTION words(n int) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
	SELECT array_agg(CASE WHEN i <= n % 8 * 4 THEN n * 100 + 7 ELSE n / 8 * 100000 END + i || '') FROM generate_series(1, 60) AS i $$;
CREATE FUNCTION tenant_of(n int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN n % 3 = 0 THEN 0 WHEN n % 3 = 1 THEN 1 + n / 8 % 20 WHEN n % 30 = 2 THEN NULL ELSE 1000 + n / 12 END $$;
CREATE TABLE docs (id int, tenant int, name text, m128 minhash128, c128 minhash128_compact, s simhash64) WITH (autovacuum_enabled = off);
CREATE FUNCTION put(first int, last int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO docs SELECT n, tenant_of(n), 'group ' || n % 7, m, m, s::bigint::simhash64
	FROM generate_series(first, last) AS n, LATERAL (SELECT CASE WHEN n % 50 <> 49 THEN to_minhash128(words(n)) END AS m, (n / 8 * 1234567891::bigint # n % 8) AS s OFFSET 0) AS x $$;
SELECT put(1, 14000);
CREATE INDEX docs_m128 ON docs USING sketch (tenant, m128);
CREATE INDEX docs_c128 ON docs USING sketch (tenant, name, c128);
CREATE INDEX docs_s ON docs USING sketch (tenant, s);
ANALYZE docs;
SELECT i, tables, covered_rows > 10000 AS covered FROM unnest('{docs_m128, docs_c128, docs_s}'::text[]) AS i, fingerprint_index_info(i::regclass) WHERE tables IS NOT NULL;
SELECT sketch_check('docs_m128', true), sketch_check('docs_c128', true), sketch_check('docs_s', true);

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
	IF by_index <> (plan ~ 'docs_(m128|c128|s)\M') THEN
		RAISE EXCEPTION 'plan: %', plan;
	END IF;
	EXECUTE query INTO result;
	RETURN result;
END $$;
-- For each condition on the leading columns, probe and threshold: the ids by the table, the index and a bitmap; and all or the nearest ones in order.
CREATE TABLE conditions (n int, condition text, names boolean);
INSERT INTO conditions VALUES (1, 'tenant = 0', false), (2, 'tenant = 5', false), (3, 'tenant = 1012::bigint', false), (4, 'tenant IS NULL', false), (5, 'tenant = 77777', false),
	(6, 'tenant IS NOT NULL', false), (7, 'true', false), (8, 'name = ''group 3''', true), (9, 'tenant = 6::smallint AND name = ''group 5''', true), (10, 'tenant = 0 AND name = ''group 1''', true),
	(11, 'tenant = (SELECT min(tenant) + 3 FROM docs)', false);
CREATE FUNCTION compare(probes int[] DEFAULT '{17, 7009, 13999}') RETURNS TABLE (n int, condition text, answers bigint, rows numeric, wrong bigint) LANGUAGE sql AS $$
	WITH kinds (kind, within, thresholds, distance) AS (VALUES ('m128', 'minhash_similar(m128, %L, %s)', '{1, 0.8, 0.5, 0.05}'::float8[], 'm128 <%%> %L'),
			('c128', 'minhash_similar(c128, %L, %s)', '{1, 0.8, 0.5, 0.05}', 'c128 <%%> %L'), ('s', 'simhash_similar(s, %L, %s)', '{0, 2, 20}', 's <#> %L')),
		probe AS (SELECT id, kind, CASE kind WHEN 'm128' THEN m128::text WHEN 'c128' THEN c128::text ELSE s::text END AS value FROM docs, kinds WHERE id = ANY (probes)),
		queries AS MATERIALIZED (
			SELECT c.n, c.condition, 1 AS form, format('SELECT count(*) || '' '' || coalesce(string_agg(id::text, '','' ORDER BY id), '''') FROM docs WHERE ' || c.condition || ' AND ' || within, value, threshold) AS query
			FROM conditions AS c, kinds JOIN probe USING (kind), unnest(thresholds) AS threshold WHERE value IS NOT NULL AND (kind = 'c128' OR NOT names)
			UNION ALL SELECT c.n, c.condition, 2, format('SELECT count(*) || '' '' || coalesce(string_agg(d::text, '',''), '''') FROM (SELECT ' || distance || ' AS d FROM docs WHERE ' || c.condition || ' ORDER BY ' || distance || ' LIMIT ' || k || ') AS x', value, value)
			FROM conditions AS c, kinds JOIN probe USING (kind), (VALUES (7), (100000)) AS k (k) WHERE value IS NOT NULL AND (kind = 'c128' OR NOT names)
			UNION ALL SELECT c.n, c.condition, 3, 'SELECT count(*) || '' '' || coalesce(sum(id), 0) FROM docs WHERE ' || c.condition FROM conditions AS c WHERE c.n NOT IN (6, 7)),
		results AS MATERIALIZED (SELECT *, answer(query, false) AS by_table, answer(query, true) AS by_index, CASE WHEN form <> 2 THEN answer(query, true, true) END AS by_bitmap FROM queries)
	SELECT r.n, r.condition, count(*), sum(split_part(by_table, ' ', 1)::numeric), count(*) FILTER (WHERE by_table <> by_index OR by_table <> by_bitmap) FROM results AS r GROUP BY r.n, r.condition ORDER BY r.n $$;
SELECT * FROM compare();

-- few pages: of a tenant alone, for any condition on the fingerprint and for none; other plans for what it does not serve
CREATE FUNCTION pages_read(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ' || query INTO plan;
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ' || query INTO plan;
	RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::bigint + (plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::bigint;
END $$;
SET enable_seqscan = off;
SELECT m128 AS q, c128 AS qc FROM docs WHERE id = 8001 \gset
SELECT n, pages_read(format(query, :'q', :'qc')) < CASE WHEN n = 7 THEN 1500 ELSE 70 END AS few FROM (VALUES (1, 'SELECT id FROM docs WHERE tenant = 1012 AND minhash_similar(m128, %1$L, 0.3)'), (2, 'SELECT id FROM docs WHERE tenant = 1012 ORDER BY m128 <%%> %1$L LIMIT 3'),
	(3, 'SELECT id FROM docs WHERE tenant = 1012'), (4, 'SELECT id FROM docs WHERE tenant = 1012 AND m128 IS NULL'), (5, 'SELECT id FROM docs WHERE tenant = 0 AND minhash_similar(m128, %1$L, 0.9)'),
	(6, 'SELECT id FROM docs WHERE minhash_similar(m128, %1$L, 0.9)'), (7, 'SELECT id FROM docs WHERE tenant = 0 AND minhash_similar(m128, %1$L, 0.5)'), (8, 'SELECT id FROM docs WHERE tenant = 1012 AND name = ''group 3'' AND minhash_similar(c128, %2$L, 0.1)'),
	(9, 'SELECT id FROM docs WHERE tenant = ANY (''{1012, 1013}'') AND minhash_similar(m128, %1$L, 0.3)')) AS q (n, query) ORDER BY n;
SELECT count(*) FROM docs WHERE tenant = NULL AND minhash_similar(m128, :'q', 0.3);
RESET enable_seqscan;
EXPLAIN (COSTS OFF) SELECT d.id FROM (VALUES (1012), (5)) AS t (tenant) JOIN docs AS d ON d.tenant = t.tenant AND simhash_similar(d.s, '0000000000000000', 3);
SELECT t.tenant, count(d.id), sum(d.id) = (SELECT sum(id) FROM docs WHERE tenant = t.tenant AND jaccard(m128, :'q') + 0 >= 0.1) AS same FROM (VALUES (1012), (5), (0)) AS t (tenant) LEFT JOIN docs AS d ON d.tenant = t.tenant AND minhash_similar(d.m128, :'q', 0.1) GROUP BY t.tenant ORDER BY 1;
SELECT count(*), count(*) FILTER (WHERE tenant IN (5, 1012)) FROM docs WHERE tenant = ANY ('{5, 1012, NULL}') AND minhash_similar(m128, :'q', 0);

-- new rows, moved rows, deleted rows, vacuum and merges
SELECT put(14001, 15000);
UPDATE docs SET tenant = 5 WHERE id % 17 = 0;
UPDATE docs SET tenant = NULL WHERE id % 1001 = 1;
DELETE FROM docs WHERE id % 5 = 1;
SELECT * FROM compare('{17, 14500}');
VACUUM docs;
SELECT put(15001, 30000);
SELECT sketch_check('docs_m128', true), sketch_check('docs_c128', true), sketch_check('docs_s', true);
SELECT * FROM compare('{17, 29000}');
DELETE FROM docs WHERE id % 3 = 1;
VACUUM docs;
SELECT put(30001, 34000);
VACUUM docs;
SELECT i, tables BETWEEN 1 AND 3 AS tables, covered_rows > 10000 AS covered FROM unnest('{docs_m128, docs_c128, docs_s}'::text[]) AS i, fingerprint_index_info(i::regclass) WHERE tables IS NOT NULL;
SELECT sketch_check('docs_m128', true), sketch_check('docs_c128', true), sketch_check('docs_s', true);
SELECT * FROM compare('{17, 33000}');
SET maintenance_work_mem = '1MB'; -- sorted on disk
REINDEX INDEX docs_m128;
RESET maintenance_work_mem;
SELECT sketch_check('docs_m128', true);
SELECT * FROM compare('{17}') WHERE n < 8;

-- other types: an enumeration, a domain, text of any collation, numbers that are equal in several forms; four columns; one row and none
CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE DOMAIN code AS varchar(5);
CREATE TABLE typed (id int, e mood, c code, n numeric, t timestamptz, u uuid, a int[], f float8, fp simhash64);
INSERT INTO typed SELECT i, (enum_range(NULL::mood))[1 + i % 2], 'c' || i % 3, CASE i % 2 WHEN 0 THEN 1.5 ELSE 1.50 END, '2026-01-01'::timestamptz + i % 4 * interval '1 day', md5((i % 5)::text)::uuid, ARRAY[i % 2], CASE i % 2 WHEN 0 THEN 0.0 ELSE '-0'::float8 END, i::bigint::simhash64
FROM generate_series(1, 300) AS i;
CREATE INDEX typed_enct ON typed USING sketch (e, c, n, t, fp);
CREATE INDEX typed_uaf ON typed USING sketch (u, a, f, fp);
SET enable_seqscan = off;
SELECT count(*), (SELECT count(*) FROM typed WHERE id % 2 = 0 AND id % 3 = 1) AS expected FROM typed WHERE e = 'good' AND c = 'c1' AND n = 1.500 AND simhash_similar(fp, '0000000000000000', 64);
SELECT count(*) FROM typed WHERE u = md5('3')::uuid AND a = '{1}' AND f = 0 AND simhash_similar(fp, '0000000000000000', 64);
SELECT count(*) FROM typed WHERE t = '2026-01-02'::timestamptz AND e = 'bad' AND simhash_similar(fp, '0000000000000000', 64);
SELECT id FROM typed WHERE e = 'bad' ORDER BY fp <#> '0000000000000007' LIMIT 3;
RESET enable_seqscan;
SELECT sketch_check('typed_enct', true), sketch_check('typed_uaf', true);
CREATE INDEX ON typed USING sketch (id, e, c, n, t, fp);
CREATE INDEX ON typed USING sketch (fp, id);
CREATE INDEX ON typed USING sketch (id);
CREATE INDEX ON typed USING sketch (fp, fp);

-- types without bands have a directory of the leading columns alone
CREATE TABLE hashes WITH (autovacuum_enabled = off) AS SELECT i AS id, CASE WHEN i % 2 = 0 THEN 0 ELSE i / 50 END AS part, (i * 1234567891::bigint)::simhash64 AS s FROM generate_series(1, 40000) AS i;
CREATE INDEX hashes_s ON hashes USING sketch (part, s);
ANALYZE hashes;
SELECT bands, tables, covered_rows > 30000 AS covered FROM fingerprint_index_info('hashes_s') WHERE tables IS NOT NULL;
SET enable_seqscan = off;
SELECT part, pages_read(format('SELECT id FROM hashes WHERE part = %s AND simhash_similar(s, ''0000000000000000'', 20)', part)) < 40 AS few FROM unnest('{7, 500, 77777}'::int[]) AS part;
CREATE FUNCTION of_part(by_index boolean) RETURNS TABLE (part int, n bigint, ids text, nearest text) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('enable_seqscan', (NOT by_index)::text, true), set_config('enable_indexscan', by_index::text, true), set_config('enable_bitmapscan', by_index::text, true);
	RETURN QUERY SELECT p.part, count(*), string_agg(h.id::text, ',' ORDER BY h.id), (SELECT string_agg(d::text, ',') FROM (SELECT x.s <#> '00000000000000ff' AS d FROM hashes AS x WHERE x.part = p.part ORDER BY x.s <#> '00000000000000ff' LIMIT 5) AS y)
		FROM unnest('{0, 1, 7, 500, 601}'::int[]) AS p (part) LEFT JOIN hashes AS h ON h.part = p.part AND simhash_similar(h.s, '00000000000000ff', 26) GROUP BY p.part;
END $$;
SELECT i.part, i.n > 0 AS some, i.n = t.n AND i.ids IS NOT DISTINCT FROM t.ids AND i.nearest IS NOT DISTINCT FROM t.nearest AS same FROM of_part(true) AS i JOIN of_part(false) AS t USING (part) ORDER BY part;
INSERT INTO hashes SELECT 100000 + i, 600 + i % 3, i::bigint::simhash64 FROM generate_series(1, 2000) AS i;
UPDATE hashes SET part = 7 WHERE id % 500 = 1;
VACUUM hashes;
SELECT i.part, i.n = t.n AND i.ids IS NOT DISTINCT FROM t.ids AND i.nearest IS NOT DISTINCT FROM t.nearest AS same FROM of_part(true) AS i JOIN of_part(false) AS t USING (part) ORDER BY part;
SELECT sketch_check('hashes_s', true);
-- as many leading columns as an index can have
CREATE INDEX hashes_four ON hashes USING sketch (part, (id % 3), (id % 5), (id % 7), s);
SELECT sketch_check('hashes_four', true);
SELECT count(*), (SELECT count(*) FROM hashes WHERE part = 7 AND (id % 3) + 0 = 1 AND (id % 5) + 0 = 2 AND (id % 7) + 0 = 3) AS expected FROM hashes WHERE part = 7 AND id % 3 = 1 AND id % 5 = 2 AND id % 7 = 3 AND simhash_similar(s, '0000000000000000', 64);
SELECT tables, covered_rows > 30000 AS covered FROM fingerprint_index_info('hashes_four') WHERE tables IS NOT NULL;
DROP INDEX hashes_four;
RESET enable_seqscan;

SELECT indexed, operator_class, bands, recall FROM fingerprint_index_info('docs_c128');
SELECT recall, promise FROM fingerprint_index_recall('docs_m128', 30, 0.8);

-- near_duplicate_trigger searches within a tenant through it
CREATE TABLE guarded (id int PRIMARY KEY, tenant int, fp minhash128);
INSERT INTO guarded SELECT id, tenant % 50, m128 FROM docs WHERE m128 IS NOT NULL AND tenant IS NOT NULL;
CREATE INDEX guarded_fp ON guarded USING sketch (tenant, fp);
ANALYZE guarded;
CREATE TRIGGER near_dup BEFORE INSERT ON guarded FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'threshold=0.8', 'within=tenant');
BEGIN;
SELECT pg_stat_get_xact_numscans('guarded_fp'::regclass) AS before \gset
INSERT INTO guarded SELECT 1000000 + id, tenant, fp FROM guarded WHERE id IN (2, 3, 9); -- there already
INSERT INTO guarded SELECT 2000000 + id, 49, to_minhash128(words(id * 8 + 100000)) FROM generate_series(1, 3) AS id WHERE id <> 2;
SELECT count(*) FILTER (WHERE id > 2000000) AS written, count(*) FILTER (WHERE id BETWEEN 1000000 AND 2000000) AS twice, pg_stat_get_xact_numscans('guarded_fp'::regclass) - :before AS searches FROM guarded;
COMMIT;
-- the counts of a session
CREATE TABLE counted AS SELECT id, tenant, m128 FROM docs WHERE m128 IS NOT NULL;
CREATE INDEX counted_fp ON counted USING sketch (tenant, m128);
ANALYZE counted;
SELECT m128 AS probe FROM counted WHERE id = 17 \gset
SET enable_seqscan = off;
SET enable_bitmapscan = off;
CREATE FUNCTION counts() RETURNS TABLE (bands bigint, columns bigint, groups bigint, reads_all boolean, compares_all boolean, returned bigint) LANGUAGE sql AS $$
	SELECT by_bands, by_leading_columns, of_all_groups, groups_read >= (SELECT count(*) FROM counted) / 110 - 2, rows_compared >= (SELECT count(*) FROM counted), rows_returned FROM fingerprint_index_info('counted_fp') WHERE tables IS NOT NULL $$;
SELECT * FROM counts();
SELECT count(*) FROM counted WHERE minhash_similar(m128, :'probe', 0.9);
SELECT * FROM counts();
SELECT count(*) FROM counted WHERE tenant = 5;
SELECT * FROM counts();
SET enable_bitmapscan = on;
SET enable_indexscan = off;
SELECT count(*) FROM counted WHERE minhash_similar(m128, :'probe', 0.9);
SELECT * FROM counts();
SET enable_bitmapscan = off;
SET enable_indexscan = on;
SELECT count(*) FROM (SELECT FROM counted ORDER BY m128 <%> :'probe' LIMIT 3) AS nearest;
SELECT * FROM counts();
RESET enable_seqscan;
RESET enable_bitmapscan;
-- The nearest rows that pass a filter: the index where many pass, the filter's B-tree and a sort where few do, or where a tenant has few rows.
CREATE TABLE filtered AS SELECT n AS id, (hashint4(n) & 65535) % 10 AS of_10, (hashint4(n + 7) & 65535) % 200 AS of_200, to_minhash128(ARRAY[(n / 8)::text, n::text, 'a', 'b']) AS fp FROM generate_series(1, 20000) AS n;
CREATE INDEX filtered_fp ON filtered USING sketch (fp);
CREATE INDEX filtered_10 ON filtered (of_10);
CREATE INDEX filtered_200 ON filtered (of_200);
VACUUM ANALYZE filtered;
CREATE FUNCTION plan_of(condition text, k int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE format('EXPLAIN (FORMAT json) SELECT id FROM filtered WHERE %s ORDER BY fp <%%> (SELECT fp FROM filtered WHERE id = 8) LIMIT %s', condition, k) INTO plan;
	RETURN substring(plan::text FROM '"Index Name": "(\w+)"') || CASE WHEN plan::text ~ '"Sort"' THEN ', sorted' ELSE '' END;
END $$;
SELECT condition, k, plan_of(condition, k) FROM (VALUES ('of_10 = 1'), ('of_200 = 1')) AS c (condition), (VALUES (1), (10)) AS k (k);
SET client_min_messages = warning;
DROP SCHEMA columns_test CASCADE;
