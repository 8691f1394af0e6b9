// deduplicate returns the rows to remove, and for each of them the row that is kept instead, with the evidence: its
// arguments, its rows, its result.
#include <new>
#include <optional>

#include "core/dedup/clusters.hpp"
#include "core/decide/rule_reader.hpp"
#include "core/dedup/deduplication.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/bulk/decided_pairs.hpp"
#include "pg/bulk/memory_budget.hpp"
#include "pg/bulk/row_query.hpp"
#include "pg/bulk/workers.hpp"
#include "pg/compare/signals.hpp"
#include "pg/decide/rule_json.hpp"
#include "pg/text/options.hpp"

extern "C" {
#include "storage/ipc.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/typcache.h"
}

using namespace txtfp;

namespace {

using core::removal::Counts, core::removal::Decision, core::removal::Deduplication,
	core::removal::Reason, core::removal::Verify;

static_assert(std::is_trivially_destructible_v<Deduplication>);

struct Options : core::PairOptions {
	std::optional<double> given; // verify_threshold
	bool explain;
	std::optional<double> threshold; // of a join that is made at a lower one
};

// The texts of the rows, and the result.
class RemovalRows final : public core::removal::Host {
public:
	RemovalRows(pg::BulkCall &call, pg::RowExtras &extras, const Options &options)
		: result_(call.result), ids_(call.ids), extras_(extras), context_(call.context), options_(options),
		  signal_columns_(options.uses_signals() ? lookup_rowtype_tupdesc_copy(call.result.type_of(11), -1) : nullptr)
	{
	}

	// After the last row
	void open(const std::uint32_t *neighbours)
	{
		const std::size_t buffers = 2 * context_.workers->workers();
		neighbours_ = neighbours;
		buffers_ = pg::allocate<pg::RowExtras::Buffer>(context_.memory, buffers);
		std::fill_n(buffers_, buffers, pg::RowExtras::Buffer{});
		extras_.finish();
	}

	bool has_texts() const override { return extras_.has_texts(); }
	core::removal::RowText text(std::uint32_t rank, unsigned place, unsigned worker) override
	{
		const pg::RowExtras::Text text = extras_.text_of(
			ids_.number_of(rank), buffers_[2 * worker + place], context_.workers->host(worker));
		return {text.utf8, text.is_null};
	}
	void compute(unsigned worker, void (*fn)(void *data), void *data) override
	{
		if (worker == 0)
			pg::guarded([=] { fn(data); });
		else
			fn(data);
	}
	core::StopToken stop() const override { return pg::stop_token; }

	void put(const Decision &decision) override
	{
		const core::PairDecision &pair = decision.pair;
		const MemoryContext caller = result_.enter();
		const core::SetOverlap &overlap = pair.overlap;
		const bool judged = pair.has_signals, scored = judged && options_.rule != nullptr,
				   counted = neighbours_ != nullptr;
		const Datum values[] = {ids_.id(decision.row), ids_.id(decision.kept), Float8GetDatum(decision.similarity),
			Float8GetDatum(overlap.jaccard()), Float8GetDatum(overlap.containment_of_a()), text_datum(pair.reason_name()),
			Float8GetDatum(overlap.containment_of_b()),
			CStringGetTextDatum(core::removal::outcome_names[pair.outcome]), Float8GetDatum(pair.score),
			Int32GetDatum(counted ? static_cast<int>(neighbours_[decision.row]) : 0),
			Int32GetDatum(counted ? static_cast<int>(neighbours_[decision.kept]) : 0),
			judged ? pg::signals_datum(pair.signals, signal_columns_) : Datum{0}};
		const bool none = !pair.has_measures;
		const bool nulls[lengthof(values)] = {
			false, false, false, none, none, false, none, false, !scored, !counted, !counted, !judged};
		result_.put(values, caller, nulls);
	}

private:
	static Datum text_datum(std::string_view text)
	{
		return PointerGetDatum(cstring_to_text_with_len(text.data(), static_cast<int>(text.size())));
	}

