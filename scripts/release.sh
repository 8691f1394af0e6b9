#!/bin/sh
# Goes through the steps of RELEASING.md in their order, unattended: sh scripts/release.sh --rehearse [STEP…]
#
#   --rehearse    runs all steps, or those named, and goes on after one that fails; publishes nothing, makes no tag
#   --list        lists the steps
#
# Each step writes $TXTFP_WORK/rehearsal/STEP.log (default: /var/tmp/txtfp-release-<user>/rehearsal). Ends with a table: what passed, how long it took, and what
# was not possible here, and why. The exit status is 0 only if no step failed. Most steps need what their scripts need: root, Debian, mmdebstrap, the network.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
work=${TXTFP_WORK:-/var/tmp/txtfp-release-$(id -un)}
logs=$work/rehearsal
version=$(sed -n "s/^default_version *= *'\(.*\)'/\1/p" txtfp.control)
export TXTFP_WORK="$work"
table= failed=0

die() { printf '%s\n' "$@" >&2; exit 1; }

# What a step may lack: each prints why it is not possible here, or nothing
needs()
{
	for what; do
		case $what in
		root) [ "$(id -u)" = 0 ] || { echo "needs root"; return; } ;;
		debian) grep -q '^ID=debian' /etc/os-release 2>/dev/null || { echo "needs Debian"; return; } ;;
		chroots) command -v mmdebstrap >/dev/null 2>&1 && unshare --mount true 2>/dev/null || { echo "needs mmdebstrap and mounts"; return; } ;;
		docker) docker info >/dev/null 2>&1 || { echo "needs docker"; return; } ;;
		clean) [ -z "$(git status --porcelain)" ] || { echo "needs a tree without changes"; return; } ;;
		key) git config user.signingkey >/dev/null 2>&1 || { echo "needs a key for signatures"; return; } ;;
		old) [ -n "${TXTFP_OLD_PG-}" ] || { echo "needs TXTFP_OLD_PG, a PostgreSQL with the last release"; return; } ;;
		corpora) [ -d "${TXTFP_CORPUS-}" ] || { echo "needs TXTFP_CORPUS, a folder with the corpora of the tutorial"; return; } ;;
		quiet) [ "$(cut -d. -f1 /proc/loadavg)" -lt 1 ] || { echo "needs a machine without other work"; return; } ;;
		nobody) echo "needs accounts at the sites where it is published"; return ;;
		*) command -v "$what" >/dev/null 2>&1 || { echo "needs $what"; return; } ;;
		esac
	done
}

# The steps: NAME | what it needs | its title in the table | command
steps()
{
	cat <<'STEPS'
version | | the version is the same everywhere | make -s check-version
layers | | the include graph, and no PostgreSQL in the core | make -s check-layers
promises | | fingerprints, names, formats, indexes: what never changes | sh scripts/test.sh core && sh scripts/test.sh installcheck frozen && sh scripts/test.sh tap 049 && sh scripts/test.sh cli 070
suite | | every test, from nothing | .ci/run
long | | every test at full length | make -s check-all
matrix | root debian chroots | PostgreSQL 15 to 19, g++ and clang++ | sh scripts/matrix.sh 15 16 17 18 19
fuzz | clang++-14 | fuzzing, 600 s a target | make -s fuzz FUZZ_TIME=600
sanitize | | a server under AddressSanitizer and UndefinedBehaviorSanitizer | make -s sanitize
pgspot | pgspot | the scripts have no unsafe SQL | make -s check-pgspot
update | | ALTER EXTENSION UPDATE from every older version | sh scripts/test.sh tap 022 && sh scripts/test.sh tap 048
update-old | old | the same, with data of the old library; pg_upgrade | sh scripts/test.sh tap 048 && sh scripts/test.sh tap 050 && sh scripts/test.sh tap 025
pages | | the SQL of the pages | sh scripts/test.sh tap 030
tutorial | corpora | the tutorial's numbers | sh scripts/test.sh tap 030
drivers | | drivers of other languages | sh scripts/drivers.sh
newcomer | root debian chroots | the README on bare Debian 12 and 13 | sh scripts/newcomer.sh
bench | quiet | measurements | sh bench/run
archive | clean | the archive equals the tree | make -s check-dist
packages | root debian chroots | Debian packages on bare systems | sh scripts/check_debs.sh
images | docker | images | sh packaging/check_images.sh
wheel | | wheel and sdist of the Python package | sh scripts/check_python.sh
site | python3 | the site | make -s site
bill | python3 | the software bill of materials | sh scripts/bill_of_materials.sh
checksum | clean | the archive and its checksum | make -s dist && sha256sum build/txtfp-*.zip
notes | | the release notes | sed -n "/^## \[$version\]/,/^## \[/p" CHANGELOG.md | grep .
tag | key clean | a signed tag | git tag -s -m rehearsal rehearsal && git tag -d rehearsal
publish | nobody | PGXN, apt.postgresql.org, CloudNativePG, images, package index | false
STEPS
}

run_step()
{
	name=$1 needed=$2 title=$3 command=$4
	missing=$(needs $needed)
	if [ -n "$missing" ]; then
		outcome="not possible: $missing" seconds=-
	else
		printf '==> %s\n' "$title"
		begin=$(date +%s)
		if (eval "$command") >"$logs/$name.log" 2>&1 </dev/null; then
			outcome=passed
		else
			outcome="FAILED ($logs/$name.log)" failed=$((failed + 1))
		fi
		seconds=$(($(date +%s) - begin))
		# the count of the last line, as all our scripts end
		counted=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$logs/$name.log" | tail -n 1)
		outcome="$outcome${counted:+: $counted}"
	fi
	table="$table$(printf '%-12s %7s  %s: %s' "$name" "$seconds" "$title" "$outcome")
"
}

case ${1-} in
--list) steps | cut -d'|' -f1,3; exit 0 ;;
--rehearse) shift ;;
*) die "usage: sh scripts/release.sh --rehearse [STEP…] | --list" "RELEASING.md says what a release is." ;;
esac
for wanted; do
	steps | grep -q "^$wanted |" || die "there is no step \"$wanted\"; sh scripts/release.sh --list lists them"
done

mkdir -p "$logs"
steps >"$logs/steps"
while IFS='|' read -r name needed title command <&3; do
	name=${name% }
	[ $# = 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
	title=${title# } title=${title% }
	run_step "$name" "$needed" "$title" "$command"
done 3<"$logs/steps"

printf '\nrehearsal of %s, %s, %s\n\n%-12s %7s\n%s' "$version" "$(git rev-parse --short HEAD)" "$(date -u +%Y-%m-%d)" step seconds "$table" | tee "$logs/table"
[ "$failed" = 0 ]
