#!/bin/sh
# Builds and runs the images: sh packaging/check_images.sh [debian15] [debian17] [official] [cnpg] [embed]
#
# As root, on Debian; missing tools are installed. No registry is asked: the bases are made of Debian's packages, from the mirror that
# this machine's own apt uses, and get the names that the image definitions ask for. debian:*-slim are the smallest system without
# manuals, as the true ones are. The others are stand-ins of the same shape (Dockerfile.stand-in): for postgres:17 with the server
# of trixie, for that of CloudNativePG with the server of sid, the only suite with 18. embed fetches ONNX Runtime from PyPI.
#
#   TXTFP_IMAGES  where everything lies (default /var/tmp/txtfp-images), 2 GB; the bases are used again by the next run
#
# The last line is "N passed, N failed".
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
home=${TXTFP_IMAGES:-/var/tmp/txtfp-images}
log=$home/log.txt context=$home/context said=$home/said.txt
passed=0 failed=0

die() { echo "error: $*" >&2; exit 1; }
count()
{
	[ "$1" = 0 ] || [ "$failed" -gt 0 ] || failed=1 # it ended before it could count
	printf '\n%d passed, %d failed\n' "$passed" "$failed"
}
trap 'count $?' EXIT
# The limits are low because raising one needs a capability that root in a container lacks.
run() { pod run --network none --ulimit nofile=1024:1024 --ulimit nproc=4096:4096 "$@"; }
inside() { pod exec server sh -c "$1"; }
sql() { pod exec -e PGPASSWORD="$1" server psql -h 127.0.0.1 -U postgres -XAtq -v ON_ERROR_STOP=1 -c "$2"; }
# gives RESULT COMMAND…
gives() { result=$1; shift; "$@" >"$said" && cat "$said" && [ "$(cat "$said")" = "$result" ]; }
# fails TEXT COMMAND…: fails, and says so
fails() { text=$1; shift; ! "$@" >"$said" 2>&1 && cat "$said" && grep -q "$text" "$said"; }

check() # LABEL COMMAND…
{
	label=$1 outcome=passed
	shift
	"$@" >"$home/check.txt" 2>&1 || outcome=FAILED
	echo "    $outcome: $label"
	[ $outcome = passed ] && passed=$((passed + 1)) || { failed=$((failed + 1)); tail -n 30 "$home/check.txt"; }
	cat "$home/check.txt" >>"$log"
}

sends_tracked_files()
{
	printf 'FROM scratch\nCOPY . /\n' >"$home/context.docker"
	build -f "$home/context.docker" -t context && sent=$(pod image mount context) &&
		(cd "$sent" && find . -type f -printf '%P\n' | LC_ALL=C sort) >"$said" && pod image unmount context && diff "$home/files" "$said"
}

has_no_compiler()
{
	gives "" run --rm --user 0 --entrypoint find "$1" / -xdev '(' -path '*/bin/*' '(' -name '*gcc*' -o -name '*[cg]++*' -o -name cc \
		-o -name 'clang*' -o -name make ')' -o -name cc1plus -o -path /src ')' -print
}

serves() # ARGUMENT… of podman run
{
	pod rm -f -t 0 server >/dev/null && run -d --name server "$@" &&
		inside 'for attempt in $(seq 60); do pg_isready -q -h 127.0.0.1 && exit; sleep 1; done; exit 1' || { pod logs server; return 1; }
}

stops()
{
	pod stop -t 60 server && gives 0 pod inspect --format '{{.State.ExitCode}}' server && pod logs server >"$said" 2>&1 && cat "$said" &&
		grep -q 'received fast shutdown request' "$said" && grep -q 'database system is shut down' "$said"
}

use_extension()
{
	check "the server is the first process, as postgres" gives "postgres postgres" inside 'echo $(cat /proc/1/comm; stat -c %U /proc/1)'
	check "a wrong password is refused" fails 'password authentication failed' sql wrong 'SELECT 1'
	check "CREATE EXTENSION and an operator" gives t sql secret "CREATE EXTENSION txtfp; SELECT to_minhash128('a b c d e') % to_minhash128('a b c d e')"
	check "an index finds a text" gives 42 sql secret "CREATE TABLE docs (id int, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED);
		INSERT INTO docs SELECT id, (SELECT string_agg(md5((id * 99 + word)::text), ' ') FROM generate_series(1, 50) word) FROM generate_series(1, 500) id;
		CREATE INDEX ON docs USING sketch (fp); SET enable_seqscan = off;
		SELECT d.id FROM docs d, to_minhash128((SELECT body FROM docs WHERE id = 42)) q WHERE minhash_similar(d.fp, q, 0.8)"
	check "SIGINT stops it cleanly" stops
}

