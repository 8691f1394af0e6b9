-- Measures clusters that stay current. Run it by bench/live_clusters.sh. Variables: rows, inserts, rounds, sizes. families.sql describes the documents.

\ir tools.sql
\set columns ''
\set values ''
\ir families.sql
VACUUM ANALYZE docs;

-- fp: new members of the families, none of which is a near-duplicate; near: near-duplicates of documents that have none yet
CREATE TABLE fresh AS
SELECT i AS id, to_minhash128(t) AS fp, to_minhash128(u) AS near
FROM generate_series(1::bigint, :inserts * (:rounds * 28 + 10)) AS i,
	LATERAL (SELECT tokens(i * 7919 % (:rows / 100), :rows + i, 'd') AS t OFFSET 0) AS made,
	LATERAL (SELECT i * 7919 % (:rows / 5) * 5 + 1 + i % 3 AS n) AS scattered, LATERAL (SELECT tokens(n / 100, n, 'w') AS u OFFSET 0) AS again;
ALTER TABLE fresh ADD PRIMARY KEY (id);
VACUUM ANALYZE fresh;

\set body 'EXECUTE statement USING row'
\ir single_rows.sql

CREATE PROCEDURE measure_all(variant text, n int, rounds int) LANGUAGE plpgsql AS $$
BEGIN
	FOR round IN 1 .. rounds LOOP
		CALL measure(variant, 'no near-duplicate', n, 'INSERT INTO docs SELECT -($1).id, ($1).fp');
		CALL measure(variant, 'a near-duplicate', n, 'INSERT INTO docs SELECT -($1).id, ($1).near');
		IF variant <> 'plain' THEN
			CALL measure(variant, 'delete', n, 'DELETE FROM docs WHERE id = (SELECT max(id) FROM docs WHERE id < 0 AND ($1).id > 0)');
		END IF;
		DELETE FROM docs WHERE id < 0;
		COMMIT;
	END LOOP;
END $$;

\echo searching, inserting
SET plan_cache_mode = force_custom_plan;
SET enable_seqscan = off;
CALL measure('search', 'no near-duplicate', :inserts, 'SELECT count(*) FROM docs WHERE minhash_similar(fp, ($1).fp, 0.8)');
CALL measure('search', 'a near-duplicate', :inserts, 'SELECT count(*) FROM docs WHERE minhash_similar(fp, ($1).near, 0.8)');
RESET plan_cache_mode;
RESET enable_seqscan;
CALL measure_all('plain', :inserts, 1);
CREATE TRIGGER bench BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'threshold=0.8');
CALL measure('near_duplicate_trigger', 'no near-duplicate', :inserts, 'INSERT INTO docs SELECT -($1).id, ($1).fp');
DROP TRIGGER bench ON docs;
DELETE FROM docs WHERE id < 0;

-- Creates the clusters that live_clusters_fill would create, from the pairs of the bulk function, which takes only seconds. Every cluster
-- is a pair.
CREATE TABLE pairs AS SELECT row_number() OVER () AS n, a, b, similarity FROM near_duplicate_pairs('SELECT id, fp FROM docs', threshold => 0.8);
CREATE TABLE not_duplicates AS SELECT DISTINCT least(a, b) AS a, greatest(a, b) AS b FROM (SELECT 1 + i % :rows AS a, 1 + i * 7919 % :rows AS b FROM generate_series(1::bigint, 100000) AS i) AS p WHERE a <> b;
ALTER TABLE not_duplicates ADD PRIMARY KEY (a, b);
CREATE INDEX ON not_duplicates (b);
VACUUM ANALYZE not_duplicates;
CREATE PROCEDURE create_filled(mode text, events boolean DEFAULT false, exceptions boolean DEFAULT false) LANGUAGE plpgsql AS $$
BEGIN
	CALL live_clusters_create('docs', 'id', 'fp', 0.8, mode, events => events, apart => CASE WHEN exceptions THEN 'not_duplicates'::regclass END);
	INSERT INTO docs_clusters_sets (cluster, first, priority, size) SELECT n, a, '-Infinity', 2 FROM pairs;
	PERFORM setval(pg_get_serial_sequence('docs_clusters_sets', 'cluster'), (SELECT count(*) FROM pairs));
	IF mode = 'star' THEN
		INSERT INTO docs_clusters_members (id, cluster, number, priority, kept, similarity, since)
		SELECT id, n, n, '-Infinity', a, CASE WHEN id = a THEN 1 ELSE similarity END, now() FROM pairs, unnest(ARRAY[a, b]) AS id;
	ELSE
		INSERT INTO docs_clusters_members (id, cluster, priority, since) SELECT id, n, '-Infinity', now() FROM pairs, unnest(ARRAY[a, b]) AS id;
	END IF;
	INSERT INTO docs_clusters_links SELECT b, a FROM pairs;
	ANALYZE docs_clusters_members, docs_clusters_sets, docs_clusters_links;
	COMMIT;
END $$;

