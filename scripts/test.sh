#!/bin/sh
# Runs every test, the layers named, or one test of a layer: sh scripts/test.sh [LAYER…] or sh scripts/test.sh LAYER TEST
#
#   --quick       what a change mostly breaks, in two minutes: layers, version, installcheck without its longest tests, pgtap, and core without the
#                 sanitizers
#
#   core          the core alone, no PostgreSQL                       make check-core
#   layers        the include graph, no PostgreSQL in the core, words    make check-layers
#   version       the same version everywhere                         make check-version
#   installcheck  every SQL object                                    make installcheck ISOLATION=
#   isolation     concurrent sessions                                 make installcheck REGRESS=
#   pgtap         the API as a contract, twice: the extension in the schema public, and in one of its own    make check-pgtap
#   tap           tests that start servers: crash, dump, cancel, …    make check-tap
#   drivers       a client's view, with Debian's psycopg (drivers.sh tests more drivers)
#   browser       the review page in Chromium (test/browser): labels, export, hostile texts, accessibility, 10,000 pairs
#   python        the Python package of clients/python, built and tested in a virtual environment with drivers of the package index
#   cli           the program txtfp: unit tests, runs from end to end, and a comparison with a server (make check-cli, test/cli/server.pl)
#   txtfp_…       an optional extension in contrib: its unit tests, SQL tests and TAP tests
#   contrib       all of these extensions
#   odr           every type has one definition; not run by default, but by scripts/matrix.sh    make check-odr
#   simd          core and installcheck at each level of the vector units below the best; `simd NAME` at one of them; not run by default
#   settings      installcheck with settings that change plans and moments: eager autovacuum, statistics, JIT, parallel plans for everything, generic
#                 and custom plans, and with the extension in a schema of its own; `settings NAME` for one of them (autovacuum, statistics, jit, parallel,
#                 generic, custom, schema); not run by default
#   valgrind      a part of installcheck on a server under valgrind: reads in this library of memory that nothing wrote; not run by default
#   threads       the threads of the core and of the command line under ThreadSanitizer; not run by default    make check-threads
#   adversary     test/adversary: rights, nested calls, what makes work grow; not run by default    make adversary
#   alarms        only for scripts/sanitize.sh
#   all           all of these at full length, for TXTFP_LONG=yes: more rounds, rows and seconds, and tests that are left out otherwise; make check-all
#
# TEST is the name of the layer's file: `core minhash` runs the unit tests with "minhash" in their name, `installcheck gin`
# runs test/sql/gin.sql, `tap 023` runs test/tap/023*.pl. The second call builds only what has changed and takes seconds.
#
#   sh scripts/test.sh clean    removes the work directory, that of the demo, too
#
# Installs what is missing, builds, and starts a throw-away PostgreSQL: nothing has to be prepared (see common.sh).
# The last line is "N passed, N failed"; the lines before it name the tests that could not run here. The exit status is 0 only if
# none failed. A layer that crashes or runs no test counts as one failed.
set -eu

first_layers="layers version installcheck isolation pgtap drivers browser" last_layers="tap cli python core"
passed=0 failed=0 skipped=0 skipped_tests= counting=

. "$(dirname "$0")/common.sh"

modules=$(cd "$root/contrib" && for makefile in */Makefile; do [ ! -f "$makefile" ] || echo "${makefile%/*}"; done)
all_layers=$(echo $first_layers $modules $last_layers)

# end_children PROCESS: and theirs, and so on, but the parent first, which may start others instead
end_children()
{
	for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do
		set -- "$@" "$child"
	done
	[ "$1" = $$ ] || kill "$1" 2>/dev/null || true
	shift
	for child; do
		end_children "$child"
	done
}

