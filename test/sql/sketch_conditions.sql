-- Conditions on a distance or a similarity become searches where an index of the access method sketch has the column, and find what they find without it.
\set SHOW_CONTEXT never
CREATE SCHEMA sketch_conditions_test;
SET search_path = sketch_conditions_test, public, txtfp;
SET jit = off;
SET max_parallel_workers_per_gather = 0;
CREATE FUNCTION words(n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT string_agg(md5(CASE WHEN i <= n % 8 * 4 THEN n * 100 ELSE n / 8 * 100000 END + i || ''), ' ' ORDER BY i) FROM generate_series(1, 30) AS i $$;
-- `plain` has no index: what the conditions find there is what they must find
CREATE TABLE plain AS SELECT id, id % 3 AS part, to_minhash64(w, 'word-uax29') AS m64, to_minhash128(w, 'word-uax29') AS m128, to_minhash256(w, 'word-uax29') AS m256, to_minhash64(w, 'word-uax29')::minhash64_compact AS c64,
	to_minhash128(w, 'word-uax29')::minhash128_compact AS c128, to_minhash256(w, 'word-uax29')::minhash256_compact AS c256, to_simhash64(w) AS s, to_tlsh(w) AS t, to_lavinhash(convert_to(w, 'UTF8')) AS l
FROM generate_series(1, 600) AS id, LATERAL (SELECT words(CASE WHEN id % 10 = 9 THEN 9 ELSE id END) OFFSET 0) AS x (w);
INSERT INTO plain (id, part) SELECT -i, i % 3 FROM generate_series(1, 20) AS i;
CREATE TABLE docs AS SELECT * FROM plain;
CREATE INDEX docs_m64 ON docs USING sketch (m64);
CREATE INDEX docs_m128 ON docs USING sketch (m128);
CREATE INDEX docs_m256 ON docs USING sketch (m256);
CREATE INDEX docs_c64 ON docs USING sketch (c64);
CREATE INDEX docs_c128 ON docs USING sketch (c128);
CREATE INDEX docs_c256 ON docs USING sketch (c256);
CREATE INDEX docs_s ON docs USING sketch (part, s);
CREATE INDEX docs_t ON docs USING sketch (t);
CREATE INDEX docs_l ON docs USING sketch (l);
ANALYZE docs;
ANALYZE plain;

-- the plan of a query: the nodes that scan, with the conditions on the index and others, without the values
CREATE FUNCTION plan(query text, VARIADIC settings text[] DEFAULT '{}') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line ~ 'Index Cond|Order By|Filter|Scan|Sort$' THEN
			RETURN NEXT regexp_replace(regexp_replace(line, '''[^'']{20,}''(::[a-z0-9_]+)?', '…', 'g'), '_to_(minhash|simhash|tlsh|lavinhash)[a-z_]*probe', 'probe');
		END IF;
	END LOOP;
END $$;
SELECT m64, m128, m256, c64, c128, c256, s, t, l FROM plain WHERE id = 9 \gset
SET enable_seqscan = off;

-- every type, operator and function, the constant on either side; what they find is compared with the table without an index
CREATE TABLE conditions (n serial, condition text, is_search boolean);
INSERT INTO conditions (condition, is_search)
SELECT format(form, name, value, number), true
FROM (VALUES ('m64', :'m64'), ('m128', :'m128'), ('m256', :'m256'), ('c64', :'c64'), ('c128', :'c128'), ('c256', :'c256')) AS types (name, value),
	unnest('{jaccard(%1$s\, %2$L) >= %3$s,jaccard(%2$L\, %1$s) > %3$s,%3$s <= jaccard(%1$s\, %2$L),%3$s < jaccard(%1$s\, %2$L),%1$s <%%> %2$L < 1 - %3$s,%1$s <%%> %2$L <= 1 - %3$s,1 - %3$s > %2$L <%%> %1$s,1 - %3$s >= jaccard_distance(%1$s\, %2$L)}'::text[]) AS form,
	unnest('{0.05,0.3,0.5,0.640625,0.8,0.9}'::text[]) AS number;
INSERT INTO conditions (condition, is_search)
SELECT format(form, :'s', number), true FROM unnest('{hamming(s\, %1$L) <= %2$s,s <#> %1$L < %2$s + 1,%2$s >= s <#> %1$L,part = 1 AND %2$s > s <#> %1$L}'::text[]) AS form, unnest('{1,3,20,31}'::int[]) AS number
UNION ALL SELECT format(form, :'t', number), true FROM unnest('{tlsh_distance(t\, %1$L) <= %2$s,t <~> %1$L < %2$s + 1,%2$s >= t <~> %1$L,%2$s > tlsh_distance(%1$L\, t)}'::text[]) AS form, unnest('{1,30,100,300}'::int[]) AS number
UNION ALL SELECT format(form, :'l', number), true FROM unnest('{lavinhash_similarity(l\, %1$L) >= %2$s,lavinhash_similarity(%1$L\, l) > %2$s,l <-> %1$L < 100 - %2$s,100 - %2$s >= l <-> %1$L,lavinhash_distance(l\, %1$L) <= 100 - %2$s}'::text[]) AS form, unnest('{1,30,70,99}'::int[]) AS number;
-- these stay what they are: nothing or everything fulfils them, they are no search, or they use other weights or lengths
INSERT INTO conditions (condition, is_search)
SELECT condition, false FROM (VALUES (format('jaccard(m128, %L) >= 1.5', :'m128')), (format('jaccard(m128, %L) > 1', :'m128')), (format('jaccard(m128, %L) >= -0.5', :'m128')), (format('m128 <%%> %L < 0', :'m128')), (format('m128 <%%> %L < ''NaN''', :'m128')),
	(format('jaccard(m128, %L) < 0.5', :'m128')), (format('m128 <%%> %L > 0.5', :'m128')), (format('jaccard(m128, %L) = 1', :'m128')), (format('jaccard(m128, %L) + 0 >= 0.5', :'m128')), (format('jaccard(m128, %L) >= NULL', :'m128')),
	(format('s <#> %L < 0', :'s')), (format('hamming(s, %L) <= 65', :'s')), (format('s <#> %L > 3', :'s')), (format('tlsh_distance(t, %L, false) < 100', :'t')), (format('t <~> %L < -1', :'t')),
	(format('lavinhash_similarity(l, %L, 0.5) >= 30', :'l')), (format('lavinhash_similarity(l, %L) >= 101', :'l')), (format('lavinhash_similarity(l, %L) < 30', :'l'))) AS v (condition);
