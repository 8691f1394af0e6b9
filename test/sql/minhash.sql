-- The types minhash64, minhash128, minhash256: forms, order, configuration guard, storage
\set SHOW_CONTEXT never

-- A wire form in hex: head, then a slot (16 hex digits) repeated.
CREATE FUNCTION wire(slots int, slot text, head text DEFAULT '0100000000000000') RETURNS text LANGUAGE sql IMMUTABLE
	AS $$ SELECT head || repeat(slot, slots) $$;

-- Shortens long forms: the first characters, the length, and a hash of all.
CREATE FUNCTION brief(t text) RETURNS text LANGUAGE sql IMMUTABLE
	AS $$ SELECT format('%s... %s %s', left(t, 37), length(t), md5(t)) $$;

-- Returns the error that a statement raises.
CREATE FUNCTION error_of(statement text, OUT state text, OUT message text, OUT detail text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement;
	state := '00000';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
END $$;

-- Text form

SELECT brief(wire(64, '0123456789abcdef')::minhash64::text) AS minhash64;
SELECT brief(wire(128, '0123456789abcdef')::minhash128::text) AS minhash128;
SELECT brief(wire(256, '0123456789abcdef')::minhash256::text) AS minhash256;

-- With a configuration; upper case is read, lower case written.
SELECT brief(('FEDCBA9876543210:' || upper(wire(64, '0123456789abcdef')))::minhash64::text) AS minhash64,
	('0000000000000000:' || wire(64, '0123456789abcdef'))::minhash64 = wire(64, '0123456789abcdef')::minhash64 AS zero_is_unknown;
SELECT left(f, 37) AS form, f::minhash64::text = lower(f) AS kept
FROM (SELECT '8000000000000001:' || wire(64, 'ffffffffffffffff') UNION ALL SELECT 'FFFFFFFFFFFFFFFF:' || wire(64, '0000000000000000')) AS t(f);

SELECT pg_typeof(fp), pg_column_size(fp), length(fp::text) AS text, length(fp::bytea) AS wire FROM (SELECT wire(64, '0123456789abcdef')::minhash64) AS t(fp);
SELECT pg_typeof(fp), pg_column_size(fp), length(fp::text) AS text, length(fp::bytea) AS wire FROM (SELECT wire(128, '0123456789abcdef')::minhash128) AS t(fp);
SELECT pg_typeof(fp), pg_column_size(fp), length(fp::text) AS text, length(fp::bytea) AS wire FROM (SELECT wire(256, '0123456789abcdef')::minhash256) AS t(fp);

-- Malformed literals

SELECT ''::minhash64;
SELECT 'x'::minhash128;
SELECT minhash_similar(to_minhash128('x'), 'hello', 0.8);
SELECT 'cafe'::minhash128;
SELECT ' '::minhash256;
SELECT '0100000000000000'::minhash64;
SELECT ':'::minhash64;
SELECT '0123456789abcdef:'::minhash64;
SELECT U&'M\00FCller aus der Stra\00DFe nach N\00FCrnberg und zur\00FCck aus der Stadt \00FCber M\00FCnster'::minhash64;
-- the message shows 40 bytes at most, and whole characters
SELECT (repeat('a', 59) || U&'\00E9 and more')::minhash64;
SELECT (repeat('a', 59) || U&'\00E9 and more')::minhash128;

SELECT what, (error_of(format('SELECT %L::minhash64', form))).*
FROM (VALUES
	('two digits short', left(wire(64, '0123456789abcdef'), -2)),
	('one digit short', left(wire(64, '0123456789abcdef'), -1)),
	('one digit long', wire(64, '0123456789abcdef') || '0'),
	('two digits long', wire(64, '0123456789abcdef') || '00'),
	('blank in front', ' ' || wire(64, '0123456789abcdef')),
	('blank behind', wire(64, '0123456789abcdef') || ' '),
	('other type', wire(128, '0123456789abcdef')),
	('no digit, first', 'g' || substr(wire(64, '0123456789abcdef'), 2)),
	('no digit, last', left(wire(64, '0123456789abcdef'), -1) || 'g'),
	('no digit, a letter of two bytes', left(wire(64, '0123456789abcdef'), -2) || U&'\00E9'),
	('\x in front', '\x' || substr(wire(64, '0123456789abcdef'), 3)),
	('schema 0', wire(64, '0123456789abcdef', '0000000000000000')),
	('schema 2', wire(64, '0123456789abcdef', '0200000000000000')),
	('schema 257', wire(64, '0123456789abcdef', '0101000000000000')),
	('schema 1, big-endian', wire(64, '0123456789abcdef', '0001000000000000')),
	('configuration of 15 digits', '0123456789abcde:' || wire(64, '0123456789abcdef')),
	('configuration of 17 digits', '0123456789abcdef0:' || wire(64, '0123456789abcdef')),
	('configuration with a bad digit', '0123456789abcdeg:' || wire(64, '0123456789abcdef')),
	('two configurations', '0123456789abcdef:0123456789abcdef:' || wire(64, '0123456789abcdef')),
	('a configuration alone', '0123456789abcdef'),
	('another separator', '0123456789abcdef-' || wire(64, '0123456789abcdef')),
	('separator alone', ':' || wire(64, '0123456789abcdef'))) AS t(what, form);
SELECT byte, (error_of(format('SELECT %L::minhash128', overlay(wire(128, '0123456789abcdef') PLACING '01' FROM 2 * byte + 1)))).*
FROM generate_series(1, 7) AS byte;
SELECT (error_of(format('SELECT %L::minhash128', wire(64, '0123456789abcdef')))).message, (error_of(format('SELECT %L::minhash256', wire(128, '0123456789abcdef')))).message;

-- From PostgreSQL 16 on these are soft errors.
DO $$
DECLARE
	problem text;
	found text;
BEGIN
	IF current_setting('server_version_num')::int >= 160000 THEN
		FOREACH problem IN ARRAY ARRAY['', wire(64, '0123456789abcdeg'), wire(64, '0123456789abcdef', '0200000000000000'), ':' || wire(64, '0123456789abcdef')] LOOP
			EXECUTE 'SELECT sql_error_code FROM pg_input_error_info($1, ''minhash64'')' INTO found USING problem;
			ASSERT found = '22P02', problem;
			EXECUTE 'SELECT sql_error_code FROM pg_input_error_info($1, ''minhash_probe'')' INTO found USING '0.8/' || problem;
			ASSERT found = '22P02', problem;
		END LOOP;
	END IF;
END $$;

-- bytea: the wire form, without the configuration

SELECT brief(fp::bytea::text), fp::bytea::minhash64 = fp AS same, fp::bytea::minhash64::bytea = fp::bytea AS same_slots
FROM (VALUES (wire(64, '0123456789abcdef')::minhash64), (('00000000000000ff:' || wire(64, '0123456789abcdef'))::minhash64)) AS t(fp);
SELECT decode(wire(128, 'ff00ff00ff00ff00'), 'hex')::minhash128::text = '0000000000000000:' || wire(128, 'ff00ff00ff00ff00') AS minhash128,
	decode(wire(256, 'ff00ff00ff00ff00'), 'hex')::minhash256::text = '0000000000000000:' || wire(256, 'ff00ff00ff00ff00') AS minhash256;

SELECT ''::bytea::minhash64;
SELECT '\x01'::bytea::minhash128;
SELECT what, (error_of(format('SELECT %L::bytea::minhash64', '\x' || form))).*
FROM (VALUES
	('a byte short', left(wire(64, '0123456789abcdef'), -2)), ('a byte long', wire(64, '0123456789abcdef') || '00'),
	('other type', wire(256, '0123456789abcdef')), ('schema 2', wire(64, '0123456789abcdef', '0200000000000000')),
	('padding', wire(64, '0123456789abcdef', '0100000000000001'))) AS t(what, form);

-- jsonb: schema, slots and, where it is known, the configuration

SELECT j->'schema' AS schema, jsonb_array_length(j->'hashes') AS slots, j->'hashes'->0 AS first, j->'hashes'->63 AS last, j::minhash64 = fp AS same
FROM (SELECT fp, fp::jsonb AS j FROM (SELECT wire(64, 'ffffffffffffffff')::minhash64 UNION ALL SELECT wire(64, '0100000000000080')::minhash64) AS t(fp)) AS u;
SELECT (fp::jsonb::minhash128) = fp AS minhash128 FROM (SELECT wire(128, '0123456789abcdef')::minhash128) AS t(fp);
SELECT (fp::jsonb::minhash256) = fp AS minhash256 FROM (SELECT wire(256, '0123456789abcdef')::minhash256) AS t(fp);
SELECT fp::jsonb -> 'config' AS config, fp::jsonb::minhash64 = fp AS same, (fp::jsonb - 'config')::minhash64 = wire(64, '0123456789abcdef')::minhash64 AS without_configuration
FROM (SELECT ('00000000000000fe:' || wire(64, '0123456789abcdef'))::minhash64 UNION ALL SELECT wire(64, '0123456789abcdef')::minhash64) AS t(fp);
SELECT left((fp::jsonb || '{"config": "00000000000000FE"}')::minhash64::text, 20) AS upper_case, left((fp::jsonb || '{"config": "0000000000000000"}')::minhash64::text, 20) AS unknown
FROM (SELECT wire(64, '0123456789abcdef')::minhash64) AS t(fp);

-- as txtfp writes it, and equivalent forms
SELECT brief(jsonb_build_object('hashes', (SELECT jsonb_agg(i) FROM generate_series(1, 64) AS i), 'schema', 1)::minhash64::text),
	brief(jsonb_build_object('hashes', (SELECT jsonb_agg(i * 1e1) FROM generate_series(1, 64) AS i), 'schema', 1)::minhash64::text),
	brief((format('{"schema": 7, "hashes": %s, "schema": 1}', (SELECT json_agg(i) FROM generate_series(1, 64) AS i))::jsonb)::minhash64::text);

SELECT '{}'::jsonb::minhash64;
SELECT '[]'::jsonb::minhash128;
SELECT what, (error_of(format('SELECT %L::jsonb::minhash64', j))).*
FROM (SELECT jsonb_agg(i) AS slots FROM generate_series(1, 64) AS i) AS s, LATERAL (VALUES
	('null', 'null'::jsonb), ('a number', '1'), ('a string', '"x"'), ('the slots alone', slots),
	('no schema', jsonb_build_object('hashes', slots)),
	('no hashes', '{"schema": 1}'),
	('two other keys', '{"a": 1, "b": 2}'),
	('a key too many', jsonb_build_object('schema', 1, 'hashes', slots, '_pad', 0)),
	('a fourth key', jsonb_build_object('schema', 1, 'hashes', slots, 'config', '0123456789abcdef', '_pad', 0)),
	('config a number', jsonb_build_object('schema', 1, 'hashes', slots, 'config', 1)),
	('config null', jsonb_build_object('schema', 1, 'hashes', slots, 'config', NULL)),
	('config too short', jsonb_build_object('schema', 1, 'hashes', slots, 'config', '0123456789abcde')),
	('config no digits', jsonb_build_object('schema', 1, 'hashes', slots, 'config', '0123456789abcdeg')),
	('schema 2', jsonb_build_object('schema', 2, 'hashes', slots)),
	('schema 1.0', jsonb_build_object('schema', 1.0, 'hashes', slots)),
	('schema as a string', jsonb_build_object('schema', '1', 'hashes', slots)),
	('schema null', jsonb_build_object('schema', NULL, 'hashes', slots)),
	('hashes null', '{"schema": 1, "hashes": null}'),
	('hashes an object', '{"schema": 1, "hashes": {}}'),
	('hashes a string', '{"schema": 1, "hashes": "x"}'),
	('hashes empty', '{"schema": 1, "hashes": []}'),
	('one short', jsonb_build_object('schema', 1, 'hashes', slots - 63)),
	('one long', jsonb_build_object('schema', 1, 'hashes', slots || '1')),
	('negative', jsonb_build_object('schema', 1, 'hashes', jsonb_set(slots, '{0}', '-1'))),
	('2^64', jsonb_build_object('schema', 1, 'hashes', jsonb_set(slots, '{63}', '18446744073709551616'))),
	('a fraction', jsonb_build_object('schema', 1, 'hashes', jsonb_set(slots, '{1}', '1.5'))),
	('a string', jsonb_build_object('schema', 1, 'hashes', jsonb_set(slots, '{2}', '"1"'))),
	('a null', jsonb_build_object('schema', 1, 'hashes', jsonb_set(slots, '{3}', 'null'))),
	('an array', jsonb_build_object('schema', 1, 'hashes', jsonb_set(slots, '{4}', '[1]')))) AS t(what, j);

-- All casts are explicit.
CREATE TEMP TABLE assigned (fp minhash64, b bytea, j jsonb);
INSERT INTO assigned (fp) VALUES ('\x01'::bytea);
INSERT INTO assigned (fp) VALUES ('{}'::jsonb);
INSERT INTO assigned (b) SELECT wire(64, '0123456789abcdef')::minhash64;
INSERT INTO assigned (j) SELECT wire(64, '0123456789abcdef')::minhash64;
SELECT wire(64, '0123456789abcdef')::minhash64::minhash128;
DROP TABLE assigned;

-- Binary form: configuration, wire form

CREATE TABLE sketches (id int, a minhash64, b minhash128, c minhash256);
INSERT INTO sketches VALUES
	(1, wire(64, '0123456789abcdef')::minhash64, wire(128, '0123456789abcdef')::minhash128, wire(256, '0123456789abcdef')::minhash256),
	(2, ('fedcba9876543210:' || wire(64, '0123456789abcdef'))::minhash64, NULL, ('00000000000000ff:' || wire(256, '00ff00ff00ff00ff'))::minhash256),
	(3, NULL, NULL, NULL);
SELECT id, brief(_minhash64_send(a)::text) AS minhash64, length(_minhash128_send(b)) AS minhash128, length(_minhash256_send(c)) AS minhash256 FROM sketches;

CREATE TABLE copied (LIKE sketches);
\copy sketches TO 'results/minhash.copy' WITH (FORMAT binary)
\copy copied FROM 'results/minhash.copy' WITH (FORMAT binary)
SELECT id, s.a = c.a AS a, s.b = c.b AS b, s.c = c.c AS c, s.c::text = c.c::text AS text FROM sketches AS s JOIN copied AS c USING (id) ORDER BY id;
TRUNCATE copied;
\copy sketches TO 'results/minhash.copy'
\copy copied FROM 'results/minhash.copy'
SELECT id, s.a = c.a AS a, s.b = c.b AS b, s.c = c.c AS c FROM sketches AS s JOIN copied AS c USING (id) ORDER BY id;

-- A bytea field of COPY can contain any bytes, so also a malformed sketch.
CREATE TABLE one (fp minhash64);
CREATE FUNCTION field(config text, wire text) RETURNS bytea LANGUAGE sql AS $$ SELECT decode(config || wire, 'hex') $$;
\copy (SELECT field('0000000000000001', wire(64, '0123456789abcdef'))) TO 'results/minhash.copy' WITH (FORMAT binary)
\copy one FROM 'results/minhash.copy' WITH (FORMAT binary)
SELECT brief(fp::text) FROM one;
\copy (SELECT ''::bytea) TO 'results/minhash.copy' WITH (FORMAT binary)
\copy one FROM 'results/minhash.copy' WITH (FORMAT binary)
\copy (SELECT field('00000000000000', '')) TO 'results/minhash.copy' WITH (FORMAT binary)
\copy one FROM 'results/minhash.copy' WITH (FORMAT binary)
\copy (SELECT field('0000000000000001', '')) TO 'results/minhash.copy' WITH (FORMAT binary)
\copy one FROM 'results/minhash.copy' WITH (FORMAT binary)
\copy (SELECT field('', wire(64, '0123456789abcdef'))) TO 'results/minhash.copy' WITH (FORMAT binary)
\copy one FROM 'results/minhash.copy' WITH (FORMAT binary)
\copy (SELECT field('0000000000000001', wire(64, '0123456789abcdef') || '00')) TO 'results/minhash.copy' WITH (FORMAT binary)
\copy one FROM 'results/minhash.copy' WITH (FORMAT binary)
\copy (SELECT field('0000000000000001', wire(64, '0123456789abcdef', '0200000000000000'))) TO 'results/minhash.copy' WITH (FORMAT binary)
\copy one FROM 'results/minhash.copy' WITH (FORMAT binary)
\copy (SELECT field('0000000000000001', wire(64, '0123456789abcdef', '0100000000000080'))) TO 'results/minhash.copy' WITH (FORMAT binary)
\copy one FROM 'results/minhash.copy' WITH (FORMAT binary)
\copy (SELECT field('0000000000000001', wire(128, '0123456789abcdef'))) TO 'results/minhash.copy' WITH (FORMAT binary)
\copy one FROM 'results/minhash.copy' WITH (FORMAT binary)
\set VERBOSITY sqlstate
\copy one FROM 'results/minhash.copy' WITH (FORMAT binary)
\set VERBOSITY default
SELECT count(*) FROM one;

-- minhash_probe: a sketch with its threshold

SELECT brief(_to_minhash_probe(a, 0.75)::text) AS minhash64, length(_to_minhash_probe(b, 1)::text) AS minhash128,
	length(_to_minhash_probe(c, 0)::text) AS minhash256 FROM sketches WHERE id = 1;
SELECT (_to_minhash_probe(a, t)::text)::minhash_probe::text = _to_minhash_probe(a, t)::text AS same, split_part(_to_minhash_probe(a, t)::text, '/', 1) AS threshold
FROM sketches, unnest('{0,1e-300,0.1,0.3333333333333333,0.8,1}'::float8[]) AS t WHERE id = 2;
CREATE TABLE probes (probe minhash_probe);
\copy (SELECT _to_minhash_probe(a, 0.8) FROM sketches) TO 'results/minhash.copy' WITH (FORMAT binary)
\copy probes FROM 'results/minhash.copy' WITH (FORMAT binary)
SELECT brief(probe::text) FROM probes;
SELECT _to_minhash_probe(a, -0.01) FROM sketches WHERE id = 1;
SELECT _to_minhash_probe(b, 1.01) FROM sketches WHERE id = 1;
SELECT _to_minhash_probe(c, 'NaN') FROM sketches WHERE id = 1;
SELECT _to_minhash_probe(c, '-Infinity') FROM sketches WHERE id = 1;
SELECT ''::minhash_probe;
SELECT '0.8'::minhash_probe;
SELECT '0.8/'::minhash_probe;
SELECT (repeat('a', 59) || U&'\00E9 and more')::minhash_probe;
SELECT left(form, 8) AS form, (error_of(format('SELECT %L::minhash_probe', form))).*
FROM (SELECT threshold || '/' || wire(64, '0123456789abcdef') FROM unnest('{"",x,1.5,-0.1,nan,inf," 0.8","0.8 ",0.8/0.8,1e-400}'::text[]) AS threshold) AS t(form);
SELECT (error_of(format('SELECT %L::minhash_probe', '0.8/' || form))).*
FROM (VALUES (left(wire(64, '0123456789abcdef'), -2)), (wire(63, '0123456789abcdef')), (wire(64, '0123456789abcdef', '0200000000000000')),
	(wire(64, '012345678-abcdef')), ('0123456789abcde:' || wire(64, '0123456789abcdef'))) AS t(form);
CREATE FUNCTION probe_field(threshold float8, config text, wire text) RETURNS bytea LANGUAGE sql
	AS $$ SELECT float8send(threshold) || field(config, wire) $$;
TRUNCATE probes;
\copy (SELECT probe_field(0.5, '0000000000000001', wire(64, '0123456789abcdef'))) TO 'results/minhash.copy' WITH (FORMAT binary)
\copy probes FROM 'results/minhash.copy' WITH (FORMAT binary)
SELECT brief(probe::text) FROM probes;
\copy (SELECT probe_field(1.5, '0000000000000001', wire(64, '0123456789abcdef'))) TO 'results/minhash.copy' WITH (FORMAT binary)
\copy probes FROM 'results/minhash.copy' WITH (FORMAT binary)
\copy (SELECT probe_field('NaN', '0000000000000001', wire(64, '0123456789abcdef'))) TO 'results/minhash.copy' WITH (FORMAT binary)
\copy probes FROM 'results/minhash.copy' WITH (FORMAT binary)
\copy (SELECT probe_field(0.5, '0000000000000001', '')) TO 'results/minhash.copy' WITH (FORMAT binary)
\copy probes FROM 'results/minhash.copy' WITH (FORMAT binary)
\copy (SELECT probe_field(0.5, '0000000000000001', wire(65, '0123456789abcdef'))) TO 'results/minhash.copy' WITH (FORMAT binary)
\copy probes FROM 'results/minhash.copy' WITH (FORMAT binary)
\copy (SELECT probe_field(0.5, '0000000000000001', wire(64, '0123456789abcdef', '0200000000000000'))) TO 'results/minhash.copy' WITH (FORMAT binary)
\copy probes FROM 'results/minhash.copy' WITH (FORMAT binary)
\set VERBOSITY sqlstate
\copy probes FROM 'results/minhash.copy' WITH (FORMAT binary)
\set VERBOSITY default
\copy (SELECT float8send(0.5)) TO 'results/minhash.copy' WITH (FORMAT binary)
\copy probes FROM 'results/minhash.copy' WITH (FORMAT binary)
SELECT count(*) FROM probes;
DROP TABLE sketches, copied, one, probes;

-- Order: by configuration, then by slots, as unsigned numbers

CREATE TABLE ordered (name text, fp minhash64);
INSERT INTO ordered VALUES
	('config 2^63', ('8000000000000000:' || wire(64, '0000000000000000'))::minhash64),
	('config 2', ('0000000000000002:' || wire(64, '0000000000000000'))::minhash64),
	('config 1', ('0000000000000001:' || wire(64, 'ffffffffffffffff'))::minhash64),
	('slots 2^63', wire(64, '0000000000000080')::minhash64),
	('slots 1', wire(64, '0100000000000000')::minhash64),
	('slots 256', wire(64, '0001000000000000')::minhash64),
	('last slot 2', (wire(63, '0100000000000000') || '0200000000000000')::minhash64),
	('slots 0', wire(64, '0000000000000000')::minhash64),
	('slots 1 again', wire(64, '0100000000000000')::minhash64),
	('null', NULL);
SELECT rank() OVER (ORDER BY fp), name FROM ordered ORDER BY fp, name COLLATE "C";
SELECT a.name AS a, b.name AS b, a.fp < b.fp AS lt, a.fp <= b.fp AS le, a.fp = b.fp AS eq, a.fp <> b.fp AS ne, a.fp >= b.fp AS ge,
	a.fp > b.fp AS gt, _minhash64_cmp(a.fp, b.fp) AS cmp
FROM ordered AS a, ordered AS b WHERE a.name = 'slots 1' ORDER BY b.fp, b.name COLLATE "C";

-- The other two types compare in the same way.
SELECT _minhash128_cmp(a, b) AS cmp, a < b AS lt, a <= b AS le, a = b AS eq, a <> b AS ne, a >= b AS ge, a > b AS gt
FROM (VALUES (wire(128, '0100000000000000')::minhash128, (wire(127, '0100000000000000') || '0200000000000000')::minhash128)) AS t(a, b);
SELECT _minhash256_cmp(a, b) AS cmp, a < b AS lt, a <= b AS le, a = b AS eq, a <> b AS ne, a >= b AS ge, a > b AS gt
FROM (VALUES ((wire(255, '0100000000000000') || '0200000000000000')::minhash256, wire(256, '0100000000000000')::minhash256)) AS t(a, b);

-- Equal values have equal hashes; values that differ in a single bit have different ones.
SELECT count(*) AS values, count(DISTINCT fp) AS distinct, count(DISTINCT _minhash64_hash(fp)) AS hashes,
	count(DISTINCT _minhash64_hash_extended(fp, 0)) AS extended, count(DISTINCT _minhash64_hash_extended(fp, 1)) AS seeded,
	bool_and(_minhash64_hash_extended(fp, 0) <> _minhash64_hash_extended(fp, 1)) AS seed_matters
FROM ordered WHERE fp IS NOT NULL;
SELECT _minhash128_hash(a) = _minhash128_hash(b) AS last_slot, _minhash128_hash(a) = _minhash128_hash(c) AS config, _minhash128_hash(a) = _minhash128_hash(d) AS same
FROM (VALUES (wire(128, '0100000000000000')::minhash128, (wire(127, '0100000000000000') || '0200000000000000')::minhash128,
	('0000000000000001:' || wire(128, '0100000000000000'))::minhash128, ('0000000000000000:' || wire(128, '0100000000000000'))::minhash128)) AS t(a, b, c, d);
SELECT _minhash256_hash(a) = _minhash256_hash(b) AS last_slot, _minhash256_hash_extended(a, 7) = _minhash256_hash_extended(a, 7) AS same
FROM (VALUES (wire(256, '0100000000000000')::minhash256, (wire(255, '0100000000000000') || '0200000000000000')::minhash256)) AS t(a, b);
SELECT bool_and((_minhash128_hash(fp))::bit(32) = (_minhash128_hash_extended(fp, 0)::bit(64) << 32)::bit(32)) AS low_half
FROM to_minhash128('a b c d e f') AS fp;

-- DISTINCT, GROUP BY, joins, set operations, indexes

\getenv abs_srcdir PG_ABS_SRCDIR
\set include :abs_srcdir '/include/plans.sql'
\set ECHO none
\i :include
\set ECHO all
CREATE FUNCTION plan(query text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(concat_ws(' ', node->>'Node Type', node->>'Strategy', node->>'Index Name'), ' > ' ORDER BY n)
	FROM plan_nodes(query) WITH ORDINALITY AS nodes(depth, node, n) $$;

ANALYZE ordered;
SET enable_sort = off;
SELECT plan('SELECT fp, count(*) FROM ordered GROUP BY fp');
SELECT count(*) AS n, string_agg(name, ', ' ORDER BY name COLLATE "C") AS names FROM ordered GROUP BY fp HAVING count(*) > 1;
SELECT count(*) FROM (SELECT DISTINCT fp FROM ordered) AS t;
RESET enable_sort;
SET enable_hashagg = off;
SELECT plan('SELECT fp, count(*) FROM ordered GROUP BY fp');
SELECT count(*) AS n, string_agg(name, ', ' ORDER BY name COLLATE "C") AS names FROM ordered GROUP BY fp HAVING count(*) > 1;
SELECT count(*) FROM (SELECT DISTINCT fp FROM ordered) AS t;
RESET enable_hashagg;
SELECT count(*) FROM (SELECT fp FROM ordered INTERSECT SELECT fp FROM ordered WHERE name LIKE 'slots%') AS t;
SELECT count(*) FROM (SELECT fp FROM ordered EXCEPT SELECT fp FROM ordered WHERE name LIKE 'slots%') AS t;

SET enable_mergejoin = off;
SET enable_nestloop = off;
SELECT plan('SELECT * FROM ordered AS a JOIN ordered AS b USING (fp)');
SELECT count(*) FROM ordered AS a JOIN ordered AS b USING (fp);
RESET enable_mergejoin;
SET enable_hashjoin = off;
SELECT plan('SELECT * FROM ordered AS a JOIN ordered AS b USING (fp)');
SELECT count(*) FROM ordered AS a JOIN ordered AS b USING (fp);
SELECT count(*) FROM ordered AS a FULL JOIN ordered AS b USING (fp);
RESET enable_hashjoin;
RESET enable_nestloop;

SELECT count(*) FROM ordered WHERE fp IN (SELECT fp FROM ordered WHERE name = 'slots 1');
SELECT name FROM ordered WHERE fp = ANY (ARRAY(SELECT fp FROM ordered WHERE name IN ('config 1', 'slots 0'))) ORDER BY name COLLATE "C";

CREATE TABLE uniq (fp minhash256 UNIQUE);
INSERT INTO uniq SELECT ('0000000000000001:' || wire(256, lpad(to_hex(i), 16, '0')))::minhash256 FROM generate_series(1, 500) AS i;
INSERT INTO uniq SELECT wire(256, lpad(to_hex(i), 16, '0'))::minhash256 FROM generate_series(1, 500) AS i;
\set VERBOSITY terse
INSERT INTO uniq SELECT wire(256, lpad(to_hex(7), 16, '0'))::minhash256;
\set VERBOSITY default
INSERT INTO uniq SELECT wire(256, lpad(to_hex(i), 16, '0'))::minhash256 FROM generate_series(400, 600) AS i ON CONFLICT DO NOTHING;
SELECT count(*) FROM uniq;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT plan('SELECT count(*) FROM uniq WHERE fp < ''' || wire(256, '0000000000000001') || '''::minhash256');
SELECT count(*) FROM uniq WHERE fp < ('0000000000000001:' || wire(256, '0000000000000000'))::minhash256;
SELECT count(*) FROM uniq WHERE fp >= ('0000000000000001:' || wire(256, '0000000000000000'))::minhash256;
CREATE INDEX uniq_hash ON uniq USING hash (fp);
ALTER TABLE uniq DROP CONSTRAINT uniq_fp_key;
SELECT plan('SELECT count(*) FROM uniq WHERE fp = ''' || wire(256, '0000000000000001') || '''::minhash256');
SELECT count(*) FROM uniq WHERE fp = wire(256, lpad(to_hex(255), 16, '0'))::minhash256;
RESET enable_seqscan;
RESET enable_bitmapscan;
DROP TABLE ordered, uniq;

CREATE TABLE parts (fp minhash64) PARTITION BY HASH (fp);
CREATE TABLE parts_0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parts SELECT wire(64, lpad(to_hex(i), 16, '0'))::minhash64 FROM generate_series(1, 100) AS i;
SELECT count(*), count(DISTINCT tableoid) AS partitions FROM parts;
SELECT count(*) FROM parts WHERE fp = wire(64, lpad(to_hex(77), 16, '0'))::minhash64;
DROP TABLE parts;

-- The configuration check: similarity functions raise an error for different known configurations.

CREATE TABLE guarded (name text PRIMARY KEY, a minhash64, b minhash128, c minhash256);
INSERT INTO guarded
SELECT name, (config || ':' || wire(64, '0123456789abcdef'))::minhash64, (config || ':' || wire(128, '0123456789abcdef'))::minhash128,
	(config || ':' || wire(256, '0123456789abcdef'))::minhash256
FROM (VALUES ('one', '0000000000000001'), ('two', '0000000000000002'), ('unknown', '0000000000000000')) AS t(name, config);

SELECT jaccard(x.a, y.a) FROM guarded AS x, guarded AS y WHERE x.name = 'one' AND y.name = 'two';
SELECT jaccard(x.b, y.b) FROM guarded AS x, guarded AS y WHERE x.name = 'two' AND y.name = 'one';
SELECT jaccard(x.c, y.c) FROM guarded AS x, guarded AS y WHERE x.name = 'one' AND y.name = 'two';
SELECT type, expression, (error_of(format('SELECT %s FROM guarded AS x, guarded AS y WHERE x.name = ''one'' AND y.name = ''two''',
	replace(replace(replace(expression, 'X', 'x.' || col), 'Y', 'y.' || col), 'T', type)))).*
