#include "core/compare/statements.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/compare/word_traits.hpp"
#include "core/text/unicode_tables.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::core {

namespace {

using unicode::SentenceBreak;

constexpr char32_t quote = U'"', dash = U'-', minus = 0x2212, bullet = 0x2022;
constexpr std::uint32_t narrow = 40;       // characters: lines of narrower paragraphs are not wrapped
constexpr std::uint32_t heading_words = 8; // at most, of a heading without a mark of one

SentenceBreak type_of(char32_t c) noexcept
{
	return static_cast<SentenceBreak>(unicode::sentence_value(c) & unicode::sentence_mask);
}
bool is_space(char32_t c) noexcept { return (unicode::sentence_value(c) & unicode::sentence_white_space_bit) != 0; }
bool is_word_character(char32_t c) noexcept
{
	return (unicode::sentence_value(c) & unicode::sentence_alphanumeric_bit) != 0;
}
bool is_line_end(char32_t c) noexcept { return c == '\n' || c == 0xB || c == 0xC || c == 0x85 || c == 0x2028; }
bool is_dash(char32_t c) noexcept
{
	return c == '-' || (c >= 0x2010 && c <= 0x2015) || c == 0x2212 || c == 0x2E3A || c == 0x2E3B || c == 0xFE58 ||
		c == 0xFE63 || c == 0xFF0D;
}
bool is_quote(char32_t c) noexcept
{
	return folded_quote(c) != 0 || c == '`' || c == 0xB4 || (c >= 0x300C && c <= 0x300F);
}
bool is_bullet(char32_t c) noexcept
{
	return c == 0x2022 || c == 0x25E6 || c == 0x25AA || c == 0x25AB || c == 0x2023 || c == 0x25CF || c == 0x25CB ||
		c == 0x25A0 || c == 0x25A1;
}
// Full stops of Tibetan and Thai have no property of one.
bool is_stop(char32_t c) noexcept
{
	const SentenceBreak type = type_of(c);
	return type == SentenceBreak::a_term || type == SentenceBreak::s_term || (c >= 0xF0D && c <= 0xF11) || c == 0xE5A ||
		c == 0xE5B;
}

enum class Class : std::uint8_t { other, space, closing, invisible };

Class class_by_rules(char32_t c) noexcept
{
	return is_invisible(c)                                  ? Class::invisible
		: is_space(c)                                       ? Class::space
		: is_quote(c) || type_of(c) == SentenceBreak::close ? Class::closing
															: Class::other;
}
const std::array<Class, 128> ascii_classes = [] {
	std::array<Class, 128> classes{};
	for (char32_t c = 0; c < classes.size(); ++c)
		classes[c] = class_by_rules(c);
	return classes;
}();
Class class_of(char32_t c) noexcept { return c < ascii_classes.size() ? ascii_classes[c] : class_by_rules(c); }

// The lines of a text: how long they are, and whether the break behind each is more than a wrap.
class Lines {
public:
	explicit Lines(std::string_view text)
	{
		for (std::size_t begin = 0, end; begin <= text.size(); begin = end + 1) {
			end = std::min(text.find('\n', begin), text.size());
			add_lines(text.substr(begin, end - begin));
		}
		measure_paragraphs();
	}

	// The break between this line and the next one.
	Break behind(std::size_t i) const
	{
		const Line &line = lines_[i], &next = lines_[i + 1];
		if (line.width == 0 || next.width == 0)
			return Break::paragraph;
		if (next.is_item())
			return Break::line;
		if (line.last == ',' || line.last == 0x3001 || line.last == 0xFF0C || line.last == 0x60C)
			return Break::none;
		const bool goes_on = type_of(next.first) == SentenceBreak::lower;
		if (line.last == ':' || line.last == 0xFF1A || (is_stop(line.last) && (line.last != '.' || !goes_on)))
			return Break::line;
		const bool wraps = line.widest >= narrow && line.width + 1 + next.first_word > line.widest;
		return goes_on || wraps ? Break::none : Break::line;
	}
	bool is_item(std::size_t i) const { return lines_[i].is_item(); }
	bool is_marked(std::size_t i) const { return lines_[i].first == '#'; }

private:
	struct Line {
		std::uint32_t width = 0;      // up to the last character that is no space
		std::uint32_t first_word = 0; // characters up to the first space
		std::uint32_t widest = 0;     // of the lines of the paragraph
		char32_t first = 0, last = 0; // last: but for closing quotes and brackets
		bool word_ended = false;
		bool number = false; // the first word is a number or a letter, and a full stop or bracket

