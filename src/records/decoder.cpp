#include "records/decoder.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "records/failure.hpp"

namespace txtfp::records {

// A format decodes one stream after another: begin() starts one, and step() goes on with it.
class Decoder {
public:
	virtual ~Decoder() = default;
	std::size_t read(char *to, std::size_t size);

protected:
	enum class Step { more, stream_end };
	struct Buffers {
		const char *in;
		std::size_t in_size;
		char *out;
		std::size_t out_size;
	};

	// Zero bytes after a stream are no data: tapes and block devices are filled with them. They come in multiples of `padding`.
	explicit Decoder(Input &input, std::size_t padding = 1) : input_(input), buffer_(buffer_bytes), padding_(padding) {}
	virtual void begin() = 0;                // a stream follows
	virtual Step step(Buffers &buffers) = 0; // decodes what there is, and advances the buffers
	[[noreturn]] void broken(const std::string &what) const
	{
		throw Failure(input_.name() + ": the compressed data are broken: " + what);
	}
	[[noreturn]] void needs_more(const DecoderLimit &limit, const std::string &what) const
	{
		throw Failure(input_.name() + ": decompressing needs " + what + ", more than the " +
			std::to_string(limit.memory >> 20) + "M of " + limit.option);
	}

private:
	static constexpr std::size_t buffer_bytes = 1 << 18;
	bool refill();
	bool has_stream();

	Input &input_;
	std::vector<char> buffer_;
	Buffers buffers_ = {nullptr, 0, nullptr, 0};
	const std::size_t padding_;
	bool at_end_ = false, within_ = false, first_ = true;
};

bool Decoder::refill()
{
	if (buffers_.in_size == 0 && !at_end_) {
		buffers_.in = buffer_.data();
		buffers_.in_size = input_.read_raw(buffer_.data(), buffer_.size());
		at_end_ = buffers_.in_size == 0;
	}
	return buffers_.in_size > 0;
}

bool Decoder::has_stream()
{
	std::size_t zeros = 0;
	bool found = false;
	while (!found && refill()) {
		const char *end = buffers_.in + buffers_.in_size;
		const char *next = first_ ? buffers_.in : std::find_if(buffers_.in, end, [](char c) { return c != '\0'; });
		zeros += static_cast<std::size_t>(next - buffers_.in);
		buffers_.in = next;
		buffers_.in_size = static_cast<std::size_t>(end - next);
		found = next != end;
	}
	if (zeros % padding_ != 0)
		broken(std::to_string(zeros) + " zero bytes follow a stream, no multiple of " + std::to_string(padding_));
	return found;
}

std::size_t Decoder::read(char *to, std::size_t size)
{
	buffers_.out = to;
	buffers_.out_size = size;
	while (buffers_.out_size > 0) {
		if (!within_) {
			if (!has_stream())
				break;
			begin();
			within_ = true;
			first_ = false;
		}
		const bool has_input = refill();
		const std::size_t in = buffers_.in_size, out = buffers_.out_size;
		within_ = step(buffers_) == Step::more;
		if (within_ && !has_input && in == buffers_.in_size && out == buffers_.out_size)
			broken("they end too early");
	}
	return size - buffers_.out_size;
}

namespace {

// A message for what follows a stream and is none.
constexpr const char *garbage = "something else follows the compressed data";

class Gunzip final : public Decoder {
public:
	explicit Gunzip(Input &input) : Decoder(input)
	{
		if (inflateInit2(&stream_, 15 + 16) != Z_OK)
			throw std::bad_alloc();
	}
	~Gunzip() override { inflateEnd(&stream_); }

private:
	void begin() override { inflateReset(&stream_); }
	Step step(Buffers &buffers) override
	{
		const auto most = [](std::size_t size) { return static_cast<uInt>(std::min<std::size_t>(size, 1u << 30)); };
		stream_.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(buffers.in));
		stream_.avail_in = most(buffers.in_size);
		stream_.next_out = reinterpret_cast<Bytef *>(buffers.out);
		stream_.avail_out = most(buffers.out_size);
		const int result = inflate(&stream_, Z_NO_FLUSH);
		const auto used = static_cast<std::size_t>(reinterpret_cast<char *>(stream_.next_in) - buffers.in);
		const auto made = static_cast<std::size_t>(reinterpret_cast<char *>(stream_.next_out) - buffers.out);
		buffers = {buffers.in + used, buffers.in_size - used, buffers.out + made, buffers.out_size - made};
		if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
			broken(stream_.msg != nullptr ? stream_.msg : "gzip");
		return result == Z_STREAM_END ? Step::stream_end : Step::more;
	}

