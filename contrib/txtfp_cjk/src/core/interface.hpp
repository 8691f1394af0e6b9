// The segmenters behind the C interface, and the dictionaries of the process.
#pragma once

#include <string_view>

#include "core/dictionary.hpp"
#include "core/text/cjk_interface.h"

namespace txtfp::cjk {

// A dictionary; its file has the same name.
struct DictionaryName {
	std::string_view name;    // of the file, without .dict
	std::string_view edition; // the source it was compiled from
	std::string_view licence;
	DictionaryKind kind;
	core::Hash128 checksum; // never changes: see frozen.hpp
};

constexpr int dictionaries = 3;
const DictionaryName &dictionary_name(int dictionary) noexcept;

constexpr int dictionary_of(int tokenizer) noexcept { return tokenizer <= TXTFP_CJK_JIEBA_HMM ? 0 : tokenizer - 1; }
constexpr bool is_tokenizer(int tokenizer) noexcept { return tokenizer >= 0 && tokenizer < TXTFP_CJK_TOKENIZERS; }

// Opens a dictionary for the process; does nothing if it is open. If not frozen, accepts any intact file of its kind.
OpenError open_dictionary(int dictionary, const char *path, bool frozen = true) noexcept;
const Dictionary &dictionary(int dictionary) noexcept;

// Implement TxtfpCjkInterface::create, destroy and next.
extern "C" {
TxtfpCjkSegmenter *txtfp_cjk_create(int tokenizer) noexcept;
void txtfp_cjk_destroy(TxtfpCjkSegmenter *segmenter) noexcept;
int txtfp_cjk_next(TxtfpCjkSegmenter *segmenter, const char *text, size_t size, size_t from, bool last,
	TxtfpCjkRange *ranges, size_t capacity, bool (*stop)(void), TxtfpCjkBatch *batch) noexcept;
}

} // namespace txtfp::cjk
