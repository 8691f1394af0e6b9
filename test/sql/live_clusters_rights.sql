-- Live clusters: as whom they run what, what the owner of their tables can do to them meanwhile, and which tables are theirs. The page is SECURITY.md.
\set SHOW_CONTEXT never
\set VERBOSITY terse
SET client_min_messages = warning;

CREATE FUNCTION bits(text) RETURNS simhash64 LANGUAGE sql IMMUTABLE AS $$SELECT (rpad($1, 64, '0')::bit(64) # (x'5bd1e9955bd1e995')::bit(64))::public.simhash64$$;
DROP ROLE IF EXISTS regress_txtfp_mallory, regress_txtfp_stranger; -- a test server that is stopped at once forgets the last statement
CREATE ROLE regress_txtfp_mallory;
CREATE ROLE regress_txtfp_stranger;
CREATE SCHEMA lc_mallory AUTHORIZATION regress_txtfp_mallory;
GRANT USAGE ON SCHEMA lc_mallory TO public;
SELECT current_database() AS database \gset
GRANT CREATE ON DATABASE :"database" TO regress_txtfp_mallory;

-- A trigger on the members that makes every plan and every name invalid, and writes to the clustered table again: the operation goes on.

SET ROLE regress_txtfp_mallory;
SET search_path = lc_mallory, public;
CREATE TABLE docs (id int PRIMARY KEY, fp simhash64, rank int);
CREATE INDEX ON docs USING sketch (fp);
CALL live_clusters_create('docs', 'id', 'fp', mode => 'star', priority => 'rank', max_distance => 2);
CREATE FUNCTION again() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE space text := (SELECT relnamespace::regnamespace FROM pg_class WHERE oid = TG_RELID);
BEGIN
	IF NEW.id < 100 AND pg_trigger_depth() < 4 THEN
		EXECUTE format('ALTER SCHEMA %s RENAME TO %s', space, CASE space WHEN 'lc_mallory' THEN 'lc_renamed' ELSE 'lc_mallory' END);
		space := (SELECT relnamespace::regnamespace FROM pg_class WHERE oid = TG_RELID);
		EXECUTE format('CREATE OPERATOR %s.==== (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq)', space);
		EXECUTE format('DROP OPERATOR %s.==== (int, int)', space);
		EXECUTE format('INSERT INTO %s.docs VALUES (%s, public.bits(repeat(''1'', %s)), 1) ON CONFLICT DO NOTHING', space, NEW.id + 100, NEW.id + 40);
		EXECUTE format('UPDATE %s.docs SET rank = rank + 1 WHERE id = %s', space, NEW.id + 100);
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER again BEFORE INSERT OR UPDATE ON docs_clusters_members FOR EACH ROW EXECUTE FUNCTION again();
INSERT INTO docs VALUES (1, bits('1'), 1);
INSERT INTO docs VALUES (2, bits('11'), 2);
SET search_path = lc_mallory, lc_renamed, public;
INSERT INTO docs VALUES (3, bits('1'), 3);
UPDATE docs SET rank = 9 - rank;
DELETE FROM docs WHERE id = 2;
SELECT id, cluster FROM docs_clusters ORDER BY id;
SELECT * FROM live_clusters_check('docs');
SELECT format('ALTER SCHEMA %s RENAME TO lc_mallory', nspname) FROM pg_namespace WHERE nspname = 'lc_renamed' \gexec
DROP TRIGGER again ON docs_clusters_members;

-- What the owner has done to the tables of the clusters is an error, not a crash.

CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER skip BEFORE INSERT OR UPDATE OR DELETE ON docs_clusters_sets FOR EACH ROW EXECUTE FUNCTION skip();
INSERT INTO docs VALUES (11, bits(repeat('1', 20)), 1), (12, bits(repeat('1', 21)), 1), (13, bits(repeat('1', 19)), 3);
DELETE FROM docs WHERE id IN (12, 13);
DROP TRIGGER skip ON docs_clusters_sets;
CREATE TRIGGER skip BEFORE INSERT OR UPDATE OR DELETE ON docs_clusters_members FOR EACH ROW EXECUTE FUNCTION skip();
INSERT INTO docs VALUES (14, bits(repeat('1', 20)), 1);
DELETE FROM docs WHERE id = 11;
DELETE FROM docs;
DROP TRIGGER skip ON docs_clusters_members;
TRUNCATE docs;
SELECT count(*) FROM docs_clusters_members;
CREATE TABLE names (id text PRIMARY KEY, fp simhash64);
CREATE INDEX ON names USING sketch (fp);
CALL live_clusters_create('names', 'id', 'fp', mode => 'star', max_distance => 2);
INSERT INTO names VALUES ('a', bits('1')), ('b', bits('11'));
DROP VIEW names_clusters CASCADE; -- the trigger that names the tables goes, too
INSERT INTO names VALUES ('c', bits('1'));
DROP TABLE names, names_clusters_members, names_clusters_sets, names_clusters_links, names_clusters_history;
CREATE TABLE names (id text PRIMARY KEY, fp simhash64);
CREATE INDEX ON names USING sketch (fp);
CALL live_clusters_create('names', 'id', 'fp', mode => 'star', max_distance => 2);
INSERT INTO names VALUES ('a', bits('1')), ('b', bits('11'));
CREATE OR REPLACE VIEW names_clusters AS SELECT ''::text COLLATE "C" AS id, NULL::text COLLATE "C" AS cluster, 1::bigint AS size, 1::float8 AS similarity, 1::float8 AS jaccard, 1::float8 AS containment, now() AS since, 1::bigint AS number;
ALTER TABLE names_clusters_members ALTER id TYPE name;
INSERT INTO names VALUES ('c', bits('1'));
SELECT * FROM live_clusters_check('names');
SELECT kept FROM live_clusters_kept('names', 'b'::text);
ALTER TABLE names_clusters_members ALTER id TYPE text;
ALTER TABLE names_clusters_members ALTER jaccard TYPE text;
ALTER TABLE names_clusters_history ALTER jaccard TYPE text;
SELECT kept FROM live_clusters_kept('names', 'b'::text);
ALTER TABLE names_clusters_members ALTER kept DROP NOT NULL;
UPDATE names_clusters_members SET kept = NULL;
INSERT INTO names VALUES ('c', bits('1'));
DELETE FROM names WHERE id = 'b';
SELECT * FROM live_clusters_check('names');
DROP TABLE names, names_clusters_members, names_clusters_sets, names_clusters_links, names_clusters_history CASCADE;

-- A superuser maintains the clusters of mallory: nothing of hers runs as the superuser, now or later.

CREATE TABLE calls (of text, role name);
GRANT INSERT ON calls TO public;
CREATE FUNCTION spy() RETURNS trigger LANGUAGE plpgsql AS
	$$BEGIN INSERT INTO lc_mallory.calls VALUES (TG_NAME, current_user); RETURN NULL; END $$;
CREATE FUNCTION spy(of text) RETURNS bool LANGUAGE plpgsql AS $$BEGIN INSERT INTO lc_mallory.calls VALUES (of, current_user); RETURN true; END $$;
ALTER TABLE docs DISABLE TRIGGER docs_clusters;
INSERT INTO docs VALUES (1, bits('1'), 1), (2, bits('11'), 2);
ALTER TABLE docs ENABLE TRIGGER docs_clusters;
CREATE TRIGGER at_once AFTER INSERT ON docs_clusters_members FOR EACH ROW EXECUTE FUNCTION spy();
CREATE CONSTRAINT TRIGGER later AFTER INSERT ON docs_clusters_members DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION spy();
RESET ROLE;
CALL live_clusters_fill('docs');
SELECT * FROM calls;
SET ROLE regress_txtfp_mallory;
DROP TRIGGER later ON docs_clusters_members;
CREATE FUNCTION becomes() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RESET ROLE; RETURN NULL; END';
CREATE TRIGGER becomes AFTER INSERT ON docs_clusters_members FOR EACH ROW EXECUTE FUNCTION becomes();
RESET ROLE;
CALL live_clusters_fill('docs');
DROP TRIGGER becomes ON docs_clusters_members;
CALL live_clusters_fill('docs');
SELECT * FROM calls;
SELECT * FROM live_clusters_check('docs');

-- other relations in the place of the clusters' tables are not read
SET ROLE regress_txtfp_mallory;
TRUNCATE calls;
DROP TRIGGER at_once ON docs_clusters_members;
ALTER TABLE docs_clusters_members RENAME TO members_of_old;
ALTER TABLE docs_clusters_history RENAME TO history_of_old;
CREATE VIEW docs_clusters_members AS SELECT * FROM members_of_old WHERE spy('view');
CREATE VIEW docs_clusters_history AS SELECT * FROM history_of_old WHERE spy('view');
RESET ROLE;
SELECT * FROM live_clusters_check('docs');
SELECT kept FROM live_clusters_kept('docs', 1);
INSERT INTO docs VALUES (3, bits('1'), 1);
CALL live_clusters_fill('docs', again => true);
SELECT * FROM calls;

-- nor tables of another owner written to, nor those of somebody else named by a trigger
CREATE TABLE public.lc_bait (id int PRIMARY KEY, cluster int8, priority float8, kept int, similarity float8, jaccard float8, containment float8, since timestamptz);
SELECT format('ARRAY[%L::regclass, ''public.lc_bait'', %L, %L, %L]', 'docs_clusters'::regclass, 'docs_clusters_sets'::regclass, 'docs_clusters_links'::regclass, 'history_of_old'::regclass) AS tables \gset
SET ROLE regress_txtfp_mallory;
DROP TRIGGER docs_clusters_empty ON docs;
INSERT INTO docs VALUES (4, bits('1'), 1);
CREATE TRIGGER docs_clusters_empty AFTER TRUNCATE ON docs FOR EACH STATEMENT WHEN (:tables IS NOT NULL)
	EXECUTE FUNCTION live_clusters_trigger('id', 'fp', 'docs_clusters', 'max_distance=2', 'mode=star', 'priority=rank');
INSERT INTO docs VALUES (4, bits('1'), 1);
SELECT * FROM live_clusters_check('docs');
SELECT * FROM live_clusters_kept('docs', 1);
TRUNCATE docs;
RESET ROLE;
SELECT count(*) FROM lc_bait;
CALL live_clusters_drop('docs'); -- error: the table is not mallory's
DROP TABLE docs, docs_clusters_sets, docs_clusters_links, members_of_old, history_of_old, lc_bait CASCADE;

-- Whoever does not own a table is told so before a lock is requested (iso_live_clusters waits for none). Catalogs have no clusters.

SET ROLE regress_txtfp_stranger;
CALL live_clusters_create('pg_class', 'oid', 'relname');
CALL live_clusters_fill('pg_class');
CALL live_clusters_drop('pg_class');
RESET ROLE;
BEGIN;
CALL live_clusters_drop('pg_class');
ROLLBACK;
BEGIN;
SAVEPOINT a;
CALL live_clusters_create('pg_class', 'oid', 'relname');
ROLLBACK TO a;
ROLLBACK;

-- A schema is renamed, and another takes its name: the clusters stay with their table.

SET ROLE regress_txtfp_mallory;
CREATE SCHEMA lc_green;
CREATE TABLE lc_green.docs (id int PRIMARY KEY, fp simhash64);
CREATE INDEX ON lc_green.docs USING sketch (fp);
CALL live_clusters_create('lc_green.docs', 'id', 'fp', max_distance => 2);
INSERT INTO lc_green.docs VALUES (1, bits('1')), (2, bits('11'));
CREATE SCHEMA lc_blue;
CREATE TABLE lc_blue.docs (id int PRIMARY KEY, fp simhash64);
CREATE INDEX ON lc_blue.docs USING sketch (fp);
CALL live_clusters_create('lc_blue.docs', 'id', 'fp', max_distance => 2);
INSERT INTO lc_blue.docs VALUES (101, bits('1')), (102, bits('11'));
ALTER SCHEMA lc_green RENAME TO lc_old;
ALTER SCHEMA lc_blue RENAME TO lc_green;
INSERT INTO lc_old.docs VALUES (3, bits('1'));
INSERT INTO lc_green.docs VALUES (103, bits('1'));
SELECT id FROM lc_old.docs_clusters ORDER BY id;
SELECT id FROM lc_green.docs_clusters ORDER BY id;
SELECT * FROM live_clusters_check('lc_old.docs');
SELECT * FROM live_clusters_check('lc_green.docs');
CALL live_clusters_fill('lc_old.docs', again => true);
-- tables, too, and to another schema
ALTER TABLE lc_old.docs_clusters_members SET SCHEMA lc_mallory;
ALTER TABLE lc_old.docs_clusters_sets RENAME TO heaps;
ALTER TABLE lc_old.docs_clusters_links RENAME TO docs_clusters_history;
ALTER VIEW lc_old.docs_clusters RENAME TO docs_clusters_members;
INSERT INTO lc_old.docs VALUES (4, bits('1111'));
SELECT id FROM lc_old.docs_clusters_members ORDER BY id;
SELECT * FROM live_clusters_check('lc_old.docs');
DELETE FROM lc_old.docs WHERE id IN (1, 3);
SELECT * FROM live_clusters_check('lc_old.docs');
CALL live_clusters_fill('lc_old.docs');
-- drop: what is the clusters', and nothing else
CREATE TABLE lc_green.docs_clusters_history (precious text);
CALL live_clusters_drop('lc_green.docs');
CALL live_clusters_drop('lc_old.docs');
SELECT relname FROM pg_class WHERE relnamespace IN ('lc_green'::regnamespace, 'lc_old'::regnamespace) AND relkind IN ('r', 'v') ORDER BY 1;
SELECT relname FROM pg_class WHERE relnamespace = 'lc_mallory'::regnamespace AND relname LIKE 'docs_clusters%';
DROP SCHEMA lc_green, lc_old CASCADE;

-- a domain does not choose another function, although mallory may create one beside those of the extension
CREATE DOMAIN mine AS simhash64;
RESET ROLE;
GRANT CREATE ON SCHEMA public TO regress_txtfp_mallory;
SET ROLE regress_txtfp_mallory;
CREATE FUNCTION public.simhash_similar(mine, mine, int) RETURNS bool LANGUAGE sql AS $$SELECT lc_mallory.spy('similar')$$;
CREATE FUNCTION public.hamming(mine, mine) RETURNS int LANGUAGE sql AS $$SELECT lc_mallory.spy('hamming')::int$$;
TRUNCATE calls;
CREATE TABLE docs (id int PRIMARY KEY, fp mine);
CREATE INDEX ON docs USING sketch (fp);
CALL live_clusters_create('docs', 'id', 'fp', max_distance => 2);
INSERT INTO docs VALUES (1, bits('1')), (2, bits('11')), (3, bits(repeat('1', 20)));
RESET ROLE;
SELECT * FROM live_clusters_check('docs');
CALL live_clusters_fill('docs', again => true);
SELECT * FROM calls;
DROP FUNCTION public.simhash_similar(mine, mine, int), public.hamming(mine, mine);
REVOKE CREATE ON SCHEMA public FROM regress_txtfp_mallory;
SELECT id, cluster, size FROM docs_clusters ORDER BY id;
CALL live_clusters_drop('docs');

-- a temporary table
SET ROLE regress_txtfp_mallory;
CREATE TEMP TABLE passing (id int PRIMARY KEY, fp simhash64);
CREATE INDEX ON passing USING sketch (fp);
CALL live_clusters_create('passing', 'id', 'fp', max_distance => 2);
INSERT INTO passing VALUES (1, bits('1')), (2, bits('11'));
SELECT id, cluster, size FROM passing_clusters ORDER BY id;
CALL live_clusters_drop('passing');
DROP TABLE passing;

-- Keys are told apart by their bytes, whatever collation the column has.

CREATE COLLATION lc_nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE spelled (id text COLLATE lc_nocase PRIMARY KEY, fp simhash64, rank int, body text);
CREATE INDEX ON spelled USING sketch (fp);
CALL live_clusters_create('spelled', 'id', 'fp', mode => 'star', priority => 'rank', text => 'body', max_distance => 2);
CALL live_clusters_create('spelled', 'id', 'fp', clusters => 'groups', max_distance => 2);
INSERT INTO spelled VALUES ('a', bits('1'), 1, 'one two three four five six'), ('b', bits('11'), 2, 'one two three four five six'), ('c', bits('1'), 3, 'one');
UPDATE spelled SET id = upper(id) WHERE id <> 'c';
SELECT * FROM live_clusters_check('spelled', 'spelled_clusters');
SELECT * FROM live_clusters_check('spelled', 'groups');
SELECT id, cluster, size FROM spelled_clusters ORDER BY id;
SELECT kept, jaccard FROM live_clusters_kept('spelled', 'A'::text, 'spelled_clusters') WHERE until IS NULL;
UPDATE spelled SET id = lower(id), fp = bits(repeat('1', 30)) WHERE id = 'b';
SELECT id, cluster, size FROM groups ORDER BY id;
-- a unique index by bytes: spellings are rows of their own
ALTER TABLE spelled DROP CONSTRAINT spelled_pkey, ALTER id SET NOT NULL;
CREATE UNIQUE INDEX ON spelled (id COLLATE "C");
INSERT INTO spelled VALUES ('B', bits(repeat('1', 30)), 5), ('C', bits('1'), 5);
SELECT * FROM live_clusters_check('spelled', 'spelled_clusters');
SELECT id, cluster, size FROM groups ORDER BY id;
ALTER TABLE spelled DISABLE TRIGGER ALL;
TRUNCATE spelled_clusters_members, spelled_clusters_sets, spelled_clusters_links, groups_members, groups_sets, groups_links;
ALTER TABLE spelled ENABLE TRIGGER ALL;
CALL live_clusters_fill('spelled', 1, clusters => 'groups');
CALL live_clusters_fill('spelled', 2, clusters => 'spelled_clusters');
SELECT * FROM live_clusters_check('spelled', 'groups');
SELECT * FROM live_clusters_check('spelled', 'spelled_clusters');
DELETE FROM spelled WHERE id COLLATE "C" = 'c';
SELECT id, cluster, size FROM groups ORDER BY id;
DROP TABLE spelled CASCADE;

-- long ids: as long as the index of the clustered table takes them
CREATE FUNCTION long_id(n int, bytes int) RETURNS text LANGUAGE sql AS
	$$SELECT left(string_agg(md5(n || ' ' || i), ''), bytes) FROM generate_series(1, 90) AS i$$;
CREATE TABLE long (id text PRIMARY KEY, fp simhash64);
ALTER TABLE long ALTER id SET STORAGE EXTERNAL;
CREATE INDEX ON long USING sketch (fp);
CALL live_clusters_create('long', 'id', 'fp', mode => 'star', max_distance => 2);
INSERT INTO long SELECT long_id(n, 2676), bits(repeat('1', n % 4)) FROM generate_series(1, 8) AS n;
SELECT count(*), min(size), max(size) FROM long_clusters;
DELETE FROM long WHERE fp = bits('11');
SELECT left(id, 9), left(stored, 9), left(expected, 9) FROM live_clusters_check('long');
SELECT left(kept, 9) FROM live_clusters_kept('long', long_id(2, 2676));
TRUNCATE long;
SELECT count(*) FROM long_clusters;

RESET ROLE;
DROP SCHEMA lc_mallory CASCADE;
REVOKE CREATE ON DATABASE :"database" FROM regress_txtfp_mallory;
DROP ROLE regress_txtfp_mallory, regress_txtfp_stranger;
DROP FUNCTION bits(text);
