#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "core/base/splitmix.hpp"
#include "core/decide/strata.hpp"
#include "core/review/least_keys.hpp"
#include "core/review/pair_text.hpp"
#include "core/review/removal_clusters.hpp"
#include "core/review/review_page.hpp"
#include "core/review/sha256.hpp"
#include "core/text/utf8.hpp"
#include "unit/check.hpp"
#include "unit/page_json_reader.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

std::string hex(const std::array<std::uint8_t, 32> &digest)
{
	std::string out;
	for (const unsigned byte : digest)
		out += {"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
	return out;
}

// Texts that would break out of what holds them, if it were not for the encoding.
const std::string hostile[] = {"</script><script>alert(1)</script>", "<!--<script>", "]]>",
	"<img src=x onerror=alert(1)>", "\\\"; alert(1); //", "\"}]</SCRIPT >",
	"${alert(1)} {{constructor.constructor('alert(1)')()}}", "&lt;script&gt; &#60;",
	std::string("\0\x01\x1f\x7f\r\n\t", 7), "\u2028\u2029\u0085",
	"\u202Etxt.exe\u202C \u2066x\u2069 \u200B\uFEFF\u00AD", "\U000E0041\U000E0042",
	"\U0001F469\u200D\U0001F469\u200D\U0001F467 \U0001F3F4", "\uD7FF\uE000\uFFFF\U0010FFFF", "javascript:alert(1)",
	"'onfocus='alert(1)", "<svg/onload=alert(1)>", "<style>*{display:none}</style>"};

std::string encoded(std::string_view text, Characters characters = Characters::utf8)
{
	std::string json;
	append_page_json(json, text, characters);
	return json;
}

char32_t random_character(SplitMix64 &random)
{
	constexpr char32_t special[] = {'<', '>', '&', '\'', '"', '\\', '/', 0, '\n', '\r', 0x7F, 0x85, 0xAD, 0x200B,
		0x202E, 0x2028, 0x2066, 0xFEFF, 0xFFFD, 0xFFFF, 0x10000, 0xE0020, 0x10FFFF};
	if (random.below(2) == 0)
		return special[random.below(std::size(special))];
	const auto c = static_cast<char32_t>(random.below(random.below(2) == 0 ? 0x80 : 0x110000));
	return c >= 0xD800 && c < 0xE000 ? U'x' : c;
}

// The text of one side, from the JSON of a pair; counts what was left out.
std::string side_of(const Json &runs, int side, std::size_t &left_out)
{
	std::string text;
	const auto add = [&](const Json &part) {
		if (part.kind == Json::Kind::string) {
			text += part.string;
			return;
		}
		text += part[0].string + part[2].string;
		left_out += static_cast<std::size_t>(part[1].number);
	};
	for (const Json &run : runs.items)
		if (run.kind == Json::Kind::list && run[0].kind == Json::Kind::number)
			add(run[static_cast<std::size_t>(side)]);
		else
			add(run);
	return text;
}

std::string words(SplitMix64 &random, std::size_t n)
{
	std::string text;
	for (std::size_t i = 0; i < n; ++i)
		text += "word" + std::to_string(random.below(50)) + (random.below(9) == 0 ? ".\n" : " ");
	return text;
}

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::string page_of(ReviewPage &page)
{
	std::string html;
	page.write({"<html>@policy@ @title@ @style@ @data@ @script@</html>", "body{}", "1"},
		[&](std::string_view part) { html += part; });
	return html;
}

Json element(std::string_view html, const std::string &id)
{
	const std::string begin = "id=\"" + id + "\">";
	const std::size_t at = html.find(begin) + begin.size();
	return JsonReader(html.substr(at, html.find("</script>", at) - at)).read();
}

struct Planned {
	std::string id, kept;
	double score;
	Outcome outcome;
};

Json make_page(const std::vector<Planned> &plan, std::size_t pairs, const char *part, std::uint64_t seed = 0)
{
	ReviewOptions options;
	options.pairs = pairs;
	options.seed = seed;
	ReviewPage page(options);
	for (const Planned &row : plan) {
		PlannedRemoval removal{};
		removal.id = row.id;
		removal.kept = row.kept;
		removal.text = "one two three four five";
		removal.kept_text = "one two three four six";
		removal.outcome = row.outcome;
		removal.values = {row.score, unknown, unknown, unknown, unknown};
		page.add(removal);
	}
	return element(page_of(page), part);
}

std::vector<Planned> plan_of(std::size_t removals, std::size_t reviews)
{
	std::vector<Planned> plan;
	for (std::size_t i = 0; i < removals + reviews; ++i)
		plan.push_back({std::to_string(i), "k" + std::to_string(i), static_cast<double>(i % 1000) / 1000,
			i < removals ? Outcome::remove : Outcome::review});
	return plan;
}

std::vector<std::string> ids_of(const Json &pairs)
{
	std::vector<std::string> ids;
	for (const Json &pair : pairs.items)
		ids.push_back(pair[0].string);
	return ids;
}

} // namespace

