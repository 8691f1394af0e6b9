#include "core/compare/lossless.hpp"

#include <string>

#include "core/base/splitmix.hpp"
#include "core/compare/closed_words.hpp"
#include "core/text/utf8.hpp"
#include "unit/check.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

struct Pair {
	const char *removed, *kept;
};

// The statements of a text, as its words and marks.
std::string statements_of(std::string_view text)
{
	const ComparedTexts words(text, "", CanonicalOptions{}, Segmenter::word);
	const Statements statements(words.a());
	std::string shown;
	for (const Statement &statement : statements.list) {
		shown += "[";
		for (std::uint32_t i = statement.begin; i < statement.end; ++i) {
			shown += i == statement.begin ? "" : " ";
			const std::uint32_t token = statements.tokens[i];
			if ((token & mark_bit) != 0)
				append(shown, token & ~mark_bit);
			else
				shown += words.canonical(token);
		}
		shown += "]";
	}
	return shown;
}

} // namespace

TEST(statements_are_sentences_and_lines)
{
	CHECK_EQ(statements_of(""), "[]");
	CHECK_EQ(statements_of("One two. Three!  Four?"), "[one two .][three !][four ?]");
	CHECK_EQ(statements_of("See e.g. Dr. Smith, approx. 5 of them."), "[see e.g . dr . smith , approx . 5 of them .]");
	CHECK_EQ(statements_of("It costs 5. not 6. J. Smith"), "[it costs 5 . not 6 .][j . smith]");
	CHECK_EQ(statements_of("He said \"Stop.\" Then (all of them.) left"),
		"[he said \" stop . \"][then ( all of them . ) left]");
	CHECK_EQ(statements_of("foo.bar v1.2.3 3.5 x?y=1"), "[foo.bar v1.2.3 3.5 x ? y = 1]");
	CHECK_EQ(statements_of("a\n\nb"), "[a][b]");
	CHECK_EQ(statements_of("List:\n- one\n- two\n1. Three\n2) four"), "[list :][- one][- two][1 . three][2 ) four]");
	// lines are wrapped if they go on in lower case, after a comma, or where no word more had fit
	CHECK_EQ(statements_of("you may\nnot\nuse it"), "[you may not use it]");
	CHECK_EQ(statements_of("Name: X\nColour: red"), "[name : x][colour : red]");
	CHECK_EQ(statements_of("red,\nBlue"), "[red , blue]");
	CHECK_EQ(statements_of("this line here is as long as those that Mr\nMiller wrote in the same paragraph"),
		"[this line here is as long as those that mr miller wrote in the same paragraph]");
	CHECK_EQ(statements_of("a\r\nB"), "[a][b]");
	CHECK_EQ(statements_of("a\u2028B\u2029c"), "[a][b][c]");
	// full stops of other scripts
	CHECK_EQ(statements_of("你好。再见！好"), "[你 好 。][再 见 !][好]");
	CHECK_EQ(statements_of("एक दो। तीन"), "[एक दो ।][तीन]");
	CHECK_EQ(statements_of("هل هذا؟ نعم۔ لا"), "[هل هذا ؟][نعم ۔][لا]");
	CHECK_EQ(statements_of("ሰላም። ደህና"), "[ሰላም ።][ደህና]");
	CHECK_EQ(statements_of("བོད།ཡིག"), "[བོད །][ཡིག]");
}

TEST(statements_fold_layout)
{
	CHECK_EQ(statements_of("“Can’t” – «it»"), "[\" can't \" - \" it \"]");
	CHECK_EQ(statements_of("5' and 5\" and 5″"), "[5 ' and 5 ″ and 5 ″]");
	CHECK_EQ(statements_of("a--b a—b 1–2 1 - 2 1 -2 (-3)"), "[a - b a - b 1 - 2 1 - 2 1 − 2 ( − 3 )]");
	CHECK_EQ(statements_of("x\u00AD\u200By\uFEFF … \uFF01"), "[xy . . . !]");
	CHECK_EQ(statements_of("• a ◦ b · c"), "[• a • b · c]");
}

