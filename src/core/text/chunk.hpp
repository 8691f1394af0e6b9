// Cuts a text into chunks for an embedding model, byte-compatible with the crate txtfp 0.2.2 (chunk_for_model). Tokens
// of a model are estimated: 1.3 per word of the tokenizer word-uax29. The text is not canonicalized.
//   fixed      windows of as many words as max_tokens allows, joined by blanks; each begins with the last `overlap`
//              tokens of the one before; text between words is lost
//   sentence   sentences with a word in them, packed as long as they fit; the last words of a chunk are repeated at the
//              beginning of the next one; a sentence that is too long is cut as in `fixed`
//   recursive  paragraphs (between two line feeds), packed in the same way but without overlap; a paragraph that is too long
//              is cut as in `sentence`
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "core/base/error.hpp"

namespace txtfp::core {

enum class ChunkMode : std::uint8_t { fixed, sentence, recursive };
bool parse_chunk_mode(std::string_view text, ChunkMode &mode) noexcept;

struct ChunkOptions {
	std::uint32_t max_tokens = 256; // 0: no chunks
	std::uint32_t overlap = 32;     // in tokens
	ChunkMode mode = ChunkMode::sentence;
};

// The estimated tokens of a number of words, and the most words for a number of tokens; both in single precision, as in
// the crate.
std::uint64_t tokens_of_words(std::uint64_t words) noexcept;
std::uint64_t words_of_tokens(std::uint64_t tokens) noexcept;

// Calls sink(chunk) for each chunk; the view is valid until the sink returns. Memory: a chunk, and the words of a
// window. `utf8` is valid UTF-8.
using ChunkSink = std::function<void(std::string_view chunk)>;
void for_each_chunk(std::string_view utf8, const ChunkOptions &options, const ChunkSink &sink, StopToken stop = {});

} // namespace txtfp::core
