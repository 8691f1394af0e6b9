-- Values that others made: of functions, operators and queries of users, whose types are not those that a reader expects
SET client_min_messages = warning;
CREATE FUNCTION pg_temp.sketches(n int) RETURNS TABLE (id int, fp minhash128) LANGUAGE sql AS $$
	SELECT i, to_minhash128(ARRAY['letter', 'number', i::text]) FROM generate_series(1, n) AS i $$;

-- a probe that a function of the user's makes, of a number where the extension's function has a threshold
CREATE TABLE gv_probes AS SELECT id, fp, to_minhash128_compact(fp) AS compact FROM pg_temp.sketches(5000);
CREATE INDEX gv_fp ON gv_probes USING sketch (fp);
CREATE INDEX gv_compact ON gv_probes USING sketch (compact);
ANALYZE gv_probes;
CREATE FUNCTION gv_probe(q minhash128, tenths bigint) RETURNS minhash_probe LANGUAGE plpgsql STABLE AS
	$$ BEGIN RETURN _to_minhash_probe(q, tenths / 10.0); END $$;
CREATE FUNCTION gv_probe(q minhash128_compact, tenths int) RETURNS minhash_compact_probe LANGUAGE plpgsql STABLE AS
	$$ BEGIN RETURN _to_minhash_compact_probe(q, tenths / 10.0); END $$;
CREATE FUNCTION gv_one() RETURNS minhash128 LANGUAGE plpgsql VOLATILE AS
	$$ BEGIN RETURN to_minhash128(ARRAY['letter', 'number', '7']); END $$;
SELECT id FROM gv_probes WHERE fp % gv_probe((SELECT gv_one()), 10);
SELECT id FROM gv_probes WHERE compact % gv_probe((SELECT to_minhash128_compact(gv_one())), 10);
SELECT id FROM gv_probes WHERE fp % _to_minhash_probe((SELECT gv_one()), 1);
DROP TABLE gv_probes;

