-- The numbers of clusters that are parts of components: stars, and what pairs that are apart leave of a component. Rows are SimHashes; unlike bits are counted.
SET client_min_messages = warning;
\set SHOW_CONTEXT never
CREATE SCHEMA numbers_test;
SET search_path = numbers_test, public, txtfp;
CREATE FUNCTION bits(text) RETURNS simhash64 LANGUAGE sql IMMUTABLE RETURN rpad($1, 64, '0')::bit(64)::simhash64;

CREATE TABLE stars (id int PRIMARY KEY, fp simhash64, rank int);
CREATE INDEX ON stars USING sketch (fp);
CALL live_clusters_create('stars', 'id', 'fp', mode => 'star', priority => 'rank', max_distance => 2, events => true);
CREATE FUNCTION told(name text) RETURNS TABLE (cluster bigint, what text, id int, other bigint, kept int, kept_before int) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('WITH gone AS (DELETE FROM %I RETURNING *) SELECT cluster, what, id, other, kept, kept_before FROM gone ORDER BY event', name || '_events');
END $$;

-- two stars of one component, each with its number; a row alone has none
INSERT INTO stars VALUES (1, bits('1'), 5), (2, bits('11'), 1), (3, bits('11111'), 5), (4, bits('111111'), 1);
INSERT INTO stars VALUES (5, bits('111'), 0);
SELECT id, cluster, size, number FROM stars_clusters ORDER BY id;
SELECT * FROM told('stars_clusters');
SELECT id, kept, number FROM stars_clusters_members ORDER BY id;
-- a row of a higher priority is kept instead: the number stays
INSERT INTO stars VALUES (6, bits('11'), 9);
SELECT * FROM told('stars_clusters');
-- the row that is kept goes: the larger part keeps the number, the other one is split from it
DELETE FROM stars WHERE id = 6;
SELECT * FROM told('stars_clusters');
INSERT INTO stars VALUES (7, bits('0'), 1), (8, bits('1110000000000000001'), 4);
SELECT * FROM told('stars_clusters');
UPDATE stars SET rank = 9 WHERE id = 2;
SELECT * FROM told('stars_clusters');
SELECT id, cluster, size, number FROM stars_clusters ORDER BY id;
-- a bridge with a priority takes all: the larger star keeps its number, the other is merged into it
INSERT INTO stars VALUES (9, bits('1111'), 99);
SELECT * FROM told('stars_clusters');
DELETE FROM stars WHERE id = 9;
SELECT * FROM told('stars_clusters');
-- gone over again; the last row but one; all
CALL live_clusters_fill('stars', again => true);
DELETE FROM stars WHERE id = 4;
SELECT * FROM told('stars_clusters');
SELECT * FROM live_clusters_check('stars');
TRUNCATE stars;
SELECT * FROM told('stars_clusters');

-- what the check tells: another number, none, that of another cluster, one of a row that is alone
INSERT INTO stars VALUES (1, bits('1'), 5), (2, bits('11'), 1), (3, bits('11111'), 5), (4, bits('111111'), 1), (5, bits('1111'), 7), (6, bits('11111111'), 1);
SELECT id, kept, number FROM stars_clusters_members ORDER BY id;
UPDATE stars_clusters_members SET number = 77 WHERE id = 2;
SELECT * FROM live_clusters_check('stars');
UPDATE stars_clusters_members SET number = NULL WHERE id IN (1, 2);
SELECT * FROM live_clusters_check('stars');
UPDATE stars_clusters_members SET number = (SELECT number FROM stars_clusters_members WHERE id = 5) WHERE id <> 6;
UPDATE stars_clusters_members SET number = 78 WHERE id = 6;
SELECT part, id, expected FROM live_clusters_check('stars');
TRUNCATE stars;
TRUNCATE stars_clusters_events;

