#include "cli/join.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "cli/failure.hpp"
#include "cli/pair_sorter.hpp"
#include "cli/stop.hpp"
#include "core/join/exact_join.hpp"

namespace txtfp::cli {

namespace {

using core::KeyedRow;

bool is_hashed(Kind kind) { return kind == &core::kind_of(core::kind_simhash64); }

[[noreturn]] void fail_memory(Kind kind, std::size_t rows, std::size_t row_bytes)
{
	throw Failure("the join of " + std::to_string(rows) + " values of " + std::string(kind->type) + " takes " +
		std::to_string(rows * row_bytes * 2 / 1000000 + 1) + " MB; allow more with --memory");
}

// The rows of a simhash64, by value.
core::HammingGroups simhash_groups(
	const Collection &collection, const core::RowOrder &order, const JoinOptions &options, core::JoinHost &host)
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
			rows.push_back(KeyedRow::of(bits, order.rank_of(row)));
		}
	core::HammingGroups groups;
	groups.build(host, order, rows);
	return groups;
}

// Compares every value with every other. Calls fn(worker, a, b, measure), a < b, in several workers.
class FullJoin {
public:
	FullJoin(const Collection &collection, const core::RowOrder &order, const JoinOptions &options, Workers &workers)
		: kind_(collection.kind()), item_(kind_->row_bytes), options_(options), workers_(workers)
	{
		const std::vector<char> has_value = collection.have_values();
		for (std::uint32_t row = 0; row < collection.rows(); ++row)
			if (has_value[row] != 0)
				rows_.push_back(order.rank_of(row));
		if (rows_.size() * item_ > 2 * options.memory)
			fail_memory(kind_, rows_.size(), item_);
		std::sort(rows_.begin(), rows_.end());
		values_.resize(rows_.size() * item_);
		for (std::size_t i = 0; i < rows_.size(); ++i) {
			Value buffer;
			std::memcpy(&values_[i * item_], collection.value(order.number_of(rows_[i]), buffer), item_);
		}
	}

	template <class Fn> void run(Fn fn)
	{
		if (kind_ == &core::kind_of(core::kind_tlsh))
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
	std::vector<std::uint32_t> rows_; // ranks
	std::vector<std::uint8_t> values_;
};

// Passes pairs of the core on to a function, in order.
class SortedPairs final : public core::PairSink {
public:
	SortedPairs(std::uint64_t memory, const std::string &directory) : sorter_(memory, directory) {}
	void pair(std::uint32_t a, std::uint32_t b, double measure) override
	{
		sorter_.add({a, b, static_cast<std::int32_t>(measure)});
	}
	void for_each(const std::function<void(const Pair &)> &fn) { sorter_.for_each_sorted(fn); }

private:
	PairSorter sorter_;
};

} // namespace

Join::Join(const Collection &collection, const JoinOptions &options, const std::string &directory, Workers &workers,
	std::vector<std::uint32_t> numbers)
	: collection_(collection), options_(options), directory_(directory), workers_(workers), numbers_(std::move(numbers)),
	  ranks_(numbers_.size())
{
	for (std::uint32_t rank = 0; rank < numbers_.size(); ++rank)
		ranks_[numbers_[rank]] = rank;
	if (!numbers_.empty())
		order_ = {.ranks = ranks_.data(), .numbers = numbers_.data()};
	if (collection.kind()->is_sketch())
		finish_sketches();
	if (is_hashed(collection.kind()))
		groups_ = simhash_groups(collection, order_, options, workers.own_host());
}

void Join::finish_sketches()
{
	workers_.begin_progress("finding equal sketches", collection_.rows(), "rows");
	const auto open = [&]<class Slot>(core::MinhashRows<Slot> &rows, auto &own) {
		rows.finish(order_, workers_);
		own.emplace(rows, workers_, collection_.kind()->slots, static_cast<unsigned>(options_.bound));
		own->open(workers_.own_host());
		sketches_ = &*own;
	};
	if (collection_.kind()->compact)
		open(std::get<core::MinhashRows<std::uint8_t>>(collection_.sketches()), compact_);
	else
		open(std::get<core::MinhashRows<std::uint64_t>>(collection_.sketches()), full_);
	workers_.end();
}

