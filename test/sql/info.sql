-- txtfp_version, txtfp_info, the configuration parameter, and the extension as an object
\set SHOW_CONTEXT never
SELECT current_database() AS home \gset

-- Versions

SELECT CASE txtfp_version() WHEN extversion THEN 'as installed' ELSE format('library %s, extension %s', txtfp_version(), extversion) END AS version FROM pg_extension WHERE extname = 'txtfp';
SELECT CASE version WHEN txtfp_version() THEN 'same' ELSE version END AS version, format_version, unicode_version FROM txtfp_info();
SELECT icu_version ~ '^\d+\.\d+(\.\d+)*$' AS icu, split_part(icu_version, '.', 1)::int >= 72 AS "72 or newer", icu_unicode_version ~ '^\d+\.\d+$' AS icu_unicode,
	split_part(icu_unicode_version, '.', 1)::int >= 15 AS "15 or newer", xxhash_version ~ '^0\.\d+\.\d+$' AS xxhash, compiler <> '' AS compiler,
	CASE WHEN simd IN ('baseline', 'avx2', 'avx512', 'neon') THEN 'a known one' ELSE simd END AS simd FROM txtfp_info();
SELECT server = version() AS server, built_for ~ ('^' || current_setting('server_version_num')::int / 10000 || '\D') AS "its major version", encoding = getdatabaseencoding() AS encoding FROM txtfp_info();
SELECT proargnames AS columns FROM pg_proc WHERE proname = 'txtfp_info';

-- txtfp.jaccard_threshold

SHOW txtfp.jaccard_threshold;
SELECT name, vartype, min_val, max_val, boot_val, context, short_desc, extra_desc FROM pg_settings WHERE name LIKE 'txtfp.%';
SET txtfp.jaccard_threshold = 0.5;
SHOW txtfp.jaccard_threshold;
SET txtfp.jaccard_threshold = '7e-1';
SHOW txtfp.jaccard_threshold;
SET txtfp.jaccard_threshold = 0;
SET txtfp.jaccard_threshold = 1;
SHOW txtfp.jaccard_threshold;
SET txtfp.jaccard_threshold = -0.1;
SET txtfp.jaccard_threshold = 1.0001;
SET txtfp.jaccard_threshold = 80;
SET txtfp.jaccard_threshold = 'high';
SET txtfp.jaccard_threshold = '';
SET txtfp.jaccard_threshold = 'NaN';
SET txtfp.jaccard_threshold = '0.5 s';
SHOW txtfp.jaccard_threshold;
SET txtfp.jaccard_threshold = DEFAULT;
SHOW txtfp.jaccard_threshold;
BEGIN;
SET LOCAL txtfp.jaccard_threshold = 0.25;
SHOW txtfp.jaccard_threshold;
COMMIT;
SHOW txtfp.jaccard_threshold;

-- The prefix of the settings is reserved.
SET txtfp.jacard_threshold = 0.5;
SET txtfp.anything = on;
SHOW txtfp.anything;

-- Before the library is loaded the settings are unknown. A value set then is kept; an invalid one is rejected when it is loaded, and an
-- unknown setting is removed.
\c
SHOW txtfp.jaccard_threshold;
SET txtfp.jaccard_threshold = 0.9;
SET txtfp.nonsense = 1;
SELECT CASE WHEN txtfp_version() <> '' THEN 'loaded' END AS library;
SHOW txtfp.jaccard_threshold;
SHOW txtfp.nonsense;
\c
SET txtfp.jaccard_threshold = 7;
SELECT CASE WHEN txtfp_version() <> '' THEN 'loaded' END AS library;
SHOW txtfp.jaccard_threshold;

-- Members of the extension: all of them have comments.
SELECT pg_describe_object(classid, objid, objsubid) AS "without a comment"
FROM pg_depend JOIN pg_extension ON refclassid = 'pg_extension'::regclass AND refobjid = pg_extension.oid
WHERE extname = 'txtfp' AND deptype = 'e' AND obj_description(objid, classid::regclass::name) IS NULL
	AND NOT (classid = 'pg_type'::regclass AND EXISTS (SELECT FROM pg_type WHERE oid = objid AND typelem <> 0 AND typlen = -1 AND typname LIKE '\_%')) ORDER BY 1;
SELECT classid::regclass AS catalog, count(*) > 0 AS members FROM pg_depend JOIN pg_extension ON refclassid = 'pg_extension'::regclass AND refobjid = pg_extension.oid
WHERE extname = 'txtfp' AND deptype = 'e' GROUP BY classid ORDER BY classid::regclass::text COLLATE "C";
SELECT obj_description(oid, 'pg_extension') AS comment, extrelocatable AS relocatable FROM pg_extension WHERE extname = 'txtfp';

