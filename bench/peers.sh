#!/bin/sh
# Compares txtfp with other tools on six corpora, and writes bench/peers.md with its pictures, and every figure into bench/peers.tsv. On a bare Debian, as root, with sudo or with what it needs installed:
#
#     sh bench/peers.sh                 20 to 40 minutes on two processors, half of them for downloads and builds; 4 GB of disk
#     SIZE=600 sh bench/peers.sh        smaller corpora (default 3,000 documents each)
#     TOOLS='rensa,txtfp Python, pairs' … only these; CORPORA='edits mails' …; LIMIT=60 seconds of processor time for a tool and a corpus
#     sh bench/peers.sh --check         also ends with an error if a headline ratio is more than a tenth below its last value in bench/peers_history.tsv
#     sh bench/peers.sh --record        also adds the headline ratios to that file
#
# Each tool has a virtual environment of its own with pinned versions (bench/peers/tools.py). One that cannot be had or does not end is named in the tables.
# See scripts/common.sh for TXTFP_WORK, TXTFP_PG and the rest.
set -eu

. "$(dirname "$0")/../scripts/common.sh"

if [ "$stage" = here ]; then
	TXTFP_COMMIT=$(git -C "$root" describe --always --dirty 2>/dev/null || echo unknown)
	export TXTFP_COMMIT
	(enter_work ../bench/peers.sh "python3 python3-venv python3-dev libcli11-dev libsimdjson-dev zlib1g-dev libzstd-dev liblzma-dev libbz2-dev" "$@")
	choose_user
	mkdir -p "$root/build/peers"
	cp "$TXTFP_WORK/peers/results.json" "$root/build/peers/"
	python3 "$root/bench/peers/page.py" "$root/build/peers/results.json" "$root/bench" "$@"
	say "$root/bench/peers.md"
	exit 0
fi

set_up_work
here=$root/bench/peers peers=$work/peers
mkdir -p "$peers/venvs" "$peers/corpora"
build
step "building the command line" "$work/log/cli.log" "See above." run_make -j"$(nproc)" cli

# install_in VENV PACKAGE…: --no-deps:PACKAGE without what it asks for, because it asks for gigabytes that it does not use here
install_in()
{
	/usr/bin/python3 -m venv "$1"
	pip="$1/bin/pip --quiet --disable-pip-version-check install" alone=
	shift
	for package; do
		shift
		case $package in --no-deps:*) alone="$alone ${package#*:}" ;; *) set -- "$@" "$package" ;; esac
	done
	$pip "$@" || return 1
	[ -z "$alone" ] || $pip --no-deps $alone
}

# environment NAME PACKAGE…: a virtual environment with these packages; without it the tool is left out
environment()
{
	venv=$peers/venvs/$1
	shift
	[ ! -e "$venv/complete" ] || return 0
	if try "installing $*" "$work/log/pip.log" install_in "$venv" "$@"; then
		: >"$venv/complete"
	else
		note "it cannot be had: left out, see $work/log/pip.log"
		rm -rf "$venv"
	fi
}

environment pip pip==26.3
corpus=$work/corpus.copy
[ -s "$corpus" ] || step "reading the package descriptions from apt" "$work/log/corpus.log" "Try 'apt-get update' by hand." sh "$root/scripts/corpus.sh" "$corpus"
step "making the corpora" "$peers/corpora.log" "See above." python3 "$here/corpora.py" "$peers/corpora" "${SIZE:-3000}" "$peers/venvs/pip/bin/pip" "$corpus"
sed 's/^/    /' "$peers/corpora.log"
(cd "$here" && python3 -c 'from tools import TOOLS
for name, (_, _, packages, _) in TOOLS.items():
    if packages and not name.startswith("txtfp"):
        print(name.lower(), *packages)') >"$peers/environments"
while read -r name packages; do environment $name $packages; done <"$peers/environments"
environment txtfp pyarrow==22.0.0 numpy==2.4.6 "scikit-build-core>=0.10" "nanobind>=2.4" "cmake>=3.18" ninja
step "building the Python package" "$work/log/python.log" "See above." "$peers/venvs/txtfp/bin/pip" install --quiet --disable-pip-version-check --no-deps \
	--force-reinstall --no-build-isolation --config-settings=cmake.define.TXTFP_CORE_OBJECTS="$work/src/build/together/core" "$root/clients/python"

start_server peers 5434 <<-END
	shared_buffers = 256MB
	max_wal_size = 4GB
	autovacuum = off
	jit = off
	max_parallel_workers_per_gather = 0
END
cleanup='stop_server peers'
export TXTFP="$root/build/txtfp" PGDATA="$work/peers-data"
python3 "$here/run.py" "$peers" "$peers/corpora" "$peers"
python3 - "$peers/results.json" "${SIZE:-3000}" <<-'END'
	import json, os, platform, subprocess, sys
	path, size = sys.argv[1:]
	results = json.load(open(path))
	machine = subprocess.run(['sh', os.path.dirname(os.environ['TXTFP']) + '/../bench/machine.sh'], capture_output=True, text=True).stdout.strip()
	server = subprocess.run(['psql', '-XAtc', 'SHOW server_version'], capture_output=True, text=True).stdout.strip()
	date = subprocess.run(['date', '-u', '+%Y-%m-%d %H:%M UTC'], capture_output=True, text=True).stdout.strip()
	results['about'] = {'machine': machine, 'PostgreSQL': server, 'Python': platform.python_version(), 'date': date, 'commit': os.environ.get('TXTFP_COMMIT', ''), 'size': int(size), 'limit': int(os.environ.get('LIMIT', '60'))}
	json.dump(results, open(path, 'w'), indent=1)
END
