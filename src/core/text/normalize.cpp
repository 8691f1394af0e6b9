// The only file that calls ICU at run time. ICU may be newer than Unicode 15.0, so a code point that 15.0 does not
// assign is treated as unassigned whatever ICU says: no decomposition, combining class 0, no case folding, no
// composition.
#include "core/text/normalize.hpp"

#include <algorithm>
#include <vector>

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/uversion.h>

#include "core/text/unicode_tables.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::core {

namespace {

constexpr std::size_t stop_interval = 1 << 14;

struct Normalizers {
	const UNormalizer2 *nfc, *nfd, *nfkc, *nfkd;
};

const Normalizers &normalizers()
{
	static const Normalizers instances = [] {
		UErrorCode code = U_ZERO_ERROR;
		const Normalizers n{unorm2_getNFCInstance(&code), unorm2_getNFDInstance(&code), unorm2_getNFKCInstance(&code),
			unorm2_getNFKDInstance(&code)};
		if (U_FAILURE(code))
			throw Error(ErrorKind::internal, "ICU cannot load its normalization data");
		return n;
	}();
	return instances;
}

bool is_assigned(char32_t c) noexcept
{
	UVersionInfo age;
	u_charAge(static_cast<UChar32>(c), age);
	return age[0] != 0 && age[0] <= 15 && (age[0] < 15 || age[1] == 0);
}

struct Element {
	char32_t code_point;
	std::uint8_t combining_class;
};
using Elements = std::vector<Element>;

Element element(char32_t c) noexcept
{
	const bool marks = c >= 0x300 && is_assigned(c); // nothing below U+0300 has a combining class
	return {c, marks ? u_getCombiningClass(static_cast<UChar32>(c)) : std::uint8_t{0}};
}

void decompose(const UNormalizer2 *form, char32_t c, Elements &out)
{
	if (c < 0x80 || !is_assigned(c)) {
		out.push_back({c, 0});
		return;
	}
	char16_t units[64]; // the longest decomposition, of U+FDFA, has 18
	UErrorCode code = U_ZERO_ERROR;
	const int32_t n = unorm2_getDecomposition(form, static_cast<UChar32>(c), units, 64, &code);
	if (n < 0 || U_FAILURE(code)) {
		out.push_back(element(c));
		return;
	}
	for (int32_t i = 0; i < n;) {
		UChar32 part;
		U16_NEXT(units, i, n, part);
		out.push_back(element(static_cast<char32_t>(part)));
	}
}

// Canonical Ordering Algorithm: stable sort of each run of marks by combining class.
void order_marks(Elements &elements, StopToken stop)
{
	const auto is_mark = [](const Element &e) { return e.combining_class != 0; };
	std::uint32_t comparisons = 0; // one run may be the whole text, so the sort itself must be cancellable
	const auto by_class = [&](const Element &a, const Element &b) {
		if (++comparisons % (1 << 20) == 0)
			stop.check();
		return a.combining_class < b.combining_class;
	};
	for (auto at = elements.begin(); at != elements.end();) {
		const auto first = std::find_if(at, elements.end(), is_mark);
		const auto last = std::find_if_not(first, elements.end(), is_mark);
		if (!std::is_sorted(first, last, by_class))
			std::stable_sort(first, last, by_class);
		at = last;
	}
	stop.check();
}

Elements decompose_all(const UNormalizer2 *form, const std::u32string &text, StopToken stop)
{
	Elements out;
	out.reserve(text.size() + text.size() / 4);
	std::size_t n = 0;
	for (const char32_t c : text) {
		decompose(form, c, out);
		if (++n % stop_interval == 0)
			stop.check();
	}
	order_marks(out, stop);
	return out;
}

// The primary composite of a and b that 15.0 knows, or 0.
char32_t composite(const UNormalizer2 *nfc, char32_t a, char32_t b) noexcept
{
	const UChar32 c = unorm2_composePair(nfc, static_cast<UChar32>(a), static_cast<UChar32>(b));
	return c >= 0 && is_assigned(static_cast<char32_t>(c)) && is_assigned(a) && is_assigned(b)
		? static_cast<char32_t>(c)
		: 0;
}

// Canonical Composition Algorithm (UAX #15): each character joins the last starter unless something between blocks it.
std::u32string compose(const Elements &elements, StopToken stop)
{
	constexpr std::size_t none = static_cast<std::size_t>(-1);
	const UNormalizer2 *nfc = normalizers().nfc;
	std::u32string out;
	out.reserve(elements.size());
	std::size_t starter = none;
	int last_class = 0; // combining class of the last character kept after the starter
	for (std::size_t i = 0; i < elements.size(); ++i) {
		const auto [c, combining_class] = elements[i];
		const bool adjacent = starter != none && out.size() == starter + 1;
		const bool blocked = !adjacent && last_class >= combining_class;
		const char32_t joined = starter == none || blocked ? 0 : composite(nfc, out[starter], c);
		if (joined != 0) {
			out[starter] = joined;
		} else {
			if (combining_class == 0)
				starter = out.size();
			last_class = combining_class;
			out.push_back(c);
		}
		if (i % stop_interval == 0)
			stop.check();
	}
	return out;
}

std::u32string code_points(const Elements &elements)
{
	std::u32string out;
	out.reserve(elements.size());
	for (const Element &e : elements)
		out.push_back(e.code_point);
	return out;
}

void append_prototype(char32_t c, std::u32string &out)
{
	using namespace unicode;
	const char32_t *end = confusable_keys + confusable_count;
	const char32_t *key = std::lower_bound(confusable_keys, end, c);
	if (key == end || *key != c) {
		out.push_back(c);
		return;
	}
	const std::size_t i = static_cast<std::size_t>(key - confusable_keys);
	out.append(confusable_prototypes + confusable_offsets[i], confusable_prototypes + confusable_offsets[i + 1]);
}

} // namespace

