#include "core/passages/frequent_passages.hpp"

#include <algorithm>
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

struct Passage {
	std::string text;
	std::uint32_t words, documents;
};

std::vector<Passage> passages_of(
	const std::vector<Document> &documents, std::uint32_t least, const WinnowOptions &options)
{
	std::map<std::uint64_t, std::vector<std::uint32_t>> windows;
	for (std::uint32_t i = 0; i < documents.size(); ++i)
		for (const std::uint64_t hash : window_hashes(text_of(documents[i], 0, documents[i].size()), options))
			windows[hash].push_back(i);
	std::vector<std::uint64_t> hashes;
	std::vector<std::uint32_t> counts, sets;
	for (const auto &[hash, in] : windows)
		if (in.size() >= least) {
			hashes.push_back(hash);
			counts.push_back(static_cast<std::uint32_t>(in.size()));
			sets.push_back(0);
			for (const std::uint32_t document : in)
				sets.back() += set_member(document);
		}
	FrequentPassages finder({hashes, counts, sets}, least, options);
	for (const Document &document : documents)
		finder.count(text_of(document, 0, document.size()));
	std::vector<Passage> found;
	for (const Document &document : documents)
		for (const FoundPassage &passage : finder.passages(text_of(document, 0, document.size()))) {
			const std::uint32_t words = passage.windows + options.guarantee - 1;
			found.push_back({text_of(document, passage.first, words), words, passage.documents});
		}
	return found;
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

void append(Document &to, const Document &from) { to.insert(to.end(), from.begin(), from.end()); }

std::uint32_t documents_with(const std::vector<Document> &documents, const std::string &text)
{
	std::uint32_t n = 0;
	for (const Document &document : documents)
		n += text_of(document, 0, document.size()).find(text) != std::string::npos;
	return n;
}

} // namespace

// Each passage occurs in exactly as many documents as it says, at least in as many as asked, and every run of `guarantee` words that so many
// documents have is in one.
TEST(frequent_passages_are_what_they_say)
{
	SplitMix64 random(11);
	unsigned found_parts = 0, found_passages = 0;
	for (int round = 0; round < 600; ++round) {
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
		std::set<std::string> texts;
		for (const Passage &passage : passages) {
			CHECK_EQ(passage.documents, documents_with(documents, passage.text), passage.text);
			CHECK_EQ(passage.documents >= least && passage.words >= options.guarantee, true, passage.text);
			texts.insert(passage.text);
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
	CHECK_EQ(found_passages > 1000 && found_parts > 100, true, found_passages, found_parts);
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
	CHECK_EQ(passages[0].text, text_of(before, 0, before.size()));
	CHECK_EQ(passages[1].text, text_of(after, 0, after.size()));
	CHECK_EQ(passages[0].documents, 12);
}

// Two templates overlap in one document only, the first that is read.
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

TEST(frequent_passages_of_other_rows)
{
	const std::string text = "one two three four five six seven eight nine ten eleven twelve";
	const WinnowOptions options;
	const std::vector<std::uint64_t> hashes = window_hashes(text, options);
	CHECK_EQ(hashes.size(), 1);
	const std::vector<std::uint32_t> counts = {2}, sets = {set_member(0) + set_member(1)};
	FrequentPassages finder({hashes, counts, sets}, 2, options);
	finder.count("no such words");
	std::string message;
	try {
		finder.passages(text);
	} catch (const Error &error) {
		message = error.what();
	}
	CHECK_EQ(message, "the query returned other rows when it ran again");
	CHECK_EQ(window_hashes("", options).size(), 0);
	CHECK_EQ(window_hashes("one two three", options).size(), 0);
}