FROM (VALUES ('a', 'minhash64'), ('b', 'minhash128'), ('c', 'minhash256')) AS types(col, type),
	unnest('{jaccard(X\, Y),"jaccard_distance(X, Y)",X <%> Y,X % Y,"minhash_similar(X, Y, 0)","minhash_similar(X, Y, 1)","X % _to_minhash_probe(Y, 0)"}'::text[]) WITH ORDINALITY AS e(expression, n)
ORDER BY length(type), type, n;
SELECT expression, (error_of(format('SELECT %s FROM guarded AS x, guarded AS y WHERE x.name = ''one'' AND y.name = ''two''', expression))).*
FROM unnest(ARRAY['x.a = y.a', 'x.b <> y.b', 'x.c < y.c', 'x.a <= y.a', 'x.b > y.b', 'x.c >= y.c', '_minhash64_cmp(x.a, y.a)', '_minhash128_hash(x.b)',
	'lsh_keys(x.a, 16, 4)', '_to_minhash_probe(x.b, 0.5)', 'x.c::bytea = y.c::bytea', 'x.a::jsonb = y.a::jsonb']) AS expression;
SELECT count(DISTINCT a) AS a, count(DISTINCT b) AS b, count(DISTINCT c) AS c FROM guarded;
SELECT name FROM guarded ORDER BY a DESC;

