// What the joins of the core get from this program: memory of the heap, unnamed temporary files, and threads.
#pragma once

#include <memory>
#include <string>

#include "cli/progress.hpp"
#include "cli/stop.hpp"
#include "core/threads/team_executor.hpp"

namespace txtfp::cli {

struct Pair {
	std::uint32_t a, b;   // ranks, a < b
	std::int32_t measure; // the result of compare()
};

class Workers final : public core::TeamExecutor {
public:
	Workers(unsigned threads, const std::string &directory, Progress &progress);
	~Workers() override;

	core::JoinHost &own_host() noexcept { return host(0); }

	void begin_progress(const std::string &what, std::uint64_t total, const std::string &unit);
	void end() { progress_.end(); }

private:
	class Host;
	Workers(std::unique_ptr<Host> host, unsigned threads, Progress &progress);
	void wait() override { stop_token.check(); }

	Progress &progress_;
	std::unique_ptr<Host> host_;
};

} // namespace txtfp::cli
