-- For live_clusters_events and live_clusters_numbers: what a reader of the events knows, and whether these are the clusters. Included without echo, as
-- plans.sql is.
CREATE TABLE replayed (clusters text, id int, cluster bigint NOT NULL, PRIMARY KEY (clusters, id));
CREATE TABLE replayed_sets (clusters text, cluster bigint, kept int, PRIMARY KEY (clusters, cluster));
CREATE TABLE tally (clusters text, what text);
-- Takes the events away. Returns the first that cannot be, or what is then different from the clusters.
CREATE FUNCTION replay(name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE e record; wrong text;
BEGIN
	FOR e IN EXECUTE format('WITH gone AS (DELETE FROM %I RETURNING *) SELECT * FROM gone ORDER BY event', name || '_events') LOOP
		INSERT INTO tally VALUES (name, e.what);
		IF e.what IN ('created', 'split from') THEN
			INSERT INTO replayed_sets VALUES (name, e.cluster, e.kept);
			IF e.what = 'split from' AND NOT EXISTS (SELECT FROM replayed_sets AS s WHERE s.clusters = name AND s.cluster = e.other) THEN RETURN e::text; END IF;
		ELSIF e.what = 'joined' THEN
			IF NOT EXISTS (SELECT FROM replayed_sets AS s WHERE s.clusters = name AND s.cluster = e.cluster) THEN RETURN e::text; END IF;
			INSERT INTO replayed VALUES (name, e.id, e.cluster) ON CONFLICT (clusters, id) DO UPDATE SET cluster = excluded.cluster;
		ELSIF e.what = 'left' THEN
			DELETE FROM replayed AS r WHERE r.clusters = name AND r.id = e.id AND r.cluster = e.cluster;
			IF NOT FOUND THEN RETURN e::text; END IF;
		ELSIF e.what = 'merged into' THEN
			UPDATE replayed AS r SET cluster = e.other WHERE r.clusters = name AND r.cluster = e.cluster;
			IF NOT FOUND THEN RETURN e::text; END IF;
			DELETE FROM replayed_sets AS s WHERE s.clusters = name AND s.cluster = e.cluster;
		ELSIF e.what = 'dissolved' THEN
			DELETE FROM replayed AS r WHERE r.clusters = name AND r.cluster = e.cluster;
			DELETE FROM replayed_sets AS s WHERE s.clusters = name AND s.cluster = e.cluster;
			IF NOT FOUND THEN RETURN e::text; END IF;
		ELSIF e.what = 'kept row changed' THEN
			UPDATE replayed_sets AS s SET kept = e.kept WHERE s.clusters = name AND s.cluster = e.cluster AND s.kept = e.kept_before;
			IF NOT FOUND THEN RETURN e::text; END IF;
		ELSE
			RETURN e.what;
		END IF;
	END LOOP;
	EXECUTE format('SELECT string_agg(x::text, '' '') FROM (SELECT m.id, m.number, m.cluster, r.id, r.cluster, r.kept FROM %I AS m FULL JOIN
		(SELECT * FROM replayed LEFT JOIN replayed_sets USING (clusters, cluster) WHERE clusters = %L) AS r ON r.id = m.id WHERE (m.number, m.cluster) IS DISTINCT FROM (r.cluster, r.kept)) AS x', name, name) INTO wrong;
	RETURN wrong;
END $$;
CREATE FUNCTION random_point(digits int) RETURNS simhash64 LANGUAGE sql VOLATILE
	RETURN bits((SELECT string_agg(CASE WHEN random() < 0.5 THEN '1' ELSE '0' END, '') FROM generate_series(1, digits + 0 * random()::int)));
