-- The settings of bench/directory.sh, for directory.sql and directory_method.sql; to be included. Variable: schema.

\set ON_ERROR_STOP on
SET client_min_messages = warning;
SELECT extnamespace::regnamespace AS extension_schema FROM pg_extension WHERE extname = 'txtfp' \gset
SET search_path = :schema, :extension_schema, pg_catalog;
SET maintenance_work_mem = '64MB';
SET max_parallel_maintenance_workers = 0;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SET enable_seqscan = off;
