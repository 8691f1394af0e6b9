#!/bin/sh
# The last layer of scripts/sanitize.sh, on its server: sh scripts/alarms.sh LOGS SERVER-LOG
# Checks that nothing has been reported so far; then it triggers each alarm, which must be reported.
set -eu

logs=$1 server_log=$2 passed=0 failed=0

# check NAME COMMAND…
check()
{
	name=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
		echo "ok: $name"
	else
		failed=$((failed + 1))
		echo "not ok: $name"
	fi
}

reports()
{
	cat "$logs"/sanitizer.* 2>/dev/null || true
	grep -E 'terminated by signal|PANIC|tripwire:|runtime error|AddressSanitizer' "$server_log" || true
}

silent() { [ -z "$(reports)" ] || { reports | head -n 200; return 1; }; }

wait_for_server() { for i in 1 2 3 4 5 6 7 8 9 10; do pg_isready -q && return; sleep 1; done; }

# rings FUNCTION REPORT: a call of the function must end in this report
rings()
{
	rm -f "$logs"/sanitizer.*
	: >"$server_log"
	psql -Xq -v ON_ERROR_STOP=1 -c "CREATE OR REPLACE FUNCTION alarm(int) RETURNS int LANGUAGE c AS 'txtfp', '$1'" || return 1
	psql -Xq -c 'SELECT alarm(1)' >/dev/null 2>&1 || true
	wait_for_server
	reports | grep -q "$2" || { reports; return 1; }
}

check "no report of the sanitizers or the tripwire in the whole run" silent
check "a call of PostgreSQL inside the guard is noticed" rings txtfp_alarm_guard 'tripwire: palloc called inside pg::guarded'
check "a read beyond an allocation is noticed" rings txtfp_alarm_address 'AddressSanitizer: heap-buffer-overflow'
check "a shift too far is noticed" rings txtfp_alarm_undefined 'runtime error: shift exponent 32 is too large'
rm -f "$logs"/sanitizer.*
echo "$passed passed, $failed failed"
