-- Limits, cancellation; large texts are in limits_long.sql
\set SHOW_CONTEXT never
SET jit = off;

\set fox 'The quick brown fox jumps over the lazy dog. '
\set mixed 'U&''Stra\\00DFe \\0394\\03B5\\03BB\\03C4\\03B1 \\65E5\\672C e\\0301\\0323 '''

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
