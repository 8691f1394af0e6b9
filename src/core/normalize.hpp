// Normalization forms, case folding and skeletons of UTF-32 text, pinned to Unicode 15.0.
// Per-code-point data come from ICU (decompositions, combining classes, composites, folds: Unicode promises never to
// change them for assigned characters); confusable prototypes from the compiled-in table.
// O(n log n) at worst, whatever the order of combining marks.
#pragma once

#include <string>

#include "core/canonical.hpp"

namespace txtfp::core {

std::u32string normalize(
	const std::u32string &text, Normalization form, StopToken stop = {});              // UAX #15: NFC, NFKC or as is
std::u32string decompose_canonically(const std::u32string &text, StopToken stop = {}); // UAX #15: NFD
std::u32string fold_case(const std::u32string &text, StopToken stop = {}); // CaseFolding.txt, statuses C and F
std::u32string skeleton(const std::u32string &text, StopToken stop = {});  // UTS #39: NFD, prototypes, NFD

// The version numbers of the ICU in use, such as "72.1" and "15.0".
const char *icu_version() noexcept;
const char *icu_unicode_version() noexcept;
constexpr const char *unicode_version = "15.0";

} // namespace txtfp::core
