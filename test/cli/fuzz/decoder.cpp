// The readers of compressed files on any bytes. Byte 0: the limit of memory; byte 1: how many bytes are read at a time; then the file. It gives the
// same bytes, or is refused, however it is cut.
#include "records/decoder.hpp"

#include <algorithm>
#include <optional>

#include "fuzz/fuzz.hpp"
#include "records/failure.hpp"

using namespace txtfp::records;

namespace {

class Memory final : public Source {
public:
	Memory(std::string_view bytes, std::size_t most) : Source("f"), rest_(bytes), most_(most) {}
	std::size_t read(char *to, std::size_t size) override
	{
		size = rest_.copy(to, std::min(size, most_));
		rest_.remove_prefix(size);
		return size;
	}

private:
	std::string_view rest_;
	std::size_t most_;
};

constexpr std::size_t most_bytes = 1 << 16;

// The first bytes of what it expands to; nothing if it is refused before.
std::optional<std::string> decompressed(
	std::string_view bytes, const DecoderLimit &limit, std::size_t most_in, std::size_t most_out)
{
	try {
		Memory source(bytes, most_in);
		Input input(source, limit);
		std::string out;
		for (std::string part(most_out, '\0'); out.size() < most_bytes;) {
			const std::size_t n = input.read(part.data(), part.size());
			REQUIRE_EQ(n <= part.size(), true);
			out.append(part, 0, n);
			if (n < part.size())
				return out;
		}
		out.resize(most_bytes);
		return out;
	} catch (const Failure &failure) {
		REQUIRE_EQ(std::string_view(failure.what()).empty(), false);
		return std::nullopt;
	}
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	txtfp::fuzz::Input input(data, size);
	const DecoderLimit limit{std::uint64_t{1} << (12 + input.byte() % 12), "limit"};
	const std::size_t step = 1 + input.byte();
	const std::string_view bytes = input.rest();
	const auto whole = decompressed(bytes, limit, most_bytes, most_bytes),
			   parts = decompressed(bytes, limit, step, 64 * step);
	// What is broken only behind the first bytes may not be noticed.
	if (whole && parts)
		REQUIRE_EQ(*parts == *whole, true);
	else if (whole.has_value() != parts.has_value())
		REQUIRE_EQ((whole ? *whole : *parts).size(), most_bytes);
	return 0;
}
