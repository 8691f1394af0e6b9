-- Measures one kind of index for bench/directory.sh, on the tables of directory.sql. Variables: schema, method.

\ir directory_settings.sql
CHECKPOINT;
CALL measure_method(:'method');
SELECT clock_timestamp() AS started \gset
VACUUM docs;
SELECT write_down('7 vacuum after them, ms by the clock', :'method', milliseconds_since(:'started')) \g /dev/null
DROP INDEX IF EXISTS docs_fp;
