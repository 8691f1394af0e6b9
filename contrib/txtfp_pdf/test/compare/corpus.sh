#!/bin/sh
# Gets real PDF files from Debian packages with documentation: sh corpus.sh DIRECTORY [FILES-OF-EACH-PACKAGE]
#
# Downloads the packages (about 770 MB), unpacks them (2 GB) and writes the paths of at most 28 files per package, none above
# 8 MB, to DIRECTORY/list: TeX, DocBook, Sphinx, LilyPond, R, Octave and others, in about twenty languages. Nothing of it belongs
# into the repository: each file is under the licence of its package.
set -eu
directory=${1:?directory} each=${2:-28}
packages="ada-reference-manual-2012 asymptote-doc axiom-doc debian-faq debian-faq-ja debian-faq-zh-cn debian-handbook debian-policy
debian-reference-it developers-reference developers-reference-ja erlang-doc fltk1.3-doc gnuplot-doc graphviz-doc gri-pdf-doc
installation-guide-amd64 latex2rtf-doc lilypond-doc-pdf maxima-doc nauty-doc ngspice-doc octave-doc pari-doc pstoedit
r-bioc-limma r-cran-lme4 r-cran-matrix r-cran-mvtnorm r-cran-sp r-cran-zoo r-doc-pdf texlive-humanities-doc
texlive-lang-chinese texlive-lang-cyrillic texlive-lang-japanese texlive-lang-korean texlive-latex-base-doc
texlive-latex-recommended-doc texlive-science-doc valgrind xfig-doc"

mkdir -p "$directory/deb" "$directory/x"
cd "$directory/deb"
for package in $packages; do
	[ -n "$(find . -name "${package}_*.deb")" ] || apt-get download -q "$package"
	[ -d "../x/$package" ] || dpkg-deb -x "$package"_*.deb "../x/$package"
done
cd ..
find x -name '*.pdf.gz' -exec gunzip -kf {} +
for package in $packages; do
	find "$PWD/x/$package" -type f -name '*.pdf' -size -8M | LC_ALL=C sort | shuf -n "$each" --random-source=/dev/zero
done >list
wc -l list