TEST(lossless_is_no_matter_of_layout)
{
	const Pair pairs[] = {{"One two. Three four.", "one  two.\nThree\tfour. "},
		{"caf\u00E9 can't \"go\"", "cafe\u0301 can’t “go”"}, {"\uFEFFso\u00ADft zero\u200Bwidth", "soft zerowidth"},
		{"a - b", "a — b"}, {"wait...", "wait…"},
		{"The line is broken here because it was long\nenough. Next.",
			"The line is broken here\nbecause it was long enough. Next."},
		{"Stra\u00DFe", "STRASSE"}, {"A title without a stop", "A title without a stop. And more."},
		{"One. Two.", "One. Two"}, {"", "x"}, {"", ""}, {"...", "x"}, {"Thai \u0E04\u200B\u0E19", "Thai \u0E04\u0E19"},
		{"5 \u00A0kg", "5 kg"}};
	for (const auto &[removed, kept] : pairs)
		CHECK_EQ(has_all_of(kept, removed) || std::string_view(removed) == "...", true, removed);
	CHECK_EQ(has_all_of("x", "..."), false);
}

TEST(lossless_allows_whole_statements)
{
	const Pair pairs[] = {{"We sell red bicycles of steel.", "Welcome to our shop. We sell red bicycles of steel."},
		{"We sell red bicycles of steel.", "We sell red bicycles of steel. Ask for a catalogue."},
		{"We sell red bicycles. Ask for the catalogue of this year.",
			"We sell red bicycles. The shop is closed on Mondays. Ask for the catalogue of this year."},
		{"A first line of text here\n\nAnother one below",
			"A first line of text here\n\nAnother one below\n\nAnd a third that is new"},
		{"- milk from a farm nearby\n- eggs of six hens", "- milk from a farm nearby\n- eggs of six hens\n- salt"},
		{"門は今日開いている。子どもが来る。", "門は今日開いている。子どもが来る。天気がよい。"}};
	for (const auto &[removed, kept] : pairs) {
		CHECK_EQ(has_all_of(kept, removed), true, removed);
		CHECK_EQ(has_all_of(removed, kept), false, kept);
	}
}

TEST(lossless_refuses_other_statements)
{
	const Pair pairs[] = {// a run of another item; an attribute that another item has
		{"Room 12 is currently taken.", "Room 12 is currently free. Room 14 is currently taken."},
		{"The frame of Alba is made of aluminium.",
			"The frame of Alba is made of steel. The frame of Bora is made of aluminium."},
		{"Alba has seven gears. The frame is made of aluminium.",
			"Alba has seven gears. The frame is made of steel. Bora has two. The frame is made of aluminium."},
		{"Item A. Blue.", "Item A. Red. Item B. Blue."},
		// under another heading
		{"Forbidden:\n- smoke", "Forbidden:\n- noise\nAllowed:\n- smoke"},
		{"- smoke\n- noise", "Forbidden:\n- smoke\n- noise"},
		{"Allowed:\n- x\nForbidden:\n- y", "Allowed:\nForbidden:\n- x\n- y"},
		{"Smoking is cheap.", "The following is false:\nSmoking is cheap."},
		// words within a sentence
		{"Use the lift.", "Do not use the lift."}, {"You may\nuse it.", "You may\nnot\nuse it."},
		{"It is safe.", "It is safe to say no."},
		// marks and characters
		{"Take 1/2 tablet", "Take 1-2 tablet"}, {"total (5) euro", "total 5 euro"}, {"grade A* here", "grade A here"},
		{"10\u2075 rows", "105 rows"}, {"C++ compiler", "C compiler"}, {"minus -5 here", "minus 5 here"},
		{"from 1 -2", "from 1-2"}, {"5' wide", "5\" wide"}, {"a < b", "a > b"}, {"3.5 m", "35 m"},
		{"\u2460 is it", "1 is it"},
		// order, and how often
		{"Pay. Then open the gate.", "Then open the gate. Pay."}, {"Turn left. Turn left.", "Turn left."},
		// what a pronoun refers to
		{"The red door is old. It must be painted.",
			"The red door is old. My car broke down yesterday. It must be painted."},
		{"No. Problem solved.", "No problem solved."}};
	for (const auto &[removed, kept] : pairs)
		CHECK_EQ(has_all_of(kept, removed), false, removed);
}

