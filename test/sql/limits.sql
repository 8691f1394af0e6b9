-- Large texts, limits, cancellation
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

-- Huge shingles
SELECT cardinality(tokenize(doc, 'shingle-k=1000000/word-uax29')) AS "1000000 of 100000", cardinality(tokenize(doc, 'shingle-k=99999/word-uax29')) AS "99999 of 100000",
	md5(to_minhash64(doc, 'shingle-k=1000000/word-uax29')::bytea) = md5(to_minhash64(ARRAY[rtrim(doc)])::bytea) AS minhash FROM repeat('a ', 100000) AS doc;

-- Limits are reported.
SELECT tokenize(repeat('a ', 300000), 'shingle-k=10000/word-uax29');
SELECT tokenize(repeat('a', 150000000), 'grapheme-uax29');
SELECT tokenize(repeat('a ', 300000), 'shingle-k=100000/shingle-k=100000/word-uax29');
SELECT to_minhash128(repeat('a ', 300000), 'shingle-k=100000/shingle-k=100000/word-uax29');
SELECT canonicalize('a' || repeat(U&'\0323\0301', 17000000));
SELECT to_minhash64('a' || repeat(U&'\0323\0301', 17000000));
SELECT canonicalize(repeat(U&'\FDFA', 33000000));

-- TLSH of 90 MB, as text and as bytea
SELECT to_tlsh(doc) AS text, to_tlsh(doc) = to_tlsh(lower(doc)::bytea) AS same FROM repeat(:'fox', 2000000) AS doc;

-- Every long loop can be cancelled. SET LOCAL ends on error, so the timeout applies to one statement.
SELECT clock_timestamp() AS start \gset
BEGIN; SET LOCAL statement_timeout = '50ms';
SELECT to_tlsh(repeat(:mixed, 2500000));
ROLLBACK; SELECT clock_timestamp() - :'start' < '5 s' AS prompt;
SELECT clock_timestamp() AS start \gset
BEGIN; SET LOCAL statement_timeout = '50ms';
SELECT to_tlsh(repeat(:'fox', 10000000)::bytea);
ROLLBACK; SELECT clock_timestamp() - :'start' < '5 s' AS prompt;
SELECT clock_timestamp() AS start \gset
BEGIN; SET LOCAL statement_timeout = '50ms';
SELECT to_minhash128(repeat(:'fox', 4500000));
ROLLBACK; SELECT clock_timestamp() - :'start' < '5 s' AS prompt;
SELECT clock_timestamp() AS start \gset
BEGIN; SET LOCAL statement_timeout = '50ms';
SELECT to_minhash64(repeat(:mixed, 2500000));
ROLLBACK; SELECT clock_timestamp() - :'start' < '5 s' AS prompt;
SELECT clock_timestamp() AS start \gset
BEGIN; SET LOCAL statement_timeout = '50ms';
SELECT canonicalize(repeat(:'fox', 4500000));
ROLLBACK; SELECT clock_timestamp() - :'start' < '5 s' AS prompt;
SELECT clock_timestamp() AS start \gset
BEGIN; SET LOCAL statement_timeout = '50ms';
SELECT canonicalize(repeat(:mixed, 2500000));
ROLLBACK; SELECT clock_timestamp() - :'start' < '5 s' AS prompt;
SELECT clock_timestamp() AS start \gset
BEGIN; SET LOCAL statement_timeout = '50ms';
SELECT canonicalize(repeat(:mixed, 2500000), 'nfc-cf-none-conf');
ROLLBACK; SELECT clock_timestamp() - :'start' < '5 s' AS prompt;
SELECT clock_timestamp() AS start \gset
BEGIN; SET LOCAL statement_timeout = '50ms';
SELECT tokenize(repeat(:'fox', 4500000));
ROLLBACK; SELECT clock_timestamp() - :'start' < '5 s' AS prompt;
SELECT clock_timestamp() AS start \gset
BEGIN; SET LOCAL statement_timeout = '50ms';
SELECT tokenize(repeat(:mixed, 2500000), 'grapheme-uax29');
ROLLBACK; SELECT clock_timestamp() - :'start' < '5 s' AS prompt;
SELECT clock_timestamp() AS start \gset
BEGIN; SET LOCAL statement_timeout = '50ms';
SELECT canonicalize('a' || repeat(U&'\0323\0301', 15000000));
ROLLBACK; SELECT clock_timestamp() - :'start' < '5 s' AS prompt;
SELECT clock_timestamp() AS start \gset
BEGIN; SET LOCAL statement_timeout = '50ms';
SELECT to_minhash64(repeat('a', 200000000));
ROLLBACK; SELECT clock_timestamp() - :'start' < '5 s' AS prompt;
SELECT clock_timestamp() AS start \gset
BEGIN; SET LOCAL statement_timeout = '50ms';
SELECT to_minhash64(repeat('.', 200000000));
ROLLBACK; SELECT clock_timestamp() - :'start' < '5 s' AS prompt;
SELECT clock_timestamp() AS start \gset
BEGIN; SET LOCAL statement_timeout = '50ms';
SELECT to_minhash64(repeat(U&'\0301', 100000000), 'grapheme-uax29');
ROLLBACK; SELECT clock_timestamp() - :'start' < '5 s' AS prompt;
SELECT clock_timestamp() AS start \gset
BEGIN; SET LOCAL statement_timeout = '50ms';
SELECT to_minhash64(string_to_array(repeat('a ', 5000000), ' '));
ROLLBACK; SELECT clock_timestamp() - :'start' < '5 s' AS prompt;
-- ... with large shingles within a few of them, not after thousands
SELECT clock_timestamp() AS start \gset
BEGIN; SET LOCAL statement_timeout = '1s';
SELECT to_minhash64(repeat('a ', 300000), 'shingle-k=50000/shingle-k=1000/word-uax29');
ROLLBACK; SELECT clock_timestamp() - :'start' < '6 s' AS prompt;
