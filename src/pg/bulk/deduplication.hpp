// How deduplicate decides. It processes rows in the order of priority, then id. A row is removed if it is similar to a
// row that has been kept and, on request, if an exact comparison of their texts confirms this. So every removed row has
// itself been compared with its kept row. Guards and a rule may forbid a removal; then the row stays, and is returned
// with the outcome "review" or "keep". Components are independent of each other: workers decide about small ones, and
// the caller returns the rows in their order.
#pragma once

#include <algorithm>
#include <optional>

#include "core/compare/difference_signals.hpp"
#include "core/compare/text_measures.hpp"
#include "core/decide/guards.hpp"
#include "core/decide/removal.hpp"
#include "core/text/text_options.hpp"
#include "pg/base/large_array.hpp"
#include "pg/bulk/exceptions.hpp"
#include "pg/bulk/kept_rows.hpp"
#include "pg/bulk/memory_budget.hpp"
#include "pg/bulk/near_duplicates.hpp"
#include "pg/bulk/row_result.hpp"
#include "pg/bulk/small_components.hpp"
#include "pg/bulk/workers.hpp"
#include "pg/compare/signals.hpp"
#include "pg/decide/rule_json.hpp"

extern "C" {
#include "storage/ipc.h"
#include "utils/builtins.h"
}

namespace txtfp::pg::removal {

using core::removal::Verify, core::removal::Reason, core::removal::Outcome, core::removal::reason_names,
	core::removal::outcome_names;
using enum core::removal::Reason;
using enum core::removal::Outcome;

struct Options {
	Verify verify;
	std::optional<double> given; // verify_threshold
	double least;                // least value of the exact measure
	core::CanonicalOptions canonical;
	core::TokenizerSpec tokenizer;
	bool explain;
	bool signals; // are returned
	std::optional<core::Guards> guards;
	const StoredRule *rule; // nullptr: none
	double remove_from, keep_below;
	double threshold; // of a join that is made at a lower one; 0: it is not

	bool uses_signals() const { return signals || guards || rule != nullptr; }
};

// The measures of a row and the kept row that it was compared with.
struct Comparison {
	double similarity;
	bool has_measures; // both have a text with a token
	core::SetOverlap overlap;
	Reason reason;
	bool has_signals;
	core::Signals signals;
	Outcome outcome;
	const char *objection; // the guard or "rule"; nullptr: none
	double score;
};

// About a row: the kept row that removes it, or the first of those whose removal meets the least objection. Outcome
// `outcomes`: it is kept.
struct Decision {
	std::uint32_t row, kept;
	Comparison comparison;
};

// What a worker has of its own while it compares.
struct Comparer {
	RowExtras::Buffer buffers[2];
	std::uint32_t held; // its text is kept from one comparison to the next
	RowExtras::Text held_text;
	std::uint64_t refused;
};

// Counts the near-duplicates at the lower threshold of each row that stands for all with its fingerprint, and connects
// those that are similar at the other one.
class NeighbourCounter final : public PairSink {
public:
	// sizes: how many rows each one stands for, itself included.
	NeighbourCounter(std::uint32_t *counts, const std::uint32_t *sizes, core::UnionFind &components, double threshold)
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
	core::UnionFind &components_;
	double threshold_;
};

class Deduplication {
public:
	Deduplication(FingerprintJoin &join, RowIds &ids, RowExtras &extras, const Options &options, RowResult &result,
		const JoinContext &context, TupleDesc signal_columns, const Exceptions &exceptions)
		: join_(join), ids_(ids), extras_(extras), options_(options), result_(result), context_(context),
		  signal_columns_(signal_columns), serial_(*context.host),
		  small_(*this, join.compares_in_workers() ? static_cast<core::JoinExecutor &>(*context.workers) : serial_,
			  context.memory)
	{
		decided_.open(exceptions, ids.count(), context.memory);
	}