CREATE EXTENSION txtfp;

-- A user who is not a superuser can create it in their own database, in any schema.

CREATE ROLE regress_txtfp_owner;
CREATE ROLE regress_txtfp_other;
CREATE DATABASE regression_txtfp_info OWNER regress_txtfp_owner;
\c regression_txtfp_info
SET ROLE regress_txtfp_other;
\set VERBOSITY terse
CREATE EXTENSION txtfp;
\set VERBOSITY default
SET ROLE regress_txtfp_owner;
CREATE SCHEMA a;
CREATE SCHEMA "B c";
CREATE EXTENSION txtfp SCHEMA a;
SELECT extowner::regrole, extnamespace::regnamespace FROM pg_extension WHERE extname = 'txtfp';
SELECT DISTINCT pronamespace::regnamespace AS schema FROM pg_proc WHERE probin LIKE '%txtfp';
SET search_path = a, public;
CREATE SCHEMA t;
CREATE TABLE t.docs (id int PRIMARY KEY, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body, 'word-uax29')) STORED);
INSERT INTO t.docs SELECT i, format('one two three four five six seven eight nine ten %s', i) FROM generate_series(1, 500) AS i;
INSERT INTO t.docs SELECT i, format('%s %s %s %s', i, i + 1, i + 2, i + 3) FROM generate_series(1001, 3000) AS i;
CREATE INDEX docs_fp ON t.docs USING gin (fp minhash128_lsh_ops (bands = 20));
ANALYZE t.docs;
SELECT count(*) FROM t.docs WHERE minhash_similar(fp, to_minhash128('2001 2002 2003 2004', 'word-uax29'), 0.9);

-- Relocation: existing objects continue to work, even if the schema is not in the search path.
RESET ROLE;
ALTER EXTENSION txtfp SET SCHEMA "B c";
SET ROLE regress_txtfp_owner;
SELECT DISTINCT pronamespace::regnamespace AS schema FROM pg_proc WHERE probin LIKE '%txtfp';
SET search_path = '';
INSERT INTO t.docs VALUES (5000, '2001 2002 2003 2004');
SELECT id FROM t.docs WHERE "B c".minhash_similar(fp, "B c".to_minhash128('2001 2002 2003 2004', 'word-uax29'), 0.9) ORDER BY id;
SELECT id FROM t.docs WHERE fp OPERATOR("B c".%) "B c".to_minhash128('2001 2002 2003 2004', 'word-uax29') ORDER BY id;
CREATE FUNCTION t.plan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	plan text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		plan := concat_ws(' > ', plan, substring(line, '[A-Z][A-Za-z ]+ on [a-z_]+'));
	END LOOP;
	RETURN plan;
END $$;
SELECT t.plan('SELECT id FROM t.docs WHERE "B c".minhash_similar(fp, "B c".to_minhash128(''2001 2002 2003 2004'', ''word-uax29''), 0.9)');
SELECT t.plan('SELECT id FROM t.docs WHERE fp OPERATOR("B c".%) "B c".to_minhash128(''2001 2002 2003 2004'', ''word-uax29'')');
SELECT pg_get_indexdef('t.docs_fp'::regclass);
REINDEX INDEX t.docs_fp;
VACUUM ANALYZE t.docs;
SELECT id FROM t.docs WHERE "B c".minhash_similar(fp, (SELECT fp FROM t.docs WHERE id = 5000), 0.9) ORDER BY id;

-- Dropping it
\set VERBOSITY terse
DROP EXTENSION txtfp;
DROP EXTENSION txtfp CASCADE;
\set VERBOSITY default
SELECT * FROM t.docs WHERE id = 1;
SELECT count(*) AS functions FROM pg_catalog.pg_proc WHERE probin LIKE '%txtfp' OR proname ~ 'minhash|lsh_|txtfp';
SELECT (SELECT count(*) FROM pg_type WHERE typname ~ 'minhash') AS types, (SELECT count(*) FROM pg_operator WHERE oprname = '<%>') AS operators, (SELECT count(*) FROM pg_opclass WHERE opcname ~ 'minhash') AS opclasses,
	(SELECT count(*) FROM pg_opfamily WHERE opfname ~ 'minhash') AS opfamilies, (SELECT count(*) FROM pg_description WHERE description ~ 'MinHash|minhash') AS comments;
CREATE EXTENSION txtfp SCHEMA t;
SELECT t.jaccard(t.to_minhash64('a b'), t.to_minhash64('A, B')) AS again;
DROP EXTENSION txtfp;
RESET ROLE;
\c :home
DROP DATABASE regression_txtfp_info;
DROP ROLE regress_txtfp_owner;
DROP ROLE regress_txtfp_other;
