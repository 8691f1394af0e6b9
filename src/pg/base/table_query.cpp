#include "pg/base/table_query.hpp"

#include <algorithm>
#include <utility>

extern "C" {
#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/params.h"
#include "parser/parse_node.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/typcache.h"
}

namespace txtfp::pg {

namespace {

void check_tables(const ParseState *level)
{
	const auto &query = *static_cast<const TableQuery *>(level->p_ref_hook_state);
	const Oid *end = query.tables + query.table_count;
	for (; level != nullptr; level = level->parentParseState) {
		ListCell *cell;
		foreach (cell, level->p_rtable) {
			const auto *entry = lfirst_node(RangeTblEntry, cell);
			if (entry->rtekind == RTE_RELATION && std::find(query.tables, end, entry->relid) == end)
				ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("relation \"%s\" has been renamed or replaced by another session",
							get_rel_name(entry->relid)),
						errhint("The statement might succeed if repeated.")));
		}
	}
}

Node *column_node(ParseState *parser, ColumnRef *)
{
	check_tables(parser);
	return nullptr; // PostgreSQL finds the column
}

Node *parameter_node(ParseState *parser, ParamRef *reference)
{
	check_tables(parser);
	const auto &query = *static_cast<const TableQuery *>(parser->p_ref_hook_state);
	const int number = reference->number;
	if (number < 1 || number > query.parameter_count)
		return nullptr;
	const QueryParameter &given = query.parameters[number - 1];
	if (given.is_constant)
		return (Node *) makeConst(
			given.type, -1, InvalidOid, get_typlen(given.type), given.constant, false, get_typbyval(given.type));
	auto *parameter = makeNode(Param);
	parameter->paramkind = PARAM_EXTERN;
	parameter->paramid = number;
	parameter->paramtype = given.type;
	parameter->paramtypmod = -1;
	parameter->paramcollid = get_typcollation(given.type);
	parameter->location = reference->location;
	return (Node *) parameter;
}

void set_up_parser(ParseState *parser, void *query) noexcept
{
	parser->p_pre_columnref_hook = column_node;
	parser->p_paramref_hook = parameter_node;
	parser->p_ref_hook_state = query;
}

ParamListInfo parameter_list(const TableQuery &query, const Datum *values, const bool *nulls)
{
	ParamListInfo list = makeParamList(query.parameter_count); // whose values are what the memory held before
	for (int i = 0; i < query.parameter_count; ++i)
		if (query.parameters[i].is_constant) // no Param of the query refers to it, but a cursor copies all of them
			list->params[i] = {0, true, 0, InvalidOid};
		else
			list->params[i] = {values[i], nulls != nullptr && nulls[i], PARAM_FLAG_CONST, query.parameters[i].type};
	return list;
}

void execute(const TableQuery &query, ParamListInfo parameters, bool read_only, long limit)
{
	const int result = SPI_execute_plan_with_paramlist(query.plan, parameters, read_only, limit);
	if (result < 0)
		elog(ERROR, "SPI_execute_plan_with_paramlist failed: %s", SPI_result_code_string(result));
}

struct Receiver {
	DestReceiver base;
	RowTaker *taker;
};

void start(DestReceiver *, int, TupleDesc) {}
void nothing(DestReceiver *) {}

bool receive(TupleTableSlot *row, DestReceiver *self)
{
	CHECK_FOR_INTERRUPTS();
	return reinterpret_cast<Receiver *>(self)->taker->take(row);
}

const char *operator_text(Oid number, Oid type, const char *what)
{
	if (!OidIsValid(number))
		ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_FUNCTION),
				errmsg("could not identify an %s operator for type %s", what, format_type_be(type))));
	HeapTuple tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(number));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator %u", number);
	const auto *form = (Form_pg_operator) GETSTRUCT(tuple);
	const char *text =
		psprintf("OPERATOR(%s.%s)", quote_identifier(get_namespace_name(form->oprnamespace)), NameStr(form->oprname));
	ReleaseSysCache(tuple);
	return text;
}

} // namespace

