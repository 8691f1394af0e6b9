#include "core/dedup/cluster_cuts.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/dedup/scratch.hpp"
#include "core/dedup/stars.hpp"

namespace txtfp::core {

namespace {

// Unites the rows of each pair in the components of all thresholds that it reaches.
class ThresholdSink final : public PairSink {
public:
	ThresholdSink(JoinHost &host, const NestedComponents &components) : host_(host), components_(components) {}
	void pair(std::uint32_t a, std::uint32_t b, double similarity) override
	{
		host_.poll();
		constexpr double rounding = 1e-7; // similarities of embeddings are floats
		for (std::size_t i = 0; i < components_.thresholds.size(); ++i)
			if (similarity >= components_.thresholds[i] - rounding)
				UnionFind(components_.labels[i].data()).unite(a, b);
	}

private:
	JoinHost &host_;
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

// Which rows of a cluster are equal. `first` has an element for each rank, and holds no_element between two clusters.
struct EqualRows {
	std::span<std::uint32_t> heads, first;
};

std::size_t count_keys(JoinedRows &joined, std::uint32_t row)
{
	std::uint64_t keys[JoinedRows::max_keys];
	return joined.keys(row, keys);
}

// A row's k-th key of the join; all rows have as many.
std::uint64_t key_of(JoinedRows &joined, std::uint32_t row, std::size_t k)
{
	std::uint64_t keys[JoinedRows::max_keys];
	return std::span(keys, joined.keys(row, keys))[k];
}

// The rows of a star that are left while it is cut. Of equal rows one is compared. Where there are many, a row is
// compared with those that it has a key of the join in common with, if these are fewer: then the work follows the pairs
// that are similar, not all pairs.
class StarRows {
public:
	StarRows(JoinedRows &joined, std::span<const std::uint32_t> rows, EqualRows equal, Scratch &memory)
		: joined_(joined), rows_(rows), memory_(memory), group_of_(memory.array<std::uint32_t>(rows.size())),
		  next_(memory.array<std::uint32_t>(rows.size())), first_(memory.array<std::uint32_t>(rows.size())),
		  last_seen_(memory.array<std::uint32_t>(rows.size())), live_(memory.array<std::uint32_t>(rows.size())),
		  gone_(memory.array<bool>(rows.size()))
	{
		find_groups(equal);
		for (std::uint32_t group = 0; group < group_count_; ++group)
			live_[group] = group;
		live_count_ = group_count_;
		index_keys();
	}

	void remove(std::uint32_t row)
	{
		gone_[row] = true;
		std::uint32_t &first = first_[group_of_[row]];
		while (first != no_element && gone_[first])
			first = next_[first];
	}

	// Calls visit(row, similarity) for those that are similar to the centre.
	template <class Visit> void for_each_similar(std::uint32_t centre, const Visit &visit)
	{
		if (shares_few_keys(group_of_[centre]))
			for (std::size_t k = 0; k < key_count_; ++k) {
				Bucket &bucket = bucket_of(k, group_of_[centre]);
				for (std::uint32_t i = 0; i < bucket.live;) {
					std::uint32_t *group = sorted_ + k * group_count_ + bucket.begin + i;
					if (first_[*group] == no_element) {
						std::swap(*group, sorted_[k * group_count_ + bucket.begin + --bucket.live]);
						continue;
					}
					++i;
					if (std::exchange(last_seen_[*group], centre) != centre)
						compare(centre, *group, visit);
				}
			}
		else {
			std::uint32_t left = 0;
			for (std::uint32_t i = 0; i < live_count_; ++i) {
				if (first_[live_[i]] == no_element)
					continue;
				live_[left++] = live_[i];
				compare(centre, live_[i], visit);
			}
			live_count_ = left;
		}
	}

private:
	struct Bucket {
		std::uint32_t begin, live;
	};

	template <class Visit> void compare(std::uint32_t centre, std::uint32_t group, const Visit &visit)
	{
		memory_.host().poll();
		const std::uint32_t first = first_[group];
		if (!joined_.similar(rows_[centre], rows_[first]))
			return;
		const double similarity = joined_.similarity(rows_[centre], rows_[first]);
		for (std::uint32_t row = first; row != no_element; row = next_[row])
			if (!gone_[row])
				visit(row, similarity);
	}

