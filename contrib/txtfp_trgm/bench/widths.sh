#!/bin/sh
# How many rows PostgreSQL compares after searches through sketch_trgm_ops of several widths, for strings of several kinds, and what the indexes take. The
# numbers do not depend on the machine's load.
#     PGHOST=… PGDATABASE=… sh bench/widths.sh FILE...     FILE: one string in each line, as corpus.sh and kinds.py write them
#     ROWS=30000 PROBES=100 BITS='313 565 943' sh bench/widths.sh FILE...
# The extension txtfp_trgm must be available in that database; needs a superuser. Uses the schema txtfp_widths, which it drops first and at the end.
set -eu

: "${1:?which strings}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/load.sh"
export ROWS="${ROWS:-30000}"
for strings in "$@"; do
	load txtfp_widths "$strings"
	$psql -v kind="$(basename "$strings")" -v probes="${PROBES:-100}" -v bits="${BITS:-313 439 565 691 943}" -f "$here/widths.sql"
	unload
done
