// The rows that a bulk function returns, collected in a tuplestore, which spills beyond work_mem.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "pg/base/large_array.hpp"
#include "pg/bulk/row_ids.hpp"

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

	// A row (id, cluster, size, …) for each member of a cluster of `least` or more, in the order of ranks. labels[rank]
	// is the rank that the cluster is named after. fn(cluster, rank) gives the value of a fourth column, and
	// at(cluster) that of a fifth, NaN for NULL. prepare(rank) is called before, and returns the first rank for which
	// it is to be called again.
	template <class Fn, class Prepare, class At>
	void put_clusters(RowIds &ids, std::span<const std::uint32_t> labels, std::uint32_t least, MemoryContext memory,
		Fn fn, Prepare prepare, At at)
	{
		auto *sizes = allocate<std::uint32_t>(memory, labels.size());
		std::fill_n(sizes, labels.size(), 0);
		for (const std::uint32_t label : labels)
			++sizes[label];
		for (std::uint32_t rank = 0, prepared = 0; rank < labels.size(); ++rank) {
			CHECK_FOR_INTERRUPTS();
			if (rank == prepared)
				prepared = prepare(rank);
			const std::uint32_t cluster = labels[rank];
			if (sizes[cluster] < least)
				continue;
			const MemoryContext caller = enter();
			const double threshold = at(cluster);
			const Datum values[] = {ids.id(rank), ids.id(cluster), Int64GetDatum(sizes[cluster]), fn(cluster, rank),
				Float8GetDatum(threshold)};
			const bool nulls[] = {false, false, false, false, std::isnan(threshold)};
			put(values, caller, nulls);
		}
		pfree(sizes);
	}

private:
	ReturnSetInfo *info_;
	MemoryContext scratch_;
	unsigned pending_ = 0;
};

} // namespace txtfp::pg
