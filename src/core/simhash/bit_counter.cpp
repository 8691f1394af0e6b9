#include "core/simhash/bit_counter.hpp"

#include <algorithm>
#include <bit>

namespace txtfp::core {

namespace {

// Full adder on 64 lanes: a becomes the sum, the carry is returned.
constexpr std::uint64_t carry_save(std::uint64_t &a, std::uint64_t b, std::uint64_t c) noexcept
{
	const std::uint64_t half = a ^ b;
	const std::uint64_t carry = (a & b) | (half & c);
	a = half ^ c;
	return carry;
}

} // namespace

void BitCounter::add(std::span<const std::uint64_t> words) noexcept
{
	for (; !words.empty() && pending_ > 0; words = words.subspan(1))
		add(words[0]);
	for (; words.size() >= block_size; words = words.subspan(block_size))
		add_block(words.data());
	for (const std::uint64_t word : words)
		add(word);
}

void BitCounter::add_block(const std::uint64_t *w) noexcept
{
	std::uint64_t twos[8], fours[4], eights[2];
#pragma GCC unroll 8
	for (int i = 0; i < 8; ++i)
		twos[i] = carry_save(planes_[0], w[2 * i], w[2 * i + 1]);
#pragma GCC unroll 4
	for (int i = 0; i < 4; ++i)
		fours[i] = carry_save(planes_[1], twos[2 * i], twos[2 * i + 1]);
#pragma GCC unroll 2
	for (int i = 0; i < 2; ++i)
		eights[i] = carry_save(planes_[2], fours[2 * i], fours[2 * i + 1]);
	std::uint64_t carry = carry_save(planes_[3], eights[0], eights[1]);
	for (unsigned plane = 4; carry != 0; ++plane) {
		const std::uint64_t both = planes_[plane] & carry;
		planes_[plane] ^= carry;
		carry = both;
	}
	total_ += block_size;
}

void BitCounter::flush() noexcept
{
	std::fill(block_ + pending_, block_ + block_size, 0); // which counts nothing
	add_block(block_);
	total_ -= block_size - pending_;
	pending_ = 0;
}

void BitCounter::merge(BitCounter other) noexcept
{
	flush();
	other.flush();
	std::uint64_t carry = 0;
	for (unsigned plane = 0; plane < plane_count; ++plane)
		carry = carry_save(planes_[plane], other.planes_[plane], carry);
	total_ += other.total_;
}

std::uint64_t BitCounter::majority() noexcept
{
	flush();
	// True where the count is greater than total / 2. Compares all 64 counts at once, from the highest bit on.
	std::uint64_t greater = 0, equal = ~std::uint64_t{0};
	for (unsigned plane = static_cast<unsigned>(std::bit_width(total_)); plane-- > 0;) {
		const std::uint64_t half = (total_ / 2 >> plane & 1) != 0 ? ~std::uint64_t{0} : 0;
		greater |= equal & planes_[plane] & ~half;
		equal &= ~(planes_[plane] ^ half);
	}
	return greater;
}

} // namespace txtfp::core
