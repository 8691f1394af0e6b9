// Strata of planned removals: ranges of the score. They are the lowest tenth of the rows, the next 15 and 25 of a
// hundred, and the upper half. A sample takes as many of each, so that the doubtful ones are over-represented.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace txtfp::core {

constexpr int most_strata = 4;

struct ScoreStratum {
	double above; // scores greater than this, up to `to`; of the first one, also this
	double to;
	std::uint64_t rows;
	std::uint64_t wanted; // how many of them the sample takes
};

// The scores ascend. Strata without rows, because of equal scores, are left out. Returns their number.
int make_strata(std::span<const double> scores, std::uint64_t n, ScoreStratum *strata) noexcept;

// The stratum that a score belongs to.
int stratum_of(double score, const ScoreStratum *strata, int count) noexcept;

// The name of a stratum tells what an estimate needs: "2 of 4: 812 rows".
struct StratumName {
	int number, count; // from 1
	std::uint64_t rows;
};
constexpr std::size_t stratum_name_bytes = 64;
std::string_view format_stratum(const StratumName &name, char (&text)[stratum_name_bytes]) noexcept;
std::optional<StratumName> parse_stratum(std::string_view text) noexcept;

} // namespace txtfp::core
