#!/bin/sh
# Builds and tests on every supported major version of PostgreSQL: sh scripts/matrix.sh [15] [16] [17] [18] [19]
#
# Runs as root, on Debian with mmdebstrap. 15, 17 and 18 run in chroots of bookworm, trixie and sid, made from the mirror that
# this machine's own apt uses; there scripts/test.sh does everything, as on a new machine. 19, a release candidate, runs in one of
# sid that has PostgreSQL from experimental. 16 is in no Debian release; its
# programs and headers come from the Python package pgserver, which runs on bookworm.
# Each version is built by g++ and by clang++ with -Werror; the g++ build is tested. The later versions get a copy of 15 with
# the extension, from which test/tap/025_upgrade.pl upgrades.
#
#   TXTFP_CHROOTS  folder of the chroots (default /var/tmp/txtfp-matrix); about 2 GB each, reused by the next run
#
# The last line is "N passed, N failed", over all versions.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
chroots=${TXTFP_CHROOTS:-/var/tmp/txtfp-matrix}
layers="layers version installcheck isolation pgtap tap drivers" # core reads the Unicode 15.0 files of bookworm
old=/postgresql-15/usr/lib/postgresql/15
passed=0 failed=0 built_15=

die() { echo "error: $*" >&2; exit 1; }

[ "$(id -u)" = 0 ] || die "only root can make chroots"
command -v mmdebstrap >/dev/null || die "mmdebstrap is missing: apt-get install mmdebstrap"
mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' | awk '$1 == "Debian" { print $2; exit }')
[ -n "$mirror" ] || die "apt knows no Debian mirror"

# suite_of VERSION
suite_of()
{
	case $1 in
	15 | 16) echo bookworm ;;
	17) echo trixie ;;
	18) echo sid ;;
	19) echo experimental ;;
	*) die "there is no recipe for PostgreSQL $1" ;;
	esac
}

make_chroot()
{
	[ -e "$chroots/$1/etc/debian_version" ] && return 0
	echo "==> making a chroot of $1"
	rm -rf --one-file-system "${chroots:?}/$1" # does not touch mounts that a killed run left
	mkdir -p "$chroots"
	release=$1
	set -- --include=clang,libclang-rt-dev "$1" "$chroots/$1" "deb $mirror $1 main"
	if [ "$release" = experimental ]; then
		printf '%s\n' 'Package: src:postgresql-19:any' 'Pin: release a=experimental' 'Pin-Priority: 900' >"$chroots/pin-19"
		set -- --setup-hook="mkdir -p \"\$1/etc/apt/preferences.d\" && cp '$chroots/pin-19' \"\$1/etc/apt/preferences.d/txtfp\"" \
			--include=clang,libclang-rt-dev sid "$chroots/experimental" "deb $mirror sid main" "deb $mirror experimental main"
	fi
	mmdebstrap --quiet --variant=apt --dpkgopt=force-unsafe-io --aptopt='Acquire::Check-Valid-Until "false"' \
		--aptopt='Acquire::Languages "none"' "$@"
}

