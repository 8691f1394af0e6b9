#!/bin/sh
# Builds the site of the pages: build.sh DIRECTORY [OPTION OF MKDOCS…]. Needs python3 with venv, git, and the Python package index the first time.
set -eu
directory=$1
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$directory"
[ -x "$directory/python/bin/python" ] || python3 -m venv "$directory/python"
"$directory/python/bin/python" -m pip install -q --disable-pip-version-check -r "$here/requirements.txt"
exec "$directory/python/bin/python" "$here/build.py" "$@"
