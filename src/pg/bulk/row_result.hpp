// The rows that a bulk function returns, collected in a tuplestore, which spills beyond work_mem.
#pragma once

#include <span>

#include "pg/base/guard.hpp"

extern "C" {
#include "funcapi.h"
#include "utils/tuplestore.h"
}

namespace txtfp::pg {

class RowResult {
public:
	explicit RowResult(FunctionCallInfo fcinfo);

	Oid id_type() const { return TupleDescAttr(info_->setDesc, 0)->atttypid; } // that the caller expects

	Oid type_of(int column) const { return TupleDescAttr(info_->setDesc, column)->atttypid; }

	// Memory that is palloc'd between enter() and put() is freed.
	MemoryContext enter() const { return MemoryContextSwitchTo(scratch_); }
	void put(std::span<const Datum> values, MemoryContext caller, const bool *nulls = nullptr); // nullptr: none is

private:
	ReturnSetInfo *info_;
	MemoryContext scratch_;
	unsigned pending_ = 0;
};

} // namespace txtfp::pg
