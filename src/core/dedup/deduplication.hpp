// Which rows to remove. Rows are processed in the order of ranks. A row is removed if it is similar to a row that has
// been kept and, on request, if an exact comparison of their texts confirms this. So every removed row has itself been
// compared with its kept row. Guards and a rule may forbid a removal; then the row stays, and comes with the outcome
// "review" or "keep". Components are independent of each other: workers decide about small ones, and the caller passes
// the decisions on in their order.
//
// In a component of up to 64 rows, and where the kind has no keys, a row meets every kept row. In a larger one it meets
// those that it has a key in common with; of a key that many have, the latest of them, and the ones with an equal text or all
// equal keys. It is compared with the first ones of the kept rows that are similar and with the most similar of the
// others (first_compared, most_similar_compared), so that the work for a template of many rows grows with their number.
//
// There is no destructor: what was not freed is the host's.
#pragma once

#include <optional>

#include "core/dedup/decided_pairs.hpp"
#include "core/dedup/kept_rows.hpp"
#include "core/dedup/small_components.hpp"
#include "core/decide/pair_decision.hpp"

namespace txtfp::core::removal {

// About a row: the kept row that removes it, or the first of those whose removal meets the least objection. Outcome
// `outcomes`: it is kept.
struct Decision {
	std::uint32_t row, kept;
	double similarity;
	PairDecision pair;
};

// A text in UTF-8.
struct RowText {
	std::string_view utf8;
	bool is_null = true;
};

// What a deduplication needs of its caller besides a JoinHost and a JoinExecutor.
class Host {
public:
	virtual bool has_texts() const = 0;
	// Valid until the worker's next call with the same place, 0 or 1.
	virtual RowText text(std::uint32_t rank, unsigned place, unsigned worker) = 0;
	// Runs fn(data), which has destructors and may throw, and calls no host.
	virtual void compute(unsigned worker, void (*fn)(void *data), void *data) = 0;
	virtual StopToken stop() const = 0;
	// In the caller's thread: a row that is removed, or one whose removal something forbids; this is told once.
	virtual void put(const Decision &decision) = 0;

protected:
	~Host() = default;
};

struct Counts {
	std::uint64_t by_reason[reasons] = {}, by_outcome[outcomes] = {}, by_guard[guard_count] = {}, by_rule = 0;
	std::uint64_t refused = 0; // pairs that the exact comparison rejected
	bool left_out = false;     // a row is similar to more kept rows than it was compared with

	void add(const PairDecision &decision) noexcept;
};

// How many of the similar kept rows a row is compared with, in their order, and how many of the others.
constexpr std::size_t first_compared = 8, most_similar_compared = 8;

class Deduplication {
public:
	// `memory`: for the table of kept rows, in bytes.
	Deduplication(JoinHost &host, JoinExecutor &executor, JoinedRows &joined, Host &own, const PairOptions &options,
		const DecidedPairs &pairs, std::uint32_t rows, std::size_t memory);

	// Decides about the rows of each component; labels[rank] is the smallest rank of its own. Files are read no more by
	// others.
	void run(std::span<std::uint32_t> labels);
	const Counts &counts() const { return counts_; }
	// After run(): how many other rows its component has. Rows of a template are many.
	std::uint32_t neighbours(std::uint32_t row) const { return sizes_[labels_[row]] - 1; }

private:
	friend SmallComponents<Deduplication, Decision>;
	// What a worker has of its own while it compares.
	struct Comparer {
		std::uint32_t held; // its text is kept from one comparison to the next
		RowText held_text;
		std::uint64_t refused;
		bool left_out;
	};
	struct Candidates {
		std::span<const std::uint32_t> equal, others; // kept rows of the same text, and all; each in order
	};

	static constexpr std::size_t small_component = 64; // up to this size every row meets every kept row
	static constexpr std::size_t most_keys = JoinedRows::max_keys + 2;

	void decide_component(std::span<std::uint32_t> rows);
	void decide_all(std::span<std::uint32_t> rows, Decision *decisions, unsigned worker);
	void decide_one_by_one(std::span<std::uint32_t> rows);
	std::span<std::uint32_t> decide_with_table(std::span<std::uint32_t> rows);
	std::span<const std::uint64_t> keys_of(std::uint32_t row, std::uint64_t *keys);
	std::optional<std::uint64_t> text_key(std::uint32_t row);
	std::span<const std::uint32_t> rows_with(std::span<const std::uint64_t> keys, std::uint32_t *found);
	void open_table();
	bool remember(const Decision &decision);
	Decision decide(std::uint32_t row, const Candidates &kept, unsigned worker);
	bool removes(std::uint32_t other, double similarity, Decision &best, unsigned worker);
	Decision follow(std::uint32_t row, std::uint32_t kept, unsigned worker);
	PairDecision compare(
		std::uint32_t row, std::uint32_t kept, double similarity, const PairOptions &options, unsigned worker);
	RowText held_text(std::uint32_t rank, unsigned worker);
	void put(const Decision &decision);

	JoinHost &host_;
	JoinExecutor &executor_;
	JoinedRows &joined_;
	Host &own_;
	const PairOptions &options_;
	std::uint32_t rows_;
	std::size_t memory_;
	KeptRows table_;
	// A worker decides about all rows of a component, and rows of others never decide its questions.
	DecidedRows decided_;
	std::uint32_t *candidates_ = nullptr, *equal_texts_ = nullptr;
	Comparer *comparers_ = nullptr;
	Counts counts_;
	std::span<const std::uint32_t> labels_;
	std::uint32_t *sizes_ = nullptr; // of components, by label
	bool *reported_ = nullptr;       // rows that were passed on although they are not removed
	bool has_keys_ = false;          // the join has keys
	SerialExecutor serial_;
	SmallComponents<Deduplication, Decision> small_;
};

} // namespace txtfp::core::removal
