// Normalization forms, case folding and skeletons of UTF-32 text, pinned to Unicode 15.0.
// Decompositions, combining classes, compositions and case foldings come from ICU: Unicode promises never to change
// them for assigned characters. Confusable prototypes come from the compiled-in table.
// Time is O(n log n) at worst, whatever the order of combining marks.
#pragma once

#include <string>
#include <string_view>

#include "core/text/canonical.hpp"

namespace txtfp::core {

std::u32string normalize(
	const std::u32string &text, Normalization form, StopToken stop = {});              // UAX #15: NFC, NFKC or as is
std::u32string decompose_canonically(const std::u32string &text, StopToken stop = {}); // UAX #15: NFD
std::u32string fold_case(const std::u32string &text, StopToken stop = {}); // CaseFolding.txt, statuses C and F

// NFKC, fold_case and NFKC again of a short text, much faster, by ICU's functions for strings, which are as stable as
// its data. Appends the result to `out`. Returns false and appends nothing if the text is too long or has code points
// that 15.0 does not assign.
bool append_folded_nfkc(std::u32string_view text, std::string &out);

std::u32string skeleton(const std::u32string &text, StopToken stop = {}); // UTS #39: NFD, prototypes, NFD

// The version numbers of the ICU in use, such as "72.1" and "15.0".
const char *icu_version() noexcept;
const char *icu_unicode_version() noexcept;
constexpr const char *unicode_version = "15.0";

} // namespace txtfp::core
