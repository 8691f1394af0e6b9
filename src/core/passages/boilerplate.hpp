// The grams of a text: their positions, the runs that many documents share, and the text without those.
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
	std::vector<std::uint32_t> chosen; // indexes of the grams that winnow() chooses, ascending

	std::size_t begin(std::size_t gram) const noexcept { return words[gram].start; }
	std::size_t end(std::size_t gram) const noexcept { return words[gram + size - 1].end; }
};
Grams grams_of(std::string_view canonical, const WinnowOptions &options, StopToken stop = {});

// A run of consecutive chosen grams whose hashes are among the given ones, from gram `first` to gram `last`.
struct GramRun {
	std::uint32_t first, last;
};
std::vector<GramRun> chosen_runs(const Grams &grams, std::span<const std::uint64_t> fingerprints);

// The parts of the text whose grams, chosen or not, have a hash among `fingerprints`. Parts ascend; those that touch or
// overlap are joined. `fingerprints` ascend.
std::vector<SourceRange> parts_among(std::string_view utf8, std::span<const std::uint64_t> fingerprints,
	const WinnowOptions &options, StopToken stop = {});

} // namespace txtfp::core
