#include "core/text/utf8_stream.hpp"

#include "core/base/bytes.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::core {

namespace {

// The requirements of a first byte: the length of the sequence (0: it begins no code point), and the range of the
// second byte.
struct Lead {
	std::size_t length;
	unsigned char low, high;
};

constexpr Lead lead(unsigned char byte) noexcept
{
	if (byte < 0x80)
		return {1, 0, 0};
	if (byte < 0xC2 || byte > 0xF4)
		return {0, 0, 0};
	if (byte < 0xE0)
		return {2, 0x80, 0xBF};
	if (byte < 0xF0) // no overlong forms, no surrogates
		return {3, static_cast<unsigned char>(byte == 0xE0 ? 0xA0 : 0x80),
			static_cast<unsigned char>(byte == 0xED ? 0x9F : 0xBF)};
	return {4, static_cast<unsigned char>(byte == 0xF0 ? 0x90 : 0x80), // ... and nothing beyond U+10FFFF
		static_cast<unsigned char>(byte == 0xF4 ? 0x8F : 0xBF)};
}

// Counts the bytes that belong to the code point which begins with the first one. `whole` is true if none is missing.
struct CodePoint {
	std::size_t length;
	bool whole, well_formed;
};

CodePoint code_point(std::string_view bytes) noexcept
{
	const Lead wanted = lead(static_cast<unsigned char>(bytes[0]));
	if (wanted.length == 0)
		return {0, false, false};
	for (std::size_t i = 1; i < wanted.length; ++i) {
		if (i == bytes.size())
			return {i, false, true};
		const auto byte = static_cast<unsigned char>(bytes[i]);
		if (i == 1 ? byte < wanted.low || byte > wanted.high : !is_continuation(bytes[i]))
			return {i, false, false};
	}
	return {wanted.length, true, true};
}

} // namespace

Utf8Prefix utf8_prefix(std::string_view bytes) noexcept
{
	constexpr std::uint64_t high_bits = 0x8080808080808080;
	for (std::size_t at = 0;;) {
		const auto word = [&](std::size_t i) { return load_le64(bytes.data() + at + 8 * i); };
		while (bytes.size() - at >= 32 && ((word(0) | word(1) | word(2) | word(3)) & high_bits) == 0)
			at += 32;
		while (bytes.size() - at >= 8 && (word(0) & high_bits) == 0)
			at += 8;
		if (at == bytes.size())
			return {at, true};
		const CodePoint next = code_point(bytes.substr(at));
		if (!next.whole)
			return {at, next.well_formed};
		at += next.length;
	}
}

} // namespace txtfp::core
