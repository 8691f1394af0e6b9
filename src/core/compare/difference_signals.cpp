#include "core/compare/difference_signals.hpp"

#include <algorithm>
#include <iterator>

#include "core/compare/changed_statements.hpp"
#include "core/compare/closed_words.hpp"
#include "core/compare/corpus_signals.hpp"
#include "core/compare/text_measures.hpp"
#include "core/compare/word_traits.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::core {

namespace {

constexpr std::string_view signal_names[] = {"removed_words", "kept_words", "shared", "edits", "two_sided",
	"two_sided_words", "longest_removed", "longest_kept", "new_removed", "new_kept", "new_both", "repeated",
	"respelled", "numbers_removed", "numbers_kept", "names_removed", "names_kept", "numbers_both", "names_both",
	"symbols", "scope", "short_words", "first_line_removed", "first_line_kept", "last_line_removed", "last_line_kept",
	"first_edit", "last_edit", "contained", "moved", "layout", "neighbours", "kept_neighbours", "changed_removed",
	"changed_kept", "changed_numbers", "changed_names", "whole", "weighted_shared", "weighted_removed", "weighted_kept",
	"weighted_cosine", "line_shared", "line_removed", "line_kept", "rarest_common", "rarest_removed", "rarest_kept",
	"second_common", "second_removed", "second_kept", "rare_code_common", "rare_code_removed", "rare_code_kept",
	"codes_common", "codes_inside", "codes_removed", "codes_kept", "trigrams", "quantities_common",
	"quantities_removed", "quantities_kept", "shape", "quoted_removed", "quoted_kept"};
static_assert(std::size(signal_names) == signal_count);

// True if one letter, or two of eight or more, distinguish the words at one place. The longer one has four or more.
bool is_respelled(std::string_view a, std::string_view b) noexcept
{
	const WordDifference rest = difference_of_words(a, b);
	return rest.longest >= 4 && std::max(rest.in_a, rest.in_b) <= (rest.longest >= 8 ? 2 : 1);
}

// For each number of a word, how often either text has it.
class Counts {
public:
	explicit Counts(const AlignedWords &words) : in_a_(words.distinct()), in_b_(words.distinct())
	{
		for (const std::uint32_t number : words.a().numbers)
			++in_a_[number];
		for (const std::uint32_t number : words.b().numbers)
			++in_b_[number];
	}
	bool only_a(std::uint32_t number) const noexcept { return in_b_[number] == 0; }
	bool only_b(std::uint32_t number) const noexcept { return in_a_[number] == 0; }
	bool b_has(std::uint32_t number) const noexcept { return in_b_[number] > 0; }

private:
	std::vector<std::uint32_t> in_a_, in_b_;
};

class SignalReader {
public:
	SignalReader(const AlignedWords &words, StopToken stop)
		: words_(words), a_(words.a()), b_(words.b()), counts_(words), stop_(stop), first_a_(first_line(a_)),
		  first_b_(first_line(b_))
	{
	}

	GuardSignals read()
	{
		signals_.fill(-1);
		std::fill_n(signals_.begin(), static_cast<std::size_t>(Signal::whole) + 1, 0);
		set(Signal::removed_words, a_.count());
		set(Signal::kept_words, b_.count());
		read_parts();
		set(Signal::repeated, repeated());
		read_new(a_, &Counts::only_a, Signal::new_removed, Signal::numbers_removed, Signal::names_removed);
		read_new(b_, &Counts::only_b, Signal::new_kept, Signal::numbers_kept, Signal::names_kept);
		smaller(Signal::new_both, Signal::new_removed, Signal::new_kept);
		smaller(Signal::numbers_both, Signal::numbers_removed, Signal::numbers_kept);
		smaller(Signal::names_both, Signal::names_removed, Signal::names_kept);
		set(Signal::contained, a_.count() == 0 ? 1 : run_overlap(a_, b_, 3).containment_of_a());
		stop_.check();
		read_changes();
		read_lines();
		set(Signal::neighbours, -1);
		set(Signal::kept_neighbours, -1);
		return {signals_, doubts_};
	}

private:
	double &at(Signal signal) noexcept { return signals_[static_cast<std::size_t>(signal)]; }
	void set(Signal signal, double value) noexcept { at(signal) = value; }
	void raise(Signal signal, double value) noexcept { at(signal) = std::max(at(signal), value); }

