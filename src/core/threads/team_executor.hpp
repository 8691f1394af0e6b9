// Runs the tasks of a join in a team of threads, for a caller that leaves by exceptions alone. The server has its own
// (pg/bulk/workers.hpp).
#pragma once

#include <memory>

#include "core/threads/team.hpp"

namespace txtfp::core {

class TeamExecutor : public JoinExecutor {
public:
	// `host` is the caller's. With fewer than two threads the caller does everything.
	TeamExecutor(JoinHost &host, unsigned threads);
	virtual ~TeamExecutor() = default;
	TeamExecutor(const TeamExecutor &) = delete;

	unsigned workers() const override { return team_ ? threads_ + 1 : 1; }
	JoinHost &host(unsigned worker) override { return worker == 0 ? host_ : team_->host(worker); }
	void run(std::size_t n, Task task, void *data) override;
	void begin(Task task, void *data, std::size_t most, unsigned workers) override;
	void post(std::size_t bytes) override;
	void drain(std::size_t most) override;
	void finish() override;
	void pair(unsigned worker, std::uint32_t a, std::uint32_t b, double similarity) override;

	// Runs fn(). If it throws, no task is at work any more.
	template <class Fn> void guard(Fn fn)
	{
		try {
			fn();
		} catch (...) {
			end();
			throw;
		}
	}

protected:
	virtual void wait() = 0; // called often by the caller, while threads work; throws if they are to stop

private:
	void serve(bool &done);
	void end() noexcept;

	JoinHost &host_;
	unsigned threads_;
	std::unique_ptr<Team> team_;
	std::size_t most_posted_ = 0; // and are unfinished
	bool is_streaming_ = false;
};

} // namespace txtfp::core
