// What two sequences of symbols have in common, in order: runs that ascend in both.
//
// The alignment is minimal (the fewest symbols outside the runs) if the parts between the common beginning and the
// common end have at most `minimal_product` pairs of symbols: for example 8,192 against 8,192. Beyond that, time and
// memory are linear but for a logarithm: the sequences are cut at runs that are unique in both, and between these the
// alignment is minimal where it needs at most `most_edits` edits; otherwise the part counts as replaced.
// Sources: E. Myers, "An O(ND) difference algorithm and its variations", 1986; unique anchors as in B. Cohen's patience
// diff.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/error.hpp"

namespace txtfp::core {

struct MatchedRun {
	std::uint32_t a, b, length;
	bool operator==(const MatchedRun &) const = default;
};

constexpr std::uint64_t minimal_product = std::uint64_t{1} << 26;
constexpr std::uint32_t most_edits = 512;

// Both sequences have fewer than 2^31 symbols. `product`: for tests.
std::vector<MatchedRun> align(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, StopToken stop = {},
	std::uint64_t product = minimal_product);

} // namespace txtfp::core
