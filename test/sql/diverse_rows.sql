-- diverse_rows: the first k rows of an ordered query of which no two are similar
\set SHOW_CONTEXT never
CREATE SCHEMA diverse_test;
SET search_path = diverse_test, public;
SET jit = off;

-- families of six texts, in which some words are replaced; copies; rows without a text
CREATE TABLE docs AS SELECT id, id % 3 AS part, body, to_minhash128(body) AS fp, to_minhash64_compact(to_minhash64(body)) AS small, to_simhash64(body) AS s, to_tlsh(body) AS t, to_lavinhash(convert_to(body, 'UTF8')) AS l
FROM generate_series(1, 1500) AS id, LATERAL (SELECT string_agg('word' || CASE WHEN (k + id / 6) % 30 < id % 6 / 2 * 2 THEN id / 2 * 1000 + k WHEN k % 2 = 0 THEN k ELSE id / 6 * 1000 + k END, ' ' ORDER BY k) AS body FROM generate_series(1, 60) AS k) AS made;
INSERT INTO docs (id, part) SELECT 2000 + i, 0 FROM generate_series(1, 3) AS i;
CREATE INDEX docs_fp ON docs USING sketch (fp);
CREATE INDEX docs_part ON docs USING sketch (part, small);
CREATE INDEX docs_s ON docs USING sketch (s);
ANALYZE docs;

-- the same by PL/pgSQL, row by row
CREATE FUNCTION by_hand(query text, k int, is_similar text) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
	one record;
	ids bigint[] := '{}';
	is_near boolean;
	kept text[] := '{}';
BEGIN
	FOR one IN EXECUTE 'SELECT id::bigint, fp::text AS fp FROM (' || query || ') AS x' LOOP
		EXIT WHEN cardinality(ids) = k;
		EXECUTE 'SELECT EXISTS (SELECT FROM unnest($1) AS other WHERE ' || is_similar || ')' INTO is_near USING kept, one.fp;
		CONTINUE WHEN is_near;
		ids := ids || one.id;
		kept := array_append(kept, one.fp);
	END LOOP;
	RETURN ids;
END $$;
-- searches that give other rows than by hand, and that give fewer than k
CREATE FUNCTION compare(col text, operator text, type text, is_similar text, options text, every int, k int, filter text DEFAULT 'true') RETURNS TABLE (searches bigint, different bigint, fewer bigint, skipped boolean) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format($q$
		WITH answers AS MATERIALIZED (
			SELECT by_hand(query, %6$s, %4$L) AS by_hand, (SELECT array_agg(id ORDER BY place) FROM diverse_rows(query, %6$s, %5$s)) AS found, (SELECT max(place) FROM diverse_rows(query, %6$s, %5$s)) AS last
			FROM docs, format('SELECT id, %1$I AS fp FROM docs WHERE %8$s ORDER BY %1$I %2$s %%L, id', %1$I) AS query WHERE id %% %7$s = 1 AND %1$I IS NOT NULL)
		SELECT count(*), count(*) FILTER (WHERE by_hand IS DISTINCT FROM found), count(*) FILTER (WHERE cardinality(found) < %6$s), bool_or(last > %6$s) FROM answers $q$, col, replace(operator, '%', '%%'), type, is_similar, options, k, every, filter);
