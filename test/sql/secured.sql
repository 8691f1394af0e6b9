-- Searches under row-level security and through views with security_barrier use the index and reveal no hidden row
\set SHOW_CONTEXT never
SET jit = off;
CREATE ROLE regress_txtfp_reader;
CREATE TABLE docs (id int PRIMARY KEY, owner name, body text, m minhash128, s simhash64, t tlsh, l lavinhash);
INSERT INTO docs SELECT i, CASE WHEN i % 2 = 0 THEN 'regress_txtfp_reader' ELSE 'somebody' END, body,
	to_minhash128(body, 'word-uax29'), to_simhash64(body), to_tlsh(body), to_lavinhash(convert_to(body, 'UTF8'))
FROM (SELECT i, (SELECT string_agg(md5((i / 3 * 50 + k + CASE WHEN k < 3 THEN i % 3 * 1000000 ELSE 0 END)::text), ' ') FROM generate_series(1, 40) AS k) AS body FROM generate_series(1, 6000) AS i) AS d;
CREATE INDEX ON docs USING gin (m);
CREATE INDEX ON docs USING gin (s);
CREATE INDEX ON docs USING sketch (t);
CREATE INDEX ON docs USING gin (l);
VACUUM ANALYZE docs;
ALTER TABLE docs ENABLE ROW LEVEL SECURITY;
CREATE FUNCTION is_mine(owner name) RETURNS bool LANGUAGE plpgsql STABLE COST 10 AS 'BEGIN RETURN owner = current_user; END';
CREATE POLICY own ON docs FOR SELECT USING (is_mine(owner));
CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM docs WHERE is_mine(owner);
GRANT SELECT ON docs, barrier TO regress_txtfp_reader;

-- condition by condition: rows by the index, by a scan, and the index that was used
CREATE FUNCTION searched(relation text, condition text, OUT rows bigint, OUT same bool, OUT index text) LANGUAGE plpgsql AS $$
DECLARE
	query text := format('SELECT count(*) AS n, coalesce(sum(d.id), 0) AS ids FROM %s AS d WHERE %s', relation, condition);
	line text;
	by_index record;
	by_scan record;
BEGIN
	SET LOCAL enable_seqscan = off;
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		index := coalesce(index, substring(line, 'Index (?:Only )?Scan (?:on|using) (\w+)'));
	END LOOP;
	EXECUTE query INTO by_index;
	SET LOCAL enable_seqscan = on;
	SET LOCAL enable_bitmapscan = off;
	SET LOCAL enable_indexscan = off;
	SET LOCAL enable_indexonlyscan = off;
	EXECUTE query INTO by_scan;
	SET LOCAL enable_bitmapscan = on;
	SET LOCAL enable_indexscan = on;
	SET LOCAL enable_indexonlyscan = on;
	rows := by_index.n;
	same := by_index = by_scan;
END $$;
CREATE TABLE probes AS SELECT * FROM docs WHERE id = 300;
GRANT SELECT ON probes TO regress_txtfp_reader;
SELECT m, s, t, l FROM probes \gset
CREATE TEMP TABLE conditions (n serial, condition text);
INSERT INTO conditions (condition) VALUES
	(format('minhash_similar_leakproof(m, %L, 0.8)', :'m')), (format('m %%& _to_minhash_probe(%L::minhash128, 0.5)', :'m')),
	(format('simhash_similar(s, %L, 0)', :'s')), (format('simhash_similar(s, %L, 7)', :'s')), (format('s %% %L', :'s')), (format('s = %L', :'s')),
	(format('tlsh_similar(t, %L, 0)', :'t')), (format('tlsh_similar(t, %L, 10)', :'t')), (format('t %% %L', :'t')),
	(format('lavinhash_similar(l, %L, 95)', :'l')), (format('l %% %L', :'l'));
GRANT SELECT ON conditions TO regress_txtfp_reader;
SET ROLE regress_txtfp_reader;
SET txtfp.lavinhash_threshold = 95;
SET txtfp.tlsh_threshold = 10;
SELECT n, regexp_replace(condition, '''[^'']*''', 'q') AS condition, relation, f.* FROM conditions, unnest('{docs,barrier}'::text[]) AS relation, searched(relation, condition) AS f ORDER BY n, relation;
-- joins
SELECT f.* FROM unnest(ARRAY['minhash_similar_leakproof(d.m, (SELECT m FROM probes), 0.8)', 'simhash_similar(d.s, (SELECT s FROM probes), 5)']) AS c, searched('docs', c) AS f;
-- functions that raise errors cannot use the index: the answers are the same
SELECT f.* FROM searched('docs', format('minhash_similar(m, %L, 0.8)', :'m')) AS f;

-- A hidden row of another configuration: minhash_similar would reveal it, these functions do not
RESET ROLE;
INSERT INTO docs VALUES (7001, 'somebody', 'hidden', to_minhash128('hidden', 'grapheme-uax29'), NULL, NULL, NULL);
SET ROLE regress_txtfp_reader;
SELECT count(*) > 0 AS found FROM docs WHERE minhash_similar_leakproof(m, :'m', 0.8);
SELECT count(*) FROM docs WHERE m %& _to_minhash_probe(:'m'::minhash128, 0);
SELECT minhash_similar_leakproof(to_minhash128('a', 'grapheme-uax29'), to_minhash128('a', 'word-uax29'), 0) AS "other configuration",
	minhash_similar_leakproof(to_minhash128('a'), to_minhash128('a'), 1) AS same;
RESET ROLE;

-- Thresholds out of range: in the query they raise an error at planning, independent of the rows; from a row they match everything or nothing
SELECT count(*) FROM docs WHERE false AND simhash_similar(s, :'s', 65);
SELECT count(*) FROM docs WHERE id < 0 AND simhash_similar(s, :'s', 65);
SELECT count(*) FROM docs WHERE id < 0 AND simhash_similar(s, :'s', -1);
SELECT count(*) FROM docs WHERE id < 0 AND tlsh_similar(t, :'t', 2474);
SELECT count(*) FROM docs WHERE id < 0 AND lavinhash_similar(l, :'l', 101);
SELECT count(*) FROM docs WHERE id < 0 AND minhash_similar_leakproof(m, :'m', 1.5);
SELECT count(*) FROM docs WHERE id < 0 AND minhash_similar_leakproof(m, :'m', 'NaN');
SELECT simhash_similar(:'s', :'s', 65);
SELECT simhash_similar(s, :'s', d) AS simhash, tlsh_similar(t, :'t', d) AS tlsh, lavinhash_similar(l, :'l', 100 - d) AS lavinhash, minhash_similar_leakproof(m, :'m', 1 - d) AS minhash
FROM docs, unnest('{-100000,100000}'::int[]) AS d WHERE id = 5 ORDER BY d;

-- The functions that a search needs are marked LEAKPROOF
SELECT p.oid::regprocedure FROM pg_proc AS p JOIN pg_depend ON objid = p.oid AND classid = 'pg_proc'::regclass AND deptype = 'e' AND refclassid = 'pg_extension'::regclass
WHERE proleakproof AND proname !~ '_(eq|ne|lt|le|gt|ge|cmp)$' ORDER BY proname COLLATE "C", p.oid::regprocedure::text COLLATE "C";

DROP VIEW barrier;
DROP TABLE docs, probes, conditions;
DROP FUNCTION searched, is_mine;
DROP ROLE regress_txtfp_reader;
