-- lsh_params, lsh_probability, lsh_keys, _first_common_band
\set SHOW_CONTEXT never
SET extra_float_digits = 0; -- reduce noise

-- lsh_params: the rule of least error area

SELECT * FROM lsh_params(0.7, 128);
SELECT lsh_params(0.7, 128) AS record, (lsh_params(num_slots => 128, threshold => 0.5)).bands AS named;

-- 128 slots: the first thousandth at which each banding appears
SELECT min(t) AS from, max(t) AS to, bands, rows, round(lsh_probability(min(t) / 1000.0, bands, rows)::numeric, 4) AS probability
FROM generate_series(1, 999) AS t, lsh_params(t / 1000.0, 128) GROUP BY bands, rows ORDER BY 1;

-- Reference values of txtfp 0.2, thresholds 0.05, 0.10, ... 0.95, 0.99
SELECT slots, count(*) FILTER (WHERE p.bands = expected[i]) AS "as expected", count(*) FILTER (WHERE p.bands * p.rows = slots) AS "rows fill"
FROM (VALUES
	(1, '{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}'::int[]),
	(2, '{2,2,2,2,2,2,2,2,2,2,1,1,1,1,1,1,1,1,1,1}'::int[]),
	(4, '{4,4,4,4,4,4,4,2,2,2,2,2,1,1,1,1,1,1,1,1}'::int[]),
	(8, '{8,8,8,8,8,4,4,4,4,4,4,2,2,2,2,1,1,1,1,1}'::int[]),
	(16, '{16,16,16,8,8,8,8,8,8,4,4,4,4,4,2,2,2,1,1,1}'::int[]),
	(32, '{32,32,16,16,16,16,16,8,8,8,8,8,4,4,4,4,2,2,1,1}'::int[]),
	(64, '{64,32,32,32,32,32,16,16,16,16,16,8,8,8,8,4,4,4,2,1}'::int[]),
	(96, '{96,48,48,48,32,32,32,24,24,16,16,16,12,12,8,8,6,4,3,1}'::int[]),
	(100, '{100,50,50,50,50,25,25,25,25,20,20,20,10,10,10,10,5,5,2,1}'::int[]),
	(120, '{120,60,60,40,40,40,30,30,24,24,20,20,15,15,12,10,8,5,3,1}'::int[]),
	(128, '{128,64,64,64,64,32,32,32,32,32,16,16,16,16,16,8,8,4,4,1}'::int[]),
	(192, '{192,96,96,64,64,48,48,48,32,32,32,24,24,16,16,12,12,8,4,1}'::int[]),
	(256, '{128,128,128,128,64,64,64,64,64,32,32,32,32,32,16,16,16,8,4,2}'::int[]),
	(512, '{256,256,256,128,128,128,128,128,64,64,64,64,64,32,32,32,16,16,8,2}'::int[]),
	(1024, '{512,512,256,256,256,256,256,128,128,128,128,128,64,64,64,64,32,32,16,4}'::int[])) AS v(slots, expected),
	generate_series(1, 20) AS i, lsh_params(least(0.05 * i, 0.99), slots) AS p GROUP BY slots ORDER BY slots;
SELECT * FROM lsh_params(0.5, 4096);
SELECT * FROM lsh_params(0.5, 127);

-- lsh_params with recall: the cheapest banding that reaches it

SELECT threshold, recall, bands, rows, round(lsh_probability(threshold, bands, rows)::numeric, 4) AS reached
FROM (VALUES (0.5, 0.9), (0.5, 0.99), (0.7, 0.9), (0.7, 0.99), (0.8, 0.5), (0.8, 0.9), (0.8, 0.99), (0.8, 0.999), (0.9, 0.99), (0.95, 0.99), (1.0, 0.99), (0.05, 0.99)) AS t(threshold, recall),
	lsh_params(threshold, 128, recall);
SELECT threshold, slots, bands, rows FROM unnest('{0.6,0.8,0.9}'::float8[]) AS threshold, unnest('{64,128,256}'::int[]) AS slots, lsh_params(threshold, slots, recall => 0.99) ORDER BY 1, 2;
-- the promised recall, over a grid
SELECT slots, count(*) AS bandings, count(*) FILTER (WHERE bands * rows <= slots) AS fit, count(*) FILTER (WHERE lsh_probability(t / 20.0, bands, rows) >= recall) AS reach,
	count(*) FILTER (WHERE bands = 1 OR lsh_probability(t / 20.0, bands - 1, rows) < recall) AS "one band fewer does not"
FROM unnest('{64,128,256}'::int[]) AS slots, generate_series(4, 20) AS t, unnest('{0.5,0.8,0.9,0.95,0.99}'::float8[]) AS recall, lsh_params(t / 20.0, slots, recall)
GROUP BY slots ORDER BY slots;

