-- The function without the program: input that is rejected before a connection, and privileges.
\set VERBOSITY terse
CREATE ROLE embed_nobody;
SET ROLE embed_nobody;
SELECT embed('text', 'model');
SELECT embed_queue('pg_class', 'oid', 'relname', 'relname', 'model');
SELECT embed_retry();
SELECT count(*) FROM embed_jobs;
-- Before the library is loaded any role can set any value, which is dropped when the library is loaded
SET txtfp_embed.socket = '/tmp/other';
RESET ROLE;
LOAD 'txtfp_embed';
SET ROLE embed_nobody;
SET txtfp_embed.socket = '/tmp/other';
RESET ROLE;
DROP ROLE embed_nobody;

SHOW txtfp_embed.socket;
SHOW txtfp_embed.timeout;
SET txtfp_embed.socket = 'relative';
-- The words of PostgreSQL 17 are not those of 15
\set VERBOSITY sqlstate
SET txtfp_embed.timeout = 0;
\set VERBOSITY terse
SET txtfp_embed.other = 1;

SET txtfp_embed.socket = '/nonexistent/txtfp-embed';
\set VERBOSITY default
SELECT embed('text', 'model');
SELECT embed('text', 'model', 'purpose');
SELECT embed('text', '');
SELECT embed('text', repeat('m', 1001));
SELECT embed(repeat('x', 16777217), 'model');
\set VERBOSITY terse
SELECT embed(NULL, 'model') IS NULL AS no_text, embed('text', NULL) IS NULL AS no_model;

DO $$
DECLARE
	state text;
BEGIN
	PERFORM embed('text', 'model');
EXCEPTION WHEN OTHERS THEN
	RAISE INFO '%', SQLSTATE;
END $$;

-- Every object has a comment, and nothing is granted to PUBLIC
SELECT p.oid::regprocedure AS without_comment FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid
	WHERE d.refclassid = 'pg_extension'::regclass AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'txtfp_embed')
	AND d.classid = 'pg_proc'::regclass AND obj_description(p.oid, 'pg_proc') IS NULL;
SELECT p.oid::regprocedure AS function, p.provolatile, p.proparallel, p.proisstrict, p.prosecdef, has_function_privilege('public', p.oid, 'execute') AS public
	FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid
	WHERE d.refclassid = 'pg_extension'::regclass AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'txtfp_embed')
	AND d.classid = 'pg_proc'::regclass ORDER BY p.proname;
SELECT c.relname, obj_description(c.oid, 'pg_class') IS NOT NULL AS comment, has_table_privilege('public', c.oid, 'select, insert, update, delete') AS public
	FROM pg_depend d JOIN pg_class c ON c.oid = d.objid
	WHERE d.refclassid = 'pg_extension'::regclass AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'txtfp_embed')
	AND d.classid = 'pg_class'::regclass AND c.relkind = 'r' ORDER BY c.relname;
