// Sets of terms, such as the trigrams of a string. A term is a hash of 32 bits. The signature of a set is the number of
// its terms, and bits: each term sets `terms_hashes` of them, in planes that are on the same page. A row has at most as
// many terms in common with a probe as terms of the probe have all of their bits set in the row. From this follow upper
// bounds of similarities, and so lower bounds of distances.
//
// A distance is 1 − similarity in steps of 1/1024, rounded down.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/sketch/layout.hpp"

namespace txtfp::core {

constexpr int terms_scale = signature_kind(SketchKind::terms).max_distance;
constexpr std::size_t terms_max_count = 65535; // greater numbers of terms are stored as this one
constexpr std::size_t terms_hashes = 3;        // bits of a term

// What the number of common terms is divided by.
enum class TermMeasure : std::uint8_t {
	united,   // the terms of both sets together: the Jaccard similarity
	of_probe, // the terms of the probe
	of_row,   // the terms of the row
	equal,    // similarity 1 if the sets may be equal, otherwise 0
	nothing   // every row has similarity 1
};

struct TermProbe {
	TermMeasure measure;
	std::uint32_t count; // terms of the probe
	std::uint16_t
		listed[sketch_max_pages]; // of the terms listed in `plane`, those that are on this page or one before it
	std::uint16_t terms;          // that are listed: all, unless there are more than terms_listed
	std::uint16_t plane[];        // for each of them, in the order of the pages, the offsets of its planes
};
// A longer probe has only this many of its terms looked up, and the others count as common ones.
constexpr std::size_t terms_listed = 1023;
constexpr std::size_t term_probe_size(std::size_t count)
{
	return sizeof(TermProbe) + sizeof(std::uint16_t) * terms_hashes * (count < terms_listed ? count : terms_listed);
}

// Writes the signature of a set of n terms.
void terms_signature(const SketchLayout &layout, const std::int32_t *terms, std::size_t n, std::uint8_t *out) noexcept;
// The number of terms of a signature.
std::uint16_t terms_count(const std::uint8_t *signature) noexcept;

// Initializes a probe, which has room for term_probe_size(n) bytes.
void make_term_probe(const SketchLayout &layout, const std::int32_t *terms, std::size_t n, TermMeasure measure,
	TermProbe &probe) noexcept;

// The greatest distance, in steps, of rows whose similarity is at least `least` after rounding to a float; −1 if there
// are none.
int terms_limit(double least) noexcept;

// The bound of a row of `row_count` terms, where at most `common` terms are in the probe.
int terms_bound(const TermProbe &probe, std::size_t common, std::size_t row_count) noexcept;

// The same of n rows. The bounds are what terms_bound returns, or one step less.
void terms_bounds(const TermProbe &probe, const std::uint32_t *common, const std::uint16_t *row_counts, std::size_t n,
	std::uint16_t *out) noexcept;

// A row of `least` to `most` terms whose bound by terms_bounds is at most `limit` has at least this many terms in common
// with the probe; more than the probe has, if there is no such row.
std::size_t terms_needed(const TermProbe &probe, int limit, std::uint16_t least, std::uint16_t most) noexcept;

// Counts of all rows of a group, bit by bit: bit i of the counts of all rows is at i · width. `width` is a whole number
// of vectors.
constexpr std::size_t terms_counter_bits = 10, terms_max_width = sketch_max_rows / 8 + 64;
struct TermCounts {
	std::uint8_t counter[terms_counter_bits][terms_max_width];
	std::uint8_t open[terms_max_width]; // a bit for each row that may still have as many terms in common as needed
};

// Initializes the counts of rows 0 … n − 1.
void start_counts(const SketchLayout &layout, std::size_t n, TermCounts &counts) noexcept;

// Counts the terms of the probe that are on a page. The pages are counted in order; those without a term of the probe
// may be left out. False as soon as no row can have `needed` terms in common with the probe.
bool count_terms(const SketchLayout &layout, const TermProbe &probe, std::size_t number, const std::uint8_t *page,
	std::size_t needed, TermCounts &counts) noexcept;

// Writes the numbers and bounds of the rows whose bound is at most `limit`, after all pages have been counted. Returns
// how many there are.
std::size_t rows_of_counts(const SketchLayout &layout, const TermProbe &probe, const TermCounts &counts,
	const std::uint16_t *row_counts, int limit, std::uint16_t *rows, std::uint16_t *bounds) noexcept;

// True for the pages that have to be counted.
constexpr bool has_terms(const TermProbe &probe, std::size_t number)
{
	return number == 0 || probe.listed[number] > probe.listed[number - 1];
}

} // namespace txtfp::core
