#!/bin/sh
# Tests drivers with the running server that the environment names: sh test/drivers/run.sh psycopg|orm|node|jdbc…
#
# The drivers must be installed where their languages find them. $TXTFP_JDBC names the JDBC driver, and
# $TXTFP_JDBC_URL and $TXTFP_JDBC_PASSWORD the server (JDBC cannot use unix sockets).
# Each test gets a database of its own with the table of docs/drivers.md, and runs the snippets of that page.
# The last line is "N passed, N failed".
set -eu

here=$(cd "$(dirname "$0")" && pwd)
page=$here/../../docs/drivers.md
work=$(mktemp -d "${TMPDIR:-/tmp}/txtfp-drivers.XXXXXX")
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# block LANGUAGE [HEADING]: the first snippet in that language under that heading
block()
{
	awk -v fence="\`\`\`$1" -v heading="## ${2-}" '
		heading == "## " || $0 == heading { there = 1 }
		there && $0 == fence { inside = 1; next }
		inside && $0 == "```" { exit }
		inside' "$page"
}

test_psycopg() { "${PYTHON:-python3}" "$here/psycopg/test.py"; }
test_orm() { "${PYTHON:-python3}" "$here/psycopg/orm.py"; }
test_node() { node "$here/node/test.js"; }
test_jdbc()
{
	{
		echo 'import java.sql.*; import java.util.*; class Page { final List<Long> nearest = new ArrayList<>(), matches = new ArrayList<>();'
		echo 'static List<Long> numbers(ResultSet rows) throws SQLException { return Test.numbers(rows); }'
		echo 'void run(Connection connection, String text) throws SQLException {'
		block java JDBC
		echo '}}'
	} >"$work/Page.java"
	javac -cp "$TXTFP_JDBC" -d "$work" "$work/Page.java" "$here/jdbc/Test.java"
	java -cp "$TXTFP_JDBC:$work" Test "$TXTFP_JDBC_URL/$PGDATABASE"
}

for driver; do
	echo "== $driver"
	export PGDATABASE="txtfp_$driver"
	psql -Xq -d postgres -c "SET client_min_messages = warning" -c "DROP DATABASE IF EXISTS $PGDATABASE" -c "CREATE DATABASE $PGDATABASE"
	block sql >"$work/table.sql"
	psql -Xq -v ON_ERROR_STOP=1 -f "$work/table.sql" -f "$here/fill.sql"
	test_"$driver" >"$work/log" 2>&1 || true
	cat "$work/log"
	# reads the counts of the last line; a test without one has failed
	counts=$(awk '/^[0-9]+ passed, [0-9]+ failed$/ { p = $1; f = $3 } END { print p + 0, (p + f == 0 ? 1 : f) }' "$work/log")
	passed=$((passed + ${counts% *})) failed=$((failed + ${counts#* }))
	psql -Xq -d postgres -c "DROP DATABASE $PGDATABASE"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
