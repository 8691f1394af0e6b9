-- near_duplicate_trigger of several columns, with each action, on a table whose clusters stay current: stars of the one column, components of the other. Concurrency: tap/036_columns.
SET client_min_messages = warning;
\set SHOW_CONTEXT never
CREATE SCHEMA columns_test;
SET search_path = columns_test, public, txtfp;
CREATE FUNCTION bits(text) RETURNS simhash64 LANGUAGE sql IMMUTABLE RETURN rpad($1, 64, '0')::bit(64)::simhash64;
CREATE TABLE docs (id int PRIMARY KEY, fp simhash64, sh simhash64, rank int, seen int NOT NULL DEFAULT 1, near int, note text);
CREATE INDEX ON docs USING sketch (fp);
CREATE INDEX ON docs USING sketch (sh);
CALL live_clusters_create('docs', 'id', 'fp', mode => 'star', priority => 'rank', max_distance => 3, clusters => 'stars', events => true);
CALL live_clusters_create('docs', 'id', 'sh', max_distance => 3, clusters => 'components', events => true);
-- the merged row is the sum of both: its second fingerprint is that of the new one
CREATE FUNCTION newer(kept docs, new docs, similarities float8[]) RETURNS docs LANGUAGE plpgsql AS $$
BEGIN
	kept.sh := new.sh;
	kept.rank := greatest(kept.rank, new.rank);
	kept.seen := kept.seen + new.seen;
	RETURN kept;
END $$;
CREATE FUNCTION checks(arguments text) RETURNS void LANGUAGE plpgsql AS $$BEGIN
	EXECUTE 'CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger(''id'', ''fp:1, sh:1'', ' || arguments || ')';
END$$;

-- what is seen of each action
CREATE FUNCTION told(name text) RETURNS TABLE (what text, id int, kept int, kept_before int) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('WITH gone AS (DELETE FROM %I RETURNING *) SELECT what, id, kept, kept_before FROM gone ORDER BY event', name || '_events');
END $$;
SELECT checks($$'reject', 'match=any'$$);
INSERT INTO docs VALUES (1, bits('1'), bits('1'), 1), (2, bits('111'), bits('1111'), 2), (3, bits('11111'), bits('1111111'), 3);
INSERT INTO docs VALUES (4, bits('11'), bits('00001111'), 9);
INSERT INTO docs VALUES (4, bits('00001111'), bits('11111111'), 9);
SELECT id, cluster, size, number FROM stars ORDER BY id;
SELECT id, cluster, size, number FROM components ORDER BY id;
SELECT * FROM told('stars');
SELECT * FROM told('components');
SELECT checks($$'skip', 'match=any'$$);
INSERT INTO docs VALUES (4, bits('11'), bits('00001111'), 9), (5, bits('1111111'), bits('11111111111'), 5) RETURNING id;
SELECT * FROM told('stars');
SELECT checks($$'flag', 'match=any', 'column=near'$$);
INSERT INTO docs VALUES (6, bits('11'), bits('00001111'), 9) RETURNING id, near;
SELECT * FROM told('stars');
SELECT * FROM told('components');
SELECT checks($$'count', 'match=any', 'counter=seen', 'on_update=delete'$$);
INSERT INTO docs VALUES (7, bits('111'), bits('0000000000001111'), 99);
UPDATE docs SET fp = bits('1') WHERE id = 5;
SELECT id, seen FROM docs ORDER BY id;
SELECT * FROM told('stars');
SELECT * FROM told('components');
SELECT checks($$'merge', 'match=any', 'merge=columns_test.newer', 'on_update=delete'$$);
INSERT INTO docs VALUES (8, bits('11111'), bits('00000000000011110000'), 50);
SELECT id, seen, rank FROM docs ORDER BY id;
SELECT * FROM told('stars');
SELECT * FROM told('components');
SELECT * FROM live_clusters_check('docs', 'stars');
SELECT * FROM live_clusters_check('docs', 'components');

-- random statements of rows: both clusterings are right after each, what a trigger keeps out is not there
CREATE FUNCTION random_point(digits int) RETURNS simhash64 LANGUAGE sql VOLATILE
	RETURN bits((SELECT string_agg(CASE WHEN random() < 0.5 THEN '1' ELSE '0' END, '') FROM generate_series(1, digits + 0 * random()::int)));
