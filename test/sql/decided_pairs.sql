-- near_duplicate_clusters and deduplicate with rows that are apart or together, whatever their fingerprints say; compared with the same in SQL
\set SHOW_CONTEXT never
SET client_min_messages = warning;

-- A chain: each row is similar to the next. 3 and 4 are most similar, then 1 and 2.
CREATE TEMP TABLE bits (id int, fp simhash64);
INSERT INTO bits VALUES (1, '0000000000000000'), (2, '0000000000000003'), (3, '000000000000003f'), (4, '000000000000007f'), (5, '00000000000007ff'), (9, 'ffffffffffffffff');
CREATE FUNCTION clusters(apart text DEFAULT NULL, together text DEFAULT NULL, mode text DEFAULT 'components') RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(members, ' ' ORDER BY cluster) FROM (SELECT cluster, string_agg(id::text, '-' ORDER BY id) AS members FROM near_duplicate_clusters('SELECT id, fp FROM bits', max_distance => 4, mode => mode, apart => apart, together => together) GROUP BY cluster) AS c $$;
SELECT clusters(), clusters(mode => 'star') AS stars;
SELECT clusters(mode => 'complete') AS complete, clusters('VALUES (3, 4)', mode => 'complete') AS apart, clusters(together => 'VALUES (1, 5), (9, 3)', mode => 'complete') AS together;
-- the weakest links are left out
SELECT clusters('VALUES (1, 5)'), clusters('VALUES (1, 3)') AS "1 3", clusters('VALUES (5, 1), (4, 2)') AS several, clusters('VALUES (1, 9), (77, 78), (1, 78)') AS nothing;
SELECT clusters('VALUES (1, 2)', mode => 'star') AS stars, clusters('VALUES (3, 4)', mode => 'star') AS others;
SELECT clusters(together => 'VALUES (1, 9)'), clusters(together => 'VALUES (9, 1), (9, 77)', mode => 'star') AS star, clusters(together => 'VALUES (1, 5), (5, 9), (1, 1)', mode => 'star') AS three;
SELECT clusters('VALUES (3, 4)', 'VALUES (1, 9), (9, 4)') AS both, clusters('VALUES (3, 4)', 'VALUES (1, 9), (9, 4)', 'star') AS stars;
SELECT id, cluster, size, similarity FROM near_duplicate_clusters('SELECT id, fp FROM bits', max_distance => 2, together => 'VALUES (1, 9)') ORDER BY id;
-- none is similar to another
SELECT array_agg(id ORDER BY id) AS rows, cluster FROM near_duplicate_clusters('SELECT * FROM bits WHERE id IN (1, 5, 9)', max_distance => 4, apart => 'VALUES (1, 9)', together => 'VALUES (1, 5)') GROUP BY cluster;
-- an empty query, and rows that are not there, change nothing
SELECT clusters('SELECT 1, 2 WHERE false', 'SELECT 1, 2 WHERE false') = clusters() AS same;
-- contradictions
SELECT clusters('VALUES (2, 9), (1, 3)', 'VALUES (1, 2), (2, 3)');
SELECT clusters('VALUES (1, 3)', 'VALUES (3, 1)');
SELECT clusters('VALUES (3, 3)');
SELECT clusters('VALUES (7, 7)') = clusters() AS "not there";
-- a contradiction through a row that is not there is none
SELECT clusters('VALUES (1, 3)', 'VALUES (1, 7), (7, 3)');
-- what is no pair of ids
SELECT clusters('VALUES (1, NULL::int)');
SELECT clusters('SELECT 1');
SELECT clusters('VALUES (1, ''b'')');
SELECT clusters('DELETE FROM bits RETURNING 1, 2');
SELECT clusters(NULL, 'VALUES (1, 2, 3)');

