// Writes src/core/text/unicode_tables.cpp from ICU 72 (Unicode 15.0) and overrides.txt. Run by `make unicode-tables`;
// needs libicu-dev 72 (Debian 12) and rejects any other Unicode version.
//   generate overrides.txt > unicode_tables.cpp
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uspoof.h>
#include <unicode/ustring.h>

#include "core/text/canonical_sets.hpp"
#include "core/text/unicode_tables.hpp"
#include "core/text/utf8.hpp"

using namespace txtfp::core;
using namespace txtfp::core::unicode;
using Text = std::u32string;

namespace {

constexpr char32_t end_of_unicode = 0x110000;

[[noreturn]] void die(const std::string &message)
{
	std::fprintf(stderr, "generate: %s\n", message.c_str());
	std::exit(1);
}

void check(UErrorCode code, const char *what)
{
	if (U_FAILURE(code))
		die(std::string(what) + ": " + u_errorName(code));
}

std::u16string to_utf16(const Text &text)
{
	std::u16string out(2 * text.size() + 1, u'\0');
	UErrorCode code = U_ZERO_ERROR;
	int32_t n = 0;
	u_strFromUTF32(out.data(), out.size(), &n, reinterpret_cast<const UChar32 *>(text.data()), text.size(), &code);
	check(code, "u_strFromUTF32");
	out.resize(n);
	return out;
}

Text to_utf32(const std::u16string &text)
{
	Text out(text.size() + 1, U'\0');
	UErrorCode code = U_ZERO_ERROR;
	int32_t n = 0;
	u_strToUTF32(reinterpret_cast<UChar32 *>(out.data()), out.size(), &n, text.data(), text.size(), &code);
	check(code, "u_strToUTF32");
	out.resize(n);
	return out;
}

struct Icu {
	const UNormalizer2 *nfc, *nfkc, *nfd;
	USpoofChecker *spoof;

	Icu()
	{
		UErrorCode code = U_ZERO_ERROR;
		nfc = unorm2_getNFCInstance(&code);
		nfkc = unorm2_getNFKCInstance(&code);
		nfd = unorm2_getNFDInstance(&code);
		spoof = uspoof_open(&code);
		check(code, "ICU");
	}
	static Text normalize(const UNormalizer2 *form, const Text &text)
	{
		const std::u16string in = to_utf16(text);
		std::u16string out(20 * in.size() + 20, u'\0');
		UErrorCode code = U_ZERO_ERROR;
		out.resize(unorm2_normalize(form, in.data(), in.size(), out.data(), out.size(), &code));
		check(code, "unorm2_normalize");
		return to_utf32(out);
	}
	static Text fold(const Text &text)
	{
		const std::u16string in = to_utf16(text);
		std::u16string out(4 * in.size() + 4, u'\0');
		UErrorCode code = U_ZERO_ERROR;
		out.resize(u_strFoldCase(out.data(), out.size(), in.data(), in.size(), U_FOLD_CASE_DEFAULT, &code));
		check(code, "u_strFoldCase");
		return to_utf32(out);
	}
	Text skeleton(char32_t c) const
	{
		const std::u16string in = to_utf16(Text(1, c));
		std::u16string out(200, u'\0');
		UErrorCode code = U_ZERO_ERROR;
		out.resize(uspoof_getSkeleton(spoof, 0, in.data(), in.size(), out.data(), out.size(), &code));
		check(code, "uspoof_getSkeleton");
		return to_utf32(out);
	}
};

bool is_surrogate(char32_t c) { return c >= 0xD800 && c <= 0xDFFF; }

struct Properties {
	std::vector<std::uint8_t> word, grapheme, sentence;
	std::vector<std::uint16_t> canonical;
	std::map<char32_t, Text> confusable;
	std::vector<std::uint32_t> expansions;
	std::string expansion_bytes;

