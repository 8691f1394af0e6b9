#include "core/compare/corpus_signals.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "core/base/hash.hpp"
#include "core/base/table_hash.hpp"
#include "core/compare/text_codes.hpp"
#include "core/compare/word_traits.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::core {

namespace {

constexpr std::uint8_t in_a = 1, in_b = 2, in_both = 3;
constexpr std::uint32_t line_words = 24; // of a first line
constexpr std::size_t most_searched = 32; // codes of a text that are looked for inside the other one
constexpr unsigned shape_tokens = 6;
constexpr std::size_t longest_quoted = 256; // bytes

double share_of(double part, double whole) noexcept { return whole > 0 ? part / whole : 1; }

// Numbers other than 0, and which of the texts have them. An entry has the upper 62 bits of a mixed number, and the mark.
class MarkedSet {
public:
	explicit MarkedSet(std::size_t most)
		: entries_(std::bit_ceil(most + most / 2 + 2)), shift_(64 - std::countr_zero(entries_.size()))
	{
	}

	void add(std::uint64_t key, std::uint8_t mark) noexcept
	{
		const std::uint64_t mixed = key * table_factors[0] | in_both;
		std::size_t at = static_cast<std::size_t>(mixed >> shift_);
		while (entries_[at] != 0 && (entries_[at] | in_both) != mixed)
			at = (at + 1) & (entries_.size() - 1);
		const std::uint64_t before = entries_[at] & in_both;
		if ((before | mark) == before)
			return;
		--counts_[before];
		++counts_[before | mark];
		entries_[at] = (mixed ^ in_both) | before | mark;
	}
	double count(std::uint8_t mark) const noexcept { return static_cast<double>(counts_[mark]); }

private:
	std::vector<std::uint64_t> entries_;
	int shift_;
	std::ptrdiff_t counts_[4] = {}; // the first one without meaning
};

// The canonical words of a text in one, and where each of them begins.
struct SquashedText {
	std::string all;
	std::vector<std::size_t> begins;

	SquashedText(const ComparedTexts &texts, const TextWords &text, const WordClasses &classes)
	{
		begins.reserve(text.count() + 1);
		all.reserve(text.text.size());
		for (const std::uint32_t number : text.numbers) {
			begins.push_back(all.size());
			append_squashed(all, texts.canonical(number), classes.has_marks(number));
		}
		begins.push_back(all.size());
	}
	bool begins_at(std::size_t byte) const { return std::binary_search(begins.begin(), begins.end(), byte); }

	enum Place { nowhere, inside, as_words };
	Place find(std::string_view code) const
	{
		Place found = nowhere;
		for (std::size_t at = 0; (at = all.find(code, at)) != all.npos; ++at) {
			if (begins_at(at) && begins_at(at + code.size()))
				return as_words;
			if (found == inside)
				break; // twice inside words is enough
			found = inside;
		}
		return found;
	}
};

struct Code {
	WordHash hash;
	std::string text;
};

// What stands in quotes within a line, byte by byte, as literals of programs do: who renames and reorders copies them. A
// single quote that touches a letter or digit outside is an apostrophe.
class QuotedReader {
public:
	explicit QuotedReader(std::string_view text) noexcept : text_(text) {}

	static std::size_t most(std::string_view text) noexcept // strings
	{
		return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_quote)) / 2;
	}
	bool next(std::string_view &bytes)
	{
		for (; at_ < text_.size(); ++at_) {
			const char quote = text_[at_];
			if (!is_quote(quote) || (quote == '\'' && at_ > 0 && is_of_word(text_[at_ - 1])))
				continue;
			const std::size_t end = end_of(quote);
			if (end == 0 || (quote == '\'' && end + 1 < text_.size() && is_of_word(text_[end + 1])))
				continue;
			bytes = text_.substr(at_ + 1, end - at_ - 1);
			at_ = end + 1;
			return true;
		}
		return false;
	}

