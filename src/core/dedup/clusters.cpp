#include "core/dedup/clusters.hpp"

#include <algorithm>

#include "core/base/apart_sets.hpp"
#include "core/dedup/cluster_cuts.hpp"
#include "core/dedup/scratch.hpp"
#include "core/dedup/stars.hpp"

namespace txtfp::core {

namespace {

struct Link {
	double similarity;
	std::uint32_t a, b;
};

// One component, whose rows are numbered from 0 in the order of ranks.
class Divider {
public:
	Divider(Scratch &memory, JoinedRows &joined, std::span<const std::uint32_t> rows, std::size_t pairs)
		: memory_(memory), joined_(joined), rows_(rows), n_(static_cast<std::uint32_t>(rows.size())),
		  sets_({memory.array<std::uint32_t>(n_), memory.array<std::uint32_t>(n_), memory.array<std::uint32_t>(n_),
					memory.array<std::uint32_t>(n_), memory.array<ApartEntry>(2 * pairs)},
			  n_)
	{
	}

	void unite(const RankPair &pair) { sets_.unite(place(pair.a), place(pair.b)); }
	void keep_apart(const RankPair &pair) { sets_.keep_apart(place(pair.a), place(pair.b)); }

	// False: there are more than `most`.
	bool follow_links(std::size_t most)
	{
		const bool fits = collect_links(most);
		sort_polling(
			links_, links_ + link_count_,
			[](const Link &x, const Link &y) {
				return x.similarity != y.similarity ? x.similarity > y.similarity : x.a != y.a ? x.a < y.a : x.b < y.b;
			},
			[this] { memory_.host().poll(); });
		for (const Link &link : std::span(links_, link_count_))
			if (sets_.find(link.a) != sets_.find(link.b) && sets_.may_unite(link.a, link.b))
				sets_.unite(link.a, link.b);
		if (links_ != nullptr)
			memory_.host().free(links_);
		return fits;
	}

	void cut_stars()
	{
		ComparedRows similar(memory_.host(), joined_, rows_, sets_, memory_.array<std::uint32_t>(n_));
		cut_into_stars(n_, sets_, [&](std::uint32_t centre, auto visit) { similar(centre, visit); });
	}

	void cut_complete()
	{
		auto *next = memory_.array<std::uint32_t>(n_), *last = memory_.array<std::uint32_t>(n_),
			 *clusters = memory_.array<std::uint32_t>(n_);
		for (std::uint32_t row = 0; row < n_; ++row) { // the rows of each unit, in order
			next[row] = no_element;
			last[row] = row;
			if (const std::uint32_t unit = sets_.find(row); unit != row)
				last[unit] = next[last[unit]] = row;
		}
		std::uint32_t count = 0;
		for (std::uint32_t unit = 0; unit < n_; ++unit) {
			if (sets_.find(unit) != unit)
				continue;
			std::uint32_t at = 0;
			while (at < count && !(sets_.may_unite(clusters[at], unit) && are_similar(clusters[at], unit, next)))
				++at;
			if (at == count) {
				clusters[count++] = unit;
				continue;
			}
			const std::uint32_t cluster = clusters[at];
			sets_.unite(cluster, unit);
			next[last[cluster]] = unit;
			last[cluster] = last[unit];
		}
	}

	void store(std::span<std::uint32_t> labels)
	{
		for (std::uint32_t i = 0; i < n_; ++i)
			labels[rows_[i]] = rows_[sets_.find(i)];
	}

private:
	std::uint32_t place(std::uint32_t rank) const
	{
		return static_cast<std::uint32_t>(std::lower_bound(rows_.begin(), rows_.end(), rank) - rows_.begin());
	}

	bool is_link(std::uint32_t i, std::uint32_t j)
	{
		memory_.host().poll();
		return joined_.similar(rows_[i], rows_[j]);
	}

	// Every row of the one set to every row of the other?
	bool are_similar(std::uint32_t cluster, std::uint32_t unit, const std::uint32_t *next)
	{
		for (std::uint32_t i = cluster; i != no_element; i = next[i])
			for (std::uint32_t j = unit; j != no_element; j = next[j])
				if (!is_link(i, j))
					return false;
		return true;
	}

	bool collect_links(std::size_t most)
	{
		for (std::uint32_t i = 0; i < n_; ++i)
			for (std::uint32_t j = i + 1; j < n_; ++j) {
				if (sets_.find(i) == sets_.find(j) || !is_link(i, j))
					continue;
				if (link_count_ == most)
					return false;
				if (link_count_ == capacity_)
					links_ = memory_.host().enlarged(links_, capacity_ = std::max<std::size_t>(1024, 2 * capacity_));
				links_[link_count_++] = {joined_.similarity(rows_[i], rows_[j]), i, j};
			}
		return true;
	}

