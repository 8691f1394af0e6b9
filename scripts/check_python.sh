#!/bin/sh
# The Python package on systems that have nothing: sh scripts/check_python.sh [bookworm] [trixie]
#
# Runs the commands of clients/python/README.md and of docs/python.md in a new chroot, each line as it stands there, and the README's examples that
# need no server. Then a source distribution is made, and installed in an environment of its own from nothing but itself. Runs as root, on Debian with
# mmdebstrap.
#
#   TXTFP_CHROOTS  folder of the chroots (default /var/tmp/txtfp-newcomer)
#
# The last line is "N passed, N failed".
set -eu

chroots=${TXTFP_CHROOTS:-/var/tmp/txtfp-newcomer}
. "$(dirname "$0")/chroot.sh"

# The commands of the first block of a page, without their comments
commands() { awk '/^```sh$/ { inside = 1; next } /^```/ && inside { exit } inside' "$1" | sed 's/ *# .*//; s/^apt-get install/& -q -y/; s/^sudo //'; }

# What uses the core alone
examples()
{
	cat <<-'END'
		import doctest, sys, txtfp, txtfp.core
		text = open("/txtfp/clients/python/README.md").read().split("## In the database")[0]
		tests = doctest.DocTestParser().get_doctest(text, {}, "README.md", None, 0)
		result = doctest.DocTestRunner().run(tests)
		print(result)
		sys.exit(result.failed > 0 or result.attempted < 8)
	END
}

check_page()
{
	way="$1, $2"
	enter "$1" python
	inside apt-get -q update >/dev/null
	commands "$root/$2" >"$home/tmp/commands"
	while read -r command; do
		try "$way: $command" inside sh -c "cd /txtfp && $command"
	done <"$home/tmp/commands"
	examples >"$home/tmp/examples.py"
	try "$way: import" inside sh -c "cd / && /txtfp/env/bin/python -c 'import txtfp.core; print(txtfp.minhash128(\"some text\"))'"
}

[ $# -gt 0 ] || set -- bookworm
for release; do
	check_page "$release" docs/python.md
	check_page "$release" clients/python/README.md
	try "$way: its examples" inside sh -c "cd / && /txtfp/env/bin/python /tmp/examples.py"
	try "$way: a source distribution" inside sh -c "cd /txtfp && env/bin/pip install -q build && env/bin/python -m build -q --sdist --outdir /tmp/dist clients/python"
	inside rm -rf /txtfp/src /txtfp/clients
	try "$way: its installation" inside sh -c "python3 -m venv /tmp/env && /tmp/env/bin/pip install -q /tmp/dist/*.tar.gz && cd / && /tmp/env/bin/python -c 'import txtfp.core; print(txtfp.minhash128(\"some text\"))'"
done
