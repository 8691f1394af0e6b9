-- Large texts; limits.sql has limits and cancellation
\set SHOW_CONTEXT never
SET jit = off;

-- 200 MB. Repeating a text adds no shingle after the third time.
\set fox 'The quick brown fox jumps over the lazy dog. '
SELECT length(doc) AS bytes, to_minhash128(doc) = to_minhash128(repeat(:'fox', 3)) AS minhash128 FROM repeat(:'fox', 4500000) AS doc;
SELECT octet_length(canonicalize(doc)) AS canonical, md5(canonicalize(doc)) = md5(lower(doc)) AS lower FROM repeat(:'fox', 2000000) AS doc;
SELECT cardinality(t) AS words, t[18000000] AS last FROM tokenize(repeat(:'fox', 2000000)) AS t;
-- scripts that do not use the fast path
\set mixed 'U&''Stra\\00DFe \\0394\\03B5\\03BB\\03C4\\03B1 \\65E5\\672C e\\0301\\0323 '''
SELECT octet_length(doc) AS bytes, to_minhash256(doc) = to_minhash256(repeat(:mixed, 3)) AS minhash256 FROM repeat(:mixed, 1000000) AS doc;
SELECT octet_length(canonicalize(doc)) AS canonical, md5(canonicalize(doc)) = md5(repeat(canonicalize(:mixed), 1000000)) AS same FROM repeat(:mixed, 1000000) AS doc;
SELECT cardinality(tokenize(repeat(:mixed, 300000), 'grapheme-uax29')) AS graphemes;

-- A million marks on one letter, in order and out of order
SELECT length(canonicalize('a' || repeat(U&'\0301', 1000000))) AS one_kind, length(c) AS two_kinds, to_hex(ascii(c)) AS first, left(c, 500000) = U&'\1EA1' || repeat(U&'\0323', 499999) AS sorted
FROM canonicalize('a' || repeat(U&'\0323\0301', 500000)) AS c;
SELECT cardinality(tokenize(doc)) AS words, cardinality(tokenize(doc, 'grapheme-uax29')) AS graphemes, md5(to_minhash128(doc)::bytea) = md5(to_minhash128(ARRAY[canonicalize(doc)])::bytea) AS minhash
FROM (SELECT 'a' || repeat(U&'\0323\0301', 500000)) AS t(doc);

-- One word of 20 MB, only blanks, only marks
SELECT cardinality(tokenize(doc)) AS words, md5((tokenize(doc))[1]) = md5(doc) AS whole, md5(to_minhash64(doc)::bytea) = md5(to_minhash64(ARRAY[doc])::bytea) AS minhash FROM repeat('a', 20000000) AS doc;
SELECT cardinality(tokenize(repeat(' ', 20000000))) AS words, to_minhash64(repeat(' ', 20000000)) AS minhash;
SELECT cardinality(tokenize(repeat(U&'\0301', 5000000), 'grapheme-uax29')) AS graphemes, to_minhash64(repeat(U&'\0301', 5000000)) AS minhash;

-- TLSH of 90 MB, as text and as bytea
SELECT to_tlsh(doc) AS text, to_tlsh(doc) = to_tlsh(lower(doc)::bytea) AS same FROM repeat(:'fox', 2000000) AS doc;

-- Limits, which limits.sql reaches in another way
SELECT tokenize(repeat('a ', 300000), 'shingle-k=10000/word-uax29');
SELECT to_minhash128(repeat('a ', 300000), 'shingle-k=100000/shingle-k=100000/word-uax29');
SELECT to_minhash64('a' || repeat(U&'\0323\0301', 17000000));
