#!/bin/sh
# The server of packaging/Dockerfile.debian: makes the cluster if there is none, and becomes the server.
set -eu
bin=/usr/lib/postgresql/$PG_MAJOR/bin
data=/var/lib/postgresql/$PG_MAJOR
if [ ! -s "$data/PG_VERSION" ]; then
	[ -n "${POSTGRES_PASSWORD-}" ] || { echo "error: POSTGRES_PASSWORD is not set" >&2; exit 1; }
	# It gets its name when it is complete: the container may be killed before that, and the next one shall begin anew.
	rm -rf "$data.new"
	printf '%s\n' "$POSTGRES_PASSWORD" |
		"$bin/initdb" -D "$data.new" -U postgres -A scram-sha-256 -E UTF8 --locale=C.UTF-8 --pwfile=/dev/stdin
	echo 'host all all all scram-sha-256' >>"$data.new/pg_hba.conf"
	printf '%s\n' "listen_addresses = '*'" "unix_socket_directories = '/tmp'" >>"$data.new/postgresql.conf"
	mv -T "$data.new" "$data"
fi
unset POSTGRES_PASSWORD
exec "$bin/postgres" -D "$data"
