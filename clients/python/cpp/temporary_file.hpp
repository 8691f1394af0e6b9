// A temporary file without a name.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include <unistd.h>

#include "core/join/host.hpp"
#include "records/failure.hpp"

namespace txtfp::python {

class TemporaryFile final : public core::JoinFile {
public:
	explicit TemporaryFile(const std::string &directory) : directory_(directory)
	{
		std::string path = directory + "/txtfp.XXXXXX";
		fd_ = ::mkstemp(path.data());
		if (fd_ < 0)
			fail("create");
		::unlink(path.c_str());
	}
	TemporaryFile(const TemporaryFile &) = delete;
	~TemporaryFile() { close(); }

	void write(std::uint64_t at, const void *bytes, std::size_t size) override
	{
		transfer(at, static_cast<const char *>(bytes), size, ::pwrite, "write");
	}
	void read(std::uint64_t at, void *to, std::size_t size) override
	{
		transfer(at, static_cast<char *>(to), size, ::pread, "read");
	}
	void close() override
	{
		if (fd_ >= 0)
			::close(fd_);
		fd_ = -1;
	}

private:
	template <class Byte, class Call>
	void transfer(std::uint64_t at, Byte *bytes, std::size_t size, Call call, const char *what) const
	{
		while (size > 0) {
			const ssize_t done = call(fd_, bytes, size, static_cast<off_t>(at));
			if (done < 0 && errno == EINTR)
				continue;
			if (done <= 0)
				fail(what);
			bytes += done;
			at += static_cast<std::uint64_t>(done);
			size -= static_cast<std::size_t>(done);
		}
	}
	[[noreturn]] void fail(const char *what) const
	{
		throw records::Failure(std::string("cannot ") + what + " a temporary file in " + directory_ + ": " +
			std::generic_category().message(errno));
	}

	std::string directory_;
	int fd_ = -1;
};

} // namespace txtfp::python