TEST(sha256_vectors)
{
	CHECK_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	CHECK_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	CHECK_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
		"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	CHECK_EQ(
		hex(sha256(std::string(1000000, 'a'))), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	// all lengths, each in a block and a part of one; computed with another implementation
	std::string digests;
	for (std::size_t n = 0; n < 300; ++n) {
		std::string bytes;
		for (std::size_t i = 0; i < n; ++i)
			bytes += static_cast<char>(7 * i + n);
		digests += hex(sha256(bytes));
	}
	CHECK_EQ(hex(sha256(digests)), "def85da8f53f8ad58eda585dce61c0d7bfbb3da6924badae49d32d11288c576f");
	CHECK_EQ(content_hash(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
}

TEST(page_json_cannot_end_its_element)
{
	for (const std::string &text : hostile)
		for (const Characters characters : {Characters::utf8, Characters::ascii}) {
			const std::string json = encoded(text, characters);
			CHECK_EQ(json.find_first_of("<>&'"), json.npos, text);
			CHECK_EQ(
				std::count_if(json.begin(), json.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }), 0,
				text);
			CHECK_EQ(JsonReader(json).read().string, text, text);
			if (characters == Characters::ascii)
				CHECK_EQ(
					std::all_of(json.begin(), json.end(), [](char c) { return static_cast<unsigned char>(c) < 0x7F; }),
					true, text);
		}
	for (const char *invisible : {"\u202E", "\u2066", "\u200B", "\uFEFF", "\u2028", "\u00AD", "\U000E0041"})
		CHECK_EQ(encoded(invisible).find(invisible), std::string::npos, "invisible");
	CHECK_EQ(encoded("\u6F22\u5B57 \u0627\u0644"), "\"\u6F22\u5B57 \u0627\u0644\"");
}

// What a reader would not see is escaped, and what is beside it stays.
TEST(hidden_characters_are_shown)
{
	const std::pair<char32_t, char32_t> hidden[] = {{0x80, 0x9F}, {0xAD, 0xAD}, {0x34F, 0x34F}, {0x61C, 0x61C},
		{0x115F, 0x1160}, {0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},
		{0x3164, 0x3164}, {0xFDD0, 0xFDEF}, {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0xFFFE, 0xFFFF},
		{0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0x1FFFE, 0x1FFFF}, {0xDFFFE, 0xDFFFF}, {0xE0000, 0xE0FFF},
		{0x10FFFE, 0x10FFFF}};
	const auto check = [](char32_t c, bool is_hidden) {
		std::string text, html;
		append(text, c);
		append_html(html, text, Characters::utf8);
		CHECK_EQ(html, is_hidden ? "&#xFFFD;" : text, static_cast<std::uint32_t>(c));
		const std::string json = encoded(text, Characters::utf8);
		CHECK_EQ(json.starts_with("\"\\u"), is_hidden, static_cast<std::uint32_t>(c));
		CHECK_EQ(JsonReader(json).read().string, text, static_cast<std::uint32_t>(c));
	};
	for (std::size_t i = 0; i < std::size(hidden); ++i) {
		const auto [first, last] = hidden[i];
		check(first, true);
		check(last, true);
		if (i > 0 && hidden[i - 1].second + 1 < first)
			check(first - 1, false);
		if (i + 1 < std::size(hidden) && hidden[i + 1].first > last + 1)
			check(last + 1, false);
	}
}

TEST(page_json_reads_back)
{
	SplitMix64 random(48);
	for (int round = 0; round < 5000; ++round) {
		std::string text;
		for (std::size_t n = random.below(30); n > 0; --n)
			append(text, random_character(random));
		const std::string json = encoded(text, random.below(2) == 0 ? Characters::utf8 : Characters::ascii);
		CHECK_EQ(JsonReader(json).read().string, text);
		CHECK_EQ(json.find_first_of("<>&'"), json.npos);
	}
	std::string html;
	append_html(html, "a<b>&\"'\u202E\x01");
	CHECK_EQ(html, "a&#60;b&#62;&#38;&#34;&#39;&#xFFFD;&#xFFFD;");
}

TEST(pair_text_has_both_texts)
{
	SplitMix64 random(49);
	for (int round = 0; round < 300; ++round) {
		std::string a = words(random, random.below(60)), b = a;
		for (std::size_t n = random.below(4); n > 0 && !b.empty(); --n)
			b.insert(character_boundary(b, random.below(b.size())), hostile[random.below(std::size(hostile))]);
		const PairText pair = pair_text(a, b, Characters::utf8);
		const Json runs = JsonReader(pair.json).read();
		std::size_t left_out = 0;
		CHECK_EQ(side_of(runs, 1, left_out), a);
		CHECK_EQ(side_of(runs, 2, left_out), b);
		CHECK_EQ(left_out, 0);
	}
	CHECK_EQ(pair_text("", "", Characters::utf8).json, "[]");
	CHECK_EQ(pair_text("a 1 b", "a 2 b", Characters::utf8).json, "[\"a \",[6,\"1\",\"2\"],\" b\"]");
	const PairText numbers = pair_text("a 1 b", "a 2 b", Characters::utf8);
	CHECK_EQ(numbers.kinds[static_cast<std::size_t>(DifferenceKind::number)], 1);
}

TEST(pair_text_is_cut)
{
	SplitMix64 random(50);
	const std::string common = words(random, 20000), a = common + "alpha " + common, b = common + "beta " + common;
	const PairText few = pair_text(a, b, Characters::utf8);
	CHECK_EQ(few.json.size() < 10000, true);
	std::size_t left_out = 0;
	const std::string shown = side_of(JsonReader(few.json).read(), 1, left_out);
	CHECK_EQ(shown.size() + left_out, a.size());
	CHECK_EQ(shown.find("alpha") != shown.npos, true);
	// many differences, long differences, and characters of several bytes
	std::string c, d, wide;
	for (int i = 0; i < 3000; ++i) {
		c += "place" + std::to_string(i) + " has x" + std::to_string(i) + " and ";
		d += "place" + std::to_string(i) + " has y" + std::to_string(i) + " and ";
		wide += "\u6F22";
	}
	const Json many = JsonReader(pair_text(c, d, Characters::utf8).json).read();
	CHECK_EQ(pair_text(c, d, Characters::utf8).json.size() < 40000, true);
	CHECK_EQ(many[many.size() - 2][0].number, -1);
	CHECK_EQ(many[many.size() - 2][1].number, 3000 - static_cast<double>(shown_differences));
	left_out = 0;
	const std::string cut =
		side_of(JsonReader(pair_text("a " + wide + " b", "a b", Characters::utf8).json).read(), 1, left_out);
	CHECK_EQ(cut.find("\uFFFD"), cut.npos);
	CHECK_EQ(std::count_if(cut.begin(), cut.end(), [](char x) { return !is_continuation(x); }) +
			static_cast<std::ptrdiff_t>(left_out),
		3004);
}

TEST(least_keys)
{
	struct Row {
		std::uint64_t key;
		std::size_t size;
		std::size_t bytes() const { return size; }
	};
	SplitMix64 random(51);
	for (const auto &[rows, bytes] : {std::pair<std::size_t, std::size_t>{10, 100000}, {1000, 500}, {1, 1}}) {
		LeastKeys<Row> sample(rows, bytes);
		std::vector<std::uint64_t> keys;
		for (int i = 0; i < 300; ++i) {
			keys.push_back(random());
			if (sample.wants(keys.back()))
				sample.add({keys.back(), 10});
		}
		std::sort(keys.begin(), keys.end());
		const std::vector<Row> taken = sample.extract();
		const std::size_t expected =
			std::max<std::size_t>(1, std::min(rows, bytes / 10)); // a copy: CHECK_EQ keeps references
		CHECK_EQ(taken.size(), expected);
		for (std::size_t i = 0; i < taken.size(); ++i)
			CHECK_EQ(taken[i].key, keys[i]);
	}
}

TEST(stratum_names)
{
	char text[stratum_name_bytes];
	CHECK_EQ(format_stratum({2, 4, 812}, text), "2 of 4: 812 rows");
	const auto parsed = parse_stratum("2 of 4: 812 rows");
	CHECK_EQ(parsed && parsed->number == 2 && parsed->count == 4 && parsed->rows == 812, true);
	for (const char *wrong : {"", "2", "0 of 4: 8 rows", "5 of 4: 8 rows", "1 of 5: 8 rows", "1 of 1: 0 rows",
			 "1 of 1: 4 rows ", "1 of 1: -4 rows", " 1 of 1: 4 rows", "1 of 1: 99999999999999999999 rows"})
		CHECK_EQ(parse_stratum(wrong).has_value(), false, wrong);
}

TEST(clusters_of_a_page)
{
	// Rows 0 to 4 are a chain, each half like the next one; 5 to 8 a template; 9 and 10 a pair.
	std::vector<PictureSketch> rows;
	const std::string parts[] = {"aa ab ac ad ae af ag ah ai aj ak al am ", "ba bb bc bd be bf bg bh bi bj bk bl bm ",
		"ca cb cc cd ce cf cg ch ci cj ck cl cm ", "da db dc dd de df dg dh di dj dk dl dm ",
		"ea eb ec ed ee ef eg eh ei ej ek el em ", "fa fb fc fd fe ff fg fh fi fj fk fl fm "};
	for (std::size_t i = 0; i < 5; ++i)
		rows.push_back(picture_sketch(parts[i] + parts[i] + parts[i + 1]));
	for (int i = 0; i < 6; ++i)
		rows.push_back(picture_sketch(parts[0] + parts[1] + parts[2] + "n" + std::to_string(i)));
	const RowLink links[] = {{1, 0}, {2, 1}, {3, 2}, {4, 3}, {6, 5}, {7, 5}, {8, 5}, {10, 9}};
	const std::vector<RemovalCluster> clusters = removal_clusters(rows, links);
	CHECK_EQ(clusters.size(), 2);
	CHECK_EQ(clusters[0].rows.size(), 5);
	CHECK_EQ(clusters[1].rows.size(), 4);
	CHECK_EQ(clusters[1].rows[0], 5); // it has most links
	CHECK_EQ(clusters[1].edges.size(), 6);
	CHECK_EQ(clusters[0].edges.size() < 8, true);
	// a large one: the picture is bounded
	std::vector<PictureSketch> many(500, rows[5]);
	std::vector<RowLink> star;
	for (std::uint32_t i = 1; i < 500; ++i)
		star.push_back({i, i == 499 ? 1u : 0u});
	const std::vector<RemovalCluster> large = removal_clusters(many, star);
	CHECK_EQ(large[0].rows.size() >= 499 && large[0].shown == picture_rows, true);
	CHECK_EQ(large[0].edges.size(), picture_rows * (picture_rows - 1) / 2);
	CHECK_EQ(large[0].rows[0], 0);
}

TEST(review_page_of_everything)
{
	const std::vector<Planned> plan = plan_of(300, 40);
	const Json pairs = make_page(plan, 10000, "pairs"), page = make_page(plan, 10000, "page");
	CHECK_EQ(pairs.size(), 340);
	CHECK_EQ(page["planned"][0].number, 300);
	CHECK_EQ(page["shown"][1].number, 40);
	CHECK_EQ(page["strata"].size(), 4);
	CHECK_EQ(page["strata"][0].string, "1 of 4: 30 rows");
	CHECK_EQ(page["id_type"].string, "text");
	CHECK_EQ(page["ranked_by"].string, "similarity");
	std::set<std::string> ids;
	for (std::size_t i = 0; i < pairs.size(); ++i) {
		ids.insert(pairs[i][0].string);
		CHECK_EQ(pairs[i][2].number, i < 300 ? 0 : 1);
		CHECK_EQ(pairs[i][4].number < 0, i >= 300);
	}
	CHECK_EQ(ids.size(), 340);
	CHECK_EQ(pairs[0][8].size(), signal_count);
	for (std::size_t i = 0; i < 4; ++i)
		CHECK_EQ(pairs[i][4].number, static_cast<double>(i)); // strata take turns
}

TEST(review_page_of_a_sample)
{
	std::vector<Planned> plan = plan_of(5000, 700);
	const Json pairs = make_page(plan, 400, "pairs"), page = make_page(plan, 400, "page");
	CHECK_EQ(pairs.size(), 400);
	CHECK_EQ(page["planned"][0].number, 5000);
	CHECK_EQ(page["shown"][0].number, 200);
	CHECK_EQ(page["shown"][1].number, 200);
	std::map<double, int> strata;
	for (const Json &pair : pairs.items)
		++strata[pair[4].number];
	for (double i = 0; i < 4; ++i)
		CHECK_EQ(strata[i] >= 45 && strata[i] <= 65, true); // 50 each, but for what the sample in memory lacks
	// The sample depends neither on the order of the rows nor on anything but the seed.
	std::reverse(plan.begin(), plan.end());
	CHECK_EQ(ids_of(make_page(plan, 400, "pairs")) == ids_of(pairs), true);
	CHECK_EQ(ids_of(make_page(plan, 400, "pairs", 7)) == ids_of(pairs), false);
	CHECK_EQ(make_page({}, 10, "pairs").size(), 0);
}

TEST(review_page_with_strata)
{
	ReviewPage page(ReviewOptions{});
	PlannedRemoval removal{};
	removal.values.fill(unknown);
	removal.text = removal.kept_text = "x";
	for (const char *id : {"1", "2", "3"}) {
		removal.id = removal.kept = id;
		removal.stratum = *id == '3' ? "2 of 2: 90 rows" : "1 of 2: 10 rows";
		page.add(removal);
	}
	removal.stratum = "1 of 2: 11 rows";
	bool refused = false;
	try {
		page.add(removal);
	} catch (const Error &error) {
		refused = error.kind() == ErrorKind::invalid_parameter;
	}
	CHECK_EQ(refused, true);
	const std::string html = page_of(page);
	const Json facts = element(html, "page");
	CHECK_EQ(facts["strata"][0].string, "1 of 2: 10 rows");
	CHECK_EQ(facts["strata"][1].string, "2 of 2: 90 rows");
	CHECK_EQ(facts["id_type"].string, "bigint");
}

TEST(review_page_of_hostile_texts)
{
	ReviewOptions options;
	options.title = hostile[0] + "\"@data@";
	options.more = {hostile[3]};
	ReviewPage page(options);
	for (const std::string &text : hostile) {
		PlannedRemoval removal{};
		removal.values.fill(unknown);
		removal.id = removal.kept_text = removal.reason = text;
		removal.kept = removal.text = hostile[0];
		const std::string_view more[] = {text};
		removal.more = more;
		page.add(removal);
	}
	const std::string html = page_of(page);
	// The only tags are those of the page's own elements.
	std::size_t open = 0, close = 0;
	for (std::size_t at = 0; (at = html.find('<', at)) != html.npos; ++at) {
		const std::string_view rest = std::string_view(html).substr(at);
		const bool is_open = rest.starts_with("<script type=\"application/json\" id=\"");
		open += is_open;
		close += rest.starts_with("</script>");
		CHECK_EQ(is_open || rest.starts_with("</script>") || rest.starts_with("<html>") || rest.starts_with("</html>"),
			true, std::string(rest.substr(0, 60)));
	}
	CHECK_EQ(open, 4);
	CHECK_EQ(close, 4);
	const Json pairs = element(html, "pairs");
	std::set<std::string> ids;
	for (const Json &pair : pairs.items)
		ids.insert(pair[0].string);
	CHECK_EQ(ids == std::set<std::string>(std::begin(hostile), std::end(hostile)), true);
}
