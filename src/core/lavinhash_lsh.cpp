#include "core/lavinhash_lsh.hpp"

#include <algorithm>

namespace txtfp::core {

namespace {

// SplitMix64, the k-th number from seed 0.
constexpr std::uint64_t random_number(std::uint64_t k) noexcept
{
	std::uint64_t z = (k + 1) * 0x9E3779B97F4A7C15;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
	z = (z ^ z >> 27) * 0x94D049BB133111EB;
	return z ^ z >> 31;
}

// Features are hashed to bits, so that arithmetic progressions are random enough for orders.
std::uint64_t first_bit(const std::uint8_t *filter, std::size_t slot) noexcept
{
	const std::uint64_t random = random_number(slot);
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

// Scores are rounded down, each step in single precision: a hair less is on the safe side.
double lavinhash_least_content(int min_score) noexcept
{
	constexpr double alpha = lavinhash_default_alpha;
	return (min_score / 100.0 - alpha) / (1 - alpha) - 1e-6;
}

} // namespace txtfp::core
