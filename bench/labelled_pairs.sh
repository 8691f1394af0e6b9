#!/bin/sh
# Measures rules on labelled pairs of texts, from a folder of NAME.tsv.gz: id_a, id_b, text_a, text_b, label (1: the same thing), split (train, valid, test),
# as COPY writes them. A rule learns from the training part, or from some of its labels, chooses its cut-off there by five folds, and F1 is measured on the
# test part; without a training part by five folds. The weights of words are those of all texts of the set.
#     sh bench/labelled_pairs.sh FOLDER [OPTION…]
# DRAWS=10 LABELS='20 50 100 400'. Options are those of the program, such as --importance, --seen (the training part alone), --no-corpus.
# Needs g++, ICU and xxHash headers.
set -eu

folder=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."
. bench/common.sh
mkdir -p "$WORK/labelled"
# shellcheck disable=SC2016  # expanded by the inner shell
printf '%s\n' src/core/base/*.cpp src/core/text/*.cpp src/core/compare/*.cpp src/core/decide/*.cpp bench/labelled_pairs.cpp | CXX=$CXX CXXFLAGS=$CXXFLAGS xargs -P 2 -I '{}' \
	sh -c '$CXX $CXXFLAGS -Isrc -c "$1" -o "$2/$(echo "$1" | tr / -).o"' - '{}' "$WORK/labelled"
$CXX "$WORK"/labelled/*.o -licuuc -o "$WORK/labelled_pairs"
for file in "$folder"/*.tsv.gz; do
	case $file in *.detail.tsv.gz) continue ;; esac
	name=$WORK/labelled/$(basename "$file" .gz)
	gunzip -c "$file" >"$name"
	for labels in ${LABELS:-20 50 100 400}; do
		"$WORK/labelled_pairs" --draws "${DRAWS:-10}" --labels "$labels" "$@" "$name"
	done
done