-- Nulls

SELECT lsh_params(NULL, 128) AS threshold, lsh_params(0.5, NULL) AS slots, lsh_params(0.7, 128, NULL) AS "no recall", lsh_params(NULL, 0, 7) AS first;
SELECT count(*), count(bands) AS bands FROM lsh_params(NULL, 128);

-- Errors

SELECT lsh_params(0, 128);
SELECT lsh_params(1, 128);
SELECT lsh_params(-0.1, 128);
SELECT lsh_params(1.1, 128);
SELECT lsh_params('NaN', 128);
SELECT lsh_params('Infinity', 128);
SELECT lsh_params('-Infinity', 128);
-- the rule computes in single precision, in which these values are 1 and 0
SELECT lsh_params(0.99999999, 128);
SELECT lsh_params(1e-50, 128);
SELECT lsh_params(0.5, 0);
SELECT lsh_params(0.5, -128);
SELECT lsh_params(0.5, 4097);
SELECT lsh_params(0.5, 2147483647);
SELECT lsh_params(0, 128, 0.9);
SELECT lsh_params(1.1, 128, 0.9);
SELECT lsh_params('NaN', 128, 0.9);
SELECT lsh_params(0.8, 0, 0.9);
SELECT lsh_params(0.8, 4097, 0.9);
SELECT lsh_params(0.8, 128, 0);
SELECT lsh_params(0.8, 128, 1);
SELECT lsh_params(0.8, 128, -0.5);
SELECT lsh_params(0.8, 128, 1.5);
SELECT lsh_params(0.8, 128, 'NaN');
SELECT lsh_params(0.01, 128, 0.99);
SELECT lsh_params(0.1, 1, 0.5);

-- lsh_probability

SELECT s AS similarity, lsh_probability(s, 1, 1) AS "1x1", lsh_probability(s, 16, 4) AS "16x4", lsh_probability(s, 16, 8) AS "16x8", lsh_probability(s, 32, 4) AS "32x4",
	lsh_probability(s, 128, 1) AS "128x1", lsh_probability(s, 1, 128) AS "1x128"
FROM unnest('{0,0.1,0.25,0.5,0.75,0.9,1}'::float8[]) AS s;
SELECT count(*) FILTER (WHERE abs(lsh_probability(s / 100.0, b, r) - (1 - power(1 - power(s / 100.0, r), b))) < 1e-12) AS "by the formula", count(*)
FROM generate_series(0, 100) AS s, unnest('{1,4,16,128}'::int[]) AS b, unnest('{1,2,4,8}'::int[]) AS r;
-- exact where the formula would round to 0
SELECT lsh_probability(1e-10, 16, 4) AS tiny, lsh_probability(0.5, 2147483647, 1) AS many_bands, lsh_probability(0.5, 1, 2147483647) AS many_rows, lsh_probability(bands => 16, rows => 4, similarity => 0.8) AS named;
SELECT lsh_probability(NULL, 16, 4) AS s, lsh_probability(0.5, NULL, 4) AS b, lsh_probability(0.5, 16, NULL) AS r;
SELECT lsh_probability(-0.1, 16, 4);
SELECT lsh_probability(1.1, 16, 4);
SELECT lsh_probability('NaN', 16, 4);
SELECT lsh_probability('Infinity', 16, 4);
SELECT lsh_probability(0.5, 0, 4);
SELECT lsh_probability(0.5, 16, 0);
SELECT lsh_probability(0.5, -1, 4);

-- lsh_keys

SELECT lsh_keys(to_minhash64('the quick brown fox'), 4, 4) AS keys;
SELECT pg_typeof(k), cardinality(k) AS bands, array_lower(k, 1) AS low, (SELECT count(DISTINCT x) FROM unnest(k) AS x) AS distinct
FROM lsh_keys(fp => to_minhash256('the quick brown fox'), bands => 64, rows => 4) AS k;

