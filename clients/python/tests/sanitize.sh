#!/bin/sh
# The tests of the extension module under AddressSanitizer and UndefinedBehaviorSanitizer, in a virtual environment of their own; those that need a
# server if PGHOST names one: sh clients/python/tests/sanitize.sh [DIRECTORY]
set -eu

package=$(cd "$(dirname "$0")/.." && pwd)
work=${1:-$(mktemp -d)}
python3 -m venv "$work"
"$work/bin/pip" install -q --disable-pip-version-check pytest numpy pyarrow pandas polars duckdb "psycopg[binary]"
"$work/bin/pip" install -q --disable-pip-version-check -C cmake.define.TXTFP_SANITIZE=ON -C build-dir="$work/build" "$package"
cd "$package/tests"
# libstdc++ comes first, too, so that its exceptions are intercepted
env LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so) $(gcc -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
	"$work/bin/python" -m pytest -q --capture=sys -p no:cacheprovider test_core.py test_joins.py test_files.py test_duckdb.py
