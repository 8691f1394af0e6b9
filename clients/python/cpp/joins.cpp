#include "joins.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "core/base/union_find.hpp"
#include "join_engine.hpp"
#include "refused.hpp"

namespace txtfp::python {

namespace {

[[noreturn]] void refuse(const std::string &message, const std::string &detail = {}, const std::string &hint = {})
{
	throw Refused(Refusal::invalid_parameter, message, detail, hint);
}

} // namespace

std::string shortest(double value)
{
	if (std::isnan(value))
		return "NaN";
	if (std::isinf(value))
		return value < 0 ? "-Infinity" : "Infinity";
	char text[32];
	return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

void Values::add(std::span<const std::uint8_t> binary)
{
	core::RowBuffer buffer;
	const std::uint8_t *row = row_of(kind, binary, buffer);
	if (row == buffer.bytes) {
		const std::size_t words = (kind->row_bytes + 7) / 8, rows_at_once = (std::size_t{1} << 16) / words;
		if (copied_ % rows_at_once == 0)
			copies_.emplace_back(new std::uint64_t[rows_at_once * words]);
		std::uint64_t *copy = copies_.back().get() + copied_++ % rows_at_once * words;
		std::memcpy(copy, row, kind->row_bytes);
		row = reinterpret_cast<const std::uint8_t *>(copy);
	}
	rows.push_back(row);
}

JoinOptions join_options(Kind kind, const core::JoinOptions &given, unsigned threads)
{
	JoinOptions options{};
	options.threads = threads;
	core::Complaint wrong;
	const auto write = [](double number, char(&text)[32]) {
		std::snprintf(text, sizeof text, "%s", shortest(number).c_str());
	};
	if (!core::plan_join(*kind, given, kind->default_limit, write, options, wrong))
		refuse(wrong.message, wrong.detail, wrong.hint);
	return options;
}

namespace {

// Of each pair of heads, the pairs of the rows that they stand for.
class PairList final : public core::PairSink {
public:
	PairList(const Values &values, const Heads &heads) : next_(values.rows.size())
	{
		core::chain_groups(heads.of, next_.data());
		if (!values.has_parts())
			for (const std::uint32_t head : heads.rows)
				pair(head, head, values.kind->best_measure());
	}
	void pair(std::uint32_t x, std::uint32_t y, double measure) override
	{
		for (std::uint32_t a = x; a != core::no_element; a = next_[a])
			for (std::uint32_t b = y == x ? next_[a] : y; b != core::no_element; b = next_[b])
				pairs.push_back({std::min(a, b), std::max(a, b), static_cast<std::int32_t>(measure)});
	}

	std::vector<Pair> pairs;

private:
	std::vector<std::uint32_t> next_;
};

// Of each head of the first set the most similar one of the second.
class NearestHeads final : public core::PairSink {
public:
	explicit NearestHeads(const Values &values)
		: nearest(values.rows.size(), {0, core::no_element, 0}), kind_(values.kind)
	{
	}
	void pair(std::uint32_t a, std::uint32_t b, double value) override
	{
		const auto measure = static_cast<std::int32_t>(value);
		Pair &best = nearest[a];
		if (best.b == core::no_element || (kind_->has_distance() ? measure < best.measure : measure > best.measure) ||
			(measure == best.measure && b < best.b))
			best = {a, b, measure};
	}

	std::vector<Pair> nearest;

private:
	Kind kind_;
};

} // namespace

std::vector<Pair> similar_pairs(const Values &values, const JoinOptions &options)
{
	std::vector<Pair> pairs;
	JoinThreads::run(options.threads, [&](JoinThreads &threads) {
		const Heads heads = find_heads(values, threads.host(0));
		PairList list(values, heads);
		join_heads(values, heads, options, threads, list);
		pairs = std::move(list.pairs);
		std::sort(pairs.begin(), pairs.end(),
			[](const Pair &x, const Pair &y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
	});
	return pairs;
}

std::vector<Pair> nearest_pairs(const Values &values, const JoinOptions &options)
{
	std::vector<Pair> pairs;
	JoinThreads::run(options.threads, [&](JoinThreads &threads) {
		const Heads heads = find_heads(values, threads.host(0));
		NearestHeads list(values);
		join_heads(values, heads, options, threads, list);
		for (std::uint32_t row = 0; row < std::min<std::size_t>(values.second, values.rows.size()); ++row)
			if (const Pair &best = list.nearest[heads.of[row]]; best.b != core::no_element)
				pairs.push_back({row, best.b, best.measure});
	});
	return pairs;
}

namespace {

void check_pairs(core::JoinHost &host, Decided &decided, std::size_t rows)
{
	const core::RankPair *pair = core::find_contradiction(host, decided.pairs(), static_cast<std::uint32_t>(rows));
	if (pair != nullptr)
		refuse("two rows are to be apart and together", "The pairs of \"together\" connect them, directly or through other rows, or they are the same row.",
			"Remove one of these pairs.");
}

// The similarities of rows to those that their clusters are named after
class SimilarityList final : public core::PairSink {
public:
	explicit SimilarityList(std::size_t rows) : values(rows, 1) {}
	void pair(std::uint32_t, std::uint32_t row, double similarity) override { values[row] = similarity; }

	std::vector<double> values;
};

class Texts final : public core::removal::Host {
public:
	Texts(const TextOfRow &texts, std::vector<core::removal::Decision> &decisions) : texts_(texts), decisions_(decisions)
	{
	}
	bool has_texts() const override { return static_cast<bool>(texts_); }
	core::removal::RowText text(std::uint32_t rank, unsigned, unsigned) override { return texts_(rank); }
	void compute(unsigned, void (*fn)(void *data), void *data) override { fn(data); }
	core::StopToken stop() const override { return {}; }
	void put(const core::removal::Decision &decision) override { decisions_.push_back(decision); }

private:
	const TextOfRow &texts_;
	std::vector<core::removal::Decision> &decisions_;
};

} // namespace

Clusters clusters(
	const Values &values, const JoinOptions &options, core::ClusterMode mode, std::uint32_t max_size, Decided decided)
{
	constexpr std::size_t most_link_memory = std::size_t{1} << 30;
	Clusters found;
	JoinThreads::run(options.threads, [&](JoinThreads &threads) {
		core::JoinHost &host = threads.host(0);
		const auto rows = static_cast<std::uint32_t>(values.rows.size());
		JoinedValues joined(values, options, threads);
		check_pairs(host, decided, rows);
		const std::span<std::uint32_t> labels = core::connect(host, threads, joined, rows);
		double *formed;
		core::TooManyLinks wrong;
		if (!core::find_clusters(
				host, joined, decided.pairs(), {mode, max_size, most_link_memory}, labels, formed, wrong))
			refuse("a cluster of " + std::to_string(wrong.rows) + " rows with rows to be kept apart has more than " +
					std::to_string(wrong.most) + " pairs",
				{}, "Raise the threshold, or use the mode \"star\".");
		std::vector<std::uint32_t> sizes(rows);
		for (const std::uint32_t label : labels)
			++sizes[label];
		SimilarityList similarities(rows);
		core::deliver_clusters(host, threads, joined, labels, sizes.data(), similarities);
		found.labels.assign(labels.begin(), labels.end());
		found.similarities = std::move(similarities.values);
		if (formed != nullptr)
			found.formed.assign(formed, formed + rows);
	});
	return found;
}

Removals deduplicate(const Values &values, const JoinOptions &options, const core::PairOptions &pair, Decided decided,
	const TextOfRow &texts)
{
	constexpr std::size_t table_memory = std::size_t{256} << 20;
	Removals found;
	JoinThreads::run(options.threads, [&](JoinThreads &threads) {
		core::JoinHost &host = threads.host(0);
		const auto rows = static_cast<std::uint32_t>(values.rows.size());
		JoinedValues joined(values, options, threads);
		check_pairs(host, decided, rows);
		Texts own(texts, found.decisions);
		const core::DecidedPairs pairs = decided.pairs();
		core::removal::Deduplication deduplication(host, threads, joined, own, pair, pairs, rows, table_memory);
		const std::span<std::uint32_t> labels = core::connect(host, threads, joined, rows);
		core::unite_together(pairs, labels);
		threads.guard([&] { deduplication.run(labels); });
		for (std::uint32_t row = 0; row < rows; ++row)
			found.neighbours.push_back(deduplication.neighbours(row));
		std::sort(found.decisions.begin(), found.decisions.end(),
			[](const core::removal::Decision &x, const core::removal::Decision &y) { return x.row < y.row; });
	});
	return found;
}

} // namespace txtfp::python
