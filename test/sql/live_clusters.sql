-- Clusters that stay current. Rows are SimHashes, so that who is similar to whom is seen: unlike bits are counted.
SET client_min_messages = warning;
CREATE SCHEMA clusters_test;
GRANT USAGE ON SCHEMA clusters_test TO PUBLIC;
SET search_path = clusters_test, public, txtfp;

CREATE TABLE points (id int PRIMARY KEY, fp simhash64);
CREATE INDEX ON points USING sketch (fp);
CREATE FUNCTION bits(text) RETURNS simhash64 LANGUAGE sql IMMUTABLE RETURN rpad($1, 64, '0')::bit(64)::simhash64;
CALL live_clusters_create('points', 'id', 'fp', max_distance => 2);
\d points_clusters
\d points_clusters_members
\d points_clusters_sets
\d points_clusters_links
SELECT obj_description('points_clusters'::regclass), obj_description('points_clusters_members'::regclass);
SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = 'points'::regclass ORDER BY 1;

-- a row alone is in no cluster; similar ones are; a row in between makes one of two
INSERT INTO points VALUES (1, bits('00000000'));
SELECT id, cluster, size FROM points_clusters ORDER BY id;
INSERT INTO points VALUES (2, bits('11000000'));
INSERT INTO points VALUES (4, bits('11111100')), (5, bits('11111111'));
INSERT INTO points VALUES (9, bits('0000000000001'));
SELECT id, cluster, size FROM points_clusters ORDER BY id;
INSERT INTO points VALUES (3, bits('11110000'));
SELECT id, cluster, size FROM points_clusters ORDER BY id;
SELECT count(*) FROM points_clusters_links;
SELECT * FROM live_clusters_check('points');
-- what it alone held together falls apart; the name follows
DELETE FROM points WHERE id = 3;
SELECT id, cluster, size FROM points_clusters ORDER BY id;
DELETE FROM points WHERE id = 1;
SELECT id, cluster, size FROM points_clusters ORDER BY id;
UPDATE points SET fp = bits('11110000') WHERE id = 2;
SELECT id, cluster, size FROM points_clusters ORDER BY id;
UPDATE points SET id = 12 WHERE id = 2;
SELECT id, cluster, size FROM points_clusters ORDER BY id;
UPDATE points SET fp = NULL WHERE id = 12;
SELECT id, cluster, size FROM points_clusters ORDER BY id;
SELECT * FROM live_clusters_check('points');

-- statements of many rows: their triggers see all of the statement
UPDATE points SET id = id + 200;
UPDATE points SET id = id - 199;
SELECT p.id, c.cluster, c.size FROM points AS p LEFT JOIN points_clusters AS c USING (id) ORDER BY id;
INSERT INTO points SELECT 100 + n, bits(repeat('11', n)) FROM generate_series(0, 20) AS n;
SELECT cluster, count(*), min(size), max(size) FROM points_clusters GROUP BY cluster ORDER BY cluster;
DELETE FROM points WHERE id IN (105, 106, 110);
SELECT cluster, count(*), min(id), max(id) FROM points_clusters GROUP BY cluster ORDER BY cluster;
UPDATE points SET fp = bits(repeat('11', 10)) WHERE id BETWEEN 107 AND 109 OR id = 101;
SELECT cluster, count(*), min(id), max(id) FROM points_clusters GROUP BY cluster ORDER BY cluster;
SELECT * FROM live_clusters_check('points');
WITH gone AS (DELETE FROM points WHERE id = 120 RETURNING fp) INSERT INTO points SELECT 130, fp FROM gone;
INSERT INTO points VALUES (107, bits('0')), (131, bits(repeat('11', 19))) ON CONFLICT (id) DO UPDATE SET fp = bits(repeat('11', 12));
MERGE INTO points USING (VALUES (131, bits('00'), true), (132, bits('1'), false)) AS v (id, fp, known) ON points.id = v.id
	WHEN MATCHED THEN UPDATE SET fp = v.fp WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.fp);
SELECT * FROM live_clusters_check('points');
BEGIN;
INSERT INTO points VALUES (140, bits(repeat('11', 6)));
SAVEPOINT s;
DELETE FROM points WHERE id > 110;
ROLLBACK TO s;
SELECT * FROM live_clusters_check('points');
ROLLBACK;
SELECT * FROM live_clusters_check('points');
TRUNCATE points;
SELECT count(*) FROM points_clusters;
SELECT (SELECT count(*) FROM points_clusters_members), (SELECT count(*) FROM points_clusters_sets), (SELECT count(*) FROM points_clusters_links);

