// Finds near-duplicates among the fingerprints of a collection. The result depends neither on the number of threads nor
// on the memory. Rows are given by rank: by descending priority, then in the order of the file.
//   minhash*         by the buckets of a banding, as near_duplicate_pairs of the extension does (core/join/minhash_rows.hpp)
//   simhash64        exactly, by core::HammingJoin
//   tlsh, lavinhash  exactly, by comparing every value with every other
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "cli/collection.hpp"
#include "cli/workers.hpp"
#include "core/join/hamming_groups.hpp"
#include "core/join/joined_sketches.hpp"

namespace txtfp::cli {

struct JoinOptions {
	int bound = 0; // bound for compare(): the least number of equal slots, the least score, or the greatest distance
	std::uint64_t memory = 0; // bytes for sorting; memory that is proportional to the rows comes on top
};

template <class Slot> class JoinedSketches final : public core::JoinedSketches<Slot> {
public:
	using core::JoinedSketches<Slot>::JoinedSketches;
};

class Join final : public core::JoinedRows {
public:
	// `numbers`: the rows by rank; if it is empty, ranks are numbers. The collection is complete.
	Join(const Collection &collection, const JoinOptions &options, const std::string &directory, Workers &workers,
		std::vector<std::uint32_t> numbers);

	std::uint32_t rank_of(std::uint32_t row) const { return order_.rank_of(row); }
	std::uint32_t row_of(std::uint32_t rank) const { return order_.number_of(rank); }

	// Calls fn(pair) for every pair, in order.
	void pairs(const std::function<void(const Pair &)> &fn);

	void connect(core::UnionFind &components) override;
	void pairs_of_heads(core::PairSink &sink) override;
	void read_heads(std::span<std::uint32_t> heads) override;
	bool similar(std::uint32_t a, std::uint32_t b, unsigned worker = 0) override;
	double similarity(std::uint32_t a, std::uint32_t b, unsigned worker = 0) override;
	bool compares_in_workers() const override { return true; }
	std::size_t rows_at_once(unsigned worker) override { return sketches_ ? sketches_->rows_at_once(worker) : 0; }
	void hold(std::span<const std::uint32_t> ranks, unsigned worker) override { sketches_->hold(ranks, worker); }
	bool are_copies(std::uint32_t a, std::uint32_t b) override { return sketches_ && sketches_->are_copies(a, b); }
	std::size_t keys(std::uint32_t row, std::uint64_t *keys) override
	{
		return sketches_ ? sketches_->keys(row, keys) : 0;
	}

private:
	void finish_sketches();
	void begin_comparing() { workers_.begin_progress("comparing", collection_.rows(), "rows"); }
	int measure(std::uint32_t a, std::uint32_t b) const;
	template <class Fn> void for_each_close_pair(Fn fn);
	std::uint32_t head_of(std::uint32_t x) const;

	const Collection &collection_;
	JoinOptions options_;
	std::string directory_;
	Workers &workers_;
	std::vector<std::uint32_t> numbers_, ranks_;
	core::RowOrder order_;
	core::HammingGroups groups_; // of simhash64: the ranks by value
	std::optional<JoinedSketches<std::uint64_t>> full_;
	std::optional<JoinedSketches<std::uint8_t>> compact_;
	core::JoinedRows *sketches_ = nullptr; // one of them; nullptr: another kind
};

} // namespace txtfp::cli
