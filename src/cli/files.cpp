#include "cli/files.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "cli/failure.hpp"
#include "cli/stop.hpp"

namespace txtfp::cli {

namespace {

constexpr std::size_t buffer_bytes = 1 << 18;

[[noreturn]] void fail(const char *what, const std::string &name)
{
	throw Failure(std::string("cannot ") + what + " " + name + ": " + system_message(errno));
}

void write_all(int fd, const char *bytes, std::size_t size, const std::string &name)
{
	while (size > 0) {
		stop_token.check();
		const ssize_t n = ::write(fd, bytes, size);
		if (n < 0 && errno != EINTR)
			fail("write", name);
		if (n > 0) {
			bytes += n;
			size -= static_cast<std::size_t>(n);
		}
	}
}

// The name of the file that a symbolic link leads to, whether there is one yet or not
std::string target_of(const std::string &path)
{
	namespace fs = std::filesystem;
	fs::path target = path;
	std::error_code none;
	for (int links = 0; fs::is_symlink(fs::symlink_status(target, none)); ++links) {
		if (links == 40) {
			errno = ELOOP;
			fail("create", path);
		}
		const fs::path next = fs::read_symlink(target);
		target = next.is_absolute() ? next : target.parent_path() / next;
	}
	return target.string();
}

// A new file NAME.XXXXXX, with what the umask leaves of the mode; none, and errno, if it cannot be created
Descriptor create_beside(const std::string &name, mode_t mode, std::string &created)
{
	static constexpr char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	std::random_device random;
	for (int attempt = 0; attempt < 100; ++attempt) {
		std::string path = name + ".";
		for (int i = 0; i < 6; ++i)
			path += letters[random() % (sizeof letters - 1)];
		Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode));
		if (file.get() >= 0)
			created = path;
		if (file.get() >= 0 || errno != EEXIST)
			return file;
	}
	return Descriptor();
}

// Gives a new file, which nobody else can read yet, the owner and the mode of the existing one. False if that is
// impossible, or if the existing one would lose more: another name, or its access control list.
bool takes_place_of(int fd, const std::string &existing, const struct stat &info)
{
	struct stat own;
#ifdef __linux__
	if (::getxattr(existing.c_str(), "system.posix_acl_access", nullptr, 0) > 0)
		return false;
#else
	(void) existing;
#endif
	return info.st_nlink == 1 && ::fstat(fd, &own) == 0 &&
		((own.st_uid == info.st_uid && own.st_gid == info.st_gid) || ::fchown(fd, info.st_uid, info.st_gid) == 0) &&
		::fchmod(fd, info.st_mode & 07777) == 0;
}

} // namespace

// ------------------------------------------------------------------------------------------------- reading

InputFile::InputFile(InputPaths paths, const records::DecoderLimit &limit) : paths_(std::move(paths)), limit_(limit)
{
	source_.emplace(paths_.files[0], stop_token);
	size_ = source_->size();
	struct stat info;
	for (std::size_t i = 1; i < paths_.files.size(); ++i)
		size_ += stat(paths_.files[i].c_str(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
	input_.emplace(*source_, limit_);
}

InputFile::InputFile(const Spool &spool) : size_(spool.size_)
{
	source_.emplace(spool.name_, spool.file_.reopen(), spool.size_, stop_token);
	input_.emplace(*source_, limit_);
}

bool InputFile::next_file()
{
	if (at_ + 1 >= paths_.files.size())
		return false;
	before_ += source_->size();
	input_.reset();
	source_.emplace(paths_.files[++at_], stop_token);
	input_.emplace(*source_, limit_);
	return true;
}

std::size_t InputFile::read(char *to, std::size_t size)
{
	const std::size_t n = input_->read(to, size);
	if (copy_ != nullptr)
		copy_->write({to, n});
	return n;
}

// ------------------------------------------------------------------------------------------------- writing

struct OutputFile::Compressor {
	virtual ~Compressor() = default;
	virtual void write(OutputFile &file, std::string_view bytes, bool last) = 0;
};

class ZstdEncoder {
public:
	// window_log: also finds what is repeated within 2^window_log bytes, and takes as much memory; 0: as the level says
	explicit ZstdEncoder(int level, int window_log = 0) : context_(ZSTD_createCCtx()), out_(buffer_bytes)
	{
		if (!context_)
			throw std::bad_alloc();
		ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
		if (window_log == 0)
			return;
		ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_enableLongDistanceMatching, 1);
		ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_windowLog, window_log);
	}

	// Calls sink(encoded) any number of times; `last` ends the stream.
	template <class Sink> void encode(std::string_view bytes, bool last, Sink sink)
	{
		ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
		for (std::size_t left = 1; left != 0 && (last || in.pos < in.size);) {
			ZSTD_outBuffer to{out_.data(), out_.size(), 0};
			left = ZSTD_compressStream2(context_.get(), &to, &in, last ? ZSTD_e_end : ZSTD_e_continue);
			if (ZSTD_isError(left))
				throw Failure(std::string("cannot compress: ") + ZSTD_getErrorName(left));
			sink(std::string_view(out_.data(), to.pos));
			if (!last && left == 0)
				left = 1;
		}
	}

private:
	struct Free {
		void operator()(ZSTD_CCtx *context) const { ZSTD_freeCCtx(context); }
	};
	std::unique_ptr<ZSTD_CCtx, Free> context_;
	std::vector<char> out_;
};

