// Draws a sample of fixed size from a multiset of values, given by their hashes, in which every item has the same
// probability. Which items are drawn depends on the values alone, not on the order in which they come: each has a
// pseudorandom number, made of its hash and of how many equal ones were counted before, and those with the smallest
// numbers are drawn. Hashes beyond `memory` are in a temporary file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/join/partitions.hpp"

namespace txtfp::core {

struct DrawnValue {
	std::uint64_t hash, times; // how many items of this value are in the sample
};

class ValueSample {
public:
	void open(JoinHost &host, std::size_t size, std::size_t memory);
	void add(std::uint64_t hash) { hashes_.add(KeyedRow::of(hash, 0)); }
	std::uint64_t items() const { return hashes_.rows(); }

	// After the last item. The values ascend by hash. Returns the size of the sample.
	std::size_t draw();
	DrawnValue *find(std::uint64_t hash); // nullptr: not drawn

private:
	struct Item {
		std::uint64_t number, hash;
		friend bool operator<(const Item &a, const Item &b)
		{
			return a.number != b.number ? a.number < b.number : a.hash < b.hash;
		}
	};
	void consider(const Item &item);

	JoinHost *host_ = nullptr;
	Partitions hashes_;
	Item *items_ = nullptr; // a heap, the greatest number first
	DrawnValue *values_ = nullptr;
	std::size_t size_ = 0, drawn_ = 0, count_ = 0, memory_ = 0;
};

} // namespace txtfp::core
