-- The types: storage, forms, casts
BEGIN;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS txtfp;
SELECT plan(34);

-- names, and the properties that PostgreSQL needs for storage

SELECT has_type('minhash64'::name);
SELECT has_type('minhash128'::name);
SELECT has_type('minhash256'::name);
SELECT has_type('minhash_probe'::name);

SELECT set_eq(
	$$SELECT typname::text FROM pg_type JOIN pg_depend ON classid = 'pg_type'::regclass AND objid = pg_type.oid AND deptype = 'e'
		JOIN pg_extension ON pg_extension.oid = refobjid AND extname = 'txtfp' WHERE typelem = 0$$,
	ARRAY['minhash64', 'minhash128', 'minhash256', 'minhash_probe', 'minhash64_compact', 'minhash128_compact', 'minhash256_compact', 'minhash_compact_probe', 'simhash64', 'simhash_probe', 'tlsh', 'tlsh_probe', 'lavinhash', 'lavinhash_probe', 'fingerprint', 'embedding', 'passages', 'passages_probe', 'corpus_words', 'difference_signals'], 'the extension has these types and no other');

SELECT results_eq(
	$$SELECT typname::text COLLATE "default", typlen::int, typbyval, typalign::text, typstorage::text, typcategory::text, typanalyze::text
		FROM pg_type WHERE typname ~ '^minhash' AND typelem = 0 ORDER BY typname COLLATE "C"$$,
	$$VALUES ('minhash128', -1, false, 'd', 'm', 'U', '_minhash_typanalyze'), ('minhash128_compact', -1, false, 'i', 'm', 'U', '_minhash_compact_typanalyze'),
		('minhash256', -1, false, 'd', 'm', 'U', '_minhash_typanalyze'), ('minhash256_compact', -1, false, 'i', 'm', 'U', '_minhash_compact_typanalyze'),
		('minhash64', -1, false, 'd', 'm', 'U', '_minhash_typanalyze'), ('minhash64_compact', -1, false, 'i', 'm', 'U', '_minhash_compact_typanalyze'),
		('minhash_compact_probe', -1, false, 'd', 'e', 'U', '-'), ('minhash_probe', -1, false, 'd', 'e', 'U', '-')$$,
	'variable length, full sketches 8-byte aligned; sketches stay in the row, probes may leave it');
SELECT is_empty(
	$$SELECT typname FROM pg_type WHERE typname ~ '^minhash' AND typelem = 0
		AND (typinput = 0 OR typoutput = 0 OR typreceive = 0 OR typsend = 0 OR typarray = 0)$$, 'text and binary forms, and arrays, for all');
SELECT is_empty(
	$$SELECT typname FROM pg_type WHERE typname ~ '^minhash' AND typelem = 0 AND obj_description(oid, 'pg_type') IS NULL$$, 'all types have comments');

-- 16 + 8 * H bytes

SELECT is(pg_column_size(to_minhash64('a')), 528, 'a minhash64 has 528 bytes');
SELECT is(pg_column_size(to_minhash128('a')), 1040, 'a minhash128 has 1040 bytes');
SELECT is(pg_column_size(to_minhash256('a')), 2064, 'a minhash256 has 2064 bytes');
CREATE TEMP TABLE stored AS SELECT to_minhash64_compact('a') AS a, to_minhash128_compact('a') AS b, to_minhash256_compact('a') AS c;
SELECT results_eq('SELECT pg_column_size(a), pg_column_size(b), pg_column_size(c) FROM stored', 'VALUES (73, 140, 268)', 'compact ones are stored in at most 0.15 times as many');

-- conversions and back

