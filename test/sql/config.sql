-- config_hash, config_hash_classical
\set SHOW_CONTEXT never

-- Values of the reference implementation
SELECT config_hash('nfkc-cf-simple-bidi-fmt', 'word-uax29', 'minhash-h128-mmh3') AS plain, config_hash_classical('nfkc-cf-simple-bidi-fmt', 'word-uax29', 'minhash-h128-mmh3') AS classical;
SELECT algorithm, config_hash('nfkc-cf-simple', tokenizer, algorithm) AS plain, config_hash_classical('nfkc-cf-simple', tokenizer, algorithm, 'mmh3-x64-128', 42) AS murmur3,
	config_hash_classical(canonicalizer => 'nfkc-cf-simple', tokenizer => tokenizer, algorithm => algorithm, hash => 'xxh3-64', seed => 828927532781) AS xxh3
FROM (VALUES ('word-uax29', 'minhash-h128-mmh3'), ('word-uax29', 'h128-mmh3'), ('word-uax29', 'minhash-h128'), ('word-uax29', 'simhash-b64'), ('word-uax29', 'tlsh'), ('word-uax29', ''), ('cjk-jieba', 'tlsh'), ('', '')) AS t(tokenizer, algorithm);
-- all of them
CREATE TEMP TABLE vectors (canonicalizer text, tokenizer text, algorithm text, config_hash text, classical_mmh3_seed42 text, classical_xxh3_default text);
\copy vectors FROM 'test/data/config_hash.tsv' (HEADER)
SELECT count(*) AS vectors, count(*) FILTER (WHERE config_hash(canonicalizer, tokenizer, algorithm) = config_hash AND config_hash_classical(canonicalizer, tokenizer, algorithm, 'mmh3-x64-128', 42) = classical_mmh3_seed42
	AND config_hash_classical(canonicalizer, tokenizer, algorithm) = classical_xxh3_default) AS same FROM vectors;

-- What a sketch carries
SELECT type, config_hash_classical('nfkc-cf-simple-bidi-fmt', 'shingle-k=5/word-uax29', algorithm) = left(sketch, 16) AS carried
FROM (VALUES ('minhash64', 'minhash-h64', to_minhash64('a')::text), ('minhash128', 'minhash-h128', to_minhash128('a')::text), ('minhash256', 'minhash-h256', to_minhash256('a')::text)) AS t(type, algorithm, sketch);
SELECT config_hash_classical('nfc-cf-none-fmt', 'grapheme-uax29', 'minhash-h64', 'mmh3-x64-128', -1) = left(to_minhash64('a', 'grapheme-uax29', 'nfc-cf-none-fmt', 'mmh3-x64-128', -1)::text, 16) AS carried;

SELECT config_hash(NULL, 'word-uax29', ''), config_hash_classical('nfkc-cf-simple', 'word-uax29', 'tlsh', NULL);
SELECT config_hash('nfkc', 'word-uax29', '');
SELECT config_hash_classical('', 'word-uax29', '');
SELECT config_hash_classical('nfkc-cf-simple', 'word-uax29', '', 'md5');
