#include "core/passages/frequent_passages.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/splitmix.hpp"
#include "unit/check.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Document = std::vector<std::string>; // its words

std::string text_of(const Document &words, std::size_t first, std::size_t count)
{
	std::string out = " ";
	for (std::size_t i = first; i < first + count; ++i)
		out += words[i] + " ";
	return out;
}

Document words(std::string_view text)
{
	Document out;
	for (std::size_t at = 0; at < text.size();) {
		const std::size_t end = std::min(text.find(' ', at), text.size());
		out.emplace_back(text.substr(at, end - at));
		at = end + 1;
	}
	return out;
}

struct Passage {
	std::string text;
	std::uint32_t words, documents;

	auto operator<=>(const Passage &) const = default;
};

struct Counted {
	std::vector<std::uint64_t> hashes, owners;
	std::vector<std::uint32_t> documents, sets;

	Counted(const std::vector<std::string> &texts, std::uint32_t least, const WinnowOptions &options)
	{
		std::map<std::uint64_t, std::vector<std::uint64_t>> windows;
		for (const std::string &text : texts)
			for (const std::uint64_t hash : window_hashes(text, options))
				windows[hash].push_back(document_hash(text));
		for (const auto &[hash, in] : windows)
			if (in.size() >= least) {
				hashes.push_back(hash);
				owners.push_back(*std::min_element(in.begin(), in.end()));
				documents.push_back(static_cast<std::uint32_t>(in.size()));
				sets.push_back(0);
				for (const std::uint64_t document : in)
					sets.back() += set_member(document);
			}
	}
	FrequentWindows view() const { return {hashes, documents, sets, owners}; }
};

// Every reading has another order, unless `random` is missing. The passages are sorted.
std::vector<Passage> passages_of(const std::vector<Document> &documents, std::uint32_t least,
	const WinnowOptions &options, SplitMix64 *random = nullptr)
{
	std::vector<std::string> texts;
	for (const Document &document : documents)
		texts.push_back(text_of(document, 0, document.size()));
	const Counted counted(texts, least, options);
	FrequentPassages finder(counted.view(), least, options);
	const auto shuffle = [&] {
		for (std::size_t i = texts.size(); random != nullptr && i > 1; --i)
			std::swap(texts[i - 1], texts[random->below(i)]);
	};
	shuffle();
	for (const std::string &text : texts)
		finder.find(text);
	finder.end_reading();
	shuffle();
	for (const std::string &text : texts)
		finder.count(text);
	shuffle();
	std::vector<Passage> found;
	for (const std::string &text : texts) {
		const Document read = words(std::string_view(text).substr(1));
		for (const FoundPassage &passage : finder.passages(text)) {
			const std::uint32_t n = passage.windows + options.guarantee - 1;
			found.push_back({text_of(read, passage.first, n), n, passage.documents});
		}
	}
	finder.end_reading();
	std::sort(found.begin(), found.end());
	return found;
}

void append(Document &to, const Document &from) { to.insert(to.end(), from.begin(), from.end()); }

std::uint32_t documents_with(const std::vector<Document> &documents, const std::string &text)
{
	std::uint32_t n = 0;
	for (const Document &document : documents)
		n += text_of(document, 0, document.size()).find(text) != std::string::npos;
	return n;
}

} // namespace

// Each passage occurs in exactly as many documents as it says, at least in as many as asked, and every run of
// `guarantee` words that so many documents have is in one. The same documents in another order have the same passages.
TEST(frequent_passages_are_what_they_say)
{
	SplitMix64 random(11);
	unsigned found_parts = 0, found_passages = 0;
	for (std::size_t round = 0; round < by_length(600, 120); ++round) {
		WinnowOptions options;
		options.guarantee = static_cast<std::uint32_t>(1 + random.below(9));
		const std::uint64_t kinds = 1 + random.below(round % 3 == 0 ? 4 : 30);
		std::vector<Document> pieces(1 + random.below(5)), documents(2 + random.below(14));
		for (Document &piece : pieces)
			for (std::uint64_t n = random.below(25); n > 0; --n)
				piece.push_back("p" + std::to_string(random.below(kinds)));
		for (Document &document : documents)
			for (std::uint64_t n = random.below(6); n > 0; --n) {
				if (random.below(3) == 0)
					document.push_back("own" + std::to_string(random.below(1000)));
				append(document, pieces[random.below(pieces.size())]);
			}
		const auto least = static_cast<std::uint32_t>(1 + random.below(5));
		const std::vector<Passage> passages = passages_of(documents, least, options);
		CHECK_EQ(passages_of(documents, least, options, &random) == passages, true, round);
		std::set<std::string> texts;
		for (const Passage &passage : passages) {
			CHECK_EQ(passage.documents, documents_with(documents, passage.text), passage.text);
			CHECK_EQ(passage.documents >= least && passage.words >= options.guarantee, true, passage.text);
			CHECK_EQ(texts.insert(passage.text).second, true, passage.text);
			found_parts += passage.words == options.guarantee;
			++found_passages;
		}
		for (const Document &document : documents)
			for (std::size_t i = 0; i + options.guarantee <= document.size(); ++i) {
				const std::string window = text_of(document, i, options.guarantee);
				const bool is_in_one = std::any_of(texts.begin(), texts.end(),
					[&](const std::string &text) { return text.find(window) != std::string::npos; });
				CHECK_EQ(is_in_one, documents_with(documents, window) >= least, window);
			}
	}
	CHECK_EQ(
		found_passages > by_length(1000, 200) && found_parts > by_length(100, 20), true, found_passages, found_parts);
}