CREATE FUNCTION storm(arguments text, rounds int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	wrong text; step text; low int; width int; what float8; all_columns boolean := arguments ~ 'match=all'; keeps_out boolean := arguments !~ '''flag'''; refused int := 0;
	near text := CASE WHEN all_columns THEN 'hamming(a.fp, b.fp) <= 1 AND hamming(a.sh, b.sh) <= 1' ELSE '(hamming(a.fp, b.fp) <= 1 OR hamming(a.sh, b.sh) <= 1)' END;
BEGIN
	TRUNCATE docs;
	PERFORM checks(arguments);
	FOR i IN 1 .. rounds LOOP
		low := random() * 30; what := random(); width := CASE WHEN random() < 0.6 THEN 0 ELSE random() * 8 END;
		step := format(CASE
			WHEN what < 0.45 THEN 'INSERT INTO docs (id, fp, sh, rank) SELECT n, random_point(%3$s), random_point(%3$s), floor(random() * 5) FROM generate_series(%1$s, %2$s) n WHERE NOT EXISTS (SELECT FROM docs WHERE id = n)'
			WHEN what < 0.60 THEN 'DELETE FROM docs WHERE id BETWEEN %1$s AND %2$s'
			WHEN what < 0.75 THEN 'UPDATE docs SET fp = random_point(%3$s) WHERE id BETWEEN %1$s AND %1$s'
			WHEN what < 0.85 THEN 'UPDATE docs SET sh = random_point(%3$s) WHERE id BETWEEN %1$s AND %2$s'
			WHEN what < 0.90 THEN 'UPDATE docs SET rank = floor(random() * 5) WHERE id BETWEEN %1$s AND %2$s'
			WHEN what < 0.95 THEN 'UPDATE docs SET fp = NULLIF(fp, random_point(2)), sh = NULL WHERE id BETWEEN %1$s AND %1$s'
			ELSE 'UPDATE docs SET fp = random_point(%3$s), sh = random_point(%3$s) WHERE id BETWEEN %1$s AND %2$s' END, low, low + width, CASE WHEN all_columns THEN 7 ELSE 11 END);
		BEGIN
			EXECUTE step;
		EXCEPTION WHEN unique_violation OR triggered_data_change_violation THEN refused := refused + 1;
		END;
		IF keeps_out THEN
			EXECUTE 'SELECT string_agg(format(''%s %s'', a.id, b.id), '', '') FROM docs AS a JOIN docs AS b ON a.id < b.id AND ' || near INTO wrong;
			wrong := 'kept in: ' || wrong;
		END IF;
		IF wrong IS NULL THEN
			SELECT string_agg(c::text, ' ') INTO wrong FROM (SELECT * FROM live_clusters_check('docs', 'stars') UNION ALL SELECT * FROM live_clusters_check('docs', 'components')) AS c;
		END IF;
		IF wrong IS NOT NULL THEN
			RETURN format('round %s: %s: %s', i, step, wrong);
		END IF;
	END LOOP;
	RETURN CASE WHEN (refused > 0) = (arguments ~ 'reject') OR arguments ~ 'merge' THEN 'right' ELSE format('%s refused', refused) END;
END $$;
SELECT setseed(0.5);
SELECT arguments, storm(arguments, 60) FROM unnest(ARRAY[
	$$'reject', 'match=any'$$, $$'reject', 'match=all'$$, $$'skip', 'match=any'$$, $$'skip', 'match=all'$$,
	$$'flag', 'match=any', 'column=near'$$, $$'flag', 'match=all', 'column=near'$$,
	$$'count', 'match=any', 'counter=seen', 'on_update=delete'$$, $$'count', 'match=all', 'counter=seen', 'on_update=skip'$$,
	$$'merge', 'match=any', 'merge=columns_test.newer', 'on_update=delete'$$, $$'merge', 'match=all', 'merge=columns_test.newer', 'on_update=skip'$$]) AS arguments;
DROP SCHEMA columns_test CASCADE;
