// The statements by which an operation on clusters reads and writes. They are prepared once per session and run in a
// search scope. This is the only place where
// SQL is made of the names of columns and tables: those that they have now.
#pragma once

#include <optional>

#include "pg/live_clusters/live_clusters.hpp"
#include "pg/trigger/search_scope.hpp"

namespace txtfp::pg {

// XX001: somebody else has changed the table, which belongs to the state or is the clustered one.
[[noreturn]] void report_contradiction(const Clusters &clusters, Oid table);
[[noreturn]] void report_contradiction(const Clusters &clusters, State table);
[[noreturn]] void report_null_key(const Clusters &clusters, const char *table); // 23502

// What a statement has returned, valid until the scope is closed or `done` is called. The tables belong to somebody who
// may change them, so whatever is read is compared with what it must be. All raise an error (XX001) if there is no such
// row, if the column has another type, or if the value cannot be one that the trigger has written.
struct Rows {
	const Clusters *clusters;
	Oid from;          // the table whose rows they are
	const char *types; // a letter for each column, as in statements.cpp
	uint64 count;      // of rows that were returned, or written
	SPITupleTable *table;

	NullableDatum value(uint64 row, int column) const;
	Datum key(uint64 row, int column) const;                  // a copy without compression
	std::optional<Datum> key_if_any(uint64 row, int column) const;
	int64 number(uint64 row, int column) const;      // of a cluster, or a size: 1 or more
	int64 number_if_any(uint64 row, int column) const; // 0: none
	double real(uint64 row, int column) const;       // not NaN
	void check_count(uint64 expected) const;
	void done() const { SPI_freetuptable(table); }
};
Rows read(Clusters &clusters, Statement statement, const Datum *values, Snapshot snapshot = Snapshot::transaction);
Rows write(Clusters &clusters, Statement statement, const Datum *values);
void clear_state(Clusters &clusters); // of all rows, whatever the transaction's snapshot shows

// A query of the caller's, over the clustered table and the state. It is gone at the end of the SPI connection.
TableQuery *prepare(const Clusters &clusters, const char *text, std::span<const QueryParameter> parameters);
Rows run(const Clusters &clusters, const char *text, std::span<const QueryParameter> parameters, const Datum *values,
	Oid from, const char *types);
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
const char *text_text(const Clusters &clusters, const char *row); // NULL where texts do not decide
const char *state_text(const Clusters &clusters, State which);
const char *pair_text(
	const Clusters &clusters, const char *column); // of a pair x of rows; ids of type text are compared by their bytes
// similar(a, b) within the limit, which is the parameter `limit`
const char *similar_text(const Clusters &clusters, const char *a, const char *b, const char *limit);
const char *similarity_text(const Clusters &clusters, const char *a, const char *b);

} // namespace txtfp::pg
