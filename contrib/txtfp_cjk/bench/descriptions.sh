#!/bin/sh
# Gets the translated package descriptions of Debian: sh descriptions.sh DIRECTORY [LANGUAGE…]
#
# Writes DIRECTORY/LANGUAGE for en, ja, ko, zh_CN and zh_TW (or those named), as apt has them: stanzas with Package, Description-md5 and
# Description-LANGUAGE. apt downloads 25 MB into DIRECTORY with a configuration of its own; the system's is not changed, and root is not needed.
# The texts are under the free terms of their packages and do not belong into the repository.
set -eu
directory=${1:?directory}
shift
[ $# -gt 0 ] || set -- en ja ko zh_CN zh_TW
mkdir -p "$directory/apt/lists/partial" "$directory/apt/cache/archives/partial"
directory=$(cd "$directory" && pwd)
names=$(printf '"%s"; ' "$@")

apt-config dump | grep -Ev '^(Acquire::(Languages|IndexTargets::.*(DEP-11|CNF))|APT::Update::|DPkg::|Dir::(Cache|State::lists|Log))' \
	>"$directory/apt/apt.conf" || true
cat >>"$directory/apt/apt.conf" <<-END
	Acquire::Languages { $names };
	Acquire::IndexTargets::deb-src::Sources::DefaultEnabled "false";
	Dir::State::lists "$directory/apt/lists";
	Dir::Cache "$directory/apt/cache";
	Dir::Etc::main "/dev/null";
	Dir::Etc::parts "/dev/null";
END
export APT_CONFIG="$directory/apt/apt.conf"
apt-get -q update || true # sources that do not answer are ignored; missing languages are an error below
for language; do
	files=$(apt-get indextargets --format '$(FILENAME)' 'Created-By: Translations' "Language: $language" || true)
	[ -n "$files" ] || { echo "no descriptions in $language to be had from apt" >&2 && exit 1; }
	# shellcheck disable=SC2086  # one file for each source
	/usr/lib/apt/apt-helper cat-file $files >"$directory/$language"
	echo "$language: $(grep -c '^Package: ' "$directory/$language") descriptions"
done
rm -r "$directory/apt"
