#include "core/compare/changed_statements.hpp"

#include <algorithm>
#include <utility>

#include "core/compare/closed_words.hpp"
#include "core/compare/lossless.hpp"
#include "core/compare/text_difference.hpp"
#include "core/compare/word_traits.hpp"

namespace txtfp::core {

namespace {

constexpr std::uint32_t no_partner = 0xFFFFFFFF;

// One text: of each word the statement and, if it is matched, the word of the other text.
struct Side {
	const TextWords &text;
	Statements statements;
	std::vector<std::uint32_t> statement, partner;
	std::vector<bool> respelled; // by word: replaced by another spelling
	std::vector<bool> version;   // by word: replaced by another version of the same thing
	std::vector<bool> changed;   // by statement

	Side(const TextWords &words, StopToken stop)
		: text(words), statements(words, stop), statement(statements.of_words()), partner(words.count(), no_partner),
		  respelled(words.count()), version(words.count()), changed(statements.list.size())
	{
	}

	// A statement begins with word i, or the text ends there.
	bool begins(std::uint32_t i) const { return i == 0 || i == text.count() || statement[i] != statement[i - 1]; }
};

class ChangeReader {
public:
	ChangeReader(const AlignedWords &words, StopToken stop)
		: words_(words), stop_(stop), a_(words.a(), stop), b_(words.b(), stop)
	{
	}

	ChangedStatements read()
	{
		for (const MatchedRun &run : words_.runs())
			for (std::uint32_t i = 0; i < run.length; ++i)
				match(run.a + i, run.b + i);
		slide(a_, b_);
		slide(b_, a_);
		stop_.check();
		changes_.whole = stands_in(a_.statements, b_.statements, words_, stop_);
		for_each_part([this](auto... part) { pair_words(part...); });
		mark_mixed(a_);
		mark_mixed(b_);
		for_each_part([this](std::uint32_t a0, std::uint32_t a1, std::uint32_t b0, std::uint32_t b1) {
			if (a0 < a1 && b0 < b1) {
				mark(a_, a0, a1);
				mark(b_, b0, b1);
			}
		});
		for_each_part([this](auto... part) { count_part(part...); });
		if (!changes_.whole && respelled_)
			changes_.whole = stands_in(a_.statements, b_.statements, words_, stop_);
		return changes_;
	}

private:
	void match(std::uint32_t i, std::uint32_t j)
	{
		a_.partner[i] = j;
		b_.partner[j] = i;
	}

	// Words that only x has may as well be others of the same words: of those, whole statements.
	void slide(Side &x, Side &y)
	{
		const std::uint32_t count = x.text.count();
		for (std::uint32_t begin = 0, end; begin < count; begin = end + 1) {
			end = begin;
			if (x.partner[begin] != no_partner)
				continue;
			while (end < count && x.partner[end] == no_partner)
				++end;
			const bool one_sided =
				(begin == 0 ? 0 : x.partner[begin - 1] + 1) == (end == count ? y.text.count() : x.partner[end]);
			if (one_sided && !(x.begins(begin) && x.begins(end)) && !slide_left(x, y, begin, end))
				end += slide_right(x, y, begin, end);
		}
	}
	static bool slide_left(Side &x, Side &y, std::uint32_t begin, std::uint32_t end)
	{
		for (std::uint32_t by = 1; by <= std::min(begin, end - begin); ++by) {
			if (x.partner[begin - by] == no_partner || x.text.numbers[begin - by] != x.text.numbers[end - by])
				return false;
			if (x.begins(begin - by) && x.begins(end - by)) {
				for (std::uint32_t i = 1; i <= by; ++i)
					move(x, y, begin - i, end - i);
				return true;
			}
		}
		return false;
	}
	// Returns by how many words.
	static std::uint32_t slide_right(Side &x, Side &y, std::uint32_t begin, std::uint32_t end)
	{
		for (std::uint32_t by = 1; by <= std::min(x.text.count() - end, end - begin); ++by) {
			if (x.partner[end + by - 1] == no_partner || x.text.numbers[begin + by - 1] != x.text.numbers[end + by - 1])
				return 0;
			if (x.begins(begin + by) && x.begins(end + by)) {
				for (std::uint32_t i = 0; i < by; ++i)
					move(x, y, end + i, begin + i);
				return by;
			}
		}
		return 0;
	}
	static void move(Side &x, Side &y, std::uint32_t from, std::uint32_t to)
	{
		x.partner[to] = std::exchange(x.partner[from], no_partner);
		y.partner[x.partner[to]] = to;
	}

