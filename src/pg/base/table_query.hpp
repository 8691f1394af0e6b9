// A query of SPI that names tables in its text.
//
// PostgreSQL looks names up again whenever something makes the plan invalid. A lock keeps a table from being renamed or
// dropped, but not its schema, so the same name may then mean a table of somebody else. Therefore each analysis of the
// text checks that it found the tables meant and no others.
#pragma once

#include <span>

#include "pg/base/pg.hpp"

extern "C" {
#include "executor/spi.h"
#include "executor/tuptable.h"
}

namespace txtfp::pg {

// $1, $2, … in the text. The planner sees the value of a constant, and nothing is rounded by printing it.
struct QueryParameter {
	Oid type;
	bool is_constant = false;
	Datum constant = 0; // by value

	bool operator==(const QueryParameter &) const = default;
};

struct TableQuery {
	static constexpr int max_parameters = 20, max_tables = 10;

	MemoryContext memory; // its own
	SPIPlanPtr plan;
	const void *note; // of the caller's, in its memory
	int parameter_count, table_count;
	QueryParameter parameters[max_parameters];
	Oid tables[max_tables];
};

// Within an SPI connection, at whose end it is gone, unless it is kept: then it lives until drop_query. Each level of
// the query that reads a table must name one of its columns or a parameter: that is where the tables are checked.
// Raises an error (55000), now or when it is executed, if another table is found than one of `tables`.
TableQuery *prepare_query(const char *text, std::span<const QueryParameter> parameters, std::span<const Oid> tables);
void keep_query(TableQuery *query);
void drop_query(TableQuery *query);

// False: names may have changed, so the query must be prepared with the current ones. To be asked when the tables are
// locked.
bool is_valid(const TableQuery &query);
bool has_parameters(const TableQuery &query, std::span<const QueryParameter> parameters); // the same constants, too

// A session keeps a query in a place, and takes it out while it runs: what the query calls may make it invalid and come
// to the same place again, which then gets a query of its own.
TableQuery *take_query(TableQuery *&place); // nullptr: there is none
void give_back_query(TableQuery *&place, TableQuery *query);

// Calls run(), and gives the query back after an error, too.
template <class Fn> void run_and_give_back(TableQuery *&place, TableQuery *query, const Fn &run)
{
	PG_TRY();
	{
		run();
	}
	PG_CATCH();
	{
		give_back_query(place, query);
		PG_RE_THROW();
	}
	PG_END_TRY();
	give_back_query(place, query);
}

// The values of all parameters in order; values of constants are ignored. Without `nulls` none is NULL. Both return as
// SPI does: SPI_processed, SPI_tuptable.
void execute_query(
	const TableQuery &query, const Datum *values, bool read_only, const bool *nulls = nullptr); // in the caller's snapshot

// Sees what the statement has written so far, and beside it what the transaction sees, or everything that is committed.
// At most `limit` rows; 0: all.
enum class Snapshot { transaction, latest };
void read_query(
	const TableQuery &query, const Datum *values, Snapshot snapshot, const bool *nulls = nullptr, long limit = 0);

// The same, but the rows are given to `taker` one by one, as they are found, until it has enough.
class RowTaker {
public:
	virtual bool take(TupleTableSlot *row) = 0; // false: no more

protected:
	~RowTaker() = default;
};
void read_rows(const TableQuery &query, const Datum *values, Snapshot snapshot, const bool *nulls, RowTaker &taker);

// The rows of a query that only reads, some at a time. To be closed by SPI_cursor_close.
Portal open_cursor(const TableQuery &query, const Datum *values);

// "schema"."relation", quoted, as it is called now
const char *relation_text(Oid relation);

// "schema"."type", as it is called in pg_type. format_type() prints SQL's names, in which "character" and "bit" are types
// of length 1.
const char *type_text(Oid type);

// "OPERATOR(schema.=)" and "OPERATOR(schema.<)" of a type, which no operator in the search path replaces. Raises an
// error (42883) if the type has none.
const char *equality_operator(Oid type);
const char *less_operator(Oid type);

} // namespace txtfp::pg
