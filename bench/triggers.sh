#!/bin/sh
# Measures the cost of near_duplicate_trigger per inserted row on a running server: plain inserts and inserts with the check,
# alternately, into one table with a GIN index, fastupdate off and on, and with one of the access method sketch.
#     PGHOST=… PGDATABASE=… sh bench/triggers.sh      1 M rows; about five minutes, 2 GB of disk
#     ROWS=50000 sh bench/triggers.sh
# Then concurrent sessions, with pgbench: transactions per second and the share of retried ones, by rows per transaction.
#     SESSIONS=16 SECONDS_EACH=10
# And a table that grows from nothing, with the actions skip and count: rows per second and processor time, and the near-duplicates that are left in it.
#     ARRIVING=1000000 GROWING_ROUNDS=1 GROWING_SESSIONS='1 8' GROWING_ACTIONS='none skip count' ONLY_GROWING=1    the last: nothing else
# The extension must be installed in that database. Uses the schema txtfp_bench, which it drops first and, unless
# KEEP=1, at the end. Times are taken inside the server, one INSERT statement per row.
set -eu

ROWS=${ROWS:-1000000}
INSERTS=${INSERTS:-1000}
ROUNDS=${ROUNDS:-5}

here=$(cd "$(dirname "$0")" && pwd)
run_psql() { psql -X -q -v ON_ERROR_STOP=1 -v schema=txtfp_bench "$@"; }

echo "machine: $(sh "$(dirname "$0")/machine.sh")"
if [ "${ONLY_GROWING:-0}" = 1 ]; then
	run_psql -v rows=100 -v columns= -v values= <<END
\ir $here/tools.sql
\ir $here/families.sql
END
else
	run_psql -v rows="$ROWS" -v inserts="$INSERTS" -v rounds="$ROUNDS" -f "$here/triggers.sql"
fi

# ---- concurrent sessions

SESSIONS=${SESSIONS:-16}
SECONDS_EACH=${SECONDS_EACH:-10}
scripts=$(mktemp -d)
trap 'rm -rf "$scripts"' EXIT

