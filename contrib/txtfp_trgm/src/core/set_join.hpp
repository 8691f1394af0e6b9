// All pairs of sets whose similarity reaches a threshold, exactly, by the filters of AllPairs (Bayardo, Ma and Srikant, 2007) and PPJoin (Xiao, Wang,
// Lin and Yu, 2008). Terms are ordered by their frequency, the rarest first. Two sets that need c common terms share one of the first n − c + 1 terms
// of each (the prefix), their sizes differ little, and after the first common term both have enough left. A signature of 128 bits, in which every term
// sets one, tells most others apart: terms that only one of both has set most of the bits in which they differ (Sandes, Teodoro and Melo, 2020).
//
// Sets are joined in the order of their size, block by block: an index of the prefixes of as many sets as fit into memory is searched with each set of
// this block and with the larger ones. Nothing here has a destructor, see core/join/host.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/join/host.hpp"
#include "core/join/spool.hpp"

namespace txtfp::trgm {

using core::JoinExecutor;
using core::JoinHost;

constexpr int term_bits = 24;

// The similarity as pg_trgm computes it, from the common terms and the sum of both sizes: the rounded quotient is compared with the threshold.
inline float similarity_of(std::uint32_t common, std::uint32_t sum) noexcept
{
	return static_cast<float>(common) / static_cast<float>(sum - common);
}

class SimilarityLimit {
public:
	explicit SimilarityLimit(double threshold) noexcept; // above 0
	// The least number of common terms; more than half of `sum`: there is none.
	std::uint32_t least_common(std::uint32_t sum) const noexcept { return sum < known ? least_[sum] : compute(sum); }
	// The least size of a set that may be similar to one of `size` terms, and is not larger; the greatest of one that is not smaller.
	std::uint32_t least_size(std::uint32_t size) const noexcept;
	bool may_be_similar(std::uint32_t size, std::uint32_t larger) const noexcept
	{
		return least_common(size + larger) <= size;
	}

private:
	static constexpr std::uint32_t known = 1024;
	std::uint32_t compute(std::uint32_t sum) const noexcept;

	double threshold_, share_; // a little less than the share of the sum that must be common
	std::uint16_t least_[known];
};

// A set of the index
struct IndexedSet {
	std::uint64_t signature[2];
	std::uint32_t size;
	std::uint32_t begin; // of its terms in those of the block
};
// A term of the prefix of a set
struct Posting {
	std::uint32_t set;        // in the block
	std::uint32_t place_rest; // how many terms are before it; the low bits of the term, which the list does not tell
};

// Bytes
struct SetJoinMemory {
	std::size_t terms; // as sets arrive
	std::size_t sets;  // in the order of their size
	std::size_t block; // the index; `terms` are free then
};

class SetJoin {
public:
	SetJoin(JoinHost &host, double threshold, const SetJoinMemory &memory);

	void add(std::span<std::uint32_t> terms); // of the next set: different, in any order; they are changed
	std::uint32_t count() const { return count_; }
	std::uint64_t bytes() const { return terms_.size(); }
	void finish(); // after the last set; one step of progress() for each that is not empty

	// What progress() of the hosts adds up to in pairs()
	std::uint64_t steps() const;
	// Calls fn(worker, a, b, similarity) for each pair, in an order that does not depend on the workers. Sets are given by their number.
	template <class Fn> void pairs(JoinExecutor &executor, Fn fn)
	{
		find_pairs(
			executor,
			[](void *fn, unsigned worker, std::uint32_t a, std::uint32_t b, float similarity) {
				(*static_cast<Fn *>(fn))(worker, a, b, similarity);
			},
			&fn);
	}
	void close();

private:
	using Sink = void (*)(void *fn, unsigned worker, std::uint32_t a, std::uint32_t b, float similarity);

	// Sets of one size; runs ascend.
	struct Run {
		std::uint32_t size, begin; // of the first set
		std::uint64_t terms;       // before it
	};
	// Sets first to end − 1 are indexed, and those before probe_end search in them.
	struct Block {
		std::uint32_t first, end, probe_end;
	};
	struct Index {
		Block block;
		IndexedSet *sets;
		std::uint32_t *terms, *lists; // lists[bucket] is the end of its postings, and the begin of the next one's
		Posting *postings;
	};
	// Of pairs that a task finds
	struct Receiver {
		Sink sink;
		void *fn;
		unsigned worker;
	};

	std::size_t bucket_count() const { return std::size_t{1} << (term_bits - rest_bits_); }
	std::uint32_t bucket_of(std::uint32_t term) const { return term >> rest_bits_; }
	void order_buckets();
	void order_by_size();
	void write_sets(const std::uint64_t *begins);
	std::size_t run_of(std::uint32_t set) const;
	std::uint32_t end_of(std::size_t run) const { return run + 1 < run_count_ ? runs_[run + 1].begin : used_; }
	std::uint32_t first_of_size(std::uint32_t size) const; // the first set that is not smaller
	std::uint64_t terms_before(std::uint32_t set) const
	{
		const Run &run = runs_[run_of(set)];
		return run.terms + std::uint64_t{set - run.begin} * run.size;
	}
	std::uint32_t index_prefix(std::uint32_t size) const { return size - limit_.least_common(2 * size) + 1; }

	Block next_block(std::uint32_t first) const;
	Index make_index(const Block &block);
	void fill_lists(Index &index, std::uint64_t postings);
	void find_pairs(JoinExecutor &executor, Sink sink, void *fn);
	void search_chunk(const Index &index, JoinHost &host, std::size_t chunk, const Receiver &receiver);
	void search_set(const Index &index, JoinHost &host, std::uint32_t set, std::span<const std::uint32_t> terms,
		std::uint32_t first, const Receiver &receiver) const;

	JoinHost *host_;
	SimilarityLimit limit_;
	SetJoinMemory memory_;
	int rest_bits_;          // of a term that its bucket does not tell
	std::uint32_t *buckets_; // how often terms of each were added; then its place in the order of this number
	core::Spool terms_, sets_;
	std::uint32_t *sizes_ = nullptr, *numbers_ = nullptr; // by number; by place in the order of sizes
	std::uint32_t count_ = 0;
	std::size_t capacity_ = 0;
	std::uint32_t used_ = 0; // sets that are not empty
	Run *runs_ = nullptr;
	std::size_t run_count_ = 0, run_capacity_ = 0;
};

} // namespace txtfp::trgm