-- A value with an unknown configuration can be compared with all.
SELECT x.name AS x, y.name AS y, jaccard(x.a, y.a) AS a, jaccard(x.b, y.b) AS b, jaccard(x.c, y.c) AS c, x.b <%> y.b AS distance, x.c % y.c AS similar,
	minhash_similar(x.a, y.a, 1) AS similar_1, x.b % _to_minhash_probe(y.b, 1) AS probe
FROM guarded AS x, guarded AS y WHERE 'unknown' IN (x.name, y.name) ORDER BY x.name COLLATE "C", y.name COLLATE "C";

-- Values of different sizes have no operator in common; a probe can be of another size.
\set VERBOSITY terse
SELECT jaccard(a, b) FROM guarded;
\set VERBOSITY default
SELECT a % _to_minhash_probe(b, 0.5) FROM guarded;
SELECT c % _to_minhash_probe(a, 0.5) FROM guarded;
DROP TABLE guarded;

-- Similarity

SELECT matching, jaccard(a, b) AS jaccard, jaccard_distance(a, b) AS distance, a <%> b AS operator, a % b AS similar, minhash_similar(a, b, 0.75) AS "0.75",
	minhash_similar(a, b, 0.25) AS "0.25", minhash_similar(a, b, 1) AS "1", minhash_similar(a, b, 0) AS "0", a % _to_minhash_probe(b, 0.25) AS probe
