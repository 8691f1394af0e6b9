-- Clusters that stay current: their numbers stay, and what happens to them is told. Rows are SimHashes, so that who is similar to whom is seen: unlike bits are counted.
SET client_min_messages = warning;
\set SHOW_CONTEXT never
CREATE SCHEMA events_test;
SET search_path = events_test, public, txtfp;
CREATE FUNCTION bits(text) RETURNS simhash64 LANGUAGE sql IMMUTABLE RETURN rpad($1, 64, '0')::bit(64)::simhash64;

CREATE TABLE points (id int PRIMARY KEY, fp simhash64);
CREATE INDEX ON points USING sketch (fp);
CALL live_clusters_create('points', 'id', 'fp', max_distance => 2, events => true);
\d points_clusters_events
SELECT obj_description('points_clusters_events'::regclass);
SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = 'points'::regclass AND tgname = 'points_clusters_empty';
-- what has happened since it was last asked for
CREATE FUNCTION told() RETURNS TABLE (cluster bigint, what text, id int, other bigint, kept int, kept_before int) LANGUAGE sql AS
	$$WITH gone AS (DELETE FROM points_clusters_events RETURNING *) SELECT cluster, what, id, other, kept, kept_before FROM gone ORDER BY event$$;

-- created, joined; the name of a cluster changes, its number stays
INSERT INTO points VALUES (2, bits('1'));
SELECT * FROM told();
INSERT INTO points VALUES (3, bits('11'));
SELECT * FROM told();
INSERT INTO points VALUES (1, bits('111'));
SELECT * FROM told();
SELECT * FROM points_clusters ORDER BY id;
DELETE FROM points WHERE id = 1;
SELECT * FROM told();
-- an update that changes no cluster
UPDATE points SET fp = bits('1') WHERE id = 3;
UPDATE points SET fp = bits('1001') WHERE id = 2;
SELECT * FROM told();
SELECT * FROM points_clusters ORDER BY id;
-- merged: the larger one keeps its number, of equal ones the smaller number; split: the larger part, of equal ones that with the smallest id
INSERT INTO points VALUES (11, bits('11111')), (12, bits('111111')), (13, bits('111111'));
INSERT INTO points VALUES (20, bits('111'));
SELECT * FROM told();
SELECT id, number FROM points_clusters ORDER BY id;
DELETE FROM points WHERE id = 20;
SELECT * FROM told();
DELETE FROM points WHERE id = 13;
INSERT INTO points VALUES (20, bits('111'));
SELECT * FROM told();
DELETE FROM points WHERE id = 20;
SELECT * FROM told();
SELECT id, number FROM points_clusters ORDER BY id;
-- a row leaves for another cluster; the last but one leaves; a savepoint
UPDATE points SET fp = bits('1111111') WHERE id = 2;
SELECT * FROM told();
BEGIN;
SAVEPOINT s;
DELETE FROM points WHERE id IN (2, 11);
ROLLBACK TO s;
DELETE FROM points WHERE id = 12;
COMMIT;
SELECT * FROM told();
-- a key that changes, and all at once
UPDATE points SET id = id + 100;
SELECT * FROM told();
TRUNCATE points;
SELECT * FROM told();

-- stars: live_clusters_numbers has more of them
CREATE TABLE stars (id int PRIMARY KEY, fp simhash64, rank int);
CREATE INDEX ON stars USING sketch (fp);
CALL live_clusters_create('stars', 'id', 'fp', mode => 'star', priority => 'rank', max_distance => 2, events => true);
INSERT INTO stars VALUES (1, bits('1'), 1), (2, bits('11'), 2);
INSERT INTO stars VALUES (3, bits('111'), 9), (4, bits('111111'), 1);
UPDATE stars SET rank = 0 WHERE id = 3;
DELETE FROM stars WHERE id = 2;
SELECT cluster, what, id, other, kept, kept_before FROM stars_clusters_events ORDER BY event;
SELECT id, cluster, number FROM stars_clusters ORDER BY id;

