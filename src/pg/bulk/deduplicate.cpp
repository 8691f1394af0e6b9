// deduplicate returns the rows to remove, and for each of them the row that is kept instead, with the evidence: its
// arguments, its rows, its result.
#include <new>

#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/bulk/deduplication.hpp"
#include "pg/bulk/row_query.hpp"
#include "pg/text/options.hpp"

extern "C" {
#include "utils/memutils.h"
#include "utils/typcache.h"
}

using namespace txtfp;

namespace {

using pg::removal::Deduplication, pg::removal::Options, pg::removal::Verify;

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
		if (const core::Guards guards = guards_option(pg::text_arg(fcinfo, first + 1)); guards.any())
			options.guards = guards;
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
	extras.open(*context.host, context.memory, pg::share_of(context.limit, pg::Share::texts), true);
	pg::FingerprintJoin &join =
		pg::read_rows(fcinfo, context, join_options, result.id_type(), pg::query_argument(fcinfo, query), &extras);
	check_verifiable(options, join, extras);
	TupleDesc signal_columns = options.uses_signals() ? lookup_rowtype_tupdesc_copy(result.type_of(11), -1) : nullptr;
	const pg::Exceptions exceptions = pg::read_exceptions(fcinfo, context, result.id_type(), query + 17);
	auto *deduplication = new (MemoryContextAlloc(context.memory, sizeof(Deduplication)))
		Deduplication(join, ids, extras, options, result, context, signal_columns, exceptions);
	const std::span<std::uint32_t> labels =
		options.uses_signals() ? deduplication->count_neighbours() : pg::connect(join, context);
	pg::unite_together(exceptions, labels);
	deduplication->run(labels);
	if (options.explain)
		deduplication->explain();
	join.close();
	extras.close();
	return call.finish();
}