-- estimators of the extension, of operators on anything
CREATE TABLE gv_numbers AS SELECT i AS n, i::text AS t FROM generate_series(1, 1000) AS i;
ANALYZE gv_numbers;
CREATE FUNCTION gv_true(int, int) RETURNS boolean LANGUAGE plpgsql STABLE AS 'BEGIN RETURN true; END';
CREATE FUNCTION gv_true(int) RETURNS boolean LANGUAGE plpgsql STABLE AS 'BEGIN RETURN true; END';
CREATE FUNCTION gv_true(text, bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS 'BEGIN RETURN true; END';
DO $$
DECLARE
	estimator regproc;
	condition text;
	name text;
	plan json;
BEGIN
	FOR estimator IN SELECT p.oid::regproc FROM pg_proc AS p
		WHERE p.probin LIKE '%txtfp%' AND p.prorettype = 'float8'::regtype AND p.proargtypes[0] = 'internal'::regtype ORDER BY p.proname
	LOOP
		name := CASE WHEN estimator::text ~ 'joinsel' THEN 'JOIN' ELSE 'RESTRICT' END;
		EXECUTE format('CREATE OPERATOR ~~~~ (LEFTARG = int, RIGHTARG = int, FUNCTION = gv_true, %s = %s)', name, estimator);
		EXECUTE format('CREATE OPERATOR ~~~~ (LEFTARG = text, RIGHTARG = bigint, FUNCTION = gv_true, %s = %s)', name, estimator);
		IF name = 'RESTRICT' THEN
			EXECUTE format('CREATE OPERATOR ~~~~ (RIGHTARG = int, FUNCTION = gv_true, RESTRICT = %s)', estimator);
		END IF;
		FOREACH condition IN ARRAY ARRAY['a.n ~~~~ 5', '5 ~~~~ a.n', 'a.n ~~~~ NULL', 'a.n ~~~~ b.n', 'a.t ~~~~ 305419896', '~~~~ a.n',
			'EXISTS (SELECT FROM gv_numbers AS c WHERE a.n ~~~~ c.n)'] LOOP
			CONTINUE WHEN name = 'JOIN' AND condition LIKE '~%';
			EXECUTE format('EXPLAIN (FORMAT json) SELECT FROM gv_numbers AS a, gv_numbers AS b WHERE %s', condition) INTO plan;
			ASSERT plan->0->'Plan'->>'Plan Rows' IS NOT NULL;
		END LOOP;
		EXECUTE 'DROP OPERATOR ~~~~ (int, int); DROP OPERATOR ~~~~ (text, bigint); DROP OPERATOR IF EXISTS ~~~~ (NONE, int)';
		RAISE INFO '%', estimator;
	END LOOP;
END $$;
DROP TABLE gv_numbers;

-- near_duplicate_pairs_between through an index takes ids of the same types as without one
CREATE TABLE gv_a AS SELECT 'a' || id AS id, fp FROM pg_temp.sketches(3);
CREATE TABLE gv_b AS SELECT 'b' || id AS id, fp FROM pg_temp.sketches(20000);
CREATE INDEX gv_b_fp ON gv_b USING sketch (fp);
ANALYZE gv_a, gv_b;
CREATE FUNCTION gv_between(type text, id text) RETURNS TABLE (a text, b text) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT a::text, b::text FROM near_duplicate_pairs_between(NULL::%1$s, ''SELECT %2$s, fp FROM gv_a'', ''SELECT %2$s, fp FROM gv_b'', 1.0)', type, id);
EXCEPTION WHEN datatype_mismatch OR ambiguous_function THEN
	RETURN QUERY SELECT SQLERRM, SQLSTATE;
END $$;
SELECT by_index, type, b.* FROM unnest(ARRAY[true, false]) AS by_index,
	set_config('enable_indexscan', by_index::text, false),
	(VALUES ('text', 'id'), ('char(8)', 'id::char(8)'), ('bit(16)', 'substr(id, 2)::int::bit(16)'), ('numeric(9,2)', 'substr(id, 2)::numeric(9,2) + 0.25'),
		('interval', 'substr(id, 2)::interval'), ('"char"', 'id::"char"'), ('int', 'substr(id, 2)::int'), ('varchar(8)', 'id::varchar(8)')) AS types (type, id),
	gv_between(type, types.id) AS b ORDER BY 1 DESC, 2, 3, 4;
RESET enable_indexscan;
DROP TABLE gv_a, gv_b;

-- a length belongs to the type of an id, in the tables of a distributed join, too
CREATE TABLE gv_ids AS SELECT lpad(id::text, 5, '0')::char(5) AS c, fp FROM pg_temp.sketches(3);
INSERT INTO gv_ids SELECT lpad((id + 10)::text, 5, '0'), fp FROM pg_temp.sketches(3);
CALL near_duplicate_pairs_distributed('SELECT c, fp FROM gv_ids', 'gv_char_pairs', 1.0);
SELECT a, b FROM gv_char_pairs ORDER BY a;
CALL near_duplicate_pairs_distributed('SELECT c::text COLLATE "C", fp FROM gv_ids', 'gv_text_pairs', 1.0);
SELECT a, b FROM gv_text_pairs ORDER BY a;
DROP TABLE gv_char_pairs, gv_text_pairs, gv_ids;

-- ids travel as bytes, which anybody may make up: what comes back is checked as the input of its type does
CREATE DOMAIN gv_below AS int CHECK (VALUE < 2000000000);
CREATE FUNCTION gv_forge(ids anyarray, own bytea, other bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	sketches minhash64[] := ARRAY[to_minhash64('x y z'), to_minhash64('x y z')];
	result text;
BEGIN
	WITH k AS (SELECT array_agg(k.entries) AS keys FROM _join_keys(ids, sketches, 8, 8, '{1}') AS k),
		g AS (SELECT array_agg(g.groups) AS groups FROM k, _join_groups(k.keys, '{1}', 100) AS g),
		h AS (SELECT h.halves, position(own IN h.halves) AS at FROM g, _join_halves(ids, sketches, g.groups, 1, '{1}') AS h)
	SELECT string_agg(p.a || ' ' || p.b, ', ') INTO result
		FROM h, _join_pairs(ids, sketches, ARRAY[CASE WHEN at = 0 THEN halves ELSE overlay(halves PLACING other FROM at) END], 0.5) AS p;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;
SELECT gv_forge(ARRAY['aaaa', 'bbbb'], 'aaaa', 'aaaa') AS honest, gv_forge(ARRAY['aaaa', 'bbbb'], own, '\xF0F0F0F0') AS no_utf8,
	gv_forge(ARRAY['aaaa', 'bbbb'], own, 'a\000bc') AS zero FROM unnest(ARRAY['aaaa', 'bbbb']::bytea[]) AS own ORDER BY own;
SELECT gv_forge(ARRAY['aaaa', 'bbbb']::char(4)[], own, '\xF0F0F0F0') AS char, gv_forge(ARRAY['aaaa', 'bbbb']::varchar[], own, '\xF0F0F0F0') AS varchar,
	gv_forge(ARRAY['aaaa', 'bbbb']::bytea[], own, '\xF0F0F0F0') AS bytea FROM unnest(ARRAY['aaaa', 'bbbb']::bytea[]) AS own ORDER BY own;
-- numbers whose bytes are the same in either order: 0x64646464 and 0x65656565
SELECT own, gv_forge(ARRAY[1684300900, 1701143909], own, own) AS honest, gv_forge(ARRAY[1684300900, 1701143909], own, '\x7E7E7E7E') AS int,
	gv_forge(ARRAY[1684300900, 1701143909]::gv_below[], own, '\x7E7E7E7E') AS domain, gv_forge(ARRAY[1684300900, 1701143909], own, '\x80808080') AS no_int,
	gv_forge(ARRAY['2000-01-01'::date + 1684300900, '2000-01-01'::date + 1701143909], own, '\x80808080') AS no_date
	FROM unnest(ARRAY['dddd', 'eeee']::bytea[]) AS own ORDER BY own;
DROP FUNCTION gv_forge;
DROP DOMAIN gv_below;

-- a query that runs three times, and returns something else each time
CREATE FUNCTION gv_change() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	DROP VIEW gv_view;
	CREATE VIEW gv_view AS SELECT to_simhash64('a b c') AS fp;
	RETURN true;
END $$;
CREATE VIEW gv_view AS SELECT to_minhash128('a b c') AS fp;
SELECT low, pairs FROM similarity_histogram('SELECT (SELECT fp FROM gv_view) WHERE gv_change()', 10, 2);
DROP VIEW gv_view;

-- statistics that somebody has restored
CREATE TABLE gv_restored AS SELECT id, fp FROM pg_temp.sketches(1000);
ANALYZE gv_restored;
SET allow_system_table_mods = on;
CREATE FUNCTION gv_restore(n real) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE slot int;
BEGIN
	FOR slot IN 1..5 LOOP
		EXECUTE format('UPDATE pg_statistic SET stanullfrac = $1, stanumbers%1$s = array_fill($1, ARRAY[array_length(stanumbers%1$s, 1)])'
			|| ' WHERE starelid = ''gv_restored''::regclass AND stakind%1$s >= 10000', slot) USING n;
	END LOOP;
	RETURN (SELECT count(*) FROM gv_restored AS a JOIN gv_restored AS b ON a.fp % b.fp WHERE a.fp % to_minhash128(ARRAY['letter', 'number', '7']));
END $$;
SELECT n, gv_restore(n::real) FROM unnest('{NaN,Infinity,-7}'::float8[]) AS n;
RESET allow_system_table_mods;
DROP TABLE gv_restored;

-- numbers of relations that there are not
SELECT sketch_check(0);
SELECT * FROM live_clusters_check(0);
SELECT * FROM live_clusters_kept(4294967295, NULL::int);
SELECT * FROM fingerprint_index_info(0);
SELECT * FROM fingerprint_index_recall(0);
CALL live_clusters_drop(0);
