#!/bin/sh
# Sends random statements, which SQLsmith generates from the catalogs, to a temporary server: sh scripts/sqlsmith.sh [STATEMENTS [SEED]]
#
# The schema is test/adversary/sqlsmith.sql. The test fails if the server crashes or reports an internal error (SQLSTATE XX…). Errors of other kinds are what
# random statements get. It is not run by default: 10,000 statements take some minutes. The last line is "N passed, N failed".
set -eu

. "$(dirname "$0")/common.sh"

statements=${1:-10000} seed=${2:-1}
enter_work sqlsmith.sh sqlsmith "$statements" "$seed"

build
start_server sqlsmith 5436 <<-END
	fsync = off
	shared_buffers = 64MB
	statement_timeout = 3s
	temp_file_limit = 200MB
	jit = off
	log_line_prefix = '%m [%p] %e '
	log_min_error_statement = panic
END
psql -X -q -c 'DROP DATABASE IF EXISTS smith' -c 'DROP ROLE IF EXISTS smith' -c 'CREATE DATABASE smith'
psql -X -q -o /dev/null -v ON_ERROR_STOP=1 -d smith -f "$work/src/test/adversary/sqlsmith.sql"

# A crash ends SQLsmith's connection, but its log says which statements were sent. It also ends itself on some statements; then it goes on with another seed.
log=$work/log/sqlsmith.log
: >"$log"
sent=0 round=0
while [ "$sent" -lt "$statements" ] && [ "$round" -lt 1000 ]; do
	sqlsmith --target="host=$PGHOST port=$PGPORT user=smith dbname=smith" --exclude-catalog --seed=$((seed + round)) \
		--max-queries=$((statements - sent)) --dump-all-queries --verbose >"$work/log/sqlsmith-queries.sql" 2>>"$log" || true
	round=$((round + 1))
	now=$(grep -c ';$' "$work/log/sqlsmith-queries.sql" || true)
	sent=$((sent + now))
	if grep -q 'terminated by signal\|PANIC\|TRAP' "$work/log/sqlsmith-server.log"; then
		break
	fi
	[ "$now" -gt 0 ] || sleep 1
done
failed=0
# The last two are PostgreSQL's own.
if grep 'terminated by signal\|PANIC\|TRAP\| XX[0-9A-Z]* ERROR' "$work/log/sqlsmith-server.log" |
	grep -v 'failed to find conversion function from unknown\|invalid INTERVAL typmod' >"$work/log/sqlsmith-failures.log"; then
	failed=1
	sort -u -k5 "$work/log/sqlsmith-failures.log" | head -n 20
	say "the last statements are in $work/log/sqlsmith-queries.sql"
fi
[ "$sent" -ge "$statements" ] || failed=1
stop_server sqlsmith
say "$sent statements in $round rounds, $(grep -c ' ERROR: ' "$work/log/sqlsmith-server.log" || true) errors"
echo "$((1 - failed)) passed, $failed failed"
[ "$failed" = 0 ]
