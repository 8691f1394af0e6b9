#include "cli/files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
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

// ------------------------------------------------------------------------------------------------- reading

class Codec {
public:
	virtual ~Codec() = default;
	virtual std::size_t read(char *to, std::size_t size) = 0; // returns fewer than size bytes only at the end

protected:
	explicit Codec(InputFile &file) : file_(file), buffer_(buffer_bytes) {}
	std::size_t refill() { return file_.read_raw(buffer_.data(), buffer_.size()); }
	[[noreturn]] void broken(const char *what) const
	{
		throw Failure(file_.name() + ": the compressed data are broken: " + what);
	}

	InputFile &file_;
	std::vector<char> buffer_;
};

namespace {

// Several gzip members in a row are one stream.
class Gunzip final : public Codec {
public:
	explicit Gunzip(InputFile &file) : Codec(file)
	{
		if (inflateInit2(&stream_, 15 + 16) != Z_OK)
			throw std::bad_alloc();
	}
	~Gunzip() override { inflateEnd(&stream_); }

	std::size_t read(char *to, std::size_t size) override
	{
		stream_.next_out = reinterpret_cast<Bytef *>(to);
		stream_.avail_out = static_cast<uInt>(size);
		while (stream_.avail_out > 0) {
			if (stream_.avail_in == 0) {
				stream_.next_in = reinterpret_cast<Bytef *>(buffer_.data());
				stream_.avail_in = static_cast<uInt>(refill());
				if (stream_.avail_in == 0) {
					if (!between_)
						broken("they end too early");
					break;
				}
			}
			if (between_ && inflateReset(&stream_) != Z_OK)
				broken("gzip");
			between_ = false;
			const int result = inflate(&stream_, Z_NO_FLUSH);
			if (result == Z_STREAM_END)
				between_ = true;
			else if (result != Z_OK && result != Z_BUF_ERROR)
				broken(stream_.msg != nullptr ? stream_.msg : "gzip");
		}
		return size - stream_.avail_out;
	}

private:
	z_stream stream_ = {};
	bool between_ = false; // true between two members
};

class Unzstd final : public Codec {
public:
	explicit Unzstd(InputFile &file) : Codec(file), stream_(ZSTD_createDStream())
	{
		if (stream_ == nullptr)
			throw std::bad_alloc();
	}
	~Unzstd() override { ZSTD_freeDStream(stream_); }

	std::size_t read(char *to, std::size_t size) override
	{
		ZSTD_outBuffer out{to, size, 0};
		while (out.pos < size) {
			if (in_.pos == in_.size) {
				in_ = {buffer_.data(), refill(), 0};
				if (in_.size == 0 && left_ != 0 && !flushes(out))
					broken("they end too early");
				if (in_.size == 0 && left_ == 0)
					break;
				if (in_.size == 0)
					continue;
			}
			advance(out);
		}
		return out.pos;
	}

private:
	void advance(ZSTD_outBuffer &out)
	{
		left_ = ZSTD_decompressStream(stream_, &out, &in_);
		if (ZSTD_isError(left_))
			broken(ZSTD_getErrorName(left_));
	}
	// At the end of the file: returns true if there is output that did not fit before.
	bool flushes(ZSTD_outBuffer &out)
	{
		const std::size_t before = out.pos;
		advance(out);
		return out.pos > before || left_ == 0;
	}

	ZSTD_DStream *stream_;
	ZSTD_inBuffer in_{nullptr, 0, 0};
	std::size_t left_ = 0; // 0 at the end of a frame
};

} // namespace