private:
	static bool is_quote(char c) noexcept { return c == '"' || c == '\''; }
	static bool is_of_word(char c) noexcept
	{
		return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0;
	}
	std::size_t end_of(char quote) const noexcept // 0: there is none
	{
		const std::size_t last = std::min(text_.size(), at_ + 2 + longest_quoted);
		for (std::size_t i = at_ + 1; i < last && text_[i] != '\n'; ++i) {
			if (text_[i] == quote)
				return i;
			i += text_[i] == '\\';
		}
		return 0;
	}
	std::string_view text_;
	std::size_t at_ = 0;
};

class CorpusSignalReader {
public:
	CorpusSignalReader(const ComparedTexts &texts, const CorpusWords *corpus, Signals &signals, StopToken stop)
		: texts_(texts), corpus_(corpus), scale_(corpus != nullptr ? corpus->scale() : 0), signals_(signals), stop_(stop),
		  classes_(texts), marks_(texts.distinct())
	{
		mark(texts.a(), in_a);
		mark(texts.b(), in_b);
	}

	void read()
	{
		if (corpus_ != nullptr)
			read_words();
		read_codes();
		stop_.check();
		read_quantities();
		read_trigrams();
		stop_.check();
		read_shape();
		read_quoted();
	}

private:
	void set(Signal signal, double value) noexcept { signals_[static_cast<std::size_t>(signal)] = value; }

	// The lower two bits: which text has the word; the next two: which first line.
	void mark(const TextWords &text, std::uint8_t mark)
	{
		std::uint32_t line = std::min(1u, text.count());
		while (line < std::min(line_words, text.count()) && text.gap(line).find('\n') == std::string_view::npos)
			++line;
		for (std::uint32_t i = 0; i < text.count(); ++i)
			marks_[text.numbers[i]] |= i < line ? mark | mark << 2 : mark;
	}

	void read_words()
	{
		double text[4] = {}, line[4] = {}, squares[4] = {}, rarest[4] = {}, second[4] = {};
		for (std::uint32_t number = 0; number < marks_.size(); ++number) {
			const std::size_t where = marks_[number] & in_both;
			const double weight = corpus_->rarity(word_hash(texts_.canonical(number)), scale_);
			text[where] += weight;
			squares[where] += weight * weight;
			line[marks_[number] >> 2] += weight;
			if (weight > rarest[where])
				second[where] = std::exchange(rarest[where], weight);
			else
				second[where] = std::max(second[where], weight);
			if ((number & 0xFFF) == 0xFFF)
				stop_.check();
		}
		set(Signal::weighted_shared, share_of(text[in_both], text[in_both] + text[in_a] + text[in_b]));
		set(Signal::weighted_removed, share_of(text[in_both], text[in_both] + text[in_a]));
		set(Signal::weighted_kept, share_of(text[in_both], text[in_both] + text[in_b]));
		set(Signal::weighted_cosine, share_of(squares[in_both],
			std::sqrt((squares[in_both] + squares[in_a]) * (squares[in_both] + squares[in_b]))));
		set(Signal::line_shared, share_of(line[in_both], line[in_both] + line[in_a] + line[in_b]));
		set(Signal::line_removed, share_of(line[in_both], line[in_both] + line[in_a]));
		set(Signal::line_kept, share_of(line[in_both], line[in_both] + line[in_b]));
		set(Signal::rarest_common, rarest[in_both]);
		set(Signal::rarest_removed, rarest[in_a]);
		set(Signal::rarest_kept, rarest[in_b]);
		set(Signal::second_common, second[in_both]);
		set(Signal::second_removed, second[in_a]);
		set(Signal::second_kept, second[in_b]);
	}

	std::vector<Code> codes_of(const TextWords &text)
	{
		std::vector<Code> codes;
		for_each_code(texts_, text, classes_, [&](std::uint32_t, std::uint32_t, std::string_view code) {
			codes.push_back({word_hash(code), std::string(code)});
		});
		std::stable_sort(codes.begin(), codes.end(), [](const Code &x, const Code &y) { return x.hash < y.hash; });
		codes.erase(std::unique(codes.begin(), codes.end(), [](const Code &x, const Code &y) { return x.hash == y.hash; }),
			codes.end());
		return codes;
	}