# A package of pgTAP, which is SQL alone, is made for 19 of that for 18, as long as there is none.
pgtap_for_19()
{
	inside experimental "" 'set -e
		apt-get -q update
		! dpkg-query -W postgresql-19-pgtap >/dev/null 2>&1 || exit 0
		! apt-get -q -y install --no-install-recommends postgresql-19-pgtap || exit 0
		cd /tmp && rm -rf pgtap && mkdir pgtap && cd pgtap
		apt-get -q download postgresql-18-pgtap
		dpkg-deb -R ./*.deb tree
		mv tree/usr/share/postgresql/18 tree/usr/share/postgresql/19
		sed -i "s/^Package: .*/Package: postgresql-19-pgtap/; s/postgresql-18/postgresql-19/g" tree/DEBIAN/control
		rm -f tree/DEBIAN/md5sums ./*.deb
		dpkg-deb -b tree made.deb
		apt-get -q -y install --no-install-recommends ./made.deb' >"$chroots/19-pgtap.log" 2>&1 || die "no pgTAP for 19, see $chroots/19-pgtap.log"
}

# Copies the sources of this tree, without build results.
copy_sources()
{
	rm -rf --one-file-system "$chroots/$1/src"
	mkdir -p "$chroots/$1/src"
	(cd "$root" && find . \( -name .git -o -name build -o -path ./results -o -path ./output_iso -o -name tmp_check \) -prune -o \
		-type f ! -name '*.o' ! -name '*.so' ! -name '*.d' -print | tar --no-recursion -cf - -T -) | tar -C "$chroots/$1/src" -xf -
}

# Unpacks 16 into the chroot of bookworm, after 15, with the pgTAP of 15 (plain SQL) and its modules for TAP tests. It has no
# contrib modules, so tests with amcheck or postgres_fdw are left out, and so is drivers, which needs auto_explain.
unpack_16()
{
	to=$chroots/bookworm/pgserver
	[ ! -e "$to/complete" ] || return 0
	echo "==> unpacking PostgreSQL 16"
	rm -rf --one-file-system "$to"
	mkdir "$to"
	python3 -m pip download -q --no-deps --only-binary=:all: --python-version 3.11 --platform manylinux2014_x86_64 \
		--dest "$to" pgserver==0.1.4
	(cd "$to" && python3 -m zipfile -e pgserver-*.whl . && mv pgserver/pginstall . && rm -rf pgserver ./*.whl)
	chmod -R a+rX "$to"
	chmod -R a+x "$to/pginstall/bin" "$to/pginstall/lib/postgresql/pgxs"
	ln -sfn /pgserver/pgserver.libs "$chroots/bookworm/var/tmp/" # where programs in /var/tmp/txtfp-16/pg look for their libraries
	inside bookworm "" 'apt-get -q update && apt-get -y -q install --no-install-recommends postgresql-15-pgtap libtap-parser-sourcehandler-pgtap-perl &&
		cp /usr/share/postgresql/15/extension/pgtap* /pgserver/pginstall/share/postgresql/extension/ &&
		cp -r /usr/lib/postgresql/15/lib/pgxs/src/test/perl /pgserver/pginstall/lib/postgresql/pgxs/src/test/' >"$chroots/16-unpack.log" 2>&1
	touch "$to/complete"
}

# Takes 15 as bookworm's test.sh has left it, with those of its libraries that this suite lacks.
bring_15()
{
	if [ -z "$built_15" ]; then
		wanted=$version version=15
		make_chroot bookworm
		copy_sources bookworm
		run build bookworm "g++ -Werror" "sh /src/scripts/test.sh layers"
		version=$wanted built_15=yes
	fi
	rm -rf --one-file-system "$chroots/$suite/postgresql-15"
	cp -a "$chroots/bookworm/var/tmp/txtfp-15/pg" "$chroots/$suite/postgresql-15"
	chown -R 0:0 "$chroots/$suite/postgresql-15"
	chmod -R a+rX "$chroots/$suite/postgresql-15"
	# First the libraries that the later version needs, too: its programs must not load those of 15.
	[ "$version" = 16 ] && client=libpq5 || client=postgresql-client-$version
	inside "$suite" "" "apt-get -q update && apt-get -y -q install --no-install-recommends $client" >"$chroots/$version-client.log" 2>&1 ||
		die "no package $client, see $chroots/$version-client.log"
	while missing=$(missing_libraries) && [ -n "$missing" ]; do
		for library in $missing; do
			cp -L "$chroots/bookworm"/usr/lib/*-linux-gnu/"$library" "$chroots/$suite$old/lib/" || return
		done
	done
}

missing_libraries()
{
	chroot "$chroots/$suite" env LD_LIBRARY_PATH="$old/lib" sh -c "ldd $old/bin/* $old/lib/txtfp.so 2>/dev/null" |
		awk '/=> not found/ { print $1 }' | sort -u
}

inside()
{
	settings=
	[ "$version" = 15 ] || settings="TXTFP_OLD_PG=$old"
	[ "$version" != 16 ] || settings="$settings TXTFP_PG_PREFIX=/pgserver/pginstall"
	# the mounts disappear with the namespace; some packages and tests need /proc
	unshare --mount sh -ec 'mount -t proc proc "$0/proc"; mkdir -p "$0/dev/shm"; mount -t tmpfs -o mode=1777 tmpfs "$0/dev/shm"; exec chroot "$0" "$@"' \
		"$chroots/$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/root \
		TXTFP_PG="$version" TXTFP_WORK="/var/tmp/txtfp-$version" CXX="$2" $settings sh -c "$3"
}

# count LOG: adds its last "N passed, N failed"; a log without one has failed
count()
{
	set -- "$1" $(awk '/^[0-9]+ passed, [0-9]+ failed$/ { p = $1; f = $3 } END { print p + 0, (p + f == 0 ? 1 : f) }' "$1")
	passed=$((passed + $2)) failed=$((failed + $3))
	echo "    $2 passed, $3 failed (log: $1)"
	[ "$3" = 0 ] || tail -n 40 "$1"
}

# run NAME SUITE CXX COMMAND
run()
{
	echo "==> PostgreSQL $version: $1"
	inside "$2" "$3" "$4" >"$chroots/$version-$1.log" 2>&1 || true
	count "$chroots/$version-$1.log"
}

for version in ${*:-15 16 17 18 19}; do
	suite=$(suite_of "$version")
	make_chroot "$suite"
	copy_sources "$suite"
	[ "$version" = 15 ] || bring_15
	[ "$version" != 16 ] || unpack_16
	[ "$version" != 19 ] || pgtap_for_19
	run "clang++" "$suite" "clang++ -Werror" "TXTFP_MAKE=APART=yes sh /src/scripts/test.sh layers"
	[ "$version" != 15 ] || run "odr" "$suite" "g++" "sh /src/scripts/test.sh odr"
	[ "$version" = 16 ] && left_out=drivers || left_out=
	run "g++" "$suite" "g++ -Werror" "sh /src/scripts/test.sh ${layers%"$left_out"}"
	[ "$version" != 15 ] || built_15=yes
done
printf '\n%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
