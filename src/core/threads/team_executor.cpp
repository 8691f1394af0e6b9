#include "core/threads/team_executor.hpp"

namespace txtfp::core {

TeamExecutor::TeamExecutor(JoinHost &host, unsigned threads)
	: host_(host), threads_(threads), team_(threads > 1 ? std::make_unique<Team>(threads, &host) : nullptr)
{
}

void TeamExecutor::run(std::size_t n, Task task, void *data)
{
	if (!team_ || n < 2 || !team_->start(n, task, data)) {
		for (std::size_t number = 0; number < n; ++number)
			task(data, 0, number);
		return;
	}
	guard([&] {
		for (bool done = false; !done;)
			serve(done);
	});
	end();
}

void TeamExecutor::begin(Task task, void *data, std::size_t most, unsigned workers)
{
	JoinExecutor::begin(task, data, most, workers);
	most_posted_ = most;
	is_streaming_ = team_ && workers > 1 && team_->start_stream(task, data, 0, workers - 1);
}

void TeamExecutor::post(std::size_t bytes)
{
	if (!is_streaming_)
		return JoinExecutor::post(bytes);
	(void) team_->post();
	drain(most_posted_);
}

void TeamExecutor::drain(std::size_t most)
{
	for (bool done = false; is_streaming_ && team_->unfinished() > most;)
		serve(done);
}

void TeamExecutor::finish()
{
	if (!is_streaming_)
		return;
	team_->close();
	for (bool done = false; !done;)
		serve(done);
	end();
}

void TeamExecutor::pair(unsigned worker, std::uint32_t a, std::uint32_t b, double similarity)
{
	if (worker == 0)
		JoinExecutor::pair(worker, a, b, similarity);
	else
		team_->pair(worker, {a, b, similarity});
}

// Waits a little for the threads, and does what they need of the caller.
void TeamExecutor::serve(bool &done)
{
	wait();
	for (const FoundPair &found : team_->next(done))
		sink_->pair(found.a, found.b, found.similarity);
	if (Team::Question *question = team_->question(); question != nullptr) {
		question->fn(question->data);
		team_->answer(*question);
	}
	if (const std::uint64_t steps = team_->fetch_progress(); steps > 0)
		host_.progress(steps);
}

void TeamExecutor::end() noexcept
{
	is_streaming_ = false;
	if (team_)
		team_->end();
}

} // namespace txtfp::core
