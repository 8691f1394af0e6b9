// Values as text, for failure messages: characters that a terminal would hide or reorder are written as \u{…}.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/text/utf8.hpp"

namespace txtfp::test {

constexpr std::size_t shown_bytes = 400;

inline std::string show_code_point(char32_t c)
{
	char text[16];
	std::snprintf(text, sizeof text, c >= 0x20 && c < 0x7F ? "%c" : "\\u{%X}", static_cast<unsigned>(c));
	return text;
}

inline std::string quoted(std::string_view bytes)
{
	std::string out = "\"";
	const char *end = bytes.data() + std::min(bytes.size(), shown_bytes);
	for (const char *p = bytes.data(); p < end;) {
		const core::Decoded c = core::decode(p, end);
		out += show_code_point(c.code_point);
		p += c.length;
	}
	return out + (bytes.size() > shown_bytes ? "…" : "") + "\"";
}

template <class T> std::string show(const T &value)
{
	if constexpr (std::is_same_v<T, bool>) {
		return value ? "true" : "false";
	} else if constexpr (std::is_enum_v<T>) {
		return "enumerator " + std::to_string(static_cast<long long>(value));
	} else if constexpr (std::is_same_v<T, char32_t>) {
		return show_code_point(value);
	} else if constexpr (std::is_arithmetic_v<T>) {
		return std::to_string(value);
	} else if constexpr (std::convertible_to<T, std::string_view>) {
		return test::quoted(value);
	} else if constexpr (std::is_same_v<T, std::u32string>) {
		std::string utf8;
		for (const char32_t c : value)
			core::append(utf8, c);
		return test::quoted(utf8);
	} else if constexpr (requires {
							 value.begin();
							 value.end();
						 }) {
		std::string out;
		for (const auto &element : value) {
			if (out.size() > shown_bytes)
				return "[" + out + ", …]";
			out += (out.empty() ? "" : ", ") + show(element);
		}
		return "[" + out + "]";
	} else {
		return std::to_string(sizeof value) + " bytes";
	}
}

template <class... T> std::string show_all(const T &...values)
{
	std::string out;
	((out += (out.empty() ? "" : " ") + show(values)), ...);
	return out;
}

// For long strings: shows where they begin to differ.
template <class A, class B> std::string show_difference(const A &actual, const B &expected)
{
	if constexpr (std::convertible_to<A, std::string_view> && std::convertible_to<B, std::string_view>) {
		const std::string_view a = actual, b = expected;
		const auto at =
			static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
		if (std::max(a.size(), b.size()) > shown_bytes)
			return "\n    differ at byte " + std::to_string(at) + ": " + quoted(a.substr(at, 60)) + " and " +
				quoted(b.substr(at, 60));
	}
	return "";
}

} // namespace txtfp::test
