#include "cli/join.hpp"

#include <cstring>
#include <numeric>

#include "cli/failure.hpp"
#include "cli/pair_sorter.hpp"
#include "cli/stop.hpp"
#include "core/base/union_find.hpp"
#include "core/join/exact_join.hpp"
#include "core/join/hamming_groups.hpp"

namespace txtfp::cli {

namespace {

using core::KeyedRow;

[[noreturn]] void fail_memory(Kind kind, std::size_t rows, std::size_t row_bytes)
{
	throw Failure("the join of " + std::to_string(rows) + " values of " + std::string(kind_name(kind)) + " takes " +
		std::to_string(rows * row_bytes * 2 / 1000000 + 1) + " MB; allow more with --memory");
}

// The rows of a simhash64, by value.
core::HammingGroups simhash_groups(const Collection &collection, const JoinOptions &options, core::JoinHost &host)
{
	constexpr std::uint64_t row_bytes = 40;
	if (collection.rows() * row_bytes > 2 * options.memory)
		fail_memory(collection.kind(), collection.rows(), row_bytes);
	std::vector<KeyedRow> rows;
	const std::vector<char> has_value = collection.have_values();
	for (std::uint32_t row = 0; row < collection.rows(); ++row)
		if (has_value[row] != 0) {
			Value buffer;
			std::uint64_t bits;
			std::memcpy(&bits, collection.value(row, buffer), sizeof bits);
			rows.push_back(KeyedRow::of(bits, row));
		}
	core::HammingGroups groups;
	groups.build(host, {}, rows);
	return groups;
}

// Compares every value with every other. Calls fn(worker, a, b, measure), a < b, in several workers.
class FullJoin {
public:
	FullJoin(const Collection &collection, const JoinOptions &options, Workers &workers)
		: kind_(collection.kind()), item_(value_bytes(kind_)), options_(options), workers_(workers)
	{
		const std::vector<char> has_value = collection.have_values();
		for (std::uint32_t row = 0; row < collection.rows(); ++row)
			if (has_value[row] != 0)
				rows_.push_back(row);
		if (rows_.size() * item_ > 2 * options.memory)
			fail_memory(kind_, rows_.size(), item_);
		values_.resize(rows_.size() * item_);
		for (std::size_t i = 0; i < rows_.size(); ++i) {
			Value buffer;
			std::memcpy(&values_[i * item_], collection.value(rows_[i], buffer), item_);
		}
	}

	template <class Fn> void run(Fn fn)
	{
		if (kind_ == core::kind_tlsh)
			run_on<core::TlshValues>(fn);
		else
			run_on<core::LavinhashValues>(fn);
	}

private:
	template <class Values, class Fn> void run_on(Fn &fn)
	{
		const std::size_t tasks = core::exact_tasks(rows_.size());
		workers_.begin_progress("comparing", tasks, "tiles");
		workers_.for_each(tasks, [&](unsigned worker, std::size_t task) {
			const core::TilePair tiles(task, rows_.size());
			core::JoinHost &host = workers_.host(worker);
			core::join_tiles<Values>(
				tiles, &values_[tiles.x * item_], &values_[tiles.y * item_], options_.bound, [&] { host.poll(); },
				[&](std::size_t i, std::size_t j) {
					fn(worker, rows_[i], rows_[j], Values::measure(&values_[i * item_], &values_[j * item_]));
				});
			host.progress(1);
		});
	}

