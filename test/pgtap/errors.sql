-- Invalid input: the SQLSTATE of each error
BEGIN;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS txtfp;
SELECT plan(78);

-- 22023: configuration strings, numbers out of range

SELECT throws_ok($$SELECT canonicalize('a', 'lower')$$, '22023', 'unrecognized canonicalizer: "lower"');
SELECT throws_ok($$SELECT canonicalize('a', '')$$, '22023', 'unrecognized canonicalizer: ""');
SELECT throws_ok($$SELECT tokenize('a', 'words')$$, '22023', 'unrecognized tokenizer: "words"');
SELECT throws_ok($$SELECT tokenize('a', 'shingle-k=5/')$$, '22023', 'unrecognized tokenizer: "shingle-k=5/"');
SELECT throws_ok($$SELECT tokenize('a', 'shingle-k=0/word-uax29')$$, '22023', 'shingle size out of range in tokenizer "shingle-k=0/word-uax29"');
SELECT throws_ok($$SELECT tokenize('a', 'shingle-k=1000001/word-uax29')$$, '22023', 'shingle size out of range in tokenizer "shingle-k=1000001/word-uax29"');
SELECT throws_ok(format($$SELECT tokenize('a', %L)$$, repeat('shingle-k=1/', 5) || 'word-uax29'), '22023', NULL, 'five shingle levels');
SELECT throws_ok(format($$SELECT to_%s('a', 'words')$$, type), '22023', 'unrecognized tokenizer: "words"', 'tokenizer of ' || type) FROM unnest('{minhash64,minhash128,minhash256}'::text[]) AS type;
SELECT throws_ok(format($$SELECT to_%s('a', canonicalizer => 'lower')$$, type), '22023', 'unrecognized canonicalizer: "lower"', 'canonicalizer of ' || type) FROM unnest('{minhash64,minhash128,minhash256}'::text[]) AS type;
SELECT throws_ok(format($$SELECT to_%s('a', hash => 'md5')$$, type), '22023', 'unrecognized hash function: "md5"', 'hash of ' || type) FROM unnest('{minhash64,minhash128,minhash256}'::text[]) AS type;
SELECT throws_ok(format($$SELECT to_%s(ARRAY['a'], 'md5')$$, type), '22023', 'unrecognized hash function: "md5"', 'hash of tokens, ' || type) FROM unnest('{minhash64,minhash128,minhash256}'::text[]) AS type;
SELECT throws_ok(format('SELECT minhash_similar(fp, fp, %L) FROM to_minhash128(''a'') AS fp', t), '22023', format('threshold must be between 0 and 1, not %s', t)) FROM unnest('{-0.5,1.5,NaN,Infinity}'::float8[]) AS t;
SELECT throws_ok(format('SELECT _to_minhash_probe(fp, %L) FROM to_minhash128(''a'') AS fp', t), '22023', format('threshold must be between 0 and 1, not %s', t)) FROM unnest('{-0.5,1.5,NaN,Infinity}'::float8[]) AS t;
SELECT throws_ok(format('SELECT lsh_params(%L, 128)', t), '22023', format('threshold must be greater than 0 and less than 1, not %s', t)) FROM unnest('{0,1,-0.5,NaN}'::float8[]) AS t;
SELECT throws_ok(format('SELECT lsh_params(0.8, 128, %L)', t), '22023', format('recall must be greater than 0 and less than 1, not %s', t)) FROM unnest('{0,1,-0.5,NaN}'::float8[]) AS t;
SELECT throws_ok('SELECT lsh_params(0.5, 0)', '22023', 'num_slots must be at least 1, not 0');
SELECT throws_ok('SELECT lsh_params(0.5, 4097)', '22023', 'num_slots must be at most 4096, not 4097');
SELECT throws_ok('SELECT lsh_params(0.01, 64, 0.99)', '22023', NULL, 'a recall that no banding reaches');
SELECT throws_ok('SELECT lsh_probability(1.5, 16, 4)', '22023', 'similarity must be between 0 and 1, not 1.5');
SELECT throws_ok('SELECT lsh_probability(0.5, 0, 4)', '22023', 'bands must be at least 1, not 0');
SELECT throws_ok('SELECT lsh_probability(0.5, 16, 0)', '22023', 'rows must be at least 1, not 0');
SELECT throws_ok($$SELECT lsh_keys(to_minhash64('a'), 17, 4)$$, '22023', 'bands * rows must be at most 64 for minhash64, not 17 * 4');
SELECT throws_ok($$SELECT lsh_keys(to_minhash64('a'), 0, 4)$$, '22023', 'bands must be at least 1, not 0');

