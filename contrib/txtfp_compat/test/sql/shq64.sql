-- q64, Shq64 and the SimHash of byte strings

\pset null (null)

-- q64
SELECT x, q64_encode(x), q64_decode(q64_encode(x)) = x AS same
FROM unnest('{"","\\x00","\\xff","\\x00102030","\\x007fff2a64","\\x0123456789abcdef","\\xfedcba9876543210"}'::bytea[]) x;
SELECT q64_decode('EYm1Gcm8Gfi8CQl3GfnyGcm0CR');
SELECT count(*) AS round_trips
FROM generate_series(0, 300) n, decode(left(repeat(md5(n::text), 20), 2 * n), 'hex') x
WHERE q64_decode(q64_encode(x)) = x AND length(q64_encode(x)) = 2 * n;
SELECT length(q64_encode(x)), q64_decode(q64_encode(x)) = x AS same -- toasted
FROM (SELECT decode(repeat('0123456789abcdef', 100000), 'hex')) t(x);
SELECT q64_encode(NULL), q64_decode(NULL);

SELECT q64_decode('A');
SELECT q64_decode('A!gw');
SELECT q64_decode('QA');
SELECT q64_decode('AQgwAQgq');
SELECT q64_decode('AAAA');
SELECT q64_decode('AQgw AQgw');
SELECT q64_decode('AQgw.AQgw');
SELECT q64_decode('AQg=');
SELECT q64_decode('AQ'';');

-- Shq64: the three forms
SELECT shq64_encode(x), shq64_encode(x, true), shq64_encode(x, dotted => false)
FROM unnest('{0000000000000000,ffffffffffffffff,0123456789abcdef,fedcba9876543210,ed80b09b9d7713b6}'::simhash64[]) x;
SELECT code, shq64_decode(code)
FROM unnest('{ARizEVm3IZq7Mdu_,ARiz.EVm3.IZq7.Mdu_,ARizEVm3.IZq7Mdu_,PfvxPfv-AQg9Pfvz}'::text[]) code;
SELECT shq64_encode(NULL), shq64_encode('0000000000000000', NULL), shq64_decode(NULL);
SELECT shq64_decode('');
SELECT shq64_decode('ARizEVm3IZq7Mdu');
SELECT shq64_decode('ARizEVm3IZq7Mdu_AQgw');
SELECT shq64_decode('ARizEVm3IZq7Mdu_ ');
SELECT shq64_decode('ARiz.EVm3-IZq7.Mdu_');
SELECT shq64_decode('ARiz.EVm3.IZq7');
SELECT shq64_decode('QRsT.UvWx.YZab.cdef');
SELECT shq64_decode('ARiz.EVm3.Izq7.Mdu_');
SELECT shq64_decode('ARizEVm3IZq7-du_');
SELECT shq64_decode('ARiz-EVm3.IZq7.Mdu_');
SELECT shq64_decode('ARizEVm3IZq7Mdu+');

-- distances
SELECT a, b, shq64_hamming(a, b), shq64_similarity(a, b)
FROM (VALUES ('OdowLQp7Jdn3BTr2', 'OcowJQp7Jdv3HRr2'), ('OdowLQp7Jdn3BTr2', 'JTg2CXj9Ien0IUj1'),
	('EaqwDUt2DSvwAWrw', 'Eaqw.DUt2.DSvw.AWrw'), ('AQgwAQgwAQgwAQgw', 'Pfv_Pfv_.Pfv_Pfv_'),
	('AQgwAQgwAQgwAQgw', 'AQgwAQgwAQgwAQgx')) t(a, b);
SELECT shq64_hamming('OdowLQp7Jdn3BTr2', NULL), shq64_similarity(NULL, 'OdowLQp7Jdn3BTr2');
SELECT shq64_hamming('OdowLQp7Jdn3BTr2', 'OdowLQp7');
SELECT shq64_similarity('OdowLQp7Jdn3BTr2', 'odowLQp7Jdn3BTr2');

-- prefixes
SELECT p, (shq64_prefix_range(p)).*
FROM unnest('{A,P,I,AR,ARiz,ARiz.,ARiz.E,ARizEVm3,ARizEVm3.,ARizEVm3.I,ARizEVm3IZq7Mdu,ARizEVm3IZq7Mdu_,ARiz.EVm3.IZq7.Mdu_}'::text[]) p;
SELECT shq64_prefix_range(NULL);
SELECT * FROM shq64_prefix_range('');
SELECT * FROM shq64_prefix_range('ARizEVm3IZq7Mdu_A');
SELECT * FROM shq64_prefix_range('ARiz.EVm3.IZq7.Mdu_.');
SELECT * FROM shq64_prefix_range('AR%');
SELECT * FROM shq64_prefix_range('A.');
SELECT * FROM shq64_prefix_range('ARiz.EVm3I');

