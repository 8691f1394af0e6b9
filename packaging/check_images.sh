#!/bin/sh
# Builds and runs the images: sh packaging/check_images.sh [debian15] [debian17] [official] [cnpg] [embed]
#
# As root, on Debian; missing packages are installed by apt. No registry is asked: the base images are made of Debian's packages, from the
# mirror that this machine's own apt uses, and get the names that the image definitions ask for. Those called debian are what
# Debian's are: the smallest system, without manuals. The other two are stand-ins of the same shape, with Debian's packages of
# PostgreSQL: postgres:17 is trixie, the server image of CloudNativePG is sid, the only suite with PostgreSQL 18. embed fetches
# ONNX Runtime from PyPI.
#
#   TXTFP_IMAGES  where everything lies (default /var/tmp/txtfp-images), some 4 GB; the bases are used again by the next run
#
# The last line is "N passed, N failed".
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
home=${TXTFP_IMAGES:-/var/tmp/txtfp-images}
log=$home/log.txt
store="--root $home/storage --runroot $home/run --storage-driver overlay"
passed=0 failed=0

die() { echo "error: $*" >&2; exit 1; }

# check LABEL COMMAND…
check()
{
	label=$1
	shift
	if "$@" >"$home/check.txt" 2>&1; then
		passed=$((passed + 1))
		echo "    passed: $label"
	else
		failed=$((failed + 1))
		echo "    FAILED: $label"
		tail -n 30 "$home/check.txt"
	fi
	cat "$home/check.txt" >>"$log"
}

build() { buildah $store bud -q --isolation chroot --network host --pull-never "$@"; }
pod() { podman $store --runtime runc --cgroup-manager cgroupfs "$@"; }
# The limits are low because raising one needs a capability that root in a container lacks.
run() { pod run --network none --ulimit nofile=1024:1024 --ulimit nproc=4096:4096 "$@"; }
start() { pod rm -f -t 0 server >/dev/null; run -d --name server "$@"; }
sql() { pod exec -e PGPASSWORD="$1" server psql -h 127.0.0.1 -U postgres -XAtq -v ON_ERROR_STOP=1 -c "$2"; }
gives() { result=$(sql secret "$1") && echo "$result" && [ "$result" = "$2" ]; }
# says TEXT COMMAND…: fails and tells why
says() { text=$1; shift; ! "$@" >"$home/said.txt" 2>&1 && cat "$home/said.txt" && grep -q "$text" "$home/said.txt"; }

# base SUITE: the image debian:SUITE-slim
base()
{
	! pod image exists "docker.io/library/debian:$1-slim" || return 0
	echo "==> base debian:$1-slim"
	# The build of embed must trust the certificates that this machine trusts, which may be behind a proxy.
	mmdebstrap --quiet --variant=minbase --dpkgopt=force-unsafe-io --dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' --aptopt='Acquire::Languages "none"' \
		--aptopt='Acquire::Check-Valid-Until "false"' --customize-hook='mkdir -p "$1/usr/local/share/ca-certificates"' \
		--customize-hook='cp /etc/ssl/certs/ca-certificates.crt "$1/usr/local/share/ca-certificates/host.crt"' \
		"$1" "$home/base.tar" "deb $mirror $1 main" >>"$log" 2>&1
	container=$(buildah $store from scratch)
	buildah $store add -q "$container" "$home/base.tar" / >>"$log"
	buildah $store config --cmd bash --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
	buildah $store commit -q --rm "$container" "docker.io/library/debian:$1-slim" >>"$log"
	rm "$home/base.tar"
}

