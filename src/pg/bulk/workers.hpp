// The workers of a join: threads of this backend that never call PostgreSQL, for the phase that only compares.
//
// Why threads and not parallel workers: all that a join compares lies in this process, as memory of a context and as mapped temporary files. Workers
// of a ParallelContext would need it in shared memory, whose size must be known before the first row arrives, and every id, group and rank a second
// time. What they would bring, calls of PostgreSQL, comparing does not need. A thread cannot be terminated by itself, so there is none that
// disappears; a cancel, a timeout or an error ends all of them before the transaction releases its files.
//
//   workers 1 …   tasks of the core: they allocate from the heap, read temporary files through a descriptor of their own, and end by an exception
//   worker 0      the caller: waits, reports progress, checks for interrupts, and passes on the pairs that the others found, in the order of tasks
#pragma once

#include "pg/bulk/near_duplicates.hpp"

namespace txtfp::core {
class Team;
}

namespace txtfp::pg {

class JoinWorkers final : public core::JoinExecutor {
public:
	JoinWorkers(const JoinContext &context, core::Team *team, unsigned threads)
		: context_(context), team_(team), threads_(threads)
	{
	}

	unsigned workers() const override { return threads_ + 1; }
	core::JoinHost &host(unsigned worker) override;
	void run(std::size_t n, void (*task)(void *data, unsigned worker, std::size_t number), void *data) override;

	// In a task: passes a pair on to the sink.
	void pair(unsigned worker, std::uint32_t a, std::uint32_t b, double similarity);
	void deliver_to(PairSink &sink) { sink_ = &sink; }

private:
	void wait_for_team();
	static void end_team(int code, Datum workers);

	JoinContext context_;
	core::Team *team_; // nullptr if there are no threads
	unsigned threads_;
	PairSink *sink_ = nullptr;
};

// As many as max_parallel_maintenance_workers and max_parallel_workers allow, for data of this size; only the caller if it is less than
// min_parallel_table_scan_size.
JoinWorkers &make_workers(const JoinContext &context, std::uint64_t bytes);

} // namespace txtfp::pg