	void smaller(Signal of, Signal x, Signal y) noexcept { set(of, std::min(at(x), at(y))); }

	void read_parts()
	{
		std::uint32_t matched = 0, first = a_.count(), last = 0;
		bool any = false;
		words_.for_each_part([&](std::uint32_t a0, std::uint32_t a1, std::uint32_t b0, std::uint32_t b1) {
			stop_.check();
			if (a0 == a1 && b0 == b1) {
				at(Signal::layout) += a_.gap(a1) != b_.gap(b1);
				return;
			}
			if (!any)
				first = a0;
			any = true;
			last = a1;
			read_part(a0, a1, b0, b1);
		});
		for (const MatchedRun &run : words_.runs()) {
			matched += run.length;
			read_layout(run);
		}
		const double all = static_cast<double>(a_.count()) + b_.count(), n = std::max(1u, a_.count());
		set(Signal::shared, all == 0 ? 1 : 2 * matched / all);
		set(Signal::first_edit, any ? first / n : 1);
		set(Signal::last_edit, any ? (a_.count() - last) / n : 1);
	}

	void read_layout(const MatchedRun &run)
	{
		const std::uint32_t a_end = run.a + run.length, b_end = run.b + run.length;
		if (a_.between(a_.places[run.a].begin, a_.places[a_end - 1].end) ==
			b_.between(b_.places[run.b].begin, b_.places[b_end - 1].end))
			return;
		for (std::uint32_t i = run.a, j = run.b; i < a_end; ++i, ++j) {
			at(Signal::layout) += a_.word(i) != b_.word(j);
			at(Signal::layout) += i > run.a && a_.gap(i) != b_.gap(j);
			if ((i & 0xFFF) == 0)
				stop_.check();
		}
	}

	void read_part(std::uint32_t a0, std::uint32_t a1, std::uint32_t b0, std::uint32_t b1)
	{
		at(Signal::first_line_removed) += std::max(std::min(a1, first_a_), a0) - a0;
		at(Signal::first_line_kept) += std::max(std::min(b1, first_b_), b0) - b0;
		++at(Signal::edits);
		raise(Signal::longest_removed, a1 - a0);
		raise(Signal::longest_kept, b1 - b0);
		for (std::uint32_t i = a0; i < a1; ++i) {
			at(Signal::moved) += counts_.b_has(a_.numbers[i]);
			read_small_word(a_, i);
		}
		for (std::uint32_t i = b0; i < b1; ++i)
			read_small_word(b_, i);
		if (a0 == a1 || b0 == b1)
			return;
		++at(Signal::two_sided);
		at(Signal::two_sided_words) += std::min(a1 - a0, b1 - b0);
		std::uint64_t hash = a1 - a0;
		for (std::uint32_t i = a0; i < a1; ++i)
			hash = table_mix(hash, a_.numbers[i]);
		for (std::uint32_t i = b0; i < b1; ++i)
			hash = table_mix(hash, b_.numbers[i]);
		replacements_.push_back(hash);
		if (a1 - a0 == 1 && b1 - b0 == 1 && kind_of_word(a_, a0) != DifferenceKind::number &&
			kind_of_word(b_, b0) != DifferenceKind::number)
			at(Signal::respelled) += is_respelled(words_.canonical(a_.numbers[a0]), words_.canonical(b_.numbers[b0]));
	}

	void read_small_word(const TextWords &text, std::uint32_t i)
	{
		const std::string_view word = words_.canonical(text.numbers[i]);
		if (count_characters(word) <= 3 && !is_scope_word(text, i, word) && kind_of_word(text, i) == DifferenceKind::word)
			++at(Signal::short_words);
	}

	double repeated()
	{
		std::sort(replacements_.begin(), replacements_.end());
		const auto end = std::unique(replacements_.begin(), replacements_.end());
		return static_cast<double>(replacements_.end() - end);
	}

