#include "cli/join.hpp"

#include "cli/failure.hpp"
#include "cli/pair_sorter.hpp"
#include "cli/stop.hpp"

namespace txtfp::cli {

namespace {

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
	: collection_(collection), options_(options), directory_(directory), workers_(workers),
	  numbers_(std::move(numbers)), ranks_(numbers_.size())
{
	for (std::uint32_t rank = 0; rank < numbers_.size(); ++rank)
		ranks_[numbers_[rank]] = rank;
	if (!numbers_.empty())
		order_ = {.ranks = ranks_.data(), .numbers = numbers_.data()};
	if (collection.kind()->join == core::JoinWay::bands)
		std::visit([&](auto &rows) { join_sketches(rows); }, collection.sketches());
	else if (collection.kind()->join == core::JoinWay::bits)
		join_values<core::JoinedBits<>>();
	else
		join_values<core::JoinedEvery<>>();
}

template <class Slot> void Join::join_sketches(core::MinhashRows<Slot> &rows)
{
	workers_.begin_progress("finding equal sketches", collection_.rows(), "rows");
	rows.finish(order_, workers_);
	auto &join = join_.emplace<ShownJoin<core::JoinedSketches<Slot>>>(
		workers_, collection_.rows(), rows, workers_, collection_.kind()->slots, static_cast<unsigned>(options_.bound));
	join.open(workers_.own_host());
	workers_.end();
	joined_ = &join;
}

template <class Joined> void Join::join_values()
{
	constexpr std::uint64_t row_bytes = 40;
	if (collection_.kind()->join == core::JoinWay::bits && collection_.rows() * row_bytes > 2 * options_.memory)
		throw Failure("the join of " + std::to_string(collection_.rows()) + " values of " + collection_.kind()->type +
			" takes " + std::to_string(collection_.rows() * row_bytes * 2 / 1000000 + 1) +
			" MB; allow more with --memory");
	auto &join =
		join_.emplace<ShownJoin<Joined>>(workers_, collection_.rows(), *collection_.kind(), options_.bound, workers_);
	join.begin(options_.memory);
	const std::vector<char> has_value = collection_.have_values();
	for (std::uint32_t row = 0; row < collection_.rows(); ++row) {
		stop_token.check();
		Value buffer;
		join.add_row(has_value[row] != 0 ? collection_.value(row, buffer) : nullptr);
	}
	join.finish(order_);
	joined_ = &join;
}

void Join::pairs(const std::function<void(const Pair &)> &fn)
{
	SortedPairs sorted(options_.memory / 2, directory_);
	workers_.deliver_to(sorted);
	const auto emit = [this](unsigned worker, std::uint32_t a, std::uint32_t b, auto measure) {
		workers_.pair(worker, a, b, static_cast<double>(measure));
	};
	if (collection_.kind()->join == core::JoinWay::bands) {
		workers_.begin_progress("comparing", collection_.rows(), "rows");
		std::visit([&](auto &rows) { rows.pairs(workers_, emit); }, collection_.sketches());
		workers_.end();
	} else if (auto *bits = std::get_if<ShownJoin<core::JoinedBits<>>>(&join_)) {
		bits->for_each_pair(emit);
	} else {
		std::get<ShownJoin<core::JoinedEvery<>>>(join_).for_each_pair(emit);
	}
	sorted.for_each(fn);
}

} // namespace txtfp::cli