TEST(frequent_passages_are_cut_where_documents_differ)
{
	const Document before = words("the fee for a copy of this paper in any form is"),
				   after = words("euros and is to be paid to the society before the end of the year");
	std::vector<Document> documents;
	for (int i = 0; i < 12; ++i) {
		documents.push_back(before);
		documents.back().push_back(std::to_string(i + 100));
		append(documents.back(), after);
	}
	const std::vector<Passage> passages = passages_of(documents, 10, {});
	CHECK_EQ(passages.size(), 2);
	CHECK_EQ(passages[0].text, text_of(after, 0, after.size()));
	CHECK_EQ(passages[1].text, text_of(before, 0, before.size()));
	CHECK_EQ(passages[0].documents, 12);
}

// Two templates meet in one document only.
TEST(frequent_passages_that_meet_in_one_document_are_two)
{
	WinnowOptions options;
	options.guarantee = 4;
	const Document a = words("a b c d e f g h"), b = words("i j k l m n o p");
	Document both = a;
	append(both, b);
	std::vector<Document> documents = {both};
	for (int i = 0; i < 3; ++i) {
		documents.push_back(a);
		documents.push_back(b);
	}
	const std::vector<Passage> passages = passages_of(documents, 3, options);
	CHECK_EQ(passages.size(), 2);
	CHECK_EQ(passages[0].text, text_of(a, 0, 8));
	CHECK_EQ(passages[1].text, text_of(b, 0, 8));
	CHECK_EQ(passages[1].documents, 4);
}

// The document in which they meet is the owner of all their windows, and others have the place where they meet: its run
// is cut into parts, which are returned whole.
TEST(frequent_passages_are_parts_of_what_their_owner_has)
{
	WinnowOptions options;
	options.guarantee = 4;
	const Document a = words("a b c d e f g h"), b = words("i j k l m n o p"), meeting = words("f g h i j k");
	Document both;
	const auto hash_of = [](const Document &document) { return document_hash(text_of(document, 0, document.size())); };
	for (int i = 0; both.empty() || hash_of(both) > std::min({hash_of(a), hash_of(b), hash_of(meeting)}); ++i) {
		both = {"own" + std::to_string(i)};
		append(both, a);
		append(both, b);
	}
	for (const bool is_first : {true, false}) {
		const std::vector<Passage> passages =
			passages_of({is_first ? both : a, meeting, b, b, is_first ? a : both, meeting, a}, 3, options);
		CHECK_EQ(passages.size(), 3);
		CHECK_EQ(passages[0].text, text_of(a, 0, 8));
		CHECK_EQ(passages[1].text, text_of(meeting, 0, 6));
		CHECK_EQ(passages[2].text, text_of(b, 0, 8));
		for (const Passage &passage : passages)
			CHECK_EQ(passage.documents, 3);
	}
}

// Runs that overlap in many ways: which one is returned must not depend on what is read first. Copies, and texts with
// the same words in other spelling, are among the documents.
TEST(frequent_passages_of_documents_in_any_order)
{
	SplitMix64 random(5);
	WinnowOptions options;
	options.guarantee = 3;
	std::vector<Document> documents;
	for (int i = 0; i < 60; ++i) {
		const std::uint64_t first = random.below(40), count = 3 + random.below(30);
		Document document;
		for (std::uint64_t word = first; word < first + count; ++word)
			document.push_back((i % 5 == 0 ? "W" : "w") + std::to_string(random.below(25) == 0 ? 900 + i : word));
		documents.push_back(document);
		if (i % 7 == 0)
			documents.push_back(document);
	}
	for (const std::uint32_t least : {2u, 4u, 9u}) {
		const std::vector<Passage> expected = passages_of(documents, least, options);
		CHECK_EQ(expected.size() > 10, true, expected.size());
		for (std::size_t round = 0; round < by_length(200, 70); ++round)
			CHECK_EQ(passages_of(documents, least, options, &random) == expected, true, round);
	}
}

TEST(frequent_passages_of_other_rows)
{
	const std::string text = "one two three four five six seven eight nine ten eleven twelve";
	const WinnowOptions options;
	const Counted counted({text, text}, 2, options);
	CHECK_EQ(counted.hashes.size(), 1);
	const auto message = [&](std::vector<std::string> found, std::vector<std::string> returned) -> std::string {
		FrequentPassages finder(counted.view(), 2, options);
		try {
			for (const std::string &document : found)
				finder.find(document);
			finder.end_reading();
			for (const std::string &document : returned)
				finder.passages(document);
			finder.end_reading();
		} catch (const Error &error) {
			return error.what();
		}
		return "";
	};
	const std::string other = "the query returned other rows when it ran again";
	CHECK_EQ(message({text}, {text, text}), "");
	CHECK_EQ(message({"no such words"}, {text}), other);
	CHECK_EQ(message({text}, {"no such words"}), other);
	CHECK_EQ(window_hashes("", options).size(), 0);
	CHECK_EQ(window_hashes("one two three", options).size(), 0);
}
