#include "core/compare/lossless.hpp"

#include <algorithm>
#include <vector>

#include "core/compare/closed_words.hpp"

namespace txtfp::core {

namespace {

class Embedding {
public:
	Embedding(const Statements &a, const Statements &b, const ComparedTexts &words, StopToken stop)
		: a_(a), b_(b), words_(words), stop_(stop), budget_(128 * (a.tokens.size() + b.tokens.size()) + 4096),
		  seen_(words.distinct())
	{
	}

	bool exists()
	{
		if (a_.tokens.empty())
			return true;
		std::uint32_t found = 0;
		for (std::uint32_t first = 0; first < b_.list.size() && found < most_beginnings; ++first) {
			std::uint32_t at;
			if (!stands_at(0, b_.list[first].begin, at))
				continue;
			++found;
			if (may_begin_at(first) && follows(at))
				return true;
		}
		return false;
	}

private:
	static constexpr std::uint32_t most_beginnings = 16; // places of the first statement that are tried

	// True if statement k stands in b from the token `from` on; `to` is where it ends.
	bool stands_at(std::uint32_t k, std::uint32_t from, std::uint32_t &to)
	{
		const Statement &statement = a_.list[k];
		std::uint32_t at = statement.begin;
		to = from;
		while (at < statement.end && to < b_.tokens.size() && a_.tokens[at] == b_.tokens[to])
			++at, ++to, spend();
		spend();
		if (at == statement.end) {
			// A full stop more, where a has the end of a line or of the text.
			const bool ends = k + 1 == a_.list.size() || a_.list[k + 1].before >= Break::line;
			if (ends && !begins_at(to) && is_stop(b_.tokens[to]) && begins_at(to + 1))
				++to;
			return true;
		}
		// Or a full stop less, where b has it.
		return at + 1 == statement.end && is_stop(a_.tokens[at]) && ends_line(to);
	}

	// True if the other statements stand behind the first one, which ends at `at`.
	bool follows(std::uint32_t at)
	{
		for (std::uint32_t k = 1; k < a_.list.size(); ++k) {
			std::uint32_t to;
			if (stands_at(k, at, to)) {
				at = to;
				continue;
			}
			if (!begins_at(at))
				return false;
			const std::uint32_t from = statement_at(at);
			std::uint32_t next = from + 1;
			while (next < b_.list.size() && !stands_at(k, b_.list[next].begin, to))
				if (spend(); budget_ == 0 || ++next == b_.list.size())
					return false;
			if (next >= b_.list.size() || budget_ == 0 || !may_lie_between(from, next, k))
				return false;
			at = to;
		}
		return begins_at(at);
	}

	// May the statements of b before `first` stand before all of a?
	bool may_begin_at(std::uint32_t first) const
	{
		if (first == 0)
			return true;
		const Statement &before = b_.list[first - 1];
		return !before.introduces && !(before.is_heading && a_.list[0].is_item);
	}

	// May the statements [from, to) of b stand between the statements k − 1 and k of a?
	bool may_lie_between(std::uint32_t from, std::uint32_t to, std::uint32_t k)
	{
		const bool same_paragraph = a_.list[k].before < Break::paragraph;
		if (same_paragraph && refers_back(k))
			return false;
		for (std::uint32_t i = from; i < to; ++i) {
			const Statement &between = b_.list[i];
			spend();
			if (between.is_heading || between.introduces || resembles(between, a_.list[k - 1]) ||
				resembles(between, a_.list[k]))
				return false;
		}
		return true;
	}

	bool refers_back(std::uint32_t k) const
	{
		const std::uint32_t first = a_.tokens[a_.list[k].begin];
		return (first & mark_bit) == 0 && is_reference(words_.canonical(first));
	}

	// True if half of the words of one of them are in the other one, too, or both have few.
	bool resembles(const Statement &in_b, const Statement &in_a)
	{
		std::uint32_t x = 0, y = 0, both = 0;
		for_each_word(b_, in_b, [&](std::uint32_t word) { ++x, ++seen_[word]; });
		for_each_word(a_, in_a, [&](std::uint32_t word) {
			++y;
			if (seen_[word] > 0)
				--seen_[word], ++both;
		});
		for_each_word(b_, in_b, [&](std::uint32_t word) { seen_[word] = 0; });
		return std::max(x, y) <= 3 || 2 * both >= std::min(x, y);
	}
	template <class Fn> void for_each_word(const Statements &text, const Statement &statement, Fn fn)
	{
		for (std::uint32_t i = statement.begin; i < statement.end; ++i) {
			spend();
			if ((text.tokens[i] & mark_bit) == 0)
				fn(text.tokens[i]);
		}
	}

	// The statement of b that begins at the token or contains it.
	std::uint32_t statement_at(std::uint32_t token) const
	{
		const auto after = std::upper_bound(b_.list.begin(), b_.list.end(), token,
			[](std::uint32_t value, const Statement &statement) { return value < statement.begin; });
		return static_cast<std::uint32_t>(after - b_.list.begin()) - 1;
	}
	bool begins_at(std::uint32_t token) const
	{
		return token == b_.tokens.size() || b_.list[statement_at(token)].begin == token;
	}
	bool ends_line(std::uint32_t token) const
	{
		return token == b_.tokens.size() || (begins_at(token) && b_.list[statement_at(token)].before >= Break::line);
	}
	static bool is_stop(std::uint32_t token) noexcept
	{
		return token == (mark_bit | '.') || token == (mark_bit | 0x3002) || token == (mark_bit | 0x964) ||
			token == (mark_bit | 0x6D4);
	}

	// One step
	void spend()
	{
		budget_ -= budget_ > 0 ? 1 : 0;
		if ((++spent_ & 0xFFF) == 0)
			stop_.check();
	}

	const Statements &a_, &b_;
	const ComparedTexts &words_;
	StopToken stop_;
	std::uint64_t budget_; // tokens that may be compared: texts that repeat themselves would take quadratic time
	std::uint32_t spent_ = 0;
	std::vector<std::uint32_t> seen_; // of each word, in one statement; otherwise 0
};

} // namespace

bool stands_in(const Statements &a, const Statements &b, const ComparedTexts &words, StopToken stop)
{
	return Embedding(a, b, words, stop).exists();
}

bool has_all_of(std::string_view b, std::string_view a, StopToken stop)
{
	const ComparedTexts words(a, b, CanonicalOptions{}, Segmenter::word, stop);
	if (words.a().count() > words.b().count())
		return false;
	return stands_in(Statements(words.a(), stop), Statements(words.b(), stop), words, stop);
}

} // namespace txtfp::core
