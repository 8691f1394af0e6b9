#!/bin/sh
# The main job on real text: fingerprints the descriptions of all Debian packages on insert, searches through the index,
# finds all near-duplicates in bulk, and shows two of them. The server stays for you to play with.
#
#   sh scripts/demo.sh         installs what is missing, builds, starts a private PostgreSQL, runs scripts/demo.sql
#   sh scripts/demo.sh stop    stops that server
#   sh scripts/demo.sh clean   stops it and removes the work directory, that of the tests, too
#
# TXTFP_REFRESH=1 reads the descriptions from apt again. See common.sh for the rest.
set -eu

. "$(dirname "$0")/common.sh"

stop_demo()
{
	if [ "$stage" = here ]; then
		choose_postgres
		[ "$(id -u)" != 0 ] || id "${TXTFP_USER:-postgres}" >/dev/null 2>&1 || { say "nothing is running"; exit 0; }
		choose_user
		[ -e "$TXTFP_WORK/demo-data/postmaster.pid" ] || { say "no demo server is running in $TXTFP_WORK"; exit 0; }
		go_to_work demo.sh stop
	fi
	set_up_work
	stop_server demo
	say "stopped; \"sh scripts/demo.sh clean\" removes everything"
}

case ${1-} in
'') ;;
stop)
	stop_demo
	exit 0
	;;
clean)
	clean_work demo.sh
	exit 0
	;;
*) die "there is no \"$1\"" "Usage: sh scripts/demo.sh [stop | clean]" ;;
esac

enter_work demo.sh ""

corpus=$work/corpus.copy
[ -z "${TXTFP_REFRESH-}" ] || rm -f "$corpus"

build

if [ ! -s "$corpus" ]; then
	step "reading the package descriptions from apt" "$work/log/corpus.log" \
		"apt must reach its mirror: try 'apt-get update' by hand." \
		sh "$work/src/scripts/corpus.sh" "$corpus"
fi
note "$(wc -l <"$corpus") descriptions, $(($(wc -c <"$corpus") / 1000000)) MB, in $corpus"

start_server demo 5432 <<-END
	shared_buffers = 256MB
	maintenance_work_mem = 256MB
	work_mem = 64MB
	max_wal_size = 2GB
	wal_level = minimal
	max_wal_senders = 0
	synchronous_commit = off
	jit = off
	log_min_messages = warning
END

say "running scripts/demo.sql in the database \"demo\""
dropdb --if-exists --force demo 2>/dev/null
createdb demo
# sed: a fingerprint in a plan is 2,096 digits long, and a line of it has 80 columns
{
	status=0
	PGDATABASE=demo psql -X -f "$work/src/scripts/demo.sql" <"$corpus" 2>&1 || status=$?
	echo $status >"$work/demo.status"
} | sed -u -E "s/([0-9a-f]{16}:[0-9a-f]{4})[0-9a-f]{64,}/\1…/g; s/::double precision//g" | tee "$work/log/demo.log"
[ "$(cat "$work/demo.status")" = 0 ] ||
	die "the demo stopped at the error above" "The server still runs; its log is $work/log/demo-server.log"

elsewhere=
[ "$work" = "/var/tmp/txtfp-$(id -un)" ] || elsewhere="TXTFP_WORK=$work "
cat <<END

==> the server keeps running, with everything in the database "demo"

    connect:     psql -h $PGHOST -p $PGPORT -U postgres demo
    stop:        ${elsewhere}sh scripts/demo.sh stop
    remove all:  ${elsewhere}sh scripts/demo.sh clean    ($(du -sh "$work" 2>/dev/null | cut -f 1) in $work)

END
