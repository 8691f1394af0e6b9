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
SELECT to_simhash64_bytes(NULL), to_simhash64_bytes('abcd', NULL), to_simhash64_bytes('abcd', 2147483647);
SELECT to_simhash64_bytes(decode(repeat('0123456789abcdef', 100000), 'hex')); -- toasted
SELECT to_simhash64_bytes('abcd', 0);
SELECT to_simhash64_bytes('abcd', -1);
SELECT to_simhash64_bytes('', 0);

-- codes are ASCII in every encoding: what is not is an error
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

-- a long hash can be stopped
SET statement_timeout = '100ms';
SELECT to_simhash64_bytes(decode(repeat('ab', 4000000), 'hex'), 2000000);
RESET statement_timeout;
