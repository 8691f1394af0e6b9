// Tells which keys a set may have. A key that was added is always found; of others few are: one in two hundred with 16
// bits for each key, one in seven with 4. So rows of a large query that have no key in common with rows of a small one
// are left out before they are stored and sorted.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/join/host.hpp"

namespace txtfp::core {

class KeyFilter {
public:
	// For this many keys, which must be hashes. Stays closed, and is of no use, if less than four bits for each fit into
	// `memory` bytes.
	void open(JoinHost &host, std::uint64_t keys, std::size_t memory)
	{
		close(host);
		const std::uint64_t most = std::bit_floor(memory / sizeof(std::uint64_t));
		const std::uint64_t wanted = std::bit_ceil(std::max<std::uint64_t>(2, keys / keys_of_word));
		if (std::min(most, wanted) * least_bits_divisor < keys || most < 2)
			return;
		const std::uint64_t words = std::min(most, wanted);
		words_ = host.array<std::uint64_t>(words);
		std::memset(words_, 0, words * sizeof *words_);
		shift_ = 64 - std::countr_zero(words);
	}
	void close(JoinHost &host)
	{
		if (words_ != nullptr)
			host.free(words_);
		words_ = nullptr;
	}
	bool is_open() const { return words_ != nullptr; }

	void add(std::uint64_t key) { words_[key >> shift_] |= bits_of(key); }
	bool may_have(std::uint64_t key) const { return (words_[key >> shift_] & bits_of(key)) == bits_of(key); }

private:
	static constexpr std::uint64_t keys_of_word = 4, least_bits_divisor = 16; // 64 bits

	// Three bits of a word, which the upper bits of the key choose.
	static std::uint64_t bits_of(std::uint64_t key)
	{
		return std::uint64_t{1} << (key & 63) | std::uint64_t{1} << (key >> 6 & 63) |
			std::uint64_t{1} << (key >> 12 & 63);
	}

	std::uint64_t *words_ = nullptr;
	int shift_ = 0;
};

} // namespace txtfp::core
