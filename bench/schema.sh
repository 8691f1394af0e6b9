# Shared by the scripts of this folder that work in a schema of their own. To be sourced.

run_psql() { psql -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }

# use_schema NAME: creates the schema, puts it first in the search path, and drops it when the script ends
use_schema()
{
	bench_schema=$1
	extension_schema=$(psql -X -A -t -c "SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'txtfp'")
	export PGOPTIONS="${PGOPTIONS:-} -c search_path=$1,${extension_schema:-public} -c client_min_messages=warning -c max_parallel_workers_per_gather=0"
	trap drop_schema EXIT
	drop_schema
	run_psql -c "CREATE SCHEMA $1"
}

drop_schema() { run_psql -c "DROP SCHEMA IF EXISTS $bench_schema CASCADE"; }
