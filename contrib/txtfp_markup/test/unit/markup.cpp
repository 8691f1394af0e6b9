// Compares the conversions with the reference; tests their limits, cancellation and growth.
#include <cstdlib>
#include <fstream>
#include <string>

#include "core/excision.hpp"
#include "core/html_text.hpp"
#include "core/markdown.hpp"
#include "unit/check.hpp"
#include "unit/data.hpp"
#include "unit/stop.hpp"

using namespace txtfp;
using namespace txtfp::markup;
using namespace txtfp::test;

namespace {

std::string repeated(std::string_view text, std::size_t n)
{
	std::string out;
	out.reserve(n * text.size());
	for (std::size_t i = 0; i < n; ++i)
		out += text;
	return out;
}

MarkdownOptions options_of(const std::string &flags) { return {flags[0] == '1', flags[1] == '1', flags[2] == '1'}; }

std::string without_cuts(std::string_view html)
{
	std::string out;
	for (const std::string_view part : without_scripts_and_styles(html, {}))
		out += part;
	return out;
}

// The message of the core::Error that fn throws
template <class Fn> std::string message_of(Fn fn)
{
	try {
		fn();
	} catch (const core::Error &error) {
		return error.what();
	}
	return "no error";
}

} // namespace

TEST(markup_html_as_the_reference)
{
	for (const Row &row : table("html.tsv"))
		CHECK_EQ(html_to_text(row["html"], {}), row["text"], row["html"]);
	CHECK_EQ(table("html.tsv").size() > 250, true);
}

TEST(markup_markdown_as_the_reference)
{
	for (const Row &row : table("markdown.tsv"))
		CHECK_EQ(markdown_to_text(row["markdown"], options_of(row["options"]), {}), row["text"], row["markdown"]);
	CHECK_EQ(table("markdown.tsv").size() > 250, true);
}

// Wherever the text begins within the words that note line ends and marks, and with buffers on the stack and elsewhere.
TEST(markup_markdown_anywhere)
{
	for (const Row &row : table("markdown.tsv"))
		for (const std::size_t lines : {1, 15, 33, 50, 63, 64, 100, 6000})
			CHECK_EQ(markdown_to_text(repeated("\n", lines) + row["markdown"], options_of(row["options"]), {}),
				row["text"], lines, row["markdown"]);
}

TEST(markup_markdown_long_blocks)
{
	const std::string marks = repeated("*a* `b` &amp; ", 300), lines = repeated("c\n\n- d\n\n", 400);
	CHECK_EQ(markdown_to_text(marks, {}, {}), repeated("a b & ", 299) + "a b &");
	CHECK_EQ(markdown_to_text(lines, {}, {}), repeated("c d ", 399) + "c d");
	const std::string code = repeated("x y\n", 2000);
	CHECK_EQ(markdown_to_text("```\n" + code + "```\nz", {}, {}), code + " z");
}

TEST(markup_markdown_nul)
{
	using namespace std::string_literals;
	CHECK_EQ(
		markdown_to_text("```\na\0b\0\n```\nc\0d"s, {}, {}), "a\xEF\xBF\xBD"s + "b\xEF\xBF\xBD\n c\xEF\xBF\xBD"s + "d");
}

TEST(markup_excision)
{
	CHECK_EQ(without_cuts("a<script>b</script>c<STYLE x>d</Style>e"), std::string("ace"));
	CHECK_EQ(without_cuts("a<style>b</script>c</style >d"), std::string("a"));
	CHECK_EQ(without_cuts("a<styled>b</style>c<scripting>d"), std::string("ac"));
	CHECK_EQ(without_cuts("<scrip<script></script>t"), std::string("<script"));
	CHECK_EQ(without_cuts("a<script></script"), std::string("a"));
	CHECK_EQ(without_cuts("no < cut <"), std::string("no < cut <"));
	CHECK_EQ(without_cuts(""), std::string());
}

TEST(markup_plain_text)
{
	CHECK_EQ(html_to_plain_text("<p>a<b>b</b> c<p>d", {}), std::string("ab c\nd\n"));
	CHECK_EQ(html_to_plain_text("<table><tr><td>a<td>b<tr><th>c<td>d</table>e", {}), std::string("a b\nc d\ne\n"));
	CHECK_EQ(html_to_plain_text("<ul><li>a<li><a href=u>b</a></ul>x<br>y<hr>z", {}), std::string("a\nb\nx\ny\nz\n"));
	CHECK_EQ(html_to_plain_text("<script>x</script><style>x</style><title>x</title><p hidden>x", {}), std::string());
	CHECK_EQ(html_to_plain_text("<styled>kept</styled><!-- <script> -->kept", {}), std::string("keptkept\n"));
	CHECK_EQ(html_to_plain_text("\xEF\xBB\xBF a\xC2\xA0 b\xE2\x80\x8B"
								"c&shy;",
				 {}),
		std::string("a bc\xC2\xAD\n"));
	CHECK_EQ(html_to_plain_text("<pre>a\n  b</pre><img alt=x src=y>", {}), std::string("a b\n"));
}

