-- Fingerprints of 0.1.0, frozen: people have them in tables, indexes and generated columns. If this test fails, fix the code,
-- not the file. Beside the reference vectors of test/data, which the unit tests read, it holds what only SQL shows: defaults of
-- arguments, text and binary forms, and what the functions of other projects do not have.
CREATE TABLE texts (n int PRIMARY KEY, doc text);
INSERT INTO texts VALUES
	(1, 'The quick brown fox jumps over the lazy dog; the dog barks, and the fox is gone before anyone has counted to three.'),
	(2, 'word'), (3, ''), (4, U&'\2026 \0021'),
	(5, U&'Stra\00DFe \017Foll \FB01sch \212B \2460 e\0301te\0301 \0130STANBUL \1E9E'),
	(6, U&'\0416\0438\0432\044B\0435 \0441\043B\043E\0432\0430, \0395\039B\039B\0391\03A3 \03BF\03B4\03CC\03C2'),
	(7, U&'\0627\0644\0633\0644\0627\0645 \0639\0644\064A\0643\0645 \200F\202B\05E9\05DC\05D5\05DD\202C'),
	(8, U&'\0939\093F\0928\094D\0926\0940 \0E20\0E32\0E29\0E32\0E44\0E17\0E22 \1019\103C\1014\103A\1019\102C'),
	(9, U&'\65E5\672C\8A9E\306E\6587\7AE0 \D55C\AD6D\C5B4 \6F22\5B57\3001\FF76\FF9E'),
	(10, U&'\+01F468\200D\+01F469\200D\+01F467 \+01F1E9\+01F1EA\+01F1EB \2764\FE0F \0031\FE0F\20E3 \+01F44D\+01F3FD'),
	(11, U&'a\0323\0301b\0301\0323 \1100\1161\11A8 \0344 \0F71\0F72 \FEFF\200B\00AD\2060'),
	(12, U&'\0430\0440\0440\04CF\0435 paypa\FF4C g\043E\043Egle 3.14 can''t e-mail user@example.org a_b 1,000.5'),
	(13, (SELECT string_agg(md5(i::text), ' ') FROM generate_series(1, 200) AS i)),
	(14, repeat('lorem ipsum dolor sit amet ', 40));
CREATE FUNCTION frozen(expression text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT md5(string_agg(n || '':'' || coalesce((%s)::text, ''NULL''), E''\n'' ORDER BY n)) FROM texts', expression) INTO result;
	RETURN result;
END $$;

SELECT name, frozen(name) FROM unnest(ARRAY[
	'canonicalize(doc)', 'canonicalize(doc, ''nfc-cf-none'')', 'canonicalize(doc, ''nfkc-cf-simple-bidi-fmt-conf'')',
	'tokenize(doc)', 'tokenize(doc, ''grapheme-uax29'')', 'tokenize(canonicalize(doc), ''shingle-k=3/word-uax29'')',
	'to_minhash64(doc)', 'to_minhash128(doc)', 'to_minhash256(doc)',
	'to_minhash128(doc, ''shingle-k=4/grapheme-uax29'')', 'to_minhash64(doc, ''word-uax29'', ''nfc-cf-none'', ''mmh3-x64-128'', -1)',
	'to_minhash128(tokenize(doc))', 'to_minhash128(doc)::bytea', '_minhash64_send(to_minhash64(doc))', 'md5((to_minhash64(doc)::jsonb - ''config'')::text)', 'md5(to_minhash64(doc)::jsonb::text)',
	'to_lavinhash(doc)', 'lsh_keys(to_minhash64(doc), 8, 4, true)',
	'to_simhash64(tokenize(doc))',
	'lsh_keys(to_minhash128(doc), 16, 4)', 'lsh_keys(to_minhash256(doc), 32, 8)', 'minhash_union(to_minhash64(doc), to_minhash64(''word''))',
	'to_simhash64(doc)', 'to_simhash64(doc, ''word-uax29'')', 'to_simhash64(doc, weighting => ''uniform'')', 'to_simhash64(doc, ''word-uax29'', hash => ''mmh3-x64-128'', seed => 7)',
	'to_simhash64(doc, ''word-uax29'', weighting => ''idf'', idf => ''{"the": 0.1, "dog": 4.5, "word": -2}'')',
	'to_simhash64(tokenize(doc || '' x''), array_fill(1.5::float8, ARRAY[cardinality(tokenize(doc || '' x''))]))',
	'to_simhash64(doc)::bytea', '_simhash64_send(to_simhash64(doc))', 'to_simhash64(doc)::bigint', 'to_simhash64(doc)::jsonb', 'to_tlsh(doc)', 'to_tlsh(convert_to(doc, ''UTF8''))', '_tlsh_send(to_tlsh(doc))',
	'to_lavinhash(convert_to(doc, ''UTF8''))', 'to_lavinhash(convert_to(repeat(doc, 500), ''UTF8''), 4)', '_lavinhash_send(to_lavinhash(convert_to(doc, ''UTF8'')))',
	'to_minhash64(doc)::fingerprint', '_fingerprint_send(to_simhash64(doc)::fingerprint)', 'fingerprint_metadata(to_minhash128(doc)::fingerprint)',
	'config_hash(''nfc-cf-none'', doc, ''simhash-b64-v1'', NULL)', 'chunk_for_model(doc, 12, 4)', 'chunk_for_model(doc, 12, 4, ''fixed'')', 'chunk_for_model(doc, 12, mode => ''recursive'')',
	'to_simhash64(to_embedding(ARRAY[n, length(doc), 0.5 - n, n % 3]::real[], doc))', '_embedding_send(to_embedding(ARRAY[n, length(doc), 0.5 - n]::real[], doc))',
	'to_embedding(ARRAY[n, length(doc), 1.0 / n]::real[], doc)::fingerprint', 'to_embedding(ARRAY[n, length(doc), 1.0 / n]::real[], doc)::jsonb']) WITH ORDINALITY AS e (name, ord) ORDER BY ord;

-- one of each in full
SELECT to_simhash64(doc), to_tlsh(doc), lsh_keys(to_minhash128(doc), 4, 4) FROM texts WHERE n = 1;
SELECT left(to_minhash64(doc)::text, 60) AS minhash64, left(to_lavinhash(convert_to(doc, 'UTF8'))::text, 24) AS lavinhash FROM texts WHERE n = 1;
SELECT config_hash('nfkc-cf-simple-bidi-fmt', 'shingle-k=5/word-uax29', 'minhash-h128-v1', NULL),
	config_hash('nfkc-cf-simple-bidi-fmt', 'shingle-k=5/word-uax29', 'minhash-h128'), left(to_minhash128('x')::text, 16) AS of_a_sketch;
DROP FUNCTION frozen;
DROP TABLE texts;
