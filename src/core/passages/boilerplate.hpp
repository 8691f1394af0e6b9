// What a text's grams say: where they stand, which runs of them many documents have, and the text without those.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/evidence/mapped_text.hpp"
#include "core/passages/winnow.hpp"

namespace txtfp::core {

struct Grams {
	std::vector<WordRange> words;      // in the canonical text
	std::vector<std::uint64_t> hashes; // of the grams; gram i begins at word i
	std::size_t size = 0;              // words of a gram
	std::vector<std::uint32_t> chosen; // those that winnow() chooses, by number, ascending

	std::size_t begin(std::size_t gram) const noexcept { return words[gram].start; }
	std::size_t end(std::size_t gram) const noexcept { return words[gram + size - 1].end; }
};
Grams grams_of(std::string_view canonical, const WinnowOptions &options, StopToken stop = {});

// Chosen grams, one after the other among the chosen ones, whose hashes are among the given ones, which ascend: from the
// gram `first` to the gram `last`, all between them included.
struct GramRun {
	std::uint32_t first, last;
};
std::vector<GramRun> chosen_runs(const Grams &grams, std::span<const std::uint64_t> fingerprints);

// The parts of the text that are grams, chosen or not, whose hashes are among the given ones: ascending, those that touch or
// overlap joined.
std::vector<SourceRange> parts_among(std::string_view utf8, std::span<const std::uint64_t> fingerprints,
	const WinnowOptions &options, StopToken stop = {});

} // namespace txtfp::core
