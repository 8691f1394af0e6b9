// deduplicate returns the rows to remove, and for each of them the row that is kept instead, with the evidence. It processes rows in the order of
// priority, then id. A row is removed if it is similar to a row that has been kept and, on request, if an exact comparison of their texts
// confirms this. So every removed row has itself been compared with its kept row. Guards and a rule may forbid a removal; then the row stays, and is
// returned with the outcome "review" or "keep".
#include <algorithm>
#include <new>
#include <optional>

#include "core/compare/difference_signals.hpp"
#include "core/compare/text_measures.hpp"
#include "core/decide/guards.hpp"
#include "core/text/text_options.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/bulk/exceptions.hpp"
#include "pg/bulk/kept_rows.hpp"
#include "pg/bulk/memory_budget.hpp"
#include "pg/bulk/near_duplicates.hpp"
#include "pg/bulk/row_query.hpp"
#include "pg/bulk/row_result.hpp"
#include "pg/compare/signals.hpp"
#include "pg/decide/rule_json.hpp"
#include "pg/text/options.hpp"

extern "C" {
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/typcache.h"
}

using namespace txtfp;

namespace {

enum class Verify { none, jaccard, containment, lossless };

// The first is told from the others by the texts alone; equal_words and symbols_differ only if there are signals.
enum Reason {
	equal_text,
	equal_words,
	symbols_differ,
	equal_fingerprint,
	similarity,
	jaccard,
	containment,
	lossless,
	together,
	reasons
};
constexpr const char *reason_names[reasons] = {"equal_text", "equal_words", "symbols_differ", "equal_fingerprint",
	"similarity", "jaccard", "containment", "lossless", "together"};

enum Outcome { removed, review, keep, outcomes }; // the best for the removal first
constexpr const char *outcome_names[outcomes] = {"remove", "review", "keep"};

struct Options {
	Verify verify;
	std::optional<double> given; // verify_threshold
	double least;                // least value of the exact measure
	core::CanonicalOptions canonical;
	core::TokenizerSpec tokenizer;
	bool explain;
	bool signals; // are returned
	std::optional<core::Guards> guards;
	const pg::StoredRule *rule; // nullptr: none
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

// Counts the near-duplicates of each row at the lower threshold, and connects those that are similar at the other one.
class NeighbourCounter final : public pg::PairSink {
public:
	NeighbourCounter(std::uint32_t *counts, core::UnionFind &components, double threshold)
		: counts_(counts), components_(components), threshold_(threshold)
	{
	}
	void pair(std::uint32_t a, std::uint32_t b, double similarity) override
	{
		++counts_[a];
		++counts_[b];
		if (similarity >= threshold_)
			components_.unite(a, b);
	}

private:
	std::uint32_t *counts_;
	core::UnionFind &components_;
	double threshold_;
};

class Deduplication {
public:
	Deduplication(pg::FingerprintJoin &join, pg::RowIds &ids, pg::RowExtras &extras, const Options &options,
		pg::RowResult &result, const pg::JoinContext &context, TupleDesc signal_columns,
		const pg::Exceptions &exceptions)
		: join_(join), ids_(ids), extras_(extras), options_(options), result_(result), context_(context),
		  signal_columns_(signal_columns)
	{
		decided_.open(exceptions, ids.count(), context.memory);
	}

	// As pg::connect(), with the numbers of neighbours.
	std::span<std::uint32_t> count_neighbours()
	{
		const std::uint32_t rows = ids_.count();
		const std::span<std::uint32_t> labels(pg::allocate<std::uint32_t>(context_.memory, rows), rows);
		neighbours_ = pg::allocate<std::uint32_t>(context_.memory, rows);
		std::fill_n(neighbours_, rows, 0);
		core::UnionFind components(labels.data());
		for (std::uint32_t row = 0; row < rows; ++row)
			components.add(row);
		NeighbourCounter counter(neighbours_, components, options_.threshold);
		join_.pairs(counter);
		for (std::uint32_t row = 0; row < rows; ++row)
			labels[row] = components.find(row);
		reported_ = pg::allocate<bool>(context_.memory, rows);
		std::fill_n(reported_, rows, false);
		return labels;
	}

