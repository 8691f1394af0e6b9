-- Every operator of sketch_trgm_ops through the index and without it.
SELECT extname, extrelocatable FROM pg_extension WHERE extname IN ('pg_trgm', 'txtfp_trgm') ORDER BY 1;
SELECT opcname, opcdefault, amvalidate(c.oid) FROM pg_opclass c WHERE opcname = 'sketch_trgm_ops';
SELECT amopstrategy, amopopr::regoperator, amoppurpose FROM pg_amop o JOIN pg_opfamily f ON f.oid = amopfamily
	WHERE opfname = 'sketch_trgm_ops' ORDER BY 1;

CREATE TABLE titles (id int PRIMARY KEY, title text);
INSERT INTO titles SELECT i, initcap(concat_ws(' ', word[1 + i % 17], word[1 + i / 17 % 19], word[1 + i * 7 % 23], CASE WHEN i % 3 = 0 THEN i::text END))
	FROM generate_series(1, 500) AS i,
	(SELECT string_to_array('anatomy of the modern garden house river mountain guide complete history atlas birds flowers short introduction cooking with fire stars', ' ')
		|| ARRAY['über', 'façade', 'naïve', 'Straße', '東京', 'x', '']) AS w (word);
INSERT INTO titles VALUES (3001, NULL), (3002, ''), (3003, '!'), (3004, 'a'), (3005, repeat('long words again ', 20)), (3006, 'Anatomy of the Garden'), (3007, NULL),
	(3008, (SELECT string_agg(md5(i::text), ' ') FROM generate_series(1, 12) AS i)), (3009, E'tab\tand\nline');
CREATE INDEX titles_sketch ON titles USING sketch (title sketch_trgm_ops);
ANALYZE titles;
SELECT sketch_check('titles_sketch', true);

CREATE TABLE probes (probe text);
INSERT INTO probes VALUES ('anatomy of garden'), ('anatomy'), ('a'), (''), ('!!'), ('東京 river'), ('Straße'), ('uber façade'), ('complet histry'), ('stars 499'),
	(repeat('long words again ', 20)), ((SELECT title FROM titles WHERE id = 3008)), ('river river river'), ('zzz qqq');

-- Without the index, and with it and nothing else
CREATE FUNCTION rows_of(condition text, probe text, threshold numeric) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plain text; by_index text; plan text;
BEGIN
	PERFORM set_config(format('pg_trgm.%ssimilarity_threshold', kind), threshold::text, true) FROM unnest('{"",word_,strict_word_}'::text[]) AS kind;
	SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_seqscan = on;
	EXECUTE format('SELECT coalesce(string_agg(id::text, '' '' ORDER BY id), ''none'') FROM titles WHERE ' || condition, probe) INTO plain;
	SET LOCAL enable_seqscan = off;
	FOR i IN 0 .. 1 LOOP
		PERFORM set_config(CASE i WHEN 0 THEN 'enable_indexscan' ELSE 'enable_bitmapscan' END, 'on', true);
		PERFORM set_config(CASE i WHEN 1 THEN 'enable_indexscan' ELSE 'enable_bitmapscan' END, 'off', true);
		EXECUTE format('EXPLAIN SELECT id FROM titles WHERE ' || condition, probe) INTO plan;
		EXECUTE format('SELECT coalesce(string_agg(id::text, '' '' ORDER BY id), ''none'') FROM titles WHERE ' || condition, probe) INTO by_index;
		IF by_index <> plain THEN RETURN format('%s with %L: %s, not %s', plan, probe, by_index, plain); END IF;
		IF plan !~ '^(Index Scan using|Bitmap Heap Scan)' THEN RETURN format('%s: %s', condition, plan); END IF;
	END LOOP;
	RETURN CASE plain WHEN 'none' THEN 'none' ELSE 'some' END;