# The servers of TAP tests that were ended
end_servers()
{
	for file in "$work"/src/tmp_check/*/pgdata/postmaster.pid "$work"/src/contrib/*/tmp_check/*/pgdata/postmaster.pid; do
		process=$(head -n 1 "$file" 2>/dev/null) || continue
		[ ! "/proc/$process/cwd" -ef "${file%/*}" ] || kill -QUIT "$process" || true
	done
}

last_words()
{
	[ -n "$counting" ] || return 0
	[ "$1" = 0 ] || [ "$failed" -gt 0 ] || failed=1 # it died before it could count
	end_children $$ # what still runs beside
	[ -z "${work-}" ] || (end_servers; stop_server test immediate) || true
	[ "$skipped" = 0 ] || printf '%d skipped, because they need what is not here:\n%s' "$skipped" "$skipped_tests"
	printf '%d passed, %d failed\n' "$passed" "$failed"
}

if [ "${1-}" = clean ]; then
	clean_work test.sh
	exit 0
fi

# Three quarters of the time of installcheck; --quick leaves them out.
slow_sql="calibration chunk decided_pairs distributed_pairs evidence gin lavinhash_gin limits live_clusters near_duplicate_orders near_duplicates_groups near_duplicates_scale near_duplicates_workers planner search_plans simhash64_gin sketch_bands sketch_columns text_difference"

# These name the schema public as that of the extension.
public_sql="distributed_pairs fingerprint_trigger info live_clusters_rights near_duplicate_apart near_duplicate_columns near_duplicate_count near_duplicate_rights near_duplicate_trigger"

# Only in the long run
long_sql=
[ -n "${TXTFP_LONG-}" ] || long_sql=$(sed -n 's/^LONG_REGRESS *= *//p' "$root/Makefile")

# all_sql_but TEST…: the names of the other SQL tests
all_sql_but() { (cd "$root/test/sql" && for test in *.sql; do case " $* $long_sql " in *" ${test%.sql} "*) ;; *) echo "${test%.sql}" ;; esac; done); }

layers= only= chosen_sql= quick=
if [ $# = 2 ] || [ "$#${3-}" = 3alarms ]; then # the latter by sanitize.sh
	case " $all_layers contrib odr simd settings valgrind threads adversary " in
	*" ${2#check-} "*) ;;
	*) only=$2 ;;
	esac
fi
for layer; do
	[ "$layer" != "$only" ] || continue
	if [ "$layer" = --quick ]; then
		layers="$layers layers version installcheck pgtap core" quick=-plain
		chosen_sql=$(all_sql_but $slow_sql)
		continue
	fi
	if [ "$layer" = all ]; then
		layers="$layers $all_layers odr simd settings valgrind threads adversary"
		export TXTFP_LONG=yes
		continue
	fi
	layer=${layer#check-}
	case " $all_layers odr simd settings valgrind threads adversary ${TXTFP_SANITIZE:+alarms} " in
	*" $layer "*) layers="$layers $layer" ;;
	*) [ "$layer" = contrib ] || die "there is no layer \"$layer\"" "Layers: $all_layers, contrib"
		layers="$layers $modules" ;;
	esac
done
layers=$(echo ${layers:-$all_layers})
counting=yes

is_wanted() { case " $layers " in *" $1 "*) ;; *) return 1 ;; esac; }
has_unit_tests() { is_wanted "$1" && [ -d "$root/contrib/$1/test/unit" ]; } # of a module

module_packages=
for module in $modules; do
	! is_wanted "$module" || module_packages="$module_packages $(sed 's/#.*//' "$root/contrib/$module/PACKAGES" | tr '\n' ' ')"
done
! { is_wanted cli || is_wanted threads; } || module_packages="$module_packages libcli11-dev libsimdjson-dev zlib1g-dev libzstd-dev liblzma-dev libbz2-dev zstd gzip xz-utils bzip2 zsh groff-base"
# elsewhere chromium may be no package, and the layer is skipped
! is_wanted browser || ! grep -q '^ID=debian' /etc/os-release 2>/dev/null ||
	module_packages="$module_packages chromium chromium-driver python3-selenium fonts-dejavu-core python3-venv"
