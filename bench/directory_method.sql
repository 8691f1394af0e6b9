-- One kind of index of bench/directory.sh, on the tables of directory.sql. Variables: schema, method.

\set ON_ERROR_STOP on
SET client_min_messages = warning;
SELECT extnamespace::regnamespace AS extension_schema FROM pg_extension WHERE extname = 'txtfp' \gset
SET search_path = :schema, :extension_schema, pg_catalog;
SET maintenance_work_mem = '64MB';
SET max_parallel_maintenance_workers = 0;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SET enable_seqscan = off;
CHECKPOINT;
CALL measure_method(:'method');
SELECT clock_timestamp() AS started \gset
VACUUM docs;
SELECT write_down('7 vacuum after them, ms by the clock', :'method', milliseconds_since(:'started')) \g /dev/null
DROP INDEX IF EXISTS docs_fp;