CREATE TEMP TABLE docs (fp minhash128);
SELECT throws_ok('CREATE INDEX ON docs USING gin (fp minhash128_lsh_ops (bands = 33))', '22023', 'bands * rows must be at most 128 for minhash128, not 33 * 4');
SELECT throws_ok('CREATE INDEX ON docs USING gin (fp minhash128_lsh_ops (bands = 129))', '22023', NULL, 'bands beyond the slots');
SELECT throws_ok('CREATE INDEX ON docs USING gin (fp minhash128_lsh_ops (rows = 0))', '22023', NULL, 'no rows');
SELECT throws_ok('CREATE INDEX ON docs USING gin (fp minhash128_lsh_ops (threshold = 1.5))', '22023', NULL, 'a threshold out of range');
SELECT throws_ok('CREATE INDEX ON docs USING gin (fp minhash128_lsh_ops (recall = 1))', '22023', NULL, 'a recall that cannot be promised');
SELECT throws_ok('CREATE INDEX ON docs USING gin (fp minhash128_lsh_ops (threshold = 0.8, bands = 16))', '22023', NULL, 'a threshold and a banding');
SELECT throws_ok('CREATE INDEX ON docs USING gin (fp minhash128_lsh_ops (threshold = 0.05, recall = 0.999))', '22023', NULL, 'a threshold that no banding serves');
SELECT throws_ok('SET txtfp.jaccard_threshold = 1.5', '22023', NULL, 'the parameter out of range');
SELECT throws_ok('SET txtfp.jacard_threshold = 0.5', '42602', NULL, 'an unknown parameter');

-- 22023: values of different configuration or size

SELECT throws_ok(format($$SELECT to_%1$s('a b') %2$s to_%1$s('a b', 'word-uax29')$$, type, op), '22023', format('cannot compare %s values made with different configurations', type))
FROM unnest('{minhash64,minhash128,minhash256}'::text[]) AS type, unnest('{%,<%>}'::text[]) AS op;
SELECT throws_ok($$SELECT jaccard(to_minhash128('a'), to_minhash128('a', seed => 1))$$, '22023', 'cannot compare minhash128 values made with different configurations');
SELECT throws_ok($$SELECT minhash_similar(to_minhash128('a'), to_minhash128('a', hash => 'mmh3-x64-128'), 0.8)$$, '22023', 'cannot compare minhash128 values made with different configurations');
SELECT throws_ok($$SELECT to_minhash128('a') % _to_minhash_probe(to_minhash128('a', canonicalizer => 'nfc-cf-none'), 0.8)$$, '22023', 'cannot compare minhash128 values made with different configurations');
SELECT throws_ok($$SELECT to_minhash128('a') % _to_minhash_probe(to_minhash64('a'), 0.8)$$, '22023', 'cannot compare minhash values of 128 and 64 slots');
SELECT throws_ok($$SELECT jaccard(to_minhash128('a'), to_minhash64('a'))$$, '42883', NULL, 'no function for values of different types');
SELECT lives_ok(format($$SELECT to_minhash128('a b') %s to_minhash128('a b', 'word-uax29')$$, op), op || ' compares any two') FROM unnest('{=,<>,<,<=,>,>=}'::text[]) AS op;

-- 22P02: text forms; 22P03: wire forms; 22023: jsonb; 22004: nulls among tokens; 22021: bytes that are no text; 54000: too large

SELECT throws_ok($$SELECT 'x'::minhash64$$, '22P02', 'invalid input syntax for type minhash64: "x"');
SELECT throws_ok(format('SELECT %L::minhash128', '0200000000000000' || repeat('0', 2048)), '22P02', NULL, 'schema 2');
SELECT throws_ok($$SELECT ''::minhash_probe$$, '22P02', 'invalid input syntax for type minhash_probe: ""');
SELECT throws_ok($$SELECT '\x00'::bytea::minhash256$$, '22P03', 'invalid wire form of minhash256');
SELECT throws_ok($$SELECT '{"schema": 1}'::jsonb::minhash64$$, '22023', 'cannot cast jsonb value to type minhash64');
SELECT throws_ok($$SELECT to_minhash64(ARRAY['a', NULL])$$, '22004', 'array of tokens must not contain nulls');
SELECT throws_ok($$SELECT to_minhash64(convert_from('\x61ff', 'UTF8'))$$, '22021', NULL, 'invalid UTF-8');
SELECT throws_ok($$SELECT tokenize(repeat('a ', 300000), 'shingle-k=10000/word-uax29')$$, '54000', 'array of tokens would exceed 1 GB');
SELECT throws_ok($$SELECT canonicalize('a' || repeat(U&'\0323\0301', 17000000))$$, '54000', 'a run of combining characters exceeds 64 MB');

SELECT * FROM finish();
ROLLBACK;
