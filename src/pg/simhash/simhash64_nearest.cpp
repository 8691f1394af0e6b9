// simhash_nearest: the exact k nearest rows of a table. It searches within growing distances, each time through the
// index, until k rows are found; rows that are farther away cannot be among them.
#include <iterator>

#include "core/simhash/hamming_index.hpp"
#include "pg/simhash/simhash64.hpp"

extern "C" {
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "nodes/plannodes.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"
}

using namespace txtfp;

namespace {

constexpr int everything = 64;
// Each step is the greatest distance that flips one bit per block more than the step before.
constexpr int radii[] = {3, 7, 11, core::max_indexed_distance, everything};
constexpr std::size_t steps = std::size(radii);

// Kept in fn_extra. A plan is made when it is first needed.
struct Search {
	Oid row_type;
	NameData column;
	SPIPlanPtr plans[steps];
	MemoryContextCallback at_end;
};

void free_plans(void *search)
{
	for (SPIPlanPtr &plan : static_cast<Search *>(search)->plans)
		if (plan != nullptr) {
			SPI_freeplan(plan);
			plan = nullptr;
		}
}

// The table that has the row type of the first argument.
Oid relation_of(Oid row_type)
{
	const Oid relation = get_typ_typrelid(row_type);
	if (!OidIsValid(relation) || get_rel_relkind(relation) == RELKIND_COMPOSITE_TYPE)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("type %s is not the row type of a table", format_type_be(row_type)),
				errhint("Name the table by a null row, as in simhash_nearest(NULL::my_table, ...).")));
	return relation;
}

void check_column(Oid relation, const char *column, Oid simhash_type)
{
	const AttrNumber number = get_attnum(relation, column);
	if (number == InvalidAttrNumber)
		ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
				errmsg("column \"%s\" of relation \"%s\" does not exist", column, get_rel_name(relation))));
	const Oid type = get_atttype(relation, number);
	if (type != simhash_type)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("column \"%s\" is of type %s, not simhash64", column, format_type_be(type))));
}

Search &search_of(FunctionCallInfo fcinfo)
{
	FmgrInfo *flinfo = fcinfo->flinfo;
	const Oid row_type = get_fn_expr_argtype(flinfo, 0);
	const char *column = NameStr(*PG_GETARG_NAME(1));
	auto *search = static_cast<Search *>(flinfo->fn_extra);
	if (search == nullptr) {
		search = static_cast<Search *>(MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(Search)));
		search->at_end = {free_plans, search, nullptr};
		MemoryContextRegisterResetCallback(flinfo->fn_mcxt, &search->at_end);
		flinfo->fn_extra = search;
	}
	if (search->row_type != row_type || strcmp(NameStr(search->column), column) != 0) {
		check_column(relation_of(row_type), column, get_fn_expr_argtype(flinfo, 2));
		free_plans(search);
		search->row_type = row_type;
		namestrcpy(&search->column, column);
	}
	return *search;
}

// The query of one step, with parameters $1 (the SimHash) and $2 (k). It is planned once and without their values,
// which do not change the plan.
SPIPlanPtr plan_of(FunctionCallInfo fcinfo, Search &search, std::size_t step)
{
	SPIPlanPtr &plan = search.plans[step];
	if (plan != nullptr)
		return plan;
	const Oid relation = get_typ_typrelid(search.row_type);
	const char *table =
		quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)), get_rel_name(relation));
	const char *column = quote_identifier(NameStr(search.column));
	const char *schema = quote_identifier(get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid)));
	StringInfoData query;
	initStringInfo(&query);
	// "t" alone would mean a column of that name if the table has one.
	appendStringInfo(&query, "SELECT (t.*)::%s FROM %s t WHERE ", table, table);
	if (radii[step] < everything)
		appendStringInfo(&query, "%s.simhash_similar(t.%s, $1, %d)", schema, column, radii[step]);
	else
		appendStringInfo(&query, "t.%s IS NOT NULL", column);
	appendStringInfo(&query, " ORDER BY t.%s OPERATOR(%s.<#>) $1 LIMIT $2", column, schema);
	Oid types[] = {get_fn_expr_argtype(fcinfo->flinfo, 2), INT4OID};
	plan = SPI_prepare_cursor(query.data, 2, types, CURSOR_OPT_GENERIC_PLAN | CURSOR_OPT_PARALLEL_OK);
	if (plan == nullptr)
		elog(ERROR, "SPI_prepare_cursor: %s", SPI_result_code_string(SPI_result));
	SPI_keepplan(plan);
	return plan;
}

double cost(SPIPlanPtr plan)
{
	CachedPlan *cached = SPI_plan_get_cached_plan(plan);
	if (cached == nullptr)
		return 0;
	const double total = linitial_node(PlannedStmt, cached->stmt_list)->planTree->total_cost;
	ReleaseCachedPlan(cached, CurrentResourceOwner);
	return total;
}

// True if the step is cheaper than the widest one. Without an index, or in a small table, every step scans the whole
// table.
bool worth_while(SPIPlanPtr plan, SPIPlanPtr widest)
{
	constexpr double expected_gain = 4;
	return plan == widest || cost(plan) * expected_gain < cost(widest);
}

void store_rows(ReturnSetInfo *result)
{
	for (uint64 i = 0; i < SPI_processed; ++i) {
		bool is_null;
		const Datum row = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &is_null);
		HeapTupleHeader header = DatumGetHeapTupleHeader(row);
		HeapTupleData tuple{};
		tuple.t_len = HeapTupleHeaderGetDatumLength(header);
		tuple.t_data = header;
		tuplestore_puttuple(result->setResult, &tuple);
	}
}

} // namespace

TXTFP_FUNCTION(txtfp_simhash_nearest)
{
	auto *result = (ReturnSetInfo *) fcinfo->resultinfo;
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(3))
		return (Datum) 0;
	if (PG_GETARG_INT32(3) < 0)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("number of rows must not be negative: %d", PG_GETARG_INT32(3))));
	Search &search = search_of(fcinfo);
	Datum values[] = {PG_GETARG_DATUM(2), PG_GETARG_DATUM(3)};
	SPI_connect();
	SPIPlanPtr widest = plan_of(fcinfo, search, steps - 1);
	for (std::size_t step = 0; step < steps; ++step) {
		SPIPlanPtr plan = plan_of(fcinfo, search, step);
		if (!worth_while(plan, widest))
			continue;
		if (SPI_execute_plan(plan, values, nullptr, true, 0) != SPI_OK_SELECT)
			elog(ERROR, "SPI_execute_plan failed");
		if (SPI_processed >= static_cast<uint64>(PG_GETARG_INT32(3)) || plan == widest)
			break;
		SPI_freetuptable(SPI_tuptable);
	}
	store_rows(result);
	SPI_finish();
	return (Datum) 0;
}
