// What pairs, clusters and deduplication are made of: rows with equal values stand for each other, and only the first
// of them, the head, is joined.
#pragma once

#include <span>
#include <vector>

#include "core/join/joined_rows.hpp"
#include "join_threads.hpp"
#include "joins.hpp"

namespace txtfp::python {

// The first row with each value, in each of two sets, is its head.
struct Heads {
	std::vector<std::uint32_t> of;   // each row
	std::vector<std::uint32_t> rows; // the heads
};
Heads find_heads(const Values &values, core::JoinHost &host);

// Gives each similar pair of heads once, with its measure.
void join_heads(const Values &values, const Heads &heads, const JoinOptions &options, core::JoinExecutor &executor,
	core::PairSink &sink);

// The rows as core/dedup sees them.
class JoinedValues final : public core::JoinedRows {
public:
	JoinedValues(const Values &values, const JoinOptions &options, core::JoinExecutor &executor)
		: values_(values), options_(options), executor_(executor), heads_(find_heads(values, executor.host(0)))
	{
	}

	void connect(core::UnionFind &components) override;
	void pairs_of_heads(core::PairSink &sink) override;
	void read_heads(std::span<std::uint32_t> heads) override { std::copy(heads_.of.begin(), heads_.of.end(), heads.begin()); }
	bool similar(std::uint32_t a, std::uint32_t b, unsigned) override
	{
		return values_.kind->is_similar(measure(a, b), options_.bound);
	}
	double similarity(std::uint32_t a, std::uint32_t b, unsigned) override
	{
		return values_.kind->similarity_of(measure(a, b));
	}
	bool compares_in_workers() const override { return true; }
	std::size_t keys(std::uint32_t row, std::uint64_t *keys) override;

private:
	int measure(std::uint32_t a, std::uint32_t b) const noexcept
	{
		return values_.kind->measure_of(values_.rows[a], values_.rows[b]);
	}

	const Values &values_;
	const JoinOptions &options_;
	core::JoinExecutor &executor_;
	Heads heads_;
};

} // namespace txtfp::python
