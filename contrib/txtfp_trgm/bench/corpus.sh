#!/bin/sh
# Writes strings for strings.sh, one in each line, from what Debian's mirror has: FOLDER/titles has 84,000 short descriptions of packages of 28 to 200
# characters, FOLDER/strings has 3,000,000 file names, paths, descriptions and their translations of 8 to 120 characters. The order is random, and the same
# in each run.
#     sh bench/corpus.sh FOLDER [RELEASE]       downloads 35 MB; needs apt, curl and 1 GB
set -eu

folder=$(mkdir -p "${1:?which folder}" && cd "$1" && pwd)
release=${2:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
. "$(dirname "$0")/../../../scripts/apt_lists.sh"
cd "$folder"
shuffle() { LC_ALL=C sort -u | LC_ALL=C shuf --random-source="$folder/contents.gz"; }
of_length() { iconv -f utf-8 -t utf-8 -c | LC_ALL=C.UTF-8 awk -v least="$1" -v most="$2" 'length($0) >= least && length($0) <= most'; }

curl -fsS -o contents.gz "http://deb.debian.org/debian/dists/$release/main/Contents-amd64.gz"
fetch_translations "$folder/apt" en de fr es >apt.log 2>&1
read_lists() { /usr/lib/apt/apt-helper cat-file apt/lists/*Translation-"$1"*; }
for language in en de fr es; do
	read_lists $language | LC_ALL=C sed -n 's/^Description-[^:]*: //p' >"descriptions.$language"
	read_lists $language | LC_ALL=C sed -n 's/^ \([^.]\)/\1/p' >"lines.$language"
done
gzip -dc contents.gz | LC_ALL=C sed 's/[ \t][ \t]*[^ \t]*$//' >paths
sed 's,.*/,,' paths >names
cat descriptions.en descriptions.fr descriptions.de | of_length 28 200 | shuffle | head -n 84000 >titles
cat paths names lines.* descriptions.* | of_length 8 120 | shuffle | head -n 3000000 >strings
rm -rf apt apt.log paths names lines.* descriptions.*
wc -l titles strings
