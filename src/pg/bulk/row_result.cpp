#include "pg/bulk/row_result.hpp"

extern "C" {
#include "utils/memutils.h"
#include "utils/tuplestore.h"
}

namespace txtfp::pg {

RowResult::RowResult(FunctionCallInfo fcinfo)
	: info_((ReturnSetInfo *) fcinfo->resultinfo),
	  scratch_(AllocSetContextCreate(CurrentMemoryContext, "rows of a result", ALLOCSET_DEFAULT_SIZES))
{
	InitMaterializedSRF(fcinfo, 0);
}

// If there are more values than the result has columns, the first ones are stored.
void RowResult::put(std::span<const Datum> values, MemoryContext caller, const bool *nulls)
{
	constexpr unsigned batch = 256;
	constexpr bool none[8] = {};
	if (static_cast<int>(values.size()) < info_->setDesc->natts || (nulls == nullptr && values.size() > lengthof(none)))
		elog(ERROR, "a row of %zu values for %d columns", values.size(), info_->setDesc->natts);
	tuplestore_putvalues(info_->setResult, info_->setDesc, const_cast<Datum *>(values.data()),
		const_cast<bool *>(nulls == nullptr ? none : nulls));
	MemoryContextSwitchTo(caller);
	if (++pending_ == batch) {
		MemoryContextReset(scratch_);
		pending_ = 0;
	}
}

} // namespace txtfp::pg