	z_stream stream_ = {};
};

// Frames of any kind; those that are to be skipped give no bytes.
class Unzstd final : public Decoder {
public:
	Unzstd(Input &input, const DecoderLimit &limit) : Decoder(input), limit_(limit), stream_(ZSTD_createDStream())
	{
		if (stream_ == nullptr)
			throw std::bad_alloc();
		const ZSTD_bounds bounds = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
		int log = bounds.lowerBound;
		while (log < bounds.upperBound && std::uint64_t{2} << log <= limit.memory)
			++log;
		ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, log);
	}
	~Unzstd() override { ZSTD_freeDStream(stream_); }

private:
	void begin() override { ZSTD_DCtx_reset(stream_, ZSTD_reset_session_only); }
	Step step(Buffers &buffers) override
	{
		ZSTD_inBuffer in{buffers.in, buffers.in_size, 0};
		ZSTD_outBuffer out{buffers.out, buffers.out_size, 0};
		const std::size_t left = ZSTD_decompressStream(stream_, &out, &in);
		buffers = {buffers.in + in.pos, buffers.in_size - in.pos, buffers.out + out.pos, buffers.out_size - out.pos};
		if (ZSTD_isError(left)) {
			const std::string why = ZSTD_getErrorName(left);
			if (why.find("too much memory") != std::string::npos)
				needs_more(limit_, "a large window");
			broken(why.starts_with("Unknown frame") ? garbage : why);
		}
		return left == 0 ? Step::stream_end : Step::more;
	}

	DecoderLimit limit_;
	ZSTD_DStream *stream_;
};

class Unxz final : public Decoder {
public:
	Unxz(Input &input, const DecoderLimit &limit) : Decoder(input, 4), limit_(limit) {}
	~Unxz() override { lzma_end(&stream_); }

private:
	void begin() override
	{
		if (lzma_stream_decoder(&stream_, limit_.memory, 0) != LZMA_OK)
			throw std::bad_alloc();
	}
	Step step(Buffers &buffers) override
	{
		stream_.next_in = reinterpret_cast<const std::uint8_t *>(buffers.in);
		stream_.avail_in = buffers.in_size;
		stream_.next_out = reinterpret_cast<std::uint8_t *>(buffers.out);
		stream_.avail_out = buffers.out_size;
		const lzma_ret result = lzma_code(&stream_, LZMA_RUN);
		buffers = {reinterpret_cast<const char *>(stream_.next_in), stream_.avail_in,
			reinterpret_cast<char *>(stream_.next_out), stream_.avail_out};
		switch (result) {
		case LZMA_OK:
		case LZMA_BUF_ERROR:
			return Step::more;
		case LZMA_STREAM_END:
			return Step::stream_end;
		case LZMA_MEM_ERROR:
			throw std::bad_alloc();
		case LZMA_MEMLIMIT_ERROR:
			needs_more(limit_, std::to_string((lzma_memusage(&stream_) >> 20) + 1) + "M");
		case LZMA_FORMAT_ERROR:
			broken(garbage);
		case LZMA_OPTIONS_ERROR:
			broken("xz with options that are not known");
		default:
			broken("xz");
		}
	}

	DecoderLimit limit_;
	lzma_stream stream_ = LZMA_STREAM_INIT;
};