-- keys that change places
INSERT INTO points VALUES (1, bits('0')), (2, bits('1')), (3, bits('111111')), (4, bits('1111111')), (5, bits(repeat('1', 30)));
UPDATE points SET id = CASE id WHEN 1 THEN 13 ELSE 15 END WHERE id IN (1, 5);
UPDATE points SET id = CASE id WHEN 13 THEN 5 ELSE 1 END WHERE id > 10;
SELECT id, cluster, size FROM points_clusters ORDER BY id;
SELECT * FROM live_clusters_check('points');

-- random statements, each checked: rows, links and sets agree with what a search for each row finds
CREATE FUNCTION is_sound(clusters text, mode text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE sound boolean;
BEGIN
	-- the links of each cluster are a tree over its members
	EXECUTE format('SELECT NOT EXISTS (SELECT FROM connected_components(''SELECT a, b FROM %1$I'') c
		FULL JOIN %2$I m ON m.id = c.id GROUP BY m.cluster HAVING m.cluster IS NULL OR count(DISTINCT c.cluster) <> 1)
		AND (SELECT count(*) FROM %1$I) = (SELECT count(*) FROM %2$I) - (SELECT count(*) FROM %3$I)',
		clusters || '_links', clusters || '_members', clusters || '_sets') INTO sound;
	RETURN sound;
END $$;
CREATE FUNCTION random_point(digits int) RETURNS simhash64 LANGUAGE sql VOLATILE
	RETURN bits((SELECT string_agg(CASE WHEN random() < 0.5 THEN '1' ELSE '0' END, '') FROM generate_series(1, digits + 0 * random()::int)));