	void read_new(const TextWords &text, bool (Counts::*is_new)(std::uint32_t) const noexcept, Signal all,
		Signal numbers, Signal names)
	{
		std::vector<bool> seen(words_.distinct());
		for (std::uint32_t i = 0; i < text.count(); ++i) {
			const std::uint32_t number = text.numbers[i];
			if (!(counts_.*is_new)(number) || seen[number])
				continue;
			seen[number] = true;
			++at(all);
			const DifferenceKind kind = kind_of_word(text, i);
			at(numbers) += kind == DifferenceKind::number;
			at(names) += kind == DifferenceKind::name;
		}
		stop_.check();
	}

	void read_changes()
	{
		const ChangedStatements changes = changed_statements(words_, stop_);
		set(Signal::symbols, changes.symbols);
		set(Signal::scope, changes.scope);
		set(Signal::changed_removed, changes.removed_words);
		set(Signal::changed_kept, changes.kept_words);
		set(Signal::changed_numbers, changes.numbers);
		set(Signal::changed_names, changes.names);
		set(Signal::whole, changes.whole);
		doubts_ = changes.doubts;
	}

	// The first line of a text, or its first sentence if that ends before; at most this many words.
	static constexpr std::uint32_t line_words = 24;
	static std::uint32_t first_line(const TextWords &text)
	{
		std::uint32_t i = 1;
		const std::uint32_t most = std::min(line_words, text.count());
		while (i < most && text.gap(i).find('\n') == std::string_view::npos && !begins_sentence(text, i))
			++i;
		return std::min(i, text.count());
	}
	static std::uint32_t last_line(const TextWords &text)
	{
		if (text.count() == 0)
			return 0;
		const std::uint32_t least = text.count() - std::min(line_words, text.count());
		std::uint32_t i = text.count() - 1;
		while (i > least && !begins_sentence(text, i))
			--i;
		return i;
	}

	// The number of distinct words of x[x0, x1) that y[y0, y1) does not have.
	double missing(
		const TextWords &x, std::uint32_t x0, std::uint32_t x1, const TextWords &y, std::uint32_t y0, std::uint32_t y1)
	{
		std::vector<std::uint32_t> all(x.numbers.begin() + x0, x.numbers.begin() + x1);
		std::sort(all.begin(), all.end());
		all.erase(std::unique(all.begin(), all.end()), all.end());
		const auto lacks = [&](std::uint32_t number) {
			return std::find(y.numbers.begin() + y0, y.numbers.begin() + y1, number) == y.numbers.begin() + y1;
		};
		return static_cast<double>(std::count_if(all.begin(), all.end(), lacks));
	}

	void read_lines()
	{
		const std::uint32_t last_a = last_line(a_), last_b = last_line(b_);
		set(Signal::last_line_removed, missing(a_, last_a, a_.count(), b_, last_b, b_.count()));
		set(Signal::last_line_kept, missing(b_, last_b, b_.count(), a_, last_a, a_.count()));
	}

	const AlignedWords &words_;
	const TextWords &a_, &b_;
	Counts counts_;
	StopToken stop_;
	std::uint32_t first_a_, first_b_; // words of the first lines
	Signals signals_;
	unsigned doubts_ = 0;
	std::vector<std::uint64_t> replacements_;
};

} // namespace

std::string_view name(Signal signal) noexcept { return signal_names[static_cast<std::size_t>(signal)]; }

Signals difference_signals(std::string_view a, std::string_view b, StopToken stop, const CorpusWords *corpus)
{
	return difference_signals(ComparedTexts(a, b, CanonicalOptions{}, Segmenter::word, stop), stop, corpus).signals;
}

GuardSignals difference_signals(ComparedTexts &&texts, StopToken stop, const CorpusWords *corpus)
{
	const AlignedWords words(std::move(texts), stop);
	GuardSignals read = SignalReader(words, stop).read();
	read_corpus_signals(words, corpus, read.signals, stop);
	return read;
}

GuardSignals guard_signals(ComparedTexts &&texts, StopToken stop)
{
	return SignalReader(AlignedWords(std::move(texts), stop), stop).read();
}

} // namespace txtfp::core
