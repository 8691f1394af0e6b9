// LavinHash, structure layer: entropies of blocks. The order of the single-precision operations and the C library's
// log2f are part of the format, and the project is compiled without contraction to fused operations.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/bytes.hpp"
#include "core/lavinhash/lavinhash.hpp"

namespace txtfp::core {

namespace {

constexpr std::uint64_t min_block = 64, target_blocks = 256;
constexpr float nibbles_per_bit = 1.875f;
constexpr float unknown_term = 1.0f;

float entropy_term(std::uint32_t count, std::uint64_t block) noexcept
{
	const float share = static_cast<float>(count) / static_cast<float>(block);
	return share * std::log2(share);
}

} // namespace

LavinhashStructure::LavinhashStructure(std::uint64_t total) noexcept
	: block_size_(std::max(min_block, total / target_blocks))
{
	std::fill(std::begin(terms_), std::end(terms_), unknown_term);
}

void LavinhashStructure::append(std::span<const std::uint8_t> piece) noexcept
{
	while (!piece.empty()) {
		const std::size_t size = std::min<std::uint64_t>(piece.size(), block_size_ - block_fill_);
		count(piece.first(size));
		piece = piece.subspan(size);
		block_fill_ += size;
		if (block_fill_ == block_size_)
			close_block();
	}
}

void LavinhashStructure::count(std::span<const std::uint8_t> bytes) noexcept
{
	if (is_small()) {
		for (const std::uint8_t byte : bytes)
			++small_counts_[byte];
		return;
	}
	std::size_t i = 0;
	for (; i + 8 <= bytes.size(); i += 8) {
		const std::uint64_t word = load_le64(bytes.data() + i);
#pragma GCC unroll 8
		for (int j = 0; j < 8; ++j)
			++counts_[j % 4][word >> (8 * j) & 0xFF];
	}
	for (; i < bytes.size(); ++i)
		++counts_[0][bytes[i]];
}

float LavinhashStructure::term(std::uint32_t count) noexcept
{
	if (block_fill_ != block_size_ || count >= kept_terms)
		return entropy_term(count, block_fill_);
	if (terms_[count] == unknown_term)
		terms_[count] = entropy_term(count, block_fill_);
	return terms_[count];
}

// Adds the terms in the order of the byte values.
float LavinhashStructure::entropy() noexcept
{
	float entropy = 0;
	if (is_small()) {
		for (std::size_t first = 0; first < 256; first += 8)
			for (std::uint64_t word = load_le64(small_counts_ + first); word != 0;) {
				const int shift = std::countr_zero(word) & ~7;
				const std::uint64_t count = word >> shift & 0xFF;
				entropy -= term(static_cast<std::uint32_t>(count));
				word ^= count << shift;
			}
		return entropy;
	}
	for (std::size_t value = 0; value < 256; ++value) {
		const std::uint32_t count = counts_[0][value] + counts_[1][value] + counts_[2][value] + counts_[3][value];
		if (count > 0)
			entropy -= term(count);
	}
	return entropy;
}

void LavinhashStructure::close_block() noexcept
{
	const unsigned nibble = static_cast<unsigned>(entropy() * nibbles_per_bit) & 15;
	nibbles_[blocks_ / 2] =
		static_cast<std::uint8_t>(nibbles_[blocks_ / 2] | (blocks_ % 2 == 0 ? nibble << 4 : nibble));
	++blocks_;
	block_fill_ = 0;
	if (is_small())
		std::memset(small_counts_, 0, sizeof small_counts_);
	else
		std::memset(counts_, 0, sizeof counts_);
}

std::size_t LavinhashStructure::finish(std::uint8_t *nibbles) noexcept
{
	if (block_fill_ > 0)
		close_block();
	const std::size_t size = (blocks_ + 1) / 2;
	std::memcpy(nibbles, nibbles_, size);
	return size;
}

} // namespace txtfp::core