		void add(char32_t c) noexcept
		{
			++at_;
			const Class is = class_of(c);
			if (is == Class::invisible)
				return;
			if (is == Class::space) {
				word_ended |= first != 0;
				return;
			}
			if (first == 0)
				first = c;
			if (!word_ended) {
				++first_word;
				read_number(c);
			}
			if (is != Class::closing)
				last = c;
			else if (last == 0)
				last = ' ';
			width = at_;
		}
		// All of the line: ASCII. Between the first word and the end nothing counts.
		void add(std::string_view text) noexcept
		{
			std::size_t begin = 0, end = text.size();
			while (begin < end && !word_ended)
				add(static_cast<unsigned char>(text[begin++]));
			for (bool found = false; !found && end > begin; --end) {
				const auto c = static_cast<unsigned char>(text[end - 1]);
				if (ascii_classes[c] == Class::space)
					continue;
				width = std::max(width, static_cast<std::uint32_t>(end));
				found = ascii_classes[c] == Class::other;
				last = found ? c : last;
			}
		}
		bool is_item() const noexcept
		{
			const bool bulleted = word_ended && first_word == 1 &&
				(is_dash(first) || is_bullet(first) || first == '*' || first == '+' || first == 0xB7);
			return bulleted || first == '#' || first == '|' || (word_ended && number);
		}

	private:
		// (1) 1. 1) a) 1.2. : digits and full stops, or one letter, closed by a full stop or a bracket.
		void read_number(char32_t c) noexcept
		{
			const bool open = c == '(' && first_word == 1, close = c == ')' || c == '.';
			const bool letter = is_word_character(c) && !is_digit(c);
			letters_ += letter;
			digits_ += is_digit(c);
			odd_ |= !open && !close && !letter && !is_digit(c);
			number = close && !odd_ && (letters_ == 0 ? digits_ > 0 && digits_ <= 6 : letters_ == 1 && digits_ == 0);
		}
		std::uint32_t at_ = 0, letters_ = 0, digits_ = 0;
		bool odd_ = false;
	};

	// Text without \n, which may have other line ends.
	void add_lines(std::string_view text)
	{
		Line line;
		if (std::all_of(text.begin(), text.end(),
				[](char c) { return static_cast<unsigned char>(c) < 0x80 && (c < 0xB || c > 0xD); })) {
			line.add(text);
			lines_.push_back(line);
			return;
		}
		const char *p = text.data(), *const end = p + text.size();
		while (p < end) {
			const Decoded c = decode(p, end);
			p += c.length;
			if (c.code_point == '\r')
				continue;
			if (is_line_end(c.code_point) || c.code_point == 0x2029) {
				lines_.push_back(line);
				line = Line();
				continue;
			}
			line.add(c.code_point);
		}
		lines_.push_back(line);
	}

	void measure_paragraphs()
	{
		for (std::size_t begin = 0, end; begin < lines_.size(); begin = end) {
			std::uint32_t widest = 0;
			for (end = begin; end < lines_.size() && (end == begin || lines_[end].width > 0); ++end)
				widest = std::max(widest, lines_[end].width);
			for (std::size_t i = begin; i < end; ++i)
				lines_[i].widest = widest;
		}
	}

