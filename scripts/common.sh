# Shared by the scripts of this folder. POSIX sh; to be sourced.
#
# A script runs in two stages:
#   here   as it was called (by root, a user with sudo, or a plain user): installs missing Debian packages, makes the
#          work directory and copies the sources into it;
#   work   the copy of the script in the work directory, never as root: builds, starts servers, runs the tests.
# The work directory is $TXTFP_WORK, by default /var/tmp/txtfp-<user>. Nothing is written outside of it, except for
# the Debian packages: the extension is installed into a private copy of PostgreSQL.
#
#   TXTFP_PG     major version of PostgreSQL (default: that of this Debian release)
#   TXTFP_PG_PREFIX  an installation of PostgreSQL to use instead of Debian's (it is copied, not touched)
#   CC, CXX      compilers          TXTFP_MAKE   further arguments for make, e.g. TXTFP_MAKE='COPT=-Werror'

root=$(cd "$(dirname "$0")/.." && pwd)
stage=${TXTFP_STAGE:-here}
heartbeat=
cleanup=:
sanitizers= # environment of servers; see sanitizer_environment

# Runs whenever a script ends; a script may define its own last_words.
last_words() { :; }
at_exit()
{
	exit_status=$?
	quiet_heart
	eval "$cleanup" || true
	last_words $exit_status
}
trap at_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# ---------------------------------------------------------------------------------------------- messages

say() { printf '==> %s\n' "$*"; }
note() { printf '    %s\n' "$*"; }

# die MESSAGE [WHAT TO DO…]: one line each
die()
{
	printf '\nerror: %s\n' "$1" >&2
	shift
	for line; do printf '       %s\n' "$line" >&2; done
	exit 1
}

quiet_heart()
{
	if [ -n "$heartbeat" ]; then
		kill -KILL "$heartbeat" 2>/dev/null || true # a new subshell of dash still has the traps of its parent, and loses a TERM
		wait "$heartbeat" 2>/dev/null || true
		heartbeat=
	fi
}

# usual_time STEP: the seconds that a step took when it last ran here, or else on a machine with two processors; nothing if unknown
usual_time()
{
	known=$(sed -n "s/^$1	//p" "${work:-/nonexistent}/times" 2>/dev/null | tail -n 1)
	[ -n "$known" ] || case $1 in
	"building the extension") # 110 s of processor time, shared with what else runs now
		known=$(awk -v n="$(nproc)" '{ print int(110 * (n + $1) / n / n) }' /proc/loadavg 2>/dev/null) ;;
	"testing: installcheck") known=130 ;;
	"testing: pgtap") known=6 ;;
	esac
	echo "$known"
}

# remember_time STEP SECONDS
remember_time()
{
	[ -n "${work-}" ] && [ -d "$work" ] || return 0
	{
		grep -v "^$1	" "$work/times" 2>/dev/null || true
		printf '%s\t%s\n' "$1" "$2"
	} >"$work/times.new" && mv "$work/times.new" "$work/times"
}

# What `try` tells of a command that prints nothing: the name of a function.
progress='echo …'
folders_compiled()
{
	of=${sources:-$work/src}
	echo "$(find "$of/build/together/core" "$of/build/together/pg" -name '*.o' 2>/dev/null | wc -l) of $(find "$of"/src/core/* "$of"/src/pg/* -prune -type d | wc -l) folders compiled"
}

# try LABEL LOG COMMAND…: runs the command with its output in LOG; every ten seconds tells how long it has been at it, how long it
# usually takes, and the last line of its output
try()
{
	label=$1 log=$2
	shift 2
	usual=$(usual_time "$label")
	say "$label${usual:+ (usually $usual s)}"
	: >"$log"
	started=$(date +%s)
	(
		while sleep 10 >/dev/null 2>&1; do
			last=$(tail -n 1 "$log" | tr -d '\000-\010\013-\037' | cut -c 1-60)
			printf '    %4d s%s  %s\n' $(($(date +%s) - started)) "${usual:+ of $usual}" "${last:-$($progress)}"
		done
	) 9>&- &
	heartbeat=$!
	status=0
	"$@" >>"$log" 2>&1 </dev/null || status=$?
	quiet_heart
	took=$(($(date +%s) - started))
	[ $status != 0 ] || [ $took -lt 3 ] || remember_time "$label" "$took"
	return $status
}

