// The two drop sets of the canonicalizer: hand-made lists of txtfp, neither general category Cf nor
// Default_Ignorable_Code_Point. format ⊇ bidi.
#pragma once

namespace txtfp::core {

constexpr bool is_bidi_control(char32_t c) noexcept
{
	return c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

constexpr bool is_format_control(char32_t c) noexcept
{
	return c == 0x061C || (c >= 0x180B && c <= 0x180F) || (c >= 0x200B && c <= 0x200F) ||
		(c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x2064) || (c >= 0x2066 && c <= 0x2069) ||
		(c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF || c == 0xE0001 || (c >= 0xE0020 && c <= 0xE007F) ||
		(c >= 0xE0100 && c <= 0xE01EF);
}

} // namespace txtfp::core
