#include "core/layout.hpp"

#include <algorithm>
#include <utility>

#include "core/char_width.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::markup {

namespace {

// Calls fn(code point, bytes) for each character.
template <class Fn> void for_each_character(std::string_view text, Fn fn)
{
	for (const char *p = text.data(), *const end = p + text.size(); p < end;) {
		const core::Decoded d = core::decode(p, end);
		fn(d.code_point, std::string_view(p, d.length));
		p += d.length;
	}
}

// Strikes through every visible character.
std::string struck(std::string_view text)
{
	std::string out;
	for_each_character(text, [&](char32_t c, std::string_view bytes) {
		out += bytes;
		const unsigned width = char_width(c);
		if (width != 0 && width != control_character)
			out += "\u0336";
	});
	return out;
}

// Printable ASCII, and lead bytes of blocks without white space, control characters and U+200B
constexpr bool is_plain(unsigned char c) noexcept
{
	return (c > 0x20 && c < 0x7F) || (c >= 0x80 && c != 0xC2 && c != 0xE1 && c != 0xE2 && c != 0xE3);
}

} // namespace

void Layout::reset(std::size_t width)
{
	width_ = width;
	text_.clear();
	lines_.clear();
	borders_.clear();
	overhang_.clear();
	word_.clear();
	line_begin_ = line_width_ = word_width_ = blanks_ = 0;
	pre_blanks_ = in_word_ = has_content_ = at_block_end_ = false;
	pre_ = strikes_ = 0;
}

void Layout::inline_text(std::string_view text)
{
	if (at_block_end_) {
		if (pre_ == 0 && all_white_space(text))
			return;
		start_block();
	}
	std::string changed;
	for (unsigned i = 0; i < strikes_; ++i) {
		budget_->charge(3 * text.size());
		changed = struck(text);
		text = changed;
	}
	if (pre_ > 0) {
		if (in_word_)
			flush_word();
		pre_text(text);
	} else if (width_ == unlimited) {
		if (!word_.empty())
			flush_word();
		unlimited_text(text);
	} else {
		limited_text(text);
	}
}

// Copies characters that cannot end the word; p points to a plain character.
const char *Layout::copy_word(const char *p, const char *end)
{
	if (!in_word_) {
		if (blanks_ > 0)
			text_ += ' ';
		blanks_ = 0;
		in_word_ = true;
		word_width_ = 0;
	}
	const char *from = p;
	do
		++p;
	while (p < end && is_plain(static_cast<unsigned char>(*p)));
	text_.append(from, p);
	// A word of combining marks only has no width.
	if (word_width_ == 0)
		word_width_ = static_cast<unsigned char>(*from) < 0x80 ? 1 : string_width({from, p});
	return p;
}

void Layout::unlimited_text(std::string_view text)
{
	for (const char *p = text.data(), *const end = p + text.size(); p < end;) {
		const unsigned char byte = static_cast<unsigned char>(*p);
		if (is_plain(byte)) {
			p = copy_word(p, end);
			continue;
		}
		const core::Decoded d = core::decode(p, end);
		const char32_t c = d.code_point;
		if (c == 0x200B || is_collapsible(c)) {
			if (in_word_ && word_width_ > 0) {
				in_word_ = false;
				line_width_ = 1;
			}
			if (c != 0x200B && line_width_ > 0 && !in_word_)
				blanks_ = 1;
		} else if (const unsigned width = char_width(c); width != control_character) {
			if (!in_word_) {
				if (blanks_ > 0)
					text_ += ' ';
				blanks_ = 0;
				in_word_ = true;
				word_width_ = 0;
			}
			text_.append(p, d.length);
			word_width_ += width;
		}
		p += d.length;
	}
}

void Layout::add_to_word(std::string_view bytes, unsigned width)
{
	word_ += bytes;
	word_width_ += width;
}

void Layout::limited_text(std::string_view text)
{
	for_each_character(text, [this](char32_t c, std::string_view bytes) {
		const bool blank = is_collapsible(c);
		if ((blank || c == 0x200B) && word_width_ > 0)
			flush_word();
		if (c == 0x200B)
			return;
		if (blank) {
			if (line_width_ > 0 && blanks_ == 0) {
				blanks_ = 1;
				pre_blanks_ = false;
			}
		} else if (const unsigned width = char_width(c); width != control_character) {
			add_to_word(bytes, width);
		}
	});
}

void Layout::pre_text(std::string_view text)
{
	for_each_character(text, [this](char32_t c, std::string_view bytes) {
		if (c == '\n') {
			flush_word();
			finish_line();
			blanks_ = 0;
		} else if (c == '\t') {
			add_tab();
		} else if (const unsigned width = char_width(c); width != control_character && c != 0x200B) {
			if (word_.empty() && is_collapsible(c)) {
				blanks_ += width;
				pre_blanks_ = true;
			} else {
				add_to_word(bytes, width);
			}
		}
	});
}

