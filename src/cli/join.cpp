#include "cli/join.hpp"

#include <cstring>
#include <numeric>

#include "cli/band_rounds.hpp"
#include "cli/failure.hpp"
#include "cli/pair_sorter.hpp"
#include "core/base/union_find.hpp"
#include "core/minhash/bucket_pairs.hpp"
#include "core/minhash/minhash_join.hpp"
#include "core/simhash/hamming_join.hpp"

namespace txtfp::cli {

namespace {

using core::KeyedRow;

// Gives the joins of the core access to the rows of a bucket; each thread has its own. If `bucket` is set, row numbers
// are positions in it.
class Sketches {
public:
	explicit Sketches(const Collection &collection)
		: collection_(collection),
		  buffers_((std::max(core::bucket_limit, core::pair_bucket_limit) + 2) * collection.slots())
	{
	}

	const std::uint64_t *sketch(std::uint32_t row, std::uint64_t *buffer)
	{
		if (!bucket_.empty())
			row = bucket_[row].row;
		Value value;
		const std::uint8_t *bytes = collection_.value(row, value);
		if (bytes != value.bytes)
			return reinterpret_cast<const std::uint64_t *>(bytes);
		std::memcpy(buffer, bytes, value_bytes(collection_.kind()));
		return buffer;
	}
	std::span<KeyedRow> scratch(std::size_t rows)
	{
		if (scratch_.size() < 4 * rows) // in proportion to the bucket, so the order of work does not depend on memory
			scratch_.resize(4 * rows);
		return {scratch_.data(), 4 * rows};
	}
	void poll() const
	{
		if ((++polls_ & 0xFF) == 0)
			stop_token.check();
	}
	void *take(std::size_t bytes)
	{
		taken_.emplace_back(new char[bytes]);
		return taken_.back().get();
	}
	void give(void *memory)
	{
		std::erase_if(taken_, [memory](const auto &owned) { return owned.get() == memory; });
	}

	std::uint64_t *buffers() noexcept { return buffers_.data(); }
	void see(std::span<const KeyedRow> bucket) noexcept { bucket_ = bucket; }

private:
	const Collection &collection_;
	std::vector<std::uint64_t> buffers_;
	std::vector<KeyedRow> scratch_;
	std::vector<std::unique_ptr<char[]>> taken_;
	std::span<const KeyedRow> bucket_;
	mutable unsigned polls_ = 0;
};

// The join of minhash*. Rows with equal sketches are found first; only the first row of each group, its head, is
// joined.
class MinhashJoin {
public:
	MinhashJoin(const Collection &collection, const JoinOptions &options, Progress &progress)
		: collection_(collection), options_(options), progress_(progress),
		  rounds_(collection, options.threads, options.memory), take_(collection.have_values())
	{
		for (unsigned thread = 0; thread < std::max(1u, options.threads); ++thread)
			sketches_.push_back(std::make_unique<Sketches>(collection));
	}

	// Leaves only heads in take_. Calls fn(head, row) under a lock for each row whose sketch equals its head's.
	template <class Fn> void find_copies(Fn fn)
	{
		progress_.begin("finding equal sketches", 0, "rows");
		std::vector<char> heads = take_;
		rounds_.for_each_range(-1, take_, [&](std::span<KeyedRow> rows, unsigned) {
			std::vector<std::pair<std::uint32_t, std::uint32_t>> copies;
			core::for_each_run(rows, [&](std::span<KeyedRow> run) { compare_to_heads(run, copies); });
			const std::lock_guard lock(mutex_);
			for (const auto &[head, row] : copies) {
				heads[row] = 0;
				fn(head, row);
			}
		});
		take_ = std::move(heads);
		progress_.end();
	}

