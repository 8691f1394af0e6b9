// Orders the rows of an index on sets of terms by their numbers of terms while it is built, so that searches exclude
// whole groups by this number. There is no sort: rows of about the same length are collected until they fill a group.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pg/sketch/sketch.hpp"

namespace txtfp::pg {

struct CollectedRow {
	ItemPointerData tid;
	bool is_null;
};

// The rows of about one length.
struct LengthBucket {
	std::size_t count;
	CollectedRow *row;
	std::uint8_t *signatures;
};

class LengthOrder {
public:
	static LengthOrder *open(const core::SketchLayout &layout); // in the current memory context

	// Returns the bucket of a row that has been added if it is full, which the caller writes; or nullptr.
	LengthBucket *add(const ItemPointerData &tid, bool is_null, const std::uint8_t *signature);

	// Calls fn(bucket) for the buckets with rows, from the shortest to the longest.
	template <class Fn> void for_each(Fn fn)
	{
		for (LengthBucket &bucket : bucket_)
			if (bucket.count > 0)
				fn(bucket);
	}

private:
	// Up to 16 terms, a bucket for each number; beyond, eight for each power of two.
	static constexpr int exact_bits = 4, steps_bits = 3;
	static constexpr std::size_t buckets = (std::size_t{1} << exact_bits) + ((16 - exact_bits) << steps_bits);

	const core::SketchLayout *layout_;
	MemoryContext context_;
	LengthBucket bucket_[buckets];
};

} // namespace txtfp::pg
