#include "core/lavinhash/lavinhash_lsh.hpp"

#include <algorithm>

#include "core/base/splitmix.hpp"

namespace txtfp::core {

namespace {

// The orders are arithmetic progressions. They are random enough, because the bits of the filter are hashes of
// features.
std::uint64_t first_bit(const std::uint8_t *filter, std::size_t slot) noexcept
{
	const std::uint64_t random = SplitMix64::at(slot);
	const auto step = static_cast<std::uint32_t>(random) | 1;
	auto bit = static_cast<std::uint32_t>(random >> 32);
	do {
		bit = (bit + step) % lavinhash_filter_bits;
	} while ((filter[bit / 8] >> bit % 8 & 1) == 0);
	return bit;
}

} // namespace

void lavinhash_slots(LavinhashBytes form, Slots slots) noexcept
{
	const std::uint8_t *filter = form.data() + lavinhash_filter_offset;
	if (std::all_of(filter, filter + lavinhash_filter_size, [](std::uint8_t byte) { return byte == 0; })) {
		std::fill(slots.begin(), slots.end(), lavinhash_filter_bits);
		return;
	}
	for (std::size_t slot = 0; slot < slots.size(); ++slot)
		slots[slot] = first_bit(filter, slot);
}

// Scores are rounded down, and each step is in single precision; the small margin keeps the bound on the safe side.
double lavinhash_least_content(int min_score) noexcept
{
	constexpr double alpha = lavinhash_default_alpha;
	return (min_score / 100.0 - alpha) / (1 - alpha) - 1e-6;
}

} // namespace txtfp::core
