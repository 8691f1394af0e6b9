// The statements by which an operation on clusters reads and writes. They are prepared once per session and run in a
// search scope. This is the only place where
// SQL is made of the names of columns and tables: those that they have now.
#pragma once

#include "pg/live_clusters/live_clusters.hpp"
#include "pg/trigger/search_scope.hpp"

namespace txtfp::pg {

enum class Snapshot { transaction, latest }; // the one of the transaction, or one of everything that is committed

[[noreturn]] void report_contradiction(
	const Clusters &clusters); // XX001: somebody else has changed the tables of the state
[[noreturn]] void report_null_key(const Clusters &clusters, const char *table); // 23502

// What the statement returns, valid until the scope is closed or `done` is called.
struct Rows {
	const Clusters *clusters;
	uint64 count;
	SPITupleTable *table;

	Datum value(uint64 row, int column, bool &is_null) const
	{
		if (row >= count)
			report_contradiction(*clusters);
		return SPI_getbinval(table->vals[row], table->tupdesc, column, &is_null);
	}
	Datum value(uint64 row, int column) const // raises an error for NULL
	{
		bool is_null;
		const Datum result = value(row, column, is_null);
		if (is_null)
			report_contradiction(*clusters);
		return result;
	}
	void done() const { SPI_freetuptable(table); }
};
Rows read(Clusters &clusters, Statement statement, const Datum *values, Snapshot snapshot = Snapshot::transaction);
Rows write(Clusters &clusters, Statement statement, const Datum *values);
void clear_state(Clusters &clusters); // of all rows, whatever the transaction's snapshot shows

// A query of the caller's, over the clustered table and the state. Its result has the types of `results`: a letter for
// each column, as in statements.cpp.
TableQuery *prepare(
	const Clusters &clusters, const char *text, std::span<const QueryParameter> parameters, const char *results);
QueryParameter limit_parameter(const Clusters &clusters);

// SQL of a row of the clustered table that the query calls `row`.
const char *table_text(const Clusters &clusters);
const char *fingerprint_text(const Clusters &clusters, const char *row);
const char *key_text(const Clusters &clusters, const char *row);
const char *key_bytes(
	const Clusters &clusters, const char *row); // compared by its bytes, and so without an index of the table
const char *key_is(const Clusters &clusters, const char *row,
	const char *value); // by an index, but no other row whose key only counts as equal
const char *priority_text(const Clusters &clusters, const char *row);
const char *state_text(const Clusters &clusters, State which);
const char *pair_text(
	const Clusters &clusters, const char *column); // of a pair x of rows; ids of type text are compared by their bytes
// similar(a, b) within the limit, which is the parameter `limit`
const char *similar_text(const Clusters &clusters, const char *a, const char *b, const char *limit);
const char *similarity_text(const Clusters &clusters, const char *a, const char *b);

} // namespace txtfp::pg
