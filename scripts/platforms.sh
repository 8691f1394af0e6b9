#!/bin/sh
# Builds and tests the core for every platform: sh scripts/platforms.sh [amd64] [libc++] [arm64] [s390x] [i386] [armhf]
#
# As root, on Debian; mmdebstrap is installed if it is missing, and nothing else outside of the chroot of bookworm that it makes
# from the mirror that this machine's own apt uses. There the core is cross-built with -Werror and UndefinedBehaviorSanitizer
# (natively with AddressSanitizer, too). The unit tests, with all frozen vectors, and the corpora of the fuzz targets run under
# qemu-user (i386 without it where the machine can), the unit tests at each level of the vector units. At the end a table shows the
# digests of what each test that reads frozen vectors has computed, which must be the same everywhere.
#
#   TXTFP_CHROOTS  where the chroot lies (default /var/tmp/txtfp-matrix); some 4 GB, used again by the next run
#
# The last line is "N passed, N failed", over all platforms.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
chroots=${TXTFP_CHROOTS:-/var/tmp/txtfp-matrix}
home=$chroots/platforms
passed=0 failed=0

die() { echo "error: $*" >&2; exit 1; }

# describe PLATFORM sets what its tests need: compiler, options, what runs a program, levels
describe()
{
	flags=-fsanitize=undefined\ -fno-sanitize-recover=all run= levels=best
	case $1 in
	amd64) cxx=g++ flags="-fsanitize=address,undefined -fno-sanitize-recover=all" levels="best baseline avx2" ;;
	libc++) # as on macOS, but for characters, which are unsigned here
		cxx=clang++-14
		flags="-stdlib=libc++ -funsigned-char -fsanitize=address,undefined -fno-sanitize-recover=all" ;;
	arm64) cxx=aarch64-linux-gnu-g++ run="qemu-aarch64 -p 65536" levels="best baseline" ;; # pages of 64 kB
	s390x) cxx=s390x-linux-gnu-g++ run=qemu-s390x ;;
	i386)
		cxx=i686-linux-gnu-g++ flags="-msse2 -mfpmath=sse $flags"               # see src/core/base/platform.hpp
		"$home/lib/ld-linux.so.2" --version >/dev/null 2>&1 || run=qemu-i386 ;; # most x86-64 processors and kernels need no emulation
	armhf) cxx=arm-linux-gnueabihf-g++ run=qemu-arm ;;
	*) die "there is no platform \"$1\"" ;;
	esac
}

prepare()
{
	[ "$(id -u)" = 0 ] || die "only root can make chroots"
	command -v mmdebstrap >/dev/null || { apt-get -q update && apt-get -y -q install --no-install-recommends mmdebstrap; }
	[ ! -e "$home/complete" ] || return 0
	mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' | awk '$1 == "Debian" { print $2; exit }')
	[ -n "$mirror" ] || die "apt knows no Debian mirror"
	echo "==> making a chroot of bookworm with compilers and libraries for all platforms"
	rm -rf --one-file-system "$home"
	mkdir -p "$chroots"
	libraries=
	for architecture in arm64 s390x i386 armhf; do
		for library in libicu-dev libxxhash-dev libstdc++6 libubsan1; do
			libraries=$libraries,$library:$architecture
		done
	done
	mmdebstrap --quiet --variant=apt --dpkgopt=force-unsafe-io --aptopt='Acquire::Check-Valid-Until "false"' \
		--aptopt='Acquire::Languages "none"' --architectures=amd64,arm64,s390x,i386,armhf \
		--include=make,bzip2,unicode-data,qemu-user,libicu-dev,libxxhash-dev,g++,g++-aarch64-linux-gnu,g++-s390x-linux-gnu,g++-i686-linux-gnu,g++-arm-linux-gnueabihf,clang-14,libclang-rt-14-dev,libc++-14-dev,libc++abi-14-dev"$libraries" \
		bookworm "$home" "deb $mirror bookworm main"
	touch "$home/complete"
}