SELECT matches(to_minhash64('a')::text, '^[0-9a-f]{16}:0100000000000000([0-9a-f]{64}){16}$', 'text form of minhash64');
SELECT matches(to_minhash128('a')::text, '^[0-9a-f]{16}:0100000000000000([0-9a-f]{64}){32}$', 'text form of minhash128');
SELECT matches(to_minhash256('a')::text, '^[0-9a-f]{16}:0100000000000000([0-9a-f]{64}){64}$', 'text form of minhash256');
SELECT ok(to_minhash128('a b c')::text::minhash128 = to_minhash128('a b c'), 'text keeps everything');
SELECT is(substr(to_minhash128('a b c')::text, 18), encode(to_minhash128('a b c')::bytea, 'hex'), 'after the configuration comes the wire form');
SELECT is(substr(to_minhash128('a b c')::text, 18)::minhash128::bytea, to_minhash128('a b c')::bytea, 'the wire form alone is read too');
SELECT is(octet_length(to_minhash128('a')::bytea), 1032, 'the wire form has 8 + 8 * H bytes');
SELECT is(to_minhash256('a b c')::bytea::minhash256::bytea, to_minhash256('a b c')::bytea, 'bytea keeps the slots');
SELECT is(to_minhash64('a b c')::jsonb::minhash64::bytea, to_minhash64('a b c')::bytea, 'jsonb keeps the slots');
SELECT ok(to_minhash64('a b c')::jsonb::minhash64 = to_minhash64('a b c'), 'jsonb keeps the configuration');
SELECT ok(minhash_with_config(fp::bytea::minhash64, minhash_config(fp)) = fp, 'so does the wire form with it') FROM to_minhash64('a b c') AS fp;
SELECT ok(to_minhash64(tokenize('a b c'), tokenizer => 'word-uax29') = to_minhash64('a b c', 'word-uax29'), 'and an array of tokens with the name of its tokenizer');
SELECT is(jsonb_array_length(to_minhash128('a')::jsonb->'hashes'), 128, 'jsonb has the slots as an array');
SELECT is((to_minhash128('a')::bytea::minhash128::jsonb) - 'hashes', '{"schema": 1}', 'jsonb of an unknown configuration has the schema, and nothing else');
SELECT is((to_minhash128('a')::jsonb) - 'hashes', jsonb_build_object('schema', 1, 'config', minhash_config(to_minhash128('a'))), 'and that of a known one the configuration');
SELECT is(_to_minhash_probe(to_minhash64('a'), 0.75)::text::minhash_probe::text, _to_minhash_probe(to_minhash64('a'), 0.75)::text, 'text keeps a probe');
SELECT ok(jaccard(to_minhash128('a')::bytea::minhash128, to_minhash128('a')) = 1, 'a sketch from bytes compares with any');

-- casts

SELECT set_eq(
	$$SELECT castsource::regtype::text, casttarget::regtype::text, castcontext::text, castmethod::text FROM pg_cast
		WHERE (castsource IN (SELECT oid FROM pg_type WHERE typname ~ '^minhash') OR casttarget IN (SELECT oid FROM pg_type WHERE typname ~ '^minhash'))
			AND 'fingerprint'::regtype NOT IN (castsource, casttarget)$$,
	$$SELECT t, other, 'e' AS context, 'f' AS method FROM unnest('{minhash64,minhash128,minhash256}'::text[]) AS t, unnest('{bytea,jsonb}'::text[]) AS other
		UNION ALL SELECT other, t, 'e', 'f' FROM unnest('{minhash64,minhash128,minhash256}'::text[]) AS t, unnest('{bytea,jsonb}'::text[]) AS other
		UNION ALL SELECT t, t || '_compact', 'a', 'f' FROM unnest('{minhash64,minhash128,minhash256}'::text[]) AS t
		UNION ALL SELECT t, 'bytea', 'e', 'f' FROM unnest('{minhash64_compact,minhash128_compact,minhash256_compact}'::text[]) AS t
		UNION ALL SELECT 'bytea', t, 'e', 'f' FROM unnest('{minhash64_compact,minhash128_compact,minhash256_compact}'::text[]) AS t$$,
	'casts to and from bytea and jsonb, explicit, to the compact form on assignment, and no others but those of fingerprint');
SELECT is_empty(
	$$SELECT castsource::regtype, casttarget::regtype FROM pg_cast WHERE obj_description(oid, 'pg_cast') IS NULL
		AND (castsource IN (SELECT oid FROM pg_type WHERE typname ~ '^minhash') OR casttarget IN (SELECT oid FROM pg_type WHERE typname ~ '^minhash'))$$, 'all casts have comments');

-- in tables

CREATE TEMP TABLE docs (id int, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED);
SELECT col_type_is('docs', 'fp', 'minhash128', 'a column of the type');
SELECT lives_ok($$INSERT INTO docs VALUES (1, 'some text'), (2, ''), (3, NULL), (4, '...')$$, 'a generated column takes texts without tokens');
SELECT results_eq('SELECT id FROM docs WHERE fp IS NULL ORDER BY id', ARRAY[2, 3, 4], '... as NULL');

SELECT * FROM finish();
ROLLBACK;