namespace {

// Throws for files whose first bytes tell that they are of a kind that is not read here.
void refuse_unreadable(std::string_view head, const std::string &name)
{
	constexpr std::pair<std::string_view, const char *> kinds[] = {
		{"PAR1", "is a Parquet file, which is not read here; the Python package txtfp reads it"},
		{"ARROW1", "is an Arrow file, which is not read here; the Python package txtfp reads it"},
		{"\xFD"
		 "7zXZ",
			"is compressed by xz; only gzip and zstd are read: xz -dc FILE | txtfp ... -"},
		{"BZh", "is compressed by bzip2; only gzip and zstd are read: bzip2 -dc FILE | txtfp ... -"},
		{"PK\x03\x04", "is a zip archive; only gzip and zstd are read: unzip -p FILE | txtfp ... -"}};
	for (const auto &[bytes, message] : kinds)
		if (head.starts_with(bytes))
			throw Failure(name + " " + message);
}

} // namespace

InputFile::InputFile(const std::string &path) : name_(path == "-" ? "standard input" : path)
{
	fd_ = Descriptor(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
	if (fd_.get() < 0)
		fail("open", name_);
	struct stat info;
	if (fstat(fd_.get(), &info) != 0)
		fail("read", name_);
	if (S_ISDIR(info.st_mode)) {
		errno = EISDIR;
		fail("read", name_);
	}
	regular_ = S_ISREG(info.st_mode) && path != "-";
	file_size_ = S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0;
	if (S_ISREG(info.st_mode))
		posix_fadvise(fd_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
	recognize();
}

InputFile::InputFile(const Spool &spool)
	: name_(spool.name_), fd_(spool.file_.reopen()), regular_(true), file_size_(spool.size_)
{
	recognize();
}

void InputFile::recognize()
{
	std::string head(6, '\0');
	head.resize(read_raw(head.data(), head.size()));
	head_ = head;
	refuse_unreadable(head_, name_);
	if (head_.starts_with("\x1f\x8b"))
		codec_ = std::make_unique<Gunzip>(*this);
	else if (head_.starts_with("\x28\xb5\x2f\xfd"))
		codec_ = std::make_unique<Unzstd>(*this);
}

InputFile::~InputFile() = default;

std::size_t InputFile::read(char *to, std::size_t size)
{
	const std::size_t n = codec_ ? codec_->read(to, size) : read_raw(to, size);
	if (copy_ != nullptr)
		copy_->write({to, n});
	return n;
}

std::size_t InputFile::read_raw(char *to, std::size_t size)
{
	std::size_t filled = std::min(size, head_.size());
	std::memcpy(to, head_.data(), filled);
	head_.erase(0, filled);
	while (filled < size) {
		stop_token.check();
		const ssize_t n = ::read(fd_.get(), to + filled, size - filled);
		if (n < 0 && errno != EINTR)
			fail("read", name_);
		if (n == 0)
			break;
		if (n > 0) {
			filled += static_cast<std::size_t>(n);
			position_ += static_cast<std::uint64_t>(n);
		}
	}
	return filled;
}

// ------------------------------------------------------------------------------------------------- writing

struct OutputFile::Compressor {
	virtual ~Compressor() = default;
	virtual void write(OutputFile &file, std::string_view bytes, bool last) = 0;
};

class ZstdEncoder {
public:
	explicit ZstdEncoder(int level) : context_(ZSTD_createCCtx()), out_(buffer_bytes)
	{
		if (!context_)
			throw std::bad_alloc();
		ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
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
		standard_ = true;
		fd_ = Descriptor(STDOUT_FILENO);
		return;
	}
	if (stat(path_.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
		fd_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
	} else {
		temporary_ = path_ + ".XXXXXX";
		fd_ = Descriptor(::mkostemp(temporary_.data(), O_CLOEXEC));
		if (fd_.get() < 0)
			temporary_.clear();
		else
			(void) fchmod(fd_.get(), 0644);
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

void OutputFile::commit()
{
	flush();
	if (compressor_)
		compressor_->write(*this, {}, true);
	if (fd_.close() != 0)
		fail("write", name_);
	if (!temporary_.empty() && ::rename(temporary_.c_str(), path_.c_str()) != 0)
		fail("create", name_);
	temporary_.clear();
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
Spool::Spool(const std::string &directory, std::string name)
	: file_(directory), name_(std::move(name)), encoder_(std::make_unique<ZstdEncoder>(1))
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
