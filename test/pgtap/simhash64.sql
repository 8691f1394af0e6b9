-- simhash64: casts, SQLSTATEs, and promised properties
BEGIN;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS txtfp;
SELECT plan(18);

SELECT set_eq(
	$$SELECT format('%s %s %s', castsource::regtype, casttarget::regtype, castcontext) FROM pg_cast
		WHERE 'simhash64'::regtype IN (castsource, casttarget) AND 'fingerprint'::regtype NOT IN (castsource, casttarget)$$,
	$$SELECT format(f, other) FROM unnest('{bytea,jsonb,bigint,bit}'::text[]) AS other, unnest('{simhash64 %s e,%s simhash64 e}'::text[]) AS f$$,
	'casts, all explicit (but those of fingerprint)');
SELECT ok((SELECT typbyval AND typlen = 8 FROM pg_type WHERE oid = 'simhash64'::regtype), 'eight bytes, by value');
SELECT is('0102030405060708'::simhash64::bytea, '\x0807060504030201'::bytea, 'wire form is little-endian');
SELECT is('ffffffffffffffff'::simhash64::bigint, -1::bigint, 'bigint has the same bits');
SELECT is('ffffffffffffffff'::simhash64::jsonb, '18446744073709551615'::jsonb, 'jsonb is unsigned');

SELECT throws_ok($$SELECT 'x'::simhash64$$, '22P02');
SELECT throws_ok($$SELECT '\x00'::bytea::simhash64$$, '22P03');
SELECT throws_ok($$SELECT '-1'::jsonb::simhash64$$, '22023');
SELECT throws_ok($$SELECT B'1'::simhash64$$, '22026');
SELECT throws_ok($$SELECT 'x/3'::simhash_probe$$, '22P02');
SELECT throws_ok($$SELECT simhash_similar('0000000000000000', '0000000000000000', 65)$$, '22023');
SELECT throws_ok($$SELECT to_simhash64('a', weighting => 'x')$$, '22023');
SELECT throws_ok($$SELECT to_simhash64('a', weighting => 'idf')$$, '22023');
SELECT throws_ok($$SELECT to_simhash64('a', weighting => 'idf', idf => '{"a": 1e39}')$$, '22003');
SELECT throws_ok($$SELECT to_simhash64(ARRAY['a'], ARRAY[1.0, 2.0])$$, '2202E');
SELECT throws_ok($$SELECT to_simhash64(ARRAY[NULL::text], ARRAY[1.0])$$, '22004');

SELECT is(current_setting('txtfp.hamming_threshold'), '7', 'default distance of %');
SELECT is(to_simhash64(''), NULL, 'a text without tokens has no SimHash');

SELECT * FROM finish();
ROLLBACK;
