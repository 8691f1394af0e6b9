-- Compares the measured cost of calls with their COST: nanoseconds of processor time per call, without the loop. Variables: rows, rounds.

\set ON_ERROR_STOP on
\pset pager off
\pset footer off
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
\set schema txtfp_cost
\i bench/tools.sql
-- Small, uncompressed values in adjacent rows, so that the call itself is measured.
CREATE TABLE texts AS
SELECT i AS id, i::float8 AS x, body, body::bytea AS bytes, regexp_split_to_array(body, ' ') AS words
FROM (SELECT i, (SELECT string_agg('w' || (hashint4(i * 64 + k) & 4095), ' ') FROM generate_series(1, 75) AS k) AS body FROM generate_series(1, :rows) AS i) AS bodies;
CREATE TABLE sketches AS
SELECT id, x, to_minhash64(body) AS m64, to_minhash128(body) AS m128, to_minhash256(body) AS m256, to_minhash128_compact(body) AS c128, to_simhash64(body) AS s64, to_tlsh(body) AS t, to_minhash128(body)::fingerprint AS fp FROM texts;
CREATE TABLE forms (id int, x float8, l lavinhash, m128 minhash128, m128_text text, t_text text, l_text text);
ALTER TABLE forms ALTER l SET STORAGE PLAIN, ALTER m128 SET STORAGE PLAIN, ALTER m128_text SET STORAGE PLAIN;
INSERT INTO forms SELECT id, x, to_lavinhash(bytes), to_minhash128(body), to_minhash128(body)::text, to_tlsh(body)::text, to_lavinhash(bytes)::text FROM texts;
CREATE TABLE vectors (id int, x float8, e real[], v embedding);
ALTER TABLE vectors ALTER e SET STORAGE PLAIN, ALTER v SET STORAGE PLAIN;
INSERT INTO vectors SELECT id, x, e, to_embedding(e) FROM (SELECT id, x, (SELECT array_agg(sin(id * 384 + k)::real) FROM generate_series(1, 384) AS k) AS e FROM texts) AS elements;
CREATE TABLE sets AS SELECT id, x, body, to_passages(body) AS p FROM texts;
VACUUM ANALYZE texts, sketches, forms, vectors, sets;
SELECT round(avg(length(body))) AS "characters of a text" FROM texts;