TEST(markup_rowspan_zero_counts_as_one)
{
	CHECK_EQ(html_to_text("<table><tr><td rowspan=0>a<td>b</table>", {}),
		html_to_text("<table><tr><td rowspan=1>a<td>b</table>", {}));
}

TEST(markup_limits)
{
	CHECK_EQ(message_of([] { html_to_text("<p>a" + repeated("<div>", 10100), {}); }),
		std::string("HTML nests deeper than 10000 elements at byte 50001"));
	// Each p repeats every open font element, so the number of nodes is quadratic.
	std::string fonts;
	for (int i = 0; i < 6000; ++i)
		fonts += "<p><font a=" + std::to_string(i) + ">";
	const std::string message = message_of([&] { html_to_plain_text(fonts, {}); });
	CHECK_EQ(message.substr(0, 45), std::string("HTML would take more than 68 MB of memory at "));
	CHECK_EQ(message_of([&] {
		html_to_text("<table><tr>" + repeated("<td rowspan=9999>x", 3000) + repeated("<tr>", 3000), {});
	}),
		std::string("text of the markup would take more than 67 MB of memory"));
	// A bracket takes 72 bytes.
	CHECK_EQ(message_of([] { markdown_to_text(repeated("[", 4000000), {}, {}); }),
		std::string("Markdown would take more than 247 MB of memory"));
}

TEST(markup_cancel)
{
	const std::string page = repeated("<p>word <b>word</b></p>", 20000), wide = repeated("word ", 500000);
	CHECK_EQ(is_cancelled([&] { html_to_text(page, stop_at_once); }), true);
	CHECK_EQ(is_cancelled([&] { html_to_plain_text(page, stop_at_once); }), true);
	CHECK_EQ(is_cancelled([&] { markdown_to_text(repeated("* word\n", 20000), {}, stop_at_once); }), true);
	// One paragraph: the parser writes nothing until it has read all of it.
	CHECK_EQ(is_cancelled([&] { markdown_to_text(repeated("[a](b ", 20000), {}, stop_at_once); }), true);
	polls = 0;
	markdown_to_text(repeated("*a ", 100000) + "\n", {}, count_polls);
	CHECK_EQ(polls > 20, true, polls);
	polls = 0;
	markdown_to_text(repeated("a\n", 100000), {}, count_polls);
	CHECK_EQ(polls > 20, true, polls);
	polls = 0;
	html_to_text(page, count_polls);
	CHECK_EQ(polls > 20, true, polls);
	polls = 0;
	html_to_plain_text(wide, count_polls);
	CHECK_EQ(polls > 1, true, polls);
}

// Texts that lexbor collects by realloc piece by piece ("<", "<!--", "&#x") are left out: they are linear with
// glibc, which moves pages, but not with AddressSanitizer, which copies.
TEST(markup_grows_linearly)
{
	const char *const patterns[] = {"<p>a", "<a href=u>x</a>", "<table><tr><td>a</table>", "&amp;", "<li>a", "<b>a</b>",
		"<div>a</div>\n", "<br>", "<script></script>", "\xF0\x9F\x98\x80 "};
	for (const char *pattern : patterns) {
		const double growth = growth_of(25000, [&](std::size_t n) { html_to_text(repeated(pattern, n), {}); });
		CHECK_EQ(growth < even_growth, true, pattern, growth);
	}
}

TEST(markup_markdown_grows_linearly)
{
	const char *const patterns[] = {"*a **a ", "[a](b", "[a](<b", "`a``", "![[]()", "> ", "- ", "<a ", "&am",
		"a**b_c* ", "[a][", "\\", "* a\n", "<a b=\"", "[[]", "\t- ", "    a\n", "a\r\n"};
	for (const char *pattern : patterns) {
		const double growth = growth_of(7500, [&](std::size_t n) { markdown_to_text(repeated(pattern, n), {}, {}); });
		CHECK_EQ(growth < even_growth, true, pattern, growth);
	}
	const double growth =
		growth_of(7500, [](std::size_t n) { markdown_to_text(repeated("- ", n) + "a\n" + repeated("\n", n), {}, {}); });
	CHECK_EQ(growth < even_growth, true, growth);
}
