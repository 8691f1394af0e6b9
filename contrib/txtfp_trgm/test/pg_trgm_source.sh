#!/bin/sh
# Has apt download Debian's source package of PostgreSQL, and prints the folder of pg_trgm in it: sh pg_trgm_source.sh MAJOR FOLDER
# It changes nothing on the machine but FOLDER, and needs no rights. 25 MB.
set -eu
major=$1
mkdir -p "$2/parts" "$2/lists/partial" "$2/cache/archives/partial"
cd "$2"
folder=$PWD
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
	case $file in
	*.sources) grep -q -e debian.org -e postgresql.org "$file" && sed 's/^Types:.*/Types: deb-src/' "$file" >"parts/${file##*/}" || true ;;
	*.list) grep -h -e '^deb .*debian.org' -e '^deb .*postgresql.org' "$file" 2>/dev/null | sed 's/^deb /deb-src /' >"parts/${file##*/}" || true ;;
	esac
done
: >none
own() { program=$1; shift; "$program" -qq -o Dir::Etc::SourceList="$folder/none" -o Dir::Etc::SourceParts="$folder/parts" -o Dir::State::Lists="$folder/lists" -o Dir::Cache="$folder/cache" -o APT::Sandbox::User= "$@"; }
if [ ! -d "source/contrib/pg_trgm" ]; then
	own apt-get update >&2
	# the newest version that can be had: mirrors do not have all
	for version in $(own apt-cache showsrc "postgresql-$major" | sed -n 's/^Version: //p'); do
		own apt-get source --download-only "postgresql-$major=$version" >&2 && break
	done
	mkdir -p source
	tar -C source --strip-components=1 --wildcards -xf "$(ls postgresql-"$major"_*.orig.tar.* | grep -v '\.asc$' | tail -n 1)" '*/contrib/pg_trgm'
fi
echo "$folder/source/contrib/pg_trgm"