	// Calls fn(a0, a1, b0, b1) for the words between two matched ones, also where there are no_partner.
	template <class Fn> void for_each_part(Fn fn)
	{
		std::uint32_t a0 = 0, b0 = 0;
		for (std::uint32_t i = 0; i < a_.text.count(); ++i)
			if (const std::uint32_t j = a_.partner[i]; j != no_partner) {
				fn(a0, i, b0, j);
				a0 = i + 1;
				b0 = j + 1;
			}
		fn(a0, a_.text.count(), b0, b_.text.count());
		stop_.check();
	}

	// Notes versions that are replaced by others of the same thing, or by its name alone.
	void pair_versions(std::uint32_t a0, std::uint32_t a1, std::uint32_t b0, std::uint32_t b1)
	{
		if (a1 - a0 > paired_words || b1 - b0 > paired_words)
			return;
		for (std::uint32_t i = a0; i < a1; ++i)
			for (std::uint32_t j = b0; j < b1; ++j)
				if ((is_version(a_.text, i) || is_version(b_.text, j)) &&
					have_equal_letters(a_.text.word(i), b_.text.word(j))) {
					a_.version[i] = b_.version[j] = true;
					changes_.doubts += is_amount(a_.text, i) || is_amount(b_.text, j);
				}
	}

	// Matches what differs in spelling only, and notes words with and without a negation.
	void pair_words(std::uint32_t a0, std::uint32_t a1, std::uint32_t b0, std::uint32_t b1)
	{
		pair_versions(a0, a1, b0, b1);
		if (a1 - a0 != b1 - b0 || a1 - a0 > paired_words)
			return;
		for (std::uint32_t i = a0, j = b0; i < a1; ++i, ++j) {
			const std::string_view x = words_.canonical(a_.text.numbers[i]), y = words_.canonical(b_.text.numbers[j]);
			if (is_negated(x, y))
				++changes_.scope;
			else if (kind_of_word(a_.text, i) == DifferenceKind::word &&
				kind_of_word(b_.text, j) == DifferenceKind::word && is_same_word(x, y)) {
				match(i, j);
				respelled_ = true;
				b_.statements.tokens[b_.statements.token_of_word[j]] = a_.text.numbers[i];
			} else if (is_corrected(x, y) && kind_of_word(a_.text, i) == DifferenceKind::word &&
				kind_of_word(b_.text, j) == DifferenceKind::word && !is_scope_word(x) && !is_scope_word(y)) {
				a_.respelled[i] = b_.respelled[j] = true;
				changes_.doubts += !is_harmless_correction(x, y) && (is_in_identifier(a_.text, i) || is_in_identifier(b_.text, j));
			}
		}
	}

	static void mark(Side &side, std::uint32_t begin, std::uint32_t end)
	{
		for (std::uint32_t i = begin; i < end; ++i)
			side.changed[side.statement[i]] = true;
	}
	static void mark_mixed(Side &side)
	{
		std::vector<std::uint8_t> seen(side.changed.size());
		for (std::uint32_t i = 0; i < side.text.count(); ++i)
			seen[side.statement[i]] |= side.partner[i] == no_partner ? 1 : 2;
		for (std::size_t i = 0; i < seen.size(); ++i)
			side.changed[i] = side.changed[i] || seen[i] == 3;
	}

