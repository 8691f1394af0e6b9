// Two texts as words, and which of these correspond: the smallest number of words is left over (sequence_alignment.hpp
// says up to which size). Words are the tokens of a segmenter in the texts as given, with format controls within them.
// They are equal if their canonical forms are, where apostrophes count by any of their characters, variation selectors
// not at all, and numeric characters other than digits by themselves: 10² is not 102.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/compare/sequence_alignment.hpp"
#include "core/compare/word_numbers.hpp"
#include "core/text/canonical.hpp"
#include "core/text/tokens.hpp"

namespace txtfp::core {

// The words of one text, and what stands between them: gap i lies before word i, the last one behind all words.
class TextWords {
public:
	std::string_view text;
	struct Place {
		std::uint32_t begin, end;
	};
	std::vector<Place> places;
	std::vector<std::uint32_t> numbers; // of the canonical forms; the same for both texts

	std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(places.size()); }
	std::string_view word(std::uint32_t i) const noexcept { return between(places[i].begin, places[i].end); }
	std::uint32_t gap_begin(std::uint32_t i) const noexcept { return i == 0 ? 0 : places[i - 1].end; }
	std::uint32_t gap_end(std::uint32_t i) const noexcept
	{
		return i == count() ? static_cast<std::uint32_t>(text.size()) : places[i].begin;
	}
	std::string_view gap(std::uint32_t i) const noexcept { return between(gap_begin(i), gap_end(i)); }
	std::string_view between(std::uint32_t begin, std::uint32_t end) const noexcept
	{
		return text.substr(begin, end - begin);
	}
};

// Two texts as words, equal words by equal numbers.
class ComparedTexts {
public:
	// a and b are valid UTF-8 and must outlive the object. Throws Error(too_large) from 2^31 bytes on.
	ComparedTexts(std::string_view a, std::string_view b, const CanonicalOptions &canonical, Segmenter segmenter,
		StopToken stop = {});

	const TextWords &a() const noexcept { return a_; }
	const TextWords &b() const noexcept { return b_; }
	std::string_view canonical(std::uint32_t number) const noexcept { return numbers_.word(number); }
	std::size_t distinct() const noexcept { return numbers_.size(); }

private:
	class Reader;
	std::string_view keep(std::string_view bytes);

	TextWords a_, b_;
	WordNumbers numbers_;
	std::vector<std::unique_ptr<char[]>> kept_; // canonical forms that the texts do not have
	std::size_t free_ = 0;                      // bytes at the end of the last of them
};

class AlignedWords : public ComparedTexts {
public:
	AlignedWords(std::string_view a, std::string_view b, const CanonicalOptions &canonical, Segmenter segmenter,
		StopToken stop = {})
		: AlignedWords(ComparedTexts(a, b, canonical, segmenter, stop), stop)
	{
	}
	explicit AlignedWords(ComparedTexts &&texts, StopToken stop = {})
		: ComparedTexts(std::move(texts)), runs_(align(a().numbers, b().numbers, stop))
	{
	}

	const std::vector<MatchedRun> &runs() const noexcept { return runs_; }

	// Calls fn(a0, a1, b0, b1) for the words before, between and behind the runs, also where there are none: the gap a1
	// lies before the next matched word or at the end.
	template <class Fn> void for_each_rest(Fn fn) const
	{
		auto run = runs_.begin();
		for_each_part([&](std::uint32_t a0, std::uint32_t a1, std::uint32_t b0, std::uint32_t b1) {
			fn(a0, a1, b0, b1);
			for (std::uint32_t i = 1; run != runs_.end() && i < run->length; ++i)
				fn(run->a + i, run->a + i, run->b + i, run->b + i);
			run += run != runs_.end();
		});
	}

	// The same without the words within the runs.
	template <class Fn> void for_each_part(Fn fn) const
	{
		std::uint32_t in_a = 0, in_b = 0;
		for (const MatchedRun &run : runs_) {
			fn(in_a, run.a, in_b, run.b);
			in_a = run.a + run.length;
			in_b = run.b + run.length;
		}
		fn(in_a, a().count(), in_b, b().count());
	}

private:
	std::vector<MatchedRun> runs_;
};

} // namespace txtfp::core
