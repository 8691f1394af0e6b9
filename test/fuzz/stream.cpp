// Texts in chunks of bytes: the streamed MinHash and SimHash equal those of the whole text. Any bytes in chunks are
// accepted if and only if they are UTF-8, wherever they are cut.
//   byte 0: tokenizer and canonicalizer; byte 1: seed of the cuts; the rest: the text
#include "core/text/stream.hpp"

#include <array>
#include <random>

#include "core/minhash/minhash.hpp"
#include "core/simhash/simhash.hpp"
#include "fuzz/fuzz.hpp"
#include "unit/options.hpp"

using namespace txtfp::core;
using namespace txtfp::fuzz;

static std::vector<std::string_view> chunks(std::string_view bytes, std::mt19937 random)
{
	std::vector<std::string_view> out;
	while (!bytes.empty()) {
		const std::size_t size = std::min<std::size_t>(bytes.size(), random() % 7);
		out.push_back(bytes.substr(0, size));
		bytes.remove_prefix(size);
	}
	return out;
}

static bool is_utf8(std::string_view bytes)
{
	while (!bytes.empty()) {
		const Decoded c = decode(bytes.data(), bytes.data() + bytes.size());
		if (!is_well_formed(bytes, c))
			return false;
		bytes.remove_prefix(c.length);
	}
	return true;
}

static std::string received(const std::vector<std::string_view> &parts, bool &accepted)
{
	Utf8Stream stream;
	std::string text;
	accepted = true;
	for (const std::string_view part : parts)
		accepted = accepted && stream.append(part, [&](std::string_view whole) { text += whole; });
	accepted = accepted && stream.pending().empty();
	return text;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	static const auto tokenizers = {"word-uax29", "shingle-k=3/word-uax29", "shingle-k=2/grapheme-uax29"};
	Input input(data, size);
	const unsigned options = input.byte();
	const std::mt19937 random(input.byte());
	const TokenizerSpec tokenizer = txtfp::test::tokenizer(tokenizers.begin()[options % tokenizers.size()]);
	const auto canonicalizers = txtfp::test::all_canonicalizers();
	const CanonicalOptions canonical = canonicalizers[options % canonicalizers.size()];

	const std::vector<std::string_view> raw = chunks(input.rest(), random);
	bool accepted;
	const std::string kept = received(raw, accepted);
	REQUIRE_EQ(accepted, is_utf8(input.rest()));
	REQUIRE_EQ(input.rest().starts_with(kept), true);

	const std::string text = valid_utf8(input.rest());
	std::array<std::uint64_t, 64> whole, streamed;
	const TextOptions sketch{canonical, tokenizer};
	Stream<MinhashSketcher> stream(sketch, streamed);
	Stream<SimhashSketcher> simhash_stream(SimhashOptions{{canonical, tokenizer}});
	for (const std::string_view chunk : chunks(text, random)) {
		REQUIRE_EQ(stream.append(chunk), true);
		REQUIRE_EQ(simhash_stream.append(chunk), true);
	}
	REQUIRE_EQ(stream.end().finish(), minhash(text, sketch, whole));
	REQUIRE_EQ(streamed == whole, true);
	std::uint64_t bits, expected;
	REQUIRE_EQ(simhash_stream.end().finish(bits), simhash(text, {{canonical, tokenizer}}, expected));
	REQUIRE_EQ(bits, expected);
	return 0;
}
