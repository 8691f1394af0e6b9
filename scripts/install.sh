#!/bin/sh
# Installs txtfp into Debian's PostgreSQL, and computes a first result.
#
#   sh scripts/install.sh                           in the database "postgres"
#   sh scripts/install.sh [DATABASE] txtfp_cjk …    in another one, which it creates if there is none, with optional extensions of contrib
#
# Installs missing Debian packages, builds, runs "make install", makes and starts the server "main" if this version of PostgreSQL
# has no server, and runs CREATE EXTENSION as the role postgres. May be run again. TXTFP_PG chooses the version of PostgreSQL.
# Compiling takes two minutes of processor time; the last line says how to connect.
set -eu

. "$(dirname "$0")/common.sh"

database=postgres modules= module_packages=
for word; do
	case $word in
	-h | --help)
		sed -n '2,/^set /s/^# \{0,1\}//p' "$0"
		exit 0 ;;
	-*) die "there is no option $word" "See: sh scripts/install.sh --help" ;;
	esac
	if [ -f "$root/contrib/$word/PACKAGES" ]; then
		modules="$modules $word"
		module_packages="$module_packages $(sed 's/#.*//' "$root/contrib/$word/PACKAGES" | tr '\n' ' ')"
	elif [ "${word#txtfp_}" != "$word" ]; then
		die "there is no optional extension \"$word\"" "There are: $(cd "$root/contrib" && echo txtfp_*)"
	else
		database=$word
	fi
done
choose_postgres
install_packages "postgresql-$TXTFP_PG" "postgresql-server-dev-$TXTFP_PG" g++ make libicu-dev libxxhash-dev $module_packages
become_root "files must be installed" "sh scripts/install.sh $*"
pg_config=/usr/lib/postgresql/$TXTFP_PG/bin/pg_config

log=$(mktemp /tmp/txtfp-install.XXXXXX)
cleanup='rm -f "$log"'
sources=$root progress=folders_compiled
for folder in . $(for module in $modules; do echo "contrib/$module"; done); do
	label="building $(basename "$(cd "$root/$folder" && pwd)")"
	[ "$folder" != . ] || label="building the extension"
	how="PG_CONFIG=$pg_config NO_DEBUG_INFO=yes" # a quarter less to compile
	step "$label" "$log" "To begin anew: make clean" make -s -C "$root/$folder" -j"$(nproc)" $how
	step "installing it" "$log" "See the message above." $as_root make -s -C "$root/$folder" $how install
	progress='echo …'
done

# The scripts of this folder install PostgreSQL without a server of its own.
cd / # a directory that the user postgres can read
servers() { pg_lsclusters -h | awk -v version="$TXTFP_PG" '$1 == version'; }
[ -n "$(servers)" ] || $as_root pg_createcluster "$TXTFP_PG" main >/dev/null
server=$(servers | awk '$2 == "main" { print $2; exit }')
[ -n "$server" ] || server=$(servers | awk '{ print $2; exit }')
if ! pg_lsclusters -h | awk -v version="$TXTFP_PG" -v name="$server" '$1 == version && $2 == name && $4 ~ /^online/ { found = 1 } END { exit !found }'; then
	say "starting the server $TXTFP_PG/$server"
	$as_root pg_ctlcluster "$TXTFP_PG" "$server" start || die "the server $TXTFP_PG/$server does not start, see above." \
		"If its port is in use, give it another one, then run this script again:" "    ${as_root:+$as_root }pg_conftool $TXTFP_PG $server set port 5433"
fi

as_postgres="${as_root:-setpriv --reuid postgres --regid postgres --init-groups}"
[ -z "$as_root" ] || as_postgres="$as_root -u postgres"
run_sql() { $as_postgres psql -X -q --cluster "$TXTFP_PG/$server" -v ON_ERROR_STOP=1 "$@"; }
if [ -z "$(run_sql -d postgres -At -v name="$database" <<-'END'
	SELECT 1 FROM pg_database WHERE datname = :'name'
	END
)" ]; then
	say "creating the database \"$database\""
	$as_postgres createdb --cluster "$TXTFP_PG/$server" "$database"
fi
# Text of a message if a library cannot be loaded: one that was built for another version has undefined symbols
for library in txtfp $modules; do
	why=$(run_sql -d "$database" -c "LOAD '$library'" 2>&1 >/dev/null) || die "the library $library was installed, but this server cannot load it:" "$why" "To build it anew: make clean"
done
say "the server $TXTFP_PG/$server, database \"$database\", role postgres:"
run_sql -d "$database" -e <<-END
	SET client_min_messages = warning;
	CREATE EXTENSION IF NOT EXISTS txtfp;
	$(for module in $modules; do echo "CREATE EXTENSION IF NOT EXISTS $module CASCADE;"; done)
	SELECT txtfp_version(), minhash_similar(to_minhash128('Some text'), to_minhash128('some  TEXT!'), 0.8);
END
if [ -n "$as_root" ]; then
	connect="$as_postgres psql --cluster $TXTFP_PG/$server $database"
else
	connect="su postgres -c 'psql --cluster $TXTFP_PG/$server $database'"
fi
say "to connect:  $connect"