END $$;
-- some two hundred queries, in the long run 1,400
\getenv long TXTFP_LONG
\if :{?long}
\set step 1
\else
\set step 10
\endif
SELECT searches >= 4 AS many, different, fewer, skipped FROM compare('fp', '<%>', 'minhash128', 'minhash_similar(other::minhash128, $2::minhash128, 0.6)', 'threshold => 0.6', 2 * :step, 10);
SELECT searches >= 4 AS many, different, fewer, skipped FROM compare('fp', '<%>', 'minhash128', 'minhash_similar(other::minhash128, $2::minhash128, 0.9)', 'threshold => 0.9', 50, 40);
SELECT searches >= 4 AS many, different, fewer, skipped FROM compare('small', '<%>', 'minhash64_compact', 'minhash_similar(other::minhash64_compact, $2::minhash64_compact, 0.8)', 'threshold => NULL', 6 * :step, 5, 'part = 1');
SELECT searches >= 4 AS many, different, fewer, skipped FROM compare('s', '<#>', 'simhash64', 'simhash_similar(other::simhash64, $2::simhash64, 12)', 'max_distance => 12', 6 * :step, 5);
SELECT searches >= 4 AS many, different, fewer, skipped FROM compare('t', '<~>', 'tlsh', 'tlsh_similar(other::tlsh, $2::tlsh, 60)', 'max_distance => 60', 25, 5);
SELECT searches >= 4 AS many, different, fewer, skipped FROM compare('l', '<->', 'lavinhash', 'lavinhash_similar(other::lavinhash, $2::lavinhash, 70)', 'min_score => 70', 25, 5);

-- it reads no more than needed, through the index; a row without a fingerprint is similar to none
SET enable_seqscan = off;
SELECT rows_returned AS before FROM fingerprint_index_info('docs_fp') \gset
SELECT count(*), max(place) AS last FROM diverse_rows('SELECT id, fp FROM docs ORDER BY fp <%> (SELECT fp FROM docs WHERE id = 601)', 10, threshold => 0.6) \gset
SELECT :count AS rows, :last > 10 AS skipped, rows_returned - :before - :last AS more FROM fingerprint_index_info('docs_fp');
SELECT id FROM diverse_rows('SELECT id, fp FROM docs WHERE id > 2000 ORDER BY id', 2);
RESET enable_seqscan;
-- any order, other ids, beside full-text search
SELECT d.id, place FROM diverse_rows(NULL::text, $$SELECT 'n' || id, fp FROM docs WHERE to_tsvector('simple', body) @@ plainto_tsquery('simple', 'word100001') ORDER BY ts_rank(to_tsvector('simple', body), plainto_tsquery('simple', 'word100001')) DESC, id$$, 3) AS d;
SELECT id, place, pg_typeof(id) FROM diverse_rows(NULL::int, 'SELECT id, fp FROM docs ORDER BY id DESC;', 3, 0.5);
SELECT * FROM diverse_rows('SELECT id, fp FROM docs WHERE false', 3);
SELECT id, (SELECT array_agg(d.id ORDER BY place) FROM diverse_rows(format('SELECT id, fp FROM docs ORDER BY fp <%%> %L, id', fp), 2, 0.6) AS d) FROM docs WHERE id IN (12, 14) ORDER BY id;

-- errors
CREATE FUNCTION state(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE query;
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT state('SELECT * FROM diverse_rows(' || arguments || ')') FROM (VALUES ($$'SELECT id, fp FROM docs', 0$$), ($$'SELECT id, fp FROM docs', 10001$$), ($$NULL, 3$$), ($$'SELECT id, fp FROM docs', NULL$$), ($$'docs', 3$$), ($$'SELECT id FROM docs', 3$$),
	($$'SELECT id, body FROM docs', 3$$), ($$'SELECT body, fp FROM docs', 3$$), ($$'SELECT id, fp FROM docs', 3, 1.5$$), ($$'SELECT id, fp FROM docs', 3, max_distance => 3$$), ($$'SELECT id, s FROM docs', 3, max_distance => 65$$), ($$'SELECT NULL::int, fp FROM docs', 3$$),
	($$'DELETE FROM docs RETURNING id, fp', 3$$), ($$'SELECT id, fp FROM docs FOR UPDATE', 3$$), ($$'SELECT 1, 2; SELECT 3, 4', 3$$), ($$'SELECT 1 / (id - 3), fp FROM docs ORDER BY id', 9$$), ($$'SELECT id, to_embedding(ARRAY[1, 2]) FROM docs', 3$$),
	($$'SELECT 1, to_minhash128(''a text'') UNION ALL SELECT 2, to_minhash128(''a text'', ''word-uax29'')', 2$$)) AS v (arguments);
SET client_min_messages = warning;
DROP SCHEMA diverse_test CASCADE;