CREATE TABLE expression (name text, call text, signature text, source text);
INSERT INTO expression VALUES
	('int4 = int4', 'a.id = b.id', 'int4eq(int,int)', 'sketches'),
	('hamming', 'hamming(a.s64, b.s64)', 'hamming(simhash64,simhash64)', 'sketches'),
	('cosine_estimate', 'cosine_estimate(a.s64, b.s64)', 'cosine_estimate(simhash64,simhash64)', 'sketches'),
	('simhash_similar', 'simhash_similar(a.s64, b.s64, 7)', 'simhash_similar(simhash64,simhash64,int)', 'sketches'),
	('jaccard, 64 slots', 'jaccard(a.m64, b.m64)', 'jaccard(minhash64,minhash64)', 'sketches'),
	('jaccard, 128 slots', 'jaccard(a.m128, b.m128)', 'jaccard(minhash128,minhash128)', 'sketches'),
	('jaccard, 256 slots', 'jaccard(a.m256, b.m256)', 'jaccard(minhash256,minhash256)', 'sketches'),
	('minhash_similar, 64', 'minhash_similar(a.m64, b.m64, 0.8)', 'minhash_similar(minhash64,minhash64,float8)', 'sketches'),
	('minhash_similar, 128', 'minhash_similar(a.m128, b.m128, 0.8)', 'minhash_similar(minhash128,minhash128,float8)', 'sketches'),
	('minhash_similar, 256', 'minhash_similar(a.m256, b.m256, 0.8)', 'minhash_similar(minhash256,minhash256,float8)', 'sketches'),
	('jaccard, 128 compact', 'jaccard(a.c128, b.c128)', 'jaccard(minhash128_compact,minhash128_compact)', 'sketches'),
	('minhash_similar, 128 compact', 'minhash_similar(a.c128, b.c128, 0.8)', 'minhash_similar(minhash128_compact,minhash128_compact,float8)', 'sketches'),
	('compact, 128', 'to_minhash128_compact(a.m128)', 'to_minhash128_compact(minhash128)', 'sketches'),
	('lsh_keys, 16 x 4, compact', 'lsh_keys(a.c128, 16, 4)', 'lsh_keys(minhash128_compact,int,int)', 'sketches'),
	('minhash128_compact as text', 'a.c128::text', '_minhash128_compact_out(minhash128_compact)', 'sketches'),
	('minhash_union, 128', 'minhash_union(a.m128, b.m128)', 'minhash_union(minhash128,minhash128)', 'sketches'),
	('minhash_cardinality, 128', 'minhash_cardinality(a.m128)', 'minhash_cardinality(minhash128)', 'sketches'),
	('minhash_containment, 128', 'minhash_containment(a.m128, b.m128)', 'minhash_containment(minhash128,minhash128)', 'sketches'),
	('lsh_keys, 16 x 4', 'lsh_keys(a.m128, 16, 4)', 'lsh_keys(minhash128,int,int,bool)', 'sketches'),
	('first_common_band', '_first_common_band(a.m128, b.m128, 16, 4)', '_first_common_band(minhash128,minhash128,int,int)', 'sketches'),
	('tlsh_distance', 'tlsh_distance(a.t, b.t)', 'tlsh_distance(tlsh,tlsh,bool)', 'sketches'),
	('tlsh_similar', 'tlsh_similar(a.t, b.t, 40)', 'tlsh_similar(tlsh,tlsh,int)', 'sketches'),
	('lavinhash_similarity', 'lavinhash_similarity(a.l, b.l)', 'lavinhash_similarity(lavinhash,lavinhash,float8)', 'forms'),
	('lavinhash_similar', 'lavinhash_similar(a.l, b.l, 80)', 'lavinhash_similar(lavinhash,lavinhash,int)', 'forms'),
	('lavinhash_content', 'lavinhash_content(a.l, b.l)', 'lavinhash_content(lavinhash,lavinhash)', 'forms'),
	('similarity of fingerprints', 'fingerprint_similarity(a.fp, b.fp)', 'fingerprint_similarity(fingerprint,fingerprint)', 'sketches'),
	('semantic_similarity, 384', 'semantic_similarity(a.v, b.v)', 'semantic_similarity(embedding,embedding)', 'vectors'),
	('cosine_similarity, 384', 'cosine_similarity(a.v, b.v)', 'cosine_similarity(embedding,embedding)', 'vectors'),
	('inner_product, 384', 'inner_product(a.v, b.v)', 'inner_product(embedding,embedding)', 'vectors'),
	('l2_norm, 384', 'l2_norm(a.v)', 'l2_norm(embedding)', 'vectors'),
	('to_embedding, 384', 'to_embedding(a.e)', 'to_embedding(real[],text)', 'vectors'),
	('to_simhash64 of an embedding', 'to_simhash64(a.v)', 'to_simhash64(embedding,bigint)', 'vectors'),
	('minhash128 as text', 'a.m128::text', '_minhash128_out(minhash128)', 'forms'),
	('minhash128 from text', 'a.m128_text::minhash128', '_minhash128_in(cstring)', 'forms'),
	('minhash128 as jsonb', 'a.m128::jsonb', '_minhash128_to_jsonb(minhash128)', 'forms'),
	('simhash64 as text', 'a.s64::text', '_simhash64_out(simhash64)', 'sketches'),
	('simhash64 as jsonb', 'a.s64::jsonb', '_simhash64_to_jsonb(simhash64)', 'sketches'),
	('tlsh as text', 'a.t::text', '_tlsh_out(tlsh)', 'sketches'),
	('tlsh from text', 'a.t_text::tlsh', '_tlsh_in(cstring)', 'forms'),
	('lavinhash as text', 'a.l::text', '_lavinhash_out(lavinhash)', 'forms'),
	('lavinhash from text', 'a.l_text::lavinhash', '_lavinhash_in(cstring)', 'forms'),
	('embedding as text', 'a.v::text', '_embedding_out(embedding)', 'vectors'),
	('embedding as jsonb', 'a.v::jsonb', '_embedding_to_jsonb(embedding)', 'vectors'),
	('embedding as real[]', 'a.v::real[]', '_embedding_to_real(embedding)', 'vectors'),
	('minhash128 as bytea', 'a.m128::bytea', '_minhash128_to_bytea(minhash128)', 'sketches'),
	('minhash128 as fingerprint', 'a.m128::fingerprint', '_minhash128_to_fingerprint(minhash128)', 'sketches'),
	('fingerprint_metadata', 'fingerprint_metadata(a.fp)', 'fingerprint_metadata(fingerprint)', 'sketches'),
	('simhash_max_distance', 'simhash_max_distance(0.5 + (a.id & 31) / 100.0)', 'simhash_max_distance(float8,float8)', 'sketches'),
	('text_jaccard', 'text_jaccard(a.body, b.body)', 'text_jaccard(text,text,text,text)', 'texts'),
	('text_containment', 'text_containment(a.body, b.body)', 'text_containment(text,text,text,text)', 'texts'),
	('mark_shared_passages', 'mark_shared_passages(a.body, b.body)', 'mark_shared_passages(text,text,text,text,int,text,text)', 'texts'),
	('to_passages', 'to_passages(a.body)', 'to_passages(text,int,text,text)', 'texts'),
	('passages_overlap', 'passages_overlap(a.p, b.p)', 'passages_overlap(passages,passages)', 'sets'),
	('passages_similar', 'passages_similar(a.p, b.p)', 'passages_similar(passages,passages,int)', 'sets'),
	('passages_union', 'passages_union(a.p, b.p)', 'passages_union(passages,passages)', 'sets'),
	('without_passages', 'without_passages(a.body, a.p)', 'without_passages(text,passages,int,text,text)', 'sets'),
	('canonicalize', 'canonicalize(a.body)', 'canonicalize(text,text)', 'texts'),
	('tokenize', 'tokenize(a.body)', 'tokenize(text,text)', 'texts'),
	('chunk_for_model', 'chunk_for_model(a.body)', 'chunk_for_model(text,int,int,text)', 'texts'),
	('to_minhash64', 'to_minhash64(a.body)', 'to_minhash64(text,text,text,text,bigint)', 'texts'),
	('to_minhash128', 'to_minhash128(a.body)', 'to_minhash128(text,text,text,text,bigint)', 'texts'),
	('to_minhash256', 'to_minhash256(a.body)', 'to_minhash256(text,text,text,text,bigint)', 'texts'),
	('to_minhash128 of 75 words', 'to_minhash128(a.words)', 'to_minhash128(text[],text,bigint,text,text)', 'texts'),
	('to_simhash64', 'to_simhash64(a.body)', 'to_simhash64(text,text,text,text,bigint,text,jsonb)', 'texts'),
	('to_tlsh of text', 'to_tlsh(a.body)', 'to_tlsh(text,text)', 'texts'),
	('to_tlsh of bytes', 'to_tlsh(a.bytes)', 'to_tlsh(bytea)', 'texts'),
	('to_lavinhash', 'to_lavinhash(a.bytes)', 'to_lavinhash(bytea,int,bool)', 'texts'),
	('lsh_params', 'lsh_params(0.5 + (a.id & 31) / 100.0, 128, 0.99)', 'lsh_params(float8,int,float8)', 'sketches');

