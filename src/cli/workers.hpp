// What the joins of the core get from this program: memory of the heap, unnamed temporary files, and threads.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/progress.hpp"
#include "core/threads/team.hpp"

namespace txtfp::cli {

struct Pair {
	std::uint32_t a, b;   // a < b
	std::int32_t measure; // the result of compare()
};

class Workers final : public core::JoinExecutor {
public:
	Workers(unsigned threads, const std::string &directory, Progress &progress);
	~Workers();

	core::JoinHost &own_host() noexcept;

	// Worker 0 is the caller, who works only if there are no threads.
	unsigned workers() const override { return team_ ? threads_ + 1 : 1; }
	core::JoinHost &host(unsigned worker) override;
	void run(std::size_t n, core::Team::Task task, void *data) override;

	// A task passes on what it has found by pair(); the caller gets it, in the order of tasks.
	void deliver_to(std::function<void(const Pair &)> sink) { sink_ = std::move(sink); }
	void pair(unsigned worker, const Pair &pair);

	void begin_progress(const std::string &what, std::uint64_t total, const std::string &unit);
	void at(std::uint64_t done) { progress_.at(done); }
	void end() { progress_.end(); }

private:
	class Host;
	void add_progress(std::uint64_t steps) { progress_.at(done_ += steps); }

	unsigned threads_;
	Progress &progress_;
	std::uint64_t done_ = 0;
	std::unique_ptr<Host> host_;
	std::unique_ptr<core::Team> team_;
	std::function<void(const Pair &)> sink_;
};

} // namespace txtfp::cli