// Writes blanks up to the next multiple of eight columns at once, even before blanks that wait for a word.
void Layout::add_tab()
{
	flush_word();
	std::size_t column = line_width_ + blanks_;
	bool written = false;
	while (column % 8 != 0 || !written) {
		if (column >= width_) {
			if (!current_line().empty())
				finish_line();
			column = 0;
			if (width_ == 0)
				break;
		} else {
			add_blanks(1);
			++column;
			written = true;
		}
	}
}

void Layout::add_blanks(std::size_t n)
{
	text_.append(n, ' ');
	line_width_ += n;
}

void Layout::flush_word()
{
	if (in_word_) { // unlimited_text has already written the word
		in_word_ = false;
		line_width_ += word_width_;
		word_width_ = 0;
		return;
	}
	if (!word_.empty()) {
		const std::size_t left = width_ > line_width_ ? width_ - line_width_ : 0;
		if (blanks_ + word_width_ <= left) {
			add_blanks(blanks_);
			text_ += word_;
			line_width_ += string_width(word_);
		} else {
			if (!pre_blanks_) {
				blanks_ = 0;
			} else if (blanks_ >= left) {
				blanks_ -= left;
			} else {
				add_blanks(blanks_);
				blanks_ = 0;
			}
			if (!current_line().empty())
				finish_line();
			while (blanks_ > 0) {
				const std::size_t n = std::min(blanks_, std::max<std::size_t>(width_, 1));
				add_blanks(n);
				if (n == width_)
					finish_line();
				blanks_ -= n;
			}
			wrap_word();
		}
		blanks_ = 0;
		word_.clear();
	}
	word_width_ = 0;
}

// Cuts the word at the end of the line. A character wider than a line gets a line of its own.
void Layout::wrap_word()
{
	std::size_t left = width_ > line_width_ ? width_ - line_width_ : 0;
	std::string_view rest = word_;
	while (string_width(rest) > left) {
		std::size_t n = 0;
		while (n < rest.size()) {
			const core::Decoded d = core::decode(rest.data() + n, rest.data() + rest.size());
			const std::size_t width = char_width(d.code_point);
			if (width > left && !(n == 0 && line_width_ == 0))
				break;
			n += d.length;
			left -= std::min(width, left);
		}
		text_ += rest.substr(0, n);
		rest.remove_prefix(n);
		finish_line();
		left = width_;
		if (rest.empty())
			return;
	}
	text_ += rest;
	line_width_ += string_width(rest);
}

void Layout::finish_line()
{
	const std::size_t length = text_.size() - line_begin_;
	has_content_ |= length > 0;
	budget_->charge(length + 1);
	if (lines_.size() % 4096 == 4095)
		stop_.check();
	lines_.push_back({line_begin_, length, no_border});
	text_ += '\n';
	line_begin_ = text_.size();
	line_width_ = 0;
}

void Layout::flush()
{
	flush_word();
	blanks_ = 0;
	if (!current_line().empty())
		finish_line();
	line_width_ = 0;
}

void Layout::add_line(std::string_view text)
{
	text_ += text;
	finish_line();
}

void Layout::start_block()
{
	flush();
	if (has_content_)
		finish_line();
	at_block_end_ = false;
}

void Layout::line_break()
{
	const bool begun = word_width_ > 0 || line_width_ > 0;
	flush();
	if (!begun) {
		finish_line();
		at_block_end_ = false;
	}
}

void Layout::add_border_line(Border border)
{
	has_content_ |= !border.has_holes();
	budget_->charge(3 * border.size() + 1);
	lines_.push_back({text_.size(), 0, static_cast<std::int32_t>(borders_.size())});
	borders_.push_back(std::move(border));
}

void Layout::add_border(Border border)
{
	flush();
	add_border_line(std::move(border));
}

std::string Layout::line_text(std::size_t i) const
{
	const Line &line = lines_[i];
	return line.border == no_border ? text_.substr(line.begin, line.length)
									: borders_[static_cast<std::size_t>(line.border)].text();
}

void Layout::append(Layout &inner, std::string_view first_prefix, std::string_view prefix)
{
	flush();
	inner.flush();
	for (std::size_t i = 0; i < inner.lines_.size(); ++i) {
		text_ += i == 0 ? first_prefix : prefix;
		const Line &line = inner.lines_[i];
		if (line.border == no_border)
			text_.append(inner.text_, line.begin, line.length);
		else
			text_ += inner.borders_[static_cast<std::size_t>(line.border)].text();
		finish_line();
	}
}

bool Layout::empty() const noexcept { return lines_.empty() && line_width_ == 0 && word_width_ == 0; }

std::string Layout::extract_text()
{
	flush();
	if (borders_.empty())
		return std::move(text_);
	std::string out;
	out.reserve(text_.size());
	for (std::size_t i = 0; i < lines_.size(); ++i) {
		const Line &line = lines_[i];
		if (line.border == no_border)
			out.append(text_, line.begin, line.length);
		else
			out += borders_[static_cast<std::size_t>(line.border)].text();
		out += '\n';
	}
	return out;
}

} // namespace txtfp::markup