	Kind kind_;
	std::size_t item_;
	JoinOptions options_;
	Workers &workers_;
	std::vector<std::uint32_t> rows_;
	std::vector<std::uint8_t> values_;
};

} // namespace

void Join::finish_sketches()
{
	workers_.begin_progress("finding equal sketches", collection_.rows(), "rows");
	std::visit([&](auto &sketches) { sketches.finish({}, workers_); }, collection_.sketches());
	workers_.end();
	workers_.begin_progress("comparing", collection_.rows(), "rows");
}

std::vector<std::uint32_t> Join::components()
{
	std::vector<std::uint32_t> parents(collection_.rows());
	std::iota(parents.begin(), parents.end(), 0u);
	core::UnionFind components(parents.data());
	if (is_minhash(collection_.kind())) {
		finish_sketches();
		std::visit([&](auto &sketches) { sketches.connect(workers_, components); }, collection_.sketches());
	} else if (collection_.kind() == core::kind_simhash64) {
		const core::HammingGroups groups = simhash_groups(collection_, options_, workers_.own_host());
		for (std::size_t g = 0; g < groups.count(); ++g)
			for (const std::uint32_t row : groups.ranks(g))
				components.unite(groups.ranks(g)[0], row);
		groups.for_each_close_pair(
			workers_.own_host(), {}, options_.bound,
			[&](std::uint64_t steps) { workers_.begin_progress("comparing", steps, "values"); },
			[&](std::uint32_t x, std::uint32_t y) { components.unite(groups.ranks(x)[0], groups.ranks(y)[0]); });
	} else {
		FullJoin(collection_, options_, workers_).run([&](unsigned, std::uint32_t a, std::uint32_t b, int) {
			components.unite(a, b);
		});
	}
	workers_.end();
	std::vector<std::uint32_t> labels(parents.size());
	for (std::uint32_t row = 0; row < labels.size(); ++row)
		labels[row] = components.find(row);
	return labels;
}

namespace {

// One forest for each bound of minhash*.
class Forests {
public:
	Forests(std::size_t rows, const std::vector<int> &bounds) : bounds_(bounds), parents_(bounds.size())
	{
		for (std::vector<std::uint32_t> &parents : parents_) {
			parents.resize(rows);
			std::iota(parents.begin(), parents.end(), 0u);
		}
	}
	// Several workers may do so at once.
	void unite(std::uint32_t a, std::uint32_t b, std::size_t equal)
	{
		for (std::size_t i = 0; i < bounds_.size(); ++i)
			if (static_cast<int>(equal) >= bounds_[i])
				core::UnionFind(parents_[i].data()).unite(a, b);
	}
	std::vector<std::vector<std::uint32_t>> labels()
	{
		for (std::vector<std::uint32_t> &parents : parents_)
			for (std::uint32_t row = 0; row < parents.size(); ++row)
				parents[row] = core::UnionFind(parents.data()).find(row);
		return std::move(parents_);
	}

private:
	const std::vector<int> &bounds_;
	std::vector<std::vector<std::uint32_t>> parents_;
};

} // namespace

std::vector<std::vector<std::uint32_t>> Join::nested_components(const std::vector<int> &bounds)
{
	Forests forests(collection_.rows(), bounds);
	finish_sketches();
	const auto unite_all = [&](auto &sketches) {
		for (std::uint32_t row = 0; row < sketches.rows(); ++row)
			if (const std::uint32_t first = sketches.head(row); first != row)
				forests.unite(first, row, slots_of(collection_.kind()));
		sketches.pairs_of_heads(
			workers_, [&](unsigned, std::uint32_t a, std::uint32_t b, unsigned equal) { forests.unite(a, b, equal); });
	};
	std::visit(unite_all, collection_.sketches());
	workers_.end();
	return forests.labels();
}

std::vector<std::uint32_t> Join::components_and_neighbours(int bound, std::vector<std::uint32_t> &neighbours)
{
	const std::vector<int> bounds = {bound};
	Forests forests(collection_.rows(), bounds);
	finish_sketches();
	const auto count = [&](auto &sketches) {
		std::vector<std::uint32_t> copies(sketches.rows()), counts(sketches.rows()); // of the first copies
		for (std::uint32_t row = 0; row < sketches.rows(); ++row) {
			forests.unite(sketches.head(row), row, slots_of(collection_.kind()));
			++copies[sketches.head(row)];
		}
		sketches.pairs_of_heads(workers_, [&](unsigned, std::uint32_t a, std::uint32_t b, unsigned equal) {
			forests.unite(a, b, equal);
			__atomic_fetch_add(&counts[a], copies[b], __ATOMIC_RELAXED);
			__atomic_fetch_add(&counts[b], copies[a], __ATOMIC_RELAXED);
		});
		neighbours.resize(sketches.rows());
		for (std::uint32_t row = 0; row < sketches.rows(); ++row) {
			const std::uint32_t first = sketches.head(row);
			neighbours[row] = counts[first] + copies[first] - 1;
		}
	};
	std::visit(count, collection_.sketches());
	workers_.end();
	return std::move(forests.labels()[0]);
}

std::vector<std::uint32_t> Join::rows_of_clusters(
	const std::vector<std::uint32_t> &labels, const std::vector<std::uint32_t> &ranked)
{
	std::vector<std::uint32_t> order;
	std::vector<char> has_others(labels.size());
	for (std::uint32_t row = 0; row < labels.size(); ++row)
		if (labels[row] != row)
			has_others[labels[row]] = 1;
	for (std::uint32_t i = 0; i < labels.size(); ++i) {
		const std::uint32_t row = ranked.empty() ? i : ranked[i];
		if (has_others[labels[row]] != 0)
			order.push_back(row);
	}
	std::stable_sort(
		order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) { return labels[x] < labels[y]; });
	return order;
}