	Scratch &memory_;
	JoinedRows &joined_;
	std::span<const std::uint32_t> rows_;
	std::uint32_t n_;
	ApartSets sets_;
	Link *links_ = nullptr;
	std::size_t link_count_ = 0, capacity_ = 0;
};

// Sorts pairs by the component that both belong to.
void sort_by_component(JoinHost &host, std::span<RankPair> pairs, std::span<const std::uint32_t> labels)
{
	sort_polling(
		pairs.begin(), pairs.end(),
		[&](const RankPair &x, const RankPair &y) {
			return labels[x.a] != labels[y.a] ? labels[x.a] < labels[y.a] : x.a != y.a ? x.a < y.a : x.b < y.b;
		},
		[&] { host.poll(); });
}

// The pairs at the beginning that are of this component; they are taken away.
std::span<RankPair> split_component(
	std::span<RankPair> &pairs, std::span<const std::uint32_t> labels, std::uint32_t root)
{
	std::size_t n = 0;
	while (n < pairs.size() && labels[pairs[n].a] == root)
		++n;
	const std::span<RankPair> taken = pairs.first(n);
	pairs = pairs.subspan(n);
	return taken;
}

// Divides components into clusters, one after the other.
class Components {
public:
	Components(JoinHost &host, JoinedRows &joined, const DecidedPairs &pairs, const ClusterOptions &options,
		std::span<std::uint32_t> labels)
		: host_(host), memory_(host), joined_(joined), options_(options), labels_(labels), apart_(pairs.apart),
		  together_(pairs.together), next_(memory_.array<std::uint32_t>(labels.size()))
	{
		// Pairs in different components are apart anyway.
		apart_ = apart_.first(static_cast<std::size_t>(
			std::remove_if(apart_.begin(), apart_.end(),
				[&](const RankPair &pair) { return labels_[pair.a] != labels_[pair.b]; }) -
			apart_.begin()));
		sort_by_component(host_, apart_, labels_);
		sort_by_component(host_, together_, labels_);
		chain_groups(labels_, next_);
	}

	bool divide(TooManyLinks &wrong)
	{
		bool fits = true;
		for (std::uint32_t root = 0; fits && root < labels_.size(); ++root) {
			if (next_[root] == no_element || labels_[root] != root)
				continue;
			const std::span<RankPair> apart = split_component(apart_, labels_, root),
									  together = split_component(together_, labels_, root);
			if (options_.mode == ClusterMode::complete || !apart.empty() ||
				(options_.mode == ClusterMode::star && !together.empty()))
				fits = divide(take_rows(root), apart, together, wrong);
			else if (options_.mode == ClusterMode::star)
				cut_stars(take_rows(root));
		}
		if (buffer_ != nullptr)
			host_.free(buffer_);
		memory_.close();
		return fits;
	}

private:
	// The rows of a component, which none of its clusters is mistaken for afterwards.
	std::span<const std::uint32_t> take_rows(std::uint32_t root)
	{
		std::size_t n = 0;
		for (std::uint32_t row = root; row != no_element; row = next_[row])
			++n;
		if (3 * n > capacity_) // and room for what a component without pairs needs
			buffer_ = host_.enlarged(buffer_, capacity_ = 3 * std::max<std::size_t>(2 * n, 64));
		n = 0;
		for (std::uint32_t row = root; row != no_element; row = std::exchange(next_[row], no_element))
			buffer_[n++] = row;
		return {buffer_, n};
	}

	bool divide(std::span<const std::uint32_t> rows, std::span<const RankPair> apart,
		std::span<const RankPair> together, TooManyLinks &wrong)
	{
		Scratch memory(host_);
		Divider divider(memory, joined_, rows, apart.size());
		for (const RankPair &pair : together)
			divider.unite(pair);
		for (const RankPair &pair : apart)
			divider.keep_apart(pair);
		wrong = {rows.size(), options_.most_link_memory / sizeof(Link)};
		bool fits = true;
		if (options_.mode == ClusterMode::components)
			fits = divider.follow_links(wrong.most);
		else if (options_.mode == ClusterMode::star)
			divider.cut_stars();
		else
			divider.cut_complete();
		divider.store(labels_);
		memory.close();
		return fits;
	}

	void cut_stars(std::span<const std::uint32_t> rows)
	{
		const auto n = static_cast<std::uint32_t>(rows.size());
		std::uint32_t *stars = buffer_ + n, *next = stars + n;
		for (std::uint32_t row = 0; row < n; ++row)
			stars[row] = row;
		FreeRows sets{stars};
		ComparedRows similar(host_, joined_, rows, sets, next);
		cut_into_stars(n, sets, [&](std::uint32_t centre, auto visit) { similar(centre, visit); });
		for (std::uint32_t row = 0; row < n; ++row)
			labels_[rows[row]] = rows[stars[row]];
	}