	pg::RowResult &result_;
	pg::RowIds &ids_;
	pg::RowExtras &extras_;
	const pg::JoinContext &context_;
	const Options &options_;
	TupleDesc signal_columns_;
	const std::uint32_t *neighbours_ = nullptr;
	pg::RowExtras::Buffer *buffers_ = nullptr; // two of each worker
};

static_assert(std::is_trivially_destructible_v<RemovalRows>);

const char *reasons_text(const Options &options, const Counts &counts)
{
	using enum Reason;
	StringInfoData text;
	initStringInfo(&text);
	for (int reason = 0; reason < reasons; ++reason)
		if (options.uses_signals() || (reason != equal_words && reason != symbols_differ))
			if ((reason != lossless || options.verify == Verify::lossless) &&
				(reason != together || counts.by_reason[together] > 0))
				appendStringInfo(&text, "%s" UINT64_FORMAT " %s", text.len == 0 ? "" : ", ", counts.by_reason[reason],
					core::removal::reason_names[reason]);
	return text.data;
}

const char *held_back_text(const Counts &counts)
{
	StringInfoData text;
	initStringInfo(&text);
	appendStringInfo(&text, " To be read: " UINT64_FORMAT ", to be kept: " UINT64_FORMAT ". Because of",
		counts.by_outcome[core::removal::review], counts.by_outcome[core::removal::keep]);
	const char *separator = " ";
	for (unsigned guard = 0; guard < core::guard_count; ++guard)
		if (counts.by_guard[guard] > 0) {
			appendStringInfo(&text, "%s" UINT64_FORMAT " %s", separator, counts.by_guard[guard],
				core::name(static_cast<core::Guard>(guard)).data());
			separator = ", ";
		}
	appendStringInfo(&text, "%s" UINT64_FORMAT " rule.", separator, counts.by_rule);
	return text.data;
}

void explain(const Options &options, const Counts &counts, std::uint32_t rows)
{
	ereport(NOTICE,
		(errmsg("deduplicate: %u rows, " UINT64_FORMAT " to be removed", rows,
			 counts.by_outcome[core::removal::removed]),
			errdetail("By reason: %s. Pairs that the exact comparison rejected: " UINT64_FORMAT ".%s%s",
				reasons_text(options, counts), counts.refused, options.guards.any() || options.rule != nullptr ? held_back_text(counts) : "",
				counts.left_out ? psprintf(" Of rows that share a key with more than %u kept rows, only the latest were "
										   "compared.",
									  core::KeptRows::chain_limit)
								: "")));
}

Verify verify_option(FunctionCallInfo fcinfo, int i)
{
	pg::check_not_null(fcinfo, i, "verify");
	const std::string_view name = pg::text_arg(fcinfo, i);
	const std::optional<Verify> verify = core::removal::parse_verify(name);
	if (!verify)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("unrecognized value of verify: \"%s\"", pg::abbreviated(name)),
				errhint("Valid values are \"none\", \"jaccard\", \"containment\" and \"lossless\".")));
	return *verify;
}

// Reads the arguments verify, verify_threshold, explain, tokenizer and canonicalizer. `first` is the number of the
// first of them.
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
				errhint("Guards are %s, separated by commas.", core::guard_list.data())));
	return *guards;
}

// Sets the cut-offs of the rule for the least of its precisions that is high enough.
void set_cut_offs(Options &options, const pg::StoredRule &rule, double precision)
{
	const core::CutOff *found = core::cut_off_for(rule, precision);
	if (found == nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("the rule has no cut-off for a precision of %s", pg::shortest(precision)),
				errhint("Label more removals and make the rule again, or lower min_precision.")));
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
		const pg::StoredRule &rule = pg::read_rule(PG_GETARG_JSONB_P(first + 2), CurrentMemoryContext);
		options.rule = &rule.rule;
		set_cut_offs(options, rule, pg::positive_unit_option("min_precision", PG_GETARG_FLOAT8(first + 3), pg::Upper::open));
	}
	if (options.uses_signals() && join.threshold) {
		options.threshold = *join.threshold;
		join.threshold = *join.threshold * core::removal::neighbour_threshold;
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
	extras.open(*context.host, context.memory, pg::share_of(context.limit, pg::Share::texts), true);
	pg::FingerprintJoin &join =
		pg::read_rows(context, join_options, result.id_type(), pg::query_argument(fcinfo, query), &extras);
	check_verifiable(options, join, extras);
	const core::DecidedPairs pairs = pg::read_decided_pairs(fcinfo, context, result.id_type(), query + 17);
	auto *rows = new (MemoryContextAlloc(context.memory, sizeof(RemovalRows))) RemovalRows(call, extras, options);
	auto *deduplication = new (MemoryContextAlloc(context.memory, sizeof(Deduplication)))
		Deduplication(*context.host, *context.workers, join, *rows, options, pairs, ids.count(),
			pg::share_of(context.limit, pg::Share::kept_rows));
	const std::span<std::uint32_t> labels = options.uses_signals()
		? deduplication->count_neighbours(options.threshold)
		: core::connect(*context.host, *context.workers, join, ids.count());
	core::unite_together(pairs, labels);
	rows->open(deduplication->neighbours());
	call.progress.begin(pg::BulkPhase::deciding, labels.size());
	PG_ENSURE_ERROR_CLEANUP(pg::JoinWorkers::end_team, PointerGetDatum(context.workers));
	deduplication->run(labels);
	PG_END_ENSURE_ERROR_CLEANUP(pg::JoinWorkers::end_team, PointerGetDatum(context.workers));
	call.progress.end();
	if (options.explain)
		explain(options, deduplication->counts(), ids.count());
	join.close();
	extras.close();
	return call.finish();
}
