#!/bin/sh
# The SQL tests in a server under AddressSanitizer and UndefinedBehaviorSanitizer, with a tripwire in the wall between C++
# exceptions and PostgreSQL: sh scripts/sanitize.sh [layer…] (default: installcheck isolation pgtap tap)
#
# What test.sh does, with another build: every report of a sanitizer, and every call of PostgreSQL inside pg::guarded, is a
# failure; the layer "alarms" looks for reports, then makes one mistake of each kind to see that it would have been noticed.
# Of the layer tap only 011_chaos and 012_wire, which throw odd arguments and values at the functions.
# x86-64 and g++. The last line is "N passed, N failed".
set -eu

[ "$(uname -m)" = x86_64 ] || { echo "error: the tripwire is written for x86-64" >&2; exit 1; }
[ $# != 0 ] || set -- installcheck isolation pgtap tap
export TXTFP_WORK="${TXTFP_WORK:-/var/tmp/txtfp-sanitize}" TXTFP_SANITIZE=yes CXX=g++
export TXTFP_MAKE="${TXTFP_MAKE-} TRIPWIRE=yes SANITIZED=yes"
exec sh "$(dirname "$0")/test.sh" "$@" alarms
