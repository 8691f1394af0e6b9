// The workers of a join: threads of this backend that never call PostgreSQL. They compute keys and write files while
// rows arrive, and then compare.
//
// Why threads and not parallel workers: all that a join compares lies in this process, as memory of a context and as
// mapped temporary files. Workers of a ParallelContext would need it in shared memory, whose size must be known before
// the first row arrives, and every id, group and rank a second time. What they would bring, calls of PostgreSQL,
// comparing does not need. A thread cannot be terminated by itself, so there is none that disappears; a cancel, a
// timeout or an error ends all of them before the transaction releases its files.
//
//   workers 1 …   tasks of the core: they allocate from the heap, read and write temporary files through a descriptor of their own, and end by an
//                 exception
//   worker 0      the caller: runs the query or waits, opens and enlarges files for the others, reports progress, checks for interrupts, and passes on
//                 the pairs that the others found, in the order of tasks
#pragma once

#include "pg/bulk/bulk_call.hpp"

namespace txtfp::core {
class Team;
}

namespace txtfp::pg {

class JoinWorkers final : public core::JoinExecutor {
public:
	JoinWorkers(const JoinContext &context, core::Team *team, unsigned threads, unsigned streams)
		: context_(context), team_(team), threads_(threads), streams_(streams)
	{
	}

	// Data of this size are joined. The workers are only the caller unless it reaches min_parallel_table_scan_size.
	void expect(std::uint64_t bytes);

	unsigned workers() const override { return is_large_ ? threads_ + 1 : 1; }
	core::JoinHost &host(unsigned worker) override;
	void run(std::size_t n, Task task, void *data) override;

	// The region from begin() to finish() must be one of PG_ENSURE_ERROR_CLEANUP with end_team.
	unsigned streams() const override { return streams_; }
	void begin(Task task, void *data, std::size_t most, unsigned workers) override;
	void post(std::size_t bytes) override;
	void drain(std::size_t most) override;
	void finish() override;
	static void end_team(int code, Datum workers);

	void pair(unsigned worker, std::uint32_t a, std::uint32_t b, double similarity) override;

private:
	void serve(bool &done);

	JoinContext context_;
	core::Team *team_; // nullptr if there are no threads
	unsigned threads_, streams_;
	bool is_large_ = false, may_stream_ = false, is_streaming_ = false;
	std::uint64_t bytes_ = 0;     // that were posted
	std::size_t most_posted_ = 0; // and are unfinished
	unsigned stream_threads_ = 0;
};

// As many as max_parallel_maintenance_workers and max_parallel_workers allow; as streams, one for each 2 MB of memory.
JoinWorkers &make_workers(const JoinContext &context);

} // namespace txtfp::pg
