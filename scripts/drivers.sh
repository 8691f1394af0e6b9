#!/bin/sh
# Tests drivers of other languages with a temporary server: sh scripts/drivers.sh [psycopg] [orm] [node] [jdbc]
#
#   psycopg  psycopg 3                          from the Python package index
#   orm      SQLAlchemy and Django on psycopg   from the Python package index
#   node     node-postgres                      from the npm registry
#   jdbc     the PostgreSQL JDBC driver         from Maven's central repository
#
# Values are sent as strings and in the binary form, bound parameters use the index in generic plans, and every snippet of
# docs/drivers.md runs. The drivers are installed into the work directory (see common.sh), in the newest version of a fixed
# major version; missing packages for their languages come from Debian. The last line is "N passed, N failed".
set -eu

. "$(dirname "$0")/common.sh"

chosen=${*:-psycopg orm node jdbc}
packages=
for driver in $chosen; do
	case $driver in
	psycopg | orm) packages="$packages python3-venv" ;;
	node) command -v npm >/dev/null || packages="$packages nodejs npm" ;;
	jdbc) command -v mvn >/dev/null && command -v javac >/dev/null || packages="$packages maven default-jdk-headless" ;;
	*) die "there is no driver \"$driver\"" "Drivers: psycopg orm node jdbc" ;;
	esac
done
enter_work drivers.sh "$packages" $chosen

install_python()
{
	python3 -m venv "$work/drivers/python"
	"$work/drivers/python/bin/pip" install -q --disable-pip-version-check 'psycopg[binary]~=3.1' 'SQLAlchemy~=2.0' 'Django~=5.0'
}
install_node() { npm install --silent --no-audit --no-fund --prefix "$work/drivers/node" pg@8; }
install_jdbc()
{
	mvn -q -B -Dmaven.repo.local="$work/drivers/maven" dependency:copy \
		-Dartifact=org.postgresql:postgresql:42.7.7 -DoutputDirectory="$work/drivers/jdbc"
}

mkdir -p "$work/drivers"
for driver in $chosen; do
	case $driver in
	psycopg | orm) language=python ;;
	*) language=$driver ;;
	esac
	case " ${installed-} " in
	*" $language "*) ;;
	*) step "installing the drivers for $language" "$work/log/drivers-$language.log" \
		"The registry must be within reach." "install_$language" ;;
	esac
	installed="${installed-} $language"
done

build
# JDBC cannot use the unix socket, so the server also listens on a port, with a random password
password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
printf '%s\n' 'local all all trust' 'host all all 127.0.0.1/32 scram-sha-256' >"$work/drivers.hba"
start_server drivers 5434 <<-END
	hba_file = '$work/drivers.hba'
	listen_addresses = '127.0.0.1'
	fsync = off
END
last_words() { (stop_server drivers immediate) || true; }
psql -Xq -c "ALTER ROLE postgres PASSWORD '$password'"

export PATH="$work/drivers/python/bin:$PATH" NODE_PATH="$work/drivers/node/node_modules"
export TXTFP_JDBC="$work/drivers/jdbc/postgresql-42.7.7.jar"
export TXTFP_JDBC_URL="jdbc:postgresql://127.0.0.1:5434" TXTFP_JDBC_PASSWORD="$password"
say "testing: $chosen"
sh "$work/src/test/drivers/run.sh" $chosen
