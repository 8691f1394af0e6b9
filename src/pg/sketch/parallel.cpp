// Parallel scans. The processes of a scan share a counter of units, from which each one claims some at a time. A
// process visits those that are groups according to its own copy of the map. The copies may differ: a unit that has
// become a group since has only rows that the snapshot does not see.
//
// If the first process finds the rows through the directory, it returns them all, and the others none. With an
// ordering, each process returns the rows of its groups in order, and PostgreSQL merges them.
#include "pg/sketch/scan.hpp"

#include <algorithm>

extern "C" {
#include "storage/spin.h"
}

namespace txtfp::pg {

namespace sketch_scan {

struct SharedScan {
	slock_t mutex;
	bool is_decided;
	bool is_short;       // one process does everything
	std::uint32_t units; // to be claimed
	std::uint32_t next;
};

namespace {

constexpr std::uint32_t units_at_once = 16;

SharedScan &shared_of(ParallelIndexScanDesc parallel)
{
#if PG_VERSION_NUM >= 180000
	return *(SharedScan *) OffsetToPointer(parallel, parallel->ps_offset_am);
#else
	return *(SharedScan *) OffsetToPointer(parallel, parallel->ps_offset);
#endif
}

// Appends the groups among some units. False if there are none.
bool append_groups(Scan &scan, std::uint32_t from, std::uint32_t to)
{
	const int before = scan.ranges;
	for_each_segment(*scan.map, [&](std::uint32_t first, std::uint32_t end, std::uint32_t label) {
		first = std::max(first, from), end = std::min(end, to);
		if (first >= end || !core::is_group(label))
			return;
		reserve_next(scan.context, scan.visited, static_cast<std::size_t>(scan.ranges), scan.range_capacity);
		scan.visited[scan.ranges++] = {first, end};
		scan.visited_groups += end - first;
	});
	return scan.ranges > before;
}

} // namespace

bool join_scan(IndexScanDesc desc, Scan &scan, bool is_short)
{
	SharedScan &shared = shared_of(desc->parallel_scan);
	SpinLockAcquire(&shared.mutex);
	const bool is_first = !shared.is_decided;
	if (is_first) {
		shared.is_decided = true;
		shared.is_short = is_short;
		shared.units = scan.map->meta.groups;
	}
	const bool is_shared = !shared.is_short;
	SpinLockRelease(&shared.mutex);
	if (!is_shared)
		return is_first;
	scan.shared = &shared;
	scan.by_bands = false;
	scan.entry_count = 0;
	scan.visited = nullptr;
	scan.range_capacity = 0;
	scan.ranges = 0;
	scan.visited_groups = 0;
	return true;
}

bool claim_groups(Scan &scan)
{
	for (;;) {
		SharedScan &shared = *scan.shared;
		SpinLockAcquire(&shared.mutex);
		const std::uint32_t first = shared.next, end = std::min(shared.units, first + units_at_once);
		shared.next = end;
		SpinLockRelease(&shared.mutex);
		if (first == end) {
			scan.shared = nullptr;
			return false;
		}
		if (append_groups(scan, first, end))
			return true;
	}
}

} // namespace sketch_scan

using namespace sketch_scan;

#if PG_VERSION_NUM >= 180000
Size sketch_estimate_parallel(Relation, int, int)
#elif PG_VERSION_NUM >= 170000
Size sketch_estimate_parallel(int, int)
#else
Size sketch_estimate_parallel()
#endif
{
	return sizeof(SharedScan);
}

void sketch_init_parallel(void *target)
{
	auto &shared = *static_cast<SharedScan *>(target);
	memset(static_cast<void *>(&shared), 0, sizeof shared);
	SpinLockInit(&shared.mutex);
}

void sketch_rescan_parallel(IndexScanDesc desc)
{
	SharedScan &shared = shared_of(desc->parallel_scan);
	SpinLockAcquire(&shared.mutex);
	shared.is_decided = shared.is_short = false;
	shared.units = shared.next = 0;
	SpinLockRelease(&shared.mutex);
}

} // namespace txtfp::pg
