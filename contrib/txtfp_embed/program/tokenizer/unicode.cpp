#include "program/tokenizer/unicode.hpp"

#include <algorithm>

#include <unicode/uchar.h>

#include "core/text/normalize.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::embed::unicode {

namespace {

bool contains(const CodePointRange *ranges, std::size_t size, char32_t c) noexcept
{
	const CodePointRange *end = ranges + size;
	const CodePointRange *range =
		std::lower_bound(ranges, end, c, [](const CodePointRange &r, char32_t value) { return r.last < value; });
	return range != end && range->first <= c;
}

// The package normalizes with tables of Unicode 9.0.
bool is_younger(char32_t c) noexcept
{
	UVersionInfo age;
	u_charAge(static_cast<UChar32>(c), age);
	return age[0] > 9;
}

std::u32string normalized_run(const std::u32string &run, Form form)
{
	using core::Normalization;
	switch (form) {
	case Form::nfc:
		return core::normalize(run, Normalization::nfc);
	case Form::nfkc:
		return core::normalize(run, Normalization::nfkc);
	case Form::nfd:
		return core::decompose_canonically(run);
	case Form::nfkd:
		return core::decompose_canonically(core::normalize(run, Normalization::nfkc));
	}
	return run;
}

void flush(std::u32string &run, Form form, std::string &out)
{
	for (const char32_t c : normalized_run(run, form))
		core::append(out, c);
	run.clear();
}

} // namespace

bool is_white_space(char32_t c) noexcept
{
	return c < 0x80 ? c == ' ' || (c >= 9 && c <= 13) : contains(white_space, white_space_size, c);
}

bool is_bert_removed(char32_t c) noexcept
{
	return c >= 0x20 && c < 0x7F ? false : contains(bert_removed, bert_removed_size, c);
}

bool is_bert_white_space(char32_t c) noexcept
{
	return c == ' ' || contains(bert_white_space, bert_white_space_size, c);
}

bool is_bert_accent(char32_t c) noexcept { return c >= 0x300 && contains(bert_accents, bert_accents_size, c); }

bool is_combining_mark(char32_t c) noexcept { return c >= 0x300 && contains(combining_marks, combining_marks_size, c); }

bool is_punctuation(char32_t c) noexcept { return contains(punctuation, punctuation_size, c); }

bool is_numeric(char32_t c) noexcept { return c < 0x80 ? c >= '0' && c <= '9' : contains(numeric, numeric_size, c); }

bool is_word_character(char32_t c) noexcept { return contains(word_characters, word_characters_size, c); }

bool is_cjk_ideograph(char32_t c) noexcept
{
	return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2A6DF) ||
		(c >= 0x2A700 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) || (c >= 0xF900 && c <= 0xFAFF) ||
		(c >= 0x2F800 && c <= 0x2FA1F);
}

void append_lower(std::string &out, char32_t c)
{
	if (c < 0x80) {
		out.push_back(static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c));
		return;
	}
	if (c == 0x130) { // the only one that becomes two characters
		out.append("i\xCC\x87");
		return;
	}
	const LowerCaseRun *end = lower_case_runs + lower_case_runs_size;
	const LowerCaseRun *run =
		std::lower_bound(lower_case_runs, end, c, [](const LowerCaseRun &r, char32_t value) { return r.last < value; });
	if (run != end && run->first <= c && (c - run->first) % static_cast<char32_t>(run->stride) == 0)
		c = static_cast<char32_t>(static_cast<std::int64_t>(c) + run->delta);
	core::append(out, c);
}

std::string normalized(std::string_view utf8, Form form)
{
	if (std::all_of(utf8.begin(), utf8.end(), [](char byte) { return static_cast<signed char>(byte) >= 0; }))
		return std::string(utf8);
	std::string out;
	out.reserve(utf8.size());
	std::u32string run;
	const char *p = utf8.data(), *end = p + utf8.size();
	while (p < end) {
		const core::Decoded c = core::decode(p, end);
		p += c.length;
		if (c.code_point >= 0x80 && is_younger(c.code_point)) {
			flush(run, form, out);
			core::append(out, c.code_point);
		} else {
			run.push_back(c.code_point);
		}
	}
	flush(run, form, out);
	return out;
}

} // namespace txtfp::embed::unicode
