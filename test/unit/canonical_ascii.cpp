#include "core/text/canonical_ascii.hpp"

#include <random>
#include <string>

#include "unit/check.hpp"

using namespace txtfp::core;

namespace {

// By the definition: the lower-cased ASCII prefix.
std::string ascii_prefix_lower(std::string_view text)
{
	std::string out;
	for (const char c : text) {
		if (static_cast<unsigned char>(c) >= 0x80)
			break;
		out.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
	}
	return out;
}

// Copies the text to the end of buffers of exactly its size, so that the sanitizer detects reads and writes beyond it.
void check_against_reference(const std::string &text)
{
	const std::string expected = ascii_prefix_lower(text);
	const std::vector<char> in(text.begin(), text.end());
	std::vector<char> out(text.size());
	CHECK_EQ(lower_ascii(in.data(), in.size(), out.data()), expected.size(), text);
	CHECK_EQ(std::string(out.data(), expected.size()), expected, text);
	if (text.size() < ascii_block)
		return;
	for (const SimdLevel level : usable_simd_levels()) {
		const std::string which = name(level);
		out.assign(text.size(), '?');
		const std::size_t done = lower_ascii_blocks(level, in.data(), in.size(), out.data());
		CHECK_EQ(done == text.size() || done % ascii_block == 0, true, which, text);
		CHECK_EQ(done <= expected.size(), true, which, text);
		CHECK_EQ(std::string(out.data(), done), expected.substr(0, done), which, text);
#if defined(__x86_64__)
		constexpr bool always_has_kernel = true;
#else
		constexpr bool always_has_kernel = false;
#endif
		if (always_has_kernel || level != SimdLevel::baseline)
			CHECK_EQ(expected.size() - done < ascii_block, true, which, text);
	}
}

} // namespace

TEST(canonical_ascii_every_byte_at_every_place)
{
	for (int byte = 0; byte < 256; ++byte)
		for (std::size_t at = 0; at < 150; at += at < 80 ? 1 : 13) {
			std::string text(150, 'Q');
			text[at] = static_cast<char>(byte);
			check_against_reference(text);
		}
}

TEST(canonical_ascii_every_size)
{
	std::mt19937_64 random(1);
	for (std::size_t size = 0; size < 300; ++size) {
		std::string text;
		while (text.size() < size)
			text.push_back(static_cast<char>(random() % 0x80));
		check_against_reference(text);
		if (size > 0) {
			text[random() % size] = static_cast<char>(0x80 | random());
			check_against_reference(text);
		}
	}
}