class Bunzip2 final : public Decoder {
public:
	explicit Bunzip2(Input &input) : Decoder(input) {}
	~Bunzip2() override { BZ2_bzDecompressEnd(&stream_); }

private:
	void begin() override
	{
		BZ2_bzDecompressEnd(&stream_);
		stream_ = {};
		if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK)
			throw std::bad_alloc();
	}
	Step step(Buffers &buffers) override
	{
		const auto most = [](std::size_t size) { return static_cast<unsigned>(std::min<std::size_t>(size, 1u << 30)); };
		stream_.next_in = const_cast<char *>(buffers.in);
		stream_.avail_in = most(buffers.in_size);
		stream_.next_out = buffers.out;
		stream_.avail_out = most(buffers.out_size);
		const int result = BZ2_bzDecompress(&stream_);
		const auto used = static_cast<std::size_t>(stream_.next_in - buffers.in);
		const auto made = static_cast<std::size_t>(stream_.next_out - buffers.out);
		buffers = {buffers.in + used, buffers.in_size - used, buffers.out + made, buffers.out_size - made};
		if (result == BZ_MEM_ERROR)
			throw std::bad_alloc();
		if (result == BZ_DATA_ERROR_MAGIC)
			broken(garbage);
		if (result != BZ_OK && result != BZ_STREAM_END)
			broken("bzip2");
		return result == BZ_STREAM_END ? Step::stream_end : Step::more;
	}

	bz_stream stream_ = {};
};

// Throws for files whose first bytes tell that they are of a kind that is not read here.
void refuse_unreadable(std::string_view head, const std::string &name)
{
	constexpr std::pair<std::string_view, const char *> kinds[] = {
		{"PAR1", "is a Parquet file, which is not read here; the Python package txtfp reads it"},
		{"ARROW1", "is an Arrow file, which is not read here; the Python package txtfp reads it"},
		{"PGCOPY",
			"is a binary file of COPY, which only COPY reads; COPY ... TO ... (FORMAT csv) writes one for other "
			"programs"},
		{"PK\x03\x04", "is a zip archive; gzip, zstd, xz and bzip2 are read: unzip -p FILE | txtfp ... -"},
		{"\x04\x22\x4D\x18", "is compressed by lz4; gzip, zstd, xz and bzip2 are read: lz4 -dc FILE | txtfp ... -"},
		{"\x1f\x9d", "is compressed by compress; gzip, zstd, xz and bzip2 are read: uncompress -c FILE | txtfp ... -"},
		{"LZIP", "is compressed by lzip; gzip, zstd, xz and bzip2 are read: lzip -dc FILE | txtfp ... -"},
		{"7z\xBC\xAF", "is a 7z archive; gzip, zstd, xz and bzip2 are read: 7z x -so FILE | txtfp ... -"}};
	for (const auto &[bytes, message] : kinds)
		if (head.starts_with(bytes))
			throw Failure(name + " " + message);
}

bool is_zstd(std::string_view head) noexcept
{
	const bool skippable = head.size() >= 4 && (head[0] & 0xF0) == 0x50 && head.substr(1, 3) == "\x2A\x4D\x18";
	return skippable || head.starts_with("\x28\xb5\x2f\xfd");
}

std::unique_ptr<Decoder> make_decoder(std::string_view head, Input &input, const DecoderLimit &limit)
{
	using namespace std::string_view_literals;
	if (head.starts_with("\x1f\x8b"))
		return std::make_unique<Gunzip>(input);
	if (is_zstd(head))
		return std::make_unique<Unzstd>(input, limit);
	if (head.starts_with("\xFD\x37zXZ\0"sv))
		return std::make_unique<Unxz>(input, limit);
	if (head.starts_with("BZh") && head.size() > 3 && head[3] >= '1' && head[3] <= '9')
		return std::make_unique<Bunzip2>(input);
	return nullptr;
}

} // namespace

Input::Input(Source &source, const DecoderLimit &limit) : source_(source)
{
	std::string head(6, '\0');
	head.resize(read_raw(head.data(), head.size()));
	head_ = head;
	refuse_unreadable(head_, name());
	decoder_ = make_decoder(head, *this, limit);
}

Input::~Input() = default;

std::size_t Input::read(char *to, std::size_t size) { return decoder_ ? decoder_->read(to, size) : read_raw(to, size); }

std::size_t Input::read_raw(char *to, std::size_t size)
{
	std::size_t filled = std::min(size, head_.size());
	std::memcpy(to, head_.data(), filled);
	head_.erase(0, filled);
	while (filled < size) {
		const std::size_t n = source_.read(to + filled, size - filled);
		if (n == 0)
			break;
		filled += n;
		position_ += n;
	}
	return filled;
}

std::string_view without_compression(std::string_view name) noexcept
{
	for (const std::string_view suffix : {".gz", ".zst", ".xz", ".bz2"})
		if (name.ends_with(suffix))
			return name.substr(0, name.size() - suffix.size());
	return name;
}

} // namespace txtfp::records