	std::vector<std::uint32_t> components()
	{
		std::vector<std::uint32_t> parents(collection_.rows()), labels(collection_.rows());
		std::iota(parents.begin(), parents.end(), 0u);
		core::UnionFind components(parents.data());
		find_copies([&](std::uint32_t head, std::uint32_t row) { components.unite(head, row); });
		// A band uses the components that the bands before it found, not its own, so the order of its buckets does not
		// matter.
		const auto label_all = [&] {
			for (std::uint32_t row = 0; row < labels.size(); ++row)
				labels[row] = components.find(row);
		};
		label_all();
		const int bands = collection_.banding().bands;
		progress_.begin("comparing", static_cast<std::uint64_t>(bands), "bands");
		for (int band = 0; band < bands; ++band) {
			rounds_.for_each_range(band, take_, [&](std::span<KeyedRow> rows, unsigned thread) {
				Edges edges;
				core::for_each_run(
					rows, [&](std::span<KeyedRow> run) { connect(run, labels, *sketches_[thread], edges); });
				const std::lock_guard lock(mutex_);
				for (const auto &[a, b] : edges)
					components.unite(a, b);
			});
			label_all();
			progress_.at(static_cast<std::uint64_t>(band) + 1);
		}
		progress_.end();
		return labels;
	}

	void pairs(PairSorter &sorter)
	{
		std::vector<std::uint32_t> first(collection_.rows()), next(collection_.rows());
		std::iota(first.begin(), first.end(), 0u);
		find_copies([&](std::uint32_t head, std::uint32_t row) { first[row] = head; });
		core::chain_groups(first, next.data());
		pair_copies(first, next, sorter);
		const int bands = collection_.banding().bands;
		progress_.begin("comparing", static_cast<std::uint64_t>(bands), "bands");
		for (int band = 0; band < bands; ++band) {
			rounds_.for_each_range(band, take_, [&](std::span<KeyedRow> rows, unsigned thread) {
				std::vector<Pair> found;
				core::for_each_run(
					rows, [&](std::span<KeyedRow> run) { find_pairs(run, next, *sketches_[thread], sorter, found); });
				sorter.add(found);
			});
			progress_.at(static_cast<std::uint64_t>(band) + 1);
		}
		progress_.end();
	}

private:
	using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

	// Compares the sketches: two different ones with the same hash are improbable, but must not be confused.
	void compare_to_heads(std::span<KeyedRow> run, Edges &copies)
	{
		Value buffers[2];
		const std::uint8_t *head = collection_.value(run[0].row, buffers[0]);
		for (const KeyedRow &row : run.subspan(1)) {
			stop_token.check();
			if (std::memcmp(head, collection_.value(row.row, buffers[1]), value_bytes(collection_.kind())) == 0)
				copies.emplace_back(run[0].row, row.row);
		}
	}

	// Joins the rows of one bucket with the core's BucketJoin, which numbers them from 0.
	void connect(std::span<KeyedRow> run, const std::vector<std::uint32_t> &labels, Sketches &sketches, Edges &edges)
	{
		const std::uint32_t label = labels[run[0].row];
		if (std::all_of(run.begin() + 1, run.end(), [&](const KeyedRow &row) { return labels[row.row] == label; }))
			return;
		std::vector<KeyedRow> by_label(run.size()), local(run.size());
		std::vector<std::uint32_t> parents(run.size());
		core::UnionFind components(parents.data());
		for (std::uint32_t i = 0; i < run.size(); ++i) {
			components.add(i);
			by_label[i] = KeyedRow::of(labels[run[i].row], i);
			local[i] = KeyedRow::of(run[i].key(), i);
		}
		core::sort_rows(by_label, 32);
		core::for_each_run(std::span(by_label), [&](std::span<KeyedRow> same) {
			for (const KeyedRow &row : same)
				components.unite(same[0].row, row.row);
		});
		sketches.see(run);
		core::BucketJoin<Sketches> join(
			sketches, collection_.slots(), static_cast<unsigned>(options_.bound), sketches.buffers());
		join.connect(local, components);
		sketches.see({});
		for (std::uint32_t i = 0; i < run.size(); ++i)
			if (const std::uint32_t root = components.find(i); labels[run[root].row] != labels[run[i].row])
				edges.emplace_back(run[root].row, run[i].row);
	}

	void find_pairs(std::span<KeyedRow> run, const std::vector<std::uint32_t> &next, Sketches &sketches,
		PairSorter &sorter, std::vector<Pair> &found)
	{
		core::BucketPairs<Sketches> join(sketches, collection_.slots(), static_cast<unsigned>(options_.bound),
			collection_.banding(), sketches.buffers());
		join.find(run, [&](std::uint32_t x, std::uint32_t y, unsigned equal) {
			for (std::uint32_t a = x; a != core::no_element; a = next[a])
				for (std::uint32_t b = y; b != core::no_element; b = next[b])
					add({std::min(a, b), std::max(a, b), static_cast<std::int32_t>(equal)}, sorter, found);
		});
	}

