// The grams of a text with their positions, and the parts of a text that consist of given grams.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/compare/mapped_text.hpp"
#include "core/passages/winnow.hpp"

namespace txtfp::core {

struct Grams {
	std::vector<WordRange> words;      // in the canonical text
	std::vector<std::uint64_t> hashes; // hashes of the grams; gram i begins at word i
	std::size_t size = 0;              // words per gram

	std::size_t begin(std::size_t gram) const noexcept { return words[gram].start; }
	std::size_t end(std::size_t gram) const noexcept { return words[gram + size - 1].end; }
};
Grams grams_of(std::string_view canonical, const WinnowOptions &options, StopToken stop = {});

// The parts of the text whose grams have a hash among `fingerprints`. Parts ascend; those that touch or
// overlap are joined. `fingerprints` ascend.
std::vector<SourceRange> parts_among(std::string_view utf8, std::span<const std::uint64_t> fingerprints,
	const WinnowOptions &options, StopToken stop = {});

} // namespace txtfp::core
