// Sums over the bits of many words: in how many words a bit is set, or the sum of the words' weights.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

namespace txtfp::core {

// Counts, for each of the 64 bit positions, in how many words the bit is set. Positional population count by carry-save
// adders (R. Harley's tree, as in W. Muła, N. Kurz, D. Lemire, 2018): plane i holds bit i of all 64 counters, and 16
// words at a time go through the lowest four.
class BitCounter {
public:
	void add(std::uint64_t word) noexcept
	{
		block_[pending_] = word;
		if (++pending_ == block_size) {
			add_block(block_);
			pending_ = 0;
		}
	}
	void add(std::span<const std::uint64_t> words) noexcept;
	void merge(BitCounter other) noexcept; // as if its words had been added here
	std::uint64_t majority() noexcept;     // the bits that are set in more than half of the words

private:
	static constexpr unsigned block_size = 16, plane_count = 48; // more words than 2^48 no machine will see
	void add_block(const std::uint64_t *words) noexcept;
	void flush() noexcept;

	std::uint64_t block_[block_size] = {};
	unsigned pending_ = 0;
	std::uint64_t total_ = 0; // of words in planes_
	std::uint64_t planes_[plane_count] = {};
};

// The weighted sums: integers saturate at the limits of 64 bits, as the crate's do.
template <class Number> class WeightedSums {
public:
	void add(std::uint64_t word, Number weight) noexcept
	{
		for (unsigned bit = 0; bit < 64; ++bit)
			sums_[bit] = sum(sums_[bit], (word >> bit & 1) != 0 ? weight : -weight);
	}
	std::uint64_t bits() const noexcept
	{
		std::uint64_t bits = 0;
		for (unsigned bit = 0; bit < 64; ++bit)
			bits |= std::uint64_t{sums_[bit] > 0} << bit;
		return bits;
	}

private:
	static Number sum(Number a, Number b) noexcept
	{
		if constexpr (std::is_integral_v<Number>) {
			Number sum;
			if (__builtin_add_overflow(a, b, &sum))
				return b > 0 ? std::numeric_limits<Number>::max() : std::numeric_limits<Number>::min();
			return sum;
		} else {
			return a + b;
		}
	}

	Number sums_[64] = {};
};
using BitAccumulator = WeightedSums<std::int64_t>;
using WeightedBits = WeightedSums<double>;

} // namespace txtfp::core
