// The units that repeats are made of: the words of a text, its lines, or its paragraphs, as 128-bit hashes of their canonical forms, and
// where they are.
//   word        a token of the segmenter; it reaches up to the blanks that follow it
//   line        up to a line feed, which belongs to it; hashed is its canonical form with single spaces between what white space separates
//   paragraph   lines up to one that is blank; the blank lines that follow belong to it
// White space is what ASCII calls so. A line or paragraph with fewer words than the least is no repeat of any other: its hash is none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/compare/mapped_text.hpp"
#include "core/text/canonical.hpp"
#include "core/text/segment.hpp"
#include "core/text/tokens.hpp"

namespace txtfp::core {

enum class PassageUnit : std::uint8_t { paragraph, line, word };
constexpr std::string_view passage_unit_list = "paragraph, line and word";
std::optional<PassageUnit> parse_passage_unit(std::string_view name) noexcept;

struct UnitOptions {
	static constexpr std::uint32_t max_words = 10000;

	PassageUnit unit = PassageUnit::paragraph;
	std::uint32_t min_words = 5; // 1 to max_words: of a line or paragraph, or of a run of words
	CanonicalOptions canonical;
	Segmenter segmenter = Segmenter::word;

	// Where none are asked for. Runs of a few words occur in unrelated texts.
	static constexpr std::uint32_t default_words(PassageUnit unit) noexcept { return unit == PassageUnit::word ? 50 : 5; }
	// The least number of units of a repeat.
	std::uint32_t window() const noexcept { return unit == PassageUnit::word ? min_words : 1; }
};

constexpr bool is_none(const Hash128 &hash) noexcept { return (hash.lo | hash.hi) == 0; }

// `utf8` is valid UTF-8.
std::vector<Hash128> unit_hashes(std::string_view utf8, const UnitOptions &options, StopToken stop = {});

// Where the units of a text are. The text must outlive the object.
class UnitPlaces {
public:
	UnitPlaces(std::string_view utf8, const UnitOptions &options, StopToken stop = {});

	std::size_t count() const noexcept { return units_.size(); }
	// From the first unit to the last. Ascending calls together read the text once.
	SourceRange range(std::size_t first, std::size_t last);

private:
	std::size_t end_of(std::size_t unit) const; // in bytes of the text
	std::size_t begin_of(std::size_t unit) const;

	std::string_view text_;
	std::optional<MappedText> mapped_; // of words
	std::vector<WordRange> units_;     // words: in the canonical text
	std::size_t byte_ = 0, character_ = 0; // up to where characters have been counted
};

// The hash of consecutive units; a single one keeps its own.
Hash128 window_hash(std::span<const Hash128> units);

struct PassageKey {
	std::uint8_t bytes[16]; // the hash of a window, the greater half first, big-endian
	SourceRange range;
};

// The windows of a text that may be repeats, in their order, for a table of what was seen. The text must outlive the object.
class PassageKeys {
public:
	PassageKeys(std::string_view utf8, const UnitOptions &options, StopToken stop = {});

	bool next(PassageKey &key); // false behind the last one

private:
	std::vector<Hash128> hashes_;
	UnitPlaces places_;
	std::size_t window_, next_ = 0;
};

// Sorts ranges that are given in characters, and finds their bytes. They may overlap. False if one ends behind the text.
bool place_ranges(std::string_view utf8, std::vector<SourceRange> &ranges, StopToken stop = {});

// The text without these ranges, which ascend. If there is a mark, it stands in their place, before the white space at
// their end, which stays. Throws Error(too_large) if the marks have more than 1 GB.
std::string without_ranges(std::string_view utf8, std::span<const SourceRange> ranges, std::string_view mark);

} // namespace txtfp::core
