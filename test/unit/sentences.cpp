// Sentences: the results for plain texts, and the fast walk compared with the rules. conformance.cpp reads the
// standard's own test file.
#include <string>
#include <vector>

#include "core/text/segment.hpp"
#include "unit/check.hpp"
#include "unit/sentences_naive.hpp"
#include "unit/stop.hpp"
#include "unit/text.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Strings = std::vector<std::string>;

Strings sentences(std::string_view text)
{
	Strings out;
	for (std::size_t at = 0; at < text.size();) {
		const Sentence sentence = next_sentence(text, at);
		out.emplace_back(text.substr(at, sentence.end - at));
		at = sentence.end;
	}
	return out;
}

// Compares next_sentence with the rules.
void check_against_reference(const std::u32string &text)
{
	const std::string utf8 = to_utf8(text);
	Strings expected;
	std::size_t from = 0;
	for (const std::size_t end : NaiveSentences::ends(text)) {
		expected.push_back(to_utf8(text.substr(from, end - from)));
		from = end;
	}
	CHECK_EQ(sentences(utf8), expected, utf8);
}

// Characters of the classes that the rules mention, far more often than in real texts.
std::u32string random_of_classes(std::mt19937_64 &random, std::size_t size)
{
	constexpr std::u32string_view alphabet =
		U"aB1.!?,)\" \t\n\r\u2029\u0301\u00AD\u4E00\u3002\u2026;:-\u0085\u05D0\u01C5*";
	std::u32string text;
	while (text.size() < size)
		text.push_back(alphabet[random() % alphabet.size()]);
	return text;
}

} // namespace

TEST(sentences_of_plain_texts)
{
	CHECK_EQ(sentences(""), Strings{});
	CHECK_EQ(sentences("One. Two! Three? Four"), (Strings{"One. ", "Two! ", "Three? ", "Four"}));
	CHECK_EQ(sentences("He said \"Hi.\" Then he left."), (Strings{"He said \"Hi.\" ", "Then he left."}));
	CHECK_EQ(sentences("3.5 is e.g. fine. U.S.A. too."), (Strings{"3.5 is e.g. fine. ", "U.S.A. too."}));
	CHECK_EQ(sentences("Wait... what? No."), (Strings{"Wait... what? ", "No."}));
	CHECK_EQ(sentences("Yes!, he said. Mr. Smith"), (Strings{"Yes!, he said. ", "Mr. ", "Smith"}));
	CHECK_EQ(sentences("a\r\nb\n\nc"), (Strings{"a\r\n", "b\n", "\n", "c"}));
	CHECK_EQ(sentences("今天。明天！"), (Strings{"今天。", "明天！"}));
	// a semicolon continues a sentence since Unicode 15.1, and in the crate
	CHECK_EQ(sentences("Why?; because. End"), (Strings{"Why?; because. ", "End"}));
}

TEST(sentences_know_words)
{
	CHECK_EQ(next_sentence("... !", 0).alphanumeric, false);
	CHECK_EQ(next_sentence("...5", 0).alphanumeric, true);
	CHECK_EQ(next_sentence("!\u0363", 0).alphanumeric, true); // an Alphabetic mark
	CHECK_EQ(next_sentence(". \u4E00", 0).alphanumeric, false);
	CHECK_EQ(next_sentence("", 0).end, 0);
}

TEST(sentences_equal_reference_on_every_scalar)
{
	for_each_varied_scalar([](char32_t c) {
		const std::u32string one(1, c);
		check_against_reference(U"A." + one + U"b!" + one + U"C");
		check_against_reference(U"a. " + one + U" b");
	});
}

TEST(sentences_equal_reference_on_random_texts)
{
	RandomText random(1);
	for (int i = 0; i < 8000; ++i) {
		check_against_reference(random_of_classes(random.engine(), random.engine()() % 14));
		if (i % 2 == 0)
			check_against_reference(random.next(16) + random_of_classes(random.engine(), 6) + random.next(6));
	}
}

TEST(sentences_survive_any_bytes)
{
	std::mt19937_64 random(2);
	for (int i = 0; i < 20000; ++i) {
		std::vector<char> bytes(random() % 16);
		for (char &byte : bytes)
			byte = static_cast<char>(random());
		const std::string_view text(bytes.data(), bytes.size());
		for (std::size_t at = 0; at < text.size();) {
			const std::size_t end = next_sentence(text, at).end;
			CHECK_EQ(end > at && end <= text.size(), true, text);
			at = end;
		}
	}
}

// Long sentences and long lookaheads can be cancelled.
TEST(sentences_stop)
{
	const std::string words(1 << 20, 'a'), far = "A. " + std::string(1 << 20, '1'), marks = [] {
		std::string text = "a.";
		for (int i = 0; i < 1 << 18; ++i)
			text += "\u0301";
		return text;
	}();
	for (const std::string &text : {words, far, marks})
		CHECK_EQ(is_cancelled([&] { next_sentence(text, 0, stop_at_once); }), true);
}
