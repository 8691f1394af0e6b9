#include "core/join/exact_join.hpp"
#include "core/kinds/values.hpp"
#include "core/text/pipeline.hpp"

namespace txtfp::core {

namespace {

using namespace kind_values;

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
	format_tlsh(TlshValues::view(row), out);
	return tlsh_text_size;
}

std::size_t write_tlsh_binary(const Kind &, std::uint64_t, const std::uint8_t *row, std::uint8_t *out)
{
	std::memcpy(out, row, tlsh_bytes);
	return tlsh_bytes;
}

int tlsh_measure(const Kind &, const std::uint8_t *a, const std::uint8_t *b) noexcept
{
	return TlshValues::measure(a, b);
}

double tlsh_share(const Kind &, int distance) noexcept { return tlsh_similarity(distance); }

} // namespace

const KindOperations tlsh_operations = {tlsh_of, nullptr, read_tlsh, write_tlsh, check_size, same_row,
	write_tlsh_binary, tlsh_measure, tlsh_share, whole_bound};

} // namespace txtfp::core
