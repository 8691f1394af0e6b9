# What check_images.sh, which sources this, builds from: tools, base images, the context.

for tool in buildah podman runc mmdebstrap git; do
	command -v $tool >/dev/null || { apt-get -q update && apt-get -y -q install --no-install-recommends $tool; }
done
mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' | awk '$1 == "Debian" { print $2; exit }')
[ -n "$mirror" ] || die "apt knows no Debian mirror"

store="--root $home/storage --runroot $home/run --storage-driver overlay"
build() { buildah $store bud -q --isolation chroot --network host --pull-never "$@" "$context"; }
pod() { podman $store --runtime runc --cgroup-manager cgroupfs "$@"; }

# base SUITE: the image debian:SUITE-slim. It trusts what this machine trusts, which may be a proxy; the build of embed needs that.
base()
{
	! pod image exists "docker.io/library/debian:$1-slim" || return 0
	echo "==> base debian:$1-slim"
	# As in the true ones, apt keeps neither packages nor caches.
	mmdebstrap --quiet --variant=minbase --dpkgopt=force-unsafe-io --dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' --aptopt='Acquire::Languages "none"' \
		--aptopt='Acquire::Check-Valid-Until "false"' --customize-hook='rm -f "$1"/var/cache/apt/*.bin' \
		--customize-hook='echo "APT::Keep-Downloaded-Packages false; Dir::Cache { pkgcache \"\"; srcpkgcache \"\"; };" >"$1/etc/apt/apt.conf.d/docker-clean"' \
		--customize-hook='install -D -m 644 /etc/ssl/certs/ca-certificates.crt "$1/usr/local/share/ca-certificates/host.crt"' \
		"$1" "$home/base.tar" "deb $mirror $1 main" >>"$log" 2>&1 || die "no base, see $log"
	pod import -q --change ENV=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$home/base.tar" "docker.io/library/debian:$1-slim" >>"$log"
	rm "$home/base.tar"
}

# stand_in NAME SUITE BUILD-ARGUMENT…
stand_in()
{
	name=$1 suite=$2
	shift 2
	base "$suite"
	echo "==> stand-in for $name"
	build -f "$context/packaging/Dockerfile.stand-in" -t "$name" --build-arg SUITE="$suite" "$@" >>"$log" 2>&1 || die "no stand-in, see $log"
}

# The context: the tracked files as they are now, and what builds leave beside them.
rm -rf --one-file-system "$context"
mkdir "$context"
(cd "$root" && git -c safe.directory='*' ls-files) | LC_ALL=C sort >"$home/files"
tar -C "$root" -T "$home/files" -cf - | tar -C "$context" -xf -
for junk in .git/config build/a contrib/txtfp_embed/build/python/a src/pg/a.d src/core/a.o txtfp.so results/a contrib/txtfp_cjk/log/a; do
	install -D /dev/null "$context/$junk"
done