-- parts of a component that is cut
CREATE TABLE points (id int PRIMARY KEY, fp simhash64);
CREATE INDEX ON points USING sketch (fp);
CREATE TABLE apart (a int, b int, PRIMARY KEY (a, b));
CREATE INDEX ON apart (b);
CREATE TABLE together (LIKE apart INCLUDING ALL);
CALL live_clusters_create('points', 'id', 'fp', max_distance => 2, events => true, apart => 'apart', together => 'together');
INSERT INTO points VALUES (1, bits('1')), (2, bits('11')), (3, bits('1111')), (4, bits('11111')), (5, bits('11111'));
SELECT * FROM told('points_clusters');
-- the larger part keeps the number
INSERT INTO apart VALUES (2, 4);
SELECT * FROM told('points_clusters');
SELECT id, cluster, size, number FROM points_clusters ORDER BY id;
INSERT INTO points VALUES (6, bits('11111')), (0, bits('1'));
SELECT * FROM told('points_clusters');
-- and when they are one again; then the component has another number than it has as a cluster
DELETE FROM points WHERE id IN (5, 6);
DELETE FROM apart;
SELECT * FROM told('points_clusters');
SELECT id, cluster, size, number FROM points_clusters ORDER BY id;
SELECT cluster, number FROM points_clusters_sets;
-- which plain changes know
INSERT INTO points VALUES (7, bits('111111')), (20, bits('0000000000111')), (21, bits('00000000001111'));
DELETE FROM points WHERE id = 0;
SELECT * FROM told('points_clusters');
INSERT INTO together VALUES (20, 1);
SELECT * FROM told('points_clusters');
DELETE FROM together;
SELECT * FROM told('points_clusters');
DELETE FROM points WHERE id = 3;
SELECT * FROM told('points_clusters');
SELECT id, cluster, size, number FROM points_clusters ORDER BY id;
INSERT INTO apart VALUES (1, 2);
TRUNCATE points;
SELECT * FROM told('points_clusters');
TRUNCATE apart;

