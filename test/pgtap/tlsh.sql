-- tlsh: storage, casts, SQLSTATEs, operator classes, and promised properties
BEGIN;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS txtfp;
SELECT plan(27);

SELECT results_eq(
	$$SELECT typname::text COLLATE "default", typlen::int, typbyval, typalign::text, typstorage::text, typcategory::text, typanalyze::text
		FROM pg_type WHERE typname IN ('tlsh', 'tlsh_probe') ORDER BY typname$$,
	$$VALUES ('tlsh', 35, false, 'c', 'p', 'U', '_tlsh_typanalyze'), ('tlsh_probe', 40, false, 'i', 'p', 'U', '-')$$, 'fixed length, without padding');
SELECT is(pg_column_size(repeat('0', 70)::tlsh), 35, 'a tlsh has 35 bytes');
SELECT set_eq(
	$$SELECT format('%s %s %s', castsource::regtype, casttarget::regtype, castcontext) FROM pg_cast WHERE 'tlsh'::regtype IN (castsource, casttarget)$$,
	ARRAY['bytea tlsh e', 'tlsh bytea e', 'tlsh fingerprint a', 'fingerprint tlsh e'], 'casts');
SELECT is(upper('T1' || encode(to_tlsh(repeat('The quick brown fox jumps. ', 5))::bytea, 'hex')), to_tlsh(repeat('The quick brown fox jumps. ', 5))::text, 'text and bytes have the same digits');
SELECT is(to_tlsh('Lovak won the squad prize cup for sixty big jumps.'::bytea)::text, 'T14A90024954691E114404124180D942C1450F8423775ADE1510211420456593621A8173', 'a digest of the reference library');

SELECT throws_ok($$SELECT 'x'::tlsh$$, '22P02');
SELECT throws_ok($$SELECT 'TNULL'::tlsh$$, '22P02');
SELECT throws_ok($$SELECT '\x00'::bytea::tlsh$$, '22P03');
SELECT throws_ok($$SELECT 'x/3'::tlsh_probe$$, '22P02');
SELECT throws_ok($$SELECT to_tlsh('a', 'x')$$, '22023');
SELECT throws_ok($$SELECT tlsh_reason('a', 'x')$$, '22023');
SELECT throws_ok($$SELECT tlsh_similar(repeat('0', 70)::tlsh, repeat('0', 70)::tlsh, -1)$$, '22023');
SELECT throws_ok($$SELECT _to_tlsh_probe(repeat('0', 70)::tlsh, 2474)$$, '22023');
SELECT throws_ok($$SET txtfp.tlsh_threshold = 2474$$, '22023');

SELECT is(current_setting('txtfp.tlsh_threshold'), '40', 'default distance of %');
SELECT is(to_tlsh('too short for a digest'), NULL, 'under 50 bytes there is no digest');
SELECT is(to_tlsh(repeat('a', 100)), NULL, 'nor for one byte again and again');
SELECT is(tlsh_reason('too short for a digest'), 'too short', 'reason: too short');
SELECT is(tlsh_reason(repeat('a', 100)), 'too uniform', 'reason: too uniform');
SELECT is(tlsh_reason('Lovak won the squad prize cup for sixty big jumps.'), NULL, 'no reason where there is a digest');
SELECT is(tlsh_distance(repeat('0', 70)::tlsh, ('0808' || repeat('F', 66))::tlsh), 2473 - 84 - 84 + 2, 'distances add up: length, ratios, checksum, body');
SELECT is(tlsh_distance(repeat('0', 70)::tlsh, ('010888' || repeat('F', 64))::tlsh), 2473, 'the greatest distance');
SELECT is(tlsh_distance(repeat('0', 70)::tlsh, ('010888' || repeat('F', 64))::tlsh, false), 937, 'the greatest without length');

SELECT bag_eq($$SELECT amname::text, amopstrategy::int, amopopr::regoperator::text, amoppurpose::text, COALESCE(s.opfname, '') FROM pg_amop JOIN pg_opfamily AS f ON f.oid = amopfamily JOIN pg_am ON pg_am.oid = opfmethod
		LEFT JOIN pg_opfamily AS s ON s.oid = amopsortfamily WHERE f.opfname = 'tlsh_sketch_ops'$$,
	$$VALUES ('sketch', 1, '%(tlsh,tlsh_probe)', 's', ''), ('sketch', 2, '%(tlsh,tlsh)', 's', ''), ('sketch', 3, '=(tlsh,tlsh)', 's', ''), ('sketch', 4, '%=(tlsh,tlsh_probe)', 's', ''), ('sketch', 15, '<~>(tlsh,tlsh)', 'o', 'integer_ops')$$, 'strategies of the indexes');
SELECT bag_eq($$SELECT proname::text FROM pg_proc WHERE prosupport = '_tlsh_similar_support'::regproc$$, ARRAY['tlsh_similar', '_tlsh_similar_op', '_exactly_similar'], 'functions with planner support');

-- an index on digests can be dumped and restored, because its definition names objects of the extension
CREATE TEMP TABLE digests (fp tlsh);
CREATE INDEX digests_fp ON digests USING sketch (fp);
SELECT is(substring(pg_get_indexdef('digests_fp'::regclass), 'USING .*'), 'USING sketch (fp)', 'tlsh_sketch_ops is the default');
SELECT is_empty($$SELECT n, to_tlsh(repeat(md5('x'), 3)) FROM generate_series(1, 3) AS n WHERE to_tlsh(repeat(md5('x'), 3)) IS DISTINCT FROM to_tlsh(repeat(md5('x'), 3)::bytea)$$, 'ASCII in lower case is its own canonical form');

SELECT * FROM finish();
ROLLBACK;