! is_wanted valgrind || module_packages="$module_packages valgrind"
! is_wanted python || module_packages="$module_packages python3-venv python3-dev libsimdjson-dev zlib1g-dev libzstd-dev liblzma-dev libbz2-dev"

enter_work test.sh "postgresql-@PG@-pgtap libtap-parser-sourcehandler-pgtap-perl libipc-run-perl unicode-data bzip2 python3-psycopg $module_packages" "$@"

# ---------------------------------------------------------------------------------------------- counting
# count_LAYER-KIND LOG prints "passed failed skipped"

# The log of a runner that ends with "N passed, N failed".
count_plain() { awk '/^[0-9]+ passed, [0-9]+ failed/ { p = $1; f = $3; s = $5 } END { print p + 0, f + 0, s + 0 }' "$1"; }

# pg_regress and isolation: "test x ... ok 5 ms" or "... FAILED" up to 15, "ok 1 - x" or "not ok 1 + x" from 16 on.
count_regress()
{
	awk '/^ *(test +)?[^ ]+ +\.\.\. (ok|FAILED)( |$)/ { if (/\.\.\. ok/) p++; else f++ }
		/^ok +[0-9]+ +[-+] / { p++ }
		/^not ok +[0-9]+ +[-+] / { f++ }
		END { print p + 0, f + 0, 0 }' "$1"
}

# prove and pg_prove print "Files=3, Tests=40", and for failures "x.pl (Wstat: 0 Tests: 20 Failed: 2)".
# A file that ends with an error but without a failed test (wrong plan, crash) counts as one, and so does a file that is skipped without a reason: it died
# before its first test (PostgreSQL 19).
count_prove()
{
	awk '/^Files=[0-9]+, Tests=[0-9]+/ { split($2, tests, /[=,]/); n += tests[2] }
		/\(Wstat: [1-9].*Failed: 0\)/ { f++; n++; next }
		/\(Wstat: .*Failed: [0-9]+\)/ { sub(/.*Failed: /, ""); f += $1 }
		/^Result: (FAIL|NOTESTS)/ { bad = 1 }
		/^ok [0-9]+ # skip/ { s++ }
		/ \.+ skipped: \(no reason given\)/ { f++; n++; next }
		/ \.+ skipped/ { s++; n++ }
		END { if (bad && f == 0) { f = 1; n++ } print n - f - s, f + 0, s + 0 }' "$1"
}

# pytest ends with "40 passed, 2 skipped in 3.51s".
count_pytest()
{
	awk '/ in [0-9.]+s/ { p = f = s = 0
			for (i = 2; i <= NF; i++) {
				if ($i ~ /^passed/) p = $(i - 1)
				if ($i ~ /^(failed|errors?)/) f += $(i - 1)
				if ($i ~ /^skipped/) s = $(i - 1)
			}
		}
		END { print p + 0, f + 0, s + 0 }' "$1"
}

# One check that passes or fails as a whole.
count_status() { if [ "$status" = 0 ]; then echo 1 0 0; else echo 0 1 0; fi; }

# The skipped tests of a log: those of the unit tests, of prove (a file, a test with its reason) and of pytest -rs
names_of_skipped()
{
	sed -n -e 's/^skipped: //p' -e 's/^SKIPPED \[[0-9]*\] //p' -e 's/^ok [0-9]* # skip //p' -e 's/^\(\[[0-9:]*\] \)*\([^ ]*\) \.* skipped: \(.*\)/\2: \3/p' "$1" | sort | uniq -c |
		sed 's/^ *1 //; s/^ *\([0-9]*\) \(.*\)/\2 (\1 times)/'
}

# ---------------------------------------------------------------------------------------------- running

