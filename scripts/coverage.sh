#!/bin/sh
# Which lines and branches of src/core and src/pg the tests reach, by folder: sh scripts/coverage.sh [layer…]
# (default: core installcheck isolation pgtap tap). Branches that only an exception takes do not count.
#
# It does what test.sh does, with another build; the counts of a server process that is killed are lost. What gcovr prints in full is in
# $TXTFP_WORK/coverage.csv, and with TXTFP_COVERAGE_HTML=yes as pages in $TXTFP_WORK/coverage. Installs gcovr on Debian. Needs g++.
set -eu

[ $# != 0 ] || set -- core installcheck isolation pgtap tap
export TXTFP_WORK="${TXTFP_WORK:-/var/tmp/txtfp-coverage}" CXX=g++ TXTFP_MAKE="${TXTFP_MAKE-} COVERAGE=yes"
command -v gcovr >/dev/null || apt-get install -y -q gcovr >/dev/null

find "$TXTFP_WORK/src" -name '*.gcda' -delete 2>/dev/null || true
status=0
sh "$(dirname "$0")/test.sh" "$@" || status=$? # a failed test does not make the counts wrong

cd "$TXTFP_WORK/src"
pages=
[ -z "${TXTFP_COVERAGE_HTML-}" ] || { mkdir -p ../coverage && pages='--html-details ../coverage/index.html'; }
gcovr --root . --filter src/core/ --filter src/pg/ --exclude-throw-branches --exclude-unreachable-branches --gcov-ignore-parse-errors \
	--csv ../coverage.csv $pages . >/dev/null

# filename, lines (all, reached, share), branches (all, taken, share), …
awk -F, '
	function row(name) { printf "%-24s %7d %7.1f %% %9d %7.1f %%\n", name, lines[name], 100 * reached[name] / lines[name], branches[name], branches[name] ? 100 * taken[name] / branches[name] : 100 }
	function add(name) { lines[name] += $2; reached[name] += $3; branches[name] += $5; taken[name] += $6 }
	BEGIN { printf "%-24s %7s %9s %9s %9s\n", "", "lines", "reached", "branches", "taken" }
	FNR > 1 && $1 !~ /unicode_tables/ { split($1, part, "/"); folder = part[1] "/" part[2] "/" part[3]; if (!(folder in lines)) order[++n] = folder; add(folder); add(part[1] "/" part[2]) }
	END { for (i = 1; i <= n; ++i) row(order[i]); row("src/core"); row("src/pg") }' ../coverage.csv
exit $status
