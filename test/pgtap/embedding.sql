-- embedding: the contract of type, similarity, pooling and chunks
BEGIN;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS txtfp;
SELECT no_plan();

SELECT has_type('embedding'::name);
SELECT results_eq($$SELECT typlen::int, typbyval, typalign::text, typstorage::text, typcategory::text FROM pg_type WHERE typname = 'embedding'$$,
	$$VALUES (-1, false, 'i', 'e', 'U')$$, 'variable length, 4-byte aligned, not compressed');
SELECT is_empty($$SELECT 1 FROM pg_type WHERE typname = 'embedding' AND (typinput = 0 OR typoutput = 0 OR typreceive = 0 OR typsend = 0 OR obj_description(oid, 'pg_type') IS NULL)$$, 'text and binary form, comment');
SELECT bag_eq($$SELECT amname::text, opcname::text, opcdefault, amvalidate(pg_opclass.oid), obj_description(pg_opclass.oid, 'pg_opclass') IS NOT NULL
	FROM pg_opclass JOIN pg_am ON pg_am.oid = opcmethod WHERE opcname ~ '^embedding'$$,
	$$VALUES ('btree', 'embedding_btree_ops', true, true, true), ('hash', 'embedding_hash_ops', true, true, true)$$, 'operator classes');
SELECT bag_eq($$SELECT castsource::regtype::text, casttarget::regtype::text, castcontext::text FROM pg_cast WHERE 'embedding'::regtype IN (castsource, casttarget)$$,
	$$VALUES ('embedding', 'real[]', 'e'), ('real[]', 'embedding', 'e'), ('embedding', 'jsonb', 'e'), ('jsonb', 'embedding', 'e'), ('embedding', 'fingerprint', 'a'), ('fingerprint', 'embedding', 'e')$$, 'casts: none is implicit');
SELECT is_empty($$SELECT 1 FROM pg_cast WHERE 'embedding'::regtype IN (castsource, casttarget) AND obj_description(oid, 'pg_cast') IS NULL$$, 'all casts have comments');
SELECT results_eq($$SELECT oprcode::text, oprcom::regoperator::text, obj_description(oid, 'pg_operator') IS NOT NULL FROM pg_operator WHERE oprname = '<=>' AND oprleft = 'embedding'::regtype$$,
	$$VALUES ('cosine_distance', '<=>(embedding,embedding)', true)$$, 'the operator of distance');

SELECT is(pg_column_size(to_embedding(array_fill(1::real, ARRAY[384]))), 8 + 4 * 384, '8 bytes and 4 for each element');
SELECT is(pg_column_size(to_embedding(array_fill(1::real, ARRAY[384]), 'model')), 8 + 4 * 384 + 5, 'and the name of the model');
SELECT is(to_embedding('{0.1,-2e-7,3}', 'a/b')::text, 'a/b/[0.1,-2e-07,3]', 'text form');
SELECT is(e::text::embedding, e, 'text keeps everything') FROM to_embedding('{0.1,-2e-7,3}', 'a/b') AS e;
SELECT is(e::jsonb::embedding, e, 'jsonb keeps everything') FROM to_embedding('{0.1,-2e-7,3}', 'a/b') AS e;
SELECT is(e::fingerprint::embedding, e, 'a fingerprint keeps everything') FROM to_embedding('{0.1,-2e-7,3}', 'a/b') AS e;
SELECT is(to_embedding('{0.1,-2}', 'm')::jsonb, '{"vector": [0.1, -2], "model_id": "m"}', 'the crate''s JSON');
SELECT is(fingerprint_name(to_embedding('{1}', 'BAAI/bge-m3')::fingerprint), 'embedding/BAAI/bge-m3-v1', 'name in the unified type');
SELECT is(fingerprint_metadata(to_embedding('{1,2}', 'm')::fingerprint) ->> 'model_id', 'm', 'model in the metadata');
SELECT is(fingerprint_metadata(to_embedding('{1,2}', 'm')::fingerprint) ->> 'byte_size', '8', '4 bytes for each element');
SELECT is(to_embedding(NULL), NULL, 'NULL for NULL');

