#!/bin/sh
# Writes a C++ header with the files of the review page as constants: sh tools/embed_page.sh src/core/review/page > HEADER
#
# The scripts are one, in the order of their names. Everything is ASCII, so that a database of any encoding can hold the page.
set -eu
cd "$1"
if LC_ALL=C grep -n '[^ -~]' page.html page.css ./*.js >&2; then
	echo "embed_page.sh: a file of the page is not ASCII" >&2
	exit 1
fi

# constant NAME FILE…
constant()
{
	printf 'constexpr char %s[] =\n' "$1"
	shift
	cat "$@" | sed 's/[\\"]/\\&/g; s/^/	"/; s/$/\\n"/'
	printf '\t;\n\n'
}

printf '// Made by tools/embed_page.sh from the files of src/core/review/page.\n#pragma once\n\nnamespace txtfp {\n\n'
constant review_html page.html
constant review_css page.css
constant review_js ./*.js
printf '} // namespace txtfp\n'