// A text repeats itself; texts in which a statement is tried at each place.
TEST(lossless_of_hostile_texts)
{
	std::string same, other, sentences;
	for (int i = 0; i < 100000; ++i) {
		same += "Aa. ";
		other += "aa. ";
		sentences += "So it is. ";
	}
	CHECK_EQ(has_all_of(same, same), true);
	CHECK_EQ(has_all_of(same + "Bb.", same), true);
	CHECK_EQ(has_all_of(same, other + "b"), false);
	CHECK_EQ(has_all_of(sentences, "So it is. So it is not."), false);
	CHECK_EQ(has_all_of(std::string(200000, '-'), std::string(200000, '+')), false);
	CHECK_EQ(has_all_of(std::string(200000, '\n'), std::string(200000, ' ')), true);
}

TEST(lossless_is_total)
{
	static const char *const pieces[] = {"one ", "Two. ", "t\u0301wo ", "3.5 ", "\u2460 ", "\u1100\u1161\u11A8", " ",
		"\u4E00", "。", "\n", "\n\n", "- ", "* ", "1. ", "a) ", ": ", "# ", "\u0130", "++", "-1 ", "\u0301", "\u200B",
		", ", "! ", "“", "\"", "' ", "(", ")", "\r\n", "…", "not "};
	SplitMix64 random(5);
	for (int round = 0; round < static_cast<int>(by_length(20000, 4000)); ++round) {
		std::string text;
		for (std::size_t n = random.below(25); n > 0; --n)
			text += pieces[random.below(std::size(pieces))];
		CHECK_EQ(has_all_of(text, text), true, text);
		CHECK_EQ(has_all_of(text + "\n\nMore words.", text), true, text);
		const ComparedTexts words(text, "", CanonicalOptions{}, Segmenter::word);
		const Statements statements(words.a());
		std::uint32_t at = 0;
		for (const Statement &statement : statements.list) {
			CHECK_EQ(statement.begin, at, text);
			CHECK_EQ(statement.end >= at, true, text);
			at = statement.end;
		}
		CHECK_EQ(at, statements.tokens.size(), text);
	}
}

TEST(closed_words)
{
	for (const char *word : {"not", "isn't", "dont", "cannot", "keinen", "keinerlei", "ningún", "ninguna", "aucune",
			 "nessuno", "geen", "żadnej", "не", "никакой", "gelmedi", "değildir", "لا", "لَا", "नहीं", "nunca", "não",
			 "niet", "nigdy", "only", "oder"})
		CHECK_EQ(is_scope_word(word), true, word);
	for (const char *word : {"", "note", "knot", "eine", "gün", "geldi", "нести", "लोग", "siz", "maz"})
		CHECK_EQ(is_scope_word(word), false, word);
	CHECK_EQ(is_negated("safe", "unsafe"), true);
	CHECK_EQ(is_negated("безопасна", "небезопасна"), true);
	CHECK_EQ(is_negated("safe", "safer"), false);
	CHECK_EQ(is_same_word("colour", "color"), true);
	CHECK_EQ(is_same_word("organisations", "organizations"), true);
	CHECK_EQ(is_same_word("mourning", "morning"), false);
	CHECK_EQ(is_same_word("four", "for"), false);
	CHECK_EQ(is_corrected("information", "informations"), true);
	CHECK_EQ(is_corrected("optionaly", "optionally"), true);
	CHECK_EQ(is_corrected("internal", "external"), false);
	CHECK_EQ(is_corrected("hypertension", "hypotension"), false);
	CHECK_EQ(is_corrected("left", "lift"), false);
	CHECK_EQ(is_reference("it"), true);
	CHECK_EQ(is_reference("item"), false);
}
