#!/bin/sh
# What somebody meets who has only the repository: runs the commands and the SQL of README.md and of each module's README, on systems that have
# nothing: sh scripts/newcomer.sh [bookworm] [trixie]
#
# Runs as root, on Debian with mmdebstrap. Each way begins in a new chroot: first the demo and then the installation, with all modules after it; the
# other way round; and both by a user with sudo. Makes the chroots of the committed tree, from the mirror that this machine's own apt uses, and removes them.
#
#   TXTFP_CHROOTS  folder of the chroots (default /var/tmp/txtfp-newcomer)
#   TXTFP_WAYS     some of: demo installation sudo (default all)
#   TXTFP_TESTS=1  runs scripts/test.sh, too, in the first way
#
# Each line tells how many seconds a command took; that of "sh scripts/install.sh", when the installation comes first, is the time from a clone to the
# first SQL. The last line is "N passed, N failed".
set -eu

chroots=${TXTFP_CHROOTS:-/var/tmp/txtfp-newcomer}
. "$(dirname "$0")/chroot.sh"

# The blocks of a page in this language, without those that are marked as not run
blocks() { awk -v begin="\`\`\`$1" '$0 == begin && !skip { inside = 1; next } /^```/ { inside = 0; skip = 0 } /^<!-- not run/ { skip = 1 } inside' "$2"; }

# What a page says to a user with sudo is said to root here.
as_root() { sed 's/sudo //g'; }

# run_page_sql DATABASE PAGE: its blocks in one session. An error that a page shows stops nothing.
run_page_sql()
{
	awk '$0 == "```sql" && !skip { block = ""; inside = 1; next }
		/^```/ { if (inside) printf "\\set ON_ERROR_STOP %s\n%s", block ~ /\n-- ERROR:/ ? "off" : "on", block; inside = skip = 0 }
		/^<!-- not run/ { skip = 1 }
		inside { block = block $0 "\n" }' "$2" | sed 's/^CREATE EXTENSION \(txtfp[a-z_]*\)/CREATE EXTENSION IF NOT EXISTS \1/' >"$home/tmp/page.sql"
	chmod 644 "$home/tmp/page.sql"
	as_postgres "$1" -f /tmp/page.sql
}

modules()
{
	for page in "$root"/contrib/*/README.md; do
		module=$(basename "${page%/README.md}")
		{
			echo 'set -ex'
			blocks sh "$page" | as_root
		} >"$home/tmp/page.sh"
		try "$way: commands of contrib/$module/README.md" inside sh -c "cd /txtfp/contrib/$module && sh /tmp/page.sh"
		as_postgres postgres -c "CREATE DATABASE page_$module" >/dev/null 2>&1 || true
		as_postgres "page_$module" -c "CREATE EXTENSION txtfp" -c "CREATE EXTENSION $module CASCADE" >/dev/null 2>&1 || true
		try "$way: SQL of contrib/$module/README.md" run_page_sql "page_$module" "$page"
	done
}

# The commands of README.md, in its order
blocks sh "$root/README.md" | sed 's/ *#.*//' | while read -r command; do
	[ "$command" = "sh scripts/test.sh" ] && [ -z "${TXTFP_TESTS-}" ] || echo "$command"
done >"$chroots/commands"

# run_commands COMMAND… (one a line)
run_commands()
{
	while read -r command; do
		try "$way: $command" inside sh -c "cd /txtfp && $command"
	done
}

demo_first()
{
	way="$1, demo first"
	enter "$1" demo-first
	run_commands <"$chroots/commands"
	try "$way: SQL of README.md" run_page_sql postgres "$root/README.md"
	modules
}

installation_first()
{
	way="$1, installation first"
	enter "$1" install-first
	run_commands <<-END
		$(grep -v demo "$chroots/commands")
		sh scripts/install.sh other
		sh scripts/demo.sh
	END
	try "$way: SQL of README.md" run_page_sql postgres "$root/README.md"
}

with_sudo()
{
	way="$1, with sudo"
	enter "$1" sudo
	try "$way: a user" inside sh -c 'apt-get -q update && apt-get -q -y install --no-install-recommends sudo passwd && useradd -m somebody &&
		echo "somebody ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/somebody && chown -R somebody: /txtfp'
	try "$way: the commands of README.md" inside su somebody -c "cd /txtfp && set -e && $(tr '\n' ';' <"$chroots/commands") cd /"
	try "$way: SQL of README.md" run_page_sql postgres "$root/README.md"
}

for release in ${*:-bookworm trixie}; do
	for kind in ${TXTFP_WAYS:-demo installation sudo}; do
		case $kind in
		demo) demo_first "$release" ;;
		installation) installation_first "$release" ;;
		sudo) with_sudo "$release" ;;
		*) die "there is no way \"$kind\": demo, installation, sudo" ;;
		esac
		leave
	done
done
[ "$failed" = 0 ]
