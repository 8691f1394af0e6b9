#include "core/dedup/deduplication.hpp"

#include <algorithm>

#include "core/base/hash.hpp"

namespace txtfp::core::removal {

namespace {

// The most similar rows of those that were added; of equally similar ones, the first.
class MostSimilar {
public:
	struct Row {
		std::uint32_t row;
		double similarity;
	};

	// False if one does not fit in.
	bool add(std::uint32_t row, double similarity)
	{
		const auto before = [](const Row &x, const Row &y) {
			return x.similarity != y.similarity ? x.similarity > y.similarity : x.row < y.row;
		};
		const Row added{row, similarity};
		const bool full = count_ == most_similar_compared;
		if (full && !before(added, rows_[count_ - 1]))
			return false;
		Row *place = std::upper_bound(rows_, rows_ + count_, added, before);
		std::move_backward(place, rows_ + count_ - (full ? 1 : 0), rows_ + count_ + (full ? 0 : 1));
		*place = added;
		count_ += full ? 0 : 1;
		return !full;
	}
	std::span<const Row> rows() const { return {rows_, count_}; }

private:
	Row rows_[most_similar_compared];
	std::size_t count_ = 0;
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

void Deduplication::run(std::span<std::uint32_t> labels)
{
	if (options_.guards.any() || options_.rule != nullptr) {
		reported_ = host_.array<bool>(rows_);
		std::fill_n(reported_, rows_, false);
	}
	labels_ = labels;
	sizes_ = host_.array<std::uint32_t>(labels.size());
	std::fill_n(sizes_, labels.size(), 0);
	for (const std::uint32_t label : labels)
		++sizes_[label];
	comparers_ = host_.array<Comparer>(executor_.workers());
	for (unsigned worker = 0; worker < executor_.workers(); ++worker)
		comparers_[worker] = {.held = no_element, .held_text = {}, .refused = 0, .left_out = false};
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
	for (unsigned worker = 0; worker < executor_.workers(); ++worker) {
		counts_.refused += comparers_[worker].refused;
		counts_.left_out |= comparers_[worker].left_out;
	}
}

// The rows are in the order of ranks.
void Deduplication::decide_component(std::span<std::uint32_t> rows)
{
	const bool looks_up = has_keys_ || (own_.has_texts() && options_.needs_text());
	if (rows.size() <= (looks_up ? small_component : small_.most_rows))
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
		*decisions = decide(row, {{}, rows.first(kept)}, worker);
		if (!remember(*decisions++))
			rows[kept++] = row;
	}
}

// Of a kind without keys. The table has the kept rows by their texts, as many as there is room for.
void Deduplication::decide_one_by_one(std::span<std::uint32_t> rows)
{
	open_table();
	std::size_t kept = 0;
	for (const std::uint32_t row : rows) {
		const std::optional<std::uint64_t> text = text_key(row);
		const std::span<const std::uint64_t> keys(text ? &*text : nullptr, text ? 1 : 0);
		const Decision decision = decide(row, {rows_with(keys, equal_texts_), rows.first(kept)}, 0);
		put(decision);
		if (remember(decision))
			continue;
		rows[kept++] = row;
		if (table_.has_room(keys.size()))
			table_.add(row, keys);
	}
}

// True if the row is removed.
bool Deduplication::remember(const Decision &decision)
{
	const bool is_removed = decision.pair.outcome == removed;
	decided_.decide(decision.row, is_removed ? decision.kept : decision.row);
	return is_removed;
}

// Decides about all rows until the table is full. Then decides only about those others that a row in the table
// removes, and returns the rest, in order.
std::span<std::uint32_t> Deduplication::decide_with_table(std::span<std::uint32_t> rows)
{
	open_table();
	std::size_t rest = 0;
	bool full = false;
	for (const std::uint32_t row : rows) {
		if (const std::uint32_t unit = decided_.unit_of(row); unit != row) {
			if (decided_.kept_of(unit) == no_element)
				rows[rest++] = row;
			else
				put(decide(row, Candidates{}, 0));
			continue;
		}
		std::uint64_t keys[most_keys];
		const std::span<const std::uint64_t> own = keys_of(row, keys);
		const std::span<const std::uint64_t> text = own.last(text_key(row) ? 1 : 0);
		const Decision decision =
			decide(row, {rows_with(text, equal_texts_), rows_with(own, candidates_)}, 0);
		put(decision);
		full = full || (decision.pair.outcome != removed && !table_.has_room(own.size()));
		if (full && decision.pair.outcome != removed)
			rows[rest++] = row;
		else if (!remember(decision))
			table_.add(row, own);
	}
	return rows.first(rest);
}

void Deduplication::open_table()
{
	if (candidates_ == nullptr) {
		table_.open(host_, memory_);
		candidates_ = host_.array<std::uint32_t>(most_keys * std::size_t{KeptRows::chain_limit});
		equal_texts_ = host_.array<std::uint32_t>(KeptRows::chain_limit);
	}
	table_.clear();
}

std::optional<std::uint64_t> Deduplication::text_key(std::uint32_t row)
{
	if (!own_.has_texts())
		return std::nullopt;
	const RowText text = held_text(row, 0);
	return text.is_null ? std::nullopt : std::optional(xxh3_64(text.utf8.data(), text.utf8.size(), 2));
}

// Those of the join, one for all of them together, and one for the text, if there is one: however many rows have the others, a row with
// an equal text is found.
std::span<const std::uint64_t> Deduplication::keys_of(std::uint32_t row, std::uint64_t *keys)
{
	std::size_t n = joined_.keys(row, keys);
	keys[n] = xxh3_64(keys, n * sizeof *keys, 1);
	++n;
	if (const std::optional<std::uint64_t> text = text_key(row))
		keys[n++] = *text;
	return {keys, n};
}

// The kept rows with one of the keys, in their order.
std::span<const std::uint32_t> Deduplication::rows_with(std::span<const std::uint64_t> keys, std::uint32_t *found)
{
	std::size_t n = 0;
	counts_.left_out |= table_.find(keys, [&](std::uint32_t kept) { found[n++] = kept; });
	std::sort(found, found + n);
	return {found, std::unique(found, found + n)};
}

// Compares the row with kept rows, until one removes it. In any worker.
Decision Deduplication::decide(std::uint32_t row, const Candidates &kept, unsigned worker)
{
	if (const std::uint32_t unit = decided_.unit_of(row); unit != row)
		return follow(row, decided_.kept_of(unit), worker);
	Decision best{row, 0, 0, {}};
	const auto may_remove = [&](std::uint32_t other) {
		executor_.host(worker).poll();
		return joined_.similar(row, other, worker) && decided_.may_join(row, other);
	};
	for (const std::uint32_t other : kept.equal)
		if (may_remove(other) && removes(other, joined_.similarity(row, other, worker), best, worker))
			return best;
	MostSimilar others;
	std::size_t compared = 0;
	for (const std::uint32_t other : kept.others) {
		if (!may_remove(other))
			continue;
		const double similarity = joined_.similarity(row, other, worker);
		if (compared == first_compared)
			comparers_[worker].left_out |= !others.add(other, similarity);
		else if (++compared; removes(other, similarity, best, worker))
			return best;
	}
	for (const MostSimilar::Row &other : others.rows())
		if (removes(other.row, other.similarity, best, worker))
			break;
	return best;
}

// Compares the row of `best` with a kept one, and keeps the decision if it is a better one. True if the row goes.
bool Deduplication::removes(std::uint32_t other, double similarity, Decision &best, unsigned worker)
{
	const Decision decision{best.row, other, similarity, compare(best.row, other, similarity, options_, worker)};
	if (decision.pair.outcome == outcomes)
		++comparers_[worker].refused;
	else if (decision.pair.outcome < best.pair.outcome)
		best = decision;
	return decision.pair.outcome == removed;
}

// About a row that is together with one before it, whatever was decided about that one.
Decision Deduplication::follow(std::uint32_t row, std::uint32_t kept, unsigned worker)
{
	PairOptions measures = options_; // which are told, and refuse nothing
	measures.verify = Verify::none;
	measures.signals = options_.needs_all_signals();
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
			auto decide = [&] {
				decision = decide_pair(
					a.utf8, b.utf8, similarity, options, own_.stop(), neighbours(row), neighbours(kept));
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