std::u32string normalize(const std::u32string &text, Normalization form, StopToken stop)
{
	if (form == Normalization::none)
		return text;
	const Normalizers &n = normalizers();
	return compose(decompose_all(form == Normalization::nfc ? n.nfd : n.nfkd, text, stop), stop);
}

std::u32string decompose_canonically(const std::u32string &text, StopToken stop)
{
	return code_points(decompose_all(normalizers().nfd, text, stop));
}

std::u32string fold_case(const std::u32string &text, StopToken stop)
{
	std::u32string out;
	out.reserve(text.size());
	std::size_t n = 0;
	for (const char32_t c : text) {
		char16_t in[2], folded[8]; // full folding gives at most three code points
		int32_t in_size = 0;
		U16_APPEND_UNSAFE(in, in_size, static_cast<UChar32>(c));
		UErrorCode code = U_ZERO_ERROR;
		const int32_t size = is_assigned(c) ? u_strFoldCase(folded, 8, in, in_size, U_FOLD_CASE_DEFAULT, &code) : 0;
		if (size == 0 || U_FAILURE(code))
			out.push_back(c);
		for (int32_t i = 0; i < size && U_SUCCESS(code);) {
			UChar32 part;
			U16_NEXT(folded, i, size, part);
			out.push_back(static_cast<char32_t>(part));
		}
		if (++n % stop_interval == 0)
			stop.check();
	}
	return out;
}

bool append_folded_nfkc(std::u32string_view text, std::string &out)
{
	constexpr int32_t longest = 512; // units
	char16_t given[longest], folded[longest];
	int32_t size = 0;
	for (const char32_t c : text) {
		if (!is_assigned(c) || size + 2 > longest)
			return false;
		U16_APPEND_UNSAFE(given, size, static_cast<UChar32>(c));
	}
	const UNormalizer2 *nfkc = normalizers().nfkc;
	UErrorCode code = U_ZERO_ERROR;
	char16_t once[longest];
	size = unorm2_normalize(nfkc, given, size, once, longest, &code);
	const int32_t folded_size = u_strFoldCase(folded, longest, once, size, U_FOLD_CASE_DEFAULT, &code);
	if (U_FAILURE(code))
		return false;
	if (!std::equal(once, once + size, folded, folded + folded_size))
		size = unorm2_normalize(nfkc, folded, folded_size, once, longest, &code);
	for (int32_t i = 0; i < size && U_SUCCESS(code);) {
		UChar32 c;
		U16_NEXT(once, i, size, c);
		append(out, static_cast<char32_t>(c));
	}
	return U_SUCCESS(code);
}

std::u32string skeleton(const std::u32string &text, StopToken stop)
{
	std::u32string mapped;
	for (const char32_t c : decompose_canonically(text, stop))
		append_prototype(c, mapped);
	return decompose_canonically(mapped, stop);
}

namespace {

template <void (*get)(std::uint8_t *)> const char *version_text() noexcept
{
	static char text[U_MAX_VERSION_STRING_LENGTH];
	UVersionInfo version;
	get(version);
	u_versionToString(version, text);
	return text;
}

} // namespace

const char *icu_version() noexcept { return version_text<u_getVersion>(); }

const char *icu_unicode_version() noexcept { return version_text<u_getUnicodeVersion>(); }

} // namespace txtfp::core
