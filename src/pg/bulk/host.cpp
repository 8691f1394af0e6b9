#include "pg/bulk/host.hpp"

#include <cerrno>
#include <cstdio>
#include <new>

#include <fcntl.h>
#include <unistd.h>

#include "core/threads/team.hpp"
#include "pg/base/large_array.hpp"
#include "pg/bulk/mapped_file.hpp"

extern "C" {
#include "commands/tablespace.h"
#include "optimizer/optimizer.h"
#include "storage/fd.h"
#include "utils/wait_event.h"
}

namespace txtfp::pg {

namespace {

// A file of another tablespace than the database's is below pg_tblspc/<OID>.
[[noreturn]] void report_file(const char *what, const char *path)
{
	const int code = errno;
	Oid tablespace = InvalidOid;
	const char *name = sscanf(path, "pg_tblspc/%u/", &tablespace) == 1 ? get_tablespace_name(tablespace) : nullptr;
	errno = code;
	ereport(ERROR,
		(errcode_for_file_access(), errmsg("could not %s temporary file \"%s\": %m", what, path),
			name != nullptr ? errdetail("The file is in the tablespace \"%s\".", name) : 0,
			errhint("The parameter temp_tablespaces chooses where temporary files are.")));
	pg_unreachable();
}

class TemporaryFile final : public core::JoinFile {
public:
	TemporaryFile(MemoryContext context, TemporaryFile **list, bool is_shared)
		: context_(context), list_(list), after_(*list), is_shared_(is_shared)
	{
		PrepareTempTablespaces();
		file_ = OpenTemporaryFile(false);
		path_ = FilePathName(file_); // it stays as long as the file is open
		*list = this;
	}
	TemporaryFile *after() const { return after_; }

	void write(std::uint64_t at, const void *bytes, std::size_t size) override
	{
		CHECK_FOR_INTERRUPTS();
		const auto n = static_cast<int>(size);
		if (FileWrite(file_, (char *) bytes, n, static_cast<off_t>(at), WAIT_EVENT_BUFFILE_WRITE) != n)
			report_file("write to", path_);
	}
	// One byte makes the file as long as it is going to be, and a little longer, so that it counts for temp_file_limit.
	std::uint64_t reserve(std::uint64_t size) override
	{
		constexpr std::uint64_t ahead = 1 << 20;
		constexpr char last = 0;
		if (!is_shared_)
			return size;
		if (size > reserved_)
			write((reserved_ = size + ahead) - 1, &last, 1);
		if (descriptor_ < 0)
			duplicate();
		return reserved_;
	}
	// In any thread.
	void write_reserved(std::uint64_t at, const void *bytes, std::size_t size) override
	{
		for (const auto *next = static_cast<const char *>(bytes); size > 0;) {
			errno = 0;
			const ssize_t n = pwrite(descriptor_, next, size, static_cast<off_t>(at));
			if (n <= 0 && errno != EINTR)
				core::throw_file_error("write to", path_, errno == 0 ? ENOSPC : errno);
			if (n > 0) {
				next += n;
				at += static_cast<std::uint64_t>(n);
				size -= static_cast<std::size_t>(n);
			}
		}
	}
	void read(std::uint64_t at, void *to, std::size_t size) override
	{
		if (is_shared_)
			return read_shared(at, to, size);
		const auto n = static_cast<int>(size);
		if (mapped_.is_open()
				? !mapped_.copy(at, size, to)
				: FileRead(file_, static_cast<char *>(to), n, static_cast<off_t>(at), WAIT_EVENT_BUFFILE_READ) != n)
			report_file("read from", path_);
	}
	// The server may close the descriptor of its file at any time, to have it for another.
	void share(bool shared)
	{
		is_shared_ = shared;
		if (descriptor_ >= 0)
			(void) ::close(descriptor_);
		descriptor_ = -1;
		if (shared && !mapped_.is_open())
			duplicate();
	}
	void close() override
	{
		share(false);
		mapped_.close();
		FileClose(file_);
		TemporaryFile **place = list_;
		while (*place != this)
			place = &(*place)->after_;
		*place = after_;
		pfree(this);
	}

