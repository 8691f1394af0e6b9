-- Compares bandings. Run by bench/bands.sh. Variables: schema, corpus, rows, probes.

\ir tools.sql

CREATE TABLE source (id int GENERATED ALWAYS AS IDENTITY, package text, body text);
\set copy '\\copy source (package, body) FROM ' :'corpus'
:copy
CREATE TABLE docs AS SELECT id, to_minhash128(body) AS fp FROM source ORDER BY id LIMIT nullif(:'rows', 'all')::bigint;
VACUUM ANALYZE docs;
CREATE TABLE probes AS SELECT id, fp FROM docs WHERE fp IS NOT NULL ORDER BY hashint8extended(id, 7) LIMIT :probes;
CREATE TABLE truth AS SELECT p.id AS probe, d.id FROM probes AS p, docs AS d WHERE jaccard(d.fp, p.fp) >= 0.8;

-- The operator class's rule: as many shared bands as pairs at the threshold reach with the promised recall.
CREATE FUNCTION demanded(bands int, rows int, threshold float8, recall float8) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	p constant float8 := threshold ^ rows;
	exactly float8 := (1 - p) ^ bands; -- this many shared bands
	fewer float8 := exactly;
	m int := 0;
BEGIN
	WHILE m < bands AND 1 - fewer >= recall LOOP
		m := m + 1;
		exactly := exactly * (bands - m + 1) / m * p / (1 - p);
		fewer := fewer + exactly;
	END LOOP;
	RETURN greatest(m, 1);
END $$;

CREATE TABLE result (bands int, rows int, demanded int, megabytes numeric, any_band numeric, enough_bands numeric, us numeric, recall numeric);

CREATE PROCEDURE measure(wanted_bands int, wanted_rows int) LANGUAGE plpgsql AS $$
DECLARE
	m constant int := demanded(wanted_bands, wanted_rows, 0.8, 0.99);
	searches constant numeric := (SELECT count(*) FROM probes);
	any_band bigint;
	enough_bands bigint;
	hits bigint;
BEGIN
	DROP INDEX IF EXISTS docs_fp;
	EXECUTE format('CREATE INDEX docs_fp ON docs USING gin (fp minhash128_lsh_ops (bands = %s, rows = %s)) WITH (fastupdate = off)', wanted_bands, wanted_rows);
	IF NOT uses_index('SELECT FROM docs WHERE minhash_similar(fp, (SELECT fp FROM probes LIMIT 1), 0.8)') THEN
		RAISE EXCEPTION 'the planner does not use the index of % bands of % rows', wanted_bands, wanted_rows;
	END IF;
	SELECT count(*) INTO hits FROM probes AS p JOIN docs AS d ON minhash_similar(d.fp, p.fp, 0.8);
	SELECT count(*), count(*) FILTER (WHERE shared >= m) INTO any_band, enough_bands
	FROM (SELECT count(*) AS shared
		FROM (SELECT p.id, unnest(lsh_keys(p.fp, wanted_bands, wanted_rows)) AS key FROM probes AS p) AS p
		JOIN (SELECT d.id, unnest(lsh_keys(d.fp, wanted_bands, wanted_rows)) AS key FROM docs AS d) AS d USING (key)
		GROUP BY p.id, d.id) AS candidate;
	INSERT INTO result VALUES (wanted_bands, wanted_rows, m, pg_relation_size('docs_fp') / 1048576.0, any_band / searches, enough_bands / searches,
		warm_cost_us('SELECT sum(search(fp)) FROM probes') / searches, hits / (SELECT count(*) FROM truth)::numeric);
END $$;

SET maintenance_work_mem = '64MB';
-- the fewest bands of each size that reach a recall of 0.99 with one shared band, and more bands, of which a search can require several
SELECT format('CALL measure(%s, %s)', bands, rows)
FROM (VALUES (7, 3), (16, 3), (32, 3), (9, 4), (12, 4), (16, 4), (24, 4), (32, 4), (12, 5), (16, 5), (24, 5), (16, 6), (21, 6)) AS b (bands, rows) \gexec

\echo 'Searches at 0.8 through indexes of different bandings, all of which promise a recall of 0.99 there'
SELECT count(*) AS documents, (SELECT count(*) FROM probes) AS probes, (SELECT round(count(*) / (SELECT count(*) FROM probes)::numeric, 2) FROM truth) AS "rows found by brute force, each" FROM docs;
SELECT bands, rows, demanded AS "shared bands demanded", round(megabytes, 1) AS "index, MB", round(any_band, 1) AS "rows with a shared band",
	round(enough_bands, 1) AS "rows with enough", round(us, 1) AS "µs per search", round(recall, 5) AS recall
FROM result ORDER BY rows, bands;
