// SimHash with every weighting equals its definition, whole and in pieces, for any weights in a table; a table of
// document frequencies counts as its definition does.
//   byte 0: tokenizer and canonicalizer; byte 1: weighting, hash family, where the text is cut
//   then 4 bytes per float, a weight of any bits for each of the first 8 tokens; the rest: the text; documents end at
//   newlines
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "core/simhash/idf.hpp"
#include "core/simhash/simhash.hpp"
#include "core/text/stream.hpp"
#include "fuzz/fuzz.hpp"
#include "unit/options.hpp"

using namespace txtfp::core;
using namespace txtfp::fuzz;

using Strings = std::vector<std::string>;

// The weight of a token: its occurrences, 1, or trunc(tf · idf) within ±10^15; 1 if that is not a number.
static std::int64_t weight(const std::string &token, std::uint32_t tf, const SimhashOptions &options)
{
	if (options.weighting != Weighting::idf)
		return options.weighting == Weighting::tf ? tf : 1;
	const auto at = options.idf->find(token);
	const double product = static_cast<double>(tf) * (at == options.idf->end() ? 1.0 : static_cast<double>(at->second));
	if (!std::isfinite(product))
		return 1;
	return static_cast<std::int64_t>(product > 1e15 ? 1e15 : product < -1e15 ? -1e15 : product);
}

static std::uint64_t by_definition(const Strings &tokens, const SimhashOptions &options)
{
	std::map<std::string, std::uint32_t> counts;
	for (const std::string &token : tokens)
		++counts[token];
	std::uint64_t bits = 0;
	for (unsigned bit = 0; bit < 64; ++bit) {
		std::int64_t sum = 0; // at most 8 tokens have a weight in the table, so that it cannot overflow
		for (const auto &[token, tf] : counts) {
			const std::uint64_t hash = hash128(options.family, token, options.seed).lo;
			sum += ((hash >> bit & 1) != 0 ? 1 : -1) * weight(token, tf, options);
		}
		bits |= std::uint64_t{sum > 0} << bit;
	}
	return bits;
}

static Strings documents(const std::string &text)
{
	Strings out(1);
	for (const char c : text)
		if (c == '\n')
			out.emplace_back();
		else
			out.back() += c;
	return out;
}

static void check_frequencies(
	const std::string &text, const CanonicalOptions &canonical, const TokenizerSpec &tokenizer)
{
	DocumentFrequencies actual;
	std::map<std::string, std::uint64_t> expected;
	const Strings all = documents(text);
	for (const std::string &document : all) {
		actual.add(document, canonical, tokenizer);
		const Strings tokens = txtfp::test::tokens(canonicalize(document, canonical), tokenizer);
		for (const std::string &token : std::set(tokens.begin(), tokens.end()))
			++expected[token];
	}
	REQUIRE_EQ(actual.documents(), all.size());
	REQUIRE_EQ(actual.entries().size(), expected.size());
	for (const auto &[token, entry] : actual.entries()) {
		REQUIRE_EQ(entry.documents, expected[token]);
		const float weight = idf(actual.documents(), entry.documents);
		REQUIRE_EQ(weight >= 1 && weight <= 1 + std::log(1.0f + static_cast<float>(all.size())), true);
	}
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	static const auto tokenizers = {"word-uax29", "grapheme-uax29", "shingle-k=2/word-uax29"};
	static const auto canonicalizers = txtfp::test::all_canonicalizers();
	Input input(data, size);
	const unsigned how = input.byte(), which = input.byte();
	SimhashOptions options{{canonicalizers[how % canonicalizers.size()],
		txtfp::test::tokenizer(tokenizers.begin()[how % tokenizers.size()])}};
	options.weighting = static_cast<Weighting>(which % 3);
	options.family = which / 3 % 2 == 0 ? HashFamily::xxh3 : HashFamily::murmur3;

	std::uint32_t weights[8];
	for (std::uint32_t &bits : weights)
		for (int i = 0; i < 4; ++i)
			bits = bits << 8 | input.byte();
	const std::string text = valid_utf8(input.rest());
	const Strings tokens = txtfp::test::tokens(canonicalize(text, options.canonical), options.tokenizer);
	IdfTable table;
	for (std::size_t i = 0; i < 8 && i < tokens.size(); ++i)
		std::memcpy(&table[tokens[i]], &weights[i], sizeof(float));
	options.idf = &table;

	const std::uint64_t expected = by_definition(tokens, options);
	std::uint64_t bits = 0;
	REQUIRE_EQ(simhash(text, options, bits), !tokens.empty());
	REQUIRE_EQ(bits, expected);
	Stream<SimhashSketcher> stream(options);
	const std::size_t cut = which * text.size() / 255;
	REQUIRE_EQ(stream.append(std::string_view(text).substr(0, cut)), true);
	REQUIRE_EQ(stream.append(std::string_view(text).substr(cut)), true);
	REQUIRE_EQ(stream.end().finish(bits), !tokens.empty());
	REQUIRE_EQ(bits, expected);
	check_frequencies(text, options.canonical, options.tokenizer);
	return 0;
}