FROM unnest('{0,1,32,96,102,103,127,128}'::int[]) AS matching,
	LATERAL (SELECT wire(128, '0123456789abcdef')::minhash128 AS a, (wire(matching, '0123456789abcdef') || repeat('00112233445566ff', 128 - matching))::minhash128 AS b) AS t;
SELECT jaccard(wire(64, '0123456789abcdef')::minhash64, (wire(21, '0123456789abcdef') || repeat('00112233445566ff', 43))::minhash64) AS minhash64,
	jaccard(wire(256, '0123456789abcdef')::minhash256, (wire(1, '0123456789abcdef') || repeat('00112233445566ff', 255))::minhash256) AS minhash256;

SET txtfp.jaccard_threshold = 0.25;
SELECT wire(64, '0123456789abcdef')::minhash64 % (wire(16, '0123456789abcdef') || repeat('00112233445566ff', 48))::minhash64 AS "16 of 64",
	wire(64, '0123456789abcdef')::minhash64 % (wire(15, '0123456789abcdef') || repeat('00112233445566ff', 49))::minhash64 AS "15 of 64";
RESET txtfp.jaccard_threshold;

SELECT minhash_similar(fp, fp, -0.1) FROM to_minhash64('a') AS fp;
SELECT minhash_similar(fp, fp, 1.1) FROM to_minhash128('a') AS fp;
SELECT minhash_similar(fp, fp, 'NaN') FROM to_minhash256('a') AS fp;

