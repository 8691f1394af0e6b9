#include "pg/bulk/cluster_cuts.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "pg/base/large_array.hpp"

extern "C" {
#include "utils/memutils.h"
}

namespace txtfp::pg {

namespace {

// Unites the rows of each pair in the components of all thresholds that it reaches.
class ThresholdSink final : public PairSink {
public:
	explicit ThresholdSink(const NestedComponents &components) : components_(components) {}
	void pair(std::uint32_t a, std::uint32_t b, double similarity) override
	{
		CHECK_FOR_INTERRUPTS();
		constexpr double rounding = 1e-7; // similarities of embeddings are floats
		for (std::size_t i = 0; i < components_.thresholds.size(); ++i)
			if (similarity >= components_.thresholds[i] - rounding)
				core::UnionFind(components_.labels[i].data()).unite(a, b);
	}

private:
	const NestedComponents &components_;
};

static_assert(std::is_trivially_destructible_v<ThresholdSink>);

struct WeightedLink {
	double similarity;
	std::uint32_t a, b;
};

bool is_closer(const WeightedLink &x, const WeightedLink &y)
{
	return x.similarity != y.similarity ? x.similarity > y.similarity : x.a != y.a ? x.a < y.a : x.b < y.b;
}

// The rows of one cluster, numbered from 0 in the order of ranks.
class Cutter {
public:
	Cutter(FingerprintJoin &join, std::span<const std::uint32_t> rows, std::uint32_t max_size, MemoryContext memory)
		: join_(join), rows_(rows), n_(static_cast<std::uint32_t>(rows.size())), max_size_(max_size),
		  links_(allocate<WeightedLink>(memory, 4 * rows.size())),
		  parents_(allocate<std::uint32_t>(memory, rows.size())), sizes_(allocate<std::uint32_t>(memory, rows.size())),
		  parts_(allocate<std::uint32_t>(memory, rows.size())), formed_(allocate<double>(memory, rows.size()))
	{
		std::fill_n(formed_, n_, std::numeric_limits<double>::quiet_NaN());
	}

	void raise_threshold()
	{
		find_spanning_links();
		core::UnionFind whole(begin_sets(parents_)), parts(begin_sets(parts_));
		std::fill_n(sizes_, n_, 1);
		for (std::uint32_t begin = 0, end; begin < count_; begin = end) { // links of one similarity at a time
			for (end = begin; end < count_ && links_[end].similarity == links_[begin].similarity; ++end) {
				const std::uint32_t a = whole.find(links_[end].a), b = whole.find(links_[end].b);
				const std::uint32_t size = sizes_[a] + sizes_[b];
				whole.unite(a, b);
				sizes_[whole.find(a)] = size;
			}
			const double similarity = links_[begin].similarity;
			for (std::uint32_t i = begin; i < end; ++i)
				if (sizes_[whole.find(links_[i].a)] <= max_size_ || similarity >= 1) {
					parts.unite(links_[i].a, links_[i].b);
					formed_[parts.find(links_[i].a)] = similarity;
				}
		}
		for (std::uint32_t i = 0; i < n_; ++i)
			parts_[i] = parts.find(i);
	}

	void cut_star()
	{
		std::uint32_t left = n_;
		auto *rest = begin_sets(parents_);
		while (left > 0) {
			const std::uint32_t centre = rest[0];
			parts_[centre] = centre;
			count_ = 0;
			std::uint32_t others = 0;
			for (std::uint32_t i = 1; i < left; ++i) {
				CHECK_FOR_INTERRUPTS();
				const std::uint32_t row = rest[i];
				if (join_.similar(rows_[centre], rows_[row]))
					links_[count_++] = {join_.similarity(rows_[centre], rows_[row]), centre, row};
				else
					rest[others++] = row;
			}
			std::sort(links_, links_ + count_, is_closer);
			std::uint32_t taken = count_;
			if (taken >= max_size_) {
				taken = max_size_ - 1;
				while (taken > 0 && links_[taken - 1].similarity == links_[taken].similarity)
					--taken;
				while (taken < count_ && links_[taken].similarity >= 1) // equal rows stay
					++taken;
			}
			for (std::uint32_t i = 0; i < count_; ++i) {
				if (i >= taken)
					rest[others++] = links_[i].b;
				else
					parts_[links_[i].b] = centre;
			}
			if (taken > 0)
				formed_[centre] = links_[taken - 1].similarity;
			left = others;
			std::sort(rest, rest + left);
		}
	}