-- A reader who has read the events so far knows the clusters: they are replayed, and pruned, after each of many random statements.
\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/include/replay.sql'
\set ECHO none
\i :include
\set ECHO all
CREATE FUNCTION wrong_sets(name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE wrong text;
BEGIN
	EXECUTE format('SELECT string_agg(x::text, '' '') FROM (SELECT m.cluster, m.first, r.cluster, r.kept FROM %I AS m
		FULL JOIN (SELECT * FROM replayed_sets WHERE clusters = %L) AS r ON r.cluster = m.cluster
		WHERE m.cluster IS DISTINCT FROM r.cluster OR m.first IS DISTINCT FROM r.kept) AS x', name || '_sets', name) INTO wrong;
	RETURN wrong;
END $$;
-- The rules of numbers, from the clusters before and after a row has been inserted (all clusters stay whole) or deleted (none grows).
CREATE FUNCTION wrong_numbers(name text, inserted boolean) RETURNS text LANGUAGE plpgsql AS $$
DECLARE wrong text;
BEGIN
	EXECUTE format('
		WITH before AS (SELECT id, cluster, count(*) OVER (PARTITION BY cluster) AS size FROM before),
			after AS (SELECT id, cluster, count(*) OVER (PARTITION BY cluster) AS size, min(id) OVER (PARTITION BY cluster) AS first FROM %I)
		SELECT string_agg(x::text, '' '') FROM (
			SELECT DISTINCT ON (a.cluster) a.cluster AS now, b.cluster AS was FROM before AS b JOIN after AS a USING (id) WHERE %L ORDER BY a.cluster, b.size DESC, b.cluster
		) AS x WHERE now <> was', name || '_members', inserted) INTO wrong;
	IF wrong IS NULL AND NOT inserted THEN
		EXECUTE format('
			WITH after AS (SELECT id, cluster, count(*) OVER (PARTITION BY cluster) AS size, min(id) OVER (PARTITION BY cluster) AS first FROM %I)
			SELECT string_agg(x::text, '' '') FROM (
				SELECT DISTINCT ON (b.cluster) a.cluster AS now, b.cluster AS was FROM before AS b JOIN after AS a USING (id) ORDER BY b.cluster, a.size DESC, a.first
			) AS x WHERE now <> was', name || '_members') INTO wrong;
	END IF;
	RETURN wrong;
END $$;
CREATE TABLE before (id int, cluster bigint);
CREATE FUNCTION storm(points text, rounds int, digits int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE wrong text; step text; low int; width int; what float8; name text := points || '_clusters';
BEGIN
	FOR i IN 1 .. rounds LOOP
		low := random() * 60; width := CASE WHEN random() < 0.6 THEN 0 ELSE random() * 15 END; what := random();
		step := format(CASE
			WHEN what < 0.3 THEN 'INSERT INTO %1$I (id, fp) VALUES (%2$s, random_point(%4$s)) ON CONFLICT (id) DO NOTHING'
			WHEN what < 0.55 THEN 'DELETE FROM %1$I WHERE id = %2$s'
			WHEN what < 0.65 THEN 'INSERT INTO %1$I (id, fp) SELECT n, random_point(%4$s) FROM generate_series(%2$s, %3$s) n ON CONFLICT (id) DO UPDATE SET fp = excluded.fp'
			WHEN what < 0.70 THEN 'DELETE FROM %1$I WHERE id BETWEEN %2$s AND %3$s'
			WHEN what < 0.90 THEN 'UPDATE %1$I SET fp = random_point(%4$s) WHERE id BETWEEN %2$s AND %3$s'
			WHEN what < 0.95 THEN 'UPDATE %1$I SET id = -id WHERE id BETWEEN %2$s AND %3$s OR -id BETWEEN %2$s AND %3$s'
			ELSE 'UPDATE %1$I SET fp = NULL WHERE id BETWEEN %2$s AND %3$s' END, points, low, low + width, digits);
		TRUNCATE before;
		EXECUTE format('INSERT INTO before SELECT id, cluster FROM %I', name || '_members');
		BEGIN
			EXECUTE step;
			IF random() < 0.1 THEN
				RAISE EXCEPTION USING ERRCODE = 'XX999';
			END IF;
		EXCEPTION WHEN SQLSTATE 'XX999' OR unique_violation THEN NULL;
		END;
		wrong := coalesce(replay(name), wrong_sets(name));
		IF wrong IS NULL AND what < 0.55 THEN
			wrong := 'numbers: ' || wrong_numbers(name, what < 0.3);
		END IF;
		IF wrong IS NULL THEN
			SELECT string_agg(c::text, ' ') INTO wrong FROM live_clusters_check(points::regclass) AS c;
		END IF;
		IF wrong IS NOT NULL THEN
			RETURN format('round %s: %s: %s', i, step, wrong);
		END IF;
	END LOOP;
	RETURN 'right';
END $$;
SELECT setseed(0.49);
\set include :abs_srcdir '/include/part.sql'
\i :include
SELECT storm('points', 300 / :part, 9), storm('points', 300 / :part, 12);
SELECT DISTINCT clusters, what FROM tally ORDER BY 1, 2;
-- what is gone over again changes nothing
CALL live_clusters_fill('points', again => true);
SELECT count(*) FROM points_clusters_events;

-- Each event once, in the order of commits: the place of a reader is a snapshot. It sees what the snapshot before did not see.
TRUNCATE points;
TRUNCATE points_clusters_events;
CREATE TABLE reader (upto pg_snapshot);
INSERT INTO reader VALUES (pg_current_snapshot());
CREATE FUNCTION read_on() RETURNS TABLE (what text, id int) LANGUAGE sql AS $$
	WITH old AS MATERIALIZED (SELECT upto FROM reader), new AS (UPDATE reader SET upto = pg_current_snapshot())
	SELECT e.what, e.id FROM points_clusters_events AS e, old
	WHERE e.xact >= pg_snapshot_xmin(old.upto) AND NOT pg_visible_in_snapshot(e.xact, old.upto) ORDER BY e.event $$;
INSERT INTO points VALUES (1, bits('1')), (2, bits('1'));
SELECT * FROM read_on();
SELECT * FROM read_on();
INSERT INTO points VALUES (3, bits('11'));
INSERT INTO points VALUES (4, bits('11'));
SELECT * FROM read_on();

-- with long ids, and a domain; beside clusters without events
CREATE TABLE names (id text PRIMARY KEY, fp simhash64);
CREATE INDEX ON names USING sketch (fp);
CALL live_clusters_create('names', 'id', 'fp', mode => 'star', max_distance => 2, events => true, notify => 'names_changed');
CALL live_clusters_create('names', 'id', 'fp', max_distance => 2, clusters => 'quiet');
INSERT INTO names VALUES ('a', bits('1')), ('b', bits('11')), ('c', bits('1'));
SELECT cluster, what, id, other, kept, kept_before FROM names_clusters_events ORDER BY event;
SELECT tgname, pg_get_triggerdef(oid) LIKE '%''notify=names_changed''%' AS notifies FROM pg_trigger WHERE tgrelid = 'names'::regclass AND NOT tgisinternal ORDER BY 1;
SELECT to_regclass('quiet_events');

-- messages
CALL live_clusters_create('points', 'id', 'fp', clusters => 'other', max_distance => 2, notify => '');
CREATE FUNCTION defined(arguments text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'CREATE TRIGGER wrong AFTER INSERT ON points FOR EACH ROW EXECUTE FUNCTION live_clusters_trigger(' || arguments || ')';
	INSERT INTO points VALUES (5, bits('1'));
END $$;
SELECT defined(format($$ 'id', 'fp', 'points_clusters', 'notify=%s' $$, repeat('x', 64)));
CALL live_clusters_drop('names', 'names_clusters');
CALL live_clusters_drop('points');
SELECT relname FROM pg_class WHERE relname ~ '^(points|names)_clusters';
DROP SCHEMA events_test CASCADE;
