#!/usr/bin/env python3
"""Writes program/tokenizer/unicode_tables.cpp: which characters the package `tokenizers` (PyPI) takes for what.

    python3 tools/unicode_tables.py >program/tokenizer/unicode_tables.cpp

The package mixes several versions of Unicode, so the classes are asked of it, one code point after the other.
"""
import sys

import tokenizers
from tokenizers import normalizers, pre_tokenizers

CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def split_by(pre_tokenizer, pieces, code_points=CODE_POINTS):
    return [c for c in code_points if len(pre_tokenizer.pre_tokenize_str("a" + chr(c) + "a")) == pieces]


def removed_by(normalizer):
    return [c for c in CODE_POINTS if normalizer.normalize_str(chr(c)) == ""]


def bert(**on):
    off = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    return normalizers.BertNormalizer(**{**off, **on})


def ranges(code_points):
    result = []
    for c in sorted(code_points):
        if result and result[-1][1] == c - 1:
            result[-1][1] = c
        else:
            result.append([c, c])
    return result


def print_ranges(name, comment, code_points):
    found = ranges(code_points)
    print(f"// {comment}\nconst CodePointRange {name}[] = {{")
    line = "\t"
    for first, last in found:
        item = f"{{0x{first:X}, 0x{last:X}}}, "
        if len(line) + len(item) > 118:
            print(line.rstrip())
            line = "\t"
        line += item
    print(line.rstrip())
    print(f"}};\nconst std::size_t {name}_size = {len(found)};\n")


def print_lower_case():
    lower = normalizers.Lowercase()
    mappings = []
    for c in CODE_POINTS:
        mapped = lower.normalize_str(chr(c))
        if mapped != chr(c) and len(mapped) == 1:
            mappings.append((c, ord(mapped) - c))
        elif len(mapped) != 1:
            assert (c, mapped) == (0x130, "i\u0307"), hex(c)  # to_lower() knows this one
    runs = []  # first, last, stride, delta
    for c, delta in mappings:
        if runs and runs[-1][3] == delta:
            run = runs[-1]
            if run[0] == run[1] and c - run[1] in (1, 2):
                run[1], run[2] = c, c - run[0]
                continue
            if run[0] != run[1] and c - run[1] == run[2]:
                run[1] = c
                continue
        runs.append([c, c, 1, delta])
    print("// Every stride-th code point of first … last becomes itself + delta.\nconst LowerCaseRun lower_case_runs[] = {")
    line = "\t"
    for first, last, stride, delta in runs:
        item = f"{{0x{first:X}, 0x{last:X}, {stride}, {delta}}}, "
        if len(line) + len(item) > 118:
            print(line.rstrip())
            line = "\t"
        line += item
    print(line.rstrip())
    print(f"}};\nconst std::size_t lower_case_runs_size = {len(runs)};\n")


def main():
    white_space = split_by(pre_tokenizers.WhitespaceSplit(), 2)
    others = [c for c in CODE_POINTS if c not in set(white_space)]
    print(f"// Written by tools/unicode_tables.py from the answers of tokenizers {tokenizers.__version__}. Do not edit.")
    print('// clang-format off\n#include "program/tokenizer/unicode.hpp"\n\nnamespace txtfp::embed::unicode {\n')
    print_ranges("white_space", "White_Space", white_space)
    print_ranges("bert_removed", "Characters that BertNormalizer removes", removed_by(bert(clean_text=True)))
    print_ranges("bert_white_space", "Characters that BertNormalizer replaces by a blank",
                 [c for c in CODE_POINTS if c != 32 and bert(clean_text=True).normalize_str(chr(c)) == " "])
    print_ranges("bert_accents", "Nonspacing marks that BertNormalizer strips", removed_by(bert(strip_accents=True)))
    print_ranges("combining_marks", "Characters that StripAccents removes", removed_by(normalizers.StripAccents()))
    print_ranges("punctuation", "Characters that BertPreTokenizer and Punctuation isolate", split_by(pre_tokenizers.BertPreTokenizer(), 3, others))
    print_ranges("numeric", "Characters that Digits isolates", split_by(pre_tokenizers.Digits(individual_digits=True), 3))
    print_ranges("word_characters", "\\w of Whitespace and of added tokens", split_by(pre_tokenizers.Whitespace(), 1))
    print_lower_case()
    print("} // namespace txtfp::embed::unicode")


if __name__ == "__main__":
    sys.exit(main())
