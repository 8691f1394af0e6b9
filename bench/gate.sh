#!/bin/sh
# Measures near_duplicate_trigger with and without texts that decide: package descriptions (bench/decisions_corpora.py), one row per transaction, into a table
# with an index USING sketch. Rows per second, processor time of the server's sessions per row (Linux, a server on this machine), the rows that are left,
# and how many of them deduplicate would remove by the same decision.
#     PGHOST=… PGDATABASE=… sh bench/gate.sh     some five minutes; the first call downloads 50 MB
#     ROWS=64512 SESSIONS='1 8' ROUNDS=3
# The extension must be installed in that database. Uses the schema txtfp_bench, which it drops first and, unless KEEP=1, at the end.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
corpora=${CORPORA:-$here/../build/bench/decisions}
ROWS=${ROWS:-64512}
[ -f "$corpora/packages.copy" ] || python3 "$here/decisions_corpora.py" "$corpora"
run_psql() { psql -X -q -v ON_ERROR_STOP=1 "$@"; }
echo "machine: $(sh "$here/machine.sh")"
run_psql -v rows="$ROWS" -v copy="$corpora/packages.copy" <<'END'
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS txtfp_bench CASCADE;
CREATE SCHEMA txtfp_bench;
SET search_path = txtfp_bench, public;
CREATE TABLE corpus (label text, key text, body text);
\set copy_from '\\copy corpus FROM ' :'copy'
:copy_from
CREATE TABLE arriving AS SELECT row_number() OVER (ORDER BY md5(body)) AS n, body, to_minhash128(body) AS fp FROM (SELECT DISTINCT body FROM corpus) AS d LIMIT :rows;
ALTER TABLE arriving ADD PRIMARY KEY (n);
CREATE SEQUENCE arrival CACHE 1;
CREATE TABLE grown (id bigint PRIMARY KEY, body text, fp minhash128, seen bigint DEFAULT 1) WITH (fillfactor = 90);
CREATE INDEX ON grown USING sketch (fp);
END
script=$(mktemp)
trap 'rm -f "$script"' EXIT
echo "INSERT INTO txtfp_bench.grown (id, body, fp) SELECT n, body, fp FROM txtfp_bench.arriving WHERE n = (SELECT nextval('txtfp_bench.arrival'));" >"$script"
rows=$(run_psql -At -c 'SELECT count(*) FROM txtfp_bench.arriving')
postmaster=$(run_psql -At -c "SELECT (regexp_split_to_array(pg_read_file('postmaster.pid'), E'\n'))[1]")
# user and system time of processes that have ended, in hundredths of a second
ended() { awk '{ sub(/.*\) /, ""); print $14 + $15 }' "/proc/$postmaster/stat"; }

echo "sessions, options, rows per second, processor microseconds per row, rows in it | sum of the counter | rows that deduplicate would remove"
for round in $(seq ${ROUNDS:-3}); do
	for sessions in ${SESSIONS:-1 8}; do
		for options in '' ", 'text=body', 'verify=lossless', 'guard=strict'" ", 'text=body'"; do
			run_psql -c "SET client_min_messages = warning; TRUNCATE txtfp_bench.grown; ALTER SEQUENCE txtfp_bench.arrival RESTART;
				CREATE OR REPLACE TRIGGER bench BEFORE INSERT ON txtfp_bench.grown FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'count', 'counter=seen'$options)"
			sleep 1
			before=$(ended)
			pgbench -n -M prepared -c $sessions -j $((sessions < 2 ? 1 : 2)) -t $((rows / sessions)) -f "$script" >"$script.out" 2>&1 || cat "$script.out"
			sleep 1
			case $options in
			*strict*) decision="'lossless', guard => 'strict'" ;;
			'') decision="'none', guard => ''" ;;
			*) decision="'jaccard', guard => 'balanced'" ;;
			esac
			printf '%s\t%s\t%s\t%s\t%s\n' $sessions "${options:-none}" "$(sed -n 's/^tps = \([0-9]*\).*/\1/p' "$script.out")" "$(((($(ended) - before) * 10000) / rows))" \
				"$(run_psql -At -c "SELECT count(*), sum(seen), (SELECT count(*) FROM deduplicate('SELECT id, fp, body FROM txtfp_bench.grown', 0.8, verify => $decision) WHERE outcome = 'remove') FROM txtfp_bench.grown")"
			rm -f "$script.out"
		done
	done
done

[ "${KEEP:-0}" = 1 ] || run_psql -c 'SET client_min_messages = warning; DROP SCHEMA txtfp_bench CASCADE'
