-- config_hash, config_hash
\set SHOW_CONTEXT never

-- Values of the reference implementation
SELECT config_hash('nfkc-cf-simple-bidi-fmt', 'word-uax29', 'minhash-h128-mmh3', NULL) AS plain, config_hash('nfkc-cf-simple-bidi-fmt', 'word-uax29', 'minhash-h128-mmh3') AS classical;
SELECT algorithm, config_hash('nfkc-cf-simple', tokenizer, algorithm, NULL) AS plain, config_hash('nfkc-cf-simple', tokenizer, algorithm, 'mmh3-x64-128', 42) AS murmur3,
	config_hash(canonicalizer => 'nfkc-cf-simple', tokenizer => tokenizer, algorithm => algorithm, hash => 'xxh3-64', seed => 828927532781) AS xxh3
FROM (VALUES ('word-uax29', 'minhash-h128-mmh3'), ('word-uax29', 'h128-mmh3'), ('word-uax29', 'minhash-h128'), ('word-uax29', 'simhash-b64'), ('word-uax29', 'tlsh'), ('word-uax29', ''), ('cjk-jieba', 'tlsh'), ('', '')) AS t(tokenizer, algorithm);
-- all algorithms
CREATE TEMP TABLE vectors (canonicalizer text, tokenizer text, algorithm text, config_hash text, classical_mmh3_seed42 text, classical_xxh3_default text);
\copy vectors FROM 'test/data/config_hash.tsv' (HEADER)
SELECT count(*) AS vectors, count(*) FILTER (WHERE config_hash(canonicalizer, tokenizer, algorithm, NULL) = config_hash AND config_hash(canonicalizer, tokenizer, algorithm, 'mmh3-x64-128', 42) = classical_mmh3_seed42
	AND config_hash(canonicalizer, tokenizer, algorithm) = classical_xxh3_default) AS same FROM vectors;

-- The configuration of a sketch
SELECT type, config_hash('nfkc-cf-simple-bidi-fmt', 'shingle-k=5/word-uax29', algorithm) = left(sketch, 16) AS carried
FROM (VALUES ('minhash64', 'minhash-h64', to_minhash64('a')::text), ('minhash128', 'minhash-h128', to_minhash128('a')::text), ('minhash256', 'minhash-h256', to_minhash256('a')::text)) AS t(type, algorithm, sketch);
SELECT config_hash('nfc-cf-none-fmt', 'grapheme-uax29', 'minhash-h64', 'mmh3-x64-128', -1) = left(to_minhash64('a', 'grapheme-uax29', 'nfc-cf-none-fmt', 'mmh3-x64-128', -1)::text, 16) AS carried;

SELECT config_hash(NULL, 'word-uax29', '', NULL), config_hash('nfkc-cf-simple', 'word-uax29', 'tlsh', NULL);
SELECT config_hash('nfkc', 'word-uax29', '', NULL);
SELECT config_hash('', 'word-uax29', '');
SELECT config_hash('nfkc-cf-simple', 'word-uax29', '', 'md5');

-- Keeping the configuration of a sketch in conversions to jsonb, bytea and text[]
SELECT fp::jsonb::minhash128 = fp AS jsonb, minhash_with_config(fp::bytea::minhash128, minhash_config(fp)) = fp AS bytea,
	to_minhash128(tokenize(canonicalize('A b c d e f'), 'shingle-k=5/word-uax29'), tokenizer => 'shingle-k=5/word-uax29') = fp AS tokens
FROM to_minhash128('A b c d e f') AS fp;
SELECT minhash_config(to_minhash64('a', 'word-uax29')) = config_hash('nfkc-cf-simple-bidi-fmt', 'word-uax29', 'minhash-h64') AS m64,
	minhash_config(to_minhash256('a')) = config_hash('nfkc-cf-simple-bidi-fmt', 'shingle-k=5/word-uax29', 'minhash-h256') AS m256, minhash_config(to_minhash64('{a}'::text[])) AS unknown, minhash_config(NULL::minhash64) AS none;
-- of the caller's tokens: hash and seed are part of it, the tokenizer may have any name, the canonicalizer must exist
SELECT minhash_config(to_minhash64('{a}'::text[], tokenizer => 'my-bigrams')) = config_hash('nfkc-cf-simple-bidi-fmt', 'my-bigrams', 'minhash-h64') AS own_name,
	minhash_config(to_minhash128('{a}'::text[], 'mmh3-x64-128', 7, 'x', 'none-cf-none')) = config_hash('none-cf-none', 'x', 'minhash-h128', 'mmh3-x64-128', 7) AS all_of_it,
	to_minhash256('{a}'::text[], tokenizer => 'word-uax29') = to_minhash256('a', 'word-uax29') AS m256;
SELECT to_minhash64(NULL::text[], tokenizer => 'x') AS tokens, to_minhash64('{a}'::text[], hash => NULL) AS hash, to_minhash64('{a}'::text[], seed => NULL) AS seed, to_minhash64('{a}'::text[], canonicalizer => NULL) AS canonicalizer,
	to_minhash64('{}'::text[], tokenizer => 'x') AS empty, left(to_minhash64('{a}'::text[], tokenizer => NULL)::text, 17) AS tokenizer;
SELECT to_minhash64('{a}'::text[], tokenizer => 'x', canonicalizer => 'y');
SELECT to_minhash64('{a}'::text[], canonicalizer => 'y');
-- values with a declared configuration are compared like others
SELECT jaccard(to_minhash128('{a}'::text[], tokenizer => 'my-bigrams'), to_minhash128('{a}'::text[]));
SELECT jaccard(to_minhash128('{a}'::text[], tokenizer => 'my-bigrams'), to_minhash128('a'));
SELECT jaccard(minhash_with_config(to_minhash128('a')::bytea::minhash128, '00000000000000aa'), to_minhash128('a'));
-- declaring a configuration
SELECT minhash_config(minhash_with_config(to_minhash64('{a}'::text[]), '00000000000000AA')) AS unknown, minhash_with_config(fp, minhash_config(fp)) = fp AS same,
	minhash_with_config(NULL::minhash64, 'x') AS "null", minhash_config(minhash_with_config(fp::bytea::minhash64, '0000000000000000')) AS zeros
FROM to_minhash64('a') AS fp;
SELECT minhash_with_config(to_minhash64('a'), '00000000000000aa');
SELECT minhash_with_config(to_minhash64('a'), '0000000000000000');
SELECT minhash_with_config(to_minhash64('{a}'::text[]), 'shingle-k=5/word-uax29');
SELECT minhash_with_config(to_minhash128('a')::bytea::minhash128, '123456789abcdefg');
SELECT minhash_with_config(to_minhash128('a')::bytea::minhash64, '0123456789abcdef');
