// The statements by which an operation on clusters reads and writes. They are prepared once per session, run in a search scope, and
// name everything with its schema.
#pragma once

#include "pg/live_clusters/live_clusters.hpp"
#include "pg/trigger/search_scope.hpp"

namespace txtfp::pg {

enum class Snapshot { transaction, latest }; // the one of the transaction, or one of everything that is committed

// What the statement returns, valid until the scope is closed or `done` is called.
struct Rows {
	uint64 count;
	SPITupleTable *table;

	Datum value(uint64 row, int column, bool &is_null) const
	{
		return SPI_getbinval(table->vals[row], table->tupdesc, column, &is_null);
	}
	Datum value(uint64 row, int column) const
	{
		bool is_null;
		return value(row, column, is_null);
	}
	bool is_null(uint64 row, int column) const
	{
		bool result;
		(void) value(row, column, result);
		return result;
	}
	void done() const { SPI_freetuptable(table); }
};
Rows read(Clusters &clusters, Statement statement, const Datum *values, Snapshot snapshot = Snapshot::transaction);
Rows write(Clusters &clusters, Statement statement, const Datum *values);

// The text of an expression over a row `t` of the table: its priority, of type float8.
const char *priority_text(const Clusters &clusters);
// similar(a, b) within the limit, and how similar they are as the bulk functions say it; a and b are SQL.
const char *similar_text(const Clusters &clusters, const char *a, const char *b);
const char *similarity_text(const Clusters &clusters, const char *a, const char *b);

} // namespace txtfp::pg
