// The canonicalizer on any text: the fast path equals the definition, pieces give the whole, and the result is
// idempotent.
//   byte 0: which of the 48 canonicalizers; byte 1: where the text is cut; the rest: the text
#include "core/text/canonical.hpp"
#include "fuzz/fuzz.hpp"
#include "unit/options.hpp"

using namespace txtfp::core;
using namespace txtfp::fuzz;

static std::string in_two_pieces(std::string_view text, std::size_t cut, const CanonicalOptions &options)
{
	const Canonicalizer canonicalizer(options);
	TextBuffer out;
	const std::size_t consumed = canonicalizer.append(text.substr(0, cut), false, out);
	canonicalizer.append(text.substr(consumed), true, out);
	return std::string(out);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	static const std::vector<CanonicalOptions> all = txtfp::test::all_canonicalizers();
	Input input(data, size);
	const CanonicalOptions &options = all[input.byte() % all.size()];
	const unsigned where = input.byte();
	const std::string text = valid_utf8(input.rest());

	const std::string expected = canonicalize_by_definition(text, options);
	REQUIRE_EQ(canonicalize(text, options), expected);
	REQUIRE_EQ(in_two_pieces(text, character_boundary(text, where * text.size() / 255), options), expected);
	if (!options.confusable)
		REQUIRE_EQ(canonicalize(expected, options), expected);
	return 0;
}
