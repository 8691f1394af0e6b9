-- Tables of live clusters that somebody else has written into or altered: errors, whatever stands in them. test/tap/State.pm makes random states.
SET client_min_messages = warning;
\set SHOW_CONTEXT never
\set VERBOSITY default
CREATE SCHEMA state_test;
SET search_path = state_test, public, txtfp;
CREATE FUNCTION bits(text) RETURNS simhash64 LANGUAGE sql IMMUTABLE RETURN rpad($1, 64, '0')::bit(64)::simhash64;

-- sizes of clusters, which are the sizes of what is moved: a chain that falls apart
CREATE FUNCTION with_size(how text, changed bigint) RETURNS TABLE (mode text, size bigint, outcome text) LANGUAGE plpgsql AS $$
DECLARE
	row text;
BEGIN
	mode := how;
	size := changed;
	CREATE TABLE chain (id text COLLATE "C" PRIMARY KEY, fp simhash64);
	CREATE INDEX ON chain USING sketch (fp);
	CALL live_clusters_create('chain', 'id', 'fp', max_distance => 4, mode => how, events => true);
	INSERT INTO chain SELECT i::text, bits(repeat('1', 4 * i)) FROM generate_series(1, 13) AS i;
	UPDATE chain_clusters_sets AS s SET size = changed;
	outcome := '';
	FOREACH row IN ARRAY '{6,3,9}'::text[] LOOP
		BEGIN
			DELETE FROM chain WHERE id = row;
			outcome := outcome || 'done ';
		EXCEPTION WHEN OTHERS THEN
			outcome := outcome || SQLSTATE || ' ';
		END;
	END LOOP;
	CALL live_clusters_drop('chain');
	DROP TABLE chain;
	RETURN NEXT;
END $$;
SELECT size.* FROM unnest('{components,star}'::text[]) AS mode, unnest('{-3,0,1,2,3,4,5,6,8,100,9223372036854775807}'::bigint[]) AS changed, with_size(mode, changed) AS size;