	void count_part(std::uint32_t a0, std::uint32_t a1, std::uint32_t b0, std::uint32_t b1)
	{
		const double before = changes_.removed_words + changes_.kept_words;
		count_words(a_, a0, a1, changes_.removed_words);
		count_words(b_, b0, b1, changes_.kept_words);
		// A longer name is another one: "test", "test run".
		changes_.removed_words += a0 == a1 && b0 < b1 && extends_name(b_, b0, b1);
		changes_.kept_words += b0 == b1 && a0 < a1 && extends_name(a_, a0, a1);
		changes_.doubts += (a0 == a1 && b0 < b1 && (makes_another(b_, b0, b1) || is_label(b_, b0, b1))) ||
			(b0 == b1 && a0 < a1 && (makes_another(a_, a0, a1) || is_label(a_, a0, a1)));
		// Symbols of statements that one text does not have contradict nothing.
		if ((a0 == a1 && b0 == b1) || changes_.removed_words + changes_.kept_words > before)
			count_symbols(a0, a1, b0, b1);
	}
	void count_words(const Side &side, std::uint32_t begin, std::uint32_t end, double &all)
	{
		for (std::uint32_t i = begin; i < end; ++i) {
			if (!side.changed[side.statement[i]] || side.respelled[i])
				continue;
			const DifferenceKind kind = kind_of_word(side.text, i);
			all += !side.version[i];
			changes_.numbers += kind == DifferenceKind::number;
			changes_.names += kind == DifferenceKind::name;
			changes_.scope += is_scope_word(side.text, i, words_.canonical(side.text.numbers[i]));
		}
	}

	// True if one or two words that name something were inserted directly behind another such word of the statement.
	bool extends_name(const Side &side, std::uint32_t begin, std::uint32_t end) const
	{
		if (end - begin > 2 || side.begins(begin))
			return false;
		for (std::uint32_t i = begin - 1; i < end; ++i) {
			const DifferenceKind kind = kind_of_word(side.text, i);
			if ((kind != DifferenceKind::word && kind != DifferenceKind::name) || side.respelled[i] || side.version[i] ||
				is_function_word(words_.canonical(side.text.numbers[i])))
				return false;
			const std::string_view gap = side.text.gap(i);
			if (i >= begin && !(gap.empty() || gap == " " || gap == "\n"))
				return false;
		}
		return true;
	}

	// True if one or two words that were inserted into a statement make a number, a unit or an identifier another one: "5
	// square metres", "15²", "--proxy-key". Where words do not end in spaces, a name is longer in front, too.
	bool makes_another(const Side &side, std::uint32_t begin, std::uint32_t end) const
	{
		const TextWords &text = side.text;
		if (end - begin > 2 || (side.begins(begin) && side.begins(end)) ||
			(end - begin == 2 && (side.begins(begin + 1) || !is_joint(text.gap(begin + 1), true))))
			return false;
		const bool behind = !side.begins(begin), before = !side.begins(end);
		if ((behind && is_joint(text.gap(begin), false)) || (before && is_joint(text.gap(end), false)))
			return true;
		if (behind && before && text.gap(begin) == "/" && text.gap(end) == "/") // a directory of a path
			return true;
		const bool without_spaces = !ends_in_space(text.word(begin));
		if (behind && kind_of_word(text, begin - 1) == DifferenceKind::number &&
			(text.gap(begin).empty() || (without_spaces && is_joint(text.gap(begin), true))))
			return !names_nothing(text, begin, end);
		return without_spaces && before && text.gap(end).empty() && !ends_in_space(text.word(end)) &&
			!names_nothing(text, begin, end);
	}
	bool names_nothing(const TextWords &text, std::uint32_t begin, std::uint32_t end) const
	{
		for (; begin < end; ++begin)
			if (is_function_word(words_.canonical(text.numbers[begin])))
				return true;
		return false;
	}

	// True if only marks as they stand within identifiers and units lie between two words; with `any`, also nothing or space.
	static bool is_joint(std::string_view gap, bool any) noexcept
	{
		if (gap.empty() || gap == " " || gap == "\n")
			return any;
		return gap.find_first_not_of("-:_@=#~\\") == std::string_view::npos;
	}

	// True for words of paths, options and calls: a mark as those have it touches the word.
	static bool is_in_identifier(const TextWords &text, std::uint32_t i) noexcept
	{
		constexpr std::string_view before = "-/_\\@$<=+#~`", behind = "(-/_\\=>+#`";
		const std::string_view left = text.gap(i), right = text.gap(i + 1);
		return (!left.empty() && before.find(left.back()) != std::string_view::npos) ||
			(!right.empty() && behind.find(right.front()) != std::string_view::npos);
	}

