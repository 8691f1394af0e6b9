#include "core/minhash/minhash_join.hpp"

#include <cmath>

#include "core/base/splitmix.hpp"

namespace txtfp::core {

namespace {

constexpr double cut_recall = 0.999;

// The probability that `rows` different slots, drawn at random from `slots`, are all among the `matches` equal ones.
double together_probability(unsigned matches, std::size_t slots, int rows) noexcept
{
	double p = 1;
	for (int i = 0; i < rows; ++i)
		p *= std::max(0.0, static_cast<double>(matches) - i) / (static_cast<double>(slots) - i);
	return p;
}

int cuts_needed(double p) noexcept
{
	if (p >= 1)
		return 1;
	return p <= 0 ? Cuts::max_cuts + 1
				  : static_cast<int>(std::min(std::ceil(std::log1p(-cut_recall) / std::log1p(-p)), 1e6));
}

} // namespace

unsigned least_matches(double threshold, std::size_t slots) noexcept
{
	return least_matches_of<std::uint64_t>(threshold, slots);
}

Cuts::Cuts(unsigned matches, std::size_t slots) noexcept : rows_(1)
{
	while (rows_ < max_rows && cuts_needed(together_probability(matches, slots, rows_ + 1)) <= max_cuts)
		++rows_;
	count_ = std::min(cuts_needed(together_probability(matches, slots, rows_)), max_cuts);
	draw_slots(slots);
}

void Cuts::draw_slots(std::size_t slots) noexcept
{
	SplitMix64 random;
	std::uint8_t deck[minhash_max_slots];
	for (std::size_t i = 0; i < slots; ++i)
		deck[i] = static_cast<std::uint8_t>(i);
	for (int cut = 0; cut < count_; ++cut)
		for (int i = 0; i < rows_; ++i) {
			const auto at = static_cast<std::size_t>(i);
			std::swap(deck[at], deck[at + random.below(slots - at)]);
			slot_[cut][i] = deck[at];
		}
}

namespace {

template <class Slot> std::uint64_t drawn_key(const Slot *sketch, const std::uint8_t *slot, int rows, int cut) noexcept
{
	Slot drawn[Cuts::max_rows];
	for (int i = 0; i < rows; ++i)
		drawn[i] = sketch[slot[i]];
	return xxh3_64(drawn, sizeof *drawn * static_cast<std::size_t>(rows), static_cast<std::uint64_t>(cut));
}

} // namespace

std::uint64_t Cuts::key(const std::uint64_t *sketch, int cut) const noexcept
{
	return drawn_key(sketch, slot_[cut], rows_, cut);
}

std::uint64_t Cuts::key(const std::uint8_t *sketch, int cut) const noexcept
{
	return drawn_key(sketch, slot_[cut], rows_, cut);
}

} // namespace txtfp::core