-- The key of band 0 is that of txtfp 0.2.
CREATE TEMP TABLE crate (doc text, "128x1" text, "64x2" text, "32x4" text, "16x8" text, "1x128" text);
INSERT INTO crate VALUES
	('the quick brown fox jumps over the lazy dog',
		'c84ff653e6af2543', 'feb67e57696d7808', 'e11363612fd5efbd', '632816956318e2d0', '0c503f87b7239bf6'),
	('the quick brown fox leaps over the lazy dog',
		'da0faad70eb6292b', '423bb0035295c0cf', '42d149efd79cf535', '6327828be234b49f', '075af0b627a5d6fb'),
	('a b',
		'10e85d3bdd569265', '0110440792b66065', '9677c140be9061cb', 'a9a84f0119a841d7', '3910a1ebccac9436'),
	('don''t go! v1.2 RC3 3.14 1,000 example.com http://a:b/c foo_bar e.g. 10:30',
		'36881f4c7e22fff5', '79749afb5d33b3ea', '2cbea6974acf64ff', 'e0fd7aef8fa93733', '85589e903656818f'),
	(U&'caf\00E9 r\00E9sum\00E9 \2014 na\00EFve',
		'5e791b590e4eb0d7', '54a4088613c384f8', '3ea01cddb2a19881', 'd9a4da814fa62830', '2445175b9b9bebc8'),
	(U&'\79C1\306F\65E5\672C\8A9E\3092\52C9\5F37\3057\3066\3044\307E\3059 \6F22\5B57\3068\3072\3089\304C\306A\3068\30AB\30BF\30AB\30CA',
		'03109d206db1cffe', '5f5f8101da8b1dbb', '8e7c8d665abc7a82', '92f2b8bb6cb9186b', 'b438e08f85b11f1e'),
	(U&'\05E9\05DC\05D5\05DD \05E2\05D5\05DC\05DD \05D1\05D3\05D9\05E7\05D4 \05D1\05E2\05D1\05E8\05D9\05EA \05DB\05EA\05D9\05D1\05D4 \05DE\05D9\05DE\05D9\05DF \05DC\05E9\05DE\05D0\05DC \05E6\05D4\05F4\05DC \05D2''\05D9\05E8\05E4\05D4',
		'4a2a33d9b65946b2', '2012d3a0505a46b8', '9b4a06ce852e044c', '19581844838ac9b0', 'b1b7dd603af33b8a'),
	(U&'\+01F468\200D\+01F469\200D\+01F467\200D\+01F466 family emoji \+01F1FA\+01F1F8 flag \+01F3F3\FE0F\200D\+01F308 rainbow',
		'9214f59259613483', '65cd4416a381b7d7', '815aa144160efb9e', '11f77b2965b4da01', 'd8f1325d9f146be5'),
	(U&'STRASSE Stra\00DFe \FB01le \FF21\FF22\FF23\FF11\FF12\FF13 e\00B2 \00BD \210C \338F \0130stanbul',
		'048528fb3629957c', '0e0f495fd7f880d7', '1c89be93232c36a2', '740eb8bbc1f26e38', 'dc8368a14f59c51b');
SELECT count(*), count(*) FILTER (WHERE key = ('x' || hex)::bit(64)::bigint) AS "as expected"
FROM crate, LATERAL (VALUES (128, 1, "128x1"), (64, 2, "64x2"), (32, 4, "32x4"), (16, 8, "16x8"), (1, 128, "1x128")) AS v(bands, rows, hex),
	LATERAL (SELECT (lsh_keys(to_minhash128(doc, 'shingle-k=3/word-uax29'), bands, rows))[1] AS key) AS k;

-- Keys include the band number: bands with equal slots have different keys.
SELECT cardinality(k) AS bands, (SELECT count(DISTINCT x) FROM unnest(k) AS x) AS distinct, k[1:2] AS first
FROM lsh_keys(('0100000000000000' || repeat('0123456789abcdef', 128))::minhash128, 32, 4) AS k;

-- Keys depend on the slots of their band only: not on their number, nor on the configuration.
SELECT lsh_keys(to_minhash64(doc), 16, 4) = lsh_keys(to_minhash128(doc), 16, 4) AS "64 and 128", lsh_keys(to_minhash128(doc), 20, 6) = lsh_keys(to_minhash256(doc), 20, 6) AS "128 and 256",
	lsh_keys(to_minhash128(doc), 8, 4) = (lsh_keys(to_minhash128(doc), 16, 4))[1:8] AS "fewer bands", lsh_keys(to_minhash128(doc), 16, 4) = lsh_keys(to_minhash128(doc)::bytea::minhash128, 16, 4) AS config
FROM (VALUES ('the quick brown fox jumps over the lazy dog')) AS t(doc);

-- Keys are equal if and only if the slots of the band are equal
WITH sketches AS (SELECT i, to_minhash64(format('a b c d e f %s %s', i / 4, i % 4), 'word-uax29') AS fp FROM generate_series(0, 19) AS i),
	keys AS (SELECT i, fp, lsh_keys(fp, 16, 4) AS k FROM sketches)
SELECT count(*) AS pairs, sum(bands) AS "equal bands", count(*) FILTER (WHERE bands = shared) AS agree, count(*) FILTER (WHERE (bands > 0) = (a.k && b.k)) AS "overlap is candidate"
FROM keys AS a JOIN keys AS b ON a.i < b.i, LATERAL (SELECT count(*) FILTER (WHERE substr(a.fp::bytea, 9 + 32 * band, 32) = substr(b.fp::bytea, 9 + 32 * band, 32)) AS bands,
	count(*) FILTER (WHERE a.k[band + 1] = b.k[band + 1]) AS shared FROM generate_series(0, 15) AS band) AS c;

