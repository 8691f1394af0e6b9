// What near_duplicate_pairs, near_duplicate_clusters and deduplicate have in common, the rows of their queries, and
// near_duplicate_clusters.
#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "core/dedup/cluster_cuts.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/bulk/cluster_rows.hpp"
#include "pg/bulk/decided_pairs.hpp"
#include "pg/bulk/memory_budget.hpp"
#include "pg/bulk/near_duplicates.hpp"
#include "pg/bulk/row_query.hpp"
#include "pg/bulk/row_result.hpp"
#include "pg/bulk/workers.hpp"
#include "pg/index/search_kind.hpp"
#include "pg/minhash/minhash.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "storage/ipc.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
}

using namespace txtfp;

namespace txtfp::pg {

const FingerprintKind &fingerprint_kind(Oid type, const char *column, KindUse use)
{
	const FingerprintKind *kind = find_kind(type, use);
	if (kind == nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("the %s column of the query is of type %s", column, format_type_be(type)),
				errhint("The types are %s.", kind_types(use))));
	return *kind;
}

} // namespace txtfp::pg

namespace {

// Passes the rows of a query to a join.
class FingerprintReader final : public pg::ValueReader {
public:
	FingerprintReader(
		const pg::JoinContext &context, const pg::JoinOptions &options, Oid id_type, pg::RowExtras *extras, bool between)
		: ValueReader(context, id_type), options_(options), extras_(extras), between_(between)
	{
	}

	pg::FingerprintJoin &join() const { return *join_; }
	bool has_join() const { return join_ != nullptr; }

private:
	void check(TupleDesc columns) override
	{
		if (extras_ == nullptr)
			pg::check_columns(columns, context_, "a fingerprint");
		else
			extras_->columns(columns, context_.groups != nullptr, !between_);
	}

	void value_type(Oid type) override { use_kind(pg::fingerprint_kind(type, "second", pg::use_pairs)); }

	void value(std::uint32_t, Datum value, TupleTableSlot &row) override
	{
		join_->add(value);
		if (extras_ != nullptr)
			extras_->add(row);
	}

	void use_kind(const pg::FingerprintKind &kind)
	{
		if (kind_ == nullptr)
			join_ = make_join(kind);
		else if (kind_ != &kind)
			ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("the queries return fingerprints of types %s and %s", kind_->type, kind.type)));
		kind_ = &kind;
	}

	pg::FingerprintJoin *make_join(const pg::FingerprintKind &kind) const
	{
		switch (kind.join) {
		case core::JoinWay::vectors:
			return pg::make_embedding_join(context_, options_);
		case core::JoinWay::bands:
			return pg::make_minhash_join(context_, options_, kind);
		default:
			return pg::make_value_join(context_, options_, kind);
		}
	}

	pg::JoinOptions options_;
	pg::RowExtras *extras_;
	bool between_;
	const pg::FingerprintKind *kind_ = nullptr;
	pg::FingerprintJoin *join_ = nullptr;
};

static_assert(std::is_trivially_destructible_v<FingerprintReader>);

core::ClusterMode mode_option(FunctionCallInfo fcinfo, int i)
{
	pg::check_not_null(fcinfo, i, "mode");
	const std::string_view name = pg::text_arg(fcinfo, i);
	const auto mode = core::parse_mode(name);
	if (!mode)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unrecognized mode: \"%s\"", pg::abbreviated(name)),
				errhint("Valid modes are \"components\", \"star\" and \"complete\".")));
	return *mode;
}

} // namespace

namespace txtfp::pg {

JoinOptions join_options(FunctionCallInfo fcinfo, int threshold, int banding)
{
	JoinOptions options{};
	if (!PG_ARGISNULL(threshold))
		options.threshold = PG_GETARG_FLOAT8(threshold);
	if (!PG_ARGISNULL(banding))
		options.recall = PG_GETARG_FLOAT8(banding);
	if (!PG_ARGISNULL(banding + 1))
		options.bands = PG_GETARG_INT32(banding + 1);
	if (!PG_ARGISNULL(banding + 2))
		options.rows = PG_GETARG_INT32(banding + 2);
	if (!PG_ARGISNULL(banding + 4))
		options.max_distance = PG_GETARG_INT32(banding + 4);
	if (!PG_ARGISNULL(banding + 5))
		options.min_score = PG_GETARG_INT32(banding + 5);
	return options;
}

core::JoinPlan join_plan(const JoinOptions &options, const FingerprintKind &kind)
{
	core::JoinPlan plan;
	core::Complaint wrong;
	const auto write = [](double number, char(&text)[32]) { strlcpy(text, shortest(number), sizeof text); };
	if (!core::plan_join(kind, options, kind.search->setting(), write, plan, wrong))
		report(wrong);
	return plan;
}

FingerprintJoin &read_rows(const JoinContext &context, const JoinOptions &options, Oid id_type,
	const char *query, RowExtras *extras, const char *second_query)
{
	context.ids->open(context.memory, id_type, share_of(context.limit, Share::ids));
	auto *reader = new (MemoryContextAlloc(context.memory, sizeof(FingerprintReader)))
		FingerprintReader(context, options, id_type, extras, second_query != nullptr);
	PG_ENSURE_ERROR_CLEANUP(JoinWorkers::end_team, PointerGetDatum(context.workers));
	{
		run_query(query, *reader);
		context.progress->end();
		if (second_query != nullptr) {
			context.ids->begin_second_part();
			if (reader->has_join())
				reader->join().begin_second_part();
			run_query(second_query, *reader);
			context.progress->end();
		}
		context.ids->rank(share_of(context.limit, Share::ranks));
		if (extras != nullptr && extras->has_priorities())
			context.ids->order_by(extras->priorities());
		if (extras != nullptr)
			context.workers->expect(extras->text_bytes());
		reader->join().finish_rows();
	}
	PG_END_ENSURE_ERROR_CLEANUP(JoinWorkers::end_team, PointerGetDatum(context.workers));
	return reader->join();
}

} // namespace txtfp::pg

