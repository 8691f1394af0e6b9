-- lavinhash: storage, casts, operator classes, SQLSTATEs, and promised properties
BEGIN;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS txtfp;
SELECT plan(42);

SELECT results_eq(
	$$SELECT typname::text COLLATE "default", typlen::int, typbyval, typalign::text, typstorage::text, typanalyze::text FROM pg_type WHERE typname ~ '^lavinhash' ORDER BY typname COLLATE "C"$$,
	$$VALUES ('lavinhash', -1, false, 'i', 'm', '_lavinhash_typanalyze'), ('lavinhash_probe', -1, false, 'i', 'e', '-')$$, 'variable length; values stay in the row, probes may leave it');
SELECT is_empty($$SELECT typname FROM pg_type WHERE typname ~ '^lavinhash' AND typelem = 0 AND (typreceive = 0 OR typsend = 0 OR typarray = 0 OR obj_description(oid, 'pg_type') IS NULL)$$, 'binary forms, arrays and comments');
SELECT is(pg_column_size(to_lavinhash(repeat('x', 65))), 1033, 'the shortest value, with its header');
SELECT is(pg_column_size(to_lavinhash(decode(repeat('00', 16639), 'hex'))), 1162, 'the longest');
SELECT set_eq(
	$$SELECT format('%s %s %s', castsource::regtype, casttarget::regtype, castcontext) FROM pg_cast WHERE 'lavinhash'::regtype IN (castsource, casttarget)$$,
	ARRAY['lavinhash bytea e', 'bytea lavinhash e', 'lavinhash fingerprint a', 'fingerprint lavinhash e'], 'casts');
SELECT is(to_lavinhash(repeat('x', 99))::bytea::lavinhash, to_lavinhash(repeat('x', 99)), 'bytea keeps a value');
SELECT is(to_lavinhash(repeat('x', 99))::text::lavinhash, to_lavinhash(repeat('x', 99)), 'text keeps a value');
SELECT is(to_lavinhash(repeat('x', 99))::text, encode(to_lavinhash(repeat('x', 99))::bytea, 'hex'), 'the text form is the serialized form in hexadecimal');
SELECT is(_lavinhash_send(to_lavinhash(repeat('x', 99))), to_lavinhash(repeat('x', 99))::bytea, 'the binary form is the serialized form');

SELECT bag_eq($$SELECT amname::text, opcname::text, opcintype::regtype::text, opcdefault, opckeytype::regtype::text, amvalidate(pg_opclass.oid), obj_description(pg_opclass.oid, 'pg_opclass') IS NOT NULL
	FROM pg_opclass JOIN pg_am ON pg_am.oid = opcmethod WHERE opcname ~ '^lavinhash'$$,
	$$VALUES ('btree', 'lavinhash_btree_ops', 'lavinhash', true, '-', true, true), ('hash', 'lavinhash_hash_ops', 'lavinhash', true, '-', true, true), ('gin', 'lavinhash_lsh_ops', 'lavinhash', true, 'bigint', true, true), ('sketch', 'lavinhash_sketch_ops', 'lavinhash', true, '-', true, true)$$, 'operator classes');
SELECT bag_eq($$SELECT amopstrategy::int, amopopr::regoperator::text, amoppurpose::text FROM pg_amop JOIN pg_opfamily ON pg_opfamily.oid = amopfamily WHERE opfname = 'lavinhash_lsh_ops'$$,
	$$VALUES (1, '%(lavinhash,lavinhash)', 's'), (2, '%(lavinhash,lavinhash_probe)', 's')$$, 'strategies of the index');
SELECT bag_eq($$SELECT amprocnum::int FROM pg_amproc JOIN pg_opfamily ON pg_opfamily.oid = amprocfamily WHERE opfname = 'lavinhash_lsh_ops'$$, ARRAY[1, 2, 3, 4, 6, 7], 'support functions of the index');
SELECT is((SELECT prosupport::regproc::text FROM pg_proc WHERE proname = 'lavinhash_similar'), '_lavinhash_similar_support', 'lavinhash_similar has planner support');
SELECT ok((SELECT min(procost) >= 100 FROM pg_proc WHERE proname = 'to_lavinhash'), 'the cost of a fingerprint');
SELECT is_empty($$SELECT proname FROM pg_proc WHERE proname ~ '^lavinhash_(similarity|structure|content|similar|distance)$' AND procost <= 1$$, 'what takes longer than an addition says so');