-- Nulls

SELECT NULL::minhash64 AS text, NULL::bytea::minhash64 AS bytea, NULL::jsonb::minhash64 AS jsonb, NULL::minhash128::bytea AS to_bytea, NULL::minhash256::jsonb AS to_jsonb;
SELECT jaccard(fp, NULL) AS jaccard, jaccard_distance(NULL, fp) AS distance, fp <%> NULL AS "<%>", fp % NULL::minhash64 AS "%", minhash_similar(fp, NULL, 0.5) AS similar,
	minhash_similar(fp, fp, NULL) AS threshold, minhash_similar(fp, NULL, 7) AS both, _to_minhash_probe(fp, NULL) AS probe, fp % NULL::minhash_probe AS "% probe", lsh_keys(fp, NULL, 4) AS keys,
	fp = NULL AS "=", fp < NULL AS "<", fp IS NULL AS is_null, fp IS DISTINCT FROM NULL AS distinct_from
FROM to_minhash64('a') AS fp;

-- Wide rows: the document moves out of line, the sketch stays.

CREATE TABLE docs (id int PRIMARY KEY, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED);
INSERT INTO docs SELECT id, (SELECT string_agg(md5(id || ' ' || i), ' ') FROM generate_series(1, 20 * id * id) AS i) FROM generate_series(1, 12) AS id;
CREATE TABLE before AS SELECT id, fp::text FROM docs;
SELECT count(*), min(pg_column_size(fp)), max(pg_column_size(fp)), max(length(body)) AS longest FROM docs;
SELECT count(*) FILTER (WHERE to_minhash128(body) = docs.fp) AS recomputed, count(*) FILTER (WHERE docs.fp::text = before.fp) AS same FROM docs JOIN before USING (id);
VACUUM FULL docs;
CLUSTER docs USING docs_pkey;
SELECT count(*) FILTER (WHERE to_minhash128(body) = docs.fp) AS recomputed, count(*) FILTER (WHERE docs.fp::text = before.fp) AS same FROM docs JOIN before USING (id);
UPDATE docs SET body = left(body, length(body) / 2) WHERE id > 6;
SELECT count(*) FILTER (WHERE to_minhash128(body) = docs.fp) AS recomputed, count(*) FILTER (WHERE docs.fp::text = before.fp) AS same FROM docs JOIN before USING (id);
DROP TABLE docs, before;