namespace {

// The array of thresholds, in descending order, which are given in place of one.
std::span<double> thresholds_option(FunctionCallInfo fcinfo, int i, const pg::JoinOptions &options)
{
	if (PG_ARGISNULL(i))
		return {};
	if (options.threshold || options.max_distance || options.min_score)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("thresholds cannot be combined with threshold, max_distance and min_score")));
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(i);
	Datum *values;
	bool *nulls;
	int n;
	deconstruct_array(array, FLOAT8OID, sizeof(double), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &values, &nulls, &n);
	if (n == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("thresholds must not be empty")));
	const std::span<double> thresholds(
		pg::allocate<double>(CurrentMemoryContext, static_cast<std::size_t>(n)), static_cast<std::size_t>(n));
	for (int k = 0; k < n; ++k) {
		if (nulls[k])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("thresholds must not contain null")));
		thresholds[static_cast<std::size_t>(k)] =
			pg::positive_unit_option("thresholds", DatumGetFloat8(values[k]), pg::Upper::closed);
	}
	std::sort(thresholds.begin(), thresholds.end(), [](double x, double y) { return x > y; });
	if (const auto twice = std::adjacent_find(thresholds.begin(), thresholds.end()); twice != thresholds.end())
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("thresholds must be different, but %s comes twice", pg::shortest(*twice))));
	return thresholds;
}

struct ClusterOptions {
	pg::JoinOptions join;
	core::ClusterMode mode;
	std::span<double> thresholds; // empty: one, the threshold of the join
	std::uint32_t max_size;       // 0: no limit
};

// `query` is the number of that argument.
ClusterOptions cluster_options(FunctionCallInfo fcinfo, int query)
{
	ClusterOptions options{pg::join_options(fcinfo, query + 1, query + 3), mode_option(fcinfo, query + 2), {}, 0};
	options.thresholds = thresholds_option(fcinfo, query + 12, options.join);
	if (!PG_ARGISNULL(query + 11))
		options.max_size =
			static_cast<std::uint32_t>(pg::within("max_size", PG_GETARG_INT32(query + 11), 2, PG_INT32_MAX));
	if (options.max_size > 0 && !PG_ARGISNULL(query + 10))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("max_size cannot be combined with together"),
				errdetail("A cut might separate rows that are to be together.")));
	if (options.thresholds.empty())
		return options;
	options.join.threshold = options.thresholds.back();
	if (options.mode != core::ClusterMode::components)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("thresholds must not be given for the mode \"%s\"",
					core::mode_names[static_cast<int>(options.mode)]),
				errdetail("Only components at a higher threshold lie within those at a lower one.")));
	if (options.max_size > 0 || !PG_ARGISNULL(query + 9) || !PG_ARGISNULL(query + 10))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("thresholds cannot be combined with apart, together and max_size")));
	return options;
}

// `formed_at`, `formed`: of ClusterRows.
void put_clusters(pg::BulkCall &call, pg::FingerprintJoin &join, std::span<const std::uint32_t> labels,
	const double *formed_at, double formed = std::numeric_limits<double>::quiet_NaN())
{
	const pg::JoinContext &context = call.context;
	pg::ClusterRows rows(call.result, call.ids, labels, context.memory, formed_at, formed);
	core::deliver_clusters(*context.host, *context.workers, join, labels, rows.sizes(), rows);
	rows.close();
}

// Returns formed_at of ClusterRows.
const double *find_clusters(const pg::JoinContext &context, pg::FingerprintJoin &join, const core::DecidedPairs &pairs,
	const ClusterOptions &options, std::span<std::uint32_t> labels)
{
	double *formed;
	core::TooManyLinks wrong;
	if (!core::find_clusters(*context.host, join, pairs, {options.mode, options.max_size, context.limit / 2}, labels,
			formed, wrong))
		ereport(ERROR,
			(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				errmsg("a cluster of %zu rows with rows to be kept apart has more than %zu pairs", wrong.rows,
					wrong.most),
				errhint("Increase maintenance_work_mem, raise the threshold, or use the mode \"star\".")));
	return formed;
}

} // namespace

TXTFP_FUNCTION(txtfp_near_duplicate_clusters_v2)
{
	const int query = pg::first_query(fcinfo, 13);
	const ClusterOptions options = cluster_options(fcinfo, query);
	pg::BulkCall call(fcinfo, pg::BulkFunction::near_duplicate_clusters, query + 6);
	pg::RowIds &ids = call.ids;
	const pg::JoinContext &context = call.context;
	pg::RowExtras extras;
	extras.open(*context.host, context.memory, 0, pg::TextColumn::none);
	pg::FingerprintJoin &join =
		pg::read_rows(context, options.join, call.result.id_type(), pg::query_argument(fcinfo, query), &extras);
	if (!options.thresholds.empty()) {
		const core::NestedComponents nested =
			core::nested_components(*context.host, join, ids.count(), options.thresholds);
		for (std::size_t i = 0; i < options.thresholds.size(); ++i)
			put_clusters(call, join, nested.labels[i], nullptr, options.thresholds[i]);
	} else {
		const core::DecidedPairs pairs = pg::read_decided_pairs(fcinfo, context, call.result.id_type(), query + 9);
		const std::span<std::uint32_t> labels = core::connect(*context.host, *context.workers, join, ids.count());
		put_clusters(call, join, labels, find_clusters(context, join, pairs, options, labels));
	}
	join.close();
	extras.close();
	return call.finish();
}