TableQuery *prepare_query(const char *text, std::span<const QueryParameter> parameters, std::span<const Oid> tables)
{
	Assert(parameters.size() <= TableQuery::max_parameters && tables.size() <= TableQuery::max_tables);
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "txtfp query", ALLOCSET_SMALL_SIZES);
	auto *query = static_cast<TableQuery *>(MemoryContextAllocZero(memory, sizeof(TableQuery)));
	query->memory = memory;
	query->parameter_count = static_cast<int>(parameters.size());
	query->table_count = static_cast<int>(tables.size());
	std::copy(parameters.begin(), parameters.end(), query->parameters);
	std::copy(tables.begin(), tables.end(), query->tables);
	query->plan = SPI_prepare_params(text, set_up_parser, query, CURSOR_OPT_GENERIC_PLAN);
	if (query->plan == nullptr)
		elog(ERROR, "SPI_prepare_params failed: %s", SPI_result_code_string(SPI_result));
	return query;
}

void keep_query(TableQuery *query)
{
	SPI_keepplan(query->plan);
	MemoryContextSetParent(query->memory, TopMemoryContext);
}

void drop_query(TableQuery *query)
{
	SPI_freeplan(query->plan);
	MemoryContextDelete(query->memory);
}

bool is_valid(const TableQuery &query) { return SPI_plan_is_valid(query.plan); }

bool has_parameters(const TableQuery &query, std::span<const QueryParameter> parameters)
{
	return std::equal(
		query.parameters, query.parameters + query.parameter_count, parameters.begin(), parameters.end());
}

TableQuery *take_query(TableQuery *&place) { return std::exchange(place, nullptr); }

void give_back_query(TableQuery *&place, TableQuery *query)
{
	if (place == nullptr)
		place = query;
	else
		drop_query(query);
}

void execute_query(const TableQuery &query, const Datum *values, bool read_only, const bool *nulls)
{
	execute(query, parameter_list(query, values, nulls), read_only, 0);
}

void read_query(const TableQuery &query, const Datum *values, Snapshot snapshot, const bool *nulls, long limit)
{
	CommandCounterIncrement(); // so that rows of the statement that fired the trigger are seen
	ParamListInfo parameters = parameter_list(query, values, nulls);
	PushActiveSnapshot(snapshot == Snapshot::latest ? GetLatestSnapshot() : GetTransactionSnapshot());
	execute(query, parameters, true, limit);
	PopActiveSnapshot();
}

void read_rows(const TableQuery &query, const Datum *values, Snapshot snapshot, const bool *nulls, RowTaker &taker)
{
	CommandCounterIncrement();
	Receiver receiver{};
	receiver.base.receiveSlot = receive;
	receiver.base.rStartup = start;
	receiver.base.rShutdown = receiver.base.rDestroy = nothing;
	receiver.base.mydest = DestTuplestore; // any destination other than DestNone and DestSPI
	receiver.taker = &taker;
	SPIExecuteOptions options{};
	options.params = parameter_list(query, values, nulls);
	options.read_only = options.must_return_tuples = true;
	options.dest = &receiver.base;
	PushActiveSnapshot(snapshot == Snapshot::latest ? GetLatestSnapshot() : GetTransactionSnapshot());
	const int result = SPI_execute_plan_extended(query.plan, &options);
	PopActiveSnapshot();
	if (result < 0)
		elog(ERROR, "SPI_execute_plan_extended failed: %s", SPI_result_code_string(result));
}

Portal open_cursor(const TableQuery &query, const Datum *values)
{
	return SPI_cursor_open_with_paramlist(nullptr, query.plan, parameter_list(query, values, nullptr), true);
}

const char *relation_text(Oid relation)
{
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)), get_rel_name(relation));
}

const char *type_text(Oid type)
{
	HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for type %u", type);
	const auto *form = (Form_pg_type) GETSTRUCT(tuple);
	const char *text = quote_qualified_identifier(get_namespace_name(form->typnamespace), NameStr(form->typname));
	ReleaseSysCache(tuple);
	return text;
}

const char *equality_operator(Oid type)
{
	return operator_text(lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr, type, "equality");
}

const char *less_operator(Oid type)
{
	return operator_text(lookup_type_cache(type, TYPECACHE_LT_OPR)->lt_opr, type, "ordering");
}

} // namespace txtfp::pg
