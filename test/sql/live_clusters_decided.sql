-- Clusters that stay current, and pairs of rows that somebody has decided about: apart, and together. Rows are SimHashes; unlike bits are counted.
SET client_min_messages = warning;
\set SHOW_CONTEXT never
CREATE SCHEMA pairs_test;
SET search_path = pairs_test, public, txtfp;
CREATE FUNCTION bits(text) RETURNS simhash64 LANGUAGE sql IMMUTABLE RETURN rpad($1, 64, '0')::bit(64)::simhash64;

CREATE TABLE points (id int PRIMARY KEY, fp simhash64);
CREATE INDEX ON points USING sketch (fp);
CREATE TABLE not_duplicates (a int, b int, PRIMARY KEY (a, b));
CREATE INDEX ON not_duplicates (b);
CREATE TABLE duplicates (a int, b int, PRIMARY KEY (a, b));
CREATE INDEX ON duplicates (b);
CALL live_clusters_create('points', 'id', 'fp', max_distance => 2, apart => 'not_duplicates', together => 'duplicates', events => true);
\d points_clusters
-- without the prefixes that servers from 18 on leave out
\pset format unaligned
\pset tuples_only on
SELECT regexp_replace(pg_get_viewdef('points_clusters', true), '\mr\.', '', 'g');
\pset tuples_only off
\pset format aligned
\d points_clusters_members
SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = 'points'::regclass AND tgname = 'points_clusters_empty';

-- apart: not in one cluster, whatever leads from the one to the other; the most similar link counts first
INSERT INTO not_duplicates VALUES (1, 3), (77, NULLIF(78, 0));
INSERT INTO points VALUES (1, bits('1')), (2, bits('11')), (3, bits('1111')), (4, bits('11111'));
SELECT id, cluster, size FROM points_clusters ORDER BY id;
SELECT what, id, kept, kept_before FROM points_clusters_events ORDER BY event;
-- together: in one cluster, however little they have in common
INSERT INTO duplicates VALUES (10, 1);
INSERT INTO points VALUES (10, bits('000000000011111111111111111111'));
SELECT id, cluster, size FROM points_clusters ORDER BY id;
DELETE FROM points WHERE id = 1;
SELECT id, cluster, size FROM points_clusters ORDER BY id;
INSERT INTO points VALUES (1, bits('1'));
SELECT id, cluster, size FROM points_clusters ORDER BY id;
-- a decision about rows that are there already takes effect at once
SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = 'not_duplicates'::regclass;
INSERT INTO not_duplicates VALUES (4, 3);
SELECT * FROM live_clusters_check('points');
SELECT id, cluster, size FROM points_clusters ORDER BY id;
UPDATE not_duplicates SET a = 3, b = 2 WHERE a = 4;
SELECT id, cluster, size FROM points_clusters ORDER BY id;
DELETE FROM not_duplicates;
DELETE FROM duplicates;
SELECT * FROM points_clusters ORDER BY id;
SELECT * FROM live_clusters_check('points');
-- a contradiction is an error of whatever would follow from it
INSERT INTO duplicates VALUES (1, 2), (2, 20), (20, 21);
INSERT INTO not_duplicates VALUES (21, 1);
INSERT INTO points VALUES (20, bits('0'));
INSERT INTO points VALUES (21, bits('0'));
DELETE FROM duplicates WHERE a = 20;
INSERT INTO points VALUES (21, bits('0'));
INSERT INTO duplicates VALUES (20, 21);
-- rows with many pairs, of which one is with a near row, in no cluster and in one
INSERT INTO not_duplicates SELECT n, id FROM generate_series(22, 29) AS n, unnest('{40,41,45,46}'::int[]) AS id;
INSERT INTO not_duplicates SELECT id, n FROM generate_series(30, 50) AS n, generate_series(40, 41) AS id WHERE n NOT IN (40, 41);
INSERT INTO points VALUES (45, bits('000000000000000000001111111111'));
INSERT INTO points VALUES (40, bits('000000000000000000001111111111'));
SELECT id, cluster, size FROM points_clusters WHERE id BETWEEN 30 AND 50 ORDER BY id; -- a later change would put it right
INSERT INTO points VALUES (46, bits('000000000000000000001111111111'));
INSERT INTO points VALUES (41, bits('000000000000000000001111111111'));
SELECT id, cluster, size FROM points_clusters WHERE id BETWEEN 30 AND 50 ORDER BY id;
SELECT * FROM live_clusters_check('points');
DELETE FROM points WHERE id BETWEEN 30 AND 50;
DELETE FROM not_duplicates WHERE a BETWEEN 22 AND 41;
-- other writes to the tables of pairs: those that fire no trigger need a look at the rows
TRUNCATE duplicates;
SELECT * FROM live_clusters_check('points') ORDER BY part, id;
CALL live_clusters_fill('points', again => true);
SELECT * FROM live_clusters_check('points');

