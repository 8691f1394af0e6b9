#include "core/kinds/values.hpp"
#include "core/sketch/signature.hpp"
#include "core/text/pipeline.hpp"

namespace txtfp::core {

namespace {

using namespace kind_values;

const Tlsh &digest_in(const std::uint8_t *row) noexcept { return *reinterpret_cast<const Tlsh *>(row); }

struct TlshRows {
	static bool is_close(const std::uint8_t *a, const std::uint8_t *b, int radius) noexcept
	{
		return tlsh_within(digest_in(a), digest_in(b), radius);
	}
};

bool tlsh_of(const Recipe &recipe, std::string_view text, std::uint8_t *row, StopToken stop)
{
	CanonicalPieces pieces(recipe.text.canonical, stop);
	TlshBuilder builder;
	pieces.append(text, true, [&](std::string_view canonical, bool) { builder.append(bytes_of(canonical), stop); });
	Tlsh digest;
	if (builder.finish(digest) != TlshOutcome::ok)
		return false;
	std::memcpy(row, digest.bytes, tlsh_bytes);
	return true;
}

const char *read_tlsh(const Kind &, std::string_view text, std::uint8_t *row, std::uint64_t &config)
{
	config = 0;
	Tlsh digest;
	if (!parse_tlsh(text, digest))
		return "it is not T1 and 70 hexadecimal digits";
	std::memcpy(row, digest.bytes, tlsh_bytes);
	return nullptr;
}

std::size_t write_tlsh(const Kind &, std::uint64_t, const std::uint8_t *row, char *out)
{
	format_tlsh(digest_in(row), out);
	return tlsh_text_size;
}

std::size_t write_tlsh_binary(const Kind &, std::uint64_t, const std::uint8_t *row, std::uint8_t *out)
{
	std::memcpy(out, row, tlsh_bytes);
	return tlsh_bytes;
}

int tlsh_measure(const Kind &, const std::uint8_t *a, const std::uint8_t *b) noexcept
{
	return tlsh_distance(digest_in(a), digest_in(b));
}

double tlsh_share(const Kind &, int distance) noexcept { return tlsh_similarity(distance); }

void sign_tlsh(const Kind &, const std::uint8_t *row, std::uint8_t *out) noexcept
{
	tlsh_signature(digest_in(row), out);
}

} // namespace

const KindOperations tlsh_operations = {tlsh_of, nullptr, read_tlsh, write_tlsh, check_size, same_row,
	write_tlsh_binary, tlsh_measure, tlsh_share, find_close_values<TlshRows>, sign_tlsh, nullptr, nullptr, whole_bound};

} // namespace txtfp::core