	// As connect(), with the numbers of neighbours.
	std::span<std::uint32_t> count_neighbours()
	{
		const std::uint32_t rows = ids_.count();
		const std::span<std::uint32_t> labels(allocate<std::uint32_t>(context_.memory, rows), rows);
		neighbours_ = allocate<std::uint32_t>(context_.memory, rows);
		std::fill_n(neighbours_, rows, 0);
		core::UnionFind components(labels.data());
		for (std::uint32_t row = 0; row < rows; ++row)
			components.add(row);
		auto *heads = allocate<std::uint32_t>(context_.memory, rows),
			 *sizes = allocate<std::uint32_t>(context_.memory, rows);
		join_.read_heads({heads, rows});
		std::fill_n(sizes, rows, 0);
		for (std::uint32_t row = 0; row < rows; ++row)
			++sizes[heads[row]];
		NeighbourCounter counter(neighbours_, sizes, components, options_.threshold);
		join_.pairs_of_heads(counter);
		for (std::uint32_t row = 0; row < rows; ++row) {
			const std::uint32_t head = heads[row];
			components.unite(head, row);
			if (head == row)
				neighbours_[row] += sizes[row] - 1;
			else
				neighbours_[row] = neighbours_[head]; // the head comes first
		}
		pfree(heads);
		pfree(sizes);
		for (std::uint32_t row = 0; row < rows; ++row)
			labels[row] = components.find(row);
		reported_ = allocate<bool>(context_.memory, rows);
		std::fill_n(reported_, rows, false);
		return labels;
	}

	void run(std::span<std::uint32_t> labels)
	{
		extras_.finish();
		comparers_ = allocate<Comparer>(context_.memory, context_.workers->workers());
		for (unsigned worker = 0; worker < context_.workers->workers(); ++worker)
			comparers_[worker] = {.buffers = {}, .held = core::no_element, .held_text = {}, .refused = 0};
		auto *next = allocate<std::uint32_t>(context_.memory, labels.size()); // the next row of the same component
		core::chain_groups(labels, next);
		auto *rows = allocate<std::uint32_t>(context_.memory, labels.size());
		context_.progress->begin(BulkPhase::deciding, labels.size());
		std::uint64_t keys[FingerprintJoin::max_keys];
		has_keys_ = !labels.empty() && join_.keys(0, keys) > 0;
		PG_ENSURE_ERROR_CLEANUP(JoinWorkers::end_team, PointerGetDatum(context_.workers));
		for (std::uint32_t root = 0; root < labels.size(); ++root) {
			if (labels[root] != root || next[root] == core::no_element)
				continue;
			std::size_t count = 0;
			for (std::uint32_t row = root; row != core::no_element; row = next[row])
				rows[count++] = row;
			decide_component({rows, count});
		}
		small_.finish();
		PG_END_ENSURE_ERROR_CLEANUP(JoinWorkers::end_team, PointerGetDatum(context_.workers));
		context_.progress->end();
		for (unsigned worker = 0; worker < context_.workers->workers(); ++worker)
			refused_ += comparers_[worker].refused;
	}

	void explain() const
	{
		std::uint64_t all = 0;
		for (const std::uint64_t count : counts_)
			all += count;
		StringInfoData reasons_text;
		initStringInfo(&reasons_text);
		for (int reason = 0; reason < reasons; ++reason)
			if (options_.uses_signals() || (reason != equal_words && reason != symbols_differ))
				if ((reason != lossless || options_.verify == Verify::lossless) &&
					(reason != together || counts_[together] > 0))
					appendStringInfo(&reasons_text, "%s" UINT64_FORMAT " %s", reasons_text.len == 0 ? "" : ", ",
						counts_[reason], reason_names[reason]);
		const char *held_back = "";
		if (options_.guards || options_.rule != nullptr) {
			StringInfoData text;
			initStringInfo(&text);
			appendStringInfo(&text, " To be read: " UINT64_FORMAT ", to be kept: " UINT64_FORMAT ". Because of",
				outcomes_[review], outcomes_[keep]);
			const char *separator = " ";
			for (unsigned guard = 0; guard < core::guard_count; ++guard)
				if (vetoes_[guard] > 0) {
					appendStringInfo(&text, "%s" UINT64_FORMAT " %s", separator, vetoes_[guard],
						core::name(static_cast<core::Guard>(guard)).data());
					separator = ", ";
				}
			appendStringInfo(&text, "%s" UINT64_FORMAT " rule.", separator, refused_by_rule_);
			held_back = text.data;
		}
		ereport(NOTICE,
			(errmsg("deduplicate: %u rows, " UINT64_FORMAT " to be removed", ids_.count(), all),
				errdetail("By reason: %s. Pairs that the exact comparison rejected: " UINT64_FORMAT ".%s%s",
					reasons_text.data, refused_, held_back,
					left_out_ ? psprintf(" Of rows that share a key with more than %u kept rows, only the latest were "
										 "compared.",
									KeptRows::chain_limit)
							  : "")));
	}

private:
	friend SmallComponents<Deduplication, Decision>;

