# For the benchmarks of this folder: load SCHEMA FILE fills SCHEMA_input.input with the lines of a file, or ROWS of them, and sets $psql, which knows the
# variable "schema"; unload drops both schemas.
load()
{
	schema=$1
	psql="psql -X -q -v ON_ERROR_STOP=1 -v schema=$schema"
	$psql -c "SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS txtfp_trgm CASCADE; DROP SCHEMA IF EXISTS ${schema}_input CASCADE; CREATE SCHEMA ${schema}_input; CREATE TABLE ${schema}_input.input (string text)"
	head -n "${ROWS:-1000000000}" "$2" | sed 's/\\/\\\\/g; s/\t/ /g' | $psql -c "\\copy ${schema}_input.input FROM pstdin"
}
unload() { $psql -c "SET client_min_messages = warning; DROP SCHEMA $schema CASCADE; DROP SCHEMA ${schema}_input CASCADE"; }
