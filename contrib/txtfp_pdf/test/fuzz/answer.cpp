// Any bytes that a hijacked program may send, cut anywhere. The reader stays within them, reaches the same end
// wherever they are cut, and returns no more text than came in.
//   byte 0: size of the pieces; the rest: the stream
#include "core/answer.hpp"

#include <string>

#include "fuzz/fuzz.hpp"

using namespace txtfp::pdf;

static std::string read(std::string_view stream, std::size_t piece, std::size_t &text)
{
	std::string out;
	AnswerReader reader;
	text = 0;
	while (!stream.empty() && !reader.ended()) {
		std::string copy(stream.substr(0, piece)); // a copy, so that ASan detects reads beyond it
		stream.remove_prefix(copy.size());
		std::string_view input = copy;
		for (Event event = Event::text; event != Event::need_more && !reader.ended();) {
			event = reader.next(input);
			if (event == Event::text) {
				out += reader.text();
				text += reader.text().size();
			} else if (event == Event::warning || event == Event::failure) {
				out += event == Event::warning ? "<w>" : "<e>";
				out += reader.message();
				REQUIRE_EQ(reader.message().size() <= max_message, true);
			} else if (event != Event::need_more) {
				out += event == Event::done ? "<d>" : "<b>";
			}
		}
	}
	return out;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	txtfp::fuzz::Input input(data, size);
	const std::size_t piece = 1 + input.byte();
	std::size_t text, again;
	const std::string whole = read(input.rest(), 1 << 20, text);
	REQUIRE_EQ(text <= input.rest().size(), true);
	REQUIRE_EQ(read(input.rest(), piece, again), whole);
	REQUIRE_EQ(again, text);

	// is_text accepts exactly what the library decodes and encodes back.
	std::string copy(input.rest());
	bool expected = copy.find('\0') == copy.npos;
	for (std::string_view rest = copy; !rest.empty() && expected;) {
		const txtfp::core::Decoded c = txtfp::core::decode(rest.data(), rest.data() + rest.size());
		expected = txtfp::fuzz::is_well_formed(rest, c);
		rest.remove_prefix(c.length);
	}
	REQUIRE_EQ(is_text(copy), expected);
	return 0;
}
