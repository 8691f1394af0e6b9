-- Compares pg_similarity and pgvector with txtfp. Run by bench/peers.sh. Variables: schema, corpus, rows, probes, values.

\ir tools.sql
SELECT bool_or(name = 'pg_similarity') AS has_similarity, bool_or(name = 'vector') AS has_vector FROM pg_available_extensions \gset
CREATE TABLE result (ord int GENERATED ALWAYS AS IDENTITY, what text, method text, us numeric, hits bigint, plan text);

-- pg_similarity accepts texts of at most 1024 bytes.
CREATE TABLE source (id int GENERATED ALWAYS AS IDENTITY, package text, body text);
\set copy '\\copy source (package, body) FROM ' :'corpus'
:copy
CREATE TABLE docs AS
SELECT id, body, to_minhash128(body) AS fp, to_simhash64(body) AS sh FROM (SELECT id, left(body, 500) AS body FROM source ORDER BY id LIMIT nullif(:'rows', 'all')::bigint) AS short
WHERE octet_length(body) < 1000;
CREATE TABLE probes AS
SELECT body, fp, sh, sh::bigint::bit(64) AS bits FROM docs WHERE octet_length(body) > 300 ORDER BY hashint8extended(id, 7) LIMIT :probes;
CREATE INDEX docs_fp ON docs USING gin (fp) WITH (fastupdate = off);
VACUUM ANALYZE docs;

-- In the condition $1 is the probe's text, $2 its MinHash sketch, $3 its SimHash, $4 its SimHash as bits. The figure is the median over
-- rounds of the processor time of all probes, `repeat` times each, planned once.
CREATE PROCEDURE measure(what text, method text, source text, repeat int, rounds int) LANGUAGE plpgsql AS $$
DECLARE
	probe probes;
	times float8[] := '{}';
	hits bigint;
	start float8;
	plan text;
BEGIN
	PERFORM set_config('plan_cache_mode', 'force_generic_plan', true);
	EXECUTE format('CREATE OR REPLACE FUNCTION search(text, minhash128, simhash64, bit) RETURNS bigint LANGUAGE plpgsql AS %L',
		format('DECLARE found bigint; BEGIN SELECT count(*) INTO found FROM %s; RETURN found; END', source));
	FOR round IN 1 .. rounds LOOP
		hits := 0;
		start := cpu_us();
		FOR probe IN SELECT p.* FROM generate_series(1, repeat), probes AS p LOOP
			hits := hits + search(probe.body, probe.fp, probe.sh, probe.bits);
		END LOOP;
		times := times || (cpu_us() - start) / (repeat * (SELECT count(*) FROM probes));
	END LOOP;
	EXECUTE format('PREPARE as_in_search (text, minhash128, simhash64, bit(64)) AS SELECT count(*) FROM %s', source);
	plan := plan_of('EXECUTE as_in_search (NULL, NULL, NULL, NULL)');
	DEALLOCATE as_in_search;
	INSERT INTO result (what, method, us, hits, plan) VALUES (what, method, median(times), hits / repeat, substring(plan FROM 'Bitmap Heap Scan|Index Scan|Seq Scan'));
END $$;

\if :has_similarity
CREATE EXTENSION IF NOT EXISTS pg_similarity SCHEMA public;
SELECT format('%I', extnamespace::regnamespace::text) AS peer_schema FROM pg_extension WHERE extname = 'pg_similarity' \gset
SET search_path = :schema, :extension_schema, :peer_schema, pg_catalog;
SET pg_similarity.jaccard_threshold = 0.8;
CALL measure('near-duplicates, first 500 characters', 'txtfp, minhash128', 'docs WHERE minhash_similar(fp, $2, 0.8)', 200, 5);
CALL measure('near-duplicates, first 500 characters', 'pg_similarity, no index', 'docs WHERE body ~?? $1', 1, 1);
CREATE INDEX docs_similarity ON docs USING gin (body gin_similarity_ops);
ANALYZE docs;
SET enable_seqscan = off;
CALL measure('near-duplicates, first 500 characters', 'pg_similarity, GIN', 'docs WHERE body ~?? $1', 1, 1);
RESET enable_seqscan;
\else
\echo pg_similarity is not installed on this server: left out
\endif

-- Random values, and ten at distances 1 to 3 around each probe.
CREATE TABLE hashes AS SELECT i AS id, hashint8extended(i, 42)::simhash64 AS sh FROM generate_series(1::bigint, :values) AS i;
UPDATE probes SET sh = hashint8extended(hashtext(body) % 1000, 42)::simhash64;
UPDATE probes SET bits = sh::bigint::bit(64);
INSERT INTO hashes SELECT -i, (sh::bigint # (1::bigint << i * 5) # (1::bigint << (i * 5 + i % 3 * 3)) # (1::bigint << (i * 6 + 3)))::simhash64 FROM probes, generate_series(0, 9) AS i;

\if :has_vector
CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
SELECT format('%I', extnamespace::regnamespace::text) AS peer_schema, extversion >= '0.7' AS has_bits FROM pg_extension WHERE extname = 'vector' \gset
SET search_path = :schema, :extension_schema, :peer_schema, pg_catalog;
CREATE TABLE bits AS SELECT id, sh::bigint::bit(64) AS v FROM hashes;
CREATE INDEX hashes_sh ON hashes USING sketch (sh);
VACUUM ANALYZE hashes;
CALL measure('10 nearest of 64 bits', 'txtfp, sketch', '(SELECT id FROM hashes ORDER BY sh <#> $3 LIMIT 10) AS f', 50, 5);
CREATE INDEX bits_v ON bits USING hnsw (v bit_hamming_ops);
VACUUM ANALYZE bits;
CALL measure('10 nearest of 64 bits', 'pgvector, hnsw', '(SELECT id FROM bits ORDER BY v <~> $4::bit(64) LIMIT 10) AS f', 20, 5);
DROP INDEX bits_v;
CALL measure('10 nearest of 64 bits', 'pgvector, no index', '(SELECT id FROM bits ORDER BY v <~> $4::bit(64) LIMIT 10) AS f', 1, 3);
\else
\echo pgvector is not installed on this server: left out
\endif

\echo
\echo Microseconds of CPU time per search, and how many times as long as txtfp
SELECT r.what, r.method AS peer, r.plan, round(r.us, 1) AS us, round(r.us / first_value(r.us) OVER (PARTITION BY r.what ORDER BY ord), 1) AS ratio, r.hits AS "rows found"
FROM result AS r ORDER BY ord;
