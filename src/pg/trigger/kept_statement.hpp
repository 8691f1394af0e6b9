// The statements by which a trigger writes to other rows and tables. A session keeps each trigger's statements.
#pragma once

#include "pg/base/table_query.hpp"

namespace txtfp::pg {

enum class TriggerStatement { change_kept, delete_updated, log };

// Runs the text, whose only table is `table`, in the scope of that table.
void run_statement(Oid definition, Oid table, TriggerStatement statement, const char *text,
	std::span<const QueryParameter> parameters, const Datum *values, const bool *nulls = nullptr);

} // namespace txtfp::pg
