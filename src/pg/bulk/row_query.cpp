#include "pg/bulk/row_query.hpp"

#include <algorithm>

#include "pg/base/local_setting.hpp"
#include "pg/base/text_arg.hpp"

extern "C" {
#include "executor/spi.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/plancache.h"
}

namespace txtfp::pg {

namespace {

struct Receiver {
	DestReceiver base;
	RowReader *reader;
};

void start(DestReceiver *self, int, TupleDesc columns) { reinterpret_cast<Receiver *>(self)->reader->columns(columns); }

bool receive(TupleTableSlot *row, DestReceiver *self)
{
	CHECK_FOR_INTERRUPTS();
	reinterpret_cast<Receiver *>(self)->reader->row(row);
	return true;
}

void nothing(DestReceiver *) {}

// SPI would refuse other statements, too, but with messages about functions.
void check_reads_only(SPIPlanPtr plan)
{
	List *sources = SPI_plan_get_plan_sources(plan);
	List *queries = list_length(sources) == 1 ? ((CachedPlanSource *) linitial(sources))->query_list : NIL;
	const Query *query = list_length(queries) == 1 ? (Query *) linitial(queries) : nullptr;
	if (query == nullptr || query->commandType != CMD_SELECT)
		ereport(
			ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the query must be a single SELECT statement")));
	if (query->hasModifyingCTE || query->rowMarks != NIL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the query must not write or lock rows")));
}

} // namespace

void check_is_no_name(const char *query)
{
	const std::string_view text(query);
	const auto is_of_name = [](char c) {
		return IS_HIGHBIT_SET(c) || isalnum(static_cast<unsigned char>(c)) || strchr("_$.\"", c) != nullptr;
	};
	if (!text.empty() && std::all_of(text.begin(), text.end(), is_of_name) && pg_strcasecmp(query, "select") != 0)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a query is expected, not \"%s\"", abbreviated(query)),
				errhint("If it is a table, write the query that reads it, such as SELECT id, fp FROM %s.",
					abbreviated(query))));
}

const char *without_semicolon(const char *query)
{
	std::size_t size = strlen(query);
	while (size > 0 && (query[size - 1] == ';' || isspace(static_cast<unsigned char>(query[size - 1]))))
		--size;
	return pnstrdup(query, size);
}

SPIPlanPtr prepare_rows_query(const char *query, int cursor_options)
{
	check_is_no_name(query);
	SPIPlanPtr plan = SPI_prepare_cursor(query, 0, nullptr, cursor_options);
	if (plan == nullptr)
		ereport(
			ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the query must be a single SELECT statement")));
	check_reads_only(plan);
	return plan;
}

namespace {

// Otherwise the scan of a large table begins where another one has arrived. Mostly tables are in the order of their
// ids, and rows that come in this order need no arrays for their ranks, in which every access is a cache miss. Ends
// with the nest level that it returns.
int scan_from_the_beginning()
{
	const int level = NewGUCNestLevel();
	set_locally("synchronize_seqscans", "off");
	return level;
}

} // namespace

int first_query(FunctionCallInfo fcinfo, int arguments)
{
	const int query = PG_NARGS() - arguments;
	Assert(query == 0 || query == 1);
	if (query == 1 && !PG_ARGISNULL(0))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the first argument must be null where the second is the query"),
				errhint("The first argument tells the type of ids, such as NULL::uuid. If the first argument was meant as the "
						"query, name those after it, such as threshold => 0.8, or cast them to their types.")));
	return query;
}

const char *query_argument(FunctionCallInfo fcinfo, int i)
{
	if (PG_ARGISNULL(i))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("query must not be null")));
	return text_to_cstring(PG_GETARG_TEXT_PP(i));
}

void run_query(const char *query, RowReader &reader)
{
	Receiver receiver{};
	receiver.base.receiveSlot = receive;
	receiver.base.rStartup = start;
	receiver.base.rShutdown = nothing;
	receiver.base.rDestroy = nothing;
	receiver.base.mydest = DestTuplestore; // any destination other than DestNone and DestSPI
	receiver.reader = &reader;
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	SPIPlanPtr plan = prepare_rows_query(query);
	SPIExecuteOptions options{};
	options.read_only = true;
	options.must_return_tuples = true;
	options.dest = &receiver.base;
	const int level = scan_from_the_beginning();
	const int result = SPI_execute_plan_extended(plan, &options);
	AtEOXact_GUC(true, level);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_plan_extended failed: %s", SPI_result_code_string(result));
	SPI_finish();
}

void check_two_columns(TupleDesc columns, const char *names)
{
	if (columns->natts != 2)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("the query must return two columns, %s, not %d", names, columns->natts)));
}

} // namespace txtfp::pg