OutputFile::OutputFile(const std::string &path) : path_(path), name_(path == "-" ? "standard output" : path)
{
	struct Gzip final : Compressor {
		z_stream stream = {};
		std::vector<char> out = std::vector<char>(buffer_bytes);
		Gzip()
		{
			if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
				throw std::bad_alloc();
		}
		~Gzip() override { deflateEnd(&stream); }
		void write(OutputFile &file, std::string_view bytes, bool last) override
		{
			stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
			stream.avail_in = static_cast<uInt>(bytes.size());
			do {
				stream.next_out = reinterpret_cast<Bytef *>(out.data());
				stream.avail_out = static_cast<uInt>(out.size());
				deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
				file.write_raw(out.data(), out.size() - stream.avail_out);
			} while (stream.avail_out == 0);
		}
	};
	struct Zstd final : Compressor {
		ZstdEncoder encoder{ZSTD_CLEVEL_DEFAULT};
		void write(OutputFile &file, std::string_view bytes, bool last) override
		{
			encoder.encode(bytes, last, [&](std::string_view part) { file.write_raw(part.data(), part.size()); });
		}
	};
	if (path_.ends_with(".gz"))
		compressor_ = std::make_unique<Gzip>();
	else if (path_.ends_with(".zst"))
		compressor_ = std::make_unique<Zstd>();
	struct stat info;
	if (path_ == "-") {
		fd_ = Descriptor(STDOUT_FILENO);
		return;
	}
	const bool exists = stat(path_.c_str(), &info) == 0;
	if (exists && !S_ISREG(info.st_mode)) {
		fd_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
	} else {
		target_ = target_of(path_);
		if (exists) // must be one that we may write, and is written itself if another file cannot take its place
			existing_ = Descriptor(::open(target_.c_str(), O_WRONLY | O_CLOEXEC));
		if (!exists || existing_.get() >= 0)
			fd_ = create_beside(target_, exists ? 0600 : 0666, temporary_);
		if (fd_.get() >= 0 && exists && takes_place_of(fd_.get(), target_, info))
			existing_ = Descriptor();
	}
	if (fd_.get() < 0)
		fail("create", name_);
}

OutputFile::~OutputFile()
{
	if (!temporary_.empty())
		::unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view bytes)
{
	buffer_.append(bytes);
	if (buffer_.size() >= buffer_bytes)
		flush();
}

void OutputFile::flush()
{
	if (compressor_)
		compressor_->write(*this, buffer_, false);
	else
		write_raw(buffer_.data(), buffer_.size());
	buffer_.clear();
}

void OutputFile::write_raw(const char *bytes, std::size_t size) { write_all(fd_.get(), bytes, size, name_); }

void OutputFile::finish()
{
	if (finished_)
		return;
	flush();
	if (compressor_)
		compressor_->write(*this, {}, true);
	if (existing_.get() >= 0)
		reserve_in_existing();
	else if (fd_.close() != 0)
		fail("write", name_);
	finished_ = true;
}

void OutputFile::commit()
{
	finish();
	if (existing_.get() >= 0)
		copy_to_existing();
	if (!temporary_.empty() && (copied_ ? ::unlink(temporary_.c_str()) : ::rename(temporary_.c_str(), target_.c_str())) != 0)
		fail("create", name_);
	temporary_.clear();
}