CREATE FUNCTION storm(points text, rounds int, digits int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE wrong text; step text; low int; width int; what float8;
BEGIN
	FOR i IN 1 .. rounds LOOP
		low := random() * 60; width := CASE WHEN random() < 0.6 THEN 0 ELSE random() * 15 END; what := random();
		step := format(CASE
			WHEN what < 0.45 THEN 'INSERT INTO %1$I (id, fp) SELECT n, random_point(%4$s) FROM generate_series(%2$s, %3$s) n ON CONFLICT (id) DO UPDATE SET fp = excluded.fp'
			WHEN what < 0.65 THEN 'DELETE FROM %1$I WHERE id BETWEEN %2$s AND %3$s'
			WHEN what < 0.85 THEN 'UPDATE %1$I SET fp = random_point(%4$s) WHERE id BETWEEN %2$s AND %3$s'
			WHEN what < 0.90 THEN 'UPDATE %1$I SET id = -id WHERE id BETWEEN %2$s AND %3$s OR -id BETWEEN %2$s AND %3$s'
			WHEN what < 0.95 THEN 'UPDATE %1$I SET fp = NULL WHERE id BETWEEN %2$s AND %3$s'
			ELSE 'UPDATE %1$I AS a SET fp = b.fp FROM %1$I AS b WHERE a.id + b.id = 2 * %2$s + 1 AND b.fp IS NOT NULL' END,
			points, low, low + width, digits);
		IF random() < 0.2 THEN
			BEGIN
				EXECUTE step;
				RAISE EXCEPTION USING ERRCODE = 'XX999';
			EXCEPTION WHEN SQLSTATE 'XX999' OR unique_violation THEN NULL;
			END;
		ELSE
			BEGIN
				EXECUTE step;
			EXCEPTION WHEN unique_violation THEN NULL; -- of keys that change places
			END;
		END IF;
		SELECT string_agg(c::text, ' ') INTO wrong FROM live_clusters_check(points::regclass) AS c;
		IF wrong IS NOT NULL OR NOT is_sound(points || '_clusters', '') THEN
			RETURN format('round %s: %s: %s', i, step, wrong);
		END IF;
	END LOOP;
	RETURN 'right';
END $$;
SELECT setseed(0.27);
\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/include/part.sql'
\i :include
SELECT storm('points', 150 / :part, 9), storm('points', 150 / :part, 12);

-- stars, with a priority: the best row is kept, and who it is changes
CREATE TABLE stars (id bigint PRIMARY KEY, fp simhash64, rank numeric, body text);
CREATE INDEX ON stars USING gin (fp);
CALL live_clusters_create('stars', 'id', 'fp', mode => 'star', priority => 'rank', text => 'body', max_distance => 2);
\d stars_clusters
\d stars_clusters_history
INSERT INTO stars VALUES (1, bits('1'), 5, 'the rover has found traces of ice'), (2, bits('11'), 4, 'the rover has found traces of water');
INSERT INTO stars VALUES (3, bits('1111'), 3);
SELECT id, cluster, size, similarity, round(jaccard::numeric, 3) AS jaccard, containment FROM stars_clusters ORDER BY id;
SELECT kept, similarity, priority, kept_priority, until IS NULL AS now FROM live_clusters_kept('stars', 2);
SELECT id, kept FROM stars_clusters_members ORDER BY id;
INSERT INTO stars VALUES (4, bits('111'), 9, 'the rover has found traces of ice and water');
SELECT id, cluster, size, similarity FROM stars_clusters ORDER BY id;
SELECT kept, similarity, priority, kept_priority, until IS NULL AS now FROM live_clusters_kept('stars', 2);
SELECT kept, similarity, priority, kept_priority, until IS NULL AS now FROM live_clusters_kept('stars', 2::numeric);
UPDATE stars SET rank = 1 WHERE id = 4;
SELECT id, cluster, size FROM stars_clusters ORDER BY id;
DELETE FROM stars WHERE id = 2;
SELECT kept, similarity, until IS NULL AS now FROM live_clusters_kept('stars', 2);
SELECT * FROM live_clusters_kept('stars', NULL::bigint);
SELECT * FROM live_clusters_check('stars');
UPDATE stars SET rank = NULL;
SELECT id, cluster, size FROM stars_clusters ORDER BY id;
UPDATE stars SET rank = 'NaN' WHERE id = 1; -- error
TRUNCATE stars;
SELECT count(*) FROM stars_clusters;
CREATE FUNCTION random_rank() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN NEW.rank := CASE WHEN random() < 0.1 THEN NULL ELSE floor(random() * 6) END; RETURN NEW; END $$;
CREATE TRIGGER a BEFORE INSERT OR UPDATE ON stars FOR EACH ROW EXECUTE FUNCTION random_rank();
SELECT storm('stars', 150 / :part, 9), storm('stars', 150 / :part, 12);
SELECT count(*) > 100 AS remembers, count(*) FILTER (WHERE until < since) AS wrong FROM stars_clusters_history;

-- a table that has rows already; ids of type uuid and text; MinHash; a name of its own
CREATE TABLE "Old docs" ("Key" text PRIMARY KEY, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body, 'word-uax29')) STORED);
CREATE INDEX ON "Old docs" USING gin (fp) WITH (fastupdate = off);
INSERT INTO "Old docs" SELECT 'k' || d || '-' || c, (SELECT string_agg(CASE WHEN i > 38 THEN c ELSE d END || 'w' || i, ' ') FROM generate_series(1, 40) AS i)
	FROM generate_series(1, 5) AS d, generate_series(1, d) AS c;
CALL live_clusters_create('"Old docs"', 'Key', 'fp', clusters => 'Same "text"');
SELECT count(*) FROM "Same ""text""";
SELECT count(*) FROM live_clusters_check('"Old docs"');
CALL live_clusters_fill('"Old docs"', batch => 4);
SELECT cluster, count(*), min(size) FROM "Same ""text""" GROUP BY cluster ORDER BY cluster;
SELECT * FROM live_clusters_check('"Old docs"');
SELECT id, cluster, size FROM "Same ""text""" EXCEPT SELECT id, cluster, size FROM near_duplicate_clusters(NULL::text, 'SELECT "Key", fp FROM "Old docs"', 0.8);
CREATE TABLE ids (id uuid PRIMARY KEY, fp simhash64 NOT NULL);
CREATE INDEX ON ids USING sketch (fp);
INSERT INTO ids SELECT md5(n::text)::uuid, bits(repeat('1', n)) FROM generate_series(1, 20) AS n WHERE n <> 9 AND n <> 10;
CALL live_clusters_create('ids', 'id', 'fp', mode => 'star', max_distance => 2);
CALL live_clusters_fill('ids', 1);
SELECT count(*), count(DISTINCT cluster) FROM ids_clusters;
SELECT * FROM live_clusters_check('ids');
SELECT id, cluster, size, similarity FROM ids_clusters EXCEPT SELECT id, cluster, size, similarity FROM near_duplicate_clusters(NULL::uuid, 'SELECT id, fp FROM ids', threshold => NULL, max_distance => 2, mode => 'star');

