#!/bin/sh
# Writes the software bill of materials of this tree, CycloneDX, to build/txtfp.cdx.json or the file named, with a virtual environment of its own.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
file=${1:-$root/build/txtfp.cdx.json}
mkdir -p "$(dirname "$file")"
environment=$(mktemp -d)
trap 'rm -rf "$environment"' EXIT
python3 -m venv "$environment"
"$environment/bin/pip" install -q --disable-pip-version-check 'cyclonedx-python-lib[json-validation]==11.12.0'
"$environment/bin/python" "$root/scripts/bill_of_materials.py" "$file"
