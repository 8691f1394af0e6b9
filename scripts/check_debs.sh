#!/bin/sh
# The Debian packages as their users meet them: sh scripts/check_debs.sh [bookworm] [trixie] [sid]
#
# Runs as root, on Debian with mmdebstrap. For each release it builds the package of the committed tree in a new chroot by scripts/deb.sh, whose
# build runs the SQL tests (DEB_BUILD_OPTIONS=nocheck leaves them out). In another one, which has nothing else, the package is installed, used,
# upgraded to one of a later version while the server runs, purged, and installed again.
#
#   TXTFP_CHROOTS  folder of the chroots and the packages (default /var/tmp/txtfp-debs)
#
# The last line is "N passed, N failed".
set -eu

chroots=${TXTFP_CHROOTS:-/var/tmp/txtfp-debs}
. "$(dirname "$0")/chroot.sh"

install_file() { inside apt-get -q -y install --no-install-recommends "$1"; }

# gives RESULT SQL: in a new session
gives()
{
	result=$(as_postgres postgres -At -c "$2") || return 1
	echo "$result"
	[ "$result" = "$1" ]
}

build_package()
{
	enter "$release" build
	try "$release: scripts/deb.sh builds and tests a package" inside sh -c 'cd /txtfp && sh scripts/deb.sh'
	rm -rf "${chroots:?}/packages-$release"
	mkdir "$chroots/packages-$release"
	cp "$home"/var/tmp/txtfp-postgres-deb/*.deb "$chroots/packages-$release/"
	leave
}

# Of the same files with a later version
later_version()
{
	rm -rf "$chroots/later"
	dpkg-deb -R "$1" "$chroots/later"
	sed -i 's/^Version: .*/&+later/' "$chroots/later/DEBIAN/control"
	dpkg-deb --root-owner-group -b "$chroots/later" "$2"
	rm -rf "$chroots/later"
}

found="SELECT count(*) FROM docs WHERE minhash_similar(fp, to_minhash128('text number 7 of a table, with some words'), 1)"
use_sql="CREATE EXTENSION txtfp;
	CREATE TABLE docs (id int, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED);
	INSERT INTO docs SELECT i, 'text number ' || i || ' of a table, with some words' FROM generate_series(1, 100) AS i;
	CREATE INDEX ON docs USING sketch (fp); SET enable_seqscan = off; $found"

start_server() { inside sh -c "pg_lsclusters -h | grep -q '^$version main .*online' || pg_ctlcluster $version main start"; }
is_later() { inside dpkg-query -W -f '${Version}' "postgresql-$version-txtfp" | grep '+later$'; }
is_refused() { ! as_postgres postgres -c "SELECT to_minhash128('a')" && as_postgres postgres -c "SELECT to_minhash128('a')" 2>&1 | grep 'could not access file'; }
leaves_nothing()
{
	inside find / -xdev -name '*txtfp*' -not -path '/proc/*' -not -path '/tmp/*' -not -path '/txtfp*' -not -path '/var/lib/apt/*' >"$chroots/left"
	cat "$chroots/left"
	[ ! -s "$chroots/left" ] && ! inside dpkg-query -W "postgresql-$version-txtfp"
}

use_package()
{
	for package in "$chroots/packages-$release"/postgresql-*-txtfp_*.deb; do
		version=$(basename "$package" | sed 's/^postgresql-\([0-9]*\)-.*/\1/')
		way="$release, PostgreSQL $version"
		enter "$release" bare
		rm -rf "$home/txtfp"
		cp "$package" "$home/tmp/package.deb"
		later_version "$package" "$home/tmp/later.deb" >/dev/null
		try "$way: the lists of packages" inside apt-get -q update
		try "$way: installed, with PostgreSQL" install_file /tmp/package.deb
		try "$way: the server runs" start_server
		try "$way: used" gives 1 "$use_sql"
		try "$way: upgraded" install_file /tmp/later.deb
		try "$way: it is the later version" is_later
		try "$way: used by a new session" gives 1 "$found"
		try "$way: the server begins anew" inside pg_ctlcluster "$version" main restart
		try "$way: the index finds the row" gives 1 "SET enable_seqscan = off; $found"
		try "$way: purged" inside apt-get -q -y purge "postgresql-$version-txtfp"
		try "$way: nothing is left" leaves_nothing
		try "$way: the types say what is missing" is_refused
		try "$way: installed again" install_file /tmp/later.deb
		try "$way: the rows are as before" gives 1 "$found"
		leave
	done
}

for release in ${*:-bookworm trixie}; do
	build_package
	use_package
done
[ "$failed" = 0 ]