-- switched off, rows changed, and gone over again
ALTER TABLE ids DISABLE TRIGGER ids_clusters;
DELETE FROM ids WHERE fp = bits('11111');
INSERT INTO ids VALUES (md5('x')::uuid, bits(repeat('1', 9)));
ALTER TABLE ids ENABLE TRIGGER ids_clusters;
SELECT count(*) > 0 AS wrong FROM live_clusters_check('ids');
CALL live_clusters_fill('ids', 5, again => true);
SELECT * FROM live_clusters_check('ids');

-- renamed
ALTER TABLE ids RENAME TO idents;
INSERT INTO idents VALUES (md5('y')::uuid, bits(repeat('1', 9)));
SELECT * FROM live_clusters_check('idents');
ALTER TABLE idents RENAME COLUMN fp TO print;
INSERT INTO idents VALUES (md5('z')::uuid, bits(repeat('1', 9))); -- error
ALTER TABLE idents RENAME COLUMN print TO fp;

-- partitions
CREATE TABLE parts (id int PRIMARY KEY, fp simhash64) PARTITION BY RANGE (id);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (100);
CREATE TABLE parts_2 (fp simhash64, id int NOT NULL);
ALTER TABLE parts ATTACH PARTITION parts_2 FOR VALUES FROM (100) TO (200);
CREATE INDEX ON parts USING sketch (fp);
CALL live_clusters_create('parts', 'id', 'fp', max_distance => 2);
INSERT INTO parts VALUES (1, bits('0')), (2, bits('11')), (101, bits('1'));
INSERT INTO parts_2 (id, fp) VALUES (102, bits('1111'));
SELECT id, cluster, size FROM parts_clusters ORDER BY id;
UPDATE parts SET id = 103 WHERE id = 2;
UPDATE parts SET fp = bits('111111') WHERE id = 101;
SELECT id, cluster, size FROM parts_clusters ORDER BY id;
SELECT * FROM live_clusters_check('parts');
ALTER TABLE parts DETACH PARTITION parts_2;
CALL live_clusters_fill('parts', again => true);
SELECT * FROM live_clusters_check('parts');
CALL live_clusters_create('parts_1', 'id', 'fp', max_distance => 2); -- error
DROP TABLE parts_2;

-- who may write need not see the clusters, nor own them
CREATE ROLE regress_txtfp_writer;
GRANT INSERT, DELETE, SELECT ON points TO regress_txtfp_writer;
SET ROLE regress_txtfp_writer;
INSERT INTO points VALUES (200, bits('1')), (201, bits('1'));
SELECT count(*) FROM points_clusters; -- error
DELETE FROM points WHERE id = 200;
CALL live_clusters_fill('points'); -- error
CALL live_clusters_drop('points'); -- error
CALL live_clusters_create('points', 'id', 'fp', clusters => 'mine'); -- error
RESET ROLE;
SELECT * FROM live_clusters_check('points');
REVOKE ALL ON points FROM regress_txtfp_writer;
DROP ROLE regress_txtfp_writer;

-- a trigger of the user's that writes, too
CREATE FUNCTION copies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.id < 1000 THEN
		INSERT INTO points VALUES (NEW.id + 1000, NEW.fp);
		DELETE FROM points WHERE id = NEW.id - 1;
		UPDATE points SET fp = bits('1010101') WHERE id = NEW.id - 2 OR id = NEW.id;
	END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER a_first AFTER INSERT ON points FOR EACH ROW EXECUTE FUNCTION copies();
INSERT INTO points SELECT n, random_point(9) FROM generate_series(300, 320) AS n;
SELECT * FROM live_clusters_check('points');
DROP TRIGGER a_first ON points;
CREATE TRIGGER z_last AFTER INSERT ON points FOR EACH ROW EXECUTE FUNCTION copies();
INSERT INTO points SELECT n, random_point(9) FROM generate_series(400, 420) AS n;
SELECT * FROM live_clusters_check('points');
SELECT is_sound('points_clusters', '');
DROP TRIGGER z_last ON points;

-- isolation levels
BEGIN ISOLATION LEVEL SERIALIZABLE;
INSERT INTO points VALUES (500, bits('0')), (501, bits('1'));
DELETE FROM points WHERE id < 400;
COMMIT;
SELECT * FROM live_clusters_check('points');

