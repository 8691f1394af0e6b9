-- fingerprint and configuration hashes: casts, SQLSTATEs, and promised properties
BEGIN;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS txtfp;
SELECT plan(19);

SELECT set_eq(
	$$SELECT format('%s %s %s', castsource::regtype, casttarget::regtype, castcontext) FROM pg_cast WHERE 'fingerprint'::regtype IN (castsource, casttarget)$$,
	$$SELECT format(f, type) FROM unnest('{minhash64,minhash128,minhash256,minhash64_compact,minhash128_compact,minhash256_compact,simhash64,tlsh,lavinhash,embedding}'::text[]) AS type, unnest('{%s fingerprint a,fingerprint %s e}'::text[]) AS f$$,
	'casts: on assignment, and explicitly back');
SELECT results_eq($$SELECT typlen::int, typalign::text, typstorage::text FROM pg_type WHERE oid = 'fingerprint'::regtype$$, $$VALUES (-1, 'd', 'm')$$, 'variable length, 8-byte aligned, stays in the row');

CREATE TEMP TABLE prints (fp fingerprint);
SELECT lives_ok($$INSERT INTO prints VALUES (to_minhash64('a b c')), (to_minhash128('a b c')), (to_minhash256('a b c')), (to_simhash64('a b c'))$$, 'a column takes every type');
SELECT set_eq('SELECT fingerprint_name(fp) FROM prints', ARRAY['minhash-h64-v1', 'minhash-h128-v1', 'minhash-h256-v1', 'simhash-b64-v1'], 'names');
SELECT set_eq('SELECT fp::text FROM prints', $$SELECT name || '/' || value FROM (VALUES ('minhash-h64-v1', to_minhash64('a b c')::text), ('minhash-h128-v1', to_minhash128('a b c')::text), ('minhash-h256-v1', to_minhash256('a b c')::text),
	('simhash-b64-v1', to_simhash64('a b c')::text)) AS t(name, value)$$, 'text form: name, slash, text form of the value');
SELECT is_empty('SELECT 1 FROM prints WHERE fp::text::fingerprint <> fp', '... and back');
SELECT is(fingerprint_metadata(to_minhash128('a')::fingerprint), '{"algorithm": "minhash-h128", "config_hash": "1ffc8214c1e9e9db", "schema_version": 1, "byte_size": 1032, "model_id": null}', 'metadata of a sketch');
SELECT is(fingerprint_metadata(to_simhash64('a')::fingerprint), '{"algorithm": "simhash-b64", "config_hash": "0000000000000000", "schema_version": 1, "byte_size": 8, "model_id": null}', 'metadata of a SimHash');
SELECT is_empty('SELECT 1 FROM prints AS a, prints AS b WHERE fingerprint_name(a.fp) = fingerprint_name(b.fp) AND fingerprint_similarity(a.fp, b.fp) <> 1', 'what is equal has similarity 1');

SELECT throws_ok($$SELECT fingerprint_similarity(to_minhash64('a')::fingerprint, to_simhash64('a')::fingerprint)$$, '22023', 'cannot compare fingerprints of different kinds');
SELECT throws_ok($$SELECT fingerprint_similarity(to_minhash64('a')::fingerprint, to_minhash64('a', 'word-uax29')::fingerprint)$$, '22023', 'cannot compare minhash64 values made with different configurations');
SELECT throws_ok($$SELECT to_simhash64('a')::fingerprint::minhash128$$, '22023', 'cannot cast fingerprint "simhash-b64-v1" to type minhash128');
SELECT throws_ok($$SELECT to_minhash64('a')::fingerprint::simhash64$$, '22023', 'cannot cast fingerprint "minhash-h64-v1" to type simhash64');
SELECT throws_ok($$SELECT 'x'::fingerprint$$, '22P02', 'invalid input syntax for type fingerprint: "x"');
SELECT throws_ok($$SELECT 'simhash-b64-v1/x'::fingerprint$$, '22P02', 'invalid input syntax for type simhash64: "x"');

SELECT is(config_hash('nfkc-cf-simple-bidi-fmt', 'word-uax29', 'minhash-h128-mmh3', NULL), '58b0596b0722cd78', 'configuration hash');
SELECT is(config_hash('nfkc-cf-simple-bidi-fmt', 'shingle-k=5/word-uax29', 'minhash-h128'), left(to_minhash128('a')::text, 16), 'what a sketch carries');
SELECT throws_ok($$SELECT config_hash('lower', 'word-uax29', '', NULL)$$, '22023', 'unrecognized canonicalizer: "lower"');
SELECT throws_ok($$SELECT config_hash('nfc-cf-none', 'word-uax29', '', 'md5')$$, '22023', 'unrecognized hash function: "md5"');

SELECT * FROM finish();
ROLLBACK;