# step LABEL LOG WHAT-TO-DO COMMAND…: as try, but stops the script if the command fails
step()
{
	step_label=$1 step_log=$2 advice=$3
	shift 3
	if try "$step_label" "$step_log" "$@"; then
		[ "$took" -lt 3 ] || note "done in $took s"
	else
		failed_with=$status
		printf '\n----- last lines of %s\n' "$step_log" >&2
		tail -n 30 "$step_log" >&2
		printf -- '-----\n' >&2
		die "failed: $step_label (exit status $failed_with, log in $step_log)" "$advice"
	fi
}

# ---------------------------------------------------------------------------------------------- stage "here"

choose_postgres()
{
	for tool in apt-get dpkg-query; do
		command -v $tool >/dev/null 2>&1 || die "this is no Debian system ($tool is missing)" \
			"These scripts set up Debian. Elsewhere install PostgreSQL with its server headers, ICU and xxHash, then: make install"
	done
	if [ -n "${TXTFP_PG_PREFIX-}" ]; then
		TXTFP_PG=$("$TXTFP_PG_PREFIX/bin/pg_config" --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/') ||
			die "there is no PostgreSQL in $TXTFP_PG_PREFIX"
	elif [ -z "${TXTFP_PG-}" ]; then
		case $(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release) in
		bookworm) TXTFP_PG=15 ;;
		trixie) TXTFP_PG=17 ;;
		*) TXTFP_PG=18 ;;
		esac
	fi
}

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# become_root WHY COMMAND: sets as_root to what runs a command as root; COMMAND is what somebody else could do
become_root()
{
	if [ "$(id -u)" = 0 ]; then
		as_root=
	elif command -v sudo >/dev/null 2>&1; then
		as_root=sudo
		sudo true || die "$1, and sudo does not let you in" "As root: $2"
	else
		die "$1, and only root can do this" "As root: $2"
	fi
}

# A new postgresql package would create and start a server of its own ("main"); this prevents it.
no_main_cluster=/etc/postgresql-common/createcluster.d/txtfp-scripts.conf

install_packages()
{
	missing=
	for package; do
		is_installed "$package" || missing="$missing $package"
	done
	[ -n "$missing" ] || return 0
	become_root "packages are missing" "apt-get install --no-install-recommends$missing"
	say "Debian packages to install:$missing"
	apt_log=$(mktemp /tmp/txtfp-apt.XXXXXX)
	apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -o Dpkg::Use-Pty=0"
	if ! try "refreshing the package lists" "$apt_log" $apt -o APT::Update::Error-Mode=any update; then
		note "apt-get update had errors; going on with what there is:"
		grep '^[EW]:' "$apt_log" | head -n 5 | sed 's/^/    /'
	fi
	guard=
	if ! is_installed "postgresql-$TXTFP_PG"; then
		guard=yes
		$as_root mkdir -p "${no_main_cluster%/*}"
		echo 'create_main_cluster = false' | $as_root tee "$no_main_cluster" >/dev/null
		cleanup='$as_root rm -f "$no_main_cluster"'
	fi
	step "installing them (a few minutes)" "$apt_log" \
		"See what apt says above; 'apt-get update' and 'apt-get install$missing' by hand must work first." \
		$apt install --no-install-recommends $missing
	if [ -n "$guard" ]; then
		eval "$cleanup"
		cleanup=:
	fi
	rm -f "$apt_log"
}