	void find_groups(EqualRows equal)
	{
		auto *last = memory_.array<std::uint32_t>(rows_.size());
		for (std::uint32_t i = 0; i < rows_.size(); ++i) {
			gone_[i] = false;
			next_[i] = no_element;
			std::uint32_t &first = equal.first[equal.heads[rows_[i]]];
			const bool is_equal = first != no_element && joined_.similar(rows_[first], rows_[i]);
			if (is_equal) { // otherwise a vector of zeros
				const std::uint32_t group = group_of_[i] = group_of_[first];
				last[group] = next_[last[group]] = i;
				continue;
			}
			first = i;
			first_[group_count_] = last[group_count_] = i;
			last_seen_[group_count_] = no_element;
			group_of_[i] = group_count_++;
		}
		for (const std::uint32_t row : rows_)
			equal.first[equal.heads[row]] = no_element;
	}

	void index_keys()
	{
		constexpr std::size_t few = 1000, most_memory = std::size_t{256} << 20;
		key_count_ = group_count_ > few ? count_keys(joined_, rows_[0]) : 0;
		if (key_count_ == 0 || key_count_ * group_count_ * (sizeof *sorted_ + sizeof *buckets_) > most_memory) {
			key_count_ = 0;
			return;
		}
		sorted_ = memory_.array<std::uint32_t>(key_count_ * group_count_);
		buckets_ = memory_.array<Bucket>(key_count_ * group_count_);
		place_ = memory_.array<std::uint32_t>(key_count_ * group_count_);
		auto *order = memory_.array<KeyedRow>(group_count_);
		for (std::size_t k = 0; k < key_count_; ++k)
			index_key(k, order);
	}

	void index_key(std::size_t k, KeyedRow *order)
	{
		for (std::uint32_t group = 0; group < group_count_; ++group) {
			memory_.host().poll();
			order[group] = KeyedRow::of(key_of(joined_, rows_[first_[group]], k), group);
		}
		sort_rows(memory_.host(), {order, group_count_});
		const std::size_t base = k * group_count_;
		for (std::uint32_t begin = 0, end; begin < group_count_; begin = end) {
			for (end = begin; end < group_count_ && order[end].key() == order[begin].key(); ++end) {
				sorted_[base + end] = order[end].row;
				place_[base + order[end].row] = begin;
			}
			buckets_[base + begin] = {begin, end - begin};
		}
	}

	Bucket &bucket_of(std::size_t k, std::uint32_t group)
	{
		const std::size_t base = k * group_count_;
		return buckets_[base + place_[base + group]];
	}

	bool shares_few_keys(std::uint32_t group)
	{
		std::size_t shared = 0;
		for (std::size_t k = 0; k < key_count_; ++k)
			shared += bucket_of(k, group).live;
		return key_count_ > 0 && shared < live_count_;
	}

	JoinedRows &joined_;
	std::span<const std::uint32_t> rows_;
	Scratch &memory_;
	// Groups of equal rows: of each row its group and the next row of it, of each group the first row that is left.
	std::uint32_t *group_of_, *next_, *first_, *last_seen_, *live_;
	bool *gone_;
	std::uint32_t group_count_ = 0, live_count_;
	// Groups by the k-th key, in the order of keys; a bucket has the groups of one key, first the ones that are left.
	std::size_t key_count_ = 0;
	std::uint32_t *sorted_ = nullptr, *place_ = nullptr;
	Bucket *buckets_ = nullptr;
};

// The rows of one cluster, numbered from 0 in the order of ranks.
class Cutter {
public:
	Cutter(JoinedRows &joined, std::span<const std::uint32_t> rows, std::uint32_t max_size, EqualRows equal,
		Scratch &memory)
		: joined_(joined), rows_(rows), equal_(equal), memory_(memory), n_(static_cast<std::uint32_t>(rows.size())),
		  max_size_(max_size), links_(memory.array<WeightedLink>(4 * rows.size())),
		  parents_(memory.array<std::uint32_t>(rows.size())), sizes_(memory.array<std::uint32_t>(rows.size())),
		  parts_(memory.array<std::uint32_t>(rows.size())), formed_(memory.array<double>(rows.size()))
	{
		std::fill_n(formed_, n_, std::numeric_limits<double>::quiet_NaN());
	}