// Without the room, the existing file stays as it is. Where the file system cannot reserve any, writing tells.
void OutputFile::reserve_in_existing()
{
#ifdef FALLOC_FL_KEEP_SIZE
	struct stat own, existing;
	if (::fstat(fd_.get(), &own) != 0 || ::fstat(existing_.get(), &existing) != 0)
		fail("write", name_);
	if (own.st_size <= existing.st_size)
		return;
	if (::fallocate(existing_.get(), FALLOC_FL_KEEP_SIZE, existing.st_size, own.st_size - existing.st_size) == 0)
		return;
	const int error = errno;
	if (error != ENOSPC && error != EFBIG && error != EDQUOT)
		return;
	if (::ftruncate(existing_.get(), existing.st_size) == 0) // frees what was reserved
		errno = error;
	fail("write", name_);
#endif
}

// Overwrites the bytes, and cuts what is left of the old ones at the end.
void OutputFile::copy_to_existing()
{
	if (::lseek(fd_.get(), 0, SEEK_SET) != 0)
		fail("write", name_);
	off_t written = 0;
	std::vector<char> bytes(buffer_bytes);
	for (;;) {
		const ssize_t n = ::read(fd_.get(), bytes.data(), bytes.size());
		if (n < 0 && errno != EINTR)
			fail("write", name_);
		if (n == 0)
			break;
		if (n > 0) {
			write_all(existing_.get(), bytes.data(), static_cast<std::size_t>(n), name_);
			written += n;
		}
	}
	if (::ftruncate(existing_.get(), written) != 0)
		fail("write", name_);
	if (existing_.close() != 0)
		fail("write", name_);
	copied_ = true;
}

// ------------------------------------------------------------------------------------------------- temporary files

TemporaryFile::TemporaryFile(const std::string &directory) : directory_(directory)
{
	fd_ = Descriptor(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
	if (fd_.get() < 0) { // not every file system supports unnamed files
		std::string path = directory + "/txtfp.XXXXXX";
		fd_ = Descriptor(::mkostemp(path.data(), O_CLOEXEC));
		if (fd_.get() < 0)
			fail("create a temporary file in", directory);
		::unlink(path.c_str());
	}
}

void TemporaryFile::write_at(std::uint64_t offset, const void *bytes, std::size_t size)
{
	for (auto *p = static_cast<const char *>(bytes); size > 0;) {
		const ssize_t n = ::pwrite(fd_.get(), p, size, static_cast<off_t>(offset));
		if (n < 0 && errno != EINTR)
			fail("write a temporary file in", directory_);
		if (n > 0) {
			p += n;
			offset += static_cast<std::uint64_t>(n);
			size -= static_cast<std::size_t>(n);
		}
	}
}

void TemporaryFile::read_at(std::uint64_t offset, void *to, std::size_t size) const
{
	for (auto *p = static_cast<char *>(to); size > 0;) {
		const ssize_t n = ::pread(fd_.get(), p, size, static_cast<off_t>(offset));
		if (n < 0 && errno != EINTR)
			fail("read a temporary file in", directory_);
		if (n == 0)
			throw Failure("a temporary file in " + directory_ + " is shorter than it was");
		if (n > 0) {
			p += n;
			offset += static_cast<std::uint64_t>(n);
			size -= static_cast<std::size_t>(n);
		}
	}
}

Descriptor TemporaryFile::reopen() const
{
	Descriptor copy(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
	if (copy.get() < 0 || ::lseek(copy.get(), 0, SEEK_SET) != 0)
		fail("read a temporary file in", directory_);
	return copy;
}

// The fastest level: the copy is read once or twice, and must not hold up the reader.
// The boilerplate of a site, say, is repeated after many other pages.
Spool::Spool(const std::string &directory, std::string name, std::uint64_t memory)
	: file_(directory), name_(std::move(name)),
	  encoder_(std::make_unique<ZstdEncoder>(1, std::clamp(static_cast<int>(std::bit_width(memory)) - 1, 20, 27)))
{
}

Spool::~Spool() = default;

void Spool::store(std::string_view encoded)
{
	file_.write_at(size_, encoded.data(), encoded.size());
	size_ += encoded.size();
}

void Spool::write(std::string_view bytes)
{
	encoder_->encode(bytes, false, [this](std::string_view part) { store(part); });
}

void Spool::complete()
{
	encoder_->encode({}, true, [this](std::string_view part) { store(part); });
}

} // namespace txtfp::cli