CALL create_filled('components');
VACUUM ANALYZE docs_clusters_members, docs_clusters_sets, docs_clusters_links;
SELECT count(*) AS members FROM docs_clusters_members;
CALL measure_all('clusters', :inserts, :rounds);
CALL live_clusters_drop('docs');
CALL measure_all('plain', :inserts, :rounds - 1);
CALL create_filled('star');
VACUUM ANALYZE docs_clusters_members, docs_clusters_sets, docs_clusters_links;
CALL measure_all('stars', :inserts, :rounds);
CALL live_clusters_drop('docs');

-- With events, with 100,000 pairs that are apart, and without both take turns, a round each, so that they have the same weather.
\echo events and exceptions
CREATE PROCEDURE take_turns(mode text, n int, rounds int) LANGUAGE plpgsql AS $$
BEGIN
	FOR round IN 1 .. rounds LOOP
		FOR turn IN 0 .. 2 LOOP
			CALL create_filled(mode, turn = 1, turn = 2);
			CALL measure_all(CASE mode WHEN 'star' THEN 'stars' ELSE 'clusters' END || (ARRAY[' beside these', ' and events', ' and exceptions'])[turn + 1], n, 1);
			CALL live_clusters_drop('docs');
			COMMIT;
		END LOOP;
	END LOOP;
END $$;
CALL take_turns('components', :inserts, :rounds);
CALL take_turns('star', :inserts, :rounds);

\echo filling
CREATE TABLE few AS SELECT * FROM docs WHERE id < least(:rows, 50000);
ALTER TABLE few ADD PRIMARY KEY (id);
CREATE INDEX ON few USING gin (fp) WITH (fastupdate = off);
VACUUM ANALYZE few;
CALL live_clusters_create('few', 'id', 'fp', 0.8);
SELECT clock_timestamp() AS started \gset
CALL live_clusters_fill('few', 100);
SELECT count(*) AS rows, round(extract(epoch FROM clock_timestamp() - :'started'::timestamptz) * 1e6 / count(*)) AS "fill: microseconds per row" FROM few;

\echo microseconds per row, by the clock
SELECT variant || ', ' || what AS what, count(*) AS n, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY us)) AS median, round(percentile_cont(0.95) WITHIN GROUP (ORDER BY us)) AS "95 %"
FROM sample GROUP BY 1 ORDER BY 1;

\echo two clusters and a bridge between them: milliseconds
-- Each cluster is a path in a cube: neighbours differ in one bit. The bridge differs in one bit from one row of each cluster. The bits are spread
-- over the value, so that searches have few candidates.
CREATE TABLE cube (id int, fp simhash64) WITH (autovacuum_enabled = off);
CREATE FUNCTION corner(n int, side int) RETURNS simhash64 LANGUAGE sql IMMUTABLE AS $$
	SELECT (sum((((n # (n >> 1)) >> i) & 1)::bigint << (4 * i + 1))::bigint | (side::bigint << 60))::simhash64 FROM generate_series(0, 13) AS i
$$;
CREATE TABLE merged (larger int, smaller int, merge float8, split float8);
CREATE PROCEDURE measure_merge(smaller int, larger int) LANGUAGE plpgsql AS $$
DECLARE
	started timestamptz; merge float8;
BEGIN
	TRUNCATE cube;
	DROP INDEX IF EXISTS cube_fp; ALTER TABLE cube DROP CONSTRAINT IF EXISTS cube_pkey;
	INSERT INTO cube SELECT n, corner(n, 0) FROM generate_series(0, larger - 1) AS n UNION ALL SELECT 1000000 + n, corner(n, 3) FROM generate_series(0, smaller - 1) AS n;
	ALTER TABLE cube ADD PRIMARY KEY (id); CREATE INDEX cube_fp ON cube USING gin (fp) WITH (fastupdate = off);
	ANALYZE cube;
	CALL live_clusters_create('cube', 'id', 'fp', max_distance => 1);
	CALL live_clusters_fill('cube', 1000);
	COMMIT;
	ANALYZE cube_clusters_members, cube_clusters_links, cube_clusters_sets;
	started := clock_timestamp();
	INSERT INTO cube VALUES (2000000, corner(0, 1));
	merge := extract(epoch FROM clock_timestamp() - started) * 1000;
	COMMIT;
	IF (SELECT count(*) FROM cube_clusters_sets) <> 1 THEN RAISE EXCEPTION 'not one cluster'; END IF;
	started := clock_timestamp();
	DELETE FROM cube WHERE id = 2000000;
	INSERT INTO merged VALUES (larger, smaller, merge, extract(epoch FROM clock_timestamp() - started) * 1000);
	COMMIT;
	IF (SELECT count(*) FROM cube_clusters_sets) <> 2 THEN RAISE EXCEPTION 'not two clusters'; END IF;
	CALL live_clusters_drop('cube');
END $$;
SELECT format('CALL measure_merge(%s, %s)', a, b) FROM unnest(string_to_array(:'sizes', ' ')::int[]) AS a, unnest(string_to_array(:'sizes', ' ')::int[]) AS b WHERE a <= b \gexec
SELECT larger, smaller, round(merge::numeric, 1) AS merge, round(split::numeric, 1) AS split FROM merged ORDER BY 1, 2;
