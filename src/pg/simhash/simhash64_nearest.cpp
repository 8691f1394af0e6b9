// simhash_nearest: the exact k nearest rows of a table. It searches within growing distances, each time through the
// index, until k rows are found; rows that are farther away cannot be among them.
//
// Usually the queries are planned once, with parameters. Citus cannot plan a query of a distributed table that way: it must see the values,
// and cannot move whole rows. There each search gets a query text of its own, with constants and a list of columns.
#include <iterator>

#include "core/simhash/hamming_index.hpp"
#include "pg/simhash/simhash64.hpp"

extern "C" {
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
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
struct NearestSearch {
	Oid row_type;
	NameData column;
	bool distributed, indexed; // by Citus; `indexed` is known only then
	SPIPlanPtr plans[steps];
	MemoryContextCallback at_end;
};

void free_plans(void *search)
{
	for (SPIPlanPtr &plan : static_cast<NearestSearch *>(search)->plans)
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

// One boolean of a query of catalogs.
bool is_true(const char *query)
{
	if (SPI_execute(query, true, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "SPI_execute failed: %s", query);
	bool is_null;
	const bool result = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &is_null));
	SPI_freetuptable(SPI_tuptable);
	return result;
}

// What a view stands for is not looked into.
void see_distribution(Oid relation, NearestSearch &search)
{
	search.distributed = search.indexed = false;
	if (!OidIsValid(get_relname_relid("pg_dist_partition", PG_CATALOG_NAMESPACE)))
		return;
	SPI_connect();
	const bool view = get_rel_relkind(relation) == RELKIND_VIEW;
	search.distributed = view ||
		is_true(
			psprintf("SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition WHERE logicalrelid = %u::pg_catalog.oid)",
				relation));
	search.indexed = view ||
		is_true(psprintf("SELECT EXISTS (SELECT FROM pg_catalog.pg_index WHERE indrelid = %u AND "
						 "indisvalid AND indkey[0] = %d)",
			relation, get_attnum(relation, NameStr(search.column))));
	SPI_finish();
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

NearestSearch &search_of(FunctionCallInfo fcinfo)
{
	FmgrInfo *flinfo = fcinfo->flinfo;
	const Oid row_type = get_fn_expr_argtype(flinfo, 0);
	const char *column = NameStr(*PG_GETARG_NAME(1));
	auto *search = static_cast<NearestSearch *>(flinfo->fn_extra);
	if (search == nullptr) {
		search = static_cast<NearestSearch *>(MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(NearestSearch)));
		search->at_end = {free_plans, search, nullptr};
		MemoryContextRegisterResetCallback(flinfo->fn_mcxt, &search->at_end);
		flinfo->fn_extra = search;
	}
	if (search->row_type != row_type || strcmp(NameStr(search->column), column) != 0) {
		check_column(relation_of(row_type), column, get_fn_expr_argtype(flinfo, 2));
		free_plans(search);
		search->row_type = row_type;
		namestrcpy(&search->column, column);
		see_distribution(relation_of(row_type), *search);
	}
	return *search;
}

// Appends the columns of a table that have not been dropped.
void append_columns(StringInfo query, Oid relation)
{
	const TupleDesc columns = lookup_rowtype_tupdesc(get_rel_type_id(relation), -1);
	const char *separator = "";
	for (int i = 0; i < columns->natts; ++i)
		if (const Form_pg_attribute column = TupleDescAttr(columns, i); !column->attisdropped) {
			appendStringInfo(query, "%st.%s", separator, quote_identifier(NameStr(column->attname)));
			separator = ", ";
		}
	ReleaseTupleDesc(columns);
}

// The query of one step. `value` and `limit` are SQL for the SimHash and k.
const char *query_of(
	FunctionCallInfo fcinfo, const NearestSearch &search, std::size_t step, const char *value, const char *limit)
{
	const Oid relation = get_typ_typrelid(search.row_type);
	const char *table =
		quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)), get_rel_name(relation));
	const char *column = quote_identifier(NameStr(search.column));
	const char *schema = quote_identifier(get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid)));
	StringInfoData query;
	initStringInfo(&query);
	appendStringInfoString(&query, "SELECT ");
	if (search.distributed)
		append_columns(&query, relation);
	else // "t" alone would mean a column of that name if the table has one.
		appendStringInfo(&query, "(t.*)::%s", table);
	appendStringInfo(&query, " FROM %s t WHERE ", table);
	if (radii[step] < everything)
		appendStringInfo(&query, "%s.simhash_similar(t.%s, %s, %d)", schema, column, value, radii[step]);
	else
		appendStringInfo(&query, "t.%s IS NOT NULL", column);
	appendStringInfo(&query, " ORDER BY t.%s OPERATOR(%s.<#>) %s LIMIT %s", column, schema, value, limit);
	return query.data;
}