show_failures()
{
	printf '\n----- what failed in %s (all of it: %s)\n' "$1" "$2"
	case $1 in
	installcheck | isolation | simd-* | settings-* | txtfp_*)
		grep -E '\.\.\. FAILED|^not ok' "$2" || tail -n 30 "$2"
		case $1 in
		installcheck | simd-* | settings-*) diffs=$work/src/regression.diffs ;;
		isolation) diffs=$work/src/output_iso/regression.diffs ;;
		*) diffs=$work/src/contrib/$1/regression.diffs ;;
		esac
		[ ! -s "$diffs" ] || head -n 200 "$diffs"
		if grep -q 'terminated by signal\|PANIC' "$work/log/test-server.log"; then
			grep -B 2 -A 8 'terminated by signal\|PANIC' "$work/log/test-server.log" | head -n 60
		fi
		;;
	*)
		if [ "$(wc -l <"$2")" -gt 60 ]; then
			grep -nE '^ *not ok|FAIL|[Ff]ailed|[Ee]rror|ERROR|Bad plan|Dubious|runtime error' "$2" | head -n 40 || true
			printf '…\n'
		fi
		tail -n 60 "$2" | cut -c 1-200
		;;
	esac
	printf -- '-----\n\n'
}

summary=
# layer NAME KIND-OF-COUNT COMMAND…
layer()
{
	layer=$1 kind=$2 layer_log=$work/log/$1.log
	shift 2
	status=0 ran_for=
	try "testing: $layer${only:+ $only}" "$layer_log" "$@" || true
	took=${ran_for:-$took}
	set -- $(count_$kind "$layer_log")
	p=$1 f=$2 s=$3
	if [ "$f" = 0 ] && { [ "$status" != 0 ] || [ "$p" = 0 ]; }; then
		f=1
	fi
	note "$p passed, $f failed$([ "$s" = 0 ] || echo ", $s skipped") ($took s)"
	[ "$f" = 0 ] || show_failures "$layer" "$layer_log"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	[ "$s" = 0 ] || skipped_tests="$skipped_tests$(names_of_skipped "$layer_log" | sed "s/^/    $layer: /")
"
	summary="$summary$(printf '    %-18s %7d passed %5d failed %5d skipped %5d s' "$layer" "$p" "$f" "$s" "$took")
"
}

# With the sanitizers, only the tests that call functions with unusual arguments. The servers often wait, so four tests share two
# processors; the longest tests begin first.
run_tap()
{
	longest="test/tap/020_durability.pl test/tap/019_maintenance.pl"
	if [ -n "$sanitizers" ]; then
		TXTFP_SERVER_ENV=$sanitizers run_make check-tap PROVE_TESTS="test/tap/011_chaos.pl test/tap/012_wire.pl test/tap/039_types.pl"
	else
		run_make check-tap PROVE_FLAGS=-j4 \
			PROVE_TESTS="$(cd "$root" && if [ -n "$only" ]; then echo test/tap/"$only"*.pl; else echo $longest $(ls test/tap/*.pl | grep -v '/0\(19\|20\)_'); fi)"
	fi
}

# If there are other layers, they run beside the TAP tests, see below.
check_tap()
{
	if [ "$layers" = tap ]; then
		run_tap
	else
		ended tap
	fi
}

check_adversary() { TXTFP_SERVER_ENV=$sanitizers run_make adversary ${only:+ADVERSARY_TESTS="test/adversary/$only.pl"}; }

# run_module MODULE TARGET…: runs make in the folder of an optional extension
run_module()
{
	module=$1
	shift
	run_make -C "contrib/$module" "$@"
}

make_module()
{
	wait_for_worker "$1"
	run_module "$1" -j"$(nproc)" all install
}

check_module_core()
{
	wait_for_worker "$1-core"
	ran_ahead "$1-core" run_module "$1" -j"$(nproc)" check-core
}