-- random rows and decisions, compared with the bulk function after each statement
TRUNCATE points, points_clusters_events;
TRUNCATE not_duplicates, duplicates;
CREATE TABLE stars (id int PRIMARY KEY, fp simhash64, rank int, body text);
CREATE INDEX ON stars USING sketch (fp);
CALL live_clusters_create('stars', 'id', 'fp', mode => 'star', priority => 'rank', max_distance => 2, apart => 'not_duplicates', together => 'duplicates');
CREATE FUNCTION random_rank() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN NEW.rank := CASE WHEN random() < 0.1 THEN NULL ELSE floor(random() * 6) END; RETURN NEW; END $$;
CREATE TRIGGER a BEFORE INSERT OR UPDATE ON stars FOR EACH ROW EXECUTE FUNCTION random_rank();
CREATE FUNCTION random_point(digits int) RETURNS simhash64 LANGUAGE sql VOLATILE
	RETURN bits((SELECT string_agg(CASE WHEN random() < 0.5 THEN '1' ELSE '0' END, '') FROM generate_series(1, digits + 0 * random()::int)));
CREATE FUNCTION differences(points text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE wrong text; star boolean := points = 'stars'; live text; bulk text;
BEGIN
	live := format('SELECT id, cluster, size%s FROM %I', CASE WHEN star THEN ', round(similarity::numeric, 6)' END, points || '_clusters');
	bulk := format('SELECT id, cluster, size%s FROM near_duplicate_clusters(%L, max_distance => 2, mode => %L, apart => %L, together => %L)',
		CASE WHEN star THEN ', round(similarity::numeric, 6)' END, format('SELECT id, fp%s FROM %I WHERE fp IS NOT NULL', CASE WHEN star THEN ', rank' END, points),
		CASE WHEN star THEN 'star' ELSE 'components' END, 'SELECT a, b FROM not_duplicates', 'SELECT a, b FROM duplicates');
	EXECUTE format('SELECT string_agg(d::text, '' '') FROM ((SELECT ''live'', * FROM (%1$s EXCEPT %2$s) AS x) UNION ALL (SELECT ''bulk'', * FROM (%2$s EXCEPT %1$s) AS x)) AS d', live, bulk) INTO wrong;
	IF wrong IS NULL THEN
		SELECT string_agg(c::text, ' ') INTO wrong FROM live_clusters_check(points::regclass) AS c;
	END IF;
	RETURN wrong;
END $$;
CREATE FUNCTION storm(points text, rounds int, digits int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE wrong text; step text; low int; width int; what float8;
BEGIN
	FOR i IN 1 .. rounds LOOP
		low := random() * 40; width := CASE WHEN random() < 0.6 THEN 0 ELSE random() * 8 END; what := random();
		step := format(CASE
			WHEN what < 0.35 THEN 'INSERT INTO %1$I (id, fp) SELECT n, random_point(%4$s) FROM generate_series(%2$s, %3$s) n ON CONFLICT (id) DO UPDATE SET fp = excluded.fp'
			WHEN what < 0.5 THEN 'DELETE FROM %1$I WHERE id BETWEEN %2$s AND %3$s'
			WHEN what < 0.65 THEN 'UPDATE %1$I SET fp = random_point(%4$s) WHERE id BETWEEN %2$s AND %3$s'
			WHEN what < 0.7 THEN 'UPDATE %1$I SET id = -id WHERE id BETWEEN %2$s AND %3$s OR -id BETWEEN %2$s AND %3$s'
			WHEN what < 0.75 THEN 'UPDATE %1$I SET fp = NULL WHERE id BETWEEN %2$s AND %3$s'
			-- of a decade, and across decades: so there is no contradiction
			WHEN what < 0.8 THEN 'INSERT INTO duplicates SELECT %2$s, %2$s / 5 * 5 + floor(random() * 5) ON CONFLICT DO NOTHING'
			WHEN what < 0.95 THEN 'INSERT INTO not_duplicates SELECT %2$s, n FROM generate_series(%3$s - 8, %3$s + 8) n WHERE n / 5 <> %2$s / 5 AND random() < 0.5 ON CONFLICT DO NOTHING'
			WHEN what < 0.97 THEN 'DELETE FROM duplicates WHERE a BETWEEN %2$s AND %3$s'
			ELSE 'DELETE FROM not_duplicates WHERE a BETWEEN %2$s AND %3$s' END, points, low, low + width, digits);
		BEGIN
			EXECUTE step;
		EXCEPTION WHEN unique_violation THEN NULL;
		END;
		wrong := differences(points);
		IF wrong IS NOT NULL THEN
			RETURN format('round %s: %s: %s', i, step, wrong);
		END IF;
	END LOOP;
	RETURN 'right';
END $$;
SELECT setseed(0.49);
SELECT storm('points', 100, 8);
SELECT count(DISTINCT kept) > count(DISTINCT cluster) AS cut FROM points_clusters_members WHERE excepted;
DELETE FROM not_duplicates;
DELETE FROM duplicates;
SELECT * FROM live_clusters_check('points');
SELECT storm('stars', 100, 8);
SELECT count(DISTINCT kept) > count(DISTINCT cluster) AS cut FROM stars_clusters_members WHERE excepted;

-- ids of type text, told apart by their bytes; a table of pairs may be renamed, but not be dropped
CREATE TABLE names (id text PRIMARY KEY, fp simhash64);
CREATE INDEX ON names USING sketch (fp);
CREATE TABLE decided (a text COLLATE "C", b text COLLATE "C", PRIMARY KEY (a, b));
CREATE INDEX ON decided (b);
CALL live_clusters_create('names', 'id', 'fp', max_distance => 2, apart => 'decided');
INSERT INTO decided VALUES ('a', 'c');
INSERT INTO names VALUES ('a', bits('1')), ('b', bits('11')), ('c', bits('111'));
SELECT id, cluster, size FROM names_clusters ORDER BY id;
ALTER TABLE decided RENAME TO decisions;
INSERT INTO names VALUES ('d', bits('111'));
SELECT id, cluster, size FROM names_clusters ORDER BY id;
SELECT * FROM live_clusters_check('names');
DROP TABLE decisions;
ALTER TABLE decisions RENAME COLUMN b TO c;
INSERT INTO names VALUES ('e', bits('111'));
ALTER TABLE decisions RENAME COLUMN c TO b;

-- messages; as whom
CREATE TRIGGER wrong AFTER INSERT ON duplicates FOR EACH ROW EXECUTE FUNCTION live_clusters_trigger('points_clusters');
INSERT INTO duplicates VALUES (7, 8);
DROP TRIGGER wrong ON duplicates;
CREATE TABLE others (a int, b int);
CREATE TRIGGER wrong AFTER INSERT ON others FOR EACH ROW WHEN ('points'::regclass IS NOT NULL) EXECUTE FUNCTION live_clusters_trigger('points_clusters');
INSERT INTO others VALUES (7, 8);
CREATE TABLE wrong (a int, c int);
CALL live_clusters_create('points', 'id', 'fp', max_distance => 2, clusters => 'other', apart => 'wrong');
CALL live_clusters_create('points', 'id', 'fp', max_distance => 2, clusters => 'other', together => 'decisions');
CREATE VIEW shown AS SELECT a, b FROM not_duplicates;
CALL live_clusters_create('points', 'id', 'fp', max_distance => 2, clusters => 'other', together => 'shown');
CREATE TEMP TABLE passing (a int, b int);
CALL live_clusters_create('points', 'id', 'fp', max_distance => 2, clusters => 'other', together => 'passing');
DROP ROLE IF EXISTS regress_txtfp_other;
CREATE ROLE regress_txtfp_other;
GRANT CREATE, USAGE ON SCHEMA pairs_test TO regress_txtfp_other;
CREATE TABLE theirs (a int, b int);
ALTER TABLE theirs OWNER TO regress_txtfp_other;
CALL live_clusters_create('points', 'id', 'fp', max_distance => 2, clusters => 'other', apart => 'theirs');
ALTER TABLE not_duplicates OWNER TO regress_txtfp_other;
INSERT INTO points VALUES (1000, bits('0')), (1001, bits('0'));
ALTER TABLE not_duplicates OWNER TO CURRENT_USER;

CALL live_clusters_drop('points');
CALL live_clusters_drop('stars');
CALL live_clusters_drop('names');
INSERT INTO not_duplicates VALUES (1, 2);
SELECT count(*) AS triggers FROM pg_trigger WHERE tgrelid IN ('not_duplicates'::regclass, 'duplicates'::regclass, 'decisions'::regclass);
DROP SCHEMA pairs_test CASCADE;
DROP ROLE regress_txtfp_other;