-- More sketches than a page holds: some move out of line, and nothing changes.
CREATE TABLE wide (id int, a minhash256, b minhash256, c minhash256, d minhash256, e minhash256, f minhash256);
INSERT INTO wide SELECT id, to_minhash256('a ' || id), to_minhash256('b ' || id), to_minhash256('c ' || id), to_minhash256('d ' || id), to_minhash256('e ' || id), to_minhash256('f ' || id)
FROM generate_series(1, 50) AS id;
CREATE INDEX ON wide USING gin (a, f);
CREATE INDEX ON wide (c);
SELECT pg_relation_size(reltoastrelid) > 0 AS toasted FROM pg_class WHERE oid = 'wide'::regclass;
SELECT count(*) FILTER (WHERE a = to_minhash256('a ' || id)) AS a, count(*) FILTER (WHERE c::text = to_minhash256('c ' || id)::text) AS c,
	count(*) FILTER (WHERE jaccard(f, to_minhash256('f ' || id)) = 1) AS f, count(DISTINCT (a, b, c, d, e, f)) AS rows FROM wide;
SELECT count(*) FROM wide AS x JOIN wide AS y ON x.f = y.f AND x.a % y.a;
VACUUM FULL wide;
ANALYZE wide;
SELECT count(*) FROM wide AS x JOIN wide AS y ON x.f = y.f AND x.a % y.a;
DROP TABLE wide;