	struct Found {
		double common = 0, inside = 0, left = 0, rare_common = 0, rare_left = 0;
	};
	// Which codes of x the other text has.
	Found find_codes(const std::vector<Code> &x, const std::vector<Code> &y, const TextWords &other)
	{
		std::optional<SquashedText> squashed;
		std::size_t searched = 0;
		Found found;
		for (const Code &code : x) {
			const auto same = std::lower_bound(
				y.begin(), y.end(), code.hash, [](const Code &c, WordHash hash) { return c.hash < hash; });
			SquashedText::Place place = SquashedText::as_words;
			if (same == y.end() || same->hash != code.hash) {
				place = SquashedText::nowhere;
				if (searched++ < most_searched) {
					stop_.check();
					if (!squashed)
						squashed.emplace(texts_, other, classes_);
					place = squashed->find(code.text);
				}
			}
			const double weight = corpus_ != nullptr ? corpus_->rarity(code.hash, scale_) : 0;
			found.common += place == SquashedText::as_words;
			found.inside += place == SquashedText::inside;
			found.left += place == SquashedText::nowhere;
			double &rare = place == SquashedText::nowhere ? found.rare_left : found.rare_common;
			rare = std::max(rare, weight);
		}
		return found;
	}

	void read_codes()
	{
		const std::vector<Code> a = codes_of(texts_.a()), b = codes_of(texts_.b());
		const Found of_a = find_codes(a, b, texts_.b());
		stop_.check();
		const Found of_b = find_codes(b, a, texts_.a());
		set(Signal::codes_common, std::max(of_a.common, of_b.common));
		set(Signal::codes_inside, of_a.inside + of_b.inside);
		set(Signal::codes_removed, of_a.left);
		set(Signal::codes_kept, of_b.left);
		if (corpus_ == nullptr)
			return;
		set(Signal::rare_code_common, std::max(of_a.rare_common, of_b.rare_common));
		set(Signal::rare_code_removed, of_a.rare_left);
		set(Signal::rare_code_kept, of_b.rare_left);
	}

	// 13 mm and 13mm are the same.
	void add_quantities(const TextWords &text, std::uint8_t mark, MarkedSet &set)
	{
		std::string both;
		for (std::uint32_t i = 0; i < text.count(); ++i) {
			const std::uint32_t number = text.numbers[i];
			if (!classes_.has_digit(number))
				continue;
			both = texts_.canonical(number);
			if (!classes_.has_letter(number) && i + 1 < text.count() && text.gap(i + 1).size() <= 2)
				both += texts_.canonical(text.numbers[i + 1]);
			else if (!classes_.has_letter(number))
				continue;
			set.add(std::max<std::uint64_t>(1, xxh3_64(both.data(), both.size(), table_seed)), mark);
		}
	}

	void read_quantities()
	{
		const auto numbers = [&](const TextWords &text) {
			return std::count_if(text.numbers.begin(), text.numbers.end(),
				[&](std::uint32_t number) { return classes_.has_digit(number); });
		};
		MarkedSet quantities(static_cast<std::size_t>(numbers(texts_.a()) + numbers(texts_.b())));
		add_quantities(texts_.a(), in_a, quantities);
		add_quantities(texts_.b(), in_b, quantities);
		set(Signal::quantities_common, quantities.count(in_both));
		set(Signal::quantities_removed, quantities.count(in_a));
		set(Signal::quantities_kept, quantities.count(in_b));
	}