# stand_in NAME SUITE VERSION ID RUN_AS: the image of a server whose user postgres has the number ID, and which starts as RUN_AS
stand_in()
{
	base "$2"
	! pod image exists "$1" || return 0
	echo "==> stand-in $1: PostgreSQL $3 of $2"
	mkdir -p "$home/stand-in"
	cat >"$home/stand-in/entrypoint.sh" <<-'END'
		#!/bin/sh
		set -e
		[ "$(id -u)" != 0 ] || exec gosu postgres "$0" "$@"
		[ -s "$PGDATA/PG_VERSION" ] ||
			echo "$POSTGRES_PASSWORD" | initdb -U postgres -A scram-sha-256 -E UTF8 --locale=C.UTF-8 --pwfile=/dev/stdin
		exec "$@"
	END
	cat >"$home/stand-in/Dockerfile" <<-END
		FROM debian:$2-slim
		RUN useradd -r -u $4 -d /var/lib/postgresql postgres && mkdir -p /etc/postgresql-common/createcluster.d \\
			&& echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/image.conf && apt-get update \\
			&& apt-get install -y --no-install-recommends gosu postgresql-$3 && rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/*
		ENV PG_MAJOR=$3 PATH=/usr/local/bin:/usr/lib/postgresql/$3/bin:/usr/sbin:/usr/bin PGDATA=/var/lib/postgresql/data
		COPY --chmod=755 entrypoint.sh /usr/local/bin/
		VOLUME /var/lib/postgresql/data
		STOPSIGNAL SIGINT
		ENTRYPOINT ["entrypoint.sh"]
		CMD ["postgres"]
		USER $5
	END
	build -t "$1" "$home/stand-in" >>"$log" 2>&1
}

# The tracked files as they are now, and what builds may leave beside them, which must not get into an image.
make_context()
{
	rm -rf --one-file-system "$home/context"
	mkdir -p "$home/context"
	(cd "$root" && git -c safe.directory='*' ls-files) | LC_ALL=C sort >"$home/files"
	tar -C "$root" -T "$home/files" -cf - | tar -C "$home/context" -xf -
	for junk in .git/config build/a contrib/txtfp_embed/build/python/a src/pg/a.d src/core/a.o txtfp.so results/a contrib/txtfp_cjk/log/a; do
		mkdir -p "$(dirname "$home/context/$junk")"
		echo junk >"$home/context/$junk"
	done
}

context_is_tracked()
{
	printf 'FROM scratch\nCOPY . /\n' >"$home/context.docker"
	build -f "$home/context.docker" -t context "$home/context" && container=$(buildah $store from --pull-never context) &&
		(cd "$(buildah $store mount "$container")" && find . -type f -printf '%P\n' | LC_ALL=C sort) >"$home/sent" &&
		buildah $store rm "$container" && diff "$home/files" "$home/sent"
}

without_compiler()
{
	run --rm --user 0 --entrypoint find "$1" / -xdev '(' -path '*/bin/*' '(' -name '*gcc*' -o -name '*[cg]++*' -o -name cc -o -name 'clang*' \
		-o -name make ')' -o -name cc1plus -o -path /src ')' -print >"$home/found" && cat "$home/found" && [ ! -s "$home/found" ]
}

ready()
{
	for attempt in $(seq 60); do
		! pod exec server pg_isready -q -h 127.0.0.1 || return 0
		sleep 1
	done
	pod logs server
	return 1
}

stops()
{
	pod stop -t 60 server && pod logs server >"$home/said.txt" 2>&1 && cat "$home/said.txt" &&
		[ "$(pod inspect --format '{{.State.ExitCode}}' server)" = 0 ] &&
		grep -q 'received fast shutdown request' "$home/said.txt" && grep -q 'database system is shut down' "$home/said.txt"
}

use_extension()
{
	check "the server accepts connections" ready
	check "it runs as postgres" gives "COPY (SELECT 1) TO PROGRAM 'test \$(id -un) = postgres'" ""
	check "a wrong password is refused" says 'password authentication failed' sql wrong 'SELECT 1'
	check "CREATE EXTENSION and an operator" gives "CREATE EXTENSION txtfp; SELECT to_minhash128('a b c d e') % to_minhash128('a b c d e')" t
	check "an index finds a text" gives "CREATE TABLE docs AS SELECT id, (SELECT string_agg(md5((id * 99 + word)::text), ' ')
			FROM generate_series(1, 50) word) body FROM generate_series(1, 500) id;
		ALTER TABLE docs ADD fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED;
		CREATE INDEX ON docs USING sketch (fp);
		SET enable_seqscan = off;
		SELECT d.id FROM docs d, docs w WHERE w.id = 42 AND minhash_similar(d.fp, w.fp, 0.8)" 42
}

# check_debian SUITE VERSION BUILD-ARGUMENT…
check_debian()
{
	image=txtfp:debian-$1 volume=txtfp-$1:/var/lib/postgresql version=$2
	base "$1"
	shift 2
	check "packaging/Dockerfile.debian is built" build -f "$home/context/packaging/Dockerfile.debian" -t "$image" "$@" "$home/context"
	check "it holds no compiler" without_compiler "$image"
	check "without POSTGRES_PASSWORD it does not start" says 'error: POSTGRES_PASSWORD is not set' run --rm "$image"
	pod volume rm -f "${volume%%:*}" >/dev/null
	check "it starts" start -e POSTGRES_PASSWORD=secret -v "$volume" "$image"
	use_extension
	check "it is version $version and listens on all addresses" gives "SELECT current_setting('server_version_num')::int / 10000 || current_setting('listen_addresses')" "$version*"
	check "it does not keep the password in its environment" gives "COPY (SELECT 1) TO PROGRAM 'test -z \"\$POSTGRES_PASSWORD\"'" ""
	check "SIGINT stops it cleanly" stops
	check "another container starts on its volume without POSTGRES_PASSWORD" start -v "$volume" "$image"
	check "the server accepts connections" ready
	check "the data are still there" gives 'SELECT count(*) FROM docs' 500
	check "SIGINT stops it cleanly" stops
}

check_official()
{
	stand_in docker.io/library/postgres:17 trixie 17 999 0
	check "Dockerfile is built" build -f "$home/context/Dockerfile" -t txtfp "$home/context"
	check "it holds no compiler" without_compiler txtfp
	check "it starts" start -e POSTGRES_PASSWORD=secret txtfp
	use_extension
	check "SIGINT stops it cleanly" stops
}

# The server gets the image as CloudNativePG mounts it.
check_cnpg()
{
	operand=ghcr.io/cloudnative-pg/postgresql:18-minimal-trixie
	stand_in "$operand" sid 18 26 26
	check "packaging/Dockerfile.cnpg is built" build -f "$home/context/packaging/Dockerfile.cnpg" -t txtfp:cnpg "$home/context"
	set -- --mount type=image,source=txtfp:cnpg,destination=/extensions/txtfp
	check "it holds the extension and licences alone" run --rm "$@" --entrypoint sh "$operand" -c 'cd /extensions/txtfp && find . -type f | sort &&
		test -s lib/txtfp.so -a -s share/extension/txtfp.control -a -s licenses/txtfp/LICENSE && ls share/extension/txtfp--*.sql &&
		! find . -type f | grep -vE "^\./(lib/txtfp\.so|share/extension/txtfp[^/]*\.(control|sql)|licenses/txtfp/LICENSE[^/]*)$"'
	check "a server of PostgreSQL 18 starts with it" start -e POSTGRES_PASSWORD=secret "$@" "$operand" postgres \
		-c 'extension_control_path=$system:/extensions/txtfp/share' -c 'dynamic_library_path=$libdir:/extensions/txtfp/lib'
	use_extension
	check "SIGINT stops it cleanly" stops
}

check_embed()
{
	base trixie
	check "contrib/txtfp_embed/service/Dockerfile is built" build -f "$home/context/contrib/txtfp_embed/service/Dockerfile" -t txtfp-embed "$home/context"
	check "it holds no compiler" without_compiler txtfp-embed
	check "it runs as the user embed" run --rm --entrypoint sh txtfp-embed -c 'test "$(id -un)" = embed -a -w /run/txtfp-embed'
	check "txtfp-embed --version" run --rm txtfp-embed --version
	tokenizer=$home/context/contrib/txtfp_embed/test/data/tokenizers/wordpiece.json
	echo '{"models": {"m": {"onnx": "/wordpiece.json", "tokenizer": "/wordpiece.json"}}}' >"$home/embed.json"
	# No model is at hand; only ONNX Runtime itself can say that a file is not one.
	check "ONNX Runtime is loaded" says 'Protobuf parsing failed' run --rm -i -v "$tokenizer:/wordpiece.json:ro" \
		-v "$home/embed.json:/etc/txtfp-embed.json:ro" txtfp-embed --embed m
}

[ "$(id -u)" = 0 ] || die "only root can build images here"
for tool in buildah podman runc mmdebstrap git; do
	command -v $tool >/dev/null || { apt-get -q update && apt-get -y -q install --no-install-recommends $tool; }
done
mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' | awk '$1 == "Debian" { print $2; exit }')
[ -n "$mirror" ] || die "apt knows no Debian mirror"
mkdir -p "$home"
: >"$log"
make_context
echo "==> context"
check "the tracked files are sent, build results are not" context_is_tracked
for image in ${*:-debian15 debian17 official cnpg embed}; do
	started=$(date +%s)
	echo "==> $image"
	case $image in
	debian15) check_debian bookworm 15 --build-arg BASE=debian:bookworm-slim --build-arg PG_MAJOR=15 ;;
	debian17) check_debian trixie 17 ;;
	official) check_official ;;
	cnpg) check_cnpg ;;
	embed) check_embed ;;
	*) die "there is no image \"$image\"" ;;
	esac
	pod rm -f -t 0 server >/dev/null 2>&1 || true
	echo "    $(($(date +%s) - started)) s"
done
printf '\n%d passed, %d failed (log: %s)\n' "$passed" "$failed" "$log"
[ "$failed" = 0 ]
