-- The operators and operator classes
BEGIN;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS txtfp;
SELECT plan(16);

CREATE TEMP VIEW ours AS
SELECT pg_operator.* FROM pg_operator JOIN pg_depend ON classid = 'pg_operator'::regclass AND objid = pg_operator.oid AND deptype = 'e'
	JOIN pg_extension ON pg_extension.oid = refobjid AND extname = 'txtfp';

SELECT bag_eq($$SELECT oid::regoperator::text, oprresult::regtype::text FROM ours$$, $$
	SELECT replace(o, 'T', type), result FROM unnest('{minhash64,minhash128,minhash256}'::text[]) AS type, (VALUES ('=(T,T)', 'boolean'), ('<>(T,T)', 'boolean'), ('<(T,T)', 'boolean'), ('<=(T,T)', 'boolean'),
		('>(T,T)', 'boolean'), ('>=(T,T)', 'boolean'), ('<%>(T,T)', 'double precision'), ('%(T,T)', 'boolean'), ('%(T,minhash_probe)', 'boolean'), ('%&(T,minhash_probe)', 'boolean'), ('%=(T,minhash_probe)', 'boolean')) AS of_each(o, result)
	UNION ALL SELECT replace(o, 'T', type), result FROM unnest('{minhash64_compact,minhash128_compact,minhash256_compact}'::text[]) AS type, (VALUES ('=(T,T)', 'boolean'), ('<>(T,T)', 'boolean'), ('<(T,T)', 'boolean'), ('<=(T,T)', 'boolean'),
		('>(T,T)', 'boolean'), ('>=(T,T)', 'boolean'), ('<%>(T,T)', 'double precision'), ('%(T,T)', 'boolean'), ('%(T,minhash_compact_probe)', 'boolean'), ('%&(T,minhash_compact_probe)', 'boolean'), ('%=(T,minhash_compact_probe)', 'boolean')) AS of_compact(o, result)
	UNION ALL SELECT replace(o, 'T', 'simhash64'), result FROM (VALUES ('=(T,T)', 'boolean'), ('<>(T,T)', 'boolean'), ('<(T,T)', 'boolean'), ('<=(T,T)', 'boolean'),
		('>(T,T)', 'boolean'), ('>=(T,T)', 'boolean'), ('<#>(T,T)', 'integer'), ('%(T,T)', 'boolean'), ('%(T,simhash_probe)', 'boolean'), ('%=(T,simhash_probe)', 'boolean')) AS simhash(o, result)
	UNION ALL SELECT replace(o, 'T', 'passages'), 'boolean' FROM unnest('{"=(T,T)","<>(T,T)","<(T,T)","<=(T,T)",">(T,T)",">=(T,T)","%(T,passages_probe)"}'::text[]) AS o
	UNION ALL SELECT format('%s(fingerprint,fingerprint)', o), 'boolean' FROM unnest('{=,<>,<,<=,>,>=}'::text[]) AS o
	UNION ALL SELECT replace(o, 'T', 'embedding'), result FROM (VALUES ('=(T,T)', 'boolean'), ('<>(T,T)', 'boolean'), ('<(T,T)', 'boolean'), ('<=(T,T)', 'boolean'),
		('>(T,T)', 'boolean'), ('>=(T,T)', 'boolean'), ('<=>(T,T)', 'double precision')) AS embedding(o, result)
	UNION ALL SELECT replace(o, 'T', 'lavinhash'), result FROM (VALUES ('=(T,T)', 'boolean'), ('<>(T,T)', 'boolean'), ('<(T,T)', 'boolean'), ('<=(T,T)', 'boolean'),
		('>(T,T)', 'boolean'), ('>=(T,T)', 'boolean'), ('<->(T,T)', 'integer'), ('%(T,T)', 'boolean'), ('%(T,lavinhash_probe)', 'boolean'), ('%=(T,lavinhash_probe)', 'boolean')) AS lavinhash(o, result)
	UNION ALL SELECT replace(o, 'T', 'tlsh'), result FROM (VALUES ('=(T,T)', 'boolean'), ('<>(T,T)', 'boolean'), ('<(T,T)', 'boolean'), ('<=(T,T)', 'boolean'),
		('>(T,T)', 'boolean'), ('>=(T,T)', 'boolean'), ('<~>(T,T)', 'integer'), ('%(T,T)', 'boolean'), ('%(T,tlsh_probe)', 'boolean'), ('%=(T,tlsh_probe)', 'boolean')) AS tlsh(o, result)$$, 'operators');