-- A sketch that compresses (all slots equal) is read as well as one that does not.
CREATE TABLE squeezed (id int, fp minhash256);
ALTER TABLE squeezed ALTER fp SET STORAGE extended;
INSERT INTO squeezed SELECT id, ('00000000000000ff:' || wire(256, lpad(to_hex(id), 16, '0')))::minhash256 FROM generate_series(1, 20) AS id;
SELECT max(pg_column_size(fp)) < 300 AS compressed, bool_and(fp = ('00000000000000ff:' || wire(256, lpad(to_hex(id), 16, '0')))::minhash256) AS equal,
	bool_and(jaccard(fp, fp) = 1) AS jaccard, bool_and(fp % fp) AS similar, count(DISTINCT fp) AS distinct, max(length(fp::text)) AS text FROM squeezed;
CREATE INDEX ON squeezed USING gin (fp);
CREATE INDEX ON squeezed (fp);
CREATE INDEX ON squeezed USING hash (fp);
ANALYZE squeezed;
SET enable_seqscan = off;
SELECT count(*) FROM squeezed AS a JOIN squeezed AS b ON a.fp % b.fp;
SELECT id FROM squeezed WHERE fp = ('00000000000000ff:' || wire(256, lpad(to_hex(7), 16, '0')))::minhash256;
SELECT id FROM squeezed WHERE fp % _to_minhash_probe(('00000000000000ff:' || wire(256, lpad(to_hex(7), 16, '0')))::minhash256, 0.9);
RESET enable_seqscan;
DROP TABLE squeezed;