	static constexpr std::size_t small_component = 64; // up to this size every row is compared with every kept row

	// The rows are in the order of ranks.
	void decide_component(std::span<std::uint32_t> rows)
	{
		if (rows.size() <= (has_keys_ ? small_component : small_.most_rows))
			return small_.add(rows);
		small_.finish(); // what reads files from now on may raise an error
		context_.progress->add(rows.size());
		if (!has_keys_)
			return decide_one_by_one(rows);
		while (!rows.empty())
			rows = decide_with_table(rows);
	}

	void decide_all(std::span<std::uint32_t> rows, Decision *decisions, unsigned worker)
	{
		std::size_t kept = 0; // kept rows move to the front
		for (const std::uint32_t row : rows) {
			*decisions = decide(row, rows.first(kept), worker);
			if (!remember(*decisions++))
				rows[kept++] = row;
		}
	}
	void decide_one_by_one(std::span<std::uint32_t> rows)
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
	bool remember(const Decision &decision)
	{
		const bool is_removed = decision.comparison.outcome == removed;
		decided_.decide(decision.row, is_removed ? decision.kept : decision.row);
		return is_removed;
	}

	// Decides about all rows until the table is full. Of the others, decides only about those that a row in the table
	// removes, and returns the rest, in order.
	std::span<std::uint32_t> decide_with_table(std::span<std::uint32_t> rows)
	{
		if (candidates_ == nullptr) {
			table_.open(context_.memory, share_of(context_.limit, Share::kept_rows));
			candidates_ = allocate<std::uint32_t>(
				context_.memory, FingerprintJoin::max_keys * std::size_t{KeptRows::chain_limit});
		}
		table_.clear();
		std::size_t rest = 0;
		bool full = false;
		for (const std::uint32_t row : rows) {
			if (const std::uint32_t unit = decided_.unit_of(row); unit != row) {
				if (decided_.kept_of(unit) == core::no_element)
					rows[rest++] = row;
				else
					put(decide(row, {}, 0));
				continue;
			}
			std::uint64_t keys[FingerprintJoin::max_keys];
			const std::span<const std::uint64_t> own(keys, join_.keys(row, keys));
			std::size_t found = 0;
			left_out_ |= table_.find(own, [&](std::uint32_t kept) { candidates_[found++] = kept; });
			std::sort(candidates_, candidates_ + found);
			found = static_cast<std::size_t>(std::unique(candidates_, candidates_ + found) - candidates_);
			const Decision decision = decide(row, {candidates_, found}, 0);
			put(decision);
			full = full || (decision.comparison.outcome != removed && !table_.has_room(own.size()));
			if (full && decision.comparison.outcome != removed)
				rows[rest++] = row;
			else if (!remember(decision))
				table_.add(row, own);
		}
		return rows.first(rest);
	}