	std::vector<Line> lines_;
};

// Words behind which a full stop ends no sentence.
bool is_abbreviation(std::string_view word) noexcept
{
	constexpr std::string_view words[] = {"approx", "bzw", "c.-à-d", "ca", "d.h", "dr", "e.g", "eq", "fig", "i.e", "mr",
		"mrs", "ms", "nr", "p.ej", "pp", "prof", "sec", "st", "u.a", "vs", "z.b"};
	static_assert(std::is_sorted(std::begin(words), std::end(words)));
	std::string lower(word.substr(0, 8));
	for (char &c : lower)
		c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
	return std::binary_search(std::begin(words), std::end(words), std::string_view(lower));
}

class StatementReader {
public:
	StatementReader(const TextWords &text, Statements &out, StopToken stop)
		: text_(text), out_(out), stop_(stop), lines_(text.text)
	{
	}

	void read()
	{
		out_.tokens.reserve(text_.count() + text_.count() / 4 + 4);
		out_.token_of_word.reserve(text_.count());
		begin(Break::paragraph);
		for (std::uint32_t i = 0; i <= text_.count(); ++i) {
			read_gap(i);
			if (i == text_.count())
				break;
			put_break(period_ && starts_lower(i));
			out_.token_of_word.push_back(static_cast<std::uint32_t>(out_.tokens.size()));
			put(text_.numbers[i]);
			++words_;
			if ((i & 0xFFF) == 0)
				stop_.check();
		}
		pending_ = Break::line;
		end();
	}

private:
	bool starts_lower(std::uint32_t i) const
	{
		const std::string_view word = text_.word(i);
		return type_of(decode(word.data(), word.data() + word.size()).code_point) == SentenceBreak::lower;
	}

	void read_gap(std::uint32_t i)
	{
		const char *const text = text_.text.data(), *const text_end = text + text_.text.size();
		const char *p = text + text_.gap_begin(i), *const end = text + text_.gap_end(i);
		stopped_ = wide_stop_ = period_ = spaced_ = false;
		pending_ = Break::none;
		last_mark_ = 0;
		if (end - p == 1 && *p == ' ') {
			spaced_ = true;
			return;
		}
		char32_t before = i == 0 ? 0 : last_character(i - 1);
		while (p < end) {
			const Decoded c = decode(p, end);
			p += c.length;
			if (is_invisible(c.code_point))
				continue;
			if (is_line_end(c.code_point) || c.code_point == 0x2029)
				end_line(c.code_point == 0x2029 ? Break::paragraph : lines_.behind(line_));
			if (is_space(c.code_point)) {
				spaced_ = true;
				last_mark_ = 0;
			} else {
				const char32_t next = p < text_end ? decode(p, text_end).code_point : 0;
				read_mark(c.code_point, before, next, i);
			}
			before = c.code_point;
		}
	}
	char32_t last_character(std::uint32_t i) const
	{
		const std::string_view word = text_.word(i);
		std::size_t at = word.size() - 1;
		while (at > 0 && is_continuation(word[at]))
			--at;
		return decode(word.data() + at, word.data() + word.size()).code_point;
	}

	void end_line(Break behind)
	{
		pending_ = std::max(pending_, behind);
		++line_;
	}

	void read_mark(char32_t c, char32_t before, char32_t next, std::uint32_t word)
	{
		const bool closes = type_of(c) == SentenceBreak::close || is_quote(c);
		if (is_stop(c)) {
			if (spaced_ || pending_ != Break::none)
				put_break(false);
			abbreviated_ = c == '.' && ends_nothing(word);
			put_mark(c, before, next);
			stopped_ = true;
			spaced_ = false;
			wide_stop_ |= c >= 0x80;
			period_ = c == '.';
			return;
		}
		if (!closes || spaced_ || pending_ != Break::none)
			put_break(false);
		put_mark(c, before, next);
	}

	// True if the full stop behind word − 1 ends no sentence.
	bool ends_nothing(std::uint32_t word) const
	{
		if (word == 0 || last_mark_ != 0 || spaced_)
			return false;
		const std::string_view before = text_.word(word - 1);
		const bool letter = before.size() == 1 && (before[0] < '0' || before[0] > '9');
		const bool number = lines_.is_item(line_) && out_.list.back().begin + 2 >= out_.tokens.size();
		return letter || number || is_abbreviation(before);
	}

