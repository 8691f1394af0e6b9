#include "core/minhash/minhash_merge.hpp"

#include <algorithm>
#include <cmath>

namespace txtfp::core {

void unite(Slots into, ConstSlots other) noexcept
{
	for (std::size_t i = 0; i < into.size(); ++i)
		into[i] = std::min(into[i], other[i]);
}

// Multiplies eight factors before it takes a logarithm; their product stays above 2^(−8 · 53).
double minhash_cardinality(ConstSlots slots) noexcept
{
	double sum = 0, product = 1;
	for (std::size_t i = 0; i < slots.size(); ++i) {
		product *= 1 - (static_cast<double>(slots[i] >> 12) + 0.5) * 0x1p-52; // strictly between 0 and 1
		if (i % 8 == 7) {
			sum -= std::log(product);
			product = 1;
		}
	}
	return static_cast<double>(slots.size() - 1) / (sum - std::log(product));
}

double intersection_size(double jaccard, double size_a, double size_b) noexcept
{
	return std::min(jaccard / (1 + jaccard) * (size_a + size_b), std::min(size_a, size_b));
}

} // namespace txtfp::core