	void map(std::uint64_t size) override { mapped_.open(context_, file_, size); }
	bool is_mapped() const override { return mapped_.is_open(); }
	void request(std::uint64_t at, std::size_t size) const override
	{
		constexpr std::size_t line = 64;
		if (!mapped_.is_open())
			return;
		for (const char *byte = mapped_.at(at), *end = byte + size; byte < end; byte += line)
			__builtin_prefetch(byte);
	}
	void release(std::uint64_t begin, std::uint64_t end) override { mapped_.release(begin, end); }
	// In any thread. The server's own function is not for threads.
	void prefetch(std::uint64_t at, std::size_t size) override
	{
		if (mapped_.is_open())
			mapped_.prefetch(at, size);
		else if (is_shared_)
			(void) posix_fadvise(descriptor_, static_cast<off_t>(at), static_cast<off_t>(size), POSIX_FADV_WILLNEED);
		else
			(void) FilePrefetch(file_, static_cast<off_t>(at), static_cast<off_t>(size), WAIT_EVENT_BUFFILE_READ);
	}
	bool exceeds_cache(std::uint64_t size) const override
	{
		return size > static_cast<std::uint64_t>(effective_cache_size) * BLCKSZ;
	}

private:
	void duplicate()
	{
		char first;
		if (FileRead(file_, &first, 1, 0, WAIT_EVENT_BUFFILE_READ) < 0 ||         // opens it
			(descriptor_ = fcntl(FileGetRawDesc(file_), F_DUPFD_CLOEXEC, 0)) < 0) // the query may start programs
			report_file("share", path_);
	}

	// In any thread.
	void read_shared(std::uint64_t at, void *to, std::size_t size) const
	{
		if (mapped_.is_open()) {
			if (mapped_.copy(at, size, to))
				return;
			core::throw_file_error("read from", path_, errno);
		}
		for (auto *next = static_cast<char *>(to); size > 0;) {
			const ssize_t n = pread(descriptor_, next, size, static_cast<off_t>(at));
			if (n <= 0 && !(n < 0 && errno == EINTR))
				core::throw_file_error("read from", path_, n == 0 ? EIO : errno); // the file is shorter than it was
			if (n > 0) {
				next += n;
				at += static_cast<std::uint64_t>(n);
				size -= static_cast<std::size_t>(n);
			}
		}
	}

	MemoryContext context_;
	TemporaryFile **list_, *after_; // of the host's files
	File file_;
	const char *path_;
	MappedFile mapped_;
	bool is_shared_;
	int descriptor_ = -1; // while it is shared
	std::uint64_t reserved_ = 0;
};

class ContextHost final : public core::JoinHost {
public:
	ContextHost(MemoryContext context, Progress *progress) : context_(context), progress_(progress) {}

	void *allocate(std::size_t bytes) override { return pg::allocate<char>(context_, bytes); }
	void *enlarge(void *memory, std::size_t bytes) override { return pg::enlarge(context_, (char *) memory, bytes); }
	void free(void *memory) override { pfree(memory); }
	void poll() override { CHECK_FOR_INTERRUPTS(); }
	core::JoinFile *open_file() override
	{
		return new (MemoryContextAlloc(context_, sizeof(TemporaryFile)))
			TemporaryFile(context_, &files_, is_shared_);
	}
	void progress(std::uint64_t steps) override
	{
		if (progress_ != nullptr)
			progress_->add(steps);
	}

	void share_files(bool shared)
	{
		is_shared_ = shared;
		for (TemporaryFile *file = files_; file != nullptr; file = file->after())
			file->share(shared);
	}

private:
	MemoryContext context_;
	Progress *progress_;
	TemporaryFile *files_ = nullptr;
	bool is_shared_ = false;
};

} // namespace

core::JoinHost &make_host(MemoryContext context, Progress *progress)
{
	return *new (MemoryContextAlloc(context, sizeof(ContextHost))) ContextHost(context, progress);
}

void share_files(core::JoinHost &host, bool shared) { static_cast<ContextHost &>(host).share_files(shared); }

} // namespace txtfp::pg