END $$;
CREATE FUNCTION order_of(ordering text, probe text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plain text; by_index text; plan text;
BEGIN
	SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_seqscan = on; SET LOCAL enable_sort = on;
	EXECUTE format('SELECT string_agg(d::text, '' '') FROM (SELECT ' || ordering || ' AS d FROM titles ORDER BY d) s', probe) INTO plain;
	SET LOCAL enable_seqscan = off; SET LOCAL enable_indexscan = on; SET LOCAL enable_sort = off;
	EXECUTE format('EXPLAIN SELECT ' || ordering || ' AS d FROM titles ORDER BY d LIMIT 10', probe) INTO plan;
	EXECUTE format('SELECT string_agg(d::text, '' '') FROM (SELECT ' || ordering || ' AS d FROM titles ORDER BY d) s', probe) INTO by_index;
	IF by_index IS DISTINCT FROM plain THEN RETURN format('%s with %L: %s, not %s', ordering, probe, left(by_index, 200), left(plain, 200)); END IF;
	EXECUTE format('EXPLAIN (COSTS OFF) SELECT id FROM titles ORDER BY ' || ordering, probe) INTO plan;
	RETURN CASE WHEN plan ~ '^Index Scan using titles_sketch' THEN 'equal' ELSE plan END;
END $$;

SELECT condition, threshold, count(*) FILTER (WHERE r = 'some') AS some, count(*) FILTER (WHERE r = 'none') AS none, string_agg(r, '; ') FILTER (WHERE r NOT IN ('some', 'none')) AS wrong
FROM (VALUES ('title %% %L'), ('title %%> %L'), ('%L <%% title'), ('title %%>> %L'), ('%L <<%% title'), ('title <%% %L'), ('title <<%% %L')) AS c (condition)
CROSS JOIN (VALUES (0), (0.3333333), (0.6), (1)) AS t (threshold)
CROSS JOIN probes, LATERAL rows_of(condition, probe, threshold) AS r
GROUP BY 1, 2 ORDER BY 1, 2;
SELECT r, count(*) FROM probes, rows_of('title = %L', probe, 0.3) AS r GROUP BY 1 ORDER BY 1;
SELECT r, count(*) FROM titles, rows_of('title = %L', title, 0.3) AS r WHERE (id % 50 = 0 OR id > 3000) AND title IS NOT NULL GROUP BY 1 ORDER BY 1;

SELECT ordering, order_of(ordering, probe) AS result, count(*)
FROM (VALUES ('title <-> %L'), ('title <<-> %L'), ('title <->> %L'), ('%L <<-> title'), ('%L <->> title'), ('title <<<-> %L'), ('title <->>> %L'), ('%L <<<-> title')) AS o (ordering), probes
GROUP BY 1, 2 ORDER BY 1, 2;

-- Rows that are written later, removed and replaced
DELETE FROM titles WHERE id % 3 = 0 OR id = 3007;
VACUUM titles;
INSERT INTO titles SELECT i, concat_ws(' ', 'later', md5(i::text), CASE WHEN i % 5 = 0 THEN 'anatomy of the garden' END) FROM generate_series(4001, 5200) AS i;
UPDATE titles SET title = title || ' again' WHERE id % 7 = 0;
SELECT sketch_check('titles_sketch', true);
SELECT condition, r, count(*) FROM (VALUES ('title %% %L'), ('title %%> %L'), ('title <%% %L')) AS c (condition),
	(VALUES ('anatomy of the garden'), ('later'), ('again'), ('later 2afe4567e1bf64d32a5527244d104cea')) AS p (probe), rows_of(condition, probe, 0.3) AS r GROUP BY 1, 2 ORDER BY 1, 2;
SELECT ordering, r, count(*) FROM (VALUES ('title <-> %L'), ('%L <<-> title')) AS o (ordering),
	(VALUES ('anatomy of the garden'), ('later 2afe4567e1bf64d32a5527244d104cea')) AS p (probe), order_of(ordering, probe) AS r GROUP BY 1, 2 ORDER BY 1, 2;

-- NULL, both orderings, conditions together, joins, parameters
SET enable_seqscan = off;
SET enable_sort = off;
SELECT count(*) FROM titles WHERE title IS NULL;
SELECT count(*) FROM titles WHERE title % NULL;
SELECT id, title <-> 'anatomy of the garden' AS d FROM titles WHERE title % 'anatomy garden' ORDER BY title <-> 'anatomy of the garden', id LIMIT 3;
SELECT count(*), count(d) FROM (SELECT title <-> 'x' AS d FROM titles ORDER BY title <-> 'x') AS s;
EXPLAIN (COSTS OFF) SELECT p.probe, t.id FROM unnest('{a, b}'::text[]) AS p (probe) CROSS JOIN LATERAL (SELECT id FROM titles ORDER BY title <-> p.probe LIMIT 1) AS t;
SELECT p.probe, t.d FROM (VALUES ('anatomi of the gardn'), ('later 2afe4567e1bf64d32a5527244d104ce')) AS p (probe) CROSS JOIN LATERAL (SELECT title <-> p.probe AS d FROM titles ORDER BY title <-> p.probe LIMIT 1) AS t;
PREPARE near AS SELECT count(*) FROM titles WHERE title % $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE near ('anatomy of the garden');
SET pg_trgm.similarity_threshold = 0.9;
EXECUTE near ('anatomy of the garden');
RESET pg_trgm.similarity_threshold;
RESET plan_cache_mode;

-- varchar, citext through text, expressions, partial indexes, leading columns
CREATE TABLE people (tenant int, name varchar(40));
INSERT INTO people SELECT i % 4, 'person ' || i FROM generate_series(1, 2000) AS i;
CREATE INDEX ON people USING sketch (tenant, name sketch_trgm_ops);
CREATE INDEX people_upper ON people USING sketch (upper(name) sketch_trgm_ops) WHERE tenant = 1;
ANALYZE people;
EXPLAIN (COSTS OFF) SELECT name FROM people WHERE tenant = 2 AND name % 'person 1234';
SELECT count(*), md5(string_agg(name, ', ' ORDER BY name)) FROM people WHERE tenant = 2 AND name % 'person 1234';
SET enable_indexscan = off; SET enable_bitmapscan = off;
SELECT count(*), md5(string_agg(name, ', ' ORDER BY name)) FROM people WHERE tenant = 2 AND name % 'person 1234';
RESET enable_indexscan; RESET enable_bitmapscan;
EXPLAIN (COSTS OFF) SELECT name FROM people WHERE tenant = 3 ORDER BY name <-> 'person 1235' LIMIT 3;
SELECT name FROM people WHERE tenant = 3 ORDER BY name <-> 'person 1235' LIMIT 1;
SELECT tenant, count(*) FROM people WHERE name %> 'person 19' GROUP BY 1 ORDER BY 1;
DROP INDEX people_tenant_name_idx;
EXPLAIN (COSTS OFF) SELECT name FROM people WHERE tenant = 1 ORDER BY upper(name) <-> 'PERSON 77' LIMIT 1;
SELECT name FROM people WHERE tenant = 1 ORDER BY upper(name) <-> 'PERSON 77' LIMIT 1;

-- Wider and narrower signatures: the same answers, and other sizes
CREATE TABLE wide (id int, name text);
INSERT INTO wide SELECT i, concat_ws(' ', md5(i::text), 'person', i % 97, CASE WHEN i % 10 = 0 THEN repeat(md5((i / 10)::text), 3) END) FROM generate_series(1, 3000) AS i;
CREATE TABLE answers (bits text, built bigint, checked bigint, near text, found int);
CREATE PROCEDURE try_bits(options text) LANGUAGE plpgsql AS $$
BEGIN
	DROP INDEX IF EXISTS wide_name;
	EXECUTE format('CREATE INDEX wide_name ON wide USING sketch (name sketch_trgm_ops%s)', options);
	INSERT INTO answers SELECT options, pg_relation_size('wide_name') / 8192 FROM generate_series(1, 1);
	INSERT INTO wide SELECT i, md5(i::text) FROM generate_series(3001, 3100) AS i;
	DELETE FROM wide WHERE id > 3050;
	UPDATE answers SET checked = sketch_check('wide_name', true) - 3100,
		near = (SELECT string_agg(d::text, ' ') FROM (SELECT name <-> md5('77') || ' person 77' AS d FROM wide ORDER BY name <-> md5('77') || ' person 77' LIMIT 5) AS s),
		found = (SELECT count(*) FROM wide WHERE name % (md5('50') || ' person 50')) WHERE bits = options;
	DELETE FROM wide WHERE id > 3000;
END $$;
CALL try_bits('');
CALL try_bits(' (bits = 64)');
CALL try_bits(' (bits = 300)');
CALL try_bits(' (bits = 500)');
CALL try_bits(' (bits = 900)');
DROP INDEX wide_name;
SET enable_seqscan = on; SET enable_sort = on;
INSERT INTO answers (near, found) SELECT (SELECT string_agg(d::text, ' ') FROM (SELECT name <-> md5('77') || ' person 77' AS d FROM wide ORDER BY name <-> md5('77') || ' person 77' LIMIT 5) AS s),
	(SELECT count(*) FROM wide WHERE name % (md5('50') || ' person 50'));
SET enable_seqscan = off; SET enable_sort = off;
SELECT bits, built, checked, found, near = first_value(near) OVER (ORDER BY built NULLS FIRST) AS is_near FROM answers ORDER BY built NULLS FIRST, bits;
CREATE INDEX ON wide USING sketch (name sketch_trgm_ops (bits = 63));
CREATE INDEX ON wide USING sketch (name sketch_trgm_ops (bits = 10000));
CREATE INDEX ON wide USING sketch (name sketch_trgm_ops (width = 5));
CREATE INDEX wide_name ON wide USING sketch (name sketch_trgm_ops (bits = 300));
ALTER INDEX wide_name SET (bits = 500);
DROP TABLE wide, answers;
DROP PROCEDURE try_bits;

-- Without the option, CREATE INDEX chooses the pages of a group by the strings that are there; five of them if there are none
CREATE TABLE lengths (name text);
CREATE INDEX lengths_name ON lengths USING sketch (name sketch_trgm_ops);
CREATE FUNCTION pages() RETURNS TABLE (pages bigint, rows bigint) LANGUAGE sql AS $$ SELECT pg_relation_size('lengths_name') / 8192 - 1, sketch_check('lengths_name', true) $$;
INSERT INTO lengths SELECT left(md5(i::text), 6) FROM generate_series(1, 300) AS i;
SELECT * FROM pages();
REINDEX INDEX lengths_name;
SELECT * FROM pages();
INSERT INTO lengths VALUES ('abcdef'), (NULL);
SELECT * FROM pages();
UPDATE lengths SET name = md5(name);
VACUUM lengths;
REINDEX INDEX CONCURRENTLY lengths_name;
SELECT * FROM pages();
SELECT count(*) FROM lengths WHERE name % md5('abcdef');
BEGIN;
TRUNCATE lengths;
INSERT INTO lengths SELECT md5(i::text) || ' ' || md5((-i)::text) FROM generate_series(1, 200) AS i;
SELECT * FROM pages();
REINDEX INDEX lengths_name;
SELECT * FROM pages();
ROLLBACK;
SELECT * FROM pages();
SELECT count(*) FROM lengths WHERE name % md5('abcdef');
CREATE TABLE parts (part int, name text) PARTITION BY LIST (part);
CREATE TABLE part_of_short PARTITION OF parts FOR VALUES IN (1);
CREATE TABLE part_of_long PARTITION OF parts FOR VALUES IN (2);
INSERT INTO parts SELECT 1, left(name, 6) FROM lengths UNION ALL SELECT 2, name FROM lengths;
CREATE INDEX ON parts USING sketch (name sketch_trgm_ops);
SELECT c.relname, pg_relation_size(c.oid) / 8192 - 1 AS pages FROM pg_class AS c JOIN pg_index AS i ON i.indexrelid = c.oid JOIN pg_class AS t ON t.oid = i.indrelid WHERE t.relname LIKE 'part%' ORDER BY c.relname;
SELECT part, count(*) FROM parts WHERE name % md5('abcdef') AND name <-> md5('abcdef') < 0.5 GROUP BY part;
DROP TABLE lengths, parts;
DROP FUNCTION pages;

-- A collation by which different texts are equal
CREATE COLLATION trgm_ignores_accents (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
CREATE TABLE words (w text COLLATE trgm_ignores_accents);
INSERT INTO words VALUES ('resume'), ('résumé'), ('Resume'), ('other');
CREATE INDEX words_sketch ON words USING sketch (w sketch_trgm_ops);
EXPLAIN (COSTS OFF) SELECT w FROM words WHERE w = 'resume';
SELECT w FROM words WHERE w = 'resume' ORDER BY w COLLATE "C";
RESET enable_seqscan;
RESET enable_sort;

-- What is refused
CREATE INDEX ON people USING sketch (name sketch_trgm_ops, tenant);
CREATE INDEX ON people USING sketch (name sketch_trgm_ops) WITH (bands = 2);
CREATE INDEX ON people USING sketch (tenant sketch_trgm_ops);
SELECT _trgm_sketch_threshold(1::smallint), _trgm_sketch_threshold(2::smallint), _trgm_sketch_threshold(6::smallint);
SELECT _trgm_sketch_threshold(3::smallint);
SELECT _trgm_sketch_terms(''), cardinality(_trgm_sketch_terms('abc')), _trgm_sketch_terms('abc') = _trgm_sketch_terms('ABC');
DROP EXTENSION pg_trgm;
ALTER EXTENSION pg_trgm SET SCHEMA pg_catalog;
SELECT cardinality(_trgm_sketch_terms('abc'));
ALTER EXTENSION pg_trgm SET SCHEMA public;
CREATE SCHEMA other;
CREATE FUNCTION other.never(text, text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT false';
CREATE OPERATOR other.% (LEFTARG = text, RIGHTARG = text, FUNCTION = other.never);
DROP EXTENSION txtfp_trgm CASCADE;
\set SHOW_CONTEXT never
CREATE EXTENSION txtfp_trgm SCHEMA other;
DROP SCHEMA other CASCADE;
CREATE EXTENSION txtfp_trgm;
DROP TABLE titles, probes, people, words;
DROP COLLATION trgm_ignores_accents;
DROP FUNCTION rows_of, order_of;
