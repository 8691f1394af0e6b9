#include "records/source.hpp"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "records/failure.hpp"

namespace txtfp::records {

namespace {

[[noreturn]] void fail_to(const char *what, const std::string &name)
{
	throw Failure(std::string("cannot ") + what + " " + name + ": " + system_message(errno));
}

} // namespace

Descriptor &Descriptor::operator=(Descriptor &&other) noexcept
{
	std::swap(fd_, other.fd_);
	return *this;
}

Descriptor::~Descriptor() { close(); }

int Descriptor::close() noexcept
{
	const int fd = std::exchange(fd_, -1);
	return fd > STDERR_FILENO ? ::close(fd) : 0;
}

FileSource::FileSource(const std::string &path, const core::StopToken &stop)
	: Source(path == "-" ? "standard input" : path),
	  fd_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)), stop_(stop)
{
	if (fd_.get() < 0)
		fail_to("open", name_);
	struct stat info;
	if (fstat(fd_.get(), &info) != 0)
		fail_to("read", name_);
	if (S_ISDIR(info.st_mode)) {
		errno = EISDIR;
		fail_to("read", name_);
	}
	regular_ = S_ISREG(info.st_mode) && path != "-";
	size_ = S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0;
#ifdef POSIX_FADV_SEQUENTIAL
	if (S_ISREG(info.st_mode))
		posix_fadvise(fd_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
}

FileSource::FileSource(std::string name, Descriptor fd, std::uint64_t size, const core::StopToken &stop)
	: Source(std::move(name)), fd_(std::move(fd)), stop_(stop), size_(size)
{
}

std::size_t FileSource::read(char *to, std::size_t size)
{
	for (;;) {
		stop_.check();
		const ssize_t n = ::read(fd_.get(), to, size);
		if (n >= 0)
			return static_cast<std::size_t>(n);
		if (errno != EINTR)
			fail_to("read", name_);
	}
}

} // namespace txtfp::records