SELECT bag_eq($$SELECT DISTINCT oprname::text, regexp_replace(proname, '^_?(minhash|simhash|tlsh|lavinhash|fingerprint|embedding|passages)\d*(_compact)?_', 'type_') FROM ours JOIN pg_proc ON pg_proc.oid = oprcode$$, $$
	VALUES ('=', 'type_eq'), ('<>', 'type_ne'), ('<', 'type_lt'), ('<=', 'type_le'), ('>', 'type_gt'), ('>=', 'type_ge'), ('<%>', 'jaccard_distance'),
		('%', 'type_similar_op'), ('%', 'type_matches_probe'), ('%=', 'type_matches_probe'), ('%&', 'type_matches_probe_leakproof'), ('<#>', 'hamming'), ('<->', 'type_distance'), ('<~>', 'type_distance_op'), ('<=>', 'cosine_distance')$$, 'every operator has a function that does the same');
SELECT bag_eq($$SELECT DISTINCT o.oprname::text AS name, c.oprname::text AS commutator, n.oprname::text AS negator FROM ours AS o LEFT JOIN ours AS c ON c.oid = o.oprcom AND c.oprleft = o.oprright LEFT JOIN ours AS n ON n.oid = o.oprnegate AND n.oprleft = o.oprleft WHERE o.oprleft = o.oprright$$,
	$$VALUES ('=', '=', '<>'), ('<>', '<>', '='), ('<', '>', '>='), ('<=', '>=', '>'), ('>', '<', '<='), ('>=', '<=', '<'), ('<%>', '<%>', NULL), ('<#>', '<#>', NULL), ('<->', '<->', NULL), ('<~>', '<~>', NULL), ('<=>', '<=>', NULL), ('%', '%', NULL)$$, 'commutators and negators');
SELECT bag_eq($$SELECT oid::regoperator::text FROM ours WHERE oprcanhash AND oprcanmerge$$, ARRAY['=(minhash64,minhash64)', '=(minhash128,minhash128)', '=(minhash256,minhash256)', '=(minhash64_compact,minhash64_compact)', '=(minhash128_compact,minhash128_compact)', '=(minhash256_compact,minhash256_compact)', '=(simhash64,simhash64)', '=(tlsh,tlsh)', '=(lavinhash,lavinhash)', '=(embedding,embedding)', '=(fingerprint,fingerprint)', '=(passages,passages)'], 'equality hashes and merges');
SELECT is_empty($$SELECT oid::regoperator FROM ours WHERE oprcanhash <> (oprname = '=') OR oprcanmerge <> (oprname = '=')$$, '... and nothing else does');
SELECT bag_eq($$SELECT DISTINCT oprname::text, (oprright::regtype::text ~ '_probe$'), oprrest::regproc::text, oprjoin::regproc::text FROM ours WHERE oprname = '%'$$,
	$$VALUES ('%', false, '_minhash_sel', '_minhash_joinsel'), ('%', true, '_minhash_probe_sel', '_minhash_joinsel'),
		('%', false, '_minhash_compact_sel', '_minhash_compact_joinsel'), ('%', true, '_minhash_compact_probe_sel', '_minhash_compact_joinsel'),
		('%', false, '_simhash64_sel', '_simhash64_joinsel'), ('%', true, '_simhash_probe_sel', '_simhash64_joinsel'),
		('%', false, '_tlsh_sel', '_tlsh_joinsel'), ('%', true, '_tlsh_probe_sel', '_tlsh_joinsel'),
		('%', false, '_lavinhash_sel', '_lavinhash_joinsel'), ('%', true, '_lavinhash_probe_sel', '_lavinhash_joinsel'), ('%', true, '_passages_sel', '_passages_joinsel')$$, 'similarity has its own estimators');
SELECT is_empty($$SELECT oid::regoperator FROM ours WHERE oprresult = 'boolean'::regtype AND (oprrest = 0 OR oprjoin = 0)$$, 'no condition is without estimators');
SELECT is_empty($$SELECT oid::regoperator FROM ours WHERE obj_description(oid, 'pg_operator') IS NULL$$, 'all operators have comments');

