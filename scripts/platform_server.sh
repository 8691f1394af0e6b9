#!/bin/sh
# Runs SQL tests in a PostgreSQL 15 of another processor, under qemu-user: sh scripts/platform_server.sh ARCHITECTURE [TEST…]
#
# As root, after scripts/platforms.sh has made its chroot. ARCHITECTURE is arm64, s390x, armhf or i386. Only the server and the
# libraries that it loads are of that processor: Debian's packages, unpacked, and the extension, cross-built. Client programs
# are this machine's. Without TEST every SQL test runs; beside an emulated server that takes an hour or more.
#
# The last line is "N passed, N failed".
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
chroots=${TXTFP_CHROOTS:-/var/tmp/txtfp-matrix}
home=$chroots/platforms

die() { echo "error: $*" >&2; exit 1; }

[ -e "$home/complete" ] || die "first run sh scripts/platforms.sh"
architecture=${1:?architecture}
shift
flags=
case $architecture in
arm64) triplet=aarch64-linux-gnu qemu=qemu-aarch64 ;;
s390x) triplet=s390x-linux-gnu qemu=qemu-s390x ;;
armhf) triplet=arm-linux-gnueabihf qemu=qemu-arm ;;
i386) triplet=i386-linux-gnu qemu=qemu-i386 flags="-msse2 -mfpmath=sse" ;;
*) die "there is no architecture \"$architecture\"" ;;
esac

inside()
{
	unshare --mount sh -ec 'mount -t proc proc "$0/proc"; mkdir -p "$0/dev/shm"; mount -t tmpfs -o mode=1777 tmpfs "$0/dev/shm"; exec chroot "$0" "$@"' \
		"$home" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/tmp DEBIAN_FRONTEND=noninteractive "$@"
}

echo "==> packages"
rm -rf --one-file-system "$home/server-src"
mkdir -p "$home/server-src"
(cd "$root" && find Makefile txtfp.control META.json docs expected scripts sql src test/sql -type f ! -name '*.o' ! -name '*.d' -print |
	tar --no-recursion -cf - -T -) | tar -C "$home/server-src" -xf -

cat >"$home/server-run" <<'END'
set -eu
architecture=$1 triplet=$2 qemu=$3 flags=$4
shift 4
base=/var/tmp/server-$architecture
prefix=$base/usr bin=$base/usr/lib/postgresql/15/bin
mkdir -p /etc/postgresql-common/createcluster.d
echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/txtfp.conf
apt-get -q update
apt-get -q -y install --no-install-recommends postgresql-15 postgresql-server-dev-15 locales
if [ ! -e "$base/complete" ]; then
	rm -rf "$base"
	mkdir -p "$base/debs"
	cd "$base/debs"
	# what the server needs of other packages, itself left out
	apt-get -q -y install --no-install-recommends $(apt-cache show "postgresql-15:$architecture" | sed -n 's/^Depends: //p' | head -n 1 |
		tr ',' '\n' | sed 's/(.*//; s/|.*//; s/ //g' | grep '^lib' | grep -v '^libllvm' | sed "s/\$/:$architecture/")
	apt-get -q download "postgresql-15:$architecture" "postgresql-server-dev-15:$architecture"
	for deb in ./*.deb; do dpkg-deb -x "$deb" "$base"; done
	mv "$bin/postgres" "$bin/postgres.real"
	printf '#!/bin/sh\nexec %s -0 %s %s "$@"\n' "$qemu" "$bin/postgres" "$bin/postgres.real" >"$bin/postgres"
	chmod +x "$bin/postgres"
	for program in initdb pg_ctl psql createdb dropdb pg_config; do
		rm -f "$bin/$program"
		cp -L "/usr/lib/postgresql/15/bin/$program" "$bin/"
	done
	cp -r /usr/lib/postgresql/15/lib/pgxs "$base/usr/lib/postgresql/15/lib/"
	touch "$base/complete"
fi
cd /server-src
gxx=$triplet-g++ gcc=$triplet-gcc
[ "$architecture" != i386 ] || gxx=i686-linux-gnu-g++ gcc=i686-linux-gnu-gcc
include=$base/usr/include/postgresql/15/server
version=$(sed -n "s/^default_version *= *'\(.*\)'/\1/p" txtfp.control)
echo "==> building for $architecture"
cat >cross.mk <<MK
OBJS = \$(patsubst %.cpp,$base/objects/%.o,\$(sort \$(wildcard src/core/*/*.cpp src/pg/*/*.cpp)))
$base/usr/lib/postgresql/15/lib/txtfp.so: \$(OBJS)
	$gxx $flags -shared -o \$@ \$^ -licuuc
$base/objects/%.o: %.cpp
	@mkdir -p \$(@D)
	$gxx $flags -O2 -fPIC -std=c++20 -Wall -Wextra -Werror -Wno-unused-parameter -fvisibility=hidden -fvisibility-inlines-hidden \
		-ffp-contract=off -DTXTFP_VERSION='"$version"' -Isrc -Ibuild/embedded -isystem $include -MMD -MP -c \$< -o \$@
-include \$(OBJS:.o=.d)
MK
make -s build/embedded/review_page_files.hpp PG_CONFIG=/usr/bin/pg_config
make -s -f cross.mk -j"$(nproc)"
make -s "build/txtfp--$version.sql" PG_CONFIG=/usr/bin/pg_config
cp txtfp.control "build/txtfp--$version.sql" "$base/usr/share/postgresql/15/extension/"
chown -R postgres "$base" /server-src
ln -sfn ../expected test/expected
echo "==> starting the server"
tests=${*:-$(cd test/sql && ls *.sql | sed 's/\.sql$//')}
cat >"$base/steps" <<SH
set -eu
cd /server-src
export PATH=$bin:\$PATH
rm -rf $base/data $base/run
mkdir -p $base/run
initdb -D $base/data -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync
cat >>$base/data/postgresql.conf <<CONF
listen_addresses = ''
unix_socket_directories = '$base/run'
dynamic_shared_memory_type = mmap
fsync = off
jit = off
max_prepared_transactions = 5
max_locks_per_transaction = 64
CONF
pg_ctl -D $base/data -l $base/log -w -t 300 start
status=0
PGHOST=$base/run PGUSER=postgres /usr/lib/postgresql/15/lib/pgxs/src/test/regress/pg_regress --bindir=$bin --inputdir=test \
	--load-extension=txtfp --encoding=UTF8 --no-locale --dbname=contrib_regression $tests || status=\$?
PGHOST=$base/run PGUSER=postgres psql -X -d contrib_regression -c 'SELECT version(), simd FROM txtfp_info()' || true
pg_ctl -D $base/data -m fast -w stop
exit \$status
SH
setpriv --reuid postgres --regid postgres --init-groups sh "$base/steps"
END
log=$chroots/server-$architecture.log
inside sh /server-run "$architecture" "$triplet" "$qemu" "$flags" "$@" >"$log" 2>&1 || true
set -- $(awk '/^test .*\.\.\. ok/ { p++ } /^test .*\.\.\. FAILED/ { f++ } END { print p + 0, f + (p + f == 0) }' "$log")
[ "$2" = 0 ] || { grep -E 'FAILED|error' "$log" || tail -n 30 "$log"; } | head -n 60
printf '%d passed, %d failed (log: %s)\n' "$1" "$2" "$log"
[ "$2" = 0 ]