-- other ids; priorities; groups; fingerprints of other types
SELECT id, cluster FROM near_duplicate_clusters(NULL::text, 'SELECT ''r'' || id, fp FROM bits', threshold => NULL, max_distance => 4, apart => 'VALUES (''r1'', ''r5'')', together => 'VALUES (''r9'', ''r5'')') ORDER BY 1;
SELECT id, cluster FROM near_duplicate_clusters('SELECT id, fp, id FROM bits', mode => 'star', max_distance => 4, apart => 'VALUES (5, 4)') ORDER BY 1;
SELECT id, cluster FROM near_duplicate_clusters('SELECT id, fp, id / 3 FROM bits', grouped => true, max_distance => 4, apart => 'VALUES (1, 2)', together => 'VALUES (3, 5)') ORDER BY 1;
SELECT id, cluster FROM near_duplicate_clusters('SELECT id, fp, id / 3 FROM bits', grouped => true, max_distance => 4, together => 'VALUES (2, 3)');
CREATE TEMP TABLE texts AS SELECT i AS id, (SELECT string_agg(CASE WHEN j > 38 THEN i ELSE i / 6 END || 'w' || j, ' ') FROM generate_series(1, 40) AS j) AS body FROM generate_series(1, 59) AS i;
CREATE FUNCTION cut(query text, variadic limits float8[]) RETURNS TABLE (clusters bigint, rows bigint, apart bool, together bool) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('WITH c AS (SELECT * FROM near_duplicate_clusters(%L, threshold => %L, max_distance => %L, min_score => %L, apart => ''VALUES (6, 11), (7, 8), (12, 17)'', together => ''VALUES (1, 50), (20, 30)''))
		SELECT count(DISTINCT cluster), count(*), (SELECT count(*) = 3 FROM (VALUES (6, 11), (7, 8), (12, 17)) AS p(a, b) WHERE (SELECT cluster FROM c WHERE id = a) IS DISTINCT FROM (SELECT cluster FROM c WHERE id = b)),
			(SELECT count(*) = 2 FROM (VALUES (1, 50), (20, 30)) AS p(a, b) WHERE (SELECT cluster FROM c WHERE id = a) = (SELECT cluster FROM c WHERE id = b)) FROM c', query, limits[1], limits[2]::int, limits[3]::int);
END$$;
SELECT * FROM cut('SELECT id, to_minhash128(body, ''word-uax29'') FROM texts', 0.8, NULL, NULL);
SELECT * FROM cut('SELECT id, to_minhash64(body, ''word-uax29'')::minhash64_compact FROM texts', 0.75, NULL, NULL);
SELECT * FROM cut('SELECT id, to_tlsh(body) FROM texts', NULL, 60, NULL);
SELECT * FROM cut('SELECT id, to_lavinhash(body) FROM texts', NULL, NULL, 60);

-- deduplicate: what is apart is not removed for each other, nor for the same row; what is together is removed with its first row

CREATE FUNCTION removed(apart text DEFAULT NULL, together text DEFAULT NULL, query text DEFAULT 'SELECT id, fp FROM bits') RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(format('%s: %s', id, kept) || CASE reason WHEN 'together' THEN ' together' ELSE '' END, ', ' ORDER BY id) FROM deduplicate(query, max_distance => 4, apart => apart, together => together) $$;
SELECT removed(), removed('VALUES (2, 1)') AS "1 2", removed('VALUES (3, 2), (5, 3)') AS others;
SELECT removed(together => 'VALUES (1, 9)'), removed(together => 'VALUES (9, 3), (2, 9)') AS three, removed('VALUES (4, 9)', 'VALUES (9, 3)') AS both;
SELECT removed('VALUES (1, 4), (4, 9)', 'VALUES (1, 3), (3, 9)', 'SELECT id, fp, id FROM bits') AS "priority";
SELECT removed('VALUES (2, 9)', 'VALUES (2, 9)');
-- a guard holds back what is similar, not what somebody has decided
SELECT id, kept, outcome, reason, similarity < 0.5 AS far FROM deduplicate('VALUES (1, to_minhash128(''version 1 of it'', ''word-uax29''), ''version 1 of it''), (2, to_minhash128(''version 2 of it'', ''word-uax29''), ''version 2 of it''), (3, to_minhash128(''else'', ''word-uax29''), ''else'')',
	threshold => 0.3, verify => 'none', guard => 'number', together => 'VALUES (1, 3)') ORDER BY id;
-- many rows of one component: equal to what is removed row by row
CREATE TEMP TABLE many AS SELECT i AS id, to_minhash128((SELECT array_agg(CASE WHEN j <= 24 THEN 'c' || j ELSE (i * j) % 97 || 'w' || j END) FROM generate_series(1, 30) AS j)) AS fp FROM generate_series(1, 400) AS i;
CREATE TEMP TABLE exception AS SELECT (i * 37) % 400 + 1 AS a, (i * 91 + 5) % 400 + 1 AS b, i % 11 = 0 AS together FROM generate_series(1, 150) AS i;
DO $$
DECLARE
	r record;
	k int;
	u int;
BEGIN
	PERFORM set_config('jit', 'off', true);
	CREATE TEMP TABLE decided (id int PRIMARY KEY, unit int, kept int);
	INSERT INTO decided SELECT m.id, coalesce(c.cluster, m.id), NULL FROM many AS m LEFT JOIN connected_components('SELECT a, b FROM exception WHERE together') AS c ON c.id = m.id;
	DELETE FROM exception AS e USING decided AS x, decided AS y WHERE NOT together AND x.id = a AND y.id = b AND x.unit = y.unit;
	FOR r IN SELECT * FROM many ORDER BY id LOOP
		SELECT d.unit INTO u FROM decided AS d WHERE d.id = r.id;
		SELECT m.id INTO k FROM many AS m JOIN decided AS d ON d.id = m.id WHERE d.kept = m.id AND d.unit = m.id AND minhash_similar(m.fp, r.fp, 0.7) AND m.id < r.id
			AND NOT EXISTS (SELECT FROM (SELECT a, b FROM exception WHERE NOT together UNION SELECT b, a FROM exception WHERE NOT together) AS e JOIN decided AS x ON x.id = e.a JOIN decided AS y ON y.id = e.b JOIN decided AS f ON f.id = y.unit
				WHERE x.unit = r.id AND f.kept = m.id)
			ORDER BY m.id LIMIT 1;
		UPDATE decided AS d SET kept = CASE WHEN u <> r.id THEN (SELECT f.kept FROM decided AS f WHERE f.id = u) ELSE coalesce(k, r.id) END WHERE d.id = r.id;
	END LOOP;
END $$;
SELECT count(*) > 100 AS many, count(*) FILTER (WHERE reason = 'together') > 5 AS together, count(*) FILTER (WHERE d.kept IS DISTINCT FROM r.kept) AS wrong
	FROM (SELECT * FROM decided WHERE kept <> id) AS d FULL JOIN deduplicate('SELECT id, fp FROM many', threshold => 0.7, recall => 0.999999, apart => 'SELECT a, b FROM exception WHERE NOT together', together => 'SELECT a, b FROM exception WHERE together') AS r ON r.id = d.id;
DROP FUNCTION removed(text, text, text);

-- By brute force, whose thousands of small statements are not worth compiling: random rows with random decided pairs. Components: links from the most similar to the least. Stars: in the order of ids.

CREATE FUNCTION brute_force(mode text) RETURNS TABLE (id int, cluster int) LANGUAGE plpgsql SET jit = off AS $$
DECLARE
	link record;
	merged bool := true;
	target int;
BEGIN
	DROP TABLE IF EXISTS label;
	CREATE TEMP TABLE label AS SELECT p.id, p.id AS cluster FROM points AS p;
	WHILE merged LOOP
		merged := false;
		FOR link IN SELECT * FROM together LOOP
			IF (SELECT count(DISTINCT l.cluster) FROM label AS l WHERE l.id IN (link.a, link.b)) > 1 THEN
				UPDATE label AS l SET cluster = (SELECT min(k.cluster) FROM label AS k WHERE k.id IN (link.a, link.b)) WHERE l.cluster IN (SELECT k.cluster FROM label AS k WHERE k.id IN (link.a, link.b));
				merged := true;
			END IF;
		END LOOP;
	END LOOP;
	IF mode = 'complete' THEN
		FOR link IN SELECT DISTINCT l.cluster AS a FROM label AS l ORDER BY 1 LOOP
			SELECT c.cluster INTO target FROM (SELECT DISTINCT l.cluster FROM label AS l WHERE l.cluster < link.a) AS c
				WHERE NOT EXISTS (SELECT FROM label AS x JOIN points AS p ON p.id = x.id, label AS y JOIN points AS q ON q.id = y.id WHERE x.cluster = c.cluster AND y.cluster = link.a AND hamming(p.fp, q.fp) > 6)
					AND NOT EXISTS (SELECT FROM apart JOIN label AS x ON x.id = apart.a JOIN label AS y ON y.id = apart.b WHERE (x.cluster, y.cluster) IN ((c.cluster, link.a), (link.a, c.cluster)))
				ORDER BY 1 LIMIT 1;
			UPDATE label AS l SET cluster = target WHERE l.cluster = link.a AND target IS NOT NULL;
		END LOOP;
	END IF;
	FOR link IN SELECT p.id AS a, q.id AS b FROM points AS p JOIN points AS q ON p.id < q.id AND hamming(p.fp, q.fp) <= 6 AND mode <> 'complete'
		ORDER BY CASE WHEN mode = 'star' THEN 0 ELSE hamming(p.fp, q.fp) END, p.id, q.id
	LOOP
		CONTINUE WHEN mode = 'star' AND ((SELECT l.cluster FROM label AS l WHERE l.id = link.a) <> link.a OR (SELECT l.cluster FROM label AS l WHERE l.id = link.b) < link.a);
		CONTINUE WHEN EXISTS (SELECT FROM apart JOIN label AS x ON x.id = apart.a JOIN label AS y ON y.id = apart.b WHERE x.cluster <> y.cluster AND x.cluster IN (SELECT l.cluster FROM label AS l WHERE l.id IN (link.a, link.b))
			AND y.cluster IN (SELECT l.cluster FROM label AS l WHERE l.id IN (link.a, link.b)));
		UPDATE label AS l SET cluster = (SELECT min(k.cluster) FROM label AS k WHERE k.id IN (link.a, link.b)) WHERE l.cluster IN (SELECT k.cluster FROM label AS k WHERE k.id IN (link.a, link.b));
	END LOOP;
	RETURN QUERY SELECT l.id, l.cluster FROM label AS l WHERE l.cluster IN (SELECT k.cluster FROM label AS k GROUP BY 1 HAVING count(*) > 1);
END$$;
CREATE TEMP TABLE points (id int, fp simhash64);
CREATE TEMP TABLE apart (a int, b int);
CREATE TEMP TABLE together (a int, b int);
CREATE TEMP TABLE outcome (mode text, contradiction bool, wrong bigint, clusters bigint);
DO $$
DECLARE
	round int;
	m text;
BEGIN
	FOR round IN 1 .. 24 LOOP
		TRUNCATE points, apart, together;
		INSERT INTO points SELECT i, ((hashint8extended(i % 3, round) & ~65535::bigint) | (hashint8extended(i, round + 100) & 1023))::simhash64 FROM generate_series(1, 60) AS i;
		INSERT INTO apart SELECT abs(hashint8extended(i, round)) % 65, abs(hashint8extended(i, -round)) % 65 FROM generate_series(1, round * 3) AS i;
		INSERT INTO together SELECT abs(hashint8extended(i, round + 50)) % 65, abs(hashint8extended(i, 50 - round)) % 65 FROM generate_series(1, round % 5) AS i;
		DELETE FROM apart WHERE a = b;
		FOREACH m IN ARRAY ARRAY['components', 'star', 'complete'] LOOP
			BEGIN
				INSERT INTO outcome SELECT m, false, count(*) FILTER (WHERE x.cluster IS DISTINCT FROM y.cluster), count(DISTINCT x.cluster)
					FROM near_duplicate_clusters('SELECT id, fp FROM points', max_distance => 6, mode => m, apart => 'TABLE apart', together => 'TABLE together') AS x FULL JOIN brute_force(m) AS y ON x.id = y.id;
			EXCEPTION WHEN invalid_parameter_value THEN
				INSERT INTO outcome VALUES (m, true);
			END;
		END LOOP;
	END LOOP;
END $$;
SELECT mode, sum(wrong) AS wrong, count(*) FILTER (WHERE NOT contradiction) > 15 AS many, min(clusters) > 1 AS clusters FROM outcome GROUP BY 1 ORDER BY 1;

-- more links than the memory holds
SET maintenance_work_mem = '1MB';
SELECT count(*) FROM near_duplicate_clusters('SELECT i, 0::bigint::simhash64 FROM generate_series(1, 400) AS i', max_distance => 6, apart => 'VALUES (1, 2)');
SELECT count(*), count(DISTINCT cluster) FROM near_duplicate_clusters('SELECT i, 0::bigint::simhash64 FROM generate_series(1, 400) AS i', max_distance => 6, apart => 'VALUES (1, 2)', mode => 'star');
RESET maintenance_work_mem;

DROP FUNCTION clusters(text, text, text), cut(text, float8[]), brute_force(text);