# PostgreSQL does not run as root, so root continues as the user that Debian's package created.
choose_user()
{
	if [ "$(id -u)" = 0 ]; then
		user=${TXTFP_USER:-postgres}
		id "$user" >/dev/null 2>&1 || die "there is no user $user" "Create it, or name another one in TXTFP_USER."
		if command -v setpriv >/dev/null 2>&1; then
			as_user="setpriv --reuid $user --regid $(id -g "$user") --init-groups"
		else
			as_user="runuser -u $user --"
		fi
	else
		user=$(id -un)
		as_user=
	fi
	TXTFP_WORK=${TXTFP_WORK:-/var/tmp/txtfp-$user}
	case $TXTFP_WORK in
	/*) ;;
	*) TXTFP_WORK=${PWD%/}/$TXTFP_WORK ;;
	esac
	case $TXTFP_WORK in
	*[!A-Za-z0-9/._+-]*) die "the work directory $TXTFP_WORK has characters that make cannot handle" \
		"Name another one in TXTFP_WORK." ;;
	esac
	[ ${#TXTFP_WORK} -le 60 ] || die "the path of the work directory $TXTFP_WORK is too long for a unix socket" \
		"Name a shorter one in TXTFP_WORK."
}

make_work_directory()
{
	if [ ! -e "$TXTFP_WORK" ] && [ ! -L "$TXTFP_WORK" ]; then
		mkdir -p "${TXTFP_WORK%/*}/"
		mkdir -m 700 "$TXTFP_WORK"
		[ "$(id -u)" != 0 ] || chown -h "$user:" "$TXTFP_WORK"
	fi
	if [ -L "$TXTFP_WORK" ] || [ ! -d "$TXTFP_WORK" ] || [ "$(stat -c %U "$TXTFP_WORK")" != "$user" ]; then
		die "$TXTFP_WORK is not a directory of user $user" "Remove it, or name another one in TXTFP_WORK."
	fi
	$as_user test -w "$TXTFP_WORK/." || die "user $user cannot reach $TXTFP_WORK" "Name another one in TXTFP_WORK."
	exec 9<"$TXTFP_WORK" # the lock; servers are started without it
	flock -n 9 || die "another run is at work in $TXTFP_WORK" "Wait for it, or name another directory in TXTFP_WORK."
}

# Files whose content has changed get the current time, whatever their own time is: two clones may use one directory in turns.
# If a file was removed, everything is built again.
receive_sources='
set -eu
cd "$1"
rm -rf incoming
mkdir -p incoming src log
cd incoming
tar -xf -
LC_ALL=C find . -type f | LC_ALL=C sort >../sources.new
if [ ! -e ../sources ]; then
	find . -type f -exec touch {} +
	cp -a . ../src
	touch ../sources
else
	while read -r file; do
		if ! cmp -s "$file" "../src/$file"; then
			mkdir -p "../src/${file%/*}"
			touch "$file"
			mv -f "$file" "../src/$file"
		fi
	done <../sources.new
fi
LC_ALL=C comm -13 ../sources.new ../sources | while read -r file; do
	rm -rf "../src/$file" ../src/build
	find ../src -name "*.o" -exec rm -f {} + -o -name "*.so" -exec rm -f {} +
done
cd ..
mv sources.new sources
rm -rf incoming
'

mirror_sources()
{
	say "copying the sources to $TXTFP_WORK/src"
	archive=$(mktemp /tmp/txtfp-src.XXXXXX)
	(
		cd "$root"
		find . \( -name .git -o -name build -o -path ./results -o -path ./output_iso -o -name tmp_check \) -prune -o \
			-type f ! -name '*.o' ! -name '*.so' ! -name '*.d' ! -name regression.diffs ! -name regression.out -print |
			tar --no-recursion -cf "$archive" -T -
	) || die "cannot read the sources in $root"
	$as_user sh -c "$receive_sources" sh "$TXTFP_WORK" <"$archive" || die "cannot copy the sources to $TXTFP_WORK/src"
	rm -f "$archive"
}

# enter_work SCRIPT PACKAGES ARGUMENT…: installs packages, copies the sources, and continues in stage "work"; returns only there
enter_work()
{
	script=$1 packages=$2
	shift 2
	if [ "$stage" = work ]; then
		set_up_work
		return
	fi
	umask 022
	choose_postgres
	if [ -n "${TXTFP_PG_PREFIX-}" ]; then
		packages=$(echo "$packages" | sed 's/[^ ]*@PG@[^ ]*//g')
	else
		packages="postgresql-@PG@ postgresql-server-dev-@PG@ $packages"
	fi
	install_packages $(echo "$packages" | sed "s/@PG@/$TXTFP_PG/g") g++ make libicu-dev libxxhash-dev
	choose_user
	make_work_directory
	mirror_sources
	go_to_work "$script" "$@"
}

