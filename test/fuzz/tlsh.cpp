// TLSH on any bytes. Byte 0 selects the test; then follows
//   a text: the parser accepts only what the writer writes, apart from the prefix and the case of digits
//   a size of pieces and bytes: the digest of the pieces is that of the whole, and all kernels count the same
//   two digests: the distance is symmetric, not below that of the headers, and 0 for equal digests
#include "core/tlsh/tlsh.hpp"

#include <algorithm>
#include <vector>

#include "core/base/bytes.hpp"
#include "fuzz/fuzz.hpp"

using namespace txtfp::core;
using namespace txtfp::fuzz;

static std::string text_of(const Tlsh &digest)
{
	std::string out(tlsh_text_size, '?');
	format_tlsh(digest, out.data());
	return out;
}

static void check_text(std::string text)
{
	Tlsh digest{};
	if (!parse_tlsh(text, digest)) {
		const std::size_t prefix = text.starts_with("T1") || text.starts_with("t1") ? 2 : 0;
		const auto is_digit = [](char c) { return hex_value(c) >= 0; };
		REQUIRE_EQ(
			text.size() != prefix + 2 * tlsh_bytes || !std::all_of(text.begin() + prefix, text.end(), is_digit), true);
		return;
	}
	if (text.starts_with("t1"))
		text[0] = 'T';
	if (!text.starts_with("T1"))
		text.insert(0, "T1");
	for (char &c : text)
		c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
	REQUIRE_EQ(text_of(digest), text);
}

static std::vector<std::uint32_t> counts(TlshKernel kernel, std::span<const std::uint8_t> bytes)
{
	TlshBuckets buckets = {};
	std::uint8_t checksum = 0;
	tlsh_count_windows(kernel, bytes.data(), bytes.size(), buckets, checksum);
	std::vector<std::uint32_t> out(std::begin(buckets), std::end(buckets));
	out.push_back(checksum);
	return out;
}

static void check_bytes(std::size_t piece, std::string_view input)
{
	const std::vector<std::uint8_t> bytes(input.begin(), input.end());
	REQUIRE_EQ(counts(tlsh_kernel(), bytes), counts(TlshKernel::plain, bytes));

	TlshBuilder builder;
	for (std::size_t i = 0; i < bytes.size(); i += piece)
		builder.append(std::span(bytes).subspan(i, std::min(piece, bytes.size() - i)));
	Tlsh whole{}, in_pieces{};
	const TlshOutcome outcome = tlsh(bytes, whole);
	REQUIRE_EQ(builder.finish(in_pieces) == outcome, true);
	REQUIRE_EQ(text_of(in_pieces), text_of(whole));
	REQUIRE_EQ(outcome == TlshOutcome::too_short, bytes.size() < tlsh_min_length);
	REQUIRE_EQ(outcome != TlshOutcome::ok || whole.length_class() < 170, true);
}

static Tlsh digest_of(std::string_view input, std::size_t at)
{
	Tlsh digest{};
	for (std::size_t i = 0; i < tlsh_bytes && at + i < input.size(); ++i)
		digest.bytes[i] = static_cast<std::uint8_t>(input[at + i]);
	return digest;
}

static void check_distance(std::string_view input)
{
	const Tlsh a = digest_of(input, 0), b = digest_of(input, tlsh_bytes);
	for (const bool with_length : {false, true}) {
		const int distance = tlsh_distance(a, b, with_length), header = tlsh_header_distance(a, b, with_length);
		REQUIRE_EQ(tlsh_distance(b, a, with_length), distance);
		REQUIRE_EQ(distance - header, tlsh_body_distance(a, b));
		REQUIRE_EQ(header >= 0 && distance >= header && distance <= (with_length ? 2473 : 937), true);
		REQUIRE_EQ(tlsh_distance(a, a, with_length), 0);
	}
	REQUIRE_EQ(tlsh_distance(a, b) == 0, std::equal(a.bytes, a.bytes + tlsh_bytes, b.bytes));
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	Input input(data, size);
	switch (input.byte() % 3) {
	case 0:
		check_text(std::string(input.rest()));
		break;
	case 1: {
		const std::size_t piece = 1 + input.byte();
		check_bytes(piece, input.rest());
		break;
	}
	default:
		check_distance(input.rest());
	}
	return 0;
}
