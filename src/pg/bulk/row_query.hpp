// Runs the query of a bulk function, read-only, with the rights and the snapshot of the caller, and passes its rows to
// a reader one by one.
#pragma once

#include "pg/base/guard.hpp"

extern "C" {
#include "executor/spi.h"
#include "executor/tuptable.h"
}

namespace txtfp::pg {

class RowReader {
public:
	virtual void columns(TupleDesc columns) = 0; // once, before the rows
	virtual void row(TupleTableSlot *row) = 0;

protected:
	~RowReader() = default;
};

// Number of the argument that is the (first) query of a bulk function; `arguments` counts the arguments from there on. Before it may stand a NULL of the type of the
// ids; raises an error (22023) for another value.
int first_query(FunctionCallInfo fcinfo, int arguments);
const char *query_argument(FunctionCallInfo fcinfo, int i); // raises an error (22004) if it is NULL

// Raises an error (22023) for the name of a table where a query is expected: it is a syntax error, which says little.
void check_is_no_name(const char *query);

// A query without the semicolons at its end, so that it can stand in FROM, in parentheses with the second one on a line of its own, in case
// there is a comment.
const char *without_semicolon(const char *query);

// Raise an error (22023) unless the query is one SELECT (or VALUES, TABLE) that does not write. The first prepares it, within an
// SPI connection.
SPIPlanPtr prepare_rows_query(const char *query, int cursor_options = CURSOR_OPT_PARALLEL_OK);
void run_query(const char *query, RowReader &reader);

// Raises an error (42804) unless there are two columns. `names` describes them for the message.
void check_two_columns(TupleDesc columns, const char *names);

} // namespace txtfp::pg
