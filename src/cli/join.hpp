// Finds near-duplicates among the fingerprints of a collection. The result depends neither on the number of threads nor
// on the memory. Rows are given by rank: by descending priority, then in the order of the file. The core joins
// (core/join).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "cli/collection.hpp"
#include "cli/workers.hpp"
#include "core/join/joined_sketches.hpp"
#include "core/join/joined_values.hpp"

namespace txtfp::cli {

struct JoinOptions {
	int bound = 0; // of a measure: the least number of equal slots, the least score, or the greatest distance
	std::uint64_t memory = 0; // bytes for sorting; memory that is proportional to the rows comes on top
};

// A join of the core, with progress.
template <class Joined> class ShownJoin final : public Joined {
public:
	template <class... Arguments>
	explicit ShownJoin(Workers &workers, std::uint32_t rows, Arguments &&...arguments)
		: Joined(std::forward<Arguments>(arguments)...), workers_(workers), rows_of_all_(rows)
	{
	}
	bool compares_in_workers() const override { return true; }

private:
	void begin_buckets() { workers_.begin_progress("comparing", rows_of_all_, "rows"); } // of sketches
	void end_buckets() { workers_.end(); }
	void begin_comparing(std::uint64_t steps) { workers_.begin_progress("comparing", steps, "steps"); } // of values
	void end_phase() { workers_.end(); }

	Workers &workers_;
	std::uint32_t rows_of_all_;
};

class Join final {
public:
	// `numbers`: the rows by rank; if it is empty, ranks are numbers. The collection is complete.
	Join(const Collection &collection, const JoinOptions &options, const std::string &directory, Workers &workers,
		std::vector<std::uint32_t> numbers);

	std::uint32_t rank_of(std::uint32_t row) const { return order_.rank_of(row); }
	std::uint32_t row_of(std::uint32_t rank) const { return order_.number_of(rank); }
	core::JoinedRows &rows() { return *joined_; }

	// Calls fn(pair) for every pair, in order.
	void pairs(const std::function<void(const Pair &)> &fn);

private:
	template <class Slot> void join_sketches(core::MinhashRows<Slot> &rows);
	template <class Joined> void join_values();

	const Collection &collection_;
	JoinOptions options_;
	std::string directory_;
	Workers &workers_;
	std::vector<std::uint32_t> numbers_, ranks_;
	core::RowOrder order_;
	std::variant<std::monostate, ShownJoin<core::JoinedSketches<std::uint64_t>>,
		ShownJoin<core::JoinedSketches<std::uint8_t>>, ShownJoin<core::JoinedBits<>>, ShownJoin<core::JoinedEvery<>>>
		join_;
	core::JoinedRows *joined_ = nullptr;
};

} // namespace txtfp::cli
