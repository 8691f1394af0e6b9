#include "core/compare/text_codes.hpp"

#include "core/compare/word_traits.hpp"

namespace txtfp::core {

namespace {

bool is_mark(char c) noexcept { return c == '.' || c == '_' || c == '\'' || c == ','; }

} // namespace

WordClasses::WordClasses(const ComparedTexts &texts) : classes_(texts.distinct())
{
	for (std::uint32_t number = 0; number < classes_.size(); ++number) {
		const std::string_view word = texts.canonical(number);
		std::uint8_t found = 0;
		if (is_ascii(word))
			for (const char c : word)
				found |= c >= 'a' && c <= 'z' ? letter : c >= '0' && c <= '9' ? digit : is_mark(c) ? marks : 0;
		else
			for_each_character(word, [&](char32_t c) {
				found |= is_digit(c) ? digit : is_letter(c) ? letter : c < 0x80 && is_mark(static_cast<char>(c)) ? marks : 0;
			});
		classes_[number] = found;
	}
}

void append_squashed(std::string &to, std::string_view word, bool has_marks)
{
	if (!has_marks) {
		to += word;
		return;
	}
	for (const char c : word)
		if (!is_mark(c))
			to += c;
}

} // namespace txtfp::core
