// The readers of q64 texts, Shq64 codes and prefixes on any bytes: they accept only what the writers write, apart from
// dots, and a rejected character really is wrong. SimHash of shingles, windows and words accepts any bytes and sizes.
//   byte 0: selects the test; byte 1 of shingles and windows: size; the rest: the text or bytes
#include "core/shq64.hpp"
#include "core/jenkins_simhash.hpp"

#include <vector>

#include "fuzz/fuzz.hpp"

using namespace txtfp::core;
using namespace txtfp::fuzz;

static std::string without_dots(std::string text)
{
	std::erase(text, '.');
	return text;
}

static std::string code(std::uint64_t bits, bool dotted)
{
	std::string out(shq64_dotted_size, '?');
	out.resize(shq64_encode(bits, dotted, out.data()));
	return out;
}

static std::string encode(std::span<const std::uint8_t> bytes)
{
	std::string out(2 * bytes.size(), '?');
	q64_encode(bytes, out.data());
	return out;
}

static void check_rejected(std::string_view text, const Q64Status &status)
{
	if (status.error == Q64Error::length) {
		REQUIRE_EQ(status.position, text.size());
		return;
	}
	REQUIRE_EQ(status.position < text.size(), true);
	REQUIRE_EQ(status.expected.empty(), false);
	REQUIRE_EQ(status.expected.find(text[status.position]), std::string_view::npos);
}

static void check_q64(const std::string &text)
{
	std::vector<std::uint8_t> bytes(text.size() / 2);
	const Q64Status status = q64_decode(text, bytes.data());
	if (status.error != Q64Error::none)
		check_rejected(text, status);
	else
		REQUIRE_EQ(encode(bytes), text);
}

// Dots are ignored: a text is accepted if q64_decode accepts it without them.
static void check_eq64(const std::string &text)
{
	std::vector<std::uint8_t> bytes(text.size() / 2 + 1), plain_bytes(text.size() / 2 + 1);
	std::size_t size = 0;
	const Q64Status status = eq64_decode(text, bytes.data(), size);
	const std::string plain = without_dots(text);
	const Q64Status plain_status = q64_decode(plain, plain_bytes.data());
	REQUIRE_EQ(status.error == plain_status.error, true);
	if (status.error != Q64Error::none) {
		check_rejected(text, status);
		return;
	}
	bytes.resize(size);
	REQUIRE_EQ(encode(bytes), plain);
	std::string dotted(eq64_size(size), '?');
	eq64_encode(bytes, dotted.data());
	REQUIRE_EQ(without_dots(dotted), plain);
	for (std::size_t i = 0; i < dotted.size(); ++i)
		REQUIRE_EQ(dotted[i] == '.', i % 9 == 8);
}

// Words and windows of any bytes.
static void check_jenkins(std::size_t window, std::string_view input)
{
	std::uint64_t all = 1, but_last = 1, words = 1, padded = 1;
	const bool long_enough = window_simhash(input, window, true, all);
	REQUIRE_EQ(long_enough, input.size() >= window);
	REQUIRE_EQ(window_simhash(input, window, false, but_last), long_enough);
	if (input.size() <= window)
		REQUIRE_EQ(but_last, std::uint64_t{0});
	else {
		std::uint64_t shorter = 1;
		window_simhash(input.substr(0, input.size() - 1), window, true, shorter);
		REQUIRE_EQ(but_last, shorter);
	}
	const bool any = cyclic_simhash(input, window, false, words);
	REQUIRE_EQ(cyclic_simhash(input, window, true, padded), any);
	if (!any || window == 1)
		REQUIRE_EQ(words, padded);
}

static void check_bytes(std::string_view input)
{
	const std::vector<std::uint8_t> bytes(input.begin(), input.end());
	std::vector<std::uint8_t> back(bytes.size(), 0xEE);
	REQUIRE_EQ(q64_decode(encode(bytes), back.data()).error == Q64Error::none, true);
	REQUIRE_EQ(back, bytes);
}

static void check_code(const std::string &text)
{
	std::uint64_t bits = 0;
	const Q64Status status = shq64_decode(text, bits);
	if (status.error != Q64Error::none) {
		check_rejected(text, status);
		return;
	}
	REQUIRE_EQ(code(bits, false), without_dots(text));
	if (text.size() == shq64_dotted_size)
		REQUIRE_EQ(code(bits, true), text);
}

static void check_prefix(const std::string &text)
{
	Shq64Range range{};
	const Q64Status status = shq64_prefix_range(text, range);
	if (status.error != Q64Error::none) {
		check_rejected(text, status);
		return;
	}
	const std::string prefix = without_dots(text);
	REQUIRE_EQ(code(range.low, false), prefix + std::string("AQgwAQgwAQgwAQgw").substr(prefix.size()));
	REQUIRE_EQ(code(range.high, false), prefix + std::string("Pfv_Pfv_Pfv_Pfv_").substr(prefix.size()));
}

static void check_shingles(std::size_t size, std::string_view input)
{
	const std::vector<std::uint8_t> bytes(input.begin(), input.end());
	std::uint64_t bits = 1;
	REQUIRE_EQ(shingle_simhash(bytes, size, bits), bytes.size() >= size);
	if (bytes.size() < size)
		REQUIRE_EQ(bits, std::uint64_t{0});
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	Input input(data, size);
	switch (input.byte() % 7) {
	case 0:
		check_q64(std::string(input.rest()));
		break;
	case 1:
		check_code(std::string(input.rest()));
		break;
	case 2:
		check_prefix(std::string(input.rest()));
		break;
	case 3:
		check_bytes(input.rest());
		break;
	case 4:
		check_eq64(std::string(input.rest()));
		break;
	case 5: {
		const std::size_t window = 1 + input.byte();
		check_jenkins(window, input.rest());
		break;
	}
	default: {
		const std::size_t shingle = 1 + input.byte();
		check_shingles(shingle, input.rest());
	}
	}
	return 0;
}