-- Inside other types
SELECT cardinality(fps) AS n, jaccard(fps[1], fps[3]) AS "1-3", fps[2] IS NULL AS "2 is null", array_position(fps, fps[3]) AS position
FROM (SELECT ARRAY[to_minhash128('a'), NULL, to_minhash128('b')]) AS t(fps);
CREATE DOMAIN known AS minhash64 CHECK (left(VALUE::text, 16) <> '0000000000000000');
SELECT jaccard(to_minhash64('a')::known, to_minhash64('a')) AS domain;
\set VERBOSITY terse
SELECT to_minhash64(ARRAY['a'])::known;
\set VERBOSITY default
SELECT ROW(1, to_minhash64('a')) = ROW(1, to_minhash64('a')) AS equal, ROW(1, to_minhash64('a')) < ROW(2, to_minhash64('a')) AS less;
DO $$
DECLARE
	fp minhash128 := to_minhash128('a b c');
	probe minhash_probe := _to_minhash_probe(fp, 1);
BEGIN
	RAISE NOTICE 'in PL/pgSQL: % % %', fp % probe, jaccard(fp, fp), length(fp::text);
END $$;
DROP DOMAIN known;
DROP FUNCTION wire, brief, error_of, field, probe_field, plan, estimate, index_of, plan_nodes;
