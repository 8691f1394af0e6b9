-- Tables that Citus distributes: what the server says about them, from a catalog that stands in for that of Citus; test/tap/007_citus.pl has Citus itself
\set SHOW_CONTEXT never
\set ON_ERROR_ROLLBACK on
BEGIN;
SET LOCAL allow_system_table_mods = on;
CREATE TABLE docs (id int PRIMARY KEY, fp minhash128, sh simhash64, t tlsh, l lavinhash);
CREATE INDEX docs_fp ON docs USING sketch (fp);
CREATE INDEX docs_gin ON docs USING gin (fp);
CREATE TABLE on_shards (LIKE docs INCLUDING ALL);
CREATE TABLE on_one_shard (LIKE docs INCLUDING ALL);
CREATE TABLE on_one_shard_elsewhere (LIKE docs INCLUDING ALL);
CREATE TABLE copied (LIKE docs INCLUDING ALL);
CREATE TABLE view_of AS SELECT c.relname AS index, i.indrelid::regclass::text AS table_name FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid WHERE i.indrelid IN ('docs'::regclass, 'on_shards'::regclass, 'on_one_shard'::regclass, 'on_one_shard_elsewhere'::regclass, 'copied'::regclass) AND NOT i.indisprimary;
CREATE FUNCTION said(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	hint text;
BEGIN
	EXECUTE statement;
	RETURN 'ok';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' | ', SQLSTATE, SQLERRM, nullif(detail, ''), nullif(hint, ''));
END $$;
-- a table of Citus that is older than the columns that tell
CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass, partmethod "char");
INSERT INTO pg_dist_partition VALUES ('on_shards', 'h');
SELECT said('SELECT sketch_check(''on_shards_fp_idx'')');
DROP TABLE pg_catalog.pg_dist_partition;

CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass, partmethod "char", partkey text, colocationid int, repmodel "char");
INSERT INTO pg_dist_partition VALUES ('on_shards', 'h', '', 1, 's'), ('on_one_shard', 'n', NULL, 0, 's'), ('on_one_shard_elsewhere', 'n', NULL, 7, 's'), ('copied', 'n', NULL, 3, 't');
-- each function of an index refuses one whose rows are elsewhere
SELECT table_name, function, said(format('SELECT %s(%L)', function, index)) FROM view_of, unnest('{sketch_check,fingerprint_index_info,fingerprint_index_recall}'::text[]) AS function
WHERE index LIKE '%fp%' AND index NOT LIKE '%fp_idx1' ORDER BY table_name COLLATE "C", function;
SELECT said(format('CALL live_clusters_create(%L, ''id'', ''fp'')', name)) FROM unnest('{on_shards,on_one_shard,on_one_shard_elsewhere,copied}'::text[]) AS name;
UPDATE pg_dist_partition SET partmethod = NULL WHERE logicalrelid = 'copied'::regclass;
SELECT said('SELECT sketch_check(''copied_fp_idx'')');
UPDATE pg_dist_partition SET partmethod = 'n' WHERE logicalrelid = 'copied'::regclass;
ROLLBACK;
-- a setting that other nodes do not get
SET citus.propagate_set_commands = 'local';
SET txtfp.jaccard_threshold = 0.7;
SET citus.propagate_set_commands = 'none';
SET txtfp.jaccard_threshold = 0.6;
SET txtfp.sketch_recall = 1; -- said once in a session
\c
SET citus.propagate_set_commands = 'none';
SET txtfp.hamming_threshold = 3; -- before the library is loaded
SELECT count(*) FROM txtfp_info();
