#!/bin/sh
# Writes what a release promises to keep (docs/operation.md, "What never changes"): the files of test/frozen, from the build of this tree. Only a release runs
# it, and only while the change log has this version as unreleased: afterwards its promises are made.
#
#   --sql   writes, after the release, its SQL and the update to it into sql/upgrade and contrib/*/sql/upgrade; the update to the next version is derived from them
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
die() { printf '%s\n' "$@" >&2; exit 1; }
version=$(sed -n "s/^default_version *= *'\(.*\)'/\1/p" "$root/txtfp.control")
is_released() { ! grep -q "^## \[$version\] - unreleased" "$root/CHANGELOG.md"; }

freeze_sql()
{
	is_released || die "freeze: $version is not released, so its SQL may still change."
	for extension in txtfp $(cd "$root/contrib" && ls -d txtfp_*); do
		folder=$root
		[ "$extension" = txtfp ] || folder=$root/contrib/$extension
		mkdir -p "$folder/sql/upgrade"
		make -s -C "$folder" all-sql
		mv "$folder/build/$extension--"*"$version.sql" "$folder/sql/upgrade/"
	done
}

case ${1-} in
"") ;;
--sql) freeze_sql; exit 0 ;;
*) die "usage: sh scripts/freeze.sh [--sql]" ;;
esac
! is_released ||
	die "freeze: $version is released: its promises are kept, not written." "What is new belongs to the next version, which the change log must have as unreleased."
TXTFP_FREEZE=$(mktemp -d)
trap 'rm -rf "$TXTFP_FREEZE"' EXIT
chmod 777 "$TXTFP_FREEZE"
export TXTFP_FREEZE
sh "$root/scripts/test.sh" tap 049
sh "$root/scripts/test.sh" cli 070
mkdir -p "$root/test/frozen"
cp "$TXTFP_FREEZE"/* "$root/test/frozen/"
echo "written; git diff says what changed"
