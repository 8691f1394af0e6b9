-- COST counts calls of int4eq. The measurements come from bench/cost.sh: nanoseconds per call for texts of 75 words and embeddings of
-- 384 dimensions on a quiet machine. Only clearly different costs are compared.
BEGIN;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS txtfp;
SELECT plan(3);

CREATE TEMP TABLE measured (signature text, ns float8);
INSERT INTO measured VALUES
	('int4eq(int,int)', 11.7),
	('simhash_similar(simhash64,simhash64,int)', 15.5),
	('hamming(simhash64,simhash64)', 16.8),
	('cosine_estimate(simhash64,simhash64)', 19.8),
	('tlsh_similar(tlsh,tlsh,int)', 22.6),
	('tlsh_distance(tlsh,tlsh,bool)', 23.2),
	('jaccard(minhash64,minhash64)', 28.5),
	('minhash_similar(minhash64,minhash64,float8)', 30.5),
	('jaccard(minhash128,minhash128)', 35.3),
	('minhash_similar(minhash128,minhash128,float8)', 39.7),
	('jaccard(minhash256,minhash256)', 53.7),
	('minhash_similar(minhash256,minhash256,float8)', 56.0),
	('_first_common_band(minhash128,minhash128,int,int)', 77.3),
	('fingerprint_similarity(fingerprint,fingerprint)', 92.1),
	('lavinhash_similar(lavinhash,lavinhash,int)', 146),
	('minhash_union(minhash128,minhash128)', 150),
	('cosine_similarity(embedding,embedding)', 207),
	('lavinhash_similarity(lavinhash,lavinhash,float8)', 221),
	('lavinhash_content(lavinhash,lavinhash)', 245),
	('_minhash128_to_fingerprint(minhash128)', 278),
	('inner_product(embedding,embedding)', 302),
	('passages_overlap(passages,passages)', 321),
	('passages_similar(passages,passages,int)', 333),
	('passages_union(passages,passages)', 351),
	('to_embedding(real[],text)', 364),
	('_minhash128_to_bytea(minhash128)', 378),
	('_embedding_to_real(embedding)', 419),
	('semantic_similarity(embedding,embedding)', 430),
	('lsh_keys(minhash128,int,int,bool)', 458),
	('minhash_cardinality(minhash128)', 500),
	('_simhash64_out(simhash64)', 543),
	('_tlsh_out(tlsh)', 561),
	('minhash_containment(minhash128,minhash128)', 590),
	('canonicalize(text,text)', 612),
	('l2_norm(embedding)', 652),
	('_simhash64_to_jsonb(simhash64)', 1168),
	('_lavinhash_out(lavinhash)', 1490),
	('chunk_for_model(text,int,int,text)', 1776),
	('tokenize(text,text)', 2182),
	('_minhash128_out(minhash128)', 2396),
	('to_simhash64(text,text,text,text,bigint,text,jsonb)', 3008),
	('fingerprint_metadata(fingerprint)', 3051),
	('to_tlsh(text,text)', 3177),
	('to_tlsh(bytea)', 3229),
	('simhash_max_distance(float8,float8)', 3815),
	('_tlsh_in(cstring)', 4002),
	('to_minhash128(text[],text,bigint,text,text)', 4273),
	('to_minhash128(text,text,text,text,bigint)', 4750),
	('to_minhash64(text,text,text,text,bigint)', 5298),
	('to_minhash256(text,text,text,text,bigint)', 5607),
	('text_jaccard(text,text,text,text)', 5780),
	('text_containment(text,text,text,text)', 5844),
	('to_passages(text,int,text,text)', 6622),
	('to_simhash64(embedding,bigint)', 7960),
	('to_lavinhash(bytea,int,bool)', 8324),
	('mark_shared_passages(text,text,text,text,int,text,text)', 8652),
	('_minhash128_in(cstring)', 9525),
	('_lavinhash_in(cstring)', 9838),
	('without_passages(text,passages,int,text,text)', 11388),
	('_embedding_out(embedding)', 19345),
	('_minhash128_to_jsonb(minhash128)', 37466),
	('lsh_params(float8,int,float8)', 64348),
	('_embedding_to_jsonb(embedding)', 118911);
CREATE TEMP VIEW costs AS
SELECT signature, ns, procost AS cost, ns / (SELECT ns FROM measured WHERE signature LIKE 'int4eq%') AS calls
FROM measured JOIN pg_proc ON pg_proc.oid = signature::regprocedure;

SELECT is_empty($$SELECT dear.signature, cheap.signature FROM costs AS dear JOIN costs AS cheap ON dear.ns >= 1.5 * cheap.ns AND dear.cost < cheap.cost$$, 'the order of the costs is that of the measurements');
SELECT is_empty($$SELECT signature, cost, round(calls) FROM costs WHERE cost NOT BETWEEN calls / 2 AND greatest(calls * 2, 1)$$, 'each is half to twice what was measured');
SELECT is((SELECT count(*) FROM costs), (SELECT count(*) FROM measured), 'every function was found');
SELECT * FROM finish();
ROLLBACK;
