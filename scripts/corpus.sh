#!/bin/sh
# Writes the descriptions of all Debian packages that apt knows of, as text for COPY (package, body):
#
#     sh scripts/corpus.sh FILE [DIRECTORY]
#
# One line per package; the body is the synopsis and, below it, the long text. These are real texts; many are
# near-duplicates (variants, versions, language packs), and some are equal. Many Debian images lack the long
# descriptions ("Acquire::Languages none"); then apt downloads them (16 MB) into DIRECTORY.
set -eu
. "$(dirname "$0")/apt_lists.sh"

out=$1
dir=${2:-$1.apt}
enough=10000

# The files of long descriptions that apt has already, one stanza per package and text.
translations() { apt-get indextargets --format '$(FILENAME)' 'Created-By: Translations' 2>/dev/null | grep '_Translation-en' || true; }

# " ." is an empty line; each line of the long text begins with one blank.
to_copy='
function flush() { if (package != "" && text != "" && !(package in seen)) { seen[package] = 1; print package "\t" text } package = text = "" }
/^Package: /        { flush(); package = substr($0, 10); next }
/^Description-en: / { text = substr($0, 17); next }
/^ \.$/             { if (text != "") text = text "\\n"; next }
/^ /                { if (text != "") text = text "\\n" substr($0, 2); next }
END                 { flush() }
'

write_corpus()
{
	files=$(translations)
	[ -n "$files" ] || return 1
	/usr/lib/apt/apt-helper cat-file $files | LC_ALL=C sed 's/\\/\\\\/g; s/\t/\\t/g; s/\r/\\r/g' | LC_ALL=C awk "$to_copy" >"$out.new"
	rows=$(wc -l <"$out.new")
	[ "$rows" -ge "$enough" ]
}

if ! write_corpus; then
	mkdir -p "$dir"
	fetch_translations "$(cd "$dir" && pwd)" en
	if ! write_corpus; then
		rm -f "$out.new"
		echo "no package descriptions to be had from apt" >&2
		exit 1
	fi
fi
rm -rf "$dir"
mv "$out.new" "$out"
echo "$rows descriptions"
