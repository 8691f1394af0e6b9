// The rows (id, cluster, size, similarity, formed_at) of clusters, in the order in which they are passed.
#pragma once

#include <cmath>
#include <limits>

#include "pg/base/large_array.hpp"
#include "pg/bulk/bulk_call.hpp"

namespace txtfp::pg {

class ClusterRows final : public PairSink {
public:
	// labels[rank] is the rank that the cluster of a row is named after. `formed_at`: of these ranks, NaN for NULL;
	// nullptr: all are `formed`.
	ClusterRows(RowResult &result, RowIds &ids, std::span<const std::uint32_t> labels, MemoryContext memory,
		const double *formed_at = nullptr, double formed = std::numeric_limits<double>::quiet_NaN())
		: result_(result), ids_(ids), sizes_(allocate<std::uint32_t>(memory, labels.size())), formed_at_(formed_at),
		  formed_(formed)
	{
		constexpr std::size_t ahead = 32, rows_between_checks = 1 << 16;
		std::fill_n(sizes_, labels.size(), 0);
		for (std::size_t rank = 0; rank < labels.size(); ++rank) {
			if (rank % rows_between_checks == 0)
				CHECK_FOR_INTERRUPTS();
			if (rank + ahead < labels.size())
				__builtin_prefetch(sizes_ + labels[rank + ahead], 1);
			++sizes_[labels[rank]];
		}
	}
	void close() { pfree(sizes_); }

	const std::uint32_t *sizes() const { return sizes_; }
	void request(std::uint32_t cluster, std::uint32_t) override
	{
		__builtin_prefetch(sizes_ + cluster);
		ids_.request(cluster);
	}
	void pair(std::uint32_t cluster, std::uint32_t row, double similarity) override
	{
		CHECK_FOR_INTERRUPTS();
		const MemoryContext caller = result_.enter();
		const double formed = formed_at_ == nullptr ? formed_ : formed_at_[cluster];
		const Datum values[] = {ids_.id(row), ids_.id(cluster), Int64GetDatum(sizes_[cluster]),
			Float8GetDatum(similarity), Float8GetDatum(formed)};
		const bool nulls[] = {false, false, false, false, std::isnan(formed)};
		result_.put(values, caller, nulls);
	}

private:
	RowResult &result_;
	RowIds &ids_;
	std::uint32_t *sizes_; // by the rank that a cluster is named after
	const double *formed_at_;
	double formed_;
};

} // namespace txtfp::pg