	Properties() : word(end_of_unicode), grapheme(end_of_unicode), sentence(end_of_unicode), canonical(end_of_unicode)
	{
	}
};

const std::map<std::string, WordBreak> word_names = {
	{"ALetter", WordBreak::a_letter}, {"Numeric", WordBreak::numeric}, {"Other", WordBreak::other}};
const std::map<std::string, GraphemeBreak> grapheme_names = {
	{"Extend", GraphemeBreak::extend}, {"SpacingMark", GraphemeBreak::spacing_mark}, {"Other", GraphemeBreak::other}};
const std::map<std::string, SentenceBreak> sentence_names = {{"SContinue", SentenceBreak::s_continue},
	{"STerm", SentenceBreak::s_term}, {"OLetter", SentenceBreak::o_letter}, {"Numeric", SentenceBreak::numeric}};

WordBreak icu_word(char32_t c)
{
	switch (u_getIntPropertyValue(c, UCHAR_WORD_BREAK)) {
	case U_WB_CR:
		return WordBreak::cr;
	case U_WB_LF:
		return WordBreak::lf;
	case U_WB_NEWLINE:
		return WordBreak::newline;
	case U_WB_EXTEND:
		return WordBreak::extend;
	case U_WB_ZWJ:
		return WordBreak::zwj;
	case U_WB_FORMAT:
		return WordBreak::format;
	case U_WB_KATAKANA:
		return WordBreak::katakana;
	case U_WB_HEBREW_LETTER:
		return WordBreak::hebrew_letter;
	case U_WB_ALETTER:
		return WordBreak::a_letter;
	case U_WB_SINGLE_QUOTE:
		return WordBreak::single_quote;
	case U_WB_DOUBLE_QUOTE:
		return WordBreak::double_quote;
	case U_WB_MIDNUMLET:
		return WordBreak::mid_num_let;
	case U_WB_MIDLETTER:
		return WordBreak::mid_letter;
	case U_WB_MIDNUM:
		return WordBreak::mid_num;
	case U_WB_NUMERIC:
		return WordBreak::numeric;
	case U_WB_EXTENDNUMLET:
		return WordBreak::extend_num_let;
	case U_WB_REGIONAL_INDICATOR:
		return WordBreak::regional_indicator;
	case U_WB_WSEGSPACE:
		return WordBreak::w_seg_space;
	default:
		return WordBreak::other;
	}
}

GraphemeBreak icu_grapheme(char32_t c)
{
	switch (u_getIntPropertyValue(c, UCHAR_GRAPHEME_CLUSTER_BREAK)) {
	case U_GCB_CR:
		return GraphemeBreak::cr;
	case U_GCB_LF:
		return GraphemeBreak::lf;
	case U_GCB_CONTROL:
		return GraphemeBreak::control;
	case U_GCB_EXTEND:
		return GraphemeBreak::extend;
	case U_GCB_ZWJ:
		return GraphemeBreak::zwj;
	case U_GCB_REGIONAL_INDICATOR:
		return GraphemeBreak::regional_indicator;
	case U_GCB_PREPEND:
		return GraphemeBreak::prepend;
	case U_GCB_SPACING_MARK:
		return GraphemeBreak::spacing_mark;
	case U_GCB_L:
		return GraphemeBreak::l;
	case U_GCB_V:
		return GraphemeBreak::v;
	case U_GCB_T:
		return GraphemeBreak::t;
	case U_GCB_LV:
		return GraphemeBreak::lv;
	case U_GCB_LVT:
		return GraphemeBreak::lvt;
	default:
		return GraphemeBreak::other;
	}
}

SentenceBreak icu_sentence(char32_t c)
{
	switch (u_getIntPropertyValue(c, UCHAR_SENTENCE_BREAK)) {
	case U_SB_CR:
		return SentenceBreak::cr;
	case U_SB_LF:
		return SentenceBreak::lf;
	case U_SB_SEP:
		return SentenceBreak::sep;
	case U_SB_EXTEND:
		return SentenceBreak::extend;
	case U_SB_FORMAT:
		return SentenceBreak::format;
	case U_SB_SP:
		return SentenceBreak::sp;
	case U_SB_LOWER:
		return SentenceBreak::lower;
	case U_SB_UPPER:
		return SentenceBreak::upper;
	case U_SB_OLETTER:
		return SentenceBreak::o_letter;
	case U_SB_NUMERIC:
		return SentenceBreak::numeric;
	case U_SB_ATERM:
		return SentenceBreak::a_term;
	case U_SB_SCONTINUE:
		return SentenceBreak::s_continue;
	case U_SB_STERM:
		return SentenceBreak::s_term;
	case U_SB_CLOSE:
		return SentenceBreak::close;
	default:
		return SentenceBreak::other;
	}
}

// What means something although it is no letter and no number: symbols for mathematics, currencies and the like, and
// some punctuation.
// Modifier symbols other than ^ are accents and quotation marks.
bool is_symbol(char32_t c)
{
	constexpr std::u32string_view others = U"^#%&@\u00A7\u0609\u060A\u066A\u2030\u2031\u2032\u2033\u2034";
	return (U_GET_GC_MASK(c) & (U_GC_SM_MASK | U_GC_SC_MASK | U_GC_SO_MASK)) != 0 || others.find(c) != others.npos;
}

void read_properties(const Icu &icu, Properties &p)
{
	for (char32_t c = 0; c < end_of_unicode; ++c) {
		const bool pictographic = u_hasBinaryProperty(c, UCHAR_EXTENDED_PICTOGRAPHIC);
		const bool number = (U_GET_GC_MASK(c) & U_GC_N_MASK) != 0;
		const bool alphanumeric = number || u_hasBinaryProperty(c, UCHAR_ALPHABETIC);
		p.word[c] = static_cast<std::uint8_t>(icu_word(c)) | (pictographic ? pictographic_bit : 0) |
			(alphanumeric ? alphanumeric_bit : 0);
		p.grapheme[c] = static_cast<std::uint8_t>(icu_grapheme(c)) | (pictographic ? grapheme_pictographic_bit : 0);
		p.sentence[c] = static_cast<std::uint8_t>(icu_sentence(c)) |
			(u_isUWhiteSpace(c) ? sentence_white_space_bit : 0) | (is_symbol(c) ? sentence_symbol_bit : 0);
		if (is_surrogate(c) || Icu::normalize(icu.nfd, Text(1, c)) != Text(1, c))
			continue; // prototypes are looked up in NFD text only
		const Text skeleton = icu.skeleton(c);
		if (skeleton != Text(1, c))
			p.confusable[c] = skeleton;
	}
}

void apply_override(const Icu &icu, Properties &p, std::istringstream &line, const std::string &property)
{
	char32_t first = 0, last = 0;
	line >> std::hex >> reinterpret_cast<std::uint32_t &>(first) >> reinterpret_cast<std::uint32_t &>(last);
	std::string value;
	std::getline(line >> std::ws, value);
	for (char32_t c = first; c <= last; ++c) {
		const auto set_bit = [&](std::uint8_t &byte, std::uint8_t bit) {
			byte = static_cast<std::uint8_t>(value == "1" ? byte | bit : byte & ~bit);
		};
		if (property == "word") {
			p.word[c] = (p.word[c] & ~word_mask) | static_cast<std::uint8_t>(word_names.at(value));
		} else if (property == "grapheme") {
			p.grapheme[c] = (p.grapheme[c] & ~grapheme_mask) | static_cast<std::uint8_t>(grapheme_names.at(value));
		} else if (property == "sentence") {
			p.sentence[c] = (p.sentence[c] & ~sentence_mask) | static_cast<std::uint8_t>(sentence_names.at(value));
		} else if (property == "pictographic") {
			set_bit(p.word[c], pictographic_bit);
			set_bit(p.grapheme[c], grapheme_pictographic_bit);
		} else if (property == "alphanumeric") {
			set_bit(p.word[c], alphanumeric_bit);
		} else if (property == "confusable") {
			Text prototype;
			std::istringstream in(value);
			for (std::uint32_t x; in >> std::hex >> x;)
				prototype.push_back(x);
			p.confusable[c] = Icu::normalize(icu.nfd, prototype);
		} else if (property == "incb") {
			if (u_charType(c) == U_UNASSIGNED)
				continue;
			const auto conjunct = value == "linker" ? ConjunctBreak::linker : ConjunctBreak::consonant;
			p.grapheme[c] |= static_cast<std::uint8_t>(conjunct) << conjunct_shift;
		} else {
			die("unknown property " + property);
		}
	}
}

void read_overrides(const Icu &icu, Properties &p, const char *path)
{
	std::ifstream file(path);
	if (!file)
		die(std::string("cannot open ") + path);
	for (std::string text; std::getline(file, text);) {
		std::istringstream line(text);
		std::string property;
		if (line >> property && property[0] != '#')
			apply_override(icu, p, line, property);
	}
	for (char32_t c = 0; c < end_of_unicode; ++c)
		if ((p.word[c] & alphanumeric_bit) != 0)
			p.sentence[c] |= sentence_alphanumeric_bit;
	// InCB=Extend: every Extend or ZWJ character that is not a linker, except ZWNJ
	for (char32_t c = 0; c < end_of_unicode; ++c) {
		const auto gcb = static_cast<GraphemeBreak>(p.grapheme[c] & grapheme_mask);
		const bool extends = gcb == GraphemeBreak::extend || gcb == GraphemeBreak::zwj;
		if (extends && c != 0x200C && (p.grapheme[c] >> conjunct_shift & conjunct_mask) == 0)
			p.grapheme[c] |= static_cast<std::uint8_t>(ConjunctBreak::extend) << conjunct_shift;
	}
}

// True if all forms of c begin with a code point for which `starts` is true: c itself, folded, NFKC, and NFKC folded.
template <class Starts> bool all_forms_start(const Icu &icu, char32_t c, Starts starts)
{
	const Text nfkc = Icu::normalize(icu.nfkc, Text(1, c));
	return starts(c) && starts(Icu::fold(Text(1, c))[0]) && starts(nfkc[0]) && starts(Icu::fold(nfkc)[0]);
}

// True if there is a normalization boundary before c in NFC and NFKC, also after folding.
bool is_boundary(const Icu &icu, char32_t c)
{
	return all_forms_start(icu, c, [&](char32_t x) {
		return unorm2_hasBoundaryBefore(icu.nfc, x) && unorm2_hasBoundaryBefore(icu.nfkc, x) &&
			u_getCombiningClass(Icu::normalize(icu.nfd, Text(1, x))[0]) == 0;
	});
}

// True if it is still a boundary after the skeleton mapping.
bool starts_skeleton(const Icu &icu, const Properties &p, char32_t c)
{
	return all_forms_start(icu, c, [&](char32_t x) {
		const auto prototype = p.confusable.find(Icu::normalize(icu.nfd, Text(1, x))[0]);
		return prototype == p.confusable.end() || u_getCombiningClass(prototype->second[0]) == 0;
	});
}

std::uint16_t expansion(Properties &p, std::map<std::string, std::uint16_t> &known, const Text &text)
{
	std::string bytes;
	for (char32_t c : text)
		append(bytes, c);
	const auto [at, fresh] = known.try_emplace(bytes, static_cast<std::uint16_t>(p.expansions.size()));
	if (fresh) {
		std::size_t offset = p.expansion_bytes.find(bytes);
		if (offset == std::string::npos) {
			offset = p.expansion_bytes.size();
			p.expansion_bytes += bytes;
		}
		if (bytes.size() > 255 || offset >= 1u << 24)
			die("expansion too long");
		p.expansions.push_back(static_cast<std::uint32_t>(offset << 8 | bytes.size()));
	}
	return at->second;
}

void classify_canonical(const Icu &icu, Properties &p)
{
	std::map<std::string, std::uint16_t> known;
	for (char32_t c = 0; c < end_of_unicode; ++c) {
		const Text self(1, c);
		if (is_surrogate(c) || u_charType(c) == U_UNASSIGNED)
			continue; // passes through unchanged
		if (is_format_control(c)) {
			p.canonical[c] = canonical_dropped;
			continue;
		}
		const Text once = Icu::normalize(icu.nfkc, self);
		const Text out = Icu::normalize(icu.nfkc, Icu::fold(once));
		const bool composes = u_getIntPropertyValue(c, UCHAR_NFC_QUICK_CHECK) != UNORM_YES ||
			u_getIntPropertyValue(c, UCHAR_NFKC_QUICK_CHECK) != UNORM_YES;
		if (u_getCombiningClass(c) != 0)
			p.canonical[c] = !composes && out == self ? canonical_mark + u_getCombiningClass(c) : canonical_slow;
		else if (!is_boundary(icu, c) || u_getCombiningClass(once.back()) != 0 || u_getCombiningClass(out.back()) != 0)
			p.canonical[c] = canonical_slow;
		else if (out != self)
			p.canonical[c] = canonical_expanded + expansion(p, known, out);
	}
	const auto no_skeleton = [&p](char32_t c) {
		if (p.canonical[c] == canonical_plain || p.canonical[c] >= canonical_expanded)
			p.canonical[c] |= canonical_no_skeleton;
	};
	// A composite begins with its base: if there is no boundary before the composite, there is none before the base.
	for (char32_t c = 0; c < end_of_unicode; ++c) {
		if (is_surrogate(c) || u_charType(c) == U_UNASSIGNED)
			continue;
		const Text nfd = Icu::normalize(icu.nfd, Text(1, c));
		const bool composite = nfd.size() > 1 && u_getCombiningClass(nfd[0]) == 0;
		if (composite && !is_boundary(icu, c))
			p.canonical[nfd[0]] = canonical_slow;
		if (!starts_skeleton(icu, p, c)) {
			no_skeleton(c);
			if (composite)
				no_skeleton(nfd[0]);
		}
	}
}

template <class T> void write_array(const char *type, const std::string &name, const std::vector<T> &values)
{
	std::printf("const %s %s = {", type, name.c_str());
	for (std::size_t i = 0; i < values.size(); ++i)
		std::printf("%s%#lx,", i % 24 == 0 ? "\n\t" : "", static_cast<unsigned long>(values[i]));
	std::printf("\n};\n\n");
}

template <class T> void write_two_stage(const char *type, const std::string &name, const std::vector<T> &values)
{
	std::map<std::vector<T>, std::size_t> blocks;
	std::vector<std::uint8_t> index;
	std::vector<std::vector<T>> order;
	for (std::size_t i = 0; i < values.size(); i += block_size) {
		std::vector<T> block(values.begin() + i, values.begin() + i + block_size);
		const auto [at, fresh] = blocks.try_emplace(block, order.size());
		if (fresh)
			order.push_back(block);
		if (at->second > 255)
			die("too many blocks in " + name);
		index.push_back(static_cast<std::uint8_t>(at->second));
	}
	write_array("std::uint8_t", name + "_index[index_size]", index);
	std::printf("const %s %s_blocks[][block_size] = {\n", type, name.c_str());
	for (const auto &block : order) {
		std::printf("\t{");
		for (std::size_t i = 0; i < block.size(); ++i)
			std::printf("%s%#lx,", i % 24 == 0 ? "\n\t\t" : "", static_cast<unsigned long>(block[i]));
		std::printf("\n\t},\n");
	}
	std::printf("};\n\n");
}

void write_confusables(const Properties &p)
{
	std::vector<char32_t> keys, prototypes;
	std::vector<std::uint16_t> offsets;
	for (const auto &[key, prototype] : p.confusable) {
		keys.push_back(key);
		offsets.push_back(static_cast<std::uint16_t>(prototypes.size()));
		prototypes.insert(prototypes.end(), prototype.begin(), prototype.end());
	}
	if (prototypes.size() > 65535)
		die("too many prototypes");
	offsets.push_back(static_cast<std::uint16_t>(prototypes.size()));
	std::printf("const std::size_t confusable_count = %zu;\n\n", keys.size());
	write_array("char32_t", "confusable_keys[]", keys);
	write_array("std::uint16_t", "confusable_offsets[]", offsets);
	write_array("char32_t", "confusable_prototypes[]", prototypes);
}

} // namespace