# Each kind of test of a module is a layer: MODULE-core, MODULE, MODULE-tap.
check_module()
{
	module=$1
	step "building and installing $module" "$work/log/$module-build.log" "Its README tells what it needs." \
		make_module "$module"
	folder=$work/src/contrib/$module/test
	# they mostly wait for servers of their own
	[ ! -d "$folder/tap" ] || [ -n "$only" ] || begin "$module-tap" run_module "$module" check-tap PROVE_FLAGS=-j4
	[ ! -d "$folder/sql" ] || layer "$module" regress run_module "$module" installcheck ${only:+REGRESS="$only"}
}

# begin NAME COMMAND…: runs it beside what follows, as `ahead` does; `ended NAME` waits for its end and is then as `ran_ahead`
begun=
begin()
{
	(ahead "$@") &
	begun="$begun $1:$!"
}

ended()
{
	for process in $begun; do
		[ "${process%:*}" != "$1" ] || wait "${process#*:}" || true
	done
	ran_ahead "$1" false
}

cli_programs="cli build/cli-unit build/txtfp-checked"
make_cli()
{
	wait_for_worker cli
	run_make -j"$(nproc)" CORE_OF_EXTENSION=yes $cli_programs
}

check_cli()
{
	step "building the command line" "$work/log/cli-build.log" "See docs/cli.md for what it needs." \
		make_cli
	layer cli-core plain ran_ahead cli-core run_make check-cli-unit
	layer cli prove ran_ahead cli run_make CORE_OF_EXTENSION=yes check-cli-runs
	layer cli-server prove env TXTFP="$work/src/build/txtfp" PG_CONFIG="$pg_config" prove -v "$work/src/test/cli/server.pl"
}

# The virtual environment, the drivers in it, and the package
python=$work/python/bin/python3
build_python()
{
	[ -x "$python" ] || /usr/bin/python3 -m venv "$work/python" || return 1
	pip="$python -m pip install -q --disable-pip-version-check"
	$pip --no-compile -r "$work/src/clients/python/tests/requirements.txt" || return 1
	objects=$work/src/build/together/core
	[ -e "$objects/base.o" ] && [ -z "$sanitizers" ] || objects=
	$pip --no-build-isolation --no-deps --force-reinstall --config-settings=cmake.define.TXTFP_CORE_OBJECTS="$objects" "$work/src/clients/python"
}

# If not even one package can be installed, the package index is out of reach.
has_package_index() { "$python" -m pip download -q --no-deps -d "$work/tmp/index" pip >/dev/null 2>&1; }

check_python()
{
	wait_for_worker python
	! is_wanted cli || wait_for_worker cli # tests compare the joins with those of the program
	if ! try "building the Python package" "$work/log/python-build.log" ran_ahead python build_python; then
		if ! has_package_index; then
			note "python is skipped: the Python package index cannot be reached"
			skipped=$((skipped + 1)) skipped_tests="$skipped_tests    python: the Python package index cannot be reached
"
			return
		fi
		show_failures "the build of the Python package" "$work/log/python-build.log"
		failed=$((failed + 1))
		return
	fi
	# from another folder than that of the sources, so that the installed package is tested
	cd "$work/src/clients/python/tests"
	layer python pytest "$python" -m pytest -q -rs -p no:cacheprovider ${only:+-k "$only"} .
	cd "$work/src/clients/python"
	[ -n "$only" ] || layer python-types status "$python" -m mypy --cache-dir "$work/python/mypy"
	cd "$work"
}

# axe-core checks accessibility. It is in a Python package: npm would need four hundred packages of Debian's. Where the package index cannot
# be reached, only this check is skipped.
axe=$work/axe/axe_playwright_python/axe.min.js
fetch_axe()
{
	! is_wanted python || wait_for_worker python # it makes the virtual environment
	[ -x "$python" ] || /usr/bin/python3 -m venv "$work/python" || return 1
	"$python" -m pip install -q --disable-pip-version-check --no-deps --target "$work/axe" axe-playwright-python==0.1.8
}

