// Rows grouped by their 64-bit values, and the pairs of groups whose values are within a Hamming distance: shared by the bulk
// joins of SimHashes and of embeddings. All memory is palloc'd and freed with the context.
#pragma once

#include <span>

#include "core/base/keyed_rows.hpp"
#include "core/simhash/hamming_join.hpp"
#include "pg/base/large_array.hpp"
#include "pg/bulk/near_duplicates.hpp"

namespace txtfp::pg {

class HammingGroups {
public:
	// `rows`: value and rank of each row. Sorts them.
	void build(const JoinContext &context, std::span<core::KeyedRow> rows)
	{
		core::sort_rows(rows);
		CHECK_FOR_INTERRUPTS();
		ranks_ = allocate<std::uint32_t>(context.memory, rows.size());
		values_ = allocate<std::uint64_t>(context.memory, rows.size());
		starts_ = allocate<std::uint32_t>(context.memory, rows.size() + 1);
		for (std::size_t i = 0; i < rows.size(); ++i) {
			ranks_[i] = rows[i].row;
			if (i == 0 || rows[i].key() != values_[count_ - 1]) {
				starts_[count_] = static_cast<std::uint32_t>(i);
				values_[count_++] = rows[i].key();
			}
		}
		starts_[count_] = static_cast<std::uint32_t>(rows.size());
	}

	std::size_t count() const { return count_; }
	std::uint64_t value(std::size_t group) const { return values_[group]; }
	std::span<const std::uint32_t> ranks(std::size_t group) const // ascending
	{
		return {ranks_ + starts_[group], ranks_ + starts_[group + 1]};
	}

	// Calls fn(x, y) for each pair of different groups whose values differ in at most `max_distance` bits.
	template <class Fn>
	void for_each_close_pair(const JoinContext &context, int max_distance, const char *phase, Fn fn) const
	{
		core::HammingJoinSpace space{};
		space.values = allocate<std::uint64_t>(context.memory, count_);
		space.places = allocate<std::uint32_t>(context.memory, count_);
		space.offsets = allocate<std::uint32_t>(context.memory, core::hamming_block_values + 1);
		const auto poll = [&context](std::uint64_t steps) {
			CHECK_FOR_INTERRUPTS();
			context.progress->add(steps);
		};
		core::HammingJoin join({values_, count_}, max_distance, space, fn, poll);
		context.progress->begin(phase, join.steps());
		join.run();
		context.progress->end();
	}

private:
	std::uint64_t *values_ = nullptr; // distinct, ascending
	std::size_t count_ = 0;
	std::uint32_t *starts_ = nullptr; // of each group in ranks_
	std::uint32_t *ranks_ = nullptr;
};

} // namespace txtfp::pg