	void run(std::span<std::uint32_t> labels)
	{
		auto *next = pg::allocate<std::uint32_t>(context_.memory, labels.size()); // the next row of the same component
		core::chain_groups(labels, next);
		rows_ = pg::allocate<std::uint32_t>(context_.memory, labels.size());
		context_.progress->begin(pg::BulkPhase::deciding, labels.size());
		for (std::uint32_t root = 0; root < labels.size(); ++root) {
			if (labels[root] != root || next[root] == core::no_element)
				continue;
			std::size_t count = 0;
			for (std::uint32_t row = root; row != core::no_element; row = next[row])
				rows_[count++] = row;
			context_.progress->add(count);
			decide({rows_, count});
		}
		context_.progress->end();
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
				errdetail("By reason: %s. Pairs that the exact comparison refused: " UINT64_FORMAT ".%s%s",
					reasons_text.data, refused_, held_back,
					left_out_ ? psprintf(" Of rows that share a key with more than %u kept rows, only the latest were "
										 "compared.",
									pg::KeptRows::chain_limit)
							  : "")));
	}

private:
	// In components up to this size every row is compared with every kept row.
	static constexpr std::size_t small_component = 64;

	// The rows of a component, in the order of ranks.
	void decide(std::span<std::uint32_t> rows)
	{
		std::uint64_t keys[pg::FingerprintJoin::max_keys];
		if (rows.size() <= small_component || join_.keys(rows[0], keys) == 0)
			return compare_with_all(rows);
		while (!rows.empty())
			rows = decide_with_table(rows);
	}

	void compare_with_all(std::span<std::uint32_t> rows)
	{
		std::size_t kept = 0; // kept rows move to the front
		for (const std::uint32_t row : rows)
			if (!follow_unit(row) && !remove(row, rows.first(kept))) {
				rows[kept++] = row;
				decided_.decide(row, row);
			}
	}

	// True for a row that is together with one before it, whatever is decided about that one.
	bool follow_unit(std::uint32_t row)
	{
		const std::uint32_t unit = decided_.unit_of(row);
		if (unit == row)
			return false;
		const std::uint32_t kept = decided_.kept_of(unit);
		Comparison comparison{};
		comparison.similarity = join_.similarity(row, kept);
		(void) compare_texts(row, kept, comparison);
		comparison.reason = together;
		comparison.outcome = removed;
		comparison.score = 1;
		put(row, kept, comparison);
		return true;
	}

	// Decides about all rows until the table is full. Of the others, decides only about those that a row in the table removes, and returns
	// the rest, in order.
	std::span<std::uint32_t> decide_with_table(std::span<std::uint32_t> rows)
	{
		if (candidates_ == nullptr) {
			table_.open(context_.memory, pg::share_of(context_.limit, pg::Share::kept_rows));
			candidates_ = pg::allocate<std::uint32_t>(
				context_.memory, pg::FingerprintJoin::max_keys * std::size_t{pg::KeptRows::chain_limit});
		}
		table_.clear();
		std::size_t rest = 0;
		bool full = false;
		for (const std::uint32_t row : rows) {
			if (const std::uint32_t unit = decided_.unit_of(row); unit != row) {
				if (decided_.kept_of(unit) == core::no_element)
					rows[rest++] = row;
				else
					(void) follow_unit(row);
				continue;
			}
			std::uint64_t keys[pg::FingerprintJoin::max_keys];
			const std::span<const std::uint64_t> own(keys, join_.keys(row, keys));
			std::size_t found = 0;
			left_out_ |= table_.find(own, [&](std::uint32_t kept) { candidates_[found++] = kept; });
			std::sort(candidates_, candidates_ + found);
			found = static_cast<std::size_t>(std::unique(candidates_, candidates_ + found) - candidates_);
			if (remove(row, {candidates_, found}))
				continue;
			full = full || !table_.has_room(own.size());
			if (full) {
				rows[rest++] = row;
			} else {
				table_.add(row, own);
				decided_.decide(row, row);
			}
		}
		return rows.first(rest);
	}

	// Compares the row with the kept rows, in their order. True if one of them causes its removal. If each removal meets an objection, the row is
	// returned with the one that comes first among those of the better outcome.
	bool remove(std::uint32_t row, std::span<const std::uint32_t> kept)
	{
		Comparison best{};
		best.outcome = outcomes;
		std::uint32_t best_kept = 0;
		for (const std::uint32_t other : kept) {
			CHECK_FOR_INTERRUPTS();
			Comparison comparison{};
			if (!join_.similar(row, other) || !decided_.may_join(row, other))
				continue;
			comparison.similarity = join_.similarity(row, other);
			if (comparison.similarity < options_.threshold)
				continue;
			if (!compare_texts(row, other, comparison)) {
				++refused_;
				continue;
			}
			judge(row, other, comparison);
			if (comparison.outcome == removed) {
				put(row, other, comparison);
				decided_.decide(row, other);
				return true;
			}
			if (comparison.outcome < best.outcome) {
				best = comparison;
				best_kept = other;
			}
		}
		if (best.outcome != outcomes && !reported_[row]) {
			reported_[row] = true;
			put(row, best_kept, best);
		}
		return false;
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
		comparison.score = pg::score(*options_.rule, signals);
		if (comparison.score < options_.keep_below)
			comparison.outcome = keep;
		else if (comparison.score < options_.remove_from && comparison.objection == nullptr)
			comparison.outcome = review;
		if (comparison.outcome == keep || (comparison.outcome == review && comparison.objection == nullptr))
			comparison.objection = "rule";
	}