	void raise_threshold()
	{
		find_spanning_links();
		UnionFind whole(begin_sets(parents_)), parts(begin_sets(parts_));
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
		StarRows left(joined_, rows_, equal_, memory_);
		FreeRows stars{begin_sets(parts_)};
		cut_into_stars(n_, stars, [&](std::uint32_t centre, auto visit) {
			left.remove(centre);
			for (const WeightedLink &link : closest(left, centre)) {
				visit(link.b);
				left.remove(link.b);
			}
		});
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

	// The rows among the ones left that stay with the centre.
	std::span<const WeightedLink> closest(StarRows &left, std::uint32_t centre)
	{
		count_ = 0;
		left.for_each_similar(centre, [&](std::uint32_t row, double similarity) {
			links_[count_++] = {similarity, centre, row};
		});
		sort_polling(links_, links_ + count_, is_closer, [this] { memory_.host().poll(); });
		std::uint32_t taken = count_;
		if (taken >= max_size_) {
			taken = max_size_ - 1;
			while (taken > 0 && links_[taken - 1].similarity == links_[taken].similarity)
				--taken;
			while (taken < count_ && links_[taken].similarity >= 1) // equal rows stay
				++taken;
		}
		if (taken > 0)
			formed_[centre] = links_[taken - 1].similarity;
		return {links_, taken};
	}

	// A spanning forest of the most similar links: it has the same components at every threshold as all links. Links
	// come in batches; each is reduced with what the ones before have left. The first one among equal rows takes
	// part, and the others are linked to it.
	void find_spanning_links()
	{
		count_ = 0;
		const std::span different(memory_.array<std::uint32_t>(n_), n_);
		std::size_t n = 0;
		for (std::uint32_t i = 0; i < n_; ++i) {
			std::uint32_t &first = equal_.first[equal_.heads[rows_[i]]];
			if (first == no_element)
				first = different[n++] = i;
			else if (!link(first, i)) // a vector of zeros
				different[n++] = i;
		}
		for (const std::uint32_t row : rows_)
			equal_.first[equal_.heads[row]] = no_element;
		link_different(different.first(n));
		reduce();
	}

	// Compares each row with each, or those with a common key of the join, whatever means fewer pairs.
	void link_different(std::span<const std::uint32_t> rows)
	{
		constexpr std::size_t few = 1000;
		const std::uint64_t all = std::uint64_t{rows.size()} * (rows.size() - 1) / 2;
		const std::size_t key_count = rows.size() > few ? count_keys(joined_, rows_[rows[0]]) : 0;
		if (key_count > 0) {
			auto *sorted = memory_.array<KeyedRow>(rows.size());
			std::uint64_t pairs = 0;
			for (std::size_t k = 0; k < key_count && pairs < all; ++k)
				for_each_bucket(rows, k, sorted, [&](std::span<const KeyedRow> bucket) {
					pairs += std::uint64_t{bucket.size()} * (bucket.size() - 1) / 2;
				});
			if (pairs < all) {
				for (std::size_t k = 0; k < key_count; ++k)
					for_each_bucket(rows, k, sorted, [&](std::span<const KeyedRow> bucket) {
						for (std::size_t i = 0; i < bucket.size(); ++i)
							for (std::size_t j = i + 1; j < bucket.size(); ++j)
								(void) link(bucket[i].row, bucket[j].row);
					});
				return;
			}
		}
		for (std::size_t i = 0; i < rows.size(); ++i)
			for (std::size_t j = i + 1; j < rows.size(); ++j)
				(void) link(rows[i], rows[j]);
	}

	// The rows that have a k-th key in common, in their order.
	template <class Visit>
	void for_each_bucket(std::span<const std::uint32_t> rows, std::size_t k, KeyedRow *sorted, const Visit &visit)
	{
		for (std::size_t i = 0; i < rows.size(); ++i) {
			memory_.host().poll();
			sorted[i] = KeyedRow::of(key_of(joined_, rows_[rows[i]], k), rows[i]);
		}
		sort_rows(memory_.host(), {sorted, rows.size()});
		for (std::size_t begin = 0, end; begin < rows.size(); begin = end) {
			for (end = begin + 1; end < rows.size() && sorted[end].key() == sorted[begin].key();)
				++end;
			visit(std::span<const KeyedRow>(sorted + begin, end - begin));
		}
	}

	// False if they are not similar. A pair may come more than once.
	bool link(std::uint32_t i, std::uint32_t j)
	{
		memory_.host().poll();
		if (!joined_.similar(rows_[i], rows_[j]))
			return false;
		if (count_ == 4 * n_)
			reduce();
		links_[count_++] = {joined_.similarity(rows_[i], rows_[j]), i, j};
		return true;
	}

	void reduce()
	{
		sort_polling(links_, links_ + count_, is_closer, [this] { memory_.host().poll(); });
		UnionFind sets(begin_sets(parents_));
		std::uint32_t kept = 0;
		for (std::uint32_t i = 0; i < count_; ++i)
			if (!sets.connected(links_[i].a, links_[i].b)) {
				sets.unite(links_[i].a, links_[i].b);
				links_[kept++] = links_[i];
			}
		count_ = kept;
	}

	JoinedRows &joined_;
	std::span<const std::uint32_t> rows_;
	EqualRows equal_;
	Scratch &memory_;
	std::uint32_t n_, max_size_, count_ = 0;
	WeightedLink *links_;
	std::uint32_t *parents_, *sizes_, *parts_;
	double *formed_; // by the first row of a part
};

EqualRows equal_rows(JoinedRows &joined, std::size_t rows, Scratch &memory)
{
	const EqualRows equal{memory.span<std::uint32_t>(rows), memory.span<std::uint32_t>(rows)};
	joined.read_heads(equal.heads);
	std::fill(equal.first.begin(), equal.first.end(), no_element);
	return equal;
}

} // namespace

NestedComponents nested_components(
	JoinHost &host, JoinedRows &joined, std::uint32_t rows, std::span<const double> thresholds)
{
	NestedComponents components{thresholds, host.array<std::span<std::uint32_t>>(thresholds.size())};
	for (std::size_t i = 0; i < thresholds.size(); ++i) {
		components.labels[i] = {host.array<std::uint32_t>(rows), rows};
		for (std::uint32_t row = 0; row < rows; ++row)
			components.labels[i][row] = row;
	}
	ThresholdSink sink(host, components);
	const std::span<std::uint32_t> heads(host.array<std::uint32_t>(rows), rows);
	joined.read_heads(heads);
	for (std::uint32_t row = 0; row < rows; ++row)
		if (heads[row] != row)
			sink.pair(heads[row], row, joined.similarity(heads[row], row));
	host.free(heads.data());
	joined.pairs_of_heads(sink);
	for (std::size_t i = 0; i < thresholds.size(); ++i)
		for (std::uint32_t row = 0; row < rows; ++row)
			components.labels[i][row] = UnionFind(components.labels[i].data()).find(row);
	return components;
}

double *cut_clusters(
	JoinHost &host, JoinedRows &joined, std::span<std::uint32_t> labels, ClusterMode mode, std::uint32_t max_size)
{
	auto *formed = host.array<double>(labels.size());
	std::fill_n(formed, labels.size(), std::numeric_limits<double>::quiet_NaN());
	Scratch whole(host);
	auto *next = whole.array<std::uint32_t>(labels.size());
	chain_groups(labels, next);
	const EqualRows equal = equal_rows(joined, labels.size(), whole);
	for (std::uint32_t root = 0; root < labels.size(); ++root) {
		if (labels[root] != root)
			continue;
		std::size_t n = 0;
		for (std::uint32_t row = root; row != no_element; row = next[row])
			++n;
		if (n <= max_size)
			continue;
		Scratch memory(host);
		auto *rows = memory.array<std::uint32_t>(n);
		n = 0;
		for (std::uint32_t row = root; row != no_element; row = std::exchange(next[row], no_element))
			rows[n++] = row;
		Cutter cutter(joined, {rows, n}, max_size, equal, memory);
		if (mode == ClusterMode::star)
			cutter.cut_star();
		else
			cutter.raise_threshold();
		cutter.store(labels, formed);
		memory.close();
	}
	whole.close();
	return formed;
}

} // namespace txtfp::core