-- The numbers by definition, from the clusters before and after a statement of one row: the cluster of before and that of after with the most rows in common are the
-- same; of equal pairs, that with the smaller number, then that with the smallest id in common; and so on. A row that was changed counts nowhere. The others have new numbers.
CREATE TABLE before (id int, cluster int, number bigint);
CREATE TABLE used (clusters text, number bigint, PRIMARY KEY (clusters, number));
CREATE TABLE same (kept int PRIMARY KEY, number bigint UNIQUE);
CREATE FUNCTION wrong_numbers(name text, changed int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE wrong text; p record;
BEGIN
	DELETE FROM same;
	FOR p IN EXECUTE format('SELECT b.number, a.cluster AS kept FROM before AS b JOIN %I AS a USING (id) WHERE id <> %s GROUP BY 1, 2 ORDER BY count(*) DESC, b.number, min(id)', name, changed) LOOP
		INSERT INTO same SELECT p.kept, p.number WHERE NOT EXISTS (SELECT FROM same AS s WHERE s.kept = p.kept OR s.number = p.number);
	END LOOP;
	EXECUTE format('SELECT string_agg(x::text, '' '') FROM (SELECT DISTINCT a.cluster, a.number, s.number AS expected FROM %I AS a LEFT JOIN same AS s ON s.kept = a.cluster
		WHERE a.number IS NULL OR a.number <> s.number OR s.number IS NULL AND EXISTS (SELECT FROM used AS u WHERE u.clusters = %L AND u.number = a.number)) AS x', name, name) INTO wrong;
	RETURN wrong;
END $$;
-- A reader of the events knows the clusters, and what each is named after.
\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/include/replay.sql'
\set ECHO none
\i :include
\set ECHO all
-- Statements of one row, whose numbers are compared with the definition, and of several. `moved`: a row that an UPDATE changes is in a component before and after, so that
-- the definition counts without it; plain components are left and entered, one after the other.
CREATE FUNCTION storm(points text, rounds int, digits int, moved boolean, pairs boolean) RETURNS text LANGUAGE plpgsql AS $$
DECLARE wrong text; step text; low int; width int; what float8; single boolean; name text := points || '_clusters';
BEGIN
	FOR i IN 1 .. rounds LOOP
		low := random() * 45; what := random(); single := random() < 0.7; width := CASE WHEN single THEN 0 ELSE random() * 8 END;
		step := format(CASE
			WHEN what < 0.30 AND single THEN 'INSERT INTO %1$I (id, fp) VALUES (%2$s, random_point(%4$s)) ON CONFLICT (id) DO NOTHING'
			WHEN what < 0.30 THEN 'INSERT INTO %1$I (id, fp) SELECT n, random_point(%4$s) FROM generate_series(%2$s, %3$s) n ON CONFLICT (id) DO UPDATE SET fp = excluded.fp'
			WHEN what < 0.50 THEN 'DELETE FROM %1$I WHERE id BETWEEN %2$s AND %3$s'
			WHEN what < 0.65 THEN 'UPDATE %1$I SET fp = random_point(%4$s) WHERE id BETWEEN %2$s AND %3$s'
			WHEN what < 0.75 AND points <> 'points' THEN 'UPDATE %1$I SET rank = NULLIF(floor(random() * 7), 6) WHERE id BETWEEN %2$s AND %3$s'
			WHEN what < 0.80 AND NOT single THEN 'UPDATE %1$I SET id = -id WHERE id BETWEEN %2$s AND %3$s OR -id BETWEEN %2$s AND %3$s'
			WHEN what < 0.82 THEN 'UPDATE %1$I SET fp = NULL WHERE id BETWEEN %2$s AND %3$s'
			WHEN NOT pairs THEN 'UPDATE %1$I SET fp = random_point(%4$s), rank = floor(random() * 6) WHERE id BETWEEN %2$s AND %3$s'
			-- of five, and across fives: so there is no contradiction
			WHEN what < 0.85 THEN 'INSERT INTO together SELECT %2$s, %2$s / 5 * 5 + floor(random() * 5) ON CONFLICT DO NOTHING'
			WHEN what < 0.95 THEN 'INSERT INTO apart SELECT %2$s, n FROM generate_series(%3$s - 8, %3$s + 8) n WHERE n / 5 <> %2$s / 5 AND random() < CASE WHEN %5$L THEN 0.06 ELSE 0.5 END ON CONFLICT DO NOTHING'
			WHEN what < 0.97 THEN 'DELETE FROM together WHERE ctid IN (SELECT ctid FROM together ORDER BY random() LIMIT CASE WHEN %5$L THEN 1 ELSE 5 END)'
			ELSE 'DELETE FROM apart WHERE ctid IN (SELECT ctid FROM apart ORDER BY random() LIMIT CASE WHEN %5$L THEN 1 ELSE 20 END)' END, points, low, low + width, digits, single);
		TRUNCATE before;
		EXECUTE format('INSERT INTO before SELECT id, cluster, number FROM %I', name);
		INSERT INTO used SELECT DISTINCT name, number FROM before ON CONFLICT DO NOTHING;
		BEGIN
			EXECUTE step;
			GET DIAGNOSTICS width = ROW_COUNT;
			IF random() < 0.05 THEN
				RAISE EXCEPTION USING ERRCODE = 'XX999';
			END IF;
		EXCEPTION WHEN SQLSTATE 'XX999' OR unique_violation THEN width := 0;
		END;
		IF width <= 1 AND step !~ '-id' AND (moved OR step !~ '^UPDATE') THEN
			wrong := 'numbers: ' || wrong_numbers(name, CASE WHEN step ~ ' (together|apart) ' THEN -1000 ELSE low END);
		END IF;
		wrong := coalesce(wrong, 'events: ' || replay(name));
		IF wrong IS NULL THEN
			SELECT string_agg(c::text, ' ') INTO wrong FROM live_clusters_check(points::regclass) AS c;
		END IF;
		IF wrong IS NOT NULL THEN
			RETURN format('round %s: %s: %s', i, step, wrong);
		END IF;
	END LOOP;
	RETURN 'right';
END $$;
SELECT setseed(0.5);
\set include :abs_srcdir '/include/part.sql'
\i :include
SELECT storm('stars', 150 / :part, 8, true, false), storm('stars', 150 / :part, 11, true, false);
SELECT storm('points', 120 / :part, 8, false, true), storm('points', 120 / :part, 11, false, true);
CALL live_clusters_fill('points', again => true);
SELECT count(*) FROM points_clusters_events;
-- stars with pairs
CREATE TABLE decided (LIKE stars INCLUDING ALL);
CALL live_clusters_create('decided', 'id', 'fp', mode => 'star', priority => 'rank', max_distance => 2, events => true, apart => 'apart', together => 'together');
TRUNCATE apart, together;
SELECT storm('decided', 120 / :part, 8, true, true), storm('decided', 120 / :part, 11, true, true);
SELECT clusters, string_agg(DISTINCT what, ', ' ORDER BY what) FROM tally GROUP BY 1 ORDER BY 1;
-- what is gone over again changes nothing
CALL live_clusters_fill('stars', again => true);
CALL live_clusters_fill('decided', again => true);
SELECT (SELECT count(*) FROM stars_clusters_events), (SELECT count(*) FROM decided_clusters_events);

-- ids of type text
CREATE TABLE names (id text PRIMARY KEY, fp simhash64);
CREATE INDEX ON names USING sketch (fp);
CALL live_clusters_create('names', 'id', 'fp', mode => 'star', max_distance => 2, events => true);
INSERT INTO names VALUES ('b', bits('1')), ('c', bits('11')), ('d', bits('111')), ('e', bits('1111'));
INSERT INTO names VALUES ('a', bits('111'));
DELETE FROM names WHERE id = 'b';
SELECT cluster, what, id, other, kept, kept_before FROM names_clusters_events ORDER BY event;
SELECT * FROM live_clusters_check('names');
-- a state that has lost its sequence
ALTER TABLE names_clusters_sets ALTER cluster DROP IDENTITY;
INSERT INTO names VALUES ('x', bits('0000000000001111')), ('y', bits('0000000000001111'));
DROP SCHEMA numbers_test CASCADE;
