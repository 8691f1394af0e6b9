#include "cli/workers.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "cli/files.hpp"
#include "cli/stop.hpp"
#include "core/join/heap_host.hpp"

namespace txtfp::cli {

class UnnamedFile final : public core::JoinFile {
public:
	explicit UnnamedFile(const std::string &directory) { file_.emplace(directory); }
	void write(std::uint64_t at, const void *bytes, std::size_t size) override { file_->write_at(at, bytes, size); }
	void read(std::uint64_t at, void *to, std::size_t size) override { file_->read_at(at, to, size); }
	void close() override { file_.reset(); }

private:
	std::optional<TemporaryFile> file_;
};

class Workers::Host final : public core::HeapHost {
public:
	Host(Progress &progress, const std::string &directory) : progress_(progress), directory_(directory) {}
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
	void begin() { done_ = 0; }
	void progress(std::uint64_t steps) override { progress_.at(done_ += steps); }

private:
	Progress &progress_;
	std::string directory_;
	std::vector<std::unique_ptr<UnnamedFile>> files_;
	std::uint64_t done_ = 0;
	unsigned polls_ = 0;
};

Workers::Workers(unsigned threads, const std::string &directory, Progress &progress)
	: Workers(std::make_unique<Host>(progress, directory), threads, progress)
{
}

Workers::Workers(std::unique_ptr<Host> host, unsigned threads, Progress &progress)
	: TeamExecutor(*host, threads), progress_(progress), host_(std::move(host))
{
}

Workers::~Workers() = default;

void Workers::begin_progress(const std::string &what, std::uint64_t total, const std::string &unit)
{
	host_->begin();
	progress_.begin(what, total, unit);
}

} // namespace txtfp::cli
