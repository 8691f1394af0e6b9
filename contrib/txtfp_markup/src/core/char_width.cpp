#include "core/char_width.hpp"

#include <algorithm>
#include <iterator>

#include "core/char_width_table.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::markup {

namespace {

template <typename Range, std::size_t N> const Range *find(const Range (&ranges)[N], char32_t c) noexcept
{
	const Range *range = std::lower_bound(
		std::begin(ranges), std::end(ranges), c, [](const Range &r, char32_t value) { return r.last < value; });
	return range != std::end(ranges) && range->first <= c ? range : nullptr;
}

template <std::size_t N> bool contains(const CharRange (&ranges)[N], char32_t c) noexcept
{
	return find(ranges, c) != nullptr;
}

constexpr bool is_alef(char32_t c) noexcept { return c == 0x622 || c == 0x623 || c == 0x625 || c == 0x627; }

} // namespace

unsigned char_width(char32_t c) noexcept
{
	if (c < 0xAD)
		return c >= 0x20 && (c < 0x7F || c > 0x9F) ? 1 : control_character;
	if (c >= 0x4E00 && c <= 0x9FFF)
		return 2;
	const WidthRange *range = find(width_ranges, c);
	return range == nullptr ? 1 : range->width;
}

std::size_t string_width(std::string_view utf8) noexcept
{
	std::size_t total = 0;
	char32_t before = 0, base = 0; // the last character, and the last one with a width
	bool emoji = false, joined = false;
	for (const char *p = utf8.data(), *const end = p + utf8.size(); p < end;) {
		const core::Decoded d = core::decode(p, end);
		const char32_t c = d.code_point;
		p += d.length;
		unsigned width = char_width(c);
		if (width == control_character)
			width = 0;
		if (c == 0xFE0F && contains(wide_with_fe0f, before)) {
			width = joined ? 0 : 1;
			emoji = true;
		} else if (c == 0xFE0E && contains(narrow_with_fe0e, before)) {
			--total;
		} else if (c == 0x200D) {
			joined = emoji;
		} else if (c >= 0x1F3FB && c <= 0x1F3FF && contains(modifier_bases, before == 0xFE0F ? base : before)) {
			width = contains(wide_with_fe0f, before) ? 1 : 0;
			emoji = true;
		} else if (is_alef(c) && base == 0x644) {
			width = 0;
		} else if (width > 0) {
			const bool continues = before == 0x200D && joined;
			emoji = contains(joined_emoji, c) || (continues && contains(wide_with_fe0f, c));
			if (continues && emoji)
				width = 0;
			joined = continues && emoji;
		}
		if (char_width(c) != 0)
			base = c;
		before = c;
		total += width;
	}
	return total;
}

bool all_white_space(std::string_view text) noexcept
{
	for (const char *p = text.data(), *const end = p + text.size(); p < end;) {
		const core::Decoded d = core::decode(p, end);
		if (!is_white_space(d.code_point))
			return false;
		p += d.length;
	}
	return true;
}

} // namespace txtfp::markup