CREATE TABLE shq64_docs (id integer, fp simhash64);
INSERT INTO shq64_docs SELECT i, to_simhash64_bytes(decode(md5(i::text), 'hex')) FROM generate_series(1, 5000) i;
CREATE INDEX ON shq64_docs (fp);
ANALYZE shq64_docs;
SELECT p, count(*) FILTER (WHERE fp BETWEEN r.low AND r.high) AS in_range,
	count(*) FILTER (WHERE starts_with(shq64_encode(fp), p)) AS by_text
FROM unnest('{A,H,I,P,BT,Ia,Mfg}'::text[]) p, shq64_prefix_range(p) r, shq64_docs GROUP BY p ORDER BY p;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT count(id) FROM shq64_docs
WHERE fp BETWEEN (shq64_prefix_range('Ia')).low AND (shq64_prefix_range('Ia')).high;
SELECT count(id) FROM shq64_docs
WHERE fp BETWEEN (shq64_prefix_range('Ia')).low AND (shq64_prefix_range('Ia')).high;
RESET enable_seqscan;
RESET enable_bitmapscan;
DROP TABLE shq64_docs;

-- SimHash of byte strings
SELECT n, shingle, to_simhash64_bytes(convert_to(n, 'UTF8'), shingle) AS fp
FROM unnest('{"",abc,abcd,"hello world","The quick brown fox jumps over the lazy dog"}'::text[]) n,
	unnest('{2,4,8,16}'::int[]) shingle;
SELECT to_simhash64_bytes('\x00000000000000000000'), to_simhash64_bytes('\x00000000000000000000', 2);
SELECT to_simhash64_bytes('abcd') = to_simhash64_bytes('abcd', 4) AS default_is_4;
SELECT to_simhash64_bytes(NULL), to_simhash64_bytes('abcd'::bytea, NULL), to_simhash64_bytes('abcd', 2147483647);
SELECT to_simhash64_bytes(decode(repeat('0123456789abcdef', 100000), 'hex')); -- toasted
SELECT to_simhash64_bytes('abcd', 0);
SELECT to_simhash64_bytes('abcd', -1);
SELECT to_simhash64_bytes('', 0);

-- codes are ASCII in every encoding; other characters are an error
\set VERBOSITY sqlstate
SELECT q64_decode(chr(169) || 'AQ');
SELECT q64_decode('AQgwA' || chr(169));
SELECT shq64_decode('ARizEVm3IZq7Md' || chr(169) || '_');
SELECT * FROM shq64_prefix_range(chr(169));

-- the SQLSTATEs of the errors above
SELECT q64_decode('A');
SELECT shq64_decode('A');
SELECT shq64_decode('QRsTUvWxYZabcdef');
SELECT shq64_prefix_range('');
SELECT to_simhash64_bytes('abcd', 0);

-- a long hash can be cancelled
SET statement_timeout = '100ms';
SELECT to_simhash64_bytes(decode(repeat('ab', 4000000), 'hex'), 2000000);
RESET statement_timeout;
\set VERBOSITY default

-- eq64: a dot after every 8 characters; on reading, dots may be anywhere
SELECT x, eq64_encode(x), eq64_decode(eq64_encode(x)) = x AS same
FROM unnest('{"","\\x00","\\x00102030","\\x0010203040","\\x0123456789abcdef","\\x0123456789abcdef01"}'::bytea[]) x;
SELECT count(*) AS round_trips FROM generate_series(0, 300) n, decode(left(repeat(md5(n::text), 20), 2 * n), 'hex') x
WHERE eq64_decode(eq64_encode(x)) = x AND replace(eq64_encode(x), '.', '') = q64_encode(x) AND eq64_encode(x) !~ '\.$';
SELECT eq64_decode('.A.Q..hwCQjw.') AS anywhere, eq64_decode('...') AS only_dots, eq64_encode(NULL), eq64_decode(NULL);
SELECT eq64_decode('AQg.');
SELECT eq64_decode('A.QA.');
SELECT eq64_decode('AQgw.QQgw');
SELECT eq64_decode('AQgw AQgw');

