// The executor of programs: every task is done once, pairs come in the order of tasks, and after an exception no thread
// is at work.
#include "core/threads/team_executor.hpp"

#include <atomic>
#include <vector>

#include "unit/check.hpp"
#include "unit/counting_host.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

class Executor final : public TeamExecutor {
public:
	using TeamExecutor::TeamExecutor;
	bool stops = false;

private:
	void wait() override
	{
		if (stops)
			throw Error(ErrorKind::cancelled, "cancelled");
	}
};

class Numbers final : public PairSink {
public:
	void pair(std::uint32_t a, std::uint32_t, double) override { found.push_back(a); }
	std::vector<std::uint32_t> found;
};

constexpr std::size_t tasks = 300;

} // namespace

TEST(tasks_of_a_team)
{
	for (const unsigned threads : {0u, 1u, 2u, 4u}) {
		CountingHost host;
		Executor executor(host, threads);
		CHECK_EQ(executor.workers(), threads > 1 ? threads + 1 : 1);
		Numbers numbers;
		executor.deliver_to(numbers);
		std::vector<std::atomic<int>> done(tasks);
		executor.for_each(tasks, [&](unsigned worker, std::size_t number) {
			++done[number];
			executor.host(worker).poll();
			executor.pair(worker, static_cast<std::uint32_t>(number), 0, 1);
			executor.host(worker).progress(1);
		});
		for (std::size_t i = 0; i < tasks; ++i)
			CHECK_EQ(done[i].load() == 1 && numbers.found[i] == i, true, threads, i);
		CHECK_EQ(numbers.found.size(), tasks);
	}
}

TEST(a_stream_of_tasks)
{
	for (const unsigned threads : {1u, 3u}) {
		CountingHost host;
		Executor executor(host, threads);
		std::atomic<std::size_t> sum = 0, ends = 0;
		struct Data {
			std::atomic<std::size_t> &sum, &ends;
		} data{sum, ends};
		executor.begin(
			[](void *own, unsigned, std::size_t number) {
				auto &found = *static_cast<Data *>(own);
				number == JoinExecutor::none ? ++found.ends : found.sum += number + 1;
			},
			&data, 8, executor.workers());
		for (std::size_t i = 0; i < tasks; ++i)
			executor.post(0);
		executor.drain(0);
		CHECK_EQ(sum.load(), tasks * (tasks + 1) / 2, threads);
		executor.finish();
		CHECK_EQ(ends.load(), threads > 1 ? threads : 0, threads);
	}
}

TEST(a_team_that_is_stopped)
{
	for (const bool by_task : {false, true}) {
		CountingHost host;
		Executor executor(host, 3);
		std::atomic<int> at_work = 0;
		bool stopped = false;
		try {
			executor.stops = !by_task;
			executor.for_each(tasks, [&](unsigned worker, std::size_t number) {
				if (by_task && number == 100)
					throw Error(ErrorKind::cancelled, "by a task");
				++at_work;
				for (int i = 0; i < (by_task ? 1 : 100'000); ++i)
					try {
						executor.host(worker).poll();
					} catch (...) {
						--at_work;
						throw;
					}
				--at_work;
			});
		} catch (const Error &) {
			stopped = true;
		}
		CHECK_EQ(stopped, true, by_task);
		CHECK_EQ(at_work.load(), 0, by_task);
	}
}
