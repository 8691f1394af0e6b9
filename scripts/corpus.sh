#!/bin/sh
# Writes the descriptions of all Debian packages that apt knows of, as text for COPY (package, body):
#
#     sh scripts/corpus.sh FILE [DIRECTORY]
#
# One line per package; the body is the synopsis and, below it, the long text. These are real texts; many are
# near-duplicates (variants, versions, language packs), and some are equal. Many Debian images lack the long
# descriptions ("Acquire::Languages none"); then apt downloads them (16 MB) into DIRECTORY, with a configuration of
# its own. The system's apt configuration is not changed, and root is not needed.
set -eu

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

fetch_translations()
{
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	apt-config dump | grep -Ev '^(Acquire::(Languages|IndexTargets::.*(DEP-11|CNF))|APT::Update::|DPkg::|Dir::(Cache|State::lists|Log))' \
		>"$dir/apt.conf" || true
	cat >>"$dir/apt.conf" <<-END
		Acquire::Languages "en";
		Acquire::IndexTargets::deb-src::Sources::DefaultEnabled "false";
		Dir::State::lists "$dir/lists";
		Dir::Cache "$dir/cache";
		Dir::Etc::main "/dev/null";
		Dir::Etc::parts "/dev/null";
	END
	export APT_CONFIG="$dir/apt.conf"
	apt-get -q update || true # sources that do not answer are ignored; the number of rows is checked below
}

if ! write_corpus; then
	fetch_translations
	if ! write_corpus; then
		rm -f "$out.new"
		echo "no package descriptions to be had from apt" >&2
		exit 1
	fi
fi
rm -rf "$dir"
mv "$out.new" "$out"
echo "$rows descriptions"