	// Ends the statement before the next token if it ends here.
	void put_break(bool lower)
	{
		Break found = pending_;
		if (stopped_ && (spaced_ || wide_stop_) && !abbreviated_ && !(period_ && lower && !wide_stop_))
			found = std::max(found, Break::sentence);
		if (found != Break::none && out_.list.back().begin < out_.tokens.size()) {
			end();
			begin(found);
		}
		pending_ = Break::none;
		stopped_ = wide_stop_ = period_ = abbreviated_ = false;
	}

	void begin(Break before)
	{
		out_.list.push_back({static_cast<std::uint32_t>(out_.tokens.size()), 0, words_, before});
		out_.list.back().is_item = before >= Break::line && lines_.is_item(line_);
		first_line_ = line_;
	}

	void end()
	{
		Statement &statement = out_.list.back();
		statement.end = static_cast<std::uint32_t>(out_.tokens.size());
		if (statement.begin == statement.end)
			return;
		const std::uint32_t last = out_.tokens[statement.end - 1];
		const bool ends_line = pending_ >= Break::line;
		statement.introduces = last == (mark_bit | ':');
		const char32_t mark = (last & mark_bit) != 0 ? last & ~mark_bit : 0;
		const bool open_end = mark == 0 || (!is_stop(mark) && mark != ',' && mark != ';');
		const bool is_short = words_ - statement.first_word <= heading_words && open_end && !statement.is_item &&
			statement.before >= Break::line;
		statement.is_heading = ends_line && (statement.introduces || lines_.is_marked(first_line_) || is_short);
	}

	void put(std::uint32_t token) { out_.tokens.push_back(token); }

	void put_mark(char32_t c, char32_t before, char32_t next)
	{
		if (c == 0x2032 || c == 0x2033) { // feet and inches
			c = c == 0x2032 ? U'\'' : c;
		} else if (is_quote(c)) {
			const bool inches = is_digit(before);
			c = inches ? (folded_quote(c) == '\'' ? U'\'' : 0x2033) : quote;
			if (c == quote && last_mark_ == quote) // '' for "
				return;
		} else if (is_dash(c)) {
			const bool is_minus = is_digit(next) && !is_word_character(before) && c != 0x2014 && c != 0x2015 &&
				before != ')' && before != ']' && !is_dash(before);
			c = is_minus ? minus : dash;
			if (c == dash && last_mark_ == dash)
				return;
		} else if (is_bullet(c)) {
			c = bullet;
		} else if (c >= 0x80 && unicode::canonical_value(c) != unicode::canonical_plain) {
			return put_canonical(c);
		}
		last_mark_ = c;
		put(mark_bit | c);
	}

	void put_canonical(char32_t c)
	{
		std::string bytes;
		append(bytes, c);
		const TextBuffer canonical = canonicalize(bytes, CanonicalOptions{}, stop_);
		for_each_character(canonical, [this](char32_t part) {
			if (!is_space(part))
				put(mark_bit | part);
		});
		last_mark_ = c;
	}

	const TextWords &text_;
	Statements &out_;
	StopToken stop_;
	Lines lines_;
	std::size_t line_ = 0, first_line_ = 0; // the current line, and the line in which the statement begins
	std::uint32_t words_ = 0;               // so far
	// In the gap, since the last token:
	bool stopped_ = false, wide_stop_ = false, period_ = false, abbreviated_ = false; // a full stop; not ASCII; `.`
	bool spaced_ = false;
	Break pending_ = Break::none;
	char32_t last_mark_ = 0; // directly before; 0 behind space or a word
};

} // namespace

Statements::Statements(const TextWords &text, StopToken stop)
{
	StatementReader(text, *this, stop).read();
	if (list.size() > 1 && list.back().begin == list.back().end)
		list.pop_back();
}

std::vector<std::uint32_t> Statements::of_words() const
{
	std::vector<std::uint32_t> of(token_of_word.size());
	std::uint32_t at = 0;
	for (std::size_t i = 0; i < of.size(); ++i) {
		while (at + 1 < list.size() && list[at + 1].begin <= token_of_word[i])
			++at;
		of[i] = at;
	}
	return of;
}

} // namespace txtfp::core
