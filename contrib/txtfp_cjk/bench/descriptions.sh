#!/bin/sh
# Gets the translated package descriptions of Debian: sh descriptions.sh DIRECTORY [LANGUAGE…]
#
# Writes DIRECTORY/LANGUAGE for en, ja, ko, zh_CN and zh_TW (or those named), as apt has them: stanzas with Package, Description-md5 and
# Description-LANGUAGE. apt downloads 25 MB into DIRECTORY.
# The texts are under the free terms of their packages and do not belong into the repository.
set -eu
. "$(dirname "$0")/../../../scripts/apt_lists.sh"
directory=${1:?directory}
shift
[ $# -gt 0 ] || set -- en ja ko zh_CN zh_TW
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
fetch_translations "$directory/apt" "$@"
for language; do
	files=$(apt-get indextargets --format '$(FILENAME)' 'Created-By: Translations' "Language: $language" || true)
	[ -n "$files" ] || { echo "no descriptions in $language to be had from apt" >&2 && exit 1; }
	# shellcheck disable=SC2086  # one file for each source
	/usr/lib/apt/apt-helper cat-file $files >"$directory/$language"
	echo "$language: $(grep -c '^Package: ' "$directory/$language") descriptions"
done
rm -r "$directory/apt"
