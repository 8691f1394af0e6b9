// The sets of values of test/data/simhash_pairs.tsv.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/splitmix.hpp"

namespace txtfp::test {

inline std::vector<std::uint64_t> planted_values()
{
	core::SplitMix64 next(71);
	std::vector<std::uint64_t> values(2000);
	for (std::uint64_t &value : values)
		value = next();
	for (std::size_t i = 0; i < 150; ++i) {
		std::uint64_t value = values[i];
		for (std::uint64_t copies = 1 + next() % 4; copies > 0; --copies) {
			for (std::uint64_t flips = 1 + next() % 4; flips > 0; --flips)
				value ^= std::uint64_t{1} << next() % 64;
			values.push_back(value);
		}
	}
	return values;
}

// Distinct and ascending.
inline std::vector<std::uint64_t> simhash_set(const std::string &name)
{
	std::vector<std::uint64_t> values;
	if (name == "tiny")
		values = {1, 2, 3, 7, 8, 255, 254, ~0ull, ~0ull - 1, 0, 1ull << 63};
	else if (name == "chain")
		values = {0, 7, 63, 511, 4095, 32767};
	else if (name == "planted_2000")
		values = planted_values();
	else if (name == "lowbits_512")
		for (std::uint64_t i = 0; i < 512; ++i)
			values.push_back(i);
	std::sort(values.begin(), values.end());
	values.erase(std::unique(values.begin(), values.end()), values.end());
	return values;
}

} // namespace txtfp::test