check_browser()
{
	missing=
	command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
	command -v chromedriver >/dev/null 2>&1 || missing="$missing chromium-driver"
	/usr/bin/python3 -c 'import selenium' 2>/dev/null || missing="$missing python3-selenium"
	if [ -n "$missing" ]; then
		note "browser is skipped: missing are$missing"
		skipped=$((skipped + 1)) skipped_tests="$skipped_tests    browser: missing are$missing
"
		return
	fi
	[ -e "$axe" ] || fetch_axe >"$work/log/axe.log" 2>&1 || true
	mkdir -p "$work/browser"
	layer browser plain env AXE="$([ ! -e "$axe" ] || echo "$axe")" SHOTS="$work/browser" /usr/bin/python3 -B "$work/src/test/browser/review.py"
}

rm -rf "$work/src/regression.diffs" "$work/src/output_iso" "$work/ahead"
mkdir "$work/ahead"
build
[ -z "${TXTFP_SANITIZE-}" ] || sanitizers=$(sanitizer_environment)

# start_test_server [SETTINGS]: lines of the configuration file
start_test_server()
{
	start_server test 5433 <<-END
		jit = off # compiling queries of a second takes longer than they; test/sql/jit.sql and \`settings jit\` turn it on
		${1-}
		fsync = off
		synchronous_commit = off
		full_page_writes = off
		shared_buffers = 128MB
		max_prepared_transactions = 5
		max_locks_per_transaction = 64 # as before 19; tests of near_duplicate_trigger count them
		log_line_prefix = '%m [%p] %q%a '
	END
}

case " $layers " in
*" installcheck "* | *" isolation "* | *" pgtap "* | *" drivers "* | *" browser "* | *" python "* | *" alarms "* | *" txtfp_"* | *" simd "*) start_test_server ;;
esac

# Compiling the unit tests, the command line and the modules takes minutes. This is done beside the layers that run before them, in two processes,
# because neither of them uses two processors all the time; and so are tests that need no server.
compile_ahead()
{
	for layer in python cli core; do # the last one uses all processors to its end
		is_wanted $layer || continue
		case $layer in
		python) ahead python build_python ;;
		core) ahead core run_make -j"$(nproc)" check-core$quick ;;
		cli)
			run_make -j"$(nproc)" CORE_OF_EXTENSION=yes $cli_programs || true # the layer makes it again and reports what is wrong
			ahead cli-core run_make check-cli-unit
			ahead cli run_make CORE_OF_EXTENSION=yes check-cli-runs PROVE_FLAGS=-j2
			;;
		esac
	done
}

compile_modules_ahead()
{
	for module in $modules; do
		! is_wanted "$module" || ahead "$module" run_module "$module" -j"$(nproc)" all
	done
	for module in $modules; do
		! has_unit_tests "$module" || ahead "$module-core" run_module "$module" -j"$(nproc)" check-core
	done
}

# work_ahead COMMAND
workers=
work_ahead()
{
	(
		renice -n 3 -p "$(sh -c 'echo $PPID')" >/dev/null 2>&1 || true
		"$@"
	) >"$work/log/$1.log" 2>&1 &
	workers="$workers $!"
}

# ahead NAME COMMAND…: runs it, for ran_ahead
ahead()
{
	name=$1 status=0 began=$(date +%s)
	shift
	"$@" >"$work/ahead/$name.log" 2>&1 </dev/null || status=$?
	echo "$status $(($(date +%s) - began))" >"$work/ahead/$name.status"
}

# ran_ahead NAME COMMAND…: prints what the command has printed that ran ahead, returns its status, and sets ran_for to its seconds; if none did, runs it
ran_for=
ran_ahead()
{
	name=$1
	shift
	if [ -e "$work/ahead/$name.status" ]; then
		cat "$work/ahead/$name.log"
		read -r ran_status ran_for <"$work/ahead/$name.status"
		return "$ran_status"
	fi
	"$@"
}

