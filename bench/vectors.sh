#!/bin/sh
# Measures embeddings of a file: all pairs of cosine 0.95, exactly and with a recall of 0.99, and the ten nearest, by reading the table and by
# pgvector's HNSW (time and recall), where pgvector is installed.
#     PGHOST=… PGDATABASE=… sh bench/vectors.sh FILE     FILE has an id, a tab and a vector [0.1,…] in each line
# `txtfp-embed --embed MODEL` makes such vectors of texts. Needs a superuser and Linux: all times are processor time of one process. Uses the
# schema txtfp_vectors, which it drops. HNSW=no leaves out pgvector.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { sed -n '2,6s/^# //p' "$0"; exit 2; }
file=$(realpath "$1")
psql -X -q -v ON_ERROR_STOP=1 -v schema=txtfp_vectors -v hnsw="${HNSW:-yes}" -v file="$file" -f "$here/vectors.sql"
