#!/bin/sh
# Runs the SQL tests in a server with AddressSanitizer and UndefinedBehaviorSanitizer, and a tripwire in the wall between C++
# exceptions and PostgreSQL: sh scripts/sanitize.sh [layer…] or sh scripts/sanitize.sh LAYER TEST (default: installcheck isolation pgtap tap)
#
# It does what test.sh does, with another build. Every report of a sanitizer and every call of PostgreSQL inside pg::guarded is a
# failure. The layer "alarms" looks for reports, then makes one mistake of each kind to check that it is detected.
# The layer tap runs only 011_chaos, 012_wire and 039_types, which call the functions with unusual arguments, values and types.
# Needs x86-64 and g++. The last line is "N passed, N failed".
set -eu

[ "$(uname -m)" = x86_64 ] || { echo "error: the tripwire is written for x86-64" >&2; exit 1; }
[ $# != 0 ] || set -- installcheck isolation pgtap tap
export TXTFP_WORK="${TXTFP_WORK:-/var/tmp/txtfp-sanitize}" TXTFP_SANITIZE=yes CXX=g++
export TXTFP_MAKE="${TXTFP_MAKE-} TRIPWIRE=yes SANITIZED=yes"
exec sh "$(dirname "$0")/test.sh" "$@" alarms