int Join::measure(std::uint32_t a, std::uint32_t b) const
{
	Value buffers[2];
	return collection_.kind()->measure_of(
		collection_.value(row_of(a), buffers[0]), collection_.value(row_of(b), buffers[1]));
}

bool Join::similar(std::uint32_t a, std::uint32_t b, unsigned worker)
{
	if (sketches_ != nullptr)
		return sketches_->similar(a, b, worker);
	return collection_.kind()->is_similar(measure(a, b), options_.bound);
}

double Join::similarity(std::uint32_t a, std::uint32_t b, unsigned worker)
{
	return sketches_ != nullptr ? sketches_->similarity(a, b, worker)
								: collection_.kind()->similarity_of(measure(a, b));
}

// Of a kind that is not minhash*: fn(worker, x, y, measure) for the pairs of heads; of simhash64 these are groups.
template <class Fn> void Join::for_each_close_pair(Fn fn)
{
	if (!is_hashed(collection_.kind()))
		return FullJoin(collection_, order_, options_, workers_).run(fn);
	groups_.for_each_close_pair(
		workers_.own_host(), order_, options_.bound,
		[&](std::uint64_t steps) { workers_.begin_progress("comparing", steps, "values"); },
		[&](std::uint32_t x, std::uint32_t y) { fn(0u, x, y, core::hamming(groups_.value(x), groups_.value(y))); });
}

std::uint32_t Join::head_of(std::uint32_t x) const
{
	return is_hashed(collection_.kind()) ? groups_.ranks(x)[0] : x;
}

void Join::connect(core::UnionFind &components)
{
	if (sketches_ != nullptr) {
		begin_comparing();
		sketches_->connect(components);
	} else {
		for (std::size_t g = 0; g < groups_.count(); ++g)
			for (const std::uint32_t rank : groups_.ranks(g))
				components.unite(groups_.ranks(g)[0], rank);
		for_each_close_pair([&](unsigned, std::uint32_t x, std::uint32_t y, int) {
			components.unite(head_of(x), head_of(y));
		});
	}
	workers_.end();
}

void Join::pairs_of_heads(core::PairSink &sink)
{
	if (sketches_ != nullptr) {
		begin_comparing();
		sketches_->pairs_of_heads(sink);
	} else {
		workers_.deliver_to(sink);
		for_each_close_pair([this](unsigned worker, std::uint32_t x, std::uint32_t y, int measure) {
			const std::uint32_t a = head_of(x), b = head_of(y);
			workers_.pair(worker, std::min(a, b), std::max(a, b), collection_.kind()->similarity_of(measure));
		});
	}
	workers_.end();
}

// Of tlsh and lavinhash each row is its own head.
void Join::read_heads(std::span<std::uint32_t> heads)
{
	if (sketches_ != nullptr)
		return sketches_->read_heads(heads);
	std::iota(heads.begin(), heads.end(), 0u);
	for (std::size_t g = 0; g < groups_.count(); ++g)
		for (const std::uint32_t rank : groups_.ranks(g))
			heads[rank] = groups_.ranks(g)[0];
}

void Join::pairs(const std::function<void(const Pair &)> &fn)
{
	SortedPairs sorted(options_.memory / 2, directory_);
	workers_.deliver_to(sorted);
	const auto emit = [this](unsigned worker, std::uint32_t a, std::uint32_t b, auto measure) {
		workers_.pair(worker, a, b, static_cast<double>(measure));
	};
	if (sketches_ != nullptr) {
		begin_comparing();
		std::visit([&](auto &rows) { rows.pairs(workers_, emit); }, collection_.sketches());
	} else {
		for (std::size_t g = 0; g < groups_.count(); ++g)
			groups_.for_each_pair(order_, g, [&](std::uint32_t a, std::uint32_t b) { emit(0u, a, b, 0); });
		for_each_close_pair([&](unsigned worker, std::uint32_t x, std::uint32_t y, int measure) {
			if (is_hashed(collection_.kind()))
				groups_.for_each_pair(
					order_, x, y, [&](std::uint32_t a, std::uint32_t b) { emit(worker, a, b, measure); });
			else
				emit(worker, x, y, measure);
		});
	}
	workers_.end();
	sorted.for_each(fn);
}

} // namespace txtfp::cli
