#!/bin/sh
# Measures how many removals of deduplicate are right, and what guards and learned rules make of them, on two corpora whose labels need no reading
# (bench/decisions_corpora.py): package descriptions, right if both have the same package name up to digits, and licences, right if both
# have the same licence expression. These are the tables of docs/similar_is_not_same.md.
#     PGHOST=… PGDATABASE=… sh bench/decisions.sh     some ten minutes; the first call downloads 50 MB
# DRAWS=5 draws fewer samples of labels. The extension must be installed in that database. Uses the schema txtfp_bench, which it drops first and,
# unless KEEP=1, at the end. CORPORA is the folder of the corpora.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
corpora=${CORPORA:-$here/../build/bench/decisions}
python3 "$here/decisions_corpora.py" "$corpora"
for corpus in packages licences; do
	psql -X -q -v ON_ERROR_STOP=1 -v corpus="$corpus" -v draws="${DRAWS:-20}" -f "$here/decisions.sql" <"$corpora/$corpus.copy"
done
[ "${KEEP:-0}" = 1 ] || psql -X -q -c 'SET client_min_messages = warning; DROP SCHEMA txtfp_bench CASCADE'
