// The rows that a deduplication has kept so far, found by their keys. A hash table of fixed size with chained entries,
// the newest first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/join/host.hpp"

namespace txtfp::core {

class KeptRows {
public:
	// For each key, only this number of rows is compared, the latest ones, because a key that thousands of rows share
	// carries no information.
	static constexpr std::uint32_t chain_limit = 64;

	void open(JoinHost &host, std::size_t memory)
	{
		capacity_ = std::clamp<std::size_t>(memory / (sizeof(Entry) + 2 * sizeof(std::uint32_t)), 4096, 0x7FFFFFFF);
		while (slots_ < capacity_)
			slots_ *= 2;
		entries_ = host.array<Entry>(capacity_);
		heads_ = host.array<std::uint32_t>(slots_);
		std::fill_n(heads_, slots_, none);
	}

	bool has_room(std::size_t keys) const { return used_ + keys <= capacity_; }
	void add(std::uint32_t row, std::span<const std::uint64_t> keys)
	{
		for (const std::uint64_t key : keys) {
			std::uint32_t &head = heads_[slot(key)];
			entries_[used_] = {key, row, head};
			head = static_cast<std::uint32_t>(used_++);
		}
	}
	void clear()
	{
		for (std::size_t i = 0; i < used_; ++i)
			heads_[slot(entries_[i].key)] = none;
		used_ = 0;
	}

	// Calls fn(row) for the rows that share a key, once for each common key. Returns true if it omitted rows because of
	// chain_limit.
	template <class Fn> bool find(std::span<const std::uint64_t> keys, Fn fn) const
	{
		bool left_out = false;
		for (const std::uint64_t key : keys) {
			std::uint32_t seen = 0;
			for (std::uint32_t at = heads_[slot(key)]; at != none; at = entries_[at].next)
				if (entries_[at].key == key) {
					if (++seen > chain_limit) {
						left_out = true;
						break;
					}
					fn(entries_[at].row);
				}
		}
		return left_out;
	}

private:
	struct Entry {
		std::uint64_t key;
		std::uint32_t row, next; // the entry before it in the same slot
	};
	static constexpr std::uint32_t none = 0xFFFFFFFF;

	std::size_t slot(std::uint64_t key) const { return key & (slots_ - 1); }

	Entry *entries_ = nullptr;
	std::uint32_t *heads_ = nullptr;
	std::size_t capacity_ = 0, slots_ = 1, used_ = 0;
};

} // namespace txtfp::core