	// Compares the row with the kept rows, in their order. In any worker.
	Decision decide(std::uint32_t row, std::span<const std::uint32_t> kept, unsigned worker)
	{
		if (const std::uint32_t unit = decided_.unit_of(row); unit != row)
			return follow(row, decided_.kept_of(unit), worker);
		Decision best{row, 0, {}};
		best.comparison.outcome = outcomes;
		for (const std::uint32_t other : kept) {
			context_.workers->host(worker).poll();
			Comparison comparison{};
			if (!join_.similar(row, other, worker) || !decided_.may_join(row, other))
				continue;
			comparison.similarity = join_.similarity(row, other, worker);
			if (comparison.similarity < options_.threshold)
				continue;
			if (!compare_texts(row, other, comparison, worker)) {
				++comparers_[worker].refused;
				continue;
			}
			judge(row, other, comparison);
			if (comparison.outcome < best.comparison.outcome)
				best = {row, other, comparison};
			if (comparison.outcome == removed)
				break;
		}
		return best;
	}

	// About a row that is together with one before it, whatever was decided about that one.
	Decision follow(std::uint32_t row, std::uint32_t kept, unsigned worker)
	{
		Comparison comparison{};
		comparison.similarity = join_.similarity(row, kept, worker);
		(void) compare_texts(row, kept, comparison, worker);
		comparison.reason = together;
		comparison.outcome = removed;
		comparison.score = 1;
		return {row, kept, comparison};
	}

	void judge(std::uint32_t row, std::uint32_t kept, Comparison &comparison)
	{
		comparison.outcome = removed;
		comparison.score = 1;
		if (!options_.uses_signals() || !comparison.has_signals)
			return;
		core::Signals &signals = comparison.signals;
		signals[static_cast<std::size_t>(core::Signal::neighbours)] = neighbours_[row];
		signals[static_cast<std::size_t>(core::Signal::kept_neighbours)] = neighbours_[kept];
		if (comparison.reason == equal_text)
			return;
		if (signals[static_cast<std::size_t>(core::Signal::edits)] == 0)
			comparison.reason =
				signals[static_cast<std::size_t>(core::Signal::symbols)] > 0 ? symbols_differ : equal_words;
		if (options_.guards)
			if (const std::optional<core::Guard> guard = options_.guards->veto(signals)) {
				comparison.outcome = review;
				comparison.objection = core::name(*guard).data(); // of a literal
			}
		if (options_.rule == nullptr)
			return;
		comparison.score = options_.rule->rule.score(signals); // neither allocates nor fails
		if (comparison.score < options_.keep_below)
			comparison.outcome = keep;
		else if (comparison.score < options_.remove_from && comparison.objection == nullptr)
			comparison.outcome = review;
		if (comparison.outcome == keep || (comparison.outcome == review && comparison.objection == nullptr))
			comparison.objection = "rule";
	}

	// True if no verification was requested, or if the exact comparison confirms the removal.
	bool compare_texts(std::uint32_t row, std::uint32_t kept, Comparison &comparison, unsigned worker)
	{
		comparison.reason = comparison.similarity == 1 ? equal_fingerprint : similarity;
		if (!extras_.has_texts())
			return true;
		const RowExtras::Text a = held_text(row, worker), b = text(kept, 1, worker);
		if (a.is_null || b.is_null)
			return options_.verify == Verify::none && !options_.guards && options_.rule == nullptr;
		bool whole = true; // nothing of a is lost
		const auto compare = [&] {
			comparison.overlap =
				core::token_overlap(a.utf8, b.utf8, options_.canonical, options_.tokenizer, stop_token);
			if (options_.verify == Verify::lossless)
				whole = core::has_all_of(b.utf8, a.utf8, stop_token);
			if (options_.uses_signals() && whole)
				comparison.signals = core::difference_signals(a.utf8, b.utf8, stop_token);
		};
		if (worker == 0)
			guarded(compare);
		else
			compare();
		comparison.has_signals = options_.uses_signals();
		const core::SetOverlap &overlap = comparison.overlap;
		comparison.has_measures = overlap.a > 0 && overlap.b > 0;
		if (a.utf8 == b.utf8) {
			comparison.reason = equal_text;
			return true;
		}
		if (options_.verify == Verify::none)
			return true;
		if (options_.verify == Verify::lossless) {
			comparison.reason = lossless;
			return whole;
		}
		comparison.reason = options_.verify == Verify::jaccard ? jaccard : containment;
		const double measure = comparison.reason == jaccard ? overlap.jaccard() : overlap.containment_of_a();
		return comparison.has_measures && measure >= options_.least;
	}

