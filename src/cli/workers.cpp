#include "cli/workers.hpp"

#include "cli/files.hpp"
#include "cli/stop.hpp"
#include "core/join/heap_host.hpp"

namespace txtfp::cli {

class UnnamedFile final : public core::JoinFile {
public:
	explicit UnnamedFile(const std::string &directory) : file_(directory) {}
	void write(std::uint64_t at, const void *bytes, std::size_t size) override { file_.write_at(at, bytes, size); }
	void read(std::uint64_t at, void *to, std::size_t size) override { file_.read_at(at, to, size); }
	void close() override {} // it ends with the host

private:
	TemporaryFile file_;
};

class Workers::Host final : public core::HeapHost {
public:
	Host(Workers &workers, const std::string &directory) : workers_(workers), directory_(directory) {}
	void poll() override
	{
		if ((++polls_ & 0xFF) == 0)
			stop_token.check();
	}
	core::JoinFile *open_file() override
	{
		files_.push_back(std::make_unique<UnnamedFile>(directory_));
		return files_.back().get();
	}
	void progress(std::uint64_t steps) override { workers_.add_progress(steps); }

private:
	Workers &workers_;
	std::string directory_;
	std::vector<std::unique_ptr<UnnamedFile>> files_;
	unsigned polls_ = 0;
};

Workers::Workers(unsigned threads, const std::string &directory, Progress &progress)
	: threads_(threads), progress_(progress), host_(std::make_unique<Host>(*this, directory)),
	  team_(threads > 1 ? std::make_unique<core::Team>(threads) : nullptr)
{
}

Workers::~Workers() = default;

core::JoinHost &Workers::own_host() noexcept { return *host_; }
core::JoinHost &Workers::host(unsigned worker) { return worker == 0 ? *host_ : team_->host(worker); }

void Workers::run(std::size_t n, core::Team::Task task, void *data)
{
	if (!team_ || n < 2 || !team_->start(n, task, data)) {
		for (std::size_t number = 0; number < n; ++number)
			task(data, 0, number);
		return;
	}
	try {
		for (bool done = false; !done;) {
			stop_token.check();
			for (const core::FoundPair &pair : team_->next(done))
				sink_({pair.a, pair.b, static_cast<std::int32_t>(pair.similarity)});
			add_progress(team_->fetch_progress());
		}
	} catch (...) {
		team_->end(); // before what the tasks use is gone
		throw;
	}
	team_->end();
}

void Workers::pair(unsigned worker, const Pair &pair)
{
	if (worker == 0)
		sink_(pair);
	else
		team_->pair(worker, {pair.a, pair.b, static_cast<double>(pair.measure)});
}

void Workers::begin_progress(const std::string &what, std::uint64_t total, const std::string &unit)
{
	done_ = 0;
	progress_.begin(what, total, unit);
}

} // namespace txtfp::cli
