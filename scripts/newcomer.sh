#!/bin/sh
# What somebody meets who has only the repository: runs the commands and the SQL of README.md, and the first commands of each module's README, on
# systems that have nothing: sh scripts/newcomer.sh [bookworm] [trixie]
#
# Runs as root, on Debian with mmdebstrap. Each way begins in a new chroot: first the demo and then the installation, the other way round, and both
# by a user with sudo. Makes the chroots of the committed tree, from the mirror that this machine's own apt uses, and removes them.
#
#   TXTFP_CHROOTS  folder of the chroots (default /var/tmp/txtfp-newcomer)
#   TXTFP_TESTS=1  runs scripts/test.sh, too, in the first way
#
# The last line is "N passed, N failed".
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
chroots=${TXTFP_CHROOTS:-/var/tmp/txtfp-newcomer}
passed=0 failed=0 home=

die() { echo "error: $*" >&2; exit 1; }

[ "$(id -u)" = 0 ] || die "only root can make chroots"
command -v mmdebstrap >/dev/null || die "mmdebstrap is missing: apt-get install mmdebstrap"
mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' | awk '$1 == "Debian" { print $2; exit }')
[ -n "$mirror" ] || die "apt knows no Debian mirror"
mkdir -p "$chroots"

leave()
{
	[ -n "$home" ] || return 0
	chroot "$home" sh -c 'cd /txtfp && sh scripts/demo.sh stop; pg_lsclusters -h | while read -r version name rest; do pg_ctlcluster "$version" "$name" stop; done' >/dev/null 2>&1 || true
	umount "$home/proc" 2>/dev/null || true
	rm -rf --one-file-system "$home"
	home=
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# enter RELEASE WAY: a new system with the sources in /txtfp
enter()
{
	home=$chroots/$1-$2
	rm -rf --one-file-system "$home"
	if [ ! -s "$chroots/$1.tar" ]; then
		echo "==> making a chroot of $1"
		mmdebstrap --quiet --variant=apt --dpkgopt=force-unsafe-io --aptopt='Acquire::Languages "none"' "$1" "$chroots/$1.tar" "deb $mirror $1 main"
	fi
	mkdir -p "$home"
	tar -xf "$chroots/$1.tar" -C "$home" --exclude=./dev
	mkdir -p "$home/dev" "$home/txtfp"
	mknod -m 666 "$home/dev/null" c 1 3
	mknod -m 666 "$home/dev/zero" c 1 5
	mknod -m 444 "$home/dev/random" c 1 8
	mknod -m 444 "$home/dev/urandom" c 1 9
	ln -s /proc/self/fd "$home/dev/fd"
	mount -t proc proc "$home/proc"
	git -C "$root" archive HEAD | tar -xf - -C "$home/txtfp"
	for file in /etc/resolv.conf /etc/apt/apt.conf.d/*proxy* /etc/pip.conf; do
		[ ! -f "$file" ] || cp --parents "$file" "$home"
	done
	[ -z "${PIP_CERT-}" ] || cp "$PIP_CERT" "$home/etc/pip-cert.crt"
}

# try NAME COMMAND…: runs a command in the system; the end of its output is printed only if it fails
try()
{
	name=$1
	shift
	if chroot "$home" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
		${PIP_CERT:+PIP_CERT=/etc/pip-cert.crt} $(env | grep -E '^(https?_proxy|HTTPS?_PROXY|no_proxy|PIP_INDEX_URL)=' || true) "$@" >"$chroots/log" 2>&1 </dev/null; then
		passed=$((passed + 1))
		echo "ok      $name"
	else
		failed=$((failed + 1))
		echo "FAILED  $name"
		tail -n 20 "$chroots/log" | sed 's/^/        /'
	fi
}

# blocks LANGUAGE FILE: the blocks of a page in this language, without those that are marked as not run
blocks() { awk -v begin="\`\`\`$1" '$0 == begin && !skip { inside = 1; next } /^```/ { inside = 0; skip = 0 } /^<!-- not run/ { skip = 1 } inside' "$2"; }

readme_sql()
{
	blocks sql "$root/README.md" | sed 's/^CREATE EXTENSION txtfp;/CREATE EXTENSION IF NOT EXISTS txtfp;/' >"$home/tmp/readme.sql"
	chmod 644 "$home/tmp/readme.sql"
	try "$way: SQL of README.md" sh -c "cd / && setpriv --reuid postgres --regid postgres --init-groups psql -X -q -v ON_ERROR_STOP=1 -d postgres -f /tmp/readme.sql"
}

modules()
{
	for page in "$root"/contrib/*/README.md; do
		module=$(basename "${page%/README.md}")
		command=$(blocks sh "$page" | head -n 1 | sed 's/ *#.*//')
		try "$way: $module: $command" sh -c "cd /txtfp/contrib/$module && $command"
	done
}

for release in ${*:-bookworm trixie}; do
	way="$release, demo first"
	enter "$release" demo-first
	# the commands of README.md, in its order
	blocks sh "$root/README.md" | sed 's/ *#.*//' | while read -r command; do
		[ "$command" = "sh scripts/test.sh" ] && [ -z "${TXTFP_TESTS-}" ] || echo "$command"
	done >"$chroots/commands"
	while read -r command; do
		try "$way: $command" sh -c "cd /txtfp && $command"
	done <"$chroots/commands"
	readme_sql
	modules
	leave

	way="$release, installation first"
	enter "$release" install-first
	while read -r command; do
		try "$way: $command" sh -c "cd /txtfp && $command"
	done <<-END
		$(grep -v demo "$chroots/commands")
		sh scripts/install.sh other
		sh scripts/demo.sh
	END
	readme_sql
	leave

	way="$release, with sudo"
	enter "$release" sudo
	chroot "$home" sh -c 'apt-get -q update && apt-get -q -y install --no-install-recommends sudo && useradd -m somebody &&
		echo "somebody ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/somebody && chown -R somebody: /txtfp' >/dev/null 2>&1
	try "$way: the commands of README.md" su somebody -c "cd /txtfp && set -e && $(tr '\n' ';' <"$chroots/commands") cd /"
	leave
done
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
