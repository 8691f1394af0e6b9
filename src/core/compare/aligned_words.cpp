#include "core/compare/aligned_words.hpp"

#include <algorithm>
#include <cstring>

#include "core/compare/word_traits.hpp"
#include "core/text/unicode_tables.hpp"

namespace txtfp::core {

namespace {

enum class Form { same, ascii, other }; // canonical already; ASCII with capitals; for the canonicalizer

Form form_of(std::string_view word, const CanonicalOptions &canonical) noexcept
{
	if (canonical.confusable)
		return Form::other;
	unsigned char all = 0;
	bool capital = false;
	for (const char c : word) {
		all |= static_cast<unsigned char>(c);
		capital |= c >= 'A' && c <= 'Z';
	}
	if (all >= 0x80)
		return Form::other;
	return capital && canonical.case_fold ? Form::ascii : Form::same;
}

bool is_all_invisible(std::string_view gap) noexcept
{
	bool all = !gap.empty();
	for_each_character(gap, [&](char32_t c) { all = all && is_invisible(c); });
	return all;
}

// Folds what the canonical form keeps although it is only spelled otherwise.
void fold_spelling(std::string &word)
{
	std::size_t to = 0;
	for (std::size_t at = 0; at < word.size();) {
		const Decoded c = decode(word.data() + at, word.data() + word.size());
		if (const char quote = folded_quote(c.code_point); quote != 0)
			word[to++] = quote;
		else if (!is_invisible(c.code_point))
			for (unsigned i = 0; i < c.length; ++i)
				word[to++] = word[at + i];
		at += c.length;
	}
	word.resize(to);
}

// Appends the numeric characters that are no digits and that the canonical form turns into digits. No word has a U+001F.
void keep_numeric(std::string_view word, std::string &folded)
{
	for (std::size_t at = 0; at < word.size();) {
		const Decoded c = decode(word.data() + at, word.data() + word.size());
		if (c.code_point >= 0x80 && is_other_number(c.code_point))
			folded.append("\x1F").append(word.substr(at, c.length));
		at += c.length;
	}
}

// Bytes at the beginning and at the end that both texts have, up to where words are divided whatever stands on the other
// side: between a space and an ASCII letter or digit. They do not overlap.
struct SharedEnds {
	std::size_t first, last;
};
SharedEnds shared_ends(std::string_view a, std::string_view b) noexcept
{
	const auto divides = [a](std::size_t at) {
		const char c = at < a.size() ? a[at] : '\0';
		return at > 0 && a[at - 1] == ' ' &&
			((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'));
	};
	const std::size_t most = std::min(a.size(), b.size());
	SharedEnds ends{0, 0};
	while (ends.first < most && a[ends.first] == b[ends.first])
		++ends.first;
	while (ends.last < most - ends.first && a[a.size() - ends.last - 1] == b[b.size() - ends.last - 1])
		++ends.last;
	// The letter must be shared, too, and so must the space.
	do {
		ends.first -= ends.first > 0 ? 1 : 0;
	} while (ends.first > 0 && !divides(ends.first));
	do {
		ends.last -= ends.last > 0 ? 1 : 0;
	} while (ends.last > 0 && !divides(a.size() - ends.last));
	return ends;
}

} // namespace

class ComparedTexts::Reader {
public:
	Reader(ComparedTexts &texts, TextWords &words, std::string_view text, const CanonicalOptions &canonical,
		StopToken stop)
		: texts_(texts), words_(words), canonical_(canonical), stop_(stop)
	{
		words.text = text;
		words.places.reserve(text.size() / 6 + 1);
		words.numbers.reserve(text.size() / 6 + 1);
	}

	void read(Segmenter segmenter) { read_part(0, words_.text.size(), segmenter); }

	// The same, with the words of the other text where both have the same bytes.
	void read(const TextWords &other)
	{
		const SharedEnds ends = shared_ends(other.text, words_.text);
		const std::size_t end = words_.text.size() - ends.last, other_end = other.text.size() - ends.last;
		std::size_t i = 0;
		for (; i < other.count() && other.places[i].end <= ends.first; ++i)
			add(other.places[i], other.numbers[i]);
		read_part(ends.first, end, Segmenter::word);
		const auto at = std::lower_bound(other.places.begin() + static_cast<std::ptrdiff_t>(i), other.places.end(),
			other_end, [](const TextWords::Place &place, std::size_t byte) { return place.begin < byte; });
		for (i = static_cast<std::size_t>(at - other.places.begin()); i < other.count(); ++i) {
			const auto moved = [&](std::size_t byte) { return static_cast<std::uint32_t>(byte - other_end + end); };
			add({moved(other.places[i].begin), moved(other.places[i].end)}, other.numbers[i]);
		}
	}

private:
	void add(TextWords::Place place, std::uint32_t number)
	{
		words_.places.push_back(place);
		words_.numbers.push_back(number);
	}

	void read_part(std::size_t begin, std::size_t end, Segmenter segmenter)
	{
		const auto byte = [=](std::size_t at) { return static_cast<std::uint32_t>(begin + at); };
		for_each_word(words_.text.substr(begin, end - begin), segmenter, stop_, [&](WordRange range) {
			TextWords::Place place{byte(range.start), byte(range.end)};
			if (segmenter == Segmenter::word && continues(place)) {
				place.begin = words_.places.back().begin;
				words_.places.pop_back();
				words_.numbers.pop_back();
			}
			add(place, number_of(words_.between(place.begin, place.end)));
		});
	}

	// True if only format controls lie between the last word and this one, and without them both would be one.
	bool continues(const TextWords::Place &place)
	{
		if (words_.places.empty() || words_.places.back().end == place.begin ||
			static_cast<unsigned char>(words_.text[words_.places.back().end]) < 0x80 ||
			!is_all_invisible(words_.between(words_.places.back().end, place.begin)))
			return false;
		std::string both(words_.between(words_.places.back().begin, place.end));
		fold_spelling(both);
		return next_word(both, 0, true).end == both.size();
	}

	std::uint32_t number_of(std::string_view word)
	{
		const Form form = form_of(word, canonical_);
		if (form == Form::same)
			return texts_.numbers_.add(word);
		if (form == Form::ascii) {
			folded_.assign(word);
			for (char &c : folded_)
				c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
		} else {
			folded_.assign(canonicalize(word, canonical_, stop_));
			fold_spelling(folded_);
			keep_numeric(word, folded_);
		}
		return texts_.numbers_.add(folded_, [this](std::string_view bytes) { return texts_.keep(bytes); });
	}

	ComparedTexts &texts_;
	TextWords &words_;
	const CanonicalOptions &canonical_;
	StopToken stop_;
	std::string folded_;
};

ComparedTexts::ComparedTexts(
	std::string_view a, std::string_view b, const CanonicalOptions &canonical, Segmenter segmenter, StopToken stop)
{
	constexpr std::size_t most = std::size_t{1} << 31;
	if (a.size() >= most || b.size() >= most)
		throw Error(ErrorKind::too_large, "text is too long to be compared word by word");
	Reader(*this, a_, a, canonical, stop).read(segmenter);
	Reader reader(*this, b_, b, canonical, stop);
	if (segmenter == Segmenter::word)
		reader.read(a_);
	else
		reader.read(segmenter);
}

std::string_view ComparedTexts::keep(std::string_view bytes)
{
	constexpr std::size_t block = 4096;
	if (bytes.empty()) // a word of format controls only
		return {};
	if (bytes.size() > block) {
		kept_.emplace_back(new char[bytes.size()]);
		free_ = 0;
		std::memcpy(kept_.back().get(), bytes.data(), bytes.size());
		return {kept_.back().get(), bytes.size()};
	}
	if (free_ < bytes.size()) {
		kept_.emplace_back(new char[block]);
		free_ = block;
	}
	char *to = kept_.back().get() + (block - free_);
	std::memcpy(to, bytes.data(), bytes.size());
	free_ -= bytes.size();
	return {to, bytes.size()};
}

} // namespace txtfp::core
