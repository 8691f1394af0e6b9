-- Compares pg_trgm with minhash128. Run by bench/trgm.sh. Variables: schema, corpus, rows, probes.

\ir tools.sql

CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public;
SELECT format('%I', extnamespace::regnamespace::text) AS trgm_schema FROM pg_extension WHERE extname = 'pg_trgm' \gset
-- both extensions may be in one schema: %(text, text) belongs to pg_trgm, %(minhash128, …) to txtfp
SET search_path = :schema, :extension_schema, :trgm_schema, pg_catalog;

CREATE TABLE source (id int GENERATED ALWAYS AS IDENTITY, package text, body text);
\set copy '\\copy source (package, body) FROM ' :'corpus'
:copy
CREATE TABLE docs AS SELECT id, body, to_minhash128(body) AS fp, to_simhash64(body) AS sh FROM source ORDER BY id LIMIT nullif(:'rows', 'all')::bigint;
VACUUM ANALYZE docs;

-- New texts: every hundredth word of a description of 60 words or more replaced, from scattered places.
CREATE TABLE probes AS
SELECT row_number() OVER () AS n, body, to_minhash128(body) AS fp
FROM (SELECT (SELECT string_agg(CASE WHEN p % 100 = 50 THEN 'edited' ELSE w END, ' ' ORDER BY p) FROM unnest(regexp_split_to_array(body, '\s+')) WITH ORDINALITY AS words (w, p)) AS body
	FROM docs WHERE array_length(regexp_split_to_array(body, '\s+'), 1) > 60 ORDER BY hashint8extended(id, 7) LIMIT :probes) AS edited;

CREATE TABLE result (ord int GENERATED ALWAYS AS IDENTITY, method text, threshold numeric, us numeric, hits numeric, size bigint, plan text);

-- In the condition $1 is the probe's text and $2 its sketch; both are parameters, planned once. The figure is the median over five
-- rounds (one, if a search takes long) of the processor time of all probes, `repeat` times each.
CREATE PROCEDURE measure(method text, threshold numeric, condition text, repeat int, index text DEFAULT NULL, how_many int DEFAULT NULL) LANGUAGE plpgsql AS $$
DECLARE
	probe probes;
	searches constant bigint := (SELECT count(*) FROM (SELECT FROM probes LIMIT how_many) AS p) * repeat;
	times float8[] := '{}';
	hits bigint;
	start float8;
	plan text;
BEGIN
	PERFORM set_config('pg_trgm.similarity_threshold', threshold::text, true), set_config('plan_cache_mode', 'force_generic_plan', true);
	EXECUTE format('CREATE OR REPLACE FUNCTION search(text, minhash128) RETURNS bigint LANGUAGE plpgsql AS %L',
		format('DECLARE found bigint; BEGIN SELECT count(*) INTO found FROM docs WHERE %s; RETURN found; END', condition));
	FOR round IN 1 .. CASE repeat WHEN 1 THEN 1 ELSE 5 END LOOP
		hits := 0;
		start := cpu_us();
		FOR probe IN SELECT p.* FROM generate_series(1, repeat), (SELECT * FROM probes ORDER BY n LIMIT how_many) AS p LOOP
			hits := hits + search(probe.body, probe.fp);
		END LOOP;
		times := times || (cpu_us() - start) / searches;
	END LOOP;
	EXECUTE format('PREPARE as_in_search (text, minhash128) AS SELECT count(*) FROM docs WHERE %s', condition);
	plan := plan_of(format('EXECUTE as_in_search (%L, %L)', probe.body, probe.fp));
	DEALLOCATE as_in_search;
	INSERT INTO result (method, threshold, us, hits, plan, size)
	VALUES (method, threshold, median(times), round(hits::numeric / searches, 1), substring(plan FROM 'Bitmap Heap Scan|Index Scan|Seq Scan'), pg_relation_size(index));
END $$;

CREATE TABLE build (ord int GENERATED ALWAYS AS IDENTITY, memory text, us float8, size bigint);
CREATE PROCEDURE build(memory text) LANGUAGE plpgsql AS $$
BEGIN
	DROP INDEX IF EXISTS docs_fp;
	PERFORM set_config('maintenance_work_mem', memory, true);
	INSERT INTO build (memory, us) SELECT memory, cost_us('CREATE INDEX docs_fp ON docs USING gin (fp minhash128_lsh_ops) WITH (fastupdate = off)');
	UPDATE build SET size = pg_relation_size('docs_fp') WHERE size IS NULL;
END $$;
CALL build('512MB');
CALL build('4MB');
CALL build('16MB');
CALL build('64MB');
VACUUM ANALYZE docs;
CALL measure('txtfp, minhash128', 0.8, 'minhash_similar(fp, $2, 0.8)', 200, 'docs_fp');
CALL measure('txtfp, minhash128', 0.7, 'minhash_similar(fp, $2, 0.7)', 200, 'docs_fp');
CREATE INDEX docs_trgm ON docs USING gin (body gin_trgm_ops) WITH (fastupdate = off);
CALL measure('pg_trgm, GIN', 0.8, 'body % $1', 1, 'docs_trgm');
CALL measure('pg_trgm, GIN', 0.95, 'body % $1', 1, 'docs_trgm');
DROP INDEX docs_trgm;
-- a leaf of GiST holds all trigrams of its text and must fit into a page
CREATE INDEX docs_trgm ON docs USING gist (body gist_trgm_ops (siglen = 256)) WHERE octet_length(body) < 2500;
CALL measure('pg_trgm, GiST (texts below 2.5 kB)', 0.8, 'body % $1 AND octet_length(body) < 2500', 1, 'docs_trgm');
CALL measure('pg_trgm, GiST (texts below 2.5 kB)', 0.95, 'body % $1 AND octet_length(body) < 2500', 1, 'docs_trgm');
DROP INDEX docs_trgm;
CALL measure('pg_trgm, no index', 0.8, 'similarity(body, $1) >= 0.8', 1, NULL, 2);

\echo Building the index on the descriptions, by maintenance_work_mem
SELECT memory, round(us::numeric / 1e6, 2) AS "seconds of CPU time", pg_size_pretty(size) AS size FROM build ORDER BY ord;

\echo Near-duplicates of an edited description: microseconds of CPU time per search, and how many times as long as the first
SELECT (SELECT count(*) FROM docs) AS documents, (SELECT count(*) FROM probes) AS probes, (SELECT round(avg(octet_length(body))) FROM docs) AS "bytes each";
SELECT method AS peer, threshold, plan, round(r.us, 1) AS us, round(r.us / (SELECT us FROM result WHERE ord = 1), 1) AS ratio, hits AS "rows each", pg_size_pretty(size) AS index
FROM result AS r ORDER BY ord;
