#include "core/base/numbers.hpp"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <locale.h>
#include <string_view>
#if __has_include(<xlocale.h>)
#include <xlocale.h> // strtod_l on macOS
#endif

namespace txtfp::core {

namespace {

const char *skip_digits(const char *at, const char *end) noexcept
{
	while (at != end && *at >= '0' && *at <= '9')
		++at;
	return at;
}

// The length of `word`, which is in lower case, if the text begins with it in any case; else 0.
std::size_t begins_with(std::string_view text, std::string_view word) noexcept
{
	if (text.size() < word.size())
		return 0;
	for (std::size_t i = 0; i < word.size(); ++i)
		if ((text[i] | 0x20) != word[i])
			return 0;
	return word.size();
}

// The end of the number that the text begins with, or `begin`. strtod would also take blanks, a plus sign and
// hexadecimal numbers.
const char *end_of_number(const char *begin, const char *end) noexcept
{
	const char *const first = begin != end && *begin == '-' ? begin + 1 : begin;
	for (const std::string_view word : {"infinity", "inf", "nan"})
		if (const std::size_t size = begins_with({first, static_cast<std::size_t>(end - first)}, word))
			return first + size;
	const char *at = skip_digits(first, end);
	std::ptrdiff_t digits = at - first;
	if (at != end && *at == '.') {
		const char *const fraction = at + 1;
		at = skip_digits(fraction, end);
		digits += at - fraction;
	}
	if (digits == 0)
		return begin;
	if (at != end && (*at | 0x20) == 'e') {
		const char *const exponent = at + 1 != end && (at[1] == '-' || at[1] == '+') ? at + 2 : at + 1;
		if (const char *const last = skip_digits(exponent, end); last != exponent)
			at = last;
	}
	return at;
}

float converted(const char *text, locale_t c, float) noexcept { return strtof_l(text, nullptr, c); }
double converted(const char *text, locale_t c, double) noexcept { return strtod_l(text, nullptr, c); }

template <class Number> std::from_chars_result convert(const char *begin, const char *end, Number &value) noexcept
{
	static const locale_t c = newlocale(LC_ALL_MASK, "C", nullptr);
	end = end_of_number(begin, end);
	if (end == begin)
		return {begin, std::errc::invalid_argument};
	const auto size = static_cast<std::size_t>(end - begin);
	char buffer[128]; // with the NUL; longer texts are rare
	char *const text = size < sizeof buffer ? buffer : static_cast<char *>(std::malloc(size + 1)); // NOLINT
	if (c == nullptr || text == nullptr)
		return {begin, std::errc::not_enough_memory};
	std::memcpy(text, begin, size);
	text[size] = '\0';
	errno = 0;
	const Number number = converted(text, c, Number{});
	const bool lost = errno == ERANGE && (number == 0 || std::isinf(number));
	if (text != buffer)
		std::free(text); // NOLINT
	if (lost)
		return {end, std::errc::result_out_of_range};
	value = number;
	return {end, std::errc()};
}

} // namespace

std::from_chars_result from_chars_by_strtod(const char *begin, const char *end, float &value) noexcept
{
	return convert(begin, end, value);
}

std::from_chars_result from_chars_by_strtod(const char *begin, const char *end, double &value) noexcept
{
	return convert(begin, end, value);
}

} // namespace txtfp::core