CREATE FUNCTION answer(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE query INTO result;
	RETURN result;
END $$;
CREATE FUNCTION is_search(query text) RETURNS boolean LANGUAGE sql AS $$ SELECT EXISTS (SELECT FROM plan(query) AS line WHERE line ~ 'Index Cond.*(%|[( ][st] = )') $$;
SELECT c.is_search, count(*), count(*) FILTER (WHERE is_search('SELECT id FROM docs WHERE ' || condition) = c.is_search) AS "as expected",
	count(*) FILTER (WHERE answer('SELECT (count(*), sum(id)) FROM docs WHERE ' || condition) IS DISTINCT FROM answer('SELECT (count(*), sum(id)) FROM plain WHERE ' || condition)) AS different,
	count(DISTINCT answer('SELECT count(*) FROM plain WHERE ' || condition)) > 5 AS "many results"
FROM conditions AS c GROUP BY 1 ORDER BY 1;
SELECT condition FROM conditions AS c WHERE is_search('SELECT id FROM docs WHERE ' || condition) <> c.is_search;

-- plans: within OR, under NOT, in joins, in subqueries, with an order, which ends at the limit
SELECT plan(format('SELECT id FROM docs WHERE jaccard(m128, %L) >= 0.8', :'m128'));
SELECT plan(format('SELECT id FROM docs WHERE jaccard(m128, %L) >= 0.8 OR s <#> %L < 3 AND part = 1', :'m128', :'s'));
SELECT plan(format('SELECT id FROM docs WHERE NOT jaccard(m128, %L) < 0.8', :'m128'));
SELECT plan(format('SELECT id FROM docs WHERE m128 <%%> %L < 0.2 ORDER BY m128 <%%> %1$L LIMIT 10', :'m128'));
SELECT plan('SELECT d.id FROM plain AS p JOIN docs AS d ON jaccard(d.m128, p.m128) >= 0.8 WHERE p.id = 9');
SELECT plan('SELECT p.id, d.id FROM plain AS p LEFT JOIN docs AS d ON d.m128 <%> p.m128 < 0.2 WHERE p.id < 5');
SELECT plan(format('SELECT id FROM (SELECT id, jaccard(m128, %L) AS similarity FROM docs) AS d WHERE similarity > 0.9', :'m128'));
SELECT plan('SELECT p.id, n.id FROM plain AS p, LATERAL (SELECT d.id FROM docs AS d WHERE d.m128 <%> p.m128 < 0.5 ORDER BY d.m128 <%> p.m128 LIMIT 3) AS n WHERE p.id < 5');
SELECT plan(format('SELECT id FROM docs WHERE s <#> %L BETWEEN 0 AND 3 AND part = 0', :'s'));
SELECT plan(format('DELETE FROM docs WHERE jaccard(m128, %L) >= 0.99', :'m128'));
SELECT plan(format('SELECT id FROM docs WHERE hamming(s, %L) < 1 AND part = 1', :'s'));
-- in order: all rows, and few pages, because the condition ends the scan before the limit does
SELECT (SELECT string_agg(distance::text, ' ') FROM (SELECT m128 <%> :'m128' AS distance FROM docs WHERE m128 <%> :'m128' < 0.8 AND id % 10 <> 9 ORDER BY m128 <%> :'m128' LIMIT 10) AS n)
	= (SELECT string_agg(distance::text, ' ') FROM (SELECT m128 <%> :'m128' AS distance FROM plain WHERE m128 <%> :'m128' < 0.8 AND id % 10 <> 9 ORDER BY m128 <%> :'m128' LIMIT 10) AS n) AS same;
SET enable_bitmapscan = off;
SELECT plan(format('SELECT id FROM docs WHERE m128 <%%> %L < 0.2 ORDER BY m128 <%%> %1$L LIMIT 200', :'m128'));
RESET enable_bitmapscan;
SELECT (SELECT count(*) FROM plain AS p JOIN docs AS d ON jaccard(d.m128, p.m128) >= 0.8) = (SELECT count(*) FROM plain AS p JOIN plain AS d ON jaccard(d.m128, p.m128) >= 0.8) AS same,
	(SELECT count(*) FROM plain AS p LEFT JOIN docs AS d ON d.m128 <%> p.m128 < 0.2) = (SELECT count(*) FROM plain AS p LEFT JOIN plain AS d ON d.m128 <%> p.m128 < 0.2) AS "same with NULLs";

-- prepared statements: a custom plan knows the limit, a generic one does not
PREPARE by_limit (minhash128, float8) AS SELECT count(*) FROM docs WHERE jaccard(m128, $1) >= $2;
SET plan_cache_mode = force_custom_plan;
SELECT plan(format('EXECUTE by_limit (%L, 0.8)', :'m128'));
EXECUTE by_limit (:'m128', 1.5);
SET plan_cache_mode = force_generic_plan;
SELECT plan(format('EXECUTE by_limit (%L, 0.8)', :'m128'));
EXECUTE by_limit (:'m128', 1.5);
RESET plan_cache_mode;

-- an index that may miss rows finds all of these (sketch_exactness), or is not used, as GIN
SET txtfp.sketch_recall = 0.9;
SELECT plan(format('SELECT id FROM docs WHERE jaccard(m128, %L) >= 0.8', :'m128'));
RESET txtfp.sketch_recall;
ALTER INDEX docs_m128 SET (recall = 0.99);
SELECT plan(format('SELECT id FROM docs WHERE jaccard(m128, %L) >= 0.8', :'m128'));
ALTER INDEX docs_m128 RESET (recall);
CREATE INDEX docs_gin ON docs USING gin (m128 minhash128_lsh_ops);
SELECT plan(format('SELECT id FROM docs WHERE jaccard(m128, %L) >= 0.8', :'m128'));
DROP INDEX docs_gin;
-- an index on the number, and a partial one, are still used
DO $$ BEGIN
	EXECUTE format('CREATE INDEX docs_number ON docs (jaccard(m256, %L))', (SELECT m256 FROM plain WHERE id = 9));
	EXECUTE format('CREATE INDEX docs_partial ON docs (id) WHERE jaccard(m64, %L) >= 0.8', (SELECT m64 FROM plain WHERE id = 9));
END $$;
ANALYZE docs;
SELECT plan(format('SELECT id FROM docs WHERE jaccard(m256, %L) > 0.9', :'m256'));
SELECT plan(format('SELECT id FROM docs WHERE jaccard(m64, %L) >= 0.8 AND id < 50', :'m64'));
DROP INDEX docs_partial;

-- partitions, an index on an expression, a partial index of sketch, a domain, a materialized view
CREATE TABLE parts (id int, fp minhash128) PARTITION BY RANGE (id);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (-100) TO (300);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (300) TO (1000);
CREATE INDEX ON parts USING sketch (fp);
INSERT INTO parts SELECT id, m128 FROM plain;
ANALYZE parts;
SELECT plan(format('SELECT id FROM parts WHERE jaccard(fp, %L) >= 0.8', :'m128'));
CREATE TABLE bodies AS SELECT id, words(id) AS body FROM plain WHERE id > 0;
CREATE INDEX ON bodies USING sketch ((id % 2), to_minhash128(body, 'word-uax29'));
SELECT plan(format('SELECT id FROM bodies WHERE to_minhash128(body, ''word-uax29'') <%%> %L <= 0.2', :'m128'));
DROP INDEX docs_m64;
CREATE INDEX docs_part ON docs USING sketch (m64) WHERE part = 1;
SELECT plan(format('SELECT id FROM docs WHERE jaccard(m64, %L) >= 0.8 AND part = 1', :'m64'));
SELECT answer(format('SELECT (count(*), sum(id)) FROM docs WHERE jaccard(m64, %L) >= 0.8', :'m64')) = answer(format('SELECT (count(*), sum(id)) FROM plain WHERE jaccard(m64, %L) >= 0.8', :'m64')) AS same;
CREATE DOMAIN print AS minhash128;
CREATE MATERIALIZED VIEW of_domain AS SELECT id, m128::print AS fp FROM plain;
CREATE INDEX ON of_domain USING sketch (fp);
SELECT plan(format('SELECT id FROM of_domain WHERE jaccard(fp, %L) >= 0.8', :'m128'));

-- with row-level security: the condition is not leak-proof, so the policy comes first, and the owner of no right sees no more
SET client_min_messages = warning;
DROP ROLE IF EXISTS regress_sketch_reader;
RESET client_min_messages;
CREATE ROLE regress_sketch_reader;
GRANT USAGE ON SCHEMA sketch_conditions_test TO regress_sketch_reader;
GRANT SELECT ON docs, plain TO regress_sketch_reader;
ALTER TABLE docs ENABLE ROW LEVEL SECURITY;
CREATE POLICY two_parts ON docs USING (part <> 1);
SET ROLE regress_sketch_reader;
SELECT plan(format('SELECT id FROM docs WHERE jaccard(m128, %L) >= 0.8', :'m128'));
SELECT plan(format('SELECT id FROM docs WHERE s <#> %L < 3 AND part = 2', :'s'));
SELECT (SELECT (count(*), sum(id)) FROM docs WHERE jaccard(m128, :'m128') >= 0.2) = (SELECT (count(*), sum(id)) FROM plain WHERE jaccard(m128, :'m128') >= 0.2 AND part <> 1) AS same;
RESET ROLE;
ALTER TABLE docs DISABLE ROW LEVEL SECURITY;

-- sketches of other configurations are an error in the same words, with the index and without
SELECT count(*) FROM docs WHERE jaccard(m128, to_minhash128('other tokens here', 'grapheme-uax29')) >= 0.8;
SELECT count(*) FROM plain WHERE jaccard(m128, to_minhash128('other tokens here', 'grapheme-uax29')) >= 0.8;
-- Of a second condition on the same column the index knows, too, that rows cannot meet it: it returns fewer than for either alone.
SELECT l AS other FROM plain WHERE id = 300 \gset
CREATE FUNCTION returned(condition text, OUT rows bigint, OUT returned bigint) LANGUAGE plpgsql AS $$
DECLARE
	before bigint := (SELECT rows_returned FROM fingerprint_index_info('docs_l'));
BEGIN
	EXECUTE 'SELECT count(*) FROM docs WHERE ' || condition INTO rows;
	returned := (SELECT rows_returned FROM fingerprint_index_info('docs_l')) - before;
END $$;
SELECT one.rows > 0 AND other.rows > 0 AS each_finds, one.returned >= one.rows AND other.returned >= other.rows AS by_index, both_found.rows, both_found.returned
FROM returned(format('lavinhash_similar(l, %L, 90)', :'l')) AS one, returned(format('lavinhash_similar(l, %L, 90)', :'other')) AS other,
	returned(format('lavinhash_similar(l, %L, 90) AND lavinhash_similar(l, %L, 90)', :'l', :'other')) AS both_found;
SET client_min_messages = warning;
DROP SCHEMA sketch_conditions_test CASCADE;
DROP ROLE regress_sketch_reader;

-- what an operator class may consist of
CREATE FUNCTION class_one(int) RETURNS int LANGUAGE sql IMMUTABLE RETURN 1;
CREATE FUNCTION class_big(int) RETURNS bigint LANGUAGE sql IMMUTABLE RETURN 1;
CREATE FUNCTION class_two(int, int) RETURNS int LANGUAGE sql IMMUTABLE RETURN 1;
CREATE FUNCTION class_terms(int) RETURNS int[] LANGUAGE sql IMMUTABLE RETURN '{}'::int[];
CREATE FUNCTION class_least(smallint) RETURNS float8 LANGUAGE sql IMMUTABLE RETURN 1;
CREATE FUNCTION is_valid(what text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE valid boolean;
BEGIN
	EXECUTE 'CREATE OPERATOR CLASS of_test FOR TYPE int USING sketch AS ' || what;
	SELECT amvalidate(oid) INTO valid FROM pg_opclass WHERE opcname = 'of_test';
	DROP OPERATOR FAMILY of_test USING sketch;
	RETURN valid;
END $$;
SET client_min_messages = error;
SELECT what, is_valid(what) FROM unnest(ARRAY['FUNCTION 2 class_one(int)', 'FUNCTION 2 class_big(int)', 'FUNCTION 2 class_two(int, int)', 'FUNCTION 1 class_one(int)',
	'FUNCTION 3 class_terms(int)', 'FUNCTION 3 class_one(int)', 'FUNCTION 4 class_least(smallint)', 'FUNCTION 4 class_one(int)',
	'OPERATOR 1 = (int, int)', 'FUNCTION 2 class_one(int), OPERATOR 1 = (int, int)']) AS what;
RESET client_min_messages;
DROP FUNCTION class_one, class_big, class_two, class_terms, class_least, is_valid;
