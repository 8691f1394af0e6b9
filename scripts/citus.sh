#!/bin/sh
# Runs test/tap/007_citus.pl on a Citus that it builds from a source tree:
#     sh scripts/citus.sh DIRECTORY         a checkout of Citus, such as its tag v13.2.2; nothing is fetched, and nothing is written into it
# The tree is copied to $TXTFP_WORK/citus, built against the private copy of PostgreSQL that scripts/test.sh uses, and installed into that copy alone.
# Debian's packages for the build: flex liblz4-dev libzstd-dev libssl-dev libkrb5-dev libpam0g-dev libselinux1-dev libxml2-dev libxslt1-dev.
# Ends as scripts/test.sh does.
set -eu

[ $# = 1 ] && [ -x "$1/configure" ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
. "$(dirname "$0")/common.sh"

sh "$root/scripts/test.sh" version # makes the private copy
choose_postgres
set_up_work
tree=$work/citus
rm -rf "$tree"
cp -R "$1" "$tree"
touch "$tree/configure" # or make would make it anew, from configure.ac
# PostgreSQL 15.17 and later export a function that Citus 13 defines as well.
if grep -q 'have_createdb_privilege' "$("$pg_config" --includedir-server)/commands/dbcommands.h" 2>/dev/null; then
	awk '/^static inline bool$/ { held = $0; next }
		held != "" && /^have_createdb_privilege\(void\)$/ { print "#include \"commands/dbcommands.h\""; skip = 1; held = ""; next }
		held != "" { print held; held = "" }
		skip { if (/^}/) skip = 0; next }
		{ print }' "$tree/src/include/pg_version_compat.h" >"$tree/compat" && mv "$tree/compat" "$tree/src/include/pg_version_compat.h"
fi
(cd "$tree" && ./configure PG_CONFIG="$pg_config" --without-libcurl && make -s -j"$(nproc)" extension && make -s install-extension) >"$work/log/citus.log" 2>&1 ||
	{ tail -n 20 "$work/log/citus.log" >&2; echo "error: building Citus failed, see $work/log/citus.log" >&2; exit 1; }
exec sh "$root/scripts/test.sh" tap 007_citus
