// Character properties for tokenizers. The classes are those of the package `tokenizers`, independent of ICU; only
// normalization forms come from the core, restricted to the Unicode version that the package normalizes with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace txtfp::embed::unicode {

struct CodePointRange {
	char32_t first, last;
};
struct LowerCaseRun {
	char32_t first, last;
	int stride, delta;
};

// unicode_tables.cpp, written by tools/unicode_tables.py; sorted
extern const CodePointRange white_space[], bert_removed[], bert_white_space[], bert_accents[], combining_marks[],
	punctuation[], numeric[], word_characters[];
extern const std::size_t white_space_size, bert_removed_size, bert_white_space_size, bert_accents_size,
	combining_marks_size, punctuation_size, numeric_size, word_characters_size;
extern const LowerCaseRun lower_case_runs[];
extern const std::size_t lower_case_runs_size;

bool is_white_space(char32_t c) noexcept;
bool is_bert_removed(char32_t c) noexcept;
bool is_bert_white_space(char32_t c) noexcept; // including the blank
bool is_bert_accent(char32_t c) noexcept;
bool is_combining_mark(char32_t c) noexcept;
bool is_punctuation(char32_t c) noexcept;
bool is_numeric(char32_t c) noexcept;
bool is_word_character(char32_t c) noexcept;
bool is_cjk_ideograph(char32_t c) noexcept; // the ideographs that BertNormalizer separates

void append_lower(std::string &out, char32_t c); // without context: a final sigma is a plain sigma

enum class Form { nfc, nfd, nfkc, nfkd };
// Code points newer than Unicode 9.0 stay unchanged and separate their neighbours.
std::string normalized(std::string_view utf8, Form form);

} // namespace txtfp::embed::unicode