-- The crate's keys: seed 0 for every band, so that equal slots in two bands have one key
SELECT lsh_keys(fp, 4, 2, crate_keys => true) = lsh_keys(fp, 4, 2) AS same, (lsh_keys(fp, 4, 2, true))[1] = (lsh_keys(fp, 4, 2))[1] AS first_same, lsh_keys(fp, 4, 2, false) = lsh_keys(fp, 4, 2) AS default,
	(SELECT count(DISTINCT k) FROM unnest(lsh_keys(('0100000000000000' || repeat('0123456789abcdef', 128))::minhash128, 32, 4, true)) AS k) AS of_equal_slots, lsh_keys(fp, 4, 2, NULL) AS "null"
FROM to_minhash128('the quick brown fox') AS fp;
SELECT lsh_keys(to_minhash64('a'), 0, 4);
SELECT lsh_keys(to_minhash64('a'), 16, 0);
SELECT lsh_keys(to_minhash128('a'), -1, -1);
SELECT lsh_keys(to_minhash64('a'), 17, 4);
SELECT lsh_keys(to_minhash128('a'), 129, 1);
SELECT lsh_keys(to_minhash256('a'), 1, 257);
SELECT lsh_keys(to_minhash256('a'), 65536, 65536);
SELECT lsh_keys(to_minhash256('a'), 2147483647, 2147483647);

-- _first_common_band: the band in which a join over lsh_keys keeps a pair

SELECT _first_common_band(a, a, 16, 4) AS same, _first_common_band(a, to_minhash64('x'), 16, 4) AS other, _first_common_band(b => a, a => a, rows => 64, bands => 1) AS named,
	_first_common_band(NULL, a, 16, 4) AS no_a, _first_common_band(a, a, NULL, 4) AS no_bands, _first_common_band(a, a::bytea::minhash64, 16, 4) AS "unknown configuration"
FROM to_minhash64('the quick brown fox') AS a;
-- the number of the first common key, for every pair and several bandings; a join returns each pair once
CREATE TEMP TABLE bands AS
	SELECT i, b, r, fp, k.* FROM generate_series(0, 59) AS i, (VALUES (16, 4), (42, 3), (8, 16), (128, 1)) AS banding(b, r), to_minhash128(format('a b c d e f g h %s %s', i / 3, i % 7), 'word-uax29') AS fp,
		unnest(lsh_keys(fp, b, r)) WITH ORDINALITY AS k(key, band);
ANALYZE bands;
WITH pairs AS (SELECT x.b, x.r, x.i AS x, y.i AS y, min(x.band) AS first, count(*) AS shared FROM bands AS x JOIN bands AS y USING (key, band, b, r) WHERE x.i < y.i GROUP BY 1, 2, 3, 4)
SELECT b AS bands, r AS rows, count(*) AS pairs, sum(shared) AS "with repetitions", count(*) FILTER (WHERE first = _first_common_band(fx, fy, b, r)) AS agree
FROM pairs JOIN (SELECT DISTINCT i, fp FROM bands) AS a(x, fx) USING (x) JOIN (SELECT DISTINCT i, fp FROM bands) AS b(y, fy) USING (y) GROUP BY 1, 2 ORDER BY 1;
SELECT x.b AS bands, count(*) AS "joined once", count(DISTINCT (x.i, y.i)) AS pairs
FROM bands AS x JOIN bands AS y ON x.key = y.key AND x.b = y.b AND x.i < y.i WHERE _first_common_band(x.fp, y.fp, x.b, x.r) = x.band GROUP BY 1 ORDER BY 1;
SELECT count(*) AS "none in common" FROM bands AS x JOIN bands AS y ON x.i < y.i AND x.band = 1 AND y.band = 1 AND x.b = 16 AND y.b = 16
WHERE (_first_common_band(x.fp, y.fp, 16, 4) IS NULL) IS DISTINCT FROM NOT lsh_keys(x.fp, 16, 4) && lsh_keys(y.fp, 16, 4);
DROP TABLE bands;

SELECT _first_common_band(to_minhash64('a'), to_minhash64('a'), 0, 4);
SELECT _first_common_band(to_minhash64('a'), to_minhash64('a'), 16, 0);
SELECT _first_common_band(to_minhash64('a'), to_minhash64('a'), 17, 4);
SELECT _first_common_band(to_minhash256('a'), to_minhash256('a'), 2147483647, 2147483647);
SELECT _first_common_band(to_minhash64('a'), to_minhash64('a', seed => 1), 16, 4);
