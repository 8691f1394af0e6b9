// The rows of the second part of a join, without the ones that cannot be similar to a row of the first: a row is kept
// if it has a key in common with one, as far as a filter tells. Nothing is stored of the others, so a small part that is
// joined with a large one writes little. What is kept follows the first part, in the order of arrival.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

#include "core/join/key_filter.hpp"

namespace txtfp::core {

class SecondPart {
public:
	// After the rows of the first part, which have this many keys. Otherwise, and if the filter would take more than `memory`
	// bytes, all rows are kept.
	void open(JoinHost &host, std::uint32_t first_row, std::uint64_t keys, std::size_t memory)
	{
		filter_.open(host, keys, memory);
		if (filter_.is_open())
			first_row_ = first_row;
	}
	// After the last row. Places can still be asked for.
	void close_filter(JoinHost &host) { filter_.close(host); }
	bool is_filtered() const { return filter_.is_open(); }
	void add_first(std::uint64_t key) { filter_.add(key); } // a key of the first part

	// All keys are looked up, so that they come from memory at once.
	bool may_meet(std::span<const std::uint64_t> keys) const
	{
		unsigned found = 0;
		for (const std::uint64_t key : keys)
			found |= filter_.may_have(key);
		return found != 0;
	}

	void add(JoinHost &host, bool is_kept) // the next row
	{
		if (rows_ == capacity_) {
			capacity_ = std::max<std::size_t>(1024, 2 * capacity_);
			words_ = host.enlarged(words_, capacity_ / word_bits);
		}
		Word &word = words_[rows_ / word_bits];
		if (rows_ % word_bits == 0)
			word = {0, kept_};
		word.kept |= std::uint64_t{is_kept} << rows_ % word_bits;
		kept_ += is_kept;
		++rows_;
	}

	// What is known of a row of the first part, or of one that is kept, by its number
	std::uint32_t place_of(std::uint32_t number) const
	{
		if (number < first_row_)
			return number;
		const std::uint32_t at = number - first_row_;
		const Word &word = words_[at / word_bits];
		const std::uint64_t before = word.kept & ((std::uint64_t{1} << at % word_bits) - 1);
		return first_row_ + word.kept_before + static_cast<std::uint32_t>(std::popcount(before));
	}

private:
	static constexpr std::size_t word_bits = 64;
	struct Word {
		std::uint64_t kept; // a bit for each row
		std::uint32_t kept_before;
	};

	KeyFilter filter_; // of the keys of the first part
	std::uint32_t first_row_ = std::numeric_limits<std::uint32_t>::max();
	std::size_t rows_ = 0, capacity_ = 0;
	std::uint32_t kept_ = 0;
	Word *words_ = nullptr;
};

} // namespace txtfp::core
