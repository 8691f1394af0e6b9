# Shared by the scripts that try something on a bare system; to be sourced, as root, on Debian with mmdebstrap. The script has set
# `chroots`, a folder. Systems are made of the mirror that this machine's own apt uses, and get what this machine needs to reach the registries.

root=$(cd "$(dirname "$0")/.." && pwd)
passed=0 failed=0 home=

die() { echo "error: $*" >&2; exit 1; }

# The last line, even if the script could not begin.
count()
{
	[ "$1" = 0 ] || [ "$failed" -gt 0 ] || failed=1 # it ended before it could count
	printf '%d passed, %d failed\n' "$passed" "$failed"
}

# Stops what runs in the system, and removes it.
leave()
{
	[ -n "$home" ] || return 0
	chroot "$home" sh -c '[ ! -d /txtfp ] || (cd /txtfp && sh scripts/demo.sh stop)
		pg_lsclusters -h | while read -r version name rest; do pg_ctlcluster "$version" "$name" stop; done' >/dev/null 2>&1 || true
	for mounted in dev/pts dev/shm proc; do
		umount "$home/$mounted" 2>/dev/null || umount -l "$home/$mounted" 2>/dev/null || true
	done
	rm -rf --one-file-system "$home"
	home=
}
at_exit()
{
	exit_status=$?
	leave
	count $exit_status
}
trap at_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

[ "$(id -u)" = 0 ] || die "only root can make chroots"
command -v mmdebstrap >/dev/null || die "mmdebstrap is missing: apt-get install mmdebstrap"
mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' | awk '$1 == "Debian" && !/security/ { print $2; exit }')
[ -n "$mirror" ] || die "apt knows no Debian mirror"
mkdir -p "$chroots"

# enter RELEASE WAY: a new system, with the committed tree in /txtfp
enter()
{
	leave
	home=$chroots/$1-$2
	rm -rf --one-file-system "$home"
	if [ ! -s "$chroots/$1.tar" ]; then
		echo "==> making a chroot of $1"
		mmdebstrap --quiet --variant=apt --dpkgopt=force-unsafe-io --aptopt='Acquire::Languages "none"' "$1" "$chroots/$1.new.tar" "deb $mirror $1 main"
		mv "$chroots/$1.new.tar" "$chroots/$1.tar"
	fi
	mkdir -p "$home"
	tar -xf "$chroots/$1.tar" -C "$home" --exclude='./dev/*'
	mkdir -p "$home/dev/shm" "$home/dev/pts" "$home/txtfp"
	mknod -m 666 "$home/dev/null" c 1 3
	mknod -m 666 "$home/dev/zero" c 1 5
	mknod -m 444 "$home/dev/random" c 1 8
	mknod -m 444 "$home/dev/urandom" c 1 9
	mknod -m 666 "$home/dev/tty" c 5 0
	ln -s /proc/self/fd "$home/dev/fd"
	ln -s pts/ptmx "$home/dev/ptmx"
	mount -t proc proc "$home/proc"
	mount -t tmpfs tmpfs "$home/dev/shm"
	mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts "$home/dev/pts"
	git -C "$root" archive HEAD | tar -xf - -C "$home/txtfp"
	for file in /etc/resolv.conf /etc/apt/apt.conf.d/*proxy* /etc/pip.conf; do
		[ ! -f "$file" ] || cp --parents "$file" "$home"
	done
	[ -z "${PIP_CERT-}" ] || cp "$PIP_CERT" "$home/etc/certificates.crt"
}

# inside COMMAND…: runs a command in the system, with an environment of its own
inside()
{
	# shellcheck disable=SC2046
	chroot "$home" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
		${PIP_CERT:+PIP_CERT=/etc/certificates.crt NODE_EXTRA_CA_CERTS=/etc/certificates.crt} \
		$(env | grep -E '^(https?_proxy|HTTPS?_PROXY|no_proxy|PIP_INDEX_URL|DEB_BUILD_OPTIONS)=' || true) "$@"
}

# as_postgres DATABASE ARGUMENT…: psql by the role that Debian's package made
as_postgres()
{
	database=$1
	shift
	inside sh -c 'cd / && exec setpriv --reuid postgres --regid postgres --init-groups psql -X -q -v ON_ERROR_STOP=1 "$@"' sh -d "$database" "$@"
}

# try NAME COMMAND…: the end of what the command prints is shown only if it fails
try()
{
	name=$1 started=$(date +%s) outcome=ok
	shift
	"$@" >"$chroots/log" 2>&1 </dev/null || outcome=FAILED
	printf '%-7s %s (%d s)\n' "$outcome" "$name" $(($(date +%s) - started))
	if [ "$outcome" = ok ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		tail -n 20 "$chroots/log" | sed 's/^/        /'
	fi
}
