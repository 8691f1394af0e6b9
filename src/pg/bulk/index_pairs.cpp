#include "pg/bulk/index_pairs.hpp"

#include "pg/base/settings.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/minhash/minhash.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "nodes/plannodes.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/syscache.h"
}

namespace txtfp::pg {

namespace {

// What a row of a query costs in the join of all rows, beside reading it, as a multiple of cpu_tuple_cost
// (bench/hundred_million.sh).
constexpr double join_row_cost = 2.5;

struct PlannedQuery {
	Oid id_type, value_type; // InvalidOid unless it is a query of two columns
	double cost, rows;
	bool by_sketch;
};

bool is_sketch(Oid index)
{
	const HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(index));
	if (!HeapTupleIsValid(tuple))
		return false;
	const Oid method = ((Form_pg_class) GETSTRUCT(tuple))->relam;
	ReleaseSysCache(tuple);
	return method == get_index_am_oid("sketch", true);
}

// Is there a search through an index of the method in the plan ?
bool searches_sketch(const Plan *plan)
{
	if (plan == nullptr)
		return false;
	if (IsA(plan, IndexScan) && is_sketch(((const IndexScan *) plan)->indexid))
		return true;
	if (IsA(plan, SubqueryScan) && searches_sketch(((const SubqueryScan *) plan)->subplan))
		return true;
	const List *parts = IsA(plan, Append) ? ((const Append *) plan)->appendplans
		: IsA(plan, MergeAppend)          ? ((const MergeAppend *) plan)->mergeplans
										  : NIL;
	const ListCell *cell;
	foreach (cell, parts)
		if (searches_sketch((const Plan *) lfirst(cell)))
			return true;
	return searches_sketch(plan->lefttree) || searches_sketch(plan->righttree);
}

PlannedQuery planned(SPIPlanPtr plan)
{
	PlannedQuery result{};
	List *sources = plan == nullptr ? NIL : SPI_plan_get_plan_sources(plan);
	if (list_length(sources) != 1)
		return result;
	const TupleDesc columns = ((CachedPlanSource *) linitial(sources))->resultDesc;
	CachedPlan *cached = SPI_plan_get_cached_plan(plan);
	if (cached == nullptr)
		return result;
	const auto *statement =
		list_length(cached->stmt_list) == 1 ? (const PlannedStmt *) linitial(cached->stmt_list) : nullptr;
	if (statement != nullptr && statement->commandType == CMD_SELECT && !statement->hasModifyingCTE &&
		statement->rowMarks == NIL) {
		result.cost = statement->planTree->total_cost;
		result.rows = statement->planTree->plan_rows;
		result.by_sketch = searches_sketch(statement->planTree);
		if (columns != nullptr && columns->natts == 2) {
			result.id_type = getBaseType(TupleDescAttr(columns, 0)->atttypid);
			result.value_type = TupleDescAttr(columns, 1)->atttypid;
		}
	}
	ReleaseCachedPlan(cached, nullptr); // the plan is not saved
	return result;
}

// Can ids of this type be returned without a look at each ?
bool converts(Oid type, Oid id_type)
{
	if (!is_id_type(id_type))
		return false;
	return type == id_type || (id_type == INT8OID && (type == INT2OID || type == INT4OID)) ||
		(id_type == INT4OID && type == INT2OID);
}

// The search is exact, whatever the recall of the index is. Of equally near rows the one with the smallest id comes
// first, in the order of RowIds::rank.
const char *join_of(const char *first, const char *second, const JoinOptions &options, const char *schema,
	const char *id_type, bool has_text_ids)
{
	const char *limit = shortest(options.threshold.value_or(jaccard_threshold));
	StringInfoData sql;
	initStringInfo(&sql);
	if (options.nearest)
		appendStringInfo(&sql,
			"SELECT a.id::%s, b.id::%s, b.similarity FROM (%s\n) AS a (id, fp), LATERAL (SELECT b.id, b.similarity "
			"FROM (SELECT b.id, "
			"%s.jaccard(b.fp, a.fp) AS similarity FROM (%s\n) AS b (id, fp) WHERE %s._exactly_similar(b.fp, a.fp, %s) "
			"ORDER BY b.fp OPERATOR(%s.<%%>) a.fp FETCH FIRST 1 ROW WITH TIES) AS b ORDER BY b.id%s LIMIT 1) AS b",
			id_type, id_type, first, schema, second, schema, limit, schema,
			has_text_ids ? " COLLATE pg_catalog.\"C\"" : "");
	else
		appendStringInfo(&sql,
			"SELECT a.id::%s, b.id::%s, %s.jaccard(b.fp, a.fp) FROM (%s\n) AS a (id, fp), (%s\n) AS b (id, fp) WHERE "
			"%s._exactly_similar(b.fp, a.fp, %s)",
			id_type, id_type, schema, first, second, schema, limit);
	return sql.data;
}

class PairReader final : public RowReader {
public:
	explicit PairReader(BulkCall &call) : call_(call) {}
	void columns(TupleDesc) override { call_.progress.begin(BulkPhase::searching_index, 0); }
	void row(TupleTableSlot *row) override
	{
		const Oid id_type = call_.result.id_type();
		const NullableDatum a = column_value(row, 1, {id_type}), b = column_value(row, 2, {id_type});
		const NullableDatum similarity = column_value(row, 3, {FLOAT8OID});
		if (a.isnull || b.isnull || similarity.isnull)
			ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("the query returned an id that is null"),
					errhint("Leave such rows out of the query.")));
		call_.progress.add(1);
		const MemoryContext caller = call_.result.enter();
		// Nobody wants a score or signals: with them, all pairs are joined.
		const Datum values[] = {a.value, b.value, similarity.value, 0, 0};
		const bool nulls[lengthof(values)] = {false, false, false, true, true};
		call_.result.put(values, caller, nulls);
	}