	// True if no verification was requested, or if the exact comparison confirms the removal.
	bool compare_texts(std::uint32_t row, std::uint32_t kept, Comparison &comparison)
	{
		comparison.reason = comparison.similarity == 1 ? equal_fingerprint : similarity;
		if (!extras_.has_texts())
			return true;
		const pg::RowExtras::Text a = text(row, 0), b = text(kept, 1);
		if (a.is_null || b.is_null)
			return options_.verify == Verify::none && !options_.guards && options_.rule == nullptr;
		bool whole = true; // nothing of a is lost
		pg::guarded([&] {
			comparison.overlap =
				core::token_overlap(a.utf8, b.utf8, options_.canonical, options_.tokenizer, pg::stop_token);
			if (options_.verify == Verify::lossless)
				whole = core::has_all_of(b.utf8, a.utf8, pg::stop_token);
			if (options_.uses_signals() && whole)
				comparison.signals = core::difference_signals(a.utf8, b.utf8, pg::stop_token);
		});
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

	// The text of the first row is kept from one comparison to the next.
	pg::RowExtras::Text text(std::uint32_t rank, int place)
	{
		if (place == 0 && rank == held_)
			return held_text_;
		const pg::RowExtras::Text text = extras_.text_of(ids_.number_of(rank), place);
		if (place == 0) {
			held_ = rank;
			held_text_ = text;
		}
		return text;
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
			judged ? pg::signals_datum(comparison.signals, signal_columns_) : Datum{0}};
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

	pg::FingerprintJoin &join_;
	pg::RowIds &ids_;
	pg::RowExtras &extras_;
	const Options &options_;
	pg::RowResult &result_;
	pg::JoinContext context_;
	pg::KeptRows table_;
	pg::DecidedRows decided_;
	std::uint32_t *rows_ = nullptr, *candidates_ = nullptr;
	std::uint32_t held_ = core::no_element;
	pg::RowExtras::Text held_text_{};
	std::uint64_t counts_[reasons] = {}, refused_ = 0;
	std::uint64_t outcomes_[outcomes] = {}, vetoes_[core::guard_count] = {}, refused_by_rule_ = 0;
	TupleDesc signal_columns_;
	std::uint32_t *neighbours_ = nullptr; // by rank
	bool *reported_ = nullptr;            // rows that were returned although they are not removed
	bool left_out_ = false;
};

static_assert(std::is_trivially_destructible_v<Deduplication>);

Verify verify_option(FunctionCallInfo fcinfo, int i)
{
	pg::check_not_null(fcinfo, i, "verify");
	const std::string_view verify = pg::text_arg(fcinfo, i);
	if (verify == "none")
		return Verify::none;
	if (verify == "jaccard")
		return Verify::jaccard;
	if (verify == "lossless")
		return Verify::lossless;
	if (verify != "containment")
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("unrecognized value of verify: \"%s\"", pg::abbreviated(verify)),
				errhint("Valid values are \"none\", \"jaccard\", \"containment\" and \"lossless\".")));
	return Verify::containment;
}

// Reads the arguments verify, verify_threshold, explain, tokenizer and canonicalizer. `first` is the number of the first of them.
Options options_of(FunctionCallInfo fcinfo, int first, const pg::JoinOptions &join)
{
	Options options{};
	options.verify = verify_option(fcinfo, first);
	if (!PG_ARGISNULL(first + 1))
		options.given = pg::unit_interval_option("verify_threshold", PG_GETARG_FLOAT8(first + 1));
	options.least = options.given.value_or(join.threshold.value_or(0));
	pg::check_not_null(fcinfo, first + 2, "explain");
	options.explain = PG_GETARG_BOOL(first + 2);
	pg::check_not_null(fcinfo, first + 3, "tokenizer");
	options.tokenizer = pg::tokenizer_option(pg::text_arg(fcinfo, first + 3));
	pg::check_not_null(fcinfo, first + 4, "canonicalizer");
	options.canonical = pg::canonicalizer_option(pg::text_arg(fcinfo, first + 4));
	return options;
}