	// Of the words with a blank before and behind. A word that both texts have has as many as characters, each for itself.
	void read_trigrams()
	{
		std::size_t of_both = 0, others = 0;
		for (std::uint32_t number = 0; number < marks_.size(); ++number)
			if ((marks_[number] & in_both) == in_both)
				of_both += count_characters(texts_.canonical(number));
			else
				others += texts_.canonical(number).size();
		MarkedSet trigrams(others);
		for (std::uint32_t number = 0; number < marks_.size(); ++number)
			if ((marks_[number] & in_both) != in_both)
				add_trigrams(texts_.canonical(number), marks_[number] & in_both, trigrams);
		const double common = static_cast<double>(of_both) + trigrams.count(in_both);
		set(Signal::trigrams, share_of(common, common + trigrams.count(in_a) + trigrams.count(in_b)));
	}

	static void add_trigrams(std::string_view word, std::uint8_t mark, MarkedSet &trigrams)
	{
		constexpr std::uint64_t three = (std::uint64_t{1} << 63) - 1;
		std::uint64_t last = 0;
		const auto add = [&](char32_t c) {
			last = (last << 21 | c) & three;
			if (last >> 42 != 0)
				trigrams.add(last, mark);
		};
		add(' ');
		if (is_ascii(word))
			for (const char c : word)
				add(static_cast<unsigned char>(c));
		else
			for_each_character(word, add);
		add(' ');
	}

	// Runs of words with a digit, other words, and characters between words.
	void add_shape(const TextWords &text, std::uint8_t mark, MarkedSet &shapes)
	{
		constexpr std::uint64_t all = (std::uint64_t{1} << 8 * shape_tokens) - 1;
		std::uint64_t last = 0;
		const auto add = [&](std::uint64_t token) {
			last = (last << 8 | token) & all;
			if (last >> 8 * (shape_tokens - 1) != 0)
				shapes.add(last, mark);
		};
		for (std::uint32_t i = 0; i <= text.count(); ++i) {
			const std::string_view gap = text.gap(i);
			for (const char c : gap)
				if (c != ' ' && c != '\n' && c != '\t' && c != '\r' && c != '\0')
					add(static_cast<unsigned char>(c));
			if (i < text.count())
				add(classes_.has_digit(text.numbers[i]) ? 1 : 2);
		}
	}

	void read_shape()
	{
		std::size_t most = 0;
		for (const TextWords *text : {&texts_.a(), &texts_.b()})
			for (std::uint32_t i = 0; i <= text->count(); ++i)
				most += 1 + text->gap(i).size();
		MarkedSet shapes(most);
		add_shape(texts_.a(), in_a, shapes);
		add_shape(texts_.b(), in_b, shapes);
		const double common = shapes.count(in_both);
		set(Signal::shape, share_of(common, common + shapes.count(in_a) + shapes.count(in_b)));
	}

	void read_quoted()
	{
		MarkedSet quoted(QuotedReader::most(texts_.a().text) + QuotedReader::most(texts_.b().text));
		add_quoted(texts_.a().text, in_a, quoted);
		add_quoted(texts_.b().text, in_b, quoted);
		const double common = quoted.count(in_both);
		set(Signal::quoted_removed, share_of(common, common + quoted.count(in_a)));
		set(Signal::quoted_kept, share_of(common, common + quoted.count(in_b)));
	}

	static void add_quoted(std::string_view text, std::uint8_t mark, MarkedSet &quoted)
	{
		QuotedReader reader(text);
		for (std::string_view bytes; reader.next(bytes);)
			quoted.add(std::max<std::uint64_t>(1, xxh3_64(bytes.data(), bytes.size(), table_seed)), mark);
	}

	const ComparedTexts &texts_;
	const CorpusWords *corpus_;
	double scale_;
	Signals &signals_;
	StopToken stop_;
	const WordClasses classes_;
	std::vector<std::uint8_t> marks_; // by number
};

} // namespace

void read_corpus_signals(const ComparedTexts &texts, const CorpusWords *corpus, Signals &signals, StopToken stop)
{
	CorpusSignalReader(texts, corpus, signals, stop).read();
}

} // namespace txtfp::core