SELECT bag_eq($$SELECT amname::text, opcname::text, opcintype::regtype::text, opcdefault, CASE opckeytype WHEN 0 THEN NULL ELSE opckeytype::regtype::text END
	FROM pg_opclass JOIN pg_am ON pg_am.oid = opcmethod WHERE opcname ~ '^((min|sim|lavin)hash|tlsh|fingerprint)'$$,
	$$SELECT am, type || '_' || name AS name, type, true AS by_default, key FROM unnest('{minhash64,minhash128,minhash256}'::text[]) AS type,
		(VALUES ('btree', 'btree_ops', NULL), ('hash', 'hash_ops', NULL), ('gin', 'lsh_ops', 'bigint'), ('sketch', 'sketch_ops', NULL)) AS of_each(am, name, key)
	UNION ALL SELECT am, type || '_' || name AS name, type, true AS by_default, key FROM unnest('{minhash64_compact,minhash128_compact,minhash256_compact}'::text[]) AS type,
		(VALUES ('btree', 'btree_ops', NULL), ('hash', 'hash_ops', NULL), ('gin', 'lsh_ops', 'bigint'), ('sketch', 'sketch_ops', NULL)) AS of_compact(am, name, key)
	UNION ALL VALUES ('btree', 'simhash64_btree_ops', 'simhash64', true, NULL), ('hash', 'simhash64_hash_ops', 'simhash64', true, NULL), ('gin', 'simhash64_ops', 'simhash64', true, 'bigint'), ('sketch', 'simhash64_sketch_ops', 'simhash64', true, NULL),
		('btree', 'tlsh_btree_ops', 'tlsh', true, NULL), ('hash', 'tlsh_hash_ops', 'tlsh', true, NULL), ('sketch', 'tlsh_sketch_ops', 'tlsh', true, NULL),
		('btree', 'lavinhash_btree_ops', 'lavinhash', true, NULL), ('hash', 'lavinhash_hash_ops', 'lavinhash', true, NULL), ('gin', 'lavinhash_lsh_ops', 'lavinhash', true, 'bigint'), ('sketch', 'lavinhash_sketch_ops', 'lavinhash', true, NULL),
		('btree', 'fingerprint_btree_ops', 'fingerprint', true, NULL), ('hash', 'fingerprint_hash_ops', 'fingerprint', true, NULL)$$, 'operator classes, each the default');
SELECT is_empty($$SELECT opcname FROM pg_opclass WHERE opcname ~ '^((min|sim|lavin)hash|tlsh|fingerprint)' AND NOT amvalidate(oid)$$, 'all are valid');
SELECT bag_eq($$SELECT opfname::text, amopstrategy::int, amopopr::regoperator::text, amoppurpose::text FROM pg_amop JOIN pg_opfamily ON pg_opfamily.oid = amopfamily WHERE opfname ~ '^minhash\d+(_compact)?_lsh_ops'$$,
	$$SELECT type || '_lsh_ops' AS family, strategy, format(op, type, type) AS operator, 's' AS purpose FROM unnest('{minhash64,minhash128,minhash256}'::text[]) AS type, (VALUES (1, '%%(%s,%s)'), (2, '%%(%s,minhash_probe)'), (3, '%%&(%s,minhash_probe)')) AS of_each(strategy, op)
	UNION ALL SELECT type || '_lsh_ops', strategy, format(op, type, type), 's' FROM unnest('{minhash64_compact,minhash128_compact,minhash256_compact}'::text[]) AS type,
		(VALUES (1, '%%(%s,%s)'), (2, '%%(%s,minhash_compact_probe)'), (3, '%%&(%s,minhash_compact_probe)')) AS of_compact(strategy, op)$$, 'strategies of the index');
SELECT bag_eq($$SELECT amname::text, amopstrategy::int, count(*)::int FROM pg_amop JOIN pg_am ON pg_am.oid = amopmethod JOIN ours ON ours.oid = amopopr WHERE oprname = '%=' GROUP BY 1, 2$$, $$VALUES ('sketch', 4, 9)$$,
	'no index that may miss rows has %=');
SELECT is_empty($$SELECT opfname, amprocnum FROM pg_opfamily JOIN pg_am ON pg_am.oid = opfmethod AND amname = 'gin', unnest('{1,2,3,4,6,7}'::int[]) AS n(amprocnum)
	WHERE opfname ~ '^minhash' AND NOT EXISTS (SELECT FROM pg_amproc WHERE amprocfamily = pg_opfamily.oid AND pg_amproc.amprocnum = n.amprocnum)$$, 'support functions of the index, options among them');
SELECT is_empty($$SELECT opcname FROM pg_opclass WHERE opcname ~ '^((min|sim|lavin)hash|tlsh|fingerprint)' AND obj_description(oid, 'pg_opclass') IS NULL$$, 'all operator classes have comments');
SELECT is_empty($$SELECT opfname FROM pg_opfamily WHERE opfname ~ '^((min|sim|lavin)hash|tlsh|fingerprint)' AND obj_description(oid, 'pg_opfamily') IS NULL$$, 'all operator families have comments');
SELECT is_empty($$SELECT 1 FROM pg_amop JOIN pg_opfamily ON pg_opfamily.oid = amopfamily JOIN pg_am ON pg_am.oid = opfmethod WHERE opfname ~ '^minhash' AND amname = 'btree'
	GROUP BY opfname HAVING array_agg(amopstrategy::int ORDER BY amopstrategy) <> '{1,2,3,4,5}'$$, 'the five strategies of order');

SELECT * FROM finish();
ROLLBACK;