# With their times, so that the second run builds what has changed.
copy_sources()
{
	rm -rf --one-file-system "$home/src"
	mkdir -p "$home/src"
	(cd "$root" && find scripts src/core test/unit test/data test/fuzz tools/standard.hpp -type f -print | tar --no-recursion -cf - -T -) |
		tar -C "$home/src" -xf -
}

inside()
{
	unshare --mount sh -ec 'mount -t proc proc "$0/proc"; mkdir -p "$0/dev/shm"; mount -t tmpfs -o mode=1777 tmpfs "$0/dev/shm"; exec chroot "$0" "$@"' \
		"$home" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/root make -s -C /src -f scripts/platforms.mk "$@"
}

# count LOG: adds all of its lines "N passed, N failed"; a log without one, or a part that ended early, has failed
count()
{
	set -- "$1" "$2" $(awk '/^[0-9]+ passed, [0-9]+ failed/ { p += $1; f += $3; n++ } END { print p + 0, f + 0, n + 0 }' "$1")
	[ "$5" = "$2" ] || set -- "$1" "$2" "$3" $(($4 + 1))
	passed=$((passed + $3)) failed=$((failed + $4))
	echo "    $3 passed, $4 failed in $((($(date +%s) - started + 30) / 60)) min (log: $1)"
	[ "$4" = 0 ] || grep -vE '^digest ' "$1" | tail -n 40
}

test_platform()
{
	describe "$1"
	log=$chroots/platform-$1.log
	started=$(date +%s)
	echo "==> $1: $cxx${run:+ and $run}"
	inside "OUT=/var/tmp/$1" "CXX=$cxx" "FLAGS=$flags" "RUN=$run" "LEVELS=$levels" -k -j"$(nproc)" all >"$log" 2>&1 &&
		inside "OUT=/var/tmp/$1" "CXX=$cxx" "FLAGS=$flags" "RUN=$run" "LEVELS=$levels" -k check >>"$log" 2>&1 || true
	set -- "$1" $levels corpora
	count "$log" $(($# - 1))
}

# A line for each test that reads frozen vectors, a column for each platform and level; what differs from the first column
# counts as failed.
compare_digests()
{
	echo "==> digests of what the frozen vectors give"
	set -- $(for platform; do echo "$chroots/platform-$platform.log"; done)
	awk '
		FNR == 1 { platform = FILENAME; sub(/.*platform-/, "", platform); sub(/\.log$/, "", platform) }
		/^level / { column = $2 == "best" ? platform : platform "/" $2; columns[++n] = column }
		/^digest / { digest[$2, column] = $3; if (!($2 in seen)) { seen[$2]; tests[++m] = $2 } }
		END {
			line = sprintf("%-34s", "")
			for (c = 1; c <= n; c++) line = line sprintf(" %-16s", columns[c])
			print line
			fflush()
			for (t = 1; t <= m; t++) {
				same = 1
				line = sprintf("%-34s", tests[t])
				for (c = 1; c <= n; c++) {
					value = digest[tests[t], columns[c]]
					if (value == "") value = "missing"
					if (value != digest[tests[t], columns[1]]) same = 0
					line = line sprintf(" %-16s", value)
				}
				print line (same ? "" : " DIFFERENT") | "sort"
				same ? p++ : f++
			}
			close("sort")
			printf "%d passed, %d failed\n", p, f + (m == 0)
		}' "$@" >"$chroots/platform-digests.txt"
	cat "$chroots/platform-digests.txt"
	set -- $(tail -n 1 "$chroots/platform-digests.txt")
	passed=$((passed + $1)) failed=$((failed + $3))
}

platforms=${*:-amd64 libc++ arm64 s390x i386 armhf}
for platform in $platforms; do
	describe "$platform"
done
prepare
copy_sources
for platform in $platforms; do
	test_platform "$platform"
done
compare_digests $platforms
printf '\n%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