-- messages
CALL live_clusters_create(NULL, 'id', 'fp');
CALL live_clusters_create('points', NULL, 'fp');
CALL live_clusters_create('points', 'id', NULL);
CALL live_clusters_create('points', 'no', 'fp');
CALL live_clusters_create('points', 'id', 'no');
CALL live_clusters_create('points', 'fp', 'fp');
CALL live_clusters_create('points', 'id', 'fp');
CALL live_clusters_create('points', 'id', 'fp', clusters => 'other', max_distance => 99);
CALL live_clusters_create('points', 'id', 'fp', 0.8, clusters => 'other');
CALL live_clusters_create('points', 'id', 'fp', mode => 'galaxy', clusters => 'other', max_distance => 3);
CALL live_clusters_create('points', 'id', 'fp', priority => 'fp', clusters => 'other', max_distance => 3);
CALL live_clusters_create('points', 'id', 'fp', text => 'id', clusters => 'other', max_distance => 3);
CALL live_clusters_create('points', 'id', 'fp', priority => 'no', clusters => 'other', max_distance => 3);
CALL live_clusters_create('points', 'id', 'fp', clusters => 'a name so long that the names of the tables would not fit', max_distance => 3);
CREATE VIEW shown AS SELECT * FROM points;
CALL live_clusters_create('shown', 'id', 'fp');
CREATE TABLE odd (id smallint PRIMARY KEY, body text, b bigint NOT NULL, fp simhash64, UNIQUE (id, b));
CALL live_clusters_create('odd', 'id', 'fp');
CALL live_clusters_create('odd', 'b', 'fp');
ALTER TABLE odd ALTER id TYPE int;
CALL live_clusters_create('odd', 'id', 'body');
SET client_min_messages = notice;
CALL live_clusters_create('odd', 'id', 'fp');
SET client_min_messages = warning;
CREATE TABLE parent (id int PRIMARY KEY, fp simhash64);
CREATE TABLE child () INHERITS (parent);
CALL live_clusters_create('parent', 'id', 'fp');
CALL live_clusters_fill('parent');
CALL live_clusters_fill('points', clusters => 'no');
CALL live_clusters_fill('points', 0);
CALL live_clusters_create('points', 'id', 'fp', clusters => 'other', max_distance => 3);
CALL live_clusters_fill('points', clusters => 'other');
SELECT * FROM live_clusters_check('points', 'other');
CALL live_clusters_fill('points');
CALL live_clusters_drop('points');
CALL live_clusters_drop('points', 'other');
SELECT * FROM live_clusters_kept('points', 1);
SELECT live_clusters_trigger();
CREATE TRIGGER wrong BEFORE INSERT ON odd FOR EACH ROW EXECUTE FUNCTION live_clusters_trigger('id', 'fp', 'odd_clusters');
INSERT INTO odd VALUES (1, NULL, 1, bits('1'));
DROP TRIGGER wrong ON odd;
CREATE FUNCTION defined(arguments text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'CREATE TRIGGER wrong AFTER INSERT ON odd FOR EACH ROW EXECUTE FUNCTION live_clusters_trigger(' || arguments || ')';
	INSERT INTO odd VALUES (1, NULL, 1, bits('1'));
END $$;
SELECT defined($$ 'id', 'fp' $$);
SELECT defined($$ 'id', 'fp', 'nothing' $$);
SELECT defined($$ 'no', 'fp', 'odd_clusters' $$);
SELECT defined($$ 'id', 'fp', 'odd_clusters', 'what=ever' $$);
SELECT defined($$ 'id', 'fp', 'odd_clusters', 'ever' $$);
SELECT defined($$ 'id', 'fp', 'odd_clusters', 'locks=ever' $$);
SELECT defined($$ 'id', 'fp', 'odd_clusters', 'max_distance=x' $$);
-- tables that somebody else wrote into
DELETE FROM points_clusters_sets;
INSERT INTO points VALUES (600, bits('0'));

CALL live_clusters_drop('points');
SELECT relname FROM pg_class WHERE relname ~ '^points_clusters';
SELECT tgname FROM pg_trigger WHERE tgrelid = 'points'::regclass;
INSERT INTO points VALUES (600, bits('0'));
DROP VIEW shown;
DROP SCHEMA clusters_test CASCADE;