-- links, of every mode with pairs
CREATE FUNCTION try(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement;
	RETURN 'done';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE FUNCTION with_links(how text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	CREATE TABLE docs (id text COLLATE "C" PRIMARY KEY, fp minhash128, p int, body text);
	CREATE INDEX ON docs USING sketch (fp);
	CREATE TABLE apart (a text COLLATE "C", b text COLLATE "C");
	CREATE TABLE together (a text COLLATE "C", b text COLLATE "C");
	CALL live_clusters_create('docs', 'id', 'fp', 0.5, mode => how, priority => 'p', text => 'body', events => true, apart => 'apart', together => 'together');
	INSERT INTO docs SELECT i::text, to_minhash128(ARRAY['a', 'b', 'c', 'd', (i / 2)::text]), i, 'a b c d ' || i / 2 FROM generate_series(1, 6) AS i;
	UPDATE docs_clusters_links SET b = '1';
	RETURN QUERY SELECT how || ': ' || try(statement) FROM unnest(ARRAY[
		$s$ INSERT INTO docs VALUES ('n', to_minhash128(ARRAY['a', 'b', 'c', 'd', '1']), 7, 'x y') $s$,
		$s$ UPDATE docs SET fp = to_minhash128(ARRAY['a', 'b', 'c', 'd', '7', '8']) WHERE id = '2' $s$,
		$s$ DELETE FROM docs WHERE id = '1' $s$,
		$s$ INSERT INTO apart VALUES ('1', '2') $s$,
		$s$ INSERT INTO together VALUES ('3', '4') $s$,
		$s$ DELETE FROM apart $s$,
		$s$ DELETE FROM together $s$]) AS statement;
	RETURN QUERY SELECT how || ': ' || count(*) || ' reported' FROM live_clusters_check('docs');
	CALL live_clusters_drop('docs');
	DROP TABLE docs, apart, together;
END $$;
SELECT with_links('components');
SELECT with_links('star');

-- what live_clusters_check says of rows that are too many: a cluster without rows, a link that closes a ring, a doubled member and a doubled cluster
CREATE TABLE docs (id text COLLATE "C" PRIMARY KEY, fp simhash64);
CREATE INDEX ON docs USING sketch (fp);
CALL live_clusters_create('docs', 'id', 'fp', max_distance => 2);
INSERT INTO docs VALUES ('a', bits('0')), ('b', bits('1')), ('c', bits('11')), ('k', bits('1111111111')), ('l', bits('11111111111'));
ALTER TABLE docs_clusters_members DROP CONSTRAINT docs_clusters_members_pkey;
ALTER TABLE docs_clusters_sets DROP CONSTRAINT docs_clusters_sets_pkey;
BEGIN;
INSERT INTO docs_clusters_sets VALUES (100, 'k', 0, 2);
INSERT INTO docs_clusters_links (a, b) VALUES ('b', 'c');
INSERT INTO docs_clusters_members SELECT * FROM docs_clusters_members WHERE id = 'b';
SELECT * FROM live_clusters_check('docs');
SELECT try('DELETE FROM docs WHERE id = ''b''');
ROLLBACK;
INSERT INTO docs_clusters_sets SELECT * FROM docs_clusters_sets WHERE first = 'k';
SELECT * FROM live_clusters_check('docs');
SELECT try('DELETE FROM docs WHERE id = ''k''');
CALL live_clusters_drop('docs');
DROP TABLE docs;

-- several rows with one key, where the unique index is gone or has the partition key, too
CREATE TABLE docs (id int, part int, fp simhash64, PRIMARY KEY (id, part)) PARTITION BY LIST (part);
CREATE TABLE docs_1 PARTITION OF docs FOR VALUES IN (1);
CREATE TABLE docs_2 PARTITION OF docs FOR VALUES IN (2);
CREATE INDEX ON docs USING sketch (fp);
CALL live_clusters_create('docs', 'id', 'fp', max_distance => 2, mode => 'star');
INSERT INTO docs VALUES (1, 1, bits('0')), (2, 1, bits('1'));
INSERT INTO docs VALUES (1, 2, bits('1'));
INSERT INTO docs VALUES (3, 1, bits('1111111')), (3, 2, bits('1111111'));
INSERT INTO docs VALUES (4, 1, bits('1'));
SELECT id, cluster FROM docs_clusters ORDER BY id;
CALL live_clusters_drop('docs');
DROP TABLE docs;

-- the type of the columns of a table of pairs
CREATE TABLE docs (id text COLLATE "C" PRIMARY KEY, fp minhash128);
CREATE INDEX ON docs USING sketch (fp);
CREATE TABLE apart (a text COLLATE "C", b text COLLATE "C");
CALL live_clusters_create('docs', 'id', 'fp', 0.5, apart => 'apart');
INSERT INTO docs SELECT i::text, to_minhash128(ARRAY['a', 'b', 'c', 'd', (i / 2)::text]) FROM generate_series(1, 6) AS i;
INSERT INTO apart VALUES ('1', '2'), ('3', NULL);
ALTER TABLE apart ALTER a TYPE bigint USING 12345, ALTER b TYPE bigint USING 12345;
INSERT INTO apart VALUES (305419896, 2);
UPDATE apart SET a = 1;
DELETE FROM apart;
INSERT INTO docs VALUES ('x', to_minhash128(ARRAY['a', 'b', 'c', 'd', '1']));
ALTER TABLE apart ALTER a TYPE text COLLATE "C" USING '1', ALTER b TYPE varchar(3) USING '2';
INSERT INTO apart VALUES ('1', '2');
ALTER TABLE apart ALTER b TYPE text USING '2';
DELETE FROM apart;
SELECT * FROM live_clusters_check('docs');
CALL live_clusters_drop('docs');
DROP TABLE docs, apart;

-- what DROP TABLE leaves
CREATE TABLE docs (id int PRIMARY KEY, fp simhash64);
CREATE INDEX ON docs USING sketch (fp);
CALL live_clusters_create('docs', 'id', 'fp', max_distance => 2, events => true);
DROP TABLE docs CASCADE;
CREATE TABLE docs (id int PRIMARY KEY, fp simhash64);
CREATE INDEX ON docs USING sketch (fp);
CALL live_clusters_create('docs', 'id', 'fp', max_distance => 2);
DROP VIEW state_test.docs_clusters; DROP TABLE state_test.docs_clusters_members; DROP TABLE state_test.docs_clusters_sets; DROP TABLE state_test.docs_clusters_links; DROP TABLE state_test.docs_clusters_events;
CALL live_clusters_create('docs', 'id', 'fp', max_distance => 2);
CALL live_clusters_drop('docs');
DROP SCHEMA state_test CASCADE;