# wait_for_worker NAME: until this has run ahead, or nothing does any more
wait_for_worker()
{
	for worker in $workers; do
		while [ ! -e "$work/ahead/$1.status" ] && kill -0 "$worker" 2>/dev/null; do
			sleep 0.2
		done
	done
}

check_core()
{
	wait_for_worker core
	ran_ahead core run_make -j"$(nproc)" check-core$quick ${only:+UNIT="$only"}
}

if is_wanted installcheck || is_wanted tap; then
	work_ahead compile_ahead
	work_ahead compile_modules_ahead
fi
if is_wanted tap && [ "$layers" != tap ]; then
	begin tap run_tap
fi

level_in_use()
{
	psql -X -A -t -q -c 'CREATE EXTENSION IF NOT EXISTS txtfp; SELECT simd FROM txtfp_info(); DROP EXTENSION txtfp' 2>/dev/null
}

# Each level that the library takes without a warning, but for the best, which the other layers have tested.
check_simd()
{
	for level in ${only:-baseline avx2 avx512 neon}; do
		export TXTFP_SIMD_LEVEL="$level"
		start_test_server
		used=$(level_in_use)
		if [ "$used" = "$level" ] && [ "$level" != "$best_level" ]; then
			layer "simd-$level-core" plain run_make -j"$(nproc)" check-core
			layer "simd-$level" regress run_make installcheck ISOLATION=
		fi
	done
	unset TXTFP_SIMD_LEVEL
}

# own_schema DATABASE: with the extension in the schema txtfp, which search_path names last
own_schema()
{
	dropdb --if-exists "$1" 2>/dev/null
	createdb -T template0 -E UTF8 --locale=C "$1"
	psql -X -q -v ON_ERROR_STOP=1 -d "$1" <<-END
		CREATE SCHEMA txtfp;
		CREATE EXTENSION txtfp SCHEMA txtfp;
		GRANT USAGE ON SCHEMA txtfp TO PUBLIC;
		ALTER DATABASE "$1" SET search_path = "\$user", public, txtfp;
	END
}

check_pgtap_in_schema()
{
	own_schema txtfp_in_schema
	(
		export PGDATABASE=txtfp_in_schema
		run_make check-pgtap ${only:+PGTAP_TESTS="test/pgtap/$only.sql"}
	)
}

check_pgtap()
{
	layer pgtap prove run_make check-pgtap ${only:+PGTAP_TESTS="test/pgtap/$only.sql"}
	[ -n "$quick" ] || layer pgtap-schema prove check_pgtap_in_schema
}

check_sql_in_schema()
{
	own_schema contrib_regression
	run_make installcheck ISOLATION= REGRESS_OPTS="--inputdir=test --use-existing --dbname=contrib_regression" REGRESS="$(echo $(all_sql_but $public_sql))"
}

# Each on a server of its own. Plans are not to change what a test prints: EXPLAINs turn off what they do not want.
check_settings()
{
	parallel=debug_parallel_query
	[ "$TXTFP_PG" -ge 16 ] || parallel=force_parallel_mode
	for setting in ${only:-autovacuum statistics jit parallel generic custom schema}; do
		lines=
		case $setting in
		autovacuum) lines="autovacuum_naptime = 1s
autovacuum_vacuum_threshold = 1
autovacuum_vacuum_scale_factor = 0
autovacuum_vacuum_insert_threshold = 1
autovacuum_vacuum_insert_scale_factor = 0
autovacuum_analyze_threshold = 1
autovacuum_analyze_scale_factor = 0" ;;
		statistics) lines="default_statistics_target = 2" ;;
		jit) lines="jit = on
