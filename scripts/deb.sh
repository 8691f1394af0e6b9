#!/bin/sh
# Debian packages of this tree, built and tested: sh scripts/deb.sh [VERSION…]     (make deb)
#
# One package postgresql-N-txtfp for each major version of PostgreSQL from 15 on that apt offers here (15 on Debian 12, 17 on Debian 13), or for
# those named. With TXTFP_PGDG=1 it adds the package source of apt.postgresql.org first, which has them all. Installs what the build needs, runs
# the SQL tests of each package against a server of its own (DEB_BUILD_OPTIONS=nocheck leaves them out), and leaves the packages in
# TXTFP_DEBS (default: $TXTFP_WORK-deb, which "clean" does not remove); see common.sh. As root or with sudo; what is built runs as another user.
set -eu

. "$(dirname "$0")/common.sh"

offered_versions()
{
	apt-cache search --names-only '^postgresql-server-dev-[0-9]+$' | sed -n 's/^postgresql-server-dev-\([0-9]*\) .*/\1/p' |
		awk '$1 >= 15' | sort -n | tr '\n' ' '
}

# Its script comes with postgresql-common.
add_pgdg()
{
	install_packages postgresql-common ca-certificates
	pgdg="$([ "$(id -u)" = 0 ] || echo sudo) /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y"
	step "adding apt.postgresql.org" "${TMPDIR:-/tmp}/txtfp-pgdg.$$.log" "The network must let it through." $pgdg
}

if [ "$stage" = here ]; then
	choose_postgres
	[ -z "${TXTFP_PGDG-}" ] || add_pgdg
	[ -n "$(offered_versions)" ] || { [ "$(id -u)" = 0 ] && apt-get -q update >/dev/null; } || true
	versions=${*:-$(offered_versions)}
	[ -n "$versions" ] || die "apt offers no PostgreSQL from 15 on" "apt-get update, or TXTFP_PGDG=1"
	development=$(for version in $versions; do echo "postgresql-$version postgresql-server-dev-$version"; done)
	# shellcheck disable=SC2086
	set -- $versions
	TXTFP_PG=$1
	export TXTFP_DEB_VERSIONS="$*"
else
	development=
fi
enter_work deb.sh "build-essential dpkg-dev debhelper postgresql-all $development" "$@"

debs=${TXTFP_DEBS:-$TXTFP_WORK-deb}
tree=$work/deb/txtfp
rm -rf "$work/deb"
mkdir -p "$work/deb" "$debs" || die "$(id -un) cannot write to $debs" "TXTFP_DEBS names another folder."
cp -a "$work/src" "$tree"
rm -rf "$tree/build" "$tree"/contrib/*/build
find "$tree" \( -name '*.o' -o -name '*.so' -o -name '*.d' \) -exec rm -f {} +
cd "$tree"
export PG_SUPPORTED_VERSIONS="$TXTFP_DEB_VERSIONS" PG_UPDATECONTROL=yes DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-} parallel=$(nproc)"
say "packages for PostgreSQL $PG_SUPPORTED_VERSIONS"
step "writing debian/control" "$work/log/deb-control.log" "pg_buildext must know these versions." pg_buildext updatecontrol
step "building and testing the packages" "$work/log/deb.log" "The log tells which test or command failed." dpkg-buildpackage -us -uc -b
cd "$debs"
mv "$work"/deb/*.deb "$work"/deb/*.buildinfo "$work"/deb/*.changes .
rm -rf "$work/deb"
say "in $debs:"
for package in *.deb; do
	note "$package  $(($(stat -c %s "$package") / 1024)) kB"
done
note "install one:  sudo apt-get install $debs/$(ls ./*.deb | grep -v dbgsym | head -n 1 | cut -c 3-)"