void Join::cut_into_stars(std::vector<std::uint32_t> &labels, const std::vector<std::uint32_t> &ranked)
{
	const std::vector<std::uint32_t> order = rows_of_clusters(labels, ranked);
	const std::vector<std::uint32_t> components = labels;
	workers_.begin_progress("cutting clusters into stars", order.size(), "rows");
	std::vector<std::uint32_t> left;
	Value buffers[2];
	for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
		for (end = begin; end < order.size() && components[order[end]] == components[order[begin]];)
			++end;
		left.assign(
			order.begin() + static_cast<std::ptrdiff_t>(begin), order.begin() + static_cast<std::ptrdiff_t>(end));
		while (!left.empty()) {
			stop_token.check();
			const std::uint32_t centre = left[0];
			const std::uint8_t *value = collection_.value(centre, buffers[0]);
			std::erase_if(left, [&](std::uint32_t row) {
				if (row != centre && !similar(compare(collection_.kind(), value, collection_.value(row, buffers[1]))))
					return false;
				labels[row] = centre;
				return true;
			});
		}
		workers_.at(end);
	}
	workers_.end();
}

void Join::pairs(const std::function<void(const Pair &)> &fn)
{
	PairSorter sorter(options_.memory / 2, directory_);
	workers_.deliver_to([&sorter](const Pair &pair) { sorter.add(pair); });
	if (is_minhash(collection_.kind())) {
		finish_sketches();
		const auto emit = [this](unsigned worker, std::uint32_t a, std::uint32_t b, unsigned equal) {
			workers_.pair(worker, {a, b, static_cast<std::int32_t>(equal)});
		};
		std::visit([&](auto &sketches) { sketches.pairs(workers_, emit); }, collection_.sketches());
	} else if (collection_.kind() == core::kind_simhash64) {
		const core::HammingGroups groups = simhash_groups(collection_, options_, workers_.own_host());
		for (std::size_t g = 0; g < groups.count(); ++g)
			groups.for_each_pair({}, g, [&](std::uint32_t a, std::uint32_t b) { sorter.add({a, b, 0}); });
		groups.for_each_close_pair(
			workers_.own_host(), {}, options_.bound,
			[&](std::uint64_t steps) { workers_.begin_progress("comparing", steps, "values"); },
			[&](std::uint32_t x, std::uint32_t y) {
				const int distance = core::hamming(groups.value(x), groups.value(y));
				groups.for_each_pair({}, x, y, [&](std::uint32_t a, std::uint32_t b) { sorter.add({a, b, distance}); });
			});
	} else {
		FullJoin(collection_, options_, workers_)
			.run([this](unsigned worker, std::uint32_t a, std::uint32_t b, int measure) {
				workers_.pair(worker, {a, b, measure});
			});
	}
	workers_.end();
	sorter.for_each_sorted(fn);
}

} // namespace txtfp::cli