int main(int argc, char **argv)
{
	if (argc != 2)
		die("usage: generate overrides.txt > unicode_tables.cpp");
	if (std::strcmp(U_UNICODE_VERSION, "15.0") != 0)
		die("Unicode 15.0 (ICU 72) is needed, this is " U_UNICODE_VERSION);
	const Icu icu;
	Properties p;
	read_properties(icu, p);
	read_overrides(icu, p, argv[1]);
	classify_canonical(icu, p);

	std::printf(
		"// Written by tools/unicode/generate.cpp from ICU %s, Unicode %s. Do not edit.\n"
		"// Data: Copyright © 1991-2022 Unicode, Inc., Unicode License v3 (see LICENSE.unicode).\n"
		"// clang-format off\n#include \"core/text/unicode_tables.hpp\"\n\nnamespace txtfp::core::unicode {\n\n",
		U_ICU_VERSION, U_UNICODE_VERSION);
	write_two_stage("std::uint8_t", "word", p.word);
	write_two_stage("std::uint8_t", "grapheme", p.grapheme);
	write_two_stage("std::uint8_t", "sentence", p.sentence);
	write_two_stage("std::uint16_t", "canonical", p.canonical);
	write_array("std::uint32_t", "expansions[]", p.expansions);
	write_array("std::uint8_t", "expansion_bytes[]",
		std::vector<std::uint8_t>(p.expansion_bytes.begin(), p.expansion_bytes.end()));
	write_confusables(p);
	std::printf("} // namespace txtfp::core::unicode\n");
}
