-- Limits, cancellation; large texts are in limits_long.sql
\set SHOW_CONTEXT never
SET jit = off;

\set fox 'The quick brown fox jumps over the lazy dog. '
\set mixed 'U&''Stra\\00DFe \\0394\\03B5\\03BB\\03C4\\03B1 \\65E5\\672C e\\0301\\0323 '''

-- Huge shingles
SELECT cardinality(tokenize(doc, 'shingle-k=1000000/word-uax29')) AS "1000000 of 100000", cardinality(tokenize(doc, 'shingle-k=99999/word-uax29')) AS "99999 of 100000",
	md5(to_minhash64(doc, 'shingle-k=1000000/word-uax29')::bytea) = md5(to_minhash64(ARRAY[rtrim(doc)])::bytea) AS minhash FROM repeat('a ', 100000) AS doc;

-- Limits are reported.
SELECT tokenize(repeat('a', 150000000), 'grapheme-uax29');
SELECT tokenize(repeat('a ', 300000), 'shingle-k=100000/shingle-k=100000/word-uax29');
SELECT canonicalize('a' || repeat(U&'\0323\0301', 17000000));
SELECT canonicalize(repeat(U&'\FDFA', 33000000));

-- Every long loop can be cancelled: the request is there when the function begins, and a sequence tells whether it ran to its end. A loop that does not look for
-- the request does: length() is one.
CREATE TEMP SEQUENCE ended;
CREATE FUNCTION cancelled(call text, source text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	before bigint := nextval('ended');
BEGIN
	EXECUTE format('SELECT pg_cancel_backend(pg_backend_pid()), %s IS NULL, nextval(''ended'') FROM (SELECT %s AS doc OFFSET 0) AS docs', call, source);
	RETURN 'not cancelled';
EXCEPTION WHEN query_canceled THEN
	RETURN CASE nextval('ended') - before WHEN 1 THEN 'cancelled' ELSE 'ran to its end' END;
END $$;
SELECT call, source, cancelled(call, CASE source WHEN 'fox' THEN format('repeat(%L, 10000)', :'fox') WHEN 'mixed' THEN format('repeat(%L, 10000)', :mixed) ELSE source END) FROM (VALUES
	('length(doc)', 'fox'),
	('to_tlsh(doc)', 'mixed'), ('to_tlsh(doc::bytea)', 'fox'),
	('to_minhash128(doc)', 'fox'), ('to_minhash64(doc)', 'mixed'),
	('canonicalize(doc)', 'fox'), ('canonicalize(doc)', 'mixed'), ('canonicalize(doc, ''nfc-cf-none-conf'')', 'mixed'),
	('tokenize(doc)', 'fox'), ('tokenize(doc, ''grapheme-uax29'')', 'mixed'),
	('canonicalize(doc)', $$'a' || repeat(U&'\0323\0301', 50000)$$),
	('to_minhash64(doc)', $$repeat('a', 500000)$$), ('to_minhash64(doc)', $$repeat('.', 500000)$$),
	('to_minhash64(doc, ''grapheme-uax29'')', $$repeat(U&'\0301', 500000)$$),
	('to_minhash64(doc)', $$string_to_array(repeat('a ', 10000), ' ')$$)) AS calls(call, source);
DROP FUNCTION cancelled;
-- ... with large shingles within a few of them, not after thousands
-- seconds of processor time of this process, or of the clock where there is no /proc
\set used 'SELECT coalesce((SELECT split_part(s, '' '', 12)::int + split_part(s, '' '', 13)::int FROM regexp_replace(pg_read_file(''/proc/self/stat'', 0, 1000, true), ''^.*\\) '', ''x '') AS s) / 100.0, extract(epoch FROM clock_timestamp()))'
:used AS start \gset
BEGIN; SET LOCAL statement_timeout = '1s';
SELECT to_minhash64(repeat('a ', 300000), 'shingle-k=50000/shingle-k=1000/word-uax29');
ROLLBACK; SELECT (:used) - :start < 6 AS prompt;