jit_above_cost = 5 # the statements of a SQL function, which are compiled for each of thousands of rows, cost less
jit_inline_above_cost = -1 # test/sql/jit.sql inlines and optimizes; for every query this takes hours
jit_optimize_above_cost = -1" ;;
		parallel) lines="$parallel = regress" ;;
		generic) lines="plan_cache_mode = force_generic_plan" ;;
		custom) lines="plan_cache_mode = force_custom_plan" ;;
		schema) ;;
		*) die "there is no setting \"$setting\"" "Settings: autovacuum, statistics, jit, parallel, generic, custom, schema" ;;
		esac
		start_test_server "$lines"
		if [ "$setting" = schema ]; then
			layer settings-schema regress check_sql_in_schema
			continue
		fi
		layer "settings-$setting" regress run_make installcheck ISOLATION= ${chosen_sql:+REGRESS="$(echo $chosen_sql)"}
	done
}

# The tests that call most of the library and are short, because they take forty times as long. A server that was not built for valgrind reports
# reads of its own, so only those count that come from this library.
valgrind_sql="minhash minhash_compact simhash64 tlsh lavinhash passages embedding stream fingerprint sketch decide connected_components"
check_valgrind()
{
	status=0
	run_make installcheck ISOLATION= REGRESS="${only:-$valgrind_sql}" || status=$?
	stop_server test # the last processes write their reports
	sed 's/^==[0-9]*== *//' "$work"/log/valgrind.* | awk -v RS= '/txtfp\.so/' >"$work/log/reports"
	if [ -s "$work/log/reports" ]; then
		echo "test reports_of_valgrind ... FAILED"
		head -n 100 "$work/log/reports"
		return 1
	fi
	echo "test reports_of_valgrind ... ok"
	return $status
}

start_valgrind_server()
{
	rm -f "$work"/log/valgrind.*
	postgres_program=$work/postgres-in-valgrind
	printf '#!/bin/sh\nexec valgrind --quiet --trace-children=yes --num-callers=40 --log-file=%s/log/valgrind.%%p %s/bin/postgres "$@"\n' "$work" "$pg" >"$postgres_program"
	chmod +x "$postgres_program"
	start_test_server
	postgres_program=
}

for layer in $layers; do
	case $layer in
	core) layer core plain check_core ;;
	layers | version) layer $layer status run_make check-$layer ;;
	simd)
		best_level=$(level_in_use)
		check_simd
		start_test_server
		;;
	settings) check_settings ;;
	valgrind)
		start_valgrind_server
		layer valgrind regress check_valgrind
		start_test_server
		;;
	threads) layer threads prove run_make -j"$(nproc)" check-threads ;;
	odr) layer odr status run_make -j"$(nproc)" check-odr ;;
	adversary) layer adversary prove check_adversary ;;
	installcheck) layer installcheck regress run_make installcheck ISOLATION= ${only:+REGRESS="$only"} ${chosen_sql:+REGRESS="$(echo $chosen_sql)"} ;;
	isolation) layer isolation regress run_make installcheck REGRESS= ${only:+ISOLATION="$only"} ;;
	pgtap) check_pgtap ;;
	tap) layer tap prove check_tap ;;
	drivers) layer drivers plain env PYTHON=/usr/bin/python3 sh "$work/src/test/drivers/run.sh" psycopg ;;
	browser) check_browser ;;
	python) check_python ;;
	cli) check_cli ;;
	txtfp_*) check_module "$layer" ;;
	alarms) layer alarms plain sh "$work/src/scripts/alarms.sh" "$work/log" "$work/log/test-server.log" ;;
	esac
done

for module in $modules; do
	! has_unit_tests "$module" || [ -n "$only" ] || layer "$module-core" plain check_module_core "$module"
done
for module in $modules; do
	case "$begun " in *" $module-tap:"*) layer "$module-tap" prove ended "$module-tap" ;; esac
done

printf '\n%s    (logs in %s)\n\n' "$summary" "$work/log"
[ "$failed" = 0 ]