-- Cheap calls are made for pairs of rows, expensive ones once per row.
CREATE FUNCTION nanoseconds(call text, source text, rounds int) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	per_row bool := call !~ 'b\.';
	rows text := CASE WHEN per_row THEN source || ' AS a' ELSE format('(SELECT * FROM %I LIMIT 300) AS a, %1$I AS b', source) END;
	calls bigint;
	with_call float8[]; without float8[];
BEGIN
	EXECUTE 'SELECT count(*) FROM ' || rows INTO calls;
	FOR round IN 1 .. rounds LOOP
		with_call := with_call || cost_us(format('SELECT count(%s) FROM %s', call, rows));
		without := without || cost_us(format('SELECT count(a.x) FROM %s', rows));
	END LOOP;
	RETURN 1000 * (median(with_call) - median(without)) / calls;
END $$;

\echo Nanoseconds per call, and how many calls of int4eq that is, beside the COST that the function declares
WITH measured AS MATERIALIZED (SELECT *, nanoseconds(call, source, :rounds) AS ns FROM expression)
SELECT name, round(ns, 1) AS ns, round(ns / (SELECT ns FROM measured WHERE name = 'int4 = int4')) AS calls, p.procost AS "COST", signature
FROM measured LEFT JOIN pg_proc AS p ON p.oid = to_regprocedure(signature)
ORDER BY measured.ns;
\echo
SET client_min_messages = warning;
DROP SCHEMA txtfp_cost CASCADE;
