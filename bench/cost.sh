#!/bin/sh
# Measures the cost of calls and prints it beside the declared COST.
#     PGHOST=… PGDATABASE=… sh bench/cost.sh           about a minute
# The extension must be installed in that database; texts are of 75 words, embeddings of 384 dimensions.
set -eu
cd "$(dirname "$0")/.."
exec psql -X -q -v rows="${ROWS:-2000}" -v rounds="${ROUNDS:-5}" -f bench/cost.sql
