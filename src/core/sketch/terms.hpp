// Sets of terms, such as the trigrams of a string. A term is a hash of 32 bits. The signature of a set is the number of
// its terms and a bit for each of them; two terms may share a bit. A row has at most as many terms in common with a
// probe as terms of the probe have their bits set in the row.
// From this follow upper bounds of similarities, and so lower bounds of distances.
//
// A distance is 1 − similarity in steps of 1/1024, rounded down.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/sketch/layout.hpp"

namespace txtfp::core {

constexpr int terms_scale = 1024;
constexpr std::size_t terms_max_count = 65535; // greater numbers of terms are stored as this one

// What the number of common terms is divided by.
enum class TermMeasure : std::uint8_t {
	united,   // the terms of both sets together: the Jaccard similarity
	of_probe, // those of the probe
	of_row,   // those of the row
	equal,    // similarity 1 if the sets may be equal, otherwise 0
	nothing   // every row has similarity 1
};

struct TermProbe {
	TermMeasure measure;
	std::uint32_t count;                    // terms of the probe
	std::uint16_t bits;                     // terms listed in `bit`: all, unless there are more than terms_listed
	std::uint16_t listed[sketch_max_pages]; // the number of those whose planes are on this page or one before it
	std::uint16_t bit[];                    // ascending; once for each term
};
// Of longer probes only so many terms are looked up, and the others count as common ones.
constexpr std::size_t terms_listed = 1023;
constexpr std::size_t term_probe_size(std::size_t count)
{
	return sizeof(TermProbe) + sizeof(std::uint16_t) * (count < terms_listed ? count : terms_listed);
}

// Writes the signature of a set of n terms.
void terms_signature(const SketchLayout &layout, const std::int32_t *terms, std::size_t n, std::uint8_t *out) noexcept;

// Initializes a probe, which has room for term_probe_size(n) bytes.
void make_term_probe(const SketchLayout &layout, const std::int32_t *terms, std::size_t n, TermMeasure measure,
	TermProbe &probe) noexcept;

// The greatest distance, in steps, of rows whose similarity is at least `least` after rounding to a float; −1 if there
// are none.
int terms_limit(double least) noexcept;

// The bound of a row of `row_count` terms, at most `common` of which are in the probe.
int terms_bound(const TermProbe &probe, std::size_t common, std::size_t row_count) noexcept;

// Counts of all rows of a group, bit by bit: bit i of the counts of all rows is at i · width. `width` is a whole number
// of vectors.
constexpr std::size_t terms_counter_bits = 10, terms_max_width = sketch_max_rows / 8 + 64;
struct TermCounts {
	std::uint8_t counter[terms_counter_bits][terms_max_width];
};

// Adds the planes of a page to the counts; page 0 initializes them.
void count_terms(const SketchLayout &layout, const TermProbe &probe, std::size_t number, const std::uint8_t *page,
	TermCounts &counts) noexcept;

// Writes the bounds of n rows from their counts after pages 0 … number and from their numbers of terms.
void bounds_of_counts(const TermProbe &probe, std::size_t number, const TermCounts &counts,
	const std::uint16_t *row_counts, std::size_t n, std::uint16_t *out) noexcept;

} // namespace txtfp::core