SELECT throws_ok($$SELECT ''::lavinhash$$, '22P02', 'invalid input syntax for type lavinhash: ""');
SELECT throws_ok($$SELECT 'x'::lavinhash$$, '22P02', 'invalid input syntax for type lavinhash: "x"');
SELECT throws_ok(format($$SELECT %L::lavinhash$$, '48018300' || repeat('00', 1155)), '22P02', NULL, 'a structure over 130 bytes');
SELECT throws_ok(format($$SELECT %L::lavinhash$$, to_lavinhash(repeat('x', 65))::text || '00'), '22P02', NULL, 'a byte too many');
SELECT throws_ok(format($$SELECT %L::lavinhash$$, left(to_lavinhash(repeat('x', 65))::text, -2)), '22P02', NULL, 'a byte too few');
SELECT throws_ok($$SELECT '\x00'::bytea::lavinhash$$, '22P03', 'invalid serialized form of lavinhash');
SELECT throws_ok($$SELECT (to_lavinhash(repeat('x', 65))::bytea || '\x00')::lavinhash$$, '22P03');
SELECT throws_ok($$SELECT '50/'::lavinhash_probe$$, '22P02');
SELECT throws_ok(format($$SELECT '101/%s'::lavinhash_probe$$, to_lavinhash(repeat('x', 65))), '22P02');
SELECT throws_ok(format('SELECT to_lavinhash(%L, %s)', 'a', m), '22023', format('min_modulus must be between 1 and 1000000, not %s', m)) FROM unnest('{0,-1,1000001}'::int[]) AS m;
SELECT throws_ok(format('SELECT lavinhash_similarity(fp, fp, %L) FROM to_lavinhash(repeat(''x'', 65)) AS fp', a), '22023', format('alpha must be between 0 and 1, not %s', a)) FROM unnest('{-0.5,1.5,NaN,Infinity}'::float8[]) AS a;
SELECT throws_ok($$SELECT lavinhash_similar(fp, fp, 101) FROM to_lavinhash(repeat('x', 65)) AS fp$$, '22023', 'min_score must be between 0 and 100, not 101');
SELECT throws_ok($$SELECT _to_lavinhash_probe(to_lavinhash(repeat('x', 65)), -1)$$, '22023', 'min_score must be between 0 and 100, not -1');

SELECT is(current_setting('txtfp.lavinhash_threshold'), '80', 'default score of %');
SELECT is(to_lavinhash(''), NULL, 'the empty document has no fingerprint');
SELECT is(to_lavinhash(repeat('x', 64)), NULL, 'nor has a short one');
CREATE TEMP TABLE docs AS SELECT id, to_lavinhash(decode(repeat(md5((id / 3)::text), 20) || repeat(md5(id::text), id % 7), 'hex')) AS fp FROM generate_series(1, 60) AS id;
CREATE TEMP TABLE pairs AS SELECT a.fp AS a, b.fp AS b FROM docs AS a, docs AS b;
SELECT is_empty('SELECT 1 FROM pairs WHERE lavinhash_similarity(a, b) <> lavinhash_similarity(b, a) OR (a <-> b) <> 100 - lavinhash_similarity(a, b) OR (a <-> b) <> lavinhash_distance(a, b)', 'symmetric, and <-> is 100 - similarity');
SELECT is_empty('SELECT 1 FROM pairs WHERE lavinhash_similarity(a, b) NOT BETWEEN 0 AND 100 OR lavinhash_structure(a, b) NOT BETWEEN 0 AND 1 OR lavinhash_content(a, b) NOT BETWEEN 0 AND 1', 'within bounds');
SELECT is_empty('SELECT 1 FROM docs WHERE lavinhash_similarity(fp, fp) <> 100 OR lavinhash_similarity(fp, fp, 0.77) <> 100', '100 for equals');
SELECT is_empty('SELECT 1 FROM pairs WHERE a % b <> (lavinhash_similarity(a, b) >= 80) OR b % a <> (a % b)', '% is similarity >= 80');
SELECT is_empty('SELECT 1 FROM pairs, unnest(''{0,30,50,75,100}''::int[]) AS t WHERE lavinhash_similar(a, b, t) <> (lavinhash_similarity(a, b) >= t) OR a % _to_lavinhash_probe(b, t) <> (lavinhash_similarity(a, b) >= t)', 'so are lavinhash_similar and probes');
SELECT is_empty('SELECT 1 FROM pairs WHERE lavinhash_similarity(a, b, 0) <> floor(100 * lavinhash_content(a, b)::real)::int OR lavinhash_similarity(a, b, 1) <> floor(100 * lavinhash_structure(a, b)::real)::int', 'alpha 0 is the content, alpha 1 the structure');

SELECT * FROM finish();
ROLLBACK;
