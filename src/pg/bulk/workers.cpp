#include "pg/bulk/workers.hpp"

#include <algorithm>
#include <new>

#include "core/threads/team.hpp"
#include "pg/base/owned.hpp"

extern "C" {
#include "access/parallel.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "storage/ipc.h"
}

namespace txtfp::pg {

core::JoinHost &JoinWorkers::host(unsigned worker) { return worker == 0 ? *context_.host : team_->host(worker); }

void JoinWorkers::pair(unsigned worker, std::uint32_t a, std::uint32_t b, double similarity)
{
	if (worker == 0)
		sink_->pair(a, b, similarity);
	else
		team_->pair(worker, {a, b, similarity});
}

void JoinWorkers::run(std::size_t n, void (*task)(void *data, unsigned worker, std::size_t number), void *data)
{
	bool started = false;
	if (threads_ > 0 && n > 1) {
		PG_ENSURE_ERROR_CLEANUP(end_team, PointerGetDatum(this));
		share_files(*context_.host, true);
		guarded([&] { started = team_->start(n, task, data); });
		if (started)
			wait_for_team();
		PG_END_ENSURE_ERROR_CLEANUP(end_team, PointerGetDatum(this));
		end_team(0, PointerGetDatum(this));
	}
	for (std::size_t number = 0; number < n && !started; ++number)
		task(data, 0, number);
}

void JoinWorkers::wait_for_team()
{
	for (bool done = false; !done;) {
		CHECK_FOR_INTERRUPTS();
		std::span<const core::FoundPair> pairs;
		guarded([&] { pairs = team_->next(done); });
		context_.progress->add(team_->take_progress());
		for (const core::FoundPair &pair : pairs)
			sink_->pair(pair.a, pair.b, pair.similarity);
	}
}

// Also after an error, and when the backend ends: no thread may be left that reads what the transaction is about to free.
void JoinWorkers::end_team(int, Datum workers)
{
	auto *own = (JoinWorkers *) DatumGetPointer(workers);
	own->team_->end();
	share_files(*own->context_.host, false);
}

JoinWorkers &make_workers(const JoinContext &context, std::uint64_t bytes)
{
	int threads = std::min(max_parallel_maintenance_workers, max_parallel_workers);
	if (bytes < static_cast<std::uint64_t>(min_parallel_table_scan_size) * BLCKSZ || IsInParallelMode())
		threads = 0;
	core::Team *team = threads == 0 ? nullptr : make_owned<core::Team>(context.memory, static_cast<unsigned>(threads));
	return *new (MemoryContextAlloc(context.memory, sizeof(JoinWorkers)))
		JoinWorkers(context, team, static_cast<unsigned>(threads));
}

} // namespace txtfp::pg
