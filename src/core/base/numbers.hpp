// std::from_chars for every number: libc++ lacks it for float and double.
#pragma once

#include <charconv>
#include <concepts>
#include <version>

namespace txtfp::core {

// By strtof and strtod, in the locale C. Like std::from_chars, without "nan(…)": if the nearest number were infinite,
// or 0 for a text that is not 0, the error is result_out_of_range, and `value` stays as it is.
std::from_chars_result from_chars_by_strtod(const char *begin, const char *end, float &value) noexcept;
std::from_chars_result from_chars_by_strtod(const char *begin, const char *end, double &value) noexcept;

template <class Number> std::from_chars_result from_chars(const char *begin, const char *end, Number &value) noexcept
{
#ifndef __cpp_lib_to_chars
	if constexpr (std::floating_point<Number>)
		return from_chars_by_strtod(begin, end, value);
	else
#endif
		return std::from_chars(begin, end, value);
}

} // namespace txtfp::core