-- valid codes, and codes that differ in a few bits
SELECT code, shq64_is_valid(code) FROM unnest('{ARizEVm3IZq7Mdu_,ARiz.EVm3.IZq7.Mdu_,ARizEVm3.IZq7Mdu_,ARizEVm3IZq7Mdu,QRsTUvWxYZabcdef,"",ARizEVm3IZq7Mdu_.}'::text[]) AS code;
SELECT distance, count(*) AS codes, count(DISTINCT code) AS different, min(shq64_hamming(code, 'ARizEVm3IZq7Mdu_')) AS nearest, max(shq64_hamming(code, 'ARizEVm3IZq7Mdu_')) AS farthest
FROM generate_series(1, 3) AS distance, shq64_variants('0123456789abcdef', distance) AS code GROUP BY distance ORDER BY distance;
SELECT count(*) AS of_4 FROM shq64_variants('0123456789abcdef', 4);
SELECT shq64_variants('0000000000000000', 1) LIMIT 5;
SELECT code FROM shq64_variants('ffffffffffffffff', 2, dotted => true) WITH ORDINALITY AS v(code, n) WHERE n IN (1, 64, 65, 2080) ORDER BY n;
SELECT count(*) AS none FROM shq64_variants('0123456789abcdef', 0);
SELECT count(*) AS null_input FROM shq64_variants(NULL, 1);
SELECT shq64_variants('0123456789abcdef', 5);
SELECT shq64_variants('0123456789abcdef', -1);

-- weighted features: weights of 1 give the unweighted value
SELECT to_simhash64_bytes(array_agg(substr(doc, i, 4)), array_agg(1.0::float8)) = to_simhash64_bytes(doc) AS same_hash
FROM (SELECT 'The quick brown fox jumps over the lazy dog'::bytea) AS t(doc), generate_series(1, 40) AS i GROUP BY doc;
SELECT to_simhash64_bytes('{a,b}'::bytea[], '{3,1}') = to_simhash64_bytes('a', 1) AS heavier_wins, to_simhash64_bytes('{}'::bytea[], '{}') AS none;
SELECT to_simhash64_bytes('{a,b}'::bytea[], '{1}');
SELECT to_simhash64_bytes('{a,NULL}'::bytea[], '{1,1}');
SELECT to_simhash64_bytes('{a}'::bytea[], '{NaN}');
SELECT to_simhash64_bytes('hello world') AS all_bits, to_simhash64_bytes('hello world', num_bits => 20) AS low_bits;
SELECT to_simhash64_bytes('hello world', 4, 0);
SELECT to_simhash64_bytes('hello world', 4, 65);

-- random projection, compatible with uubed
SELECT shq64_project_rust('The quick brown fox jumps over the lazy dog') AS rust, shq64_project_numpy('The quick brown fox jumps over the lazy dog') AS numpy,
	shq64_project_rust('') AS empty, shq64_project_numpy(decode(repeat('80', 100), 'hex')) AS all_128;
CREATE TEMP TABLE projections (name text, input text, planes int, seed bigint, rust text, numpy text);
\copy projections FROM 'test/data/shq64_projection.tsv' (HEADER)
SELECT count(rust) AS rust, count(*) FILTER (WHERE shq64_project_rust(decode(input, 'hex'), planes) = rust) AS same_rust,
	count(numpy) AS numpy, count(*) FILTER (WHERE CASE WHEN numpy IS NOT NULL THEN shq64_project_numpy(decode(input, 'hex'), planes, seed) = numpy END) AS same_numpy
FROM projections WHERE input !~ '\(';
SELECT planes, length(shq64_project_rust('abc', planes)) AS characters FROM unnest('{1,7,8,9,64,8192}'::int[]) AS planes;
SELECT shq64_decode(shq64_project_rust('The quick brown fox jumps over the lazy dog')) <#> shq64_decode(shq64_project_rust('The quick brown fox jumps over the lazy cat')) AS distance;
SELECT count(DISTINCT shq64_project_numpy('abcdefgh', 64, seed)) AS seeds FROM generate_series(0, 9) AS seed;
SELECT count(DISTINCT shq64_project_rust(substr(repeat('txtfp ', 3400), 1, n)::bytea)) AS shapes FROM generate_series(3, 20003, 1000) AS n; -- more than are kept
SELECT shq64_project_rust(NULL), shq64_project_rust('a', NULL), shq64_project_numpy(NULL), shq64_project_numpy('a', 64, NULL);
SELECT shq64_project_rust('a', 0);
SELECT shq64_project_rust('a', 8193);
SELECT shq64_project_numpy('a', 0);
SELECT shq64_project_numpy('a', 60);
SELECT shq64_project_numpy('a', 64, -1);
-- a matrix that is not cached is computed row by row, and can be cancelled
SELECT shq64_project_rust(decode(repeat('61', 70000), 'hex'), 72) <> '' AS not_kept;
SET statement_timeout = '100ms';
\set VERBOSITY sqlstate
SELECT shq64_project_rust(decode(repeat('61', 4000000), 'hex'), 8192);
RESET statement_timeout;