	static void add(const Pair &pair, PairSorter &sorter, std::vector<Pair> &found)
	{
		found.push_back(pair);
		if (found.size() == 1 << 14) {
			stop_token.check();
			sorter.add(found);
			found.clear();
		}
	}

	void pair_copies(
		const std::vector<std::uint32_t> &first, const std::vector<std::uint32_t> &next, PairSorter &sorter)
	{
		std::vector<Pair> found;
		const auto all = static_cast<std::int32_t>(collection_.slots());
		for (std::uint32_t head = 0; head < first.size(); ++head)
			if (first[head] == head)
				for (std::uint32_t a = head; a != core::no_element; a = next[a])
					for (std::uint32_t b = next[a]; b != core::no_element; b = next[b])
						add({a, b, all}, sorter, found);
		sorter.add(found);
	}

	const Collection &collection_;
	JoinOptions options_;
	Progress &progress_;
	BandRounds rounds_;
	std::vector<char> take_;
	std::vector<std::unique_ptr<Sketches>> sketches_;
	std::mutex mutex_;
};

// The join of simhash64. It joins the distinct values; each has a list of rows.
class SimhashJoin {
public:
	static constexpr std::uint64_t row_bytes = 40;

	SimhashJoin(const Collection &collection, const JoinOptions &options, Progress &progress)
		: options_(options), progress_(progress)
	{
		if (collection.rows() * row_bytes > 2 * options.memory)
			throw Failure("the join of " + std::to_string(collection.rows()) + " values of simhash64 takes " +
				std::to_string(collection.rows() * row_bytes * 2 / 1000000 + 1) + " MB; allow more with --memory");
		std::vector<KeyedRow> sorted;
		const std::vector<char> take = collection.have_values();
		for (std::uint32_t row = 0; row < collection.rows(); ++row)
			if (take[row] != 0) {
				Value buffer;
				std::uint64_t bits;
				std::memcpy(&bits, collection.value(row, buffer), sizeof bits);
				sorted.push_back(KeyedRow::of(bits, row));
			}
		core::sort_rows(sorted);
		for (const KeyedRow &row : sorted) {
			if (values_.empty() || values_.back() != row.key()) {
				groups_.push_back(static_cast<std::uint32_t>(rows_.size()));
				values_.push_back(row.key());
			}
			rows_.push_back(row.row);
		}
		groups_.push_back(static_cast<std::uint32_t>(rows_.size()));
	}

	// Calls fn(value, value) for distinct values within the bound, and same(rows) for the rows of each value.
	template <class Pairs, class Same> void run(Pairs pairs, Same same)
	{
		for (std::uint32_t g = 0; g < values_.size(); ++g)
			same(group(g));
		std::vector<std::uint64_t> values(values_.size());
		std::vector<std::uint32_t> places(values_.size()), offsets(core::hamming_block_values + 1);
		std::uint64_t done = 0;
		const auto poll = [&](std::uint64_t steps) {
			stop_token.check();
			progress_.at(done += steps);
		};
		core::HammingJoin join(values_, options_.bound, {values.data(), places.data(), offsets.data()}, pairs, poll);
		progress_.begin("comparing", join.steps(), "values");
		join.run();
		progress_.end();
	}
	std::span<const std::uint32_t> group(std::uint32_t g) const
	{
		return {rows_.data() + groups_[g], rows_.data() + groups_[g + 1]};
	}
	std::uint64_t value(std::uint32_t g) const { return values_[g]; }

private:
	JoinOptions options_;
	Progress &progress_;
	std::vector<std::uint64_t> values_;
	std::vector<std::uint32_t> groups_, rows_;
};

// Compares every value with every other. Calls fn(a, b, measure, thread), a < b, from several threads.
class FullJoin {
public:
	FullJoin(const Collection &collection, const JoinOptions &options, Progress &progress)
		: kind_(collection.kind()), item_(value_bytes(kind_)), options_(options), progress_(progress)
	{
		const std::vector<char> take = collection.have_values();
		for (std::uint32_t row = 0; row < collection.rows(); ++row)
			if (take[row] != 0)
				rows_.push_back(row);
		if (rows_.size() * item_ > 2 * options.memory)
			throw Failure("the join of " + std::to_string(rows_.size()) + " values of " +
				std::string(kind_name(kind_)) + " takes " + std::to_string(rows_.size() * item_ * 2 / 1000000 + 1) +
				" MB; allow more with --memory");
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
		progress_.begin("comparing", 0, "rows");
		for_each_index(core::exact_tasks(rows_.size()), options_.threads, [&](std::size_t task, unsigned thread) {
			const core::TilePair tiles(task, rows_.size());
			core::join_tiles<Values>(
				tiles, &values_[tiles.x * item_], &values_[tiles.y * item_], options_.bound, [] { stop_token.check(); },
				[&](std::size_t i, std::size_t j) {
					fn(rows_[i], rows_[j], Values::measure(&values_[i * item_], &values_[j * item_]), thread);
				});
		});
		progress_.end();
	}

