// The page of any removals: no text can end the element that holds it, and encoding never fails.
//   byte 0: characters and outcome; byte 1: where the input is cut; the rest: ids and texts
#include "core/review/review_page.hpp"

#include <limits>

#include "fuzz/fuzz.hpp"

using namespace txtfp::core;
using namespace txtfp::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	Input input(data, size);
	const unsigned how = input.byte(), where = input.byte();
	const std::string_view rest = input.rest();
	const std::string a = valid_utf8(rest.substr(0, where * rest.size() / 255)),
					  b = valid_utf8(rest.substr(where * rest.size() / 255));
	ReviewOptions options;
	options.title = b;
	options.pairs = 1 + how % 3;
	options.characters = (how & 4) != 0 ? Characters::ascii : Characters::utf8;
	ReviewPage page(options);
	for (const bool swapped : {false, true}) {
		PlannedRemoval removal{};
		removal.id = removal.text = removal.reason = swapped ? b : a;
		removal.kept = removal.kept_text = swapped ? a : b;
		removal.outcome = (how & 8) != 0 ? Outcome::review : Outcome::remove;
		removal.values.fill(std::numeric_limits<double>::quiet_NaN());
		page.add(removal);
	}
	std::string html;
	page.write({"<html>@title@@data@", "", ""}, [&](std::string_view part) { html += part; });
	std::size_t tags = 0;
	for (const char c : html) {
		tags += c == '<';
		REQUIRE_EQ((how & 4) != 0 && static_cast<unsigned char>(c) >= 0x80, false);
	}
	REQUIRE_EQ(tags, std::size_t{9}); // that of the page, and four elements with a beginning and an end
	return 0;
}
