#include "core/minhash_merge.hpp"

#include <algorithm>
#include <cmath>

namespace txtfp::core {

void unite(Slots into, ConstSlots other) noexcept
{
	for (std::size_t i = 0; i < into.size(); ++i)
		into[i] = std::min(into[i], other[i]);
}

double minhash_cardinality(ConstSlots slots) noexcept
{
	double sum = 0;
	for (const std::uint64_t slot : slots)
		sum -= std::log1p(-(static_cast<double>(slot >> 12) + 0.5) * 0x1p-52); // within 0 … 1, neither
	return static_cast<double>(slots.size() - 1) / sum;
}

double intersection_size(double jaccard, double size_a, double size_b) noexcept
{
	return std::min(jaccard / (1 + jaccard) * (size_a + size_b), std::min(size_a, size_b));
}

} // namespace txtfp::core