	void store(std::span<std::uint32_t> labels, double *formed) const
	{
		for (std::uint32_t i = 0; i < n_; ++i) {
			labels[rows_[i]] = rows_[parts_[i]];
			formed[rows_[i]] = formed_[i];
		}
	}

private:
	std::uint32_t *begin_sets(std::uint32_t *parents) const
	{
		for (std::uint32_t i = 0; i < n_; ++i)
			parents[i] = i;
		return parents;
	}

	// A spanning forest of the most similar links: it has the same components at every threshold as all links. Links come in batches, each of which
	// is reduced with what the ones before have left.
	void find_spanning_links()
	{
		count_ = 0;
		for (std::uint32_t i = 0; i < n_; ++i)
			for (std::uint32_t j = i + 1; j < n_; ++j) {
				CHECK_FOR_INTERRUPTS();
				if (!join_.similar(rows_[i], rows_[j]))
					continue;
				links_[count_++] = {join_.similarity(rows_[i], rows_[j]), i, j};
				if (count_ == 4 * n_)
					reduce();
			}
		reduce();
	}

	void reduce()
	{
		std::sort(links_, links_ + count_, is_closer);
		core::UnionFind sets(begin_sets(parents_));
		std::uint32_t kept = 0;
		for (std::uint32_t i = 0; i < count_; ++i)
			if (!sets.connected(links_[i].a, links_[i].b)) {
				sets.unite(links_[i].a, links_[i].b);
				links_[kept++] = links_[i];
			}
		count_ = kept;
	}

	FingerprintJoin &join_;
	std::span<const std::uint32_t> rows_;
	std::uint32_t n_, max_size_, count_ = 0;
	WeightedLink *links_;
	std::uint32_t *parents_, *sizes_, *parts_;
	double *formed_; // by the first row of a part
};

} // namespace

NestedComponents nested_components(
	FingerprintJoin &join, std::uint32_t rows, std::span<const double> thresholds, MemoryContext memory)
{
	NestedComponents components{thresholds, allocate<std::span<std::uint32_t>>(memory, thresholds.size())};
	for (std::size_t i = 0; i < thresholds.size(); ++i) {
		components.labels[i] = {allocate<std::uint32_t>(memory, rows), rows};
		for (std::uint32_t row = 0; row < rows; ++row)
			components.labels[i][row] = row;
	}
	ThresholdSink sink(components);
	const std::span<std::uint32_t> heads(allocate<std::uint32_t>(memory, rows), rows);
	join.read_heads(heads);
	for (std::uint32_t row = 0; row < rows; ++row)
		if (heads[row] != row)
			sink.pair(heads[row], row, join.similarity(heads[row], row));
	pfree(heads.data());
	join.pairs_of_heads(sink);
	for (std::size_t i = 0; i < thresholds.size(); ++i)
		for (std::uint32_t row = 0; row < rows; ++row)
			components.labels[i][row] = core::UnionFind(components.labels[i].data()).find(row);
	return components;
}

double *cut_clusters(FingerprintJoin &join, const JoinContext &context, std::span<std::uint32_t> labels,
	ClusterMode mode, std::uint32_t max_size)
{
	auto *formed = allocate<double>(context.memory, labels.size());
	std::fill_n(formed, labels.size(), std::numeric_limits<double>::quiet_NaN());
	auto *next = allocate<std::uint32_t>(context.memory, labels.size());
	core::chain_groups(labels, next);
	for (std::uint32_t root = 0; root < labels.size(); ++root) {
		if (labels[root] != root)
			continue;
		std::size_t n = 0;
		for (std::uint32_t row = root; row != core::no_element; row = next[row])
			++n;
		if (n <= max_size)
			continue;
		const MemoryContext memory = AllocSetContextCreate(context.memory, "a cluster", ALLOCSET_DEFAULT_SIZES);
		auto *rows = allocate<std::uint32_t>(memory, n);
		n = 0;
		for (std::uint32_t row = root; row != core::no_element; row = std::exchange(next[row], core::no_element))
			rows[n++] = row;
		Cutter cutter(join, {rows, n}, max_size, memory);
		if (mode == ClusterMode::star)
			cutter.cut_star();
		else
			cutter.raise_threshold();
		cutter.store(labels, formed);
		MemoryContextDelete(memory);
	}
	pfree(next);
	return formed;
}

} // namespace txtfp::pg
