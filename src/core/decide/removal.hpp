// A planned removal: how it is verified, what becomes of it, and why. The words are those that every host shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace txtfp::core::removal {

enum class Verify : std::uint8_t { none, jaccard, containment, lossless };
constexpr std::string_view verify_names[] = {"none", "jaccard", "containment", "lossless"};
constexpr std::string_view verify_list = "jaccard, containment, lossless and none"; // for messages

constexpr std::optional<Verify> parse_verify(std::string_view name) noexcept
{
	for (unsigned i = 0; i < 4; ++i)
		if (name == verify_names[i])
			return static_cast<Verify>(i);
	return std::nullopt;
}

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

// The best for the removal first. `outcomes`: the exact comparison refuses it, or there is no candidate.
enum Outcome { removed, review, keep, outcomes };
constexpr const char *outcome_names[outcomes] = {"remove", "review", "keep"};

} // namespace txtfp::core::removal
