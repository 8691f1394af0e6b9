// Which rows to remove: deduplicate().
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "core/base/union_find.hpp"
#include "join_engine.hpp"
#include "parallel.hpp"

namespace txtfp::python {

namespace {

class Deduplication {
public:
	Deduplication(const Values &values, const JoinOptions &options, const Verification &verification)
		: values_(values), options_(options), verification_(verification), heads_(find_heads(values, options.threads)),
		  pairs_(head_pairs(values, heads_, options)), begin_(values.rows.size() + 1), kept_(values.rows.size())
	{
	}

	std::vector<Removal> run()
	{
		if (is_minhash(values_.kind))
			compare_small_components();
		link_neighbours();
		if (verification_.verify != Verify::none)
			compare_ahead();
		for (std::uint32_t row = 0; row < values_.rows.size(); ++row) {
			if ((row & 0xFFFF) == 0 && PyErr_CheckSignals() != 0)
				throw nb::python_error();
			if (!remove(row))
				kept_[heads_.of[row]].push_back(row);
		}
		if (verification_.verify == Verify::none && verification_.compare)
			Workers::for_each_block(
				removals_.size(), 64, options_.threads, [&](std::size_t first, std::size_t last, unsigned) {
					for (std::size_t i = first; i < last; ++i)
						removals_[i].exact = verification_.compare(removals_[i].row, removals_[i].kept);
				});
		return std::move(removals_);
	}

private:
	struct Neighbour {
		std::uint32_t head;
		std::int32_t measure;
	};

	static constexpr std::uint32_t small_component = 64; // rows

	// A pair of a small component may be similar, and share no band.
	void compare_small_components()
	{
		std::vector<std::uint32_t> labels = heads_.of, sizes(labels.size()), next(labels.size());
		core::UnionFind sets(labels.data());
		for (const Pair &pair : pairs_)
			sets.unite(pair.a, pair.b);
		for (std::uint32_t row = 0; row < labels.size(); ++row)
			++sizes[labels[row] = sets.find(row)];
		core::chain_groups(labels, next.data());
		std::erase_if(pairs_, [&](const Pair &pair) { return sizes[labels[pair.a]] <= small_component; });
		std::vector<std::uint32_t> rows;
		for (std::uint32_t root = 0; root < labels.size(); ++root) {
			if ((root & 0xFFFF) == 0 && PyErr_CheckSignals() != 0)
				throw nb::python_error();
			if (labels[root] != root || sizes[root] > small_component)
				continue;
			rows.clear();
			for (std::uint32_t row = root; row != core::no_element; row = next[row])
				if (heads_.of[row] == row)
					rows.push_back(row);
			for (std::size_t j = 1; j < rows.size(); ++j)
				for (std::size_t i = 0; i < j; ++i)
					if (const int measure = compare_rows(values_, rows[i], rows[j]);
						is_similar(values_.kind, options_, measure))
						pairs_.push_back({rows[i], rows[j], measure});
		}
		sort_pairs(pairs_);
	}

	void link_neighbours()
	{
		for (const Pair &pair : pairs_) {
			++begin_[pair.a + 1];
			++begin_[pair.b + 1];
		}
		std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
		neighbours_.resize(2 * pairs_.size());
		std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
		for (const Pair &pair : pairs_) {
			neighbours_[next[pair.a]++] = {pair.b, pair.measure};
			neighbours_[next[pair.b]++] = {pair.a, pair.measure};
		}
	}

	static std::uint64_t key(std::uint32_t row, std::uint32_t kept) noexcept { return std::uint64_t{row} << 32 | kept; }

	// The comparisons that are probably needed, on all threads: of a copy with its head, of a head with the heads
	// before it.
	void compare_ahead()
	{
		std::vector<std::pair<std::uint32_t, std::uint32_t>> wanted;
		for (const Pair &pair : pairs_)
			wanted.emplace_back(pair.b, pair.a);
		for (std::uint32_t row = 0; row < heads_.of.size(); ++row)
			if (heads_.of[row] != row)
				wanted.emplace_back(row, heads_.of[row]);
		std::vector<Exact> results(wanted.size());
		Workers::for_each_block(
			wanted.size(), 64, options_.threads, [&](std::size_t first, std::size_t last, unsigned) {
				for (std::size_t i = first; i < last; ++i) {
					stop_token.check();
					results[i] = verification_.compare(wanted[i].first, wanted[i].second);
				}
			});
		compared_.reserve(wanted.size());
		for (std::size_t i = 0; i < wanted.size(); ++i)
			compared_.emplace(key(wanted[i].first, wanted[i].second), results[i]);
	}

	Exact exact(std::uint32_t row, std::uint32_t kept)
	{
		const auto found = compared_.find(key(row, kept));
		return found != compared_.end() ? found->second : verification_.compare(row, kept);
	}

	bool remove(std::uint32_t row)
	{
		const std::uint32_t head = heads_.of[row];
		candidates_.clear();
		add_candidates(head, best_measure(values_.kind));
		for (std::size_t i = begin_[head]; i < begin_[head + 1]; ++i)
			add_candidates(neighbours_[i].head, neighbours_[i].measure);
		std::sort(candidates_.begin(), candidates_.end(),
			[](const Neighbour &x, const Neighbour &y) { return x.head < y.head; });
		for (const Neighbour &candidate : candidates_) {
			Removal removal{row, candidate.head, similarity(values_.kind, candidate.measure), {}};
			if (verification_.verify != Verify::none) {
				removal.exact = exact(row, candidate.head);
				const double value =
					verification_.verify == Verify::jaccard ? removal.exact.jaccard : removal.exact.containment;
				if (!removal.exact.has_measures || value < verification_.least)
					continue;
			}
			removals_.push_back(removal);
			return true;
		}
		return false;
	}

	void add_candidates(std::uint32_t head, std::int32_t measure)
	{
		for (const std::uint32_t kept : kept_[head])
			candidates_.push_back({kept, measure});
	}

	const Values &values_;
	const JoinOptions &options_;
	const Verification &verification_;
	Heads heads_;
	std::vector<Pair> pairs_;
	std::vector<std::size_t> begin_;
	std::vector<Neighbour> neighbours_, candidates_;
	std::vector<std::vector<std::uint32_t>> kept_; // of each head: the kept rows with its value
	std::unordered_map<std::uint64_t, Exact> compared_;
	std::vector<Removal> removals_;
};

} // namespace

std::vector<Removal> deduplicate(const Values &values, const JoinOptions &options, const Verification &verification)
{
	return Deduplication(values, options, verification).run();
}

} // namespace txtfp::python
