// Where the chosen grams of a text stand, and the text without those that many documents have.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/evidence/mapped_text.hpp"
#include "core/passages/winnow.hpp"

namespace txtfp::core {

struct ChosenGram {
	std::uint64_t fingerprint;
	std::uint32_t word, words; // its first word by number, and how many it has
	std::size_t begin, end;    // bytes of the canonical text
};

// In the order of the text; their fingerprints are those of winnow().
std::vector<ChosenGram> chosen_grams(std::string_view canonical, const WinnowOptions &options, StopToken stop = {});

// Chosen grams, one after the other, whose fingerprints are among the given ones, which ascend: [first, last] by number.
struct GramRun {
	std::size_t first, last;
};
std::vector<GramRun> runs_among(std::span<const ChosenGram> grams, std::span<const std::uint64_t> fingerprints);

// The parts of the text from the first to the last word of each such run, ascending, without overlaps.
std::vector<SourceRange> parts_among(std::string_view utf8, std::span<const std::uint64_t> fingerprints,
	const WinnowOptions &options, StopToken stop = {});

} // namespace txtfp::core
