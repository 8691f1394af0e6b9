// LavinHash of any bytes, in any pieces, equals that of the reference. For any two forms that the check accepts, the
// scores equal those of the reference and have the promised properties.
//   byte 0: selects the test; fingerprints: byte 1 min_modulus, byte 2 the size of the pieces, the rest is the document
//   forms: byte 1 the size of the first one's structure; the rest is cut into two forms whose headers are corrected
#include "core/lavinhash/lavinhash.hpp"

#include <algorithm>
#include <vector>

#include "core/lavinhash/lavinhash_lsh.hpp"
#include "fuzz/fuzz.hpp"
#include "unit/lavinhash_naive.hpp"

using namespace txtfp::core;
using namespace txtfp::fuzz;
namespace naive = txtfp::test::naive;

using Bytes = std::vector<std::uint8_t>;

static Bytes bytes_of(std::string_view input) { return {input.begin(), input.end()}; }

static void check_fingerprint(unsigned min_modulus, std::size_t piece, const Bytes &document)
{
	if (document.empty())
		return;
	const LavinhashOptions options{min_modulus, true};
	LavinhashBuilder builder(document.size(), options);
	for (std::size_t at = 0; at < document.size(); at += piece)
		builder.append(std::span(document).subspan(at, std::min(piece, document.size() - at)));
	Bytes out(lavinhash_max_size);
	out.resize(builder.finish(out.data()));
	REQUIRE_EQ(out, naive::lavinhash(document, options));
	REQUIRE_EQ(lavinhash_check(out) == LavinhashError::none, true);
}

// Accepts what the reference's parser accepts, but not more than 130 bytes of structure, and nothing after it.
static void check_parser(const Bytes &bytes)
{
	const bool is_form = bytes.size() >= 1028 && bytes[0] == 0x48 && bytes[1] == 1 && bytes[3] == 0 &&
		bytes[2] <= 130 && bytes.size() == std::size_t{1028} + bytes[2];
	REQUIRE_EQ(lavinhash_check(bytes) == LavinhashError::none, is_form);
}

// Repeats `input` to fill the filter; then the structure follows.
static Bytes form(std::string_view input, std::size_t structure)
{
	Bytes out(lavinhash_min_size + structure);
	for (std::size_t i = lavinhash_filter_offset; i < out.size() && !input.empty(); ++i)
		out[i] = static_cast<std::uint8_t>(input[i % input.size()]);
	out[0] = 'H';
	out[1] = 1;
	out[2] = static_cast<std::uint8_t>(structure);
	return out;
}

static void check_comparison(const Bytes &a, const Bytes &b)
{
	REQUIRE_EQ(lavinhash_check(a) == LavinhashError::none && lavinhash_check(b) == LavinhashError::none, true);
	REQUIRE_EQ(lavinhash_edit_distance(a, b), naive::edit_distance(naive::nibbles(a), naive::nibbles(b)));
	REQUIRE_EQ(lavinhash_content(a, b), naive::content(a, b));
	const int score = lavinhash_similarity(a, b);
	REQUIRE_EQ(score, lavinhash_similarity(b, a));
	REQUIRE_EQ(lavinhash_similarity(a, a), 100);
	REQUIRE_EQ(lavinhash_similar(a, b, score), true);
	REQUIRE_EQ(lavinhash_similar(a, b, score + 1), false);
	REQUIRE_EQ(lavinhash_content(a, b) >= lavinhash_least_content(score), true);
	std::uint64_t slots[16], same[16];
	lavinhash_slots(a, slots);
	lavinhash_slots(a, same);
	REQUIRE_EQ(std::equal(slots, slots + 16, same), true);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	Input input(data, size);
	switch (input.byte() % 3) {
	case 0: {
		const unsigned min_modulus = 1 + input.byte();
		const std::size_t piece = 1 + input.byte();
		check_fingerprint(min_modulus, piece, bytes_of(input.rest()));
		break;
	}
	case 1:
		check_parser(bytes_of(input.rest()));
		break;
	default: {
		const std::size_t first = input.byte() % 131, second = input.byte() % 131;
		const std::string_view rest = input.rest();
		check_comparison(form(rest.substr(0, rest.size() / 2), first), form(rest.substr(rest.size() / 2), second));
	}
	}
	return 0;
}
