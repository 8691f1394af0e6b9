#!/bin/sh
# The server of packaging/Dockerfile.debian: makes the cluster if there is none, and becomes the server.
set -eu
bin=/usr/lib/postgresql/$PG_MAJOR/bin
data=/var/lib/postgresql/$PG_MAJOR
if [ ! -s "$data/PG_VERSION" ]; then
	[ -n "${POSTGRES_PASSWORD-}" ] || { echo "error: POSTGRES_PASSWORD is not set" >&2; exit 1; }
	password=$(mktemp)
	printf '%s\n' "$POSTGRES_PASSWORD" >"$password"
	"$bin/initdb" -D "$data" -U postgres -A scram-sha-256 -E UTF8 --locale=C.UTF-8 --pwfile="$password"
	rm -f "$password"
	echo 'host all all all scram-sha-256' >>"$data/pg_hba.conf"
	printf '%s\n' "listen_addresses = '*'" "unix_socket_directories = '/tmp'" >>"$data/postgresql.conf"
fi
unset POSTGRES_PASSWORD
exec "$bin/postgres" -D "$data"