// The plan of one step, with parameters $1 (the SimHash) and $2 (k). It is planned once and without their values,
// which do not change the plan.
SPIPlanPtr plan_of(FunctionCallInfo fcinfo, NearestSearch &search, std::size_t step)
{
	SPIPlanPtr &plan = search.plans[step];
	if (plan != nullptr)
		return plan;
	Oid types[] = {get_fn_expr_argtype(fcinfo->flinfo, 2), INT4OID};
	plan = SPI_prepare_cursor(
		query_of(fcinfo, search, step, "$1", "$2"), 2, types, CURSOR_OPT_GENERIC_PLAN | CURSOR_OPT_PARALLEL_OK);
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

// Whole rows.
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

// Rows of the columns that have not been dropped.
void store_columns(ReturnSetInfo *result, Oid relation)
{
	const TupleDesc columns = lookup_rowtype_tupdesc(get_rel_type_id(relation), -1);
	auto *values = static_cast<Datum *>(palloc0(sizeof(Datum) * static_cast<std::size_t>(columns->natts)));
	auto *nulls = static_cast<bool *>(palloc0(sizeof(bool) * static_cast<std::size_t>(columns->natts)));
	for (uint64 row = 0; row < SPI_processed; ++row) {
		for (int i = 0, found = 0; i < columns->natts; ++i)
			if (TupleDescAttr(columns, i)->attisdropped)
				nulls[i] = true;
			else
				values[i] = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, ++found, &nulls[i]);
		tuplestore_putvalues(result->setResult, columns, values, nulls);
	}
	ReleaseTupleDesc(columns);
}

// Both leave the rows in SPI's table.
void search_with_plans(FunctionCallInfo fcinfo, NearestSearch &search)
{
	Datum values[] = {PG_GETARG_DATUM(2), PG_GETARG_DATUM(3)};
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
}

void search_with_constants(FunctionCallInfo fcinfo, const NearestSearch &search)
{
	const Oid type = get_fn_expr_argtype(fcinfo->flinfo, 2);
	const char *value = psprintf("'%016llx'::%s", static_cast<unsigned long long>(DatumGetUInt64(PG_GETARG_DATUM(2))),
		format_type_be_qualified(type));
	const char *limit = psprintf("%d", PG_GETARG_INT32(3));
	for (std::size_t step = search.indexed ? 0 : steps - 1; step < steps; ++step) {
		if (SPI_execute(query_of(fcinfo, search, step, value, limit), true, 0) != SPI_OK_SELECT)
			elog(ERROR, "SPI_execute failed");
		if (SPI_processed >= static_cast<uint64>(PG_GETARG_INT32(3)) || step == steps - 1)
			break;
		SPI_freetuptable(SPI_tuptable);
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
	NearestSearch &search = search_of(fcinfo);
	SPI_connect();
	if (search.distributed) {
		search_with_constants(fcinfo, search);
		store_columns(result, get_typ_typrelid(search.row_type));
	} else {
		search_with_plans(fcinfo, search);
		store_rows(result);
	}
	SPI_finish();
	return (Datum) 0;
}