check_debian() # SUITE VERSION
{
	image=txtfp:debian-$1
	base "$1"
	check "packaging/Dockerfile.debian is built" build -f "$context/packaging/Dockerfile.debian" -t "$image" \
		--build-arg BASE="debian:$1-slim" --build-arg PG_MAJOR="$2"
	check "it holds no compiler" has_no_compiler "$image"
	check "without POSTGRES_PASSWORD it does not start" fails 'error: POSTGRES_PASSWORD is not set' run --rm "$image"
	pod volume rm -f data >/dev/null
	check "it accepts connections" serves -e POSTGRES_PASSWORD=secret -v data:/var/lib/postgresql "$image"
	check "the server does not keep the password" gives 0 inside 'grep -c POSTGRES_PASSWORD /proc/1/environ || true'
	use_extension
	check "another one starts on its volume without POSTGRES_PASSWORD" serves -v data:/var/lib/postgresql "$image"
	check "it has the data, and listens on all addresses" gives "500|*" sql secret "SELECT count(*), current_setting('listen_addresses') FROM docs"
}

# The server gets the image as CloudNativePG mounts it.
check_cnpg()
{
	server=ghcr.io/cloudnative-pg/postgresql:18-minimal-trixie
	stand_in "$server" sid --build-arg PG_MAJOR=18 --build-arg ID=26 --build-arg RUN_AS=26
	check "packaging/Dockerfile.cnpg is built" build -f "$context/packaging/Dockerfile.cnpg" -t txtfp:cnpg
	set -- --mount type=image,source=txtfp:cnpg,destination=/extensions/txtfp
	files="lib/txtfp.so $(cd "$root" && printf 'licenses/txtfp/%s ' LICENSE*)share/extension/txtfp--N.sql share/extension/txtfp.control"
	check "it holds the extension and licences alone" gives "$files" \
		run --rm "$@" --entrypoint sh "$server" -c 'cd /extensions/txtfp && echo $(find * -type f | sed "s/--[0-9.]*[0-9]/--N/" | LC_ALL=C sort)'
	check "a server of PostgreSQL 18 with it accepts connections" serves -e POSTGRES_PASSWORD=secret "$@" "$server" postgres \
		-c 'extension_control_path=$system:/extensions/txtfp/share' -c 'dynamic_library_path=$libdir:/extensions/txtfp/lib'
	use_extension
}

check_official()
{
	stand_in docker.io/library/postgres:17 trixie --build-arg PG_MAJOR=17 --build-arg ID=999 --build-arg RUN_AS=0 --build-arg AS="gosu postgres"
	check "Dockerfile is built" build -f "$context/Dockerfile" -t txtfp
	check "it holds no compiler" has_no_compiler txtfp
	check "it accepts connections" serves -e POSTGRES_PASSWORD=secret txtfp
	use_extension
}

check_embed()
{
	base trixie
	check "contrib/txtfp_embed/service/Dockerfile is built" build -f "$context/contrib/txtfp_embed/service/Dockerfile" -t txtfp-embed
	check "it holds no compiler" has_no_compiler txtfp-embed
	check "it runs as embed" run --rm --entrypoint sh txtfp-embed -c '[ "$(id -un)" = embed ] && [ -w /run/txtfp-embed ]'
	check "txtfp-embed --version" run --rm txtfp-embed --version
	# Only ONNX Runtime itself can say that this file is no model.
	echo '{"models": {"m": {"onnx": "/words", "tokenizer": "/words"}}}' >"$home/embed.json"
	check "ONNX Runtime is loaded" fails 'Protobuf parsing failed' run --rm -v "$home/embed.json:/etc/txtfp-embed.json:ro" \
		-v "$context/contrib/txtfp_embed/test/data/tokenizers/wordpiece.json:/words:ro" txtfp-embed --embed m
}

[ "$(id -u)" = 0 ] || die "only root can build images here"
mkdir -p "$home"
: >"$log"
. "$root/packaging/image_bases.sh"
check "the tracked files are sent, build results are not" sends_tracked_files

for image in ${*:-debian15 debian17 official cnpg embed}; do
	started=$(date +%s)
	echo "==> $image"
	case $image in
	debian15) check_debian bookworm 15 ;;
	debian17) check_debian trixie 17 ;;
	official | cnpg | embed) check_$image ;;
	*) die "there is no image \"$image\"" ;;
	esac
	pod rm -f -t 0 server >/dev/null && pod image prune -f >/dev/null
	echo "    $(($(date +%s) - started)) s"
done
[ "$failed" = 0 ]