core::Guards guards_option(std::string_view text)
{
	std::string_view unknown;
	const std::optional<core::Guards> guards = core::Guards::parse(text, unknown);
	if (!guards)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unrecognized guard: \"%s\"", pg::abbreviated(unknown)),
				errhint("Guards are symbol, number, name, repeated, two_sided, scope, first_line and neighbours, "
						"separated by "
						"commas.")));
	return *guards;
}

// Sets the cut-offs of the rule for the least of its precisions that is high enough.
void set_cut_offs(Options &options, double precision)
{
	const core::CutOff *found = nullptr;
	for (const core::CutOff &cut : options.rule->cut_offs)
		if (cut.precision >= precision && (found == nullptr || cut.precision < found->precision))
			found = &cut;
	if (found == nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("the rule has no cut-off for a precision of %s", pg::shortest(precision)),
				errhint("Label more removals and make the rule again, or ask for less.")));
	options.remove_from = found->remove_from;
	options.keep_below = found->keep_below;
}

// Reads the arguments signals, guard, rule and min_precision, and lowers the threshold of the join for the neighbours.
void decision_options(FunctionCallInfo fcinfo, int first, pg::JoinOptions &join, Options &options)
{
	pg::check_not_null(fcinfo, first, "signals");
	options.signals = PG_GETARG_BOOL(first);
	if (!PG_ARGISNULL(first + 1))
		options.guards = guards_option(pg::text_arg(fcinfo, first + 1));
	const bool has_rule = !PG_ARGISNULL(first + 2), has_precision = !PG_ARGISNULL(first + 3);
	if (has_rule != has_precision)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("rule and min_precision must be given together"),
				errhint("For example: rule => r, min_precision => 0.95.")));
	if (has_rule) {
		options.rule = &pg::read_rule(PG_GETARG_JSONB_P(first + 2), CurrentMemoryContext);
		set_cut_offs(options, pg::positive_unit_option("min_precision", PG_GETARG_FLOAT8(first + 3), pg::Upper::open));
	}
	constexpr double lower = 0.75, rounding = 1e-9;
	if (options.uses_signals() && join.threshold) {
		options.threshold = *join.threshold - rounding;
		join.threshold = *join.threshold * lower;
	}
}

void check_verifiable(const Options &options, const pg::FingerprintJoin &join, const pg::RowExtras &extras)
{
	if (options.uses_signals() && !extras.has_texts())
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("the query returns no text for signals, guards or a rule"),
				errhint("Return it as the third column.")));
	if (options.verify == Verify::none)
		return;
	if (!extras.has_texts())
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the query returns no text to be verified"),
				errhint("Return it as the third column, or do not verify.")));
	if (options.verify == Verify::lossless)
		return;
	if (!options.given && !join.estimates_jaccard())
		ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				errmsg("verify_threshold must not be null for fingerprints of this type"),
				errdetail("Their similarity does not estimate that of the texts.")));
}

} // namespace

TXTFP_FUNCTION(txtfp_deduplicate)
{
	const int query = PG_NARGS() - 19; // the type of the ids may come first
	pg::JoinOptions join_options = pg::join_options(fcinfo, query + 1, query + 7);
	if (!join_options.threshold && !join_options.max_distance && !join_options.min_score)
		ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("threshold must not be null"),
				errhint("For simhash64 and tlsh give max_distance, for lavinhash min_score.")));
	Options options = options_of(fcinfo, query + 2, join_options);
	decision_options(fcinfo, query + 13, join_options, options);
	pg::BulkCall call(fcinfo, pg::BulkFunction::deduplicate, query + 10);
	pg::RowResult &result = call.result;
	pg::RowIds &ids = call.ids;
	const pg::JoinContext &context = call.context;
	pg::RowExtras extras;
	extras.open(context.memory, pg::share_of(context.limit, pg::Share::texts), true);
	pg::FingerprintJoin &join =
		pg::read_rows(fcinfo, context, join_options, result.id_type(), pg::query_argument(fcinfo, query), &extras);
	check_verifiable(options, join, extras);
	TupleDesc signal_columns = options.uses_signals() ? lookup_rowtype_tupdesc_copy(result.type_of(11), -1) : nullptr;
	const pg::Exceptions exceptions = pg::read_exceptions(fcinfo, context, result.id_type(), query + 17);
	auto *deduplication = new (MemoryContextAlloc(context.memory, sizeof(Deduplication)))
		Deduplication(join, ids, extras, options, result, context, signal_columns, exceptions);
	const std::span<std::uint32_t> labels =
		options.uses_signals() ? deduplication->count_neighbours() : pg::connect(join, ids.count(), context.memory);
	pg::unite_together(exceptions, labels);
	deduplication->run(labels);
	if (options.explain)
		deduplication->explain();
	join.close();
	extras.close();
	return call.finish();
}
