#!/bin/sh
# Checks the archive that "make dist" wrote: sh scripts/check_dist.sh ARCHIVE
#
# It must contain exactly the committed files, byte for byte, and these alone must build, install and pass the
# SQL tests, without git. Takes as long as scripts/test.sh, which it calls in the unpacked archive.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
archive=$1
die() { echo "error: $*" >&2; exit 1; }

command -v unzip >/dev/null || die "unzip is missing: apt-get install unzip"
there=$(mktemp -d /tmp/txtfp-dist.XXXXXX)
trap 'rm -rf "$there"' EXIT
chmod 755 "$there"
unzip -q "$archive" -d "$there"
tree=$there/$(basename "$archive" .zip)
[ "$(ls "$there")" = "$(basename "$tree")" ] || die "the archive has not one directory $(basename "$tree")"

cd "$root"
left=$(git ls-files --cached --ignored --exclude-standard)
[ -z "$left" ] || die "committed, though .gitignore lists it: $left"
git ls-tree -r HEAD | sed -E 's/^[0-9]+ blob ([0-9a-f]+)\t/\1 /' | LC_ALL=C sort -k 2 |
	grep -vE ' (\.ci|\.github)/' >"$there/committed"
(cd "$tree" && find . -type f | sed 's,^\./,,' | LC_ALL=C sort) >"$there/files"
sed "s,^,$tree/," "$there/files" | git hash-object --no-filters --stdin-paths | paste -d ' ' - "$there/files" >"$there/archived"
diff "$there/committed" "$there/archived" || die "the archive (>) is not the committed tree (<)"
echo "dist: $(wc -l <"$there/files") files as committed"

cd "$tree"
export TXTFP_WORK="${TXTFP_WORK:-/var/tmp/txtfp-dist-$(id -u)}"
sh scripts/test.sh layers version installcheck isolation