private:
	BulkCall &call_;
};

} // namespace

bool pairs_by_index(
	FunctionCallInfo fcinfo, const JoinOptions &options, const char *first, const char *second, BulkCall &call)
{
	const double threshold = options.threshold.value_or(jaccard_threshold);
	if (options.bands || options.rows || options.recall || options.max_distance || options.min_score ||
		call.context.groups != nullptr || !(threshold > 0 && threshold <= 1))
		return false;
	const Oid schema = get_func_namespace(fcinfo->flinfo->fn_oid), id_type = call.result.id_type();
	const char *sql = nullptr;
	check_is_no_name(first);
	check_is_no_name(second);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	first = without_semicolon(first);
	second = without_semicolon(second);
	if (strchr(first, ';') != nullptr || strchr(second, ';') != nullptr) { // before a comment, or in a string
		SPI_finish();
		return false;
	}
	const PlannedQuery a = planned(SPI_prepare_cursor(first, 0, nullptr, CURSOR_OPT_PARALLEL_OK));
	const PlannedQuery b = planned(SPI_prepare_cursor(second, 0, nullptr, CURSOR_OPT_PARALLEL_OK));
	const FingerprintKind *kind = OidIsValid(b.value_type) ? find_kind(b.value_type, use_pairs) : nullptr;
	if (kind != nullptr && kind->slots > 0 && a.value_type == b.value_type && converts(a.id_type, id_type) &&
		converts(b.id_type, id_type)) {
		const char *join = join_of(first, second, options, quote_identifier(get_namespace_name(schema)),
			format_type_be(id_type), b.id_type == TEXTOID || b.id_type == VARCHAROID);
		const PlannedQuery searches = planned(SPI_prepare_cursor(join, 0, nullptr, CURSOR_OPT_PARALLEL_OK));
		if (searches.by_sketch && searches.cost < a.cost + b.cost + (a.rows + b.rows) * join_row_cost * cpu_tuple_cost)
			sql = MemoryContextStrdup(call.context.memory, join);
	}
	SPI_finish();
	if (sql == nullptr)
		return false;
	PairReader reader(call);
	run_query(sql, reader);
	call.progress.end();
	return true;
}

} // namespace txtfp::pg
