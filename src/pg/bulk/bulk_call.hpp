// What all bulk functions that join the rows of a query (id, value …) have in common. Modules compile it in, so it knows no kind of
// fingerprint. While rows are added, a row is identified by its number in the order of arrival; after that by its rank in the order of ids.
#pragma once

#include "core/join/row_order.hpp"
#include "pg/bulk/host.hpp"
#include "pg/bulk/row_groups.hpp"
#include "pg/bulk/row_ids.hpp"
#include "pg/bulk/row_query.hpp"
#include "pg/bulk/row_result.hpp"

namespace txtfp::pg {

class JoinWorkers;

// What the parts of a join share
struct JoinContext {
	MemoryContext memory; // lives for one call
	std::size_t limit;    // maintenance_work_mem
	RowIds *ids;
	Progress *progress;
	RowGroups *groups; // nullptr: rows are not grouped

	core::JoinHost *host;
	JoinWorkers *workers;

	core::RowOrder order() const // after the ids are ranked
	{
		return {ids->ranks(), ids->numbers(), groups == nullptr ? nullptr : groups->all(), ids->second_part()};
	}
};
// `groups`: the groups of the rows, where the query has a column for them.
JoinContext join_context(RowIds &ids, Progress &progress, RowGroups *groups = nullptr);

// What a bulk function has while it runs. `grouped` is the index of the argument that says whether rows are grouped; −1: there is none.
struct BulkCall {
	BulkCall(FunctionCallInfo fcinfo, BulkFunction function, int grouped = -1);
	Datum finish();        // frees everything but the result
	Datum finish_unread(); // the same if no row was added
	RowResult result;
	RowIds ids;
	RowGroups groups;
	Progress progress;
	JoinContext context;
};

// Reads the rows of a query (id, value [, group] …): numbers those that have a value, and reads their groups. Classes
// derived from it read the values.
class ValueReader : public RowReader {
public:
	void columns(TupleDesc columns) final;
	void row(TupleTableSlot *row) final;

protected:
	ValueReader(const JoinContext &context, Oid id_type);
	~ValueReader() = default;

	virtual void check(TupleDesc columns) = 0; // raises an error unless the query has the right columns
	virtual void value_type(Oid type) = 0;     // raises an error for a wrong type
	virtual void value(std::uint32_t number, Datum value, TupleTableSlot &row) = 0;

	JoinContext context_;

private:
	Oid id_type_;
	GivenColumn id_, value_, group_;
	MemoryContext scratch_; // reset after each row
};

using core::PairSink;

// Raises an error (42804) unless a query without optional columns has an id, what `value` says and, if rows are
// grouped, a group.
void check_columns(TupleDesc columns, const JoinContext &context, const char *value);

void check_not_null(FunctionCallInfo fcinfo, int i, const char *name); // raises an error (22004)

} // namespace txtfp::pg
