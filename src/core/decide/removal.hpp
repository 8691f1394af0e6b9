// A planned removal: how it is verified, what becomes of it, and why. The words are those that `deduplicate` and `txtfp
// dedup` show.
#pragma once

namespace txtfp::core::removal {

enum class Verify { none, jaccard, containment, lossless };

// The first is told from the others by the texts alone; equal_words and symbols_differ only if there are signals.
enum Reason {
	equal_text,
	equal_words,
	symbols_differ,
	equal_fingerprint,
	similarity,
	jaccard,
	containment,
	lossless,
	together,
	reasons
};
constexpr const char *reason_names[reasons] = {"equal_text", "equal_words", "symbols_differ", "equal_fingerprint",
	"similarity", "jaccard", "containment", "lossless", "together"};

enum Outcome { removed, review, keep, outcomes }; // the best for the removal first
constexpr const char *outcome_names[outcomes] = {"remove", "review", "keep"};

} // namespace txtfp::core::removal
