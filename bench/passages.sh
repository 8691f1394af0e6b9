#!/bin/sh
# Repeated passages of a made collection (bench/passages.cpp): what the command line and the server find, beside other tools, with processor time and memory.
#
#     sh bench/passages.sh                                             300 MB, all stages; writes bench/passages.md
#     BYTES=10000000000 STAGES='command_line load sql' sh bench/passages.sh    10 GB; 20 GB of free disk for the command line, 31 for the server
#
# Stages: command_line (through a pipe), load (a table), sql, suffix_array, bloom_filter. The last two need programs that somebody has built with cargo:
# SUFFIX_ARRAY=…/dedup_dataset of github.com/google-research/deduplicate-text-datasets, BLOOM_FILTER=…/bff of github.com/allenai/bff.
# See scripts/common.sh for TXTFP_WORK, TXTFP_PG and the rest. Results stay in TXTFP_WORK/passages/results.json until a stage is run again.
set -eu

. "$(dirname "$0")/../scripts/common.sh"

if [ "$stage" = here ]; then
	TXTFP_COMMIT=$(git -C "$root" describe --always --dirty 2>/dev/null || echo unknown)
	export TXTFP_COMMIT
	(enter_work ../bench/passages.sh "python3 libcli11-dev libsimdjson-dev zlib1g-dev libzstd-dev liblzma-dev libbz2-dev")
	choose_user
	cp "$TXTFP_WORK/passages/passages.md" "$root/bench/"
	exit 0
fi

set_up_work
mkdir -p "$work/passages"
build
step "building the command line" "$work/log/cli.log" "See above." run_make -j"$(nproc)" cli
${CXX:-g++} -O2 -std=c++20 -I"$root/src" "$root/bench/passages.cpp" -o "$work/passages/documents"
start_server passages 5435 <<-END
	shared_buffers = 128MB
	maintenance_work_mem = 1500MB
	max_parallel_maintenance_workers = 2
	wal_level = minimal
	max_wal_senders = 0
	max_wal_size = 4GB
	autovacuum = off
	default_toast_compression = lz4
END
cleanup='stop_server passages'
export TXTFP="$root/build/txtfp" PGDATA="$work/passages-data"
python3 "$root/bench/passages.py" "$work/passages"
