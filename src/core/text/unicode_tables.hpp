// Unicode 15.0 properties, compiled in: fingerprints must not change with the operating system's ICU.
// The arrays are written by tools/unicode/generate.cpp into unicode_tables.cpp.
// Source: Unicode Character Database 15.0 through ICU 72, confusables of UTS #39, with tools/unicode/overrides.txt.
#pragma once

#include <cstddef>
#include <cstdint>

namespace txtfp::core::unicode {

// clang-format off

// UAX #29 Word_Break
enum class WordBreak : std::uint8_t {
	other, cr, lf, newline, extend, zwj, format, katakana, hebrew_letter, a_letter, single_quote, double_quote,
	mid_num_let, mid_letter, mid_num, numeric, extend_num_let, regional_indicator, w_seg_space,
};

// UAX #29 Grapheme_Cluster_Break
enum class GraphemeBreak : std::uint8_t {
	other, cr, lf, control, extend, zwj, regional_indicator, prepend, spacing_mark, l, v, t, lv, lvt,
};

// UAX #29 Sentence_Break
enum class SentenceBreak : std::uint8_t {
	other, cr, lf, sep, extend, format, sp, lower, upper, o_letter, numeric, a_term, s_continue, s_term, close,
};

// UAX #44 Indic_Conjunct_Break, for rule GB9c
enum class ConjunctBreak : std::uint8_t { none, consonant, linker, extend };

// clang-format on

// Two-stage tables: value of c = blocks[index[c >> block_shift]][c & block_mask].
constexpr unsigned block_shift = 7;
constexpr unsigned block_size = 1u << block_shift;
constexpr unsigned block_mask = block_size - 1;
constexpr std::size_t index_size = 0x110000 >> block_shift;

// word_blocks: bits 0–4 WordBreak, bit 5 Extended_Pictographic, bit 6 Alphabetic or general category N*
constexpr std::uint8_t word_mask = 0x1F, pictographic_bit = 0x20, alphanumeric_bit = 0x40;
extern const std::uint8_t word_index[index_size];
extern const std::uint8_t word_blocks[][block_size];

// grapheme_blocks: bits 0–3 GraphemeBreak, bits 4–5 ConjunctBreak, bit 6 Extended_Pictographic
constexpr std::uint8_t grapheme_mask = 0x0F, conjunct_shift = 4, conjunct_mask = 3, grapheme_pictographic_bit = 0x40;
extern const std::uint8_t grapheme_index[index_size];
extern const std::uint8_t grapheme_blocks[][block_size];

// sentence_blocks: bits 0–3 SentenceBreak, bit 4 White_Space, bit 5 as alphanumeric_bit of word_blocks, bit 6: a symbol that means
// something (general categories Sm, Sc and So, and some punctuation; see tools/unicode/generate.cpp)
constexpr std::uint8_t sentence_mask = 0x0F, sentence_white_space_bit = 0x10, sentence_alphanumeric_bit = 0x20,
					   sentence_symbol_bit = 0x40;
extern const std::uint8_t sentence_index[index_size];
extern const std::uint8_t sentence_blocks[][block_size];

// canonical_blocks: what the default canonicalizer (nfkc-cf-simple-bidi-fmt) does with a code point.
//   plain       a normalization boundary before it in every form, and it stays as it is
//   dropped     removed before normalization
//   slow        may interact with its neighbours: the segment around it is normalized by the rules
//   mark + ccc  a combining mark of that class which nothing changes and which composes with nothing
//   expanded+i  as plain, but replaced by the UTF-8 string expansions[i] (offset << 8 | length)
// Bit 15 of plain and expanded, which canonical_value leaves out: no boundary before it where confusables are mapped.
constexpr std::uint16_t canonical_plain = 0, canonical_dropped = 1, canonical_slow = 2, canonical_mark = 0x100,
						canonical_expanded = 0x200, canonical_no_skeleton = 0x8000;
extern const std::uint8_t canonical_index[index_size];
extern const std::uint16_t canonical_blocks[][block_size];
extern const std::uint32_t expansions[];
extern const std::uint8_t expansion_bytes[];

// UTS #39 prototypes, in NFD: confusable_keys is sorted; the prototype of key i is
// confusable_prototypes[confusable_offsets[i] … confusable_offsets[i + 1]).
extern const std::size_t confusable_count;
extern const char32_t confusable_keys[];
extern const std::uint16_t confusable_offsets[];
extern const char32_t confusable_prototypes[];

inline std::uint8_t word_value(char32_t c) noexcept
{
	return word_blocks[word_index[c >> block_shift]][c & block_mask];
}
inline std::uint8_t grapheme_value(char32_t c) noexcept
{
	return grapheme_blocks[grapheme_index[c >> block_shift]][c & block_mask];
}
inline std::uint8_t sentence_value(char32_t c) noexcept
{
	return sentence_blocks[sentence_index[c >> block_shift]][c & block_mask];
}
inline std::uint16_t canonical_value(char32_t c) noexcept
{
	return canonical_blocks[canonical_index[c >> block_shift]][c & block_mask] & (canonical_no_skeleton - 1);
}
inline bool breaks_skeleton(char32_t c) noexcept
{
	return (canonical_blocks[canonical_index[c >> block_shift]][c & block_mask] & canonical_no_skeleton) != 0;
}

} // namespace txtfp::core::unicode
