#!/bin/sh
# Downloads the sources of the two parsers and extracts the parts that are built: sh parsers.sh DIRECTORY
#
#   lexbor 3.1.0 (HTML)      Apache License 2.0   from the source package selectolax 1.0.2
#   MD4C 0.5.3 (Markdown)    MIT License          from the source package marktip 0.7.3
#
# md4c.changes, beside this script, is applied to MD4C; its head says what it changes.
# Both are packages of the Python index; pip compares their SHA-256 with the values below. The code of the packages themselves
# is not used, but pip runs their build scripts to learn their names. Without network, put the two archives into a folder and
# name it in TXTFP_PARSERS.
set -eu

directory=$1
here=$(cd "$(dirname "$0")" && pwd)
lexbor_archive=selectolax-1.0.2.tar.gz
lexbor_sha256=f0508ad927aa426425d4aa7a2bb2f8b21c01412534465bd227e241d4d0a6a418
md4c_archive=marktip-0.7.3.tar.gz
md4c_sha256=130041291e8e25bd7d695e5bf7ee0b19e5c179ab00781f394cbdc314839997e2

fail()
{
	printf 'error: %s\n' "$1" >&2
	printf '       %s\n' "$2" >&2
	exit 1
}

rm -rf "$directory"
mkdir -p "$directory/archives"
if [ -n "${TXTFP_PARSERS-}" ]; then
	cp "$TXTFP_PARSERS/$lexbor_archive" "$TXTFP_PARSERS/$md4c_archive" "$directory/archives/" ||
		fail "TXTFP_PARSERS lacks an archive" "It must hold $lexbor_archive and $md4c_archive."
else
	printf '%s\n' "selectolax==1.0.2 --hash=sha256:$lexbor_sha256" >"$directory/selectolax.txt"
	printf '%s\n' "marktip==0.7.3 --hash=sha256:$md4c_sha256" >"$directory/marktip.txt"
	for package in selectolax marktip; do
		echo "fetching the source package $package (a minute)"
		"${PYTHON:-/usr/bin/python3}" -m pip download -q --disable-pip-version-check --no-deps --no-binary "$package" \
			--require-hashes -d "$directory/archives" -r "$directory/$package.txt" ||
			fail "pip cannot fetch the source package $package" \
				"Fetch $lexbor_archive and $md4c_archive elsewhere, and name their folder in TXTFP_PARSERS."
	done
fi
(cd "$directory/archives" && printf '%s  %s\n' "$lexbor_sha256" $lexbor_archive "$md4c_sha256" $md4c_archive | sha256sum -c --quiet) ||
	fail "an archive is not the one that is known" "Compare the version and the SHA-256 in parsers.sh."

tar -xzf "$directory/archives/$lexbor_archive" -C "$directory" --strip-components=2 selectolax-1.0.2/lexbor
tar -xzf "$directory/archives/$md4c_archive" -C "$directory" --strip-components=3 marktip-0.7.3/third_party/md4c/src \
	marktip-0.7.3/third_party/md4c/LICENSE.md
rm -rf "$directory/archives"
for file in md4c.c md4c.h; do
	awk -v name=$file -f "$here/changes.awk" "$here/md4c.changes" "$directory/src/$file" >"$directory/changed"
	mv "$directory/changed" "$directory/src/$file"
done
touch "$directory/complete"