	RowExtras::Text text(std::uint32_t rank, int place, unsigned worker)
	{
		return extras_.text_of(ids_.number_of(rank), comparers_[worker].buffers[place], context_.workers->host(worker));
	}
	RowExtras::Text held_text(std::uint32_t rank, unsigned worker)
	{
		Comparer &own = comparers_[worker];
		if (rank != own.held) {
			own.held_text = text(rank, 0, worker);
			own.held = rank;
		}
		return own.held_text;
	}

	// Returns the row if it is removed, or if something forbids that, which is reported once.
	void put(const Decision &decision)
	{
		CHECK_FOR_INTERRUPTS();
		const Outcome outcome = decision.comparison.outcome;
		if (outcome == outcomes || (outcome != removed && reported_[decision.row]))
			return;
		if (outcome != removed)
			reported_[decision.row] = true;
		put(decision.row, decision.kept, decision.comparison);
	}

	void put(std::uint32_t row, std::uint32_t kept, const Comparison &comparison)
	{
		++outcomes_[comparison.outcome];
		if (comparison.outcome == removed)
			++counts_[comparison.reason];
		else
			count_objection(comparison.objection);
		const MemoryContext caller = result_.enter();
		const core::SetOverlap &overlap = comparison.overlap;
		const bool judged = comparison.has_signals, scored = judged && options_.rule != nullptr,
				   counted = neighbours_ != nullptr;
		const char *reason = comparison.objection != nullptr ? comparison.objection : reason_names[comparison.reason];
		const Datum values[] = {ids_.id(row), ids_.id(kept), Float8GetDatum(comparison.similarity),
			Float8GetDatum(overlap.jaccard()), Float8GetDatum(overlap.containment_of_a()), CStringGetTextDatum(reason),
			Float8GetDatum(overlap.containment_of_b()), CStringGetTextDatum(outcome_names[comparison.outcome]),
			Float8GetDatum(comparison.score), Int32GetDatum(counted ? static_cast<int>(neighbours_[row]) : 0),
			Int32GetDatum(counted ? static_cast<int>(neighbours_[kept]) : 0),
			judged ? signals_datum(comparison.signals, signal_columns_) : Datum{0}};
		const bool none = !comparison.has_measures;
		const bool nulls[lengthof(values)] = {
			false, false, false, none, none, false, none, false, !scored, !counted, !counted, !judged};
		result_.put(values, caller, nulls);
	}

	void count_objection(const char *objection)
	{
		for (unsigned guard = 0; guard < core::guard_count; ++guard)
			if (core::name(static_cast<core::Guard>(guard)) == objection) {
				++vetoes_[guard];
				return;
			}
		++refused_by_rule_;
	}

	FingerprintJoin &join_;
	RowIds &ids_;
	RowExtras &extras_;
	const Options &options_;
	RowResult &result_;
	JoinContext context_;
	KeptRows table_;
	DecidedRows
		decided_; // a worker decides about all rows of a component, and rows of others never decide its questions
	std::uint32_t *candidates_ = nullptr;
	Comparer *comparers_ = nullptr;
	std::uint64_t counts_[reasons] = {}, refused_ = 0;
	std::uint64_t outcomes_[outcomes] = {}, vetoes_[core::guard_count] = {}, refused_by_rule_ = 0;
	TupleDesc signal_columns_;
	std::uint32_t *neighbours_ = nullptr;      // by rank
	bool *reported_ = nullptr;                 // rows that were returned although they are not removed
	bool left_out_ = false, has_keys_ = false; // has_keys_: the join has keys
	core::SerialExecutor serial_;
	SmallComponents<Deduplication, Decision> small_;
};

} // namespace txtfp::pg::removal