	// True if only one text begins with a label of up to three words, one of them an identifier.
	static bool is_label(const Side &side, std::uint32_t begin, std::uint32_t end) noexcept
	{
		if (begin > 0 || end > 3 || end == side.text.count())
			return false;
		for (std::uint32_t i = begin; i < end; ++i)
			if (side.text.word(i).find('_') != std::string_view::npos)
				return true;
		return false;
	}

	// A version that may be an amount: digits of another script, or a symbol behind it.
	static bool is_amount(const TextWords &text, std::uint32_t i) noexcept
	{
		const std::string_view word = text.word(i);
		if (!is_digit(decode(word.data(), word.data() + word.size()).code_point))
			return false;
		const char32_t symbol = SymbolReader(text.text, text.gap_begin(i + 1), text.gap_end(i + 1)).next();
		return static_cast<unsigned char>(word[0]) >= 0x80 || (symbol != 0 && symbol != U'+');
	}

	// True for "libfoo5" and "libfoo6", for "3.2" and "4", but not for "bzip2" and "gzip".
	static bool have_equal_letters(std::string_view x, std::string_view y)
	{
		const auto is_mark = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
		for (std::size_t i = 0, j = 0;; ++i, ++j) {
			while (i < x.size() && is_mark(x[i]))
				++i;
			while (j < y.size() && is_mark(y[j]))
				++j;
			if (i == x.size() || j == y.size())
				return i == x.size() && j == y.size();
			if (x[i] != y[j])
				return false;
		}
	}

	// A number that names an edition of something: "libfoo5", "version 12", "wxWidgets 3.2". Amounts and dates are none.
	bool is_version(const TextWords &text, std::uint32_t i) const
	{
		if (kind_of_word(text, i) != DifferenceKind::number)
			return false;
		const std::string_view word = text.word(i);
		const bool letter_first = word[0] < '0' || word[0] > '9';
		if (letter_first || i == 0)
			return letter_first;
		const std::string_view before = words_.canonical(text.numbers[i - 1]);
		if (is_word_of_version(before))
			return true;
		const std::size_t dot = word.find('.');
		if (dot == std::string_view::npos ||
			(word.find('.', dot + 1) != std::string_view::npos && dot <= 2 && is_year(word)))
			return false;
		if (text.gap(i + 1).starts_with(')'))
			return true;
		// "EUR 3.50" and "pH 7.4" are amounts.
		const bool is_price = text.word(i - 1).size() == 3 && word.size() == dot + 3;
		return kind_of_word(text, i - 1) == DifferenceKind::name && text.word(i - 1).size() >= 3 && !is_price;
	}
	// 14.3.2024 and 14.03.24 are dates.
	static bool is_year(std::string_view word)
	{
		const std::size_t last = word.size() - word.rfind('.') - 1;
		return last == 4 || last == 2;
	}

	void count_symbols(std::uint32_t a0, std::uint32_t a1, std::uint32_t b0, std::uint32_t b1)
	{
		const auto symbols = [](const TextWords &text, std::uint32_t first, std::uint32_t last) {
			std::vector<char32_t> found;
			for (std::uint32_t i = first; i <= last; ++i) {
				SymbolReader reader(text.text, text.gap_begin(i), text.gap_end(i));
				while (const char32_t c = reader.next())
					found.push_back(c);
			}
			std::sort(found.begin(), found.end());
			return found;
		};
		const TextWords &a = a_.text, &b = b_.text;
		if (a0 == a1 && b0 == b1 && a.gap(a0) == b.gap(b0))
			return;
		const std::vector<char32_t> in_a = symbols(a, a0, a1), in_b = symbols(b, b0, b1);
		std::vector<char32_t> differ;
		std::set_symmetric_difference(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(), std::back_inserter(differ));
		changes_.symbols += static_cast<double>(differ.size());
	}

	const AlignedWords &words_;
	StopToken stop_;
	Side a_, b_;
	bool respelled_ = false; // statements of b have words of a in place of their own
	ChangedStatements changes_;
};

} // namespace

ChangedStatements changed_statements(const AlignedWords &words, StopToken stop)
{
	return ChangeReader(words, stop).read();
}

} // namespace txtfp::core