go_to_work()
{
	script=$TXTFP_WORK/src/scripts/$1
	shift
	for variable in $(env | sed -n 's/^\(PG[A-Z_]*\)=.*/\1/p') MAKEFLAGS MAKELEVEL LC_ALL LANGUAGE; do
		unset "$variable"
	done
	[ "$(id -u)" != 0 ] || export HOME="$TXTFP_WORK" USER="$user" LOGNAME="$user"
	export TXTFP_STAGE=work TXTFP_WORK TXTFP_PG LANG=C.UTF-8
	cd "$TXTFP_WORK"
	exec $as_user sh "$script" "$@"
}

# clean_work SCRIPT: stops the servers of the work directory and removes it; called in stage "here", it goes on as the directory's user
clean_work()
{
	if [ "$stage" = here ]; then
		choose_postgres
		[ "$(id -u)" != 0 ] || id "${TXTFP_USER:-postgres}" >/dev/null 2>&1 || { say "nothing to remove"; exit 0; }
		choose_user
		[ -d "$TXTFP_WORK" ] && [ ! -L "$TXTFP_WORK" ] || { say "nothing to remove: there is no $TXTFP_WORK"; exit 0; }
		[ -f "$TXTFP_WORK/src/scripts/common.sh" ] && [ "$(stat -c %U "$TXTFP_WORK")" = "$user" ] ||
			die "$TXTFP_WORK is not a work directory of user $user" "Nothing was removed."
		exec 9<"$TXTFP_WORK"
		flock -n 9 || die "another run is at work in $TXTFP_WORK" "Wait for it."
		size=$(du -sh "$TXTFP_WORK" 2>/dev/null | cut -f 1)
		(go_to_work "$1" clean)
		rmdir "$TXTFP_WORK"
		say "removed $TXTFP_WORK ($size); the Debian packages stay"
		return
	fi
	set_up_work
	stop_server demo
	stop_server test immediate
	cd /
	find "$work" -mindepth 1 -delete
}

# ---------------------------------------------------------------------------------------------- stage "work"

set_up_work()
{
	work=$TXTFP_WORK
	pg=$work/pg/usr/lib/postgresql/$TXTFP_PG
	[ -z "${TXTFP_PG_PREFIX-}" ] || pg=$work/pg
	pg_config=$pg/bin/pg_config
	PATH=$pg/bin:$PATH
	export PATH
	mkdir -p "$work/log" "$work/tmp"
	mkdir -p -m 700 "$work/run"
	export TMPDIR="$work/tmp"
}

