#include "core/answer.hpp"

#include <random>
#include <string>
#include <vector>

#include "core/text/utf8.hpp"
#include "unit/check.hpp"

using namespace txtfp::pdf;

namespace {

std::string part(char kind, std::string_view payload)
{
	const Header head = header(kind, static_cast<std::uint32_t>(payload.size()));
	return std::string(head.data(), head.size()) + std::string(payload);
}

// The events of a reader for a stream that arrives in pieces of at most this size: T and text, W and warning, …
std::string read(std::string_view stream, std::size_t piece)
{
	std::string out;
	AnswerReader reader;
	while (!stream.empty() && !reader.ended()) {
		std::string_view input = stream.substr(0, piece);
		stream.remove_prefix(input.size());
		for (Event event = Event::text; event != Event::need_more && !reader.ended();) {
			event = reader.next(input);
			switch (event) {
			case Event::text:
				out += reader.text();
				break;
			case Event::warning:
				out += "W(" + std::string(reader.message()) + ")";
				break;
			case Event::failure:
				out +=
					std::string("E") + static_cast<char>(reader.failure()) + "(" + std::string(reader.message()) + ")";
				break;
			case Event::done:
				out += "D";
				break;
			case Event::broken:
				out += "B";
				break;
			case Event::need_more:
				break;
			}
		}
	}
	return out;
}

} // namespace

TEST(answer_is_read_however_it_is_cut)
{
	const std::string long_text(70000, 'x');
	const struct {
		std::string stream, expected;
	} examples[] = {
		{part('t', "one ") + part('t', "") + part('t', "two") + part('d', ""), "one twoD"},
		{part('w', "page 3") + part('t', "x") + part('w', "") + part('d', ""), "W(page 3)xW()D"},
		{part('t', "x") + part('e', "pdamaged"), "xEp(damaged)"},
		{part('e', "m"), "Em()"},
		{part('e', "n1000000"), "En(1000000)"},
		{part('t', long_text) + part('d', ""), long_text + "D"},
		{part('d', ""), "D"},
		{part('w', std::string(max_message, 'w')) + part('d', ""), "W(" + std::string(max_message, 'w') + ")D"},
		{part('t', "x").substr(0, 5), ""},
	};
	for (const auto &[stream, expected] : examples)
		for (const std::size_t piece : {1, 2, 3, 5, 7, 64, 65536, 1000000})
			CHECK_EQ(read(stream, piece), expected, piece);
}

TEST(answer_refuses_what_is_none)
{
	for (const std::string &stream : {part('x', "abc"), part('d', "a"), part('e', ""), part('e', "?what"),
			 part('w', std::string(max_message + 1, 'w')), part('e', std::string(max_message + 1, 'p')),
			 std::string("HTTP/1.1 200 OK"), std::string(64, '\0'), std::string(64, '\xFF')})
		for (const std::size_t piece : {1, 4, 65536})
			CHECK_EQ(read(stream, piece), "B", stream.substr(0, 20), piece);
}

TEST(answer_ends_with_its_last_part)
{
	CHECK_EQ(read(part('d', "") + part('t', "more"), 65536), "D");
	CHECK_EQ(read(part('e', "pno") + part('t', "more"), 3), "Ep(no)");
	AnswerReader reader;
	std::string_view input = "zzzzz";
	CHECK_EQ(reader.next(input) == Event::broken, true);
	CHECK_EQ(reader.ended(), true);
	const std::string done = part('d', "");
	input = done;
	CHECK_EQ(reader.next(input) == Event::broken, true);
}

// Compares is_text with its definition: scalar values other than U+0000, encoded as append() encodes them.
TEST(text_is_utf8_without_nul)
{
	for (char32_t c = 0; c <= 0x10FFFF; ++c) {
		std::string bytes;
		txtfp::core::append(bytes, c);
		const bool scalar = c != 0 && (c < 0xD800 || c > 0xDFFF);
		CHECK_EQ(is_text("a" + bytes + "b"), scalar, static_cast<unsigned>(c));
		if (bytes.size() > 1) {
			CHECK_EQ(is_text(std::string_view(bytes).substr(0, bytes.size() - 1)), false, static_cast<unsigned>(c));
			CHECK_EQ(is_text(std::string_view(bytes).substr(1)), false, static_cast<unsigned>(c));
		}
	}
	for (const std::string_view bad : {"\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF", "\xF0\x80\x80\x80",
			 "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xFF", "\x80", "a\xC3", "\xED\xA0\x80"})
		CHECK_EQ(is_text(bad), false, bad);
	CHECK_EQ(is_text(""), true);
}
