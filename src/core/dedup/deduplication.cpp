#include "core/dedup/deduplication.hpp"

#include <algorithm>

#include "core/base/hash.hpp"
#include "core/dedup/scratch.hpp"

namespace txtfp::core::removal {

namespace {

// Counts the near-duplicates at the lower threshold of each row that stands for all with its fingerprint, and connects
// those that are similar at the other one.
class NeighbourCounter final : public PairSink {
public:
	// sizes: how many rows each one stands for, itself included.
	NeighbourCounter(std::uint32_t *counts, const std::uint32_t *sizes, UnionFind &components, double threshold)
		: counts_(counts), sizes_(sizes), components_(components), threshold_(threshold)
	{
	}
	void pair(std::uint32_t a, std::uint32_t b, double similarity) override
	{
		counts_[a] += sizes_[b];
		counts_[b] += sizes_[a];
		if (similarity >= threshold_)
			components_.unite(a, b);
	}

private:
	std::uint32_t *counts_;
	const std::uint32_t *sizes_;
	UnionFind &components_;
	double threshold_;
};

} // namespace

void Counts::add(const PairDecision &decision) noexcept
{
	++by_outcome[decision.outcome];
	if (decision.outcome == removed)
		++by_reason[decision.reason];
	else if (decision.guard)
		++by_guard[static_cast<unsigned>(*decision.guard)];
	else
		++by_rule;
}

Deduplication::Deduplication(JoinHost &host, JoinExecutor &executor, JoinedRows &joined, Host &own,
	const PairOptions &options, const DecidedPairs &pairs, std::uint32_t rows, std::size_t memory)
	: host_(host), executor_(executor), joined_(joined), own_(own), options_(options), rows_(rows), memory_(memory),
	  serial_(host),
	  small_(*this, host, joined.compares_in_workers() ? executor : static_cast<JoinExecutor &>(serial_))
{
	decided_.open(host, pairs, rows);
}

std::span<std::uint32_t> Deduplication::count_neighbours(std::optional<double> threshold)
{
	constexpr double rounding = 1e-9;
	threshold_ = threshold ? *threshold - rounding : 0;
	const std::span<std::uint32_t> labels(host_.array<std::uint32_t>(rows_), rows_);
	neighbours_ = host_.array<std::uint32_t>(rows_);
	std::fill_n(neighbours_, rows_, 0);
	UnionFind components(labels.data());
	for (std::uint32_t row = 0; row < rows_; ++row)
		components.add(row);
	Scratch memory(host_);
	const std::span<std::uint32_t> heads = memory.span<std::uint32_t>(rows_);
	auto *sizes = memory.array<std::uint32_t>(rows_);
	joined_.read_heads(heads);
	std::fill_n(sizes, rows_, 0);
	for (std::uint32_t row = 0; row < rows_; ++row)
		++sizes[heads[row]];
	NeighbourCounter counter(neighbours_, sizes, components, threshold_);
	joined_.pairs_of_heads(counter);
	for (std::uint32_t row = 0; row < rows_; ++row) {
		const std::uint32_t head = heads[row];
		components.unite(head, row);
		if (head == row)
			neighbours_[row] += sizes[row] - 1;
		else
			neighbours_[row] = neighbours_[head]; // the head comes first
	}
	memory.close();
	for (std::uint32_t row = 0; row < rows_; ++row)
		labels[row] = components.find(row);
	return labels;
}

void Deduplication::run(std::span<std::uint32_t> labels)
{
	if (options_.guards.any() || options_.rule != nullptr) {
		reported_ = host_.array<bool>(rows_);
		std::fill_n(reported_, rows_, false);
	}
	comparers_ = host_.array<Comparer>(executor_.workers());
	for (unsigned worker = 0; worker < executor_.workers(); ++worker)
		comparers_[worker] = {.held = no_element, .held_text = {}, .refused = 0};
	auto *next = host_.array<std::uint32_t>(labels.size()); // the next row of the same component
	chain_groups(labels, next);
	auto *rows = host_.array<std::uint32_t>(labels.size());
	std::uint64_t keys[JoinedRows::max_keys];
	has_keys_ = !labels.empty() && joined_.keys(0, keys) > 0;
	for (std::uint32_t root = 0; root < labels.size(); ++root) {
		if (labels[root] != root || next[root] == no_element)
			continue;
		std::size_t count = 0;
		for (std::uint32_t row = root; row != no_element; row = next[row])
			rows[count++] = row;
		decide_component({rows, count});
	}
	small_.finish();
	for (unsigned worker = 0; worker < executor_.workers(); ++worker)
		counts_.refused += comparers_[worker].refused;
}

// The rows are in the order of ranks.
void Deduplication::decide_component(std::span<std::uint32_t> rows)
{
	if (rows.size() <= (has_keys_ ? small_component : small_.most_rows))
		return small_.add(rows);
	small_.finish(); // what reads files from now on may raise an error
	host_.progress(rows.size());
	if (!has_keys_)
		return decide_one_by_one(rows);
	while (!rows.empty())
		rows = decide_with_table(rows);
}

void Deduplication::decide_all(std::span<std::uint32_t> rows, Decision *decisions, unsigned worker)
{
	std::size_t kept = 0; // kept rows move to the front
	for (const std::uint32_t row : rows) {
		*decisions = decide(row, rows.first(kept), worker);
		if (!remember(*decisions++))
			rows[kept++] = row;
	}
}

void Deduplication::decide_one_by_one(std::span<std::uint32_t> rows)
{
	std::size_t kept = 0;
	for (const std::uint32_t row : rows) {
		const Decision decision = decide(row, rows.first(kept), 0);
		put(decision);
		if (!remember(decision))
			rows[kept++] = row;
	}
}

// True if the row is removed.
bool Deduplication::remember(const Decision &decision)
{
	const bool is_removed = decision.pair.outcome == removed;
	decided_.decide(decision.row, is_removed ? decision.kept : decision.row);
	return is_removed;
}

// Decides about all rows until the table is full. Of the others, decides only about those that a row in the table
// removes, and returns the rest, in order.
std::span<std::uint32_t> Deduplication::decide_with_table(std::span<std::uint32_t> rows)
{
	if (candidates_ == nullptr) {
		table_.open(host_, memory_);
		candidates_ = host_.array<std::uint32_t>(most_keys * std::size_t{KeptRows::chain_limit});
	}
	table_.clear();
	std::size_t rest = 0;
	bool full = false;
	for (const std::uint32_t row : rows) {
		if (const std::uint32_t unit = decided_.unit_of(row); unit != row) {
			if (decided_.kept_of(unit) == no_element)
				rows[rest++] = row;
			else
				put(decide(row, {}, 0));
			continue;
		}
		std::uint64_t keys[most_keys];
		const std::span<const std::uint64_t> own = keys_of(row, keys);
		const Decision decision = decide(row, candidates(own), 0);
		put(decision);
		full = full || (decision.pair.outcome != removed && !table_.has_room(own.size()));
		if (full && decision.pair.outcome != removed)
			rows[rest++] = row;
		else if (!remember(decision))
			table_.add(row, own);
	}
	return rows.first(rest);
}

// Those of the join, one for all of them together, and one for the text: however many rows have the others, a row with
// an equal text is found.
std::span<const std::uint64_t> Deduplication::keys_of(std::uint32_t row, std::uint64_t *keys)
{
	std::size_t n = joined_.keys(row, keys);
	keys[n] = xxh3_64(keys, n * sizeof *keys, 1);
	++n;
	if (own_.has_texts())
		if (const RowText text = held_text(row, 0); !text.is_null)
			keys[n++] = xxh3_64(text.utf8.data(), text.utf8.size(), 2);
	return {keys, n};
}

// The kept rows with a common key, in their order.
std::span<const std::uint32_t> Deduplication::candidates(std::span<const std::uint64_t> keys)
{
	std::size_t found = 0;
	counts_.left_out |= table_.find(keys, [&](std::uint32_t kept) { candidates_[found++] = kept; });
	std::sort(candidates_, candidates_ + found);
	return {candidates_, std::unique(candidates_, candidates_ + found)};
}

// Compares the row with the kept rows, in their order. In any worker.
Decision Deduplication::decide(std::uint32_t row, std::span<const std::uint32_t> kept, unsigned worker)
{
	if (const std::uint32_t unit = decided_.unit_of(row); unit != row)
		return follow(row, decided_.kept_of(unit), worker);
	Decision best{row, 0, 0, {}};
	for (const std::uint32_t other : kept) {
		executor_.host(worker).poll();
		if (!joined_.similar(row, other, worker) || !decided_.may_join(row, other))
			continue;
		const double similarity = joined_.similarity(row, other, worker);
		if (similarity < threshold_)
			continue;
		const Decision decision{row, other, similarity, compare(row, other, similarity, options_, worker)};
		if (decision.pair.outcome == outcomes)
			++comparers_[worker].refused;
		else if (decision.pair.outcome < best.pair.outcome)
			best = decision;
		if (decision.pair.outcome == removed)
			break;
	}
	return best;
}

// About a row that is together with one before it, whatever was decided about that one.
Decision Deduplication::follow(std::uint32_t row, std::uint32_t kept, unsigned worker)
{
	PairOptions measures = options_; // which are told, and refuse nothing
	measures.verify = Verify::none;
	measures.signals = options_.uses_signals();
	measures.guards = {};
	measures.rule = nullptr;
	const double similarity = joined_.similarity(row, kept, worker);
	Decision decision{row, kept, similarity, compare(row, kept, similarity, measures, worker)};
	decision.pair.reason = together;
	return decision;
}

PairDecision Deduplication::compare(
	std::uint32_t row, std::uint32_t kept, double similarity, const PairOptions &options, unsigned worker)
{
	PairDecision decision;
	if (own_.has_texts()) {
		const RowText a = held_text(row, worker), b = own_.text(kept, 1, worker);
		if (!a.is_null && !b.is_null) {
			double neighbours = unknown_neighbours, kept_neighbours = unknown_neighbours;
			if (neighbours_ != nullptr) {
				neighbours = neighbours_[row];
				kept_neighbours = neighbours_[kept];
			}
			auto decide = [&] {
				decision = decide_pair(a.utf8, b.utf8, similarity, options, own_.stop(), neighbours, kept_neighbours);
			};
			own_.compute(worker, [](void *fn) { (*static_cast<decltype(decide) *>(fn))(); }, &decide);
			return decision;
		}
	}
	if (!options.needs_text()) {
		decision.reason = similarity == 1 ? equal_fingerprint : removal::similarity;
		decision.outcome = removed;
	}
	return decision;
}

RowText Deduplication::held_text(std::uint32_t rank, unsigned worker)
{
	Comparer &own = comparers_[worker];
	if (rank != own.held) {
		own.held_text = own_.text(rank, 0, worker);
		own.held = rank;
	}
	return own.held_text;
}

// Passes the row on if it is removed, or if something forbids that, which is told once.
void Deduplication::put(const Decision &decision)
{
	host_.poll();
	const Outcome outcome = decision.pair.outcome;
	if (outcome == outcomes || (outcome != removed && reported_[decision.row]))
		return;
	if (outcome != removed)
		reported_[decision.row] = true;
	counts_.add(decision.pair);
	own_.put(decision);
}

} // namespace txtfp::core::removal
