// The page on which a person decides about planned removals: one file of HTML with everything in it, from a stream of
// removals in bounded memory.
//
// Beyond a limit the page holds a sample. Of the rows to be removed it takes as many of each stratum of the score
// (core/decide/strata.hpp), of the others any; which ones depends on seed and ids only. Within a stratum, removals
// stand in the order of a random draw, and strata take turns: whoever reads from the beginning reads a random sample of
// each at any moment.
//
// The page consists of the files that the caller gives (this knows three marks in them), and of data in elements that
// are no scripts:
//   "page"       what all share: title, numbers, strata, histograms
//   "pairs"      for each pair its ids, measures, signals and the like
//   "clusters"   see removal_clusters.hpp
//   "block-N"    the texts of pair_block pairs (pair_text.hpp)
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/compare/difference_signals.hpp"
#include "core/review/page_json.hpp"

namespace txtfp::core {

enum class Outcome : std::uint8_t { remove, review, keep };
constexpr unsigned outcomes = 3;
std::string_view name(Outcome outcome) noexcept;
std::optional<Outcome> parse_outcome(std::string_view text) noexcept;

// What somebody decided. A boolean is a verdict, too: true means duplicate, false distinct.
enum class Verdict : std::uint8_t { duplicate, variant, distinct, unsure };
constexpr unsigned verdicts = 4;
std::string_view name(Verdict verdict) noexcept;
std::optional<Verdict> parse_verdict(std::string_view text) noexcept;

enum class Measure : std::uint8_t { similarity, jaccard, containment, kept_containment, score };
constexpr unsigned measures = 5;
std::string_view name(Measure measure) noexcept;

struct PlannedRemoval {
	std::string_view id, kept, text, kept_text; // valid UTF-8, as everything
	Outcome outcome = Outcome::remove;
	std::string_view reason, stratum; // empty: none
	std::optional<Verdict> verdict;
	std::array<double, measures> values;          // NaN: not known
	const Signals *signals = nullptr;             // nullptr: to be computed, with
	double neighbours = -1, kept_neighbours = -1; // −1: not known
	std::span<const std::string_view> more;
};

struct ReviewOptions {
	std::string title;
	std::string id_type;           // of PostgreSQL, for the export as SQL; empty: by the ids
	std::vector<std::string> more; // names of further columns
	std::size_t pairs = 10000;     // most on the page
	std::uint64_t seed = 0;
	Characters characters = Characters::utf8;
};
constexpr std::size_t most_pairs = 100000, pair_block = 64;

struct PageFiles {
	std::string_view html, css, js;
};

class ReviewPage {
public:
	using Sink = std::function<void(std::string_view)>;

	explicit ReviewPage(ReviewOptions options);
	~ReviewPage();

	// Throws Error(invalid_parameter) for a stratum that is not one of a single sample, and Error(too_large) for more
	// than can be held: an id beyond 1 MB, 100 million rows. The constructor does so for a title beyond 1 MB.
	void add(const PlannedRemoval &removal, StopToken stop = {});
	std::uint64_t added() const noexcept;

	// Once, behind the last add.
	void write(const PageFiles &files, const Sink &sink, StopToken stop = {});

private:
	struct Contents;
	std::unique_ptr<Contents> contents_;
};

} // namespace txtfp::core
