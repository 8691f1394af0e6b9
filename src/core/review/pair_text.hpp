// Two texts as one sequence of equal runs and differences, in JSON for the page. Each equal run is written once.
//
//   "text"                            an equal run
//   ["begin", characters, "end"]      a long one: its ends, and how many characters are left out between them
//   [kind, a, b]                      a difference; a and b are as above
//   [-1, differences]                 as many differences, and what is equal between them, are left out here
//
// What is equal is cut at the budget, differences at another one; so a pair takes some 20 kB at most, whatever its
// size.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/compare/text_difference.hpp"
#include "core/review/page_json.hpp"

namespace txtfp::core {

constexpr std::size_t equal_budget = 6000, difference_budget = 6000; // bytes of a pair
constexpr std::size_t shown_differences = 200;

struct PairText {
	std::string json;
	std::array<std::uint32_t, difference_kinds> kinds{}; // how many differences of each kind
};

PairText pair_text(std::string_view a, std::string_view b, Characters characters, StopToken stop = {});

} // namespace txtfp::core