	Kind kind_;
	std::size_t item_;
	JoinOptions options_;
	Progress &progress_;
	std::vector<std::uint32_t> rows_;
	std::vector<std::uint8_t> values_;
};

std::vector<std::uint32_t> labels_of(core::UnionFind components, std::size_t rows)
{
	std::vector<std::uint32_t> labels(rows);
	for (std::uint32_t row = 0; row < rows; ++row)
		labels[row] = components.find(row);
	return labels;
}

} // namespace

std::vector<std::uint32_t> Join::components()
{
	if (is_minhash(collection_.kind()))
		return MinhashJoin(collection_, options_, progress_).components();
	std::vector<std::uint32_t> parents(collection_.rows());
	std::iota(parents.begin(), parents.end(), 0u);
	core::UnionFind components(parents.data());
	if (collection_.kind() == core::kind_simhash64) {
		SimhashJoin join(collection_, options_, progress_);
		join.run([&](std::uint32_t x, std::uint32_t y) { components.unite(join.group(x)[0], join.group(y)[0]); },
			[&](std::span<const std::uint32_t> same) {
				for (const std::uint32_t row : same)
					components.unite(same[0], row);
			});
	} else {
		std::mutex mutex;
		FullJoin(collection_, options_, progress_).run([&](std::uint32_t a, std::uint32_t b, int, unsigned) {
			const std::lock_guard lock(mutex);
			components.unite(a, b);
		});
	}
	return labels_of(components, parents.size());
}

void Join::cut_into_stars(std::vector<std::uint32_t> &labels, const std::vector<std::uint32_t> &ranked)
{
	// The rows of all components of two or more rows, component by component, in the given order.
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
	const std::vector<std::uint32_t> components = labels;
	progress_.begin("cutting clusters into stars", order.size(), "rows");
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
		progress_.at(end);
	}
	progress_.end();
}

void Join::pairs(const std::function<void(const Pair &)> &fn)
{
	PairSorter sorter(options_.memory / 2, directory_);
	if (is_minhash(collection_.kind())) {
		MinhashJoin(collection_, options_, progress_).pairs(sorter);
	} else if (collection_.kind() == core::kind_simhash64) {
		SimhashJoin join(collection_, options_, progress_);
		std::vector<Pair> found;
		const auto add = [&](std::uint32_t a, std::uint32_t b, int distance) {
			found.push_back({std::min(a, b), std::max(a, b), distance});
			if (found.size() == 1 << 14) {
				sorter.add(found);
				found.clear();
			}
		};
		join.run(
			[&](std::uint32_t x, std::uint32_t y) {
				for (const std::uint32_t a : join.group(x))
					for (const std::uint32_t b : join.group(y))
						add(a, b, core::hamming(join.value(x), join.value(y)));
			},
			[&](std::span<const std::uint32_t> same) {
				for (std::size_t j = 1; j < same.size(); ++j)
					for (std::size_t i = 0; i < j; ++i)
						add(same[i], same[j], 0);
			});
		sorter.add(found);
	} else {
		std::vector<std::vector<Pair>> found(std::max(1u, options_.threads));
		FullJoin(collection_, options_, progress_)
			.run([&](std::uint32_t a, std::uint32_t b, int measure, unsigned thread) {
				found[thread].push_back({a, b, measure});
				if (found[thread].size() == 1 << 14) {
					sorter.add(found[thread]);
					found[thread].clear();
				}
			});
		for (const std::vector<Pair> &rest : found)
			sorter.add(rest);
	}
	sorter.for_each_sorted(fn);
}

} // namespace txtfp::cli