SELECT is(semantic_similarity('[1,0,0]', '[0.1,0.2,0.3]'), 0.26726121::real, 'a value of the crate');
SELECT is(semantic_similarity('ma/[1,2]', '[1,2]'), 1::real, 'one side without a model');
SELECT throws_ok($$SELECT semantic_similarity('ma/[1]', 'mb/[1,2]')$$, '22023', 'model id mismatch: a = ma, b = mb', 'models first');
SELECT throws_ok($$SELECT semantic_similarity('[1,2,3]', '[1,2]')$$, '2202E', 'dimension mismatch: a = 3, b = 2');
SELECT throws_ok($$SELECT semantic_similarity('[0,0]', '[1,2]')$$, '22023', 'cannot compute cosine for a zero-norm embedding');
SELECT throws_ok($$SELECT '[0,0]'::embedding <=> '[1,2]'$$, '22023', 'cannot compute cosine for a zero-norm embedding');
SELECT throws_ok($$SELECT to_embedding('{}')$$, '22023', 'embedding vector is empty');
SELECT throws_ok($$SELECT to_embedding('{NaN}')$$, '22023', 'embedding contains non-finite values');
SELECT throws_ok($$SELECT to_embedding('{NULL}')$$, '22004');
SELECT throws_ok($$SELECT to_embedding('{{1},{2}}')$$, '2202E', 'array must be one-dimensional');
SELECT throws_ok($$SELECT to_embedding('{1}', repeat('m', 70000))$$, '54000');
SELECT throws_ok($$SELECT '[1'::embedding$$, '22P02');
SELECT throws_ok($$SELECT '[nan]'::embedding$$, '22P02');
SELECT throws_ok($$SELECT '[1e40]'::embedding$$, '22003');
SELECT throws_ok($$SELECT '{}'::jsonb::embedding$$, '22023');
SELECT throws_ok($$SELECT simhash_max_distance(2)$$, '22023');
SELECT throws_ok($$SELECT embedding_pool('{1}', 1, NULL, 'Mean')$$, '22023', 'unrecognized pooling: "Mean"');
SELECT throws_ok($$SELECT embedding_pool('{1}', 2)$$, '2202E');
SELECT throws_ok($$SELECT chunk_for_model('a', mode => 'words')$$, '22023', 'unrecognized mode: "words"');
SELECT throws_ok($$SELECT chunk_for_model('a', -1)$$, '22023', 'max_tokens must not be negative, is -1');

CREATE TEMP TABLE vectors AS SELECT n AS id, to_embedding(array_agg((sin(n * 1000 + i * n) + (i % 5) * (n % 3) / 9.0)::real ORDER BY i)) AS e FROM generate_series(1, 60) AS n, generate_series(1, 40) AS i GROUP BY n;
CREATE TEMP TABLE pairs AS SELECT x.e AS a, y.e AS b FROM vectors AS x, vectors AS y;
SELECT is_empty('SELECT 1 FROM pairs WHERE semantic_similarity(a, b) <> semantic_similarity(b, a) OR (a <=> b) <> (b <=> a)', 'symmetric');
SELECT is_empty('SELECT 1 FROM pairs WHERE abs(semantic_similarity(a, b) - cosine_similarity(a, b)) > 1e-5 OR (a <=> b) <> 1 - cosine_similarity(a, b)', 'the fast similarity is the exact one within rounding');
SELECT is_empty('SELECT 1 FROM pairs WHERE abs(cosine_similarity(a, b)) > 1', 'and clamped');
SELECT is_empty('SELECT 1 FROM vectors WHERE abs(l2_norm(l2_normalize(e)) - 1) > 1e-6 OR to_simhash64(l2_normalize(e)) <> to_simhash64(e)', 'length 1, same SimHash');
SELECT ok((SELECT corr(cosine_estimate(to_simhash64(a), to_simhash64(b)), semantic_similarity(a, b)) FROM pairs) > 0.5, 'the SimHash estimates the cosine');
SELECT is_empty($$SELECT 1 FROM near_duplicate_pairs('SELECT id, e FROM vectors', 0.8) AS p JOIN vectors AS x ON x.id = p.a JOIN vectors AS y ON y.id = p.b
	WHERE p.a >= p.b OR p.similarity <> semantic_similarity(x.e, y.e) OR p.similarity < 0.8::real$$, 'bulk pairs are verified');
SELECT is(chunk_for_model('Alpha. Beta. Gamma.', 1000), ARRAY['Alpha. Beta. Gamma.'], 'one chunk');
SELECT is_empty($$SELECT 1 FROM unnest(chunk_for_model((SELECT string_agg('w' || i, ' ' ORDER BY i) FROM generate_series(1, 999) AS i), 50, 0, 'fixed')) AS c WHERE cardinality(tokenize(c)) > 38$$, 'no window has more words than 50 tokens are');

SELECT * FROM finish();
ROLLBACK;
