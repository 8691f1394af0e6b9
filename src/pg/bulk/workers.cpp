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

void JoinWorkers::expect(std::uint64_t bytes)
{
	is_large_ = is_large_ || bytes >= static_cast<std::uint64_t>(min_parallel_table_scan_size) * BLCKSZ;
}

void JoinWorkers::run(std::size_t n, Task task, void *data)
{
	bool started = false;
	if (is_large_ && threads_ > 0 && n > 1) {
		PG_ENSURE_ERROR_CLEANUP(end_team, PointerGetDatum(this));
		share_files(*context_.host, true);
		guarded([&] { started = team_->start(n, task, data); });
		for (bool done = !started; !done;)
			serve(done);
		PG_END_ENSURE_ERROR_CLEANUP(end_team, PointerGetDatum(this));
		end_team(0, PointerGetDatum(this));
	}
	for (std::size_t number = 0; number < n && !started; ++number)
		task(data, 0, number);
}

void JoinWorkers::begin(Task task, void *data, std::size_t most, unsigned workers)
{
	JoinExecutor::begin(task, data, most, workers);
	most_posted_ = most;
	stream_threads_ = workers - 1;
	may_stream_ = stream_threads_ > 0;
}

// The first pieces are the caller's, until there are enough to be worth threads.
void JoinWorkers::post(std::size_t bytes)
{
	if (may_stream_) {
		if (bytes > 0)
			expect(bytes_ += bytes);
		if (is_large_) {
			may_stream_ = false;
			share_files(*context_.host, true);
			guarded([&] { is_streaming_ = team_->start_stream(stream_, stream_data_, posted_, stream_threads_); });
			if (!is_streaming_)
				share_files(*context_.host, false);
		}
	}
	if (!is_streaming_)
		return JoinExecutor::post(bytes);
	guarded([&] { (void) team_->post(); });
	drain(most_posted_);
}

void JoinWorkers::drain(std::size_t most)
{
	const auto unfinished = [&] {
		std::size_t tasks = 0;
		if (is_streaming_)
			guarded([&] { tasks = team_->unfinished(); });
		return tasks;
	};
	for (bool done = false; unfinished() > most;)
		serve(done);
}

void JoinWorkers::finish()
{
	if (!is_streaming_)
		return;
	guarded([&] { team_->close(); });
	for (bool done = false; !done;)
		serve(done);
	end_team(0, PointerGetDatum(this));
}

// Waits a little for the threads, and does what they need of the caller.
void JoinWorkers::serve(bool &done)
{
	CHECK_FOR_INTERRUPTS();
	std::span<const core::FoundPair> pairs;
	core::Team::Question *question = nullptr;
	guarded([&] {
		pairs = team_->next(done);
		question = team_->question();
	});
	if (question != nullptr) {
		question->fn(question->data);
		guarded([&] { team_->answer(*question); });
	}
	context_.progress->add(team_->fetch_progress());
	constexpr std::size_t ahead = 16;
	for (std::size_t i = 0; i < pairs.size(); ++i) {
		if (i + ahead < pairs.size())
			sink_->request(pairs[i + ahead].a, pairs[i + ahead].b);
		sink_->pair(pairs[i].a, pairs[i].b, pairs[i].similarity);
	}
}

// Also after an error, and when the backend ends: no thread may be left that reads what the transaction is about to
// free.
void JoinWorkers::end_team(int, Datum workers)
{
	auto *own = (JoinWorkers *) DatumGetPointer(workers);
	if (own->team_ == nullptr)
		return;
	own->team_->end();
	own->is_streaming_ = false;
	share_files(*own->context_.host, false);
}

JoinWorkers &make_workers(const JoinContext &context)
{
	constexpr std::size_t least_memory = 2 << 20;
	const int most = std::min(max_parallel_maintenance_workers, max_parallel_workers);
	const unsigned threads = IsInParallelMode() ? 0 : static_cast<unsigned>(most);
	const auto readers = static_cast<unsigned>(std::min<std::size_t>(threads, context.limit / least_memory));
	core::Team *team = threads == 0 ? nullptr : make_owned<core::Team>(context.memory, threads, context.host);
	return *new (MemoryContextAlloc(context.memory, sizeof(JoinWorkers)))
		JoinWorkers(context, team, threads, readers + 1);
}

} // namespace txtfp::pg
