// The sets of values of test/data/simhash_pairs.tsv.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace txtfp::test {

inline std::vector<std::uint64_t> planted_values()
{
	std::uint64_t state = 71;
	const auto next = [&] { // SplitMix64
		std::uint64_t z = state += 0x9E3779B97F4A7C15;
		z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
		z = (z ^ z >> 27) * 0x94D049BB133111EB;
		return z ^ z >> 31;
	};
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