forget_build()
{
	rm -rf "$work/src/build" "$work"/src/contrib/*/build
	find "$work/src" \( -name '*.o' -o -name '*.so' -o -name '*.d' \) -exec rm -f {} +
}

# PostgreSQL finds its files relative to its programs, so a copy of its three directories is a complete installation.
# New packages (pgTAP) are copied over it; a new PostgreSQL replaces it.
copy_postgres()
{
	if [ -n "${TXTFP_PG_PREFIX-}" ]; then
		say "copying PostgreSQL $TXTFP_PG to $work/pg"
		rm -rf "$work/pg"
		cp -a "$TXTFP_PG_PREFIX" "$work/pg"
		return
	fi
	dpkg-query -W "postgresql-$TXTFP_PG" "postgresql-server-dev-$TXTFP_PG" >"$work/pg.version"
	dpkg-query -W "postgresql-$TXTFP_PG-*" 2>/dev/null >"$work/pg.packages" || true
	if ! cmp -s "$work/pg.version" "$work/pg/version"; then
		if [ -x "$pg/bin/pg_ctl" ]; then
			stop_server demo
			stop_server test
		fi
		rm -rf "$work/pg"
		forget_build
	fi
	if ! cmp -s "$work/pg.packages" "$work/pg/packages"; then
		say "copying PostgreSQL $TXTFP_PG to $work/pg"
		mkdir -p "$work/pg"
		tar -C / -cf - "usr/lib/postgresql/$TXTFP_PG" "usr/share/postgresql/$TXTFP_PG" usr/include/postgresql |
			tar -C "$work/pg" -xf -
		[ "$("$pg_config" --pkglibdir)" = "$pg/lib" ] ||
			die "the copy of PostgreSQL in $work/pg does not find its own files" "Remove $work and try again."
		mv "$work/pg.version" "$work/pg/version"
		mv "$work/pg.packages" "$work/pg/packages"
	fi
	rm -f "$work/pg.version" "$work/pg.packages"
}

run_make()
{
	make -C "$work/src" -s --no-print-directory PG_CONFIG="$pg_config" NO_DEBUG_INFO=yes ${CC:+CC="$CC"} ${CXX:+CXX="$CXX"} ${TXTFP_MAKE-} "$@"
}

build()
{
	copy_postgres
	flavour="${CC-} ${CXX-} ${TXTFP_MAKE-} $(dpkg-query -W g++ libicu-dev libxxhash-dev)"
	if [ "$flavour" != "$(cat "$work/flavour" 2>/dev/null)" ]; then
		forget_build
		printf '%s\n' "$flavour" >"$work/flavour"
	fi
	progress=folders_compiled
	step "building the extension" "$work/log/build.log" \
		"If the errors above make no sense, remove $work and try again." \
		run_make -j"$(nproc)" all
	progress='echo …'
	step "installing it into the private PostgreSQL" "$work/log/install.log" "Remove $work and try again." run_make install
}

# start_server NAME PORT: reads further settings from standard input
start_server()
{
	data=$work/$1-data
	{
		cat <<-END
			listen_addresses = ''
			unix_socket_directories = '$work/run'
			port = $2
			dynamic_shared_memory_type = mmap
			logging_collector = off
			log_destination = stderr
		END
		cat <&3
	} 3<&0 >"$work/$1.conf"
	stop_server "$1"
	if [ ! -s "$data/PG_VERSION" ] || [ "$(cat "$data/PG_VERSION")" != "$TXTFP_PG" ] ||
		[ ! -f "$data/complete" ]; then
		rm -rf "$data"
		step "creating a database cluster in $data" "$work/log/$1-initdb.log" "Is the disk full? Remove $work and try again." \
			initdb -D "$data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync
		echo "include '$work/$1.conf'" >>"$data/postgresql.conf"
		: >"$data/complete"
	fi
	: >"$work/log/$1-server.log"
	step "starting PostgreSQL $TXTFP_PG on the unix socket in $work/run" "$work/log/$1-start.log" \
		"The server's own words are in $work/log/$1-server.log; to start afresh: rm -r $data" \
		start_postgres "$data" "$work/log/$1-server.log"
	export PGHOST="$work/run" PGPORT="$2" PGUSER=postgres PGDATABASE=postgres
}

postgres_program= # instead of the server's own
start_postgres() { ${sanitizers:+env $sanitizers} pg_ctl -D "$1" ${postgres_program:+-p "$postgres_program"} -l "$2" -w -t 120 start 9>&- || { tail -n 20 "$2"; return 1; }; }

# With TXTFP_SANITIZE (see sanitize.sh): the environment that loads the sanitizers' libraries before the server. A library of the
# server allocates memory before libasan is ready and would hang, unless another library is initialized even earlier.
sanitizer_environment()
{
	echo '__attribute__((constructor)) static void first(void) { __builtin_free(__builtin_malloc(1)); }' |
		gcc -x c -O0 -shared -fPIC -Wl,-z,initfirst -o "$work/asanfirst.so" -
	libraries=
	for library in libasan libubsan; do
		libraries="$libraries$(readlink -f "$(gcc -print-file-name=$library.so)"):"
	done
	rm -f "$work/log"/sanitizer.*
	options=log_path=$work/log/sanitizer:print_stacktrace=1
	echo "LD_PRELOAD=$libraries$work/asanfirst.so UBSAN_OPTIONS=$options" \
		"ASAN_OPTIONS=$options:detect_leaks=0:abort_on_error=1:handle_abort=1:detect_stack_use_after_return=0"
}

# stop_server NAME [MODE]
stop_server()
{
	if [ -s "$work/$1-data/postmaster.pid" ]; then
		pg_ctl -D "$work/$1-data" -m "${2:-fast}" -w -t 60 stop >"$work/log/$1-stop.log" 2>&1 ||
			pg_ctl -D "$work/$1-data" status >/dev/null 2>&1 || return 0
		pg_ctl -D "$work/$1-data" status >/dev/null 2>&1 && die "cannot stop the server in $work/$1-data" \
			"Its process id is the first line of $work/$1-data/postmaster.pid"
	fi
	return 0
}
