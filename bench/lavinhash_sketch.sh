#!/bin/sh
# LavinHash: the GIN operator class lavinhash_lsh_ops beside the access method sketch, on one table, at each score and for the ten nearest; and which
# of them the planner takes. Processor time of the server process, median of pairs by turns.
#     PGHOST=… PGDATABASE=… sh bench/lavinhash_sketch.sh        100,000 documents of 3 kB, families of ten; three minutes
#     ROWS=1000000 PROBES=20 sh bench/lavinhash_sketch.sh
# The server must run on this machine. Uses the schema txtfp_lavinhash_sketch, which it drops at both ends.
set -eu

cd "$(dirname "$0")"
psql -X -q -v schema=txtfp_lavinhash_sketch -v rows="${ROWS:-100000}" -v probes="${PROBES:-40}" -f lavinhash_sketch.sql
