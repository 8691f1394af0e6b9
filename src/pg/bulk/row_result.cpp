#include "pg/bulk/row_result.hpp"

#include "pg/base/large_array.hpp"

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

void RowResult::put(const Datum (&values)[columns], MemoryContext caller)
{
	constexpr unsigned batch = 256;
	const bool nulls[columns] = {};
	tuplestore_putvalues(info_->setResult, info_->setDesc, const_cast<Datum *>(values), const_cast<bool *>(nulls));
	MemoryContextSwitchTo(caller);
	if (++pending_ == batch) {
		MemoryContextReset(scratch_);
		pending_ = 0;
	}
}

void RowResult::put_clusters(
	RowIds &ids, std::span<const std::uint32_t> labels, std::uint32_t least, MemoryContext memory)
{
	auto *sizes = allocate<std::uint32_t>(memory, labels.size());
	std::fill_n(sizes, labels.size(), 0);
	for (const std::uint32_t label : labels)
		++sizes[label];
	for (std::uint32_t rank = 0; rank < labels.size(); ++rank) {
		CHECK_FOR_INTERRUPTS();
		const std::uint32_t cluster = labels[rank];
		if (sizes[cluster] < least)
			continue;
		const MemoryContext caller = enter();
		const Datum values[columns] = {ids.id(rank), ids.id(cluster), Int64GetDatum(sizes[cluster])};
		put(values, caller);
	}
	pfree(sizes);
}

} // namespace txtfp::pg
