// Differences of any two texts: replacing them in the first gives the second, to the byte. A text stands in itself and in
// itself with a paragraph more; what stands whole in the other text may go by every decision that looks at statements.
//   byte 0: which of the 48 canonicalizers; byte 1: the segmenter, and whether the second text begins with a part of the first; byte 2: where
//   the input is cut; the rest: both texts
#include <cmath>

#include "core/compare/lossless.hpp"
#include "core/compare/text_difference.hpp"
#include "core/decide/pair_decision.hpp"
#include "fuzz/fuzz.hpp"
#include "unit/options.hpp"

using namespace txtfp::core;
using namespace txtfp::fuzz;

namespace {

void check_decisions(const std::string &a, const std::string &b)
{
	REQUIRE_EQ(has_all_of(a, a), true);
	REQUIRE_EQ(has_all_of(a + "\n\nzq", a), true);
	std::string_view unknown;
	PairOptions options;
	options.verify = removal::Verify::lossless;
	options.guards = *Guards::parse("strict", unknown);
	const PairDecision decision = decide_pair(a, b, 0.5, options);
	const bool stands = a == b || has_all_of(b, a);
	REQUIRE_EQ(decision.outcome == removal::removed, stands);
	if (!stands)
		return;
	for (const double signal : decision.signals)
		REQUIRE_EQ(std::isfinite(signal) && signal >= -1, true);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	static const std::vector<CanonicalOptions> all = txtfp::test::all_canonicalizers();
	Input input(data, size);
	const CanonicalOptions &options = all[input.byte() % all.size()];
	const unsigned how = input.byte(), where = input.byte();
	const std::string_view rest = input.rest();
	const std::size_t cut = where * rest.size() / 255;
	const std::string a = valid_utf8(rest.substr(0, cut));
	std::string b = valid_utf8(rest.substr(cut));
	if ((how & 2) != 0)
		b = a.substr(character_boundary(a, a.size() / 3)) + b;

	std::string result;
	std::size_t in_a = 0, in_b = 0;
	for (const Difference &difference :
		text_difference(a, b, options, (how & 1) != 0 ? Segmenter::grapheme : Segmenter::word)) {
		REQUIRE_EQ(difference.a.byte >= in_a && difference.b.byte >= in_b, true);
		result += a.substr(in_a, difference.a.byte - in_a) + b.substr(difference.b.byte, difference.b.bytes);
		in_a = difference.a.byte + difference.a.bytes;
		in_b = difference.b.byte + difference.b.bytes;
	}
	REQUIRE_EQ(result + a.substr(in_a), b);
	if ((how & 1) == 0)
		check_decisions(a, b);
	return 0;
}