	JoinHost &host_;
	Scratch memory_;
	JoinedRows &joined_;
	const ClusterOptions &options_;
	std::span<std::uint32_t> labels_;
	std::span<RankPair> apart_, together_;
	std::uint32_t *next_, *buffer_ = nullptr;
	std::size_t capacity_ = 0;
};

// The rows of clusters on their way to a sink.
class ComparedClusters {
public:
	ComparedClusters(JoinHost &host, JoinExecutor &executor, JoinedRows &joined, std::span<const std::uint32_t> labels,
		const std::uint32_t *sizes, PairSink &sink)
		: memory_(host), executor_(executor), joined_(joined), labels_(labels), sizes_(sizes), sink_(sink),
		  held_(memory_.array<std::span<std::uint32_t>>(executor.workers()))
	{
		std::fill_n(held_, executor.workers(), std::span<std::uint32_t>());
	}

	void put()
	{
		SerialExecutor serial(memory_.host());
		JoinExecutor &executor = joined_.compares_in_workers() ? executor_ : serial;
		executor.deliver_to(sink_);
		executor.for_each_part(
			static_cast<std::uint32_t>(labels_.size()), [&](unsigned worker, std::uint32_t first, std::uint32_t end) {
				executor.host(worker).poll();
				for (std::uint32_t next; first < end; first = next) {
					next = hold(first, end, worker);
					compare(executor, first, next, worker);
				}
			});
		memory_.close();
	}

private:
	// Returns the end of the rows from `first` on that are ready.
	std::uint32_t hold(std::uint32_t first, std::uint32_t end, unsigned worker)
	{
		const std::size_t most = joined_.rows_at_once(worker);
		if (most == 0)
			return end;
		std::span<std::uint32_t> &held = held_[worker];
		if (held.empty())
			held = {executor_.host(worker).array<std::uint32_t>(most), most};
		std::uint32_t row = first;
		std::size_t n = 0;
		for (; row < end && n + 2 <= most; ++row)
			if (labels_[row] != row && !joined_.are_copies(labels_[row], row)) {
				held[n++] = labels_[row];
				held[n++] = row;
			}
		std::sort(held.data(), held.data() + n);
		joined_.hold({held.data(), std::unique(held.data(), held.data() + n)}, worker);
		return row;
	}

	void compare(JoinExecutor &executor, std::uint32_t row, std::uint32_t end, unsigned worker)
	{
		constexpr std::uint32_t ahead = 16;
		for (; row < end; ++row) {
			if (worker == 0 && row + ahead < labels_.size()) // the rows of other workers are requested when they arrive
				sink_.request(labels_[row + ahead], row + ahead);
			const std::uint32_t cluster = labels_[row];
			if (cluster != row || sizes_[row] > 1)
				executor.pair(worker, cluster, row, cluster == row ? 1 : joined_.similarity(cluster, row, worker));
		}
	}

	Scratch memory_;
	JoinExecutor &executor_;
	JoinedRows &joined_;
	std::span<const std::uint32_t> labels_;
	const std::uint32_t *sizes_;
	PairSink &sink_;
	std::span<std::uint32_t> *held_; // of each worker: the rows that it has ready
};

} // namespace

std::span<std::uint32_t> connect(JoinHost &host, JoinExecutor &executor, JoinedRows &joined, std::uint32_t rows)
{
	const std::span<std::uint32_t> labels(host.array<std::uint32_t>(rows), rows);
	UnionFind components(labels.data());
	for (std::uint32_t row = 0; row < rows; ++row)
		components.add(row);
	joined.connect(components);
	executor.for_each_part(rows, [&](unsigned, std::uint32_t row, std::uint32_t end) {
		for (; row < end; ++row)
			components.settle(row);
	});
	return labels;
}

bool find_clusters(JoinHost &host, JoinedRows &joined, const DecidedPairs &pairs, const ClusterOptions &options,
	std::span<std::uint32_t> labels, double *&formed, TooManyLinks &wrong)
{
	formed = nullptr;
	if (!pairs.together.empty())
		unite_together(pairs, labels);
	if (options.mode != ClusterMode::components || !pairs.empty())
		if (!Components(host, joined, pairs, options, labels).divide(wrong))
			return false;
	if (options.max_size > 0)
		formed = cut_clusters(host, joined, labels, options.mode, options.max_size);
	return true;
}

void deliver_clusters(JoinHost &host, JoinExecutor &executor, JoinedRows &joined, std::span<const std::uint32_t> labels,
	const std::uint32_t *sizes, PairSink &sink)
{
	ComparedClusters(host, executor, joined, labels, sizes, sink).put();
}

} // namespace txtfp::core