concurrent_sessions()
{
run_psql <<'END'
SET search_path = txtfp_bench, public;
CREATE TABLE pool AS SELECT id AS doc, fp FROM (SELECT row_number() OVER () AS id, fp FROM fresh LIMIT 20000) AS f;
ALTER TABLE pool ADD PRIMARY KEY (doc);
CREATE TABLE written (id bigserial PRIMARY KEY, fp minhash128);
CREATE INDEX ON written USING gin (fp) WITH (fastupdate = off);
END
pool=$(run_psql -At -c 'SELECT count(*) FROM txtfp_bench.pool')
row="\\set doc random(1, $pool)
INSERT INTO txtfp_bench.written (fp) SELECT fp FROM txtfp_bench.pool WHERE doc = :doc;"
printf '%s\n' "$row" >"$scripts/1"
for rows in 4 100; do
	{
		echo 'BEGIN;'
		for i in $(seq $rows); do printf '%s\n' "$row"; done
		echo 'COMMIT;'
	} >"$scripts/$rows, a statement for each"
done
echo "INSERT INTO txtfp_bench.written (fp) SELECT fp FROM txtfp_bench.pool WHERE doc IN (SELECT 1 + (random() * ($pool - 1))::int FROM generate_series(1, 100));" >"$scripts/100, one statement"

echo "$SESSIONS sessions at the same time: rows of a transaction, options, transactions per second, % tried again"
for options in "'threshold=0.8'" "'threshold=0.8', 'locks=table'" none; do
	for script in "$scripts"/*; do
		run_psql -c 'SET client_min_messages = warning; TRUNCATE txtfp_bench.written; DROP TRIGGER IF EXISTS bench ON txtfp_bench.written'
		[ "$options" = none ] || run_psql -c "CREATE TRIGGER bench BEFORE INSERT ON txtfp_bench.written FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', $options)"
		pgbench -n -c "$SESSIONS" -j 2 -T "$SECONDS_EACH" --max-tries=1000 -f "$script" >"$scripts/.out" 2>&1 || cat "$scripts/.out"
		sed -n "s/^number of transactions retried: .*(\(.*\)%)/\1/p; s/^tps = \([0-9.]*\).*/\1/p" "$scripts/.out" | tac | tr '\n' '\t' | sed "s|^|${script##*/}\t$options\t|"
		echo
	done
done
}
[ "${ONLY_GROWING:-0}" = 1 ] || concurrent_sessions

# ---- a table that grows: one row per transaction, of which every fifth is a near-duplicate of an earlier one, in sessions at the same time. Processor time is that of all
# sessions of the server, which the postmaster has when they have ended; it needs Linux and a server on this machine.

ARRIVING=${ARRIVING:-1000000}
run_psql -v rows="$ARRIVING" <<'END'
SET search_path = txtfp_bench, public;
CREATE TABLE arriving AS SELECT n, to_minhash128(t) AS fp
FROM generate_series(1::bigint, :rows) AS n, LATERAL (SELECT tokens(n / 100, CASE WHEN n % 5 = 0 THEN n - 4 ELSE n END, CASE WHEN n % 5 = 0 THEN 'v' ELSE 'd' END) AS t OFFSET 0) AS made;
ALTER TABLE arriving ADD PRIMARY KEY (n);
CREATE SEQUENCE arrival CACHE 1;
CREATE TABLE grown (id bigserial PRIMARY KEY, fp minhash128, seen bigint DEFAULT 1, last timestamptz) WITH (fillfactor = 90);
CREATE INDEX ON grown USING sketch (fp);
END
echo 'INSERT INTO txtfp_bench.grown (fp) SELECT fp FROM txtfp_bench.arriving WHERE n = (SELECT nextval('"'txtfp_bench.arrival'"'));' >"$scripts/arrive"
postmaster=$(run_psql -At -c "SELECT (regexp_split_to_array(pg_read_file('postmaster.pid'), E'\n'))[1]")
# user and system time of processes that have ended, in hundredths of a second
ended() { awk '{ sub(/.*\) /, ""); print $14 + $15 }' "/proc/$postmaster/stat"; }

echo "a table that grows to $ARRIVING rows: sessions, action, rows per second, processor microseconds per row, rows in it | sum of the counter | near-duplicates among them"
for round in $(seq ${GROWING_ROUNDS:-1}); do
	for sessions in ${GROWING_SESSIONS:-1 8}; do
		for action in ${GROWING_ACTIONS:-none skip count}; do
			case $action in
			count) options="'count', 'counter=seen', 'last=last'" ;;
			*) options="'$action'" ;;
			esac
			run_psql -c 'SET client_min_messages = warning; TRUNCATE txtfp_bench.grown; DROP TRIGGER IF EXISTS bench ON txtfp_bench.grown; ALTER SEQUENCE txtfp_bench.arrival RESTART'
			[ "$action" = none ] || run_psql -c "CREATE TRIGGER bench BEFORE INSERT ON txtfp_bench.grown FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', $options, 'threshold=0.8')"
			sleep 1
			before=$(ended)
			pgbench -n -M prepared -c $sessions -j $((sessions < 2 ? 1 : 2)) -t $((ARRIVING / sessions)) -f "$scripts/arrive" >"$scripts/.out" 2>&1 || cat "$scripts/.out"
			sleep 1
			printf '%s\t%s\t%s\t%s\t%s\n' $sessions $action "$(sed -n 's/^tps = \([0-9]*\).*/\1/p' "$scripts/.out")" "$(((($(ended) - before) * 10000) / ARRIVING))" \
				"$(run_psql -At -c "SELECT count(*), sum(seen), (SELECT count(*) FROM near_duplicate_pairs('SELECT id, fp FROM txtfp_bench.grown', threshold => 0.8)) FROM txtfp_bench.grown")"
		done
	done
done

[ "${KEEP:-0}" = 1 ] || run_psql -c 'SET client_min_messages = warning; DROP SCHEMA txtfp_bench CASCADE'
