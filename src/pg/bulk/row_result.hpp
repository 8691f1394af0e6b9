// The rows that a bulk function returns, collected in a tuplestore, which spills beyond work_mem.
#pragma once

#include <cstdint>
#include <span>

#include "pg/base/guard.hpp"
#include "pg/bulk/row_ids.hpp"

extern "C" {
#include "funcapi.h"
}

namespace txtfp::pg {

class RowResult {
public:
	static constexpr int columns = 3;

	explicit RowResult(FunctionCallInfo fcinfo);

	Oid id_type() const { return TupleDescAttr(info_->setDesc, 0)->atttypid; } // that the caller expects

	// enter() … put(): what is palloc'd in between is freed.
	MemoryContext enter() const { return MemoryContextSwitchTo(scratch_); }
	void put(const Datum (&values)[columns], MemoryContext caller);

	// A row (id, cluster, size) for each member of a cluster of `least` or more, in the order of ids. labels[rank] is
	// the rank that the cluster is named after.
	void put_clusters(RowIds &ids, std::span<const std::uint32_t> labels, std::uint32_t least, MemoryContext memory);

private:
	ReturnSetInfo *info_;
	MemoryContext scratch_;
	unsigned pending_ = 0;
};

} // namespace txtfp::pg
