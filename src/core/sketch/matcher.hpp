// Compares the signature of a probe with the signatures of rows. Distances are the operators' own, as whole numbers:
// different slots (MinHash), different bits (SimHash), TLSH's distance, 100 − score (LavinHash); of sets of terms see
// terms.hpp.
//
// A bound is a lower bound of the distance. It is final after all pages of the row's group have been read. The final
// bound of a SimHash, of a
// TLSH digest and of a compact MinHash sketch is the distance itself.
//
// Sets of terms are compared by the functions of terms.hpp: of these here they have only limits and signatures.
//
// The functions read pages that the caller has pinned and locked. They do not allocate and do not fail.
#pragma once

#include "core/sketch/layout.hpp"
#include "core/sketch/terms.hpp"

namespace txtfp::core {

// The state of the comparison of one MinHash row after some of its pages: a bit is set for each slot that differs so
// far.
struct SketchPartial {
	std::uint64_t differ[4];
};

// The same for all rows of a group.
struct SketchPartials {
	std::uint64_t differ[sketch_max_words];
};

class SketchMatcher;

// How a way compares signatures. SignatureWay::terms has no functions (terms.hpp).
struct SignatureFunctions {
	void (SketchMatcher::*prepare)() noexcept; // nullptr: there is nothing to prepare
	void (SketchMatcher::*bounds)(
		const std::uint8_t *page, std::size_t n, int limit, std::uint16_t *out) const noexcept;
	int (SketchMatcher::*refine)(
		std::size_t number, const std::uint8_t *page, std::size_t row, SketchPartial &partial) const noexcept;
};

class SketchMatcher {
public:
	// The probe of terms must outlive the matcher; null for other kinds.
	SketchMatcher(const SketchLayout &layout, const std::uint8_t *signature, const TermProbe *terms = nullptr) noexcept;

	bool is_exact() const noexcept { return layout_->kind->is_exact; } // the final bound is the distance
	int max_distance() const noexcept { return layout_->kind->max_distance; }
	const std::uint8_t *signature() const noexcept { return signature_; }
	const TermProbe *terms() const noexcept { return terms_; }
	bool same_signature(const SketchMatcher &other) const noexcept;

	// Writes the bounds of rows 0 … n − 1 that follow from the first page of a group. Bounds above `limit` need not be
	// the best possible ones. Those of empty rows and of NULLs are meaningless.
	void bounds(const std::uint8_t *page, std::size_t n, int limit, std::uint16_t *out) const noexcept
	{
		(this->*way_.bounds)(page, n, limit, out);
	}

	// The number of bytes of a full page that bounds() reads; they begin at the first field.
	std::size_t bytes_read(int limit) const noexcept;

	// Writes the row numbers whose bounds are at most `limit`, in ascending order, and returns how many there are.
	static std::size_t within(const std::uint16_t *bounds, std::size_t n, int limit, std::uint16_t *rows) noexcept;

	// Returns the bound of one row after pages 0 … number of its group. The caller passes the pages in order, with the
	// same `partial`, which page 0 initializes.
	int refine(std::size_t number, const std::uint8_t *page, std::size_t row, SketchPartial &partial) const noexcept
	{
		return (this->*way_.refine)(number, page, row, partial);
	}

	// Does the same for rows 0 … n − 1, which is faster than refine() if more than a few of them are needed.
	void refine_all(std::size_t number, const std::uint8_t *page, std::size_t n, SketchPartials &partials,
		std::uint16_t *out) const noexcept;

private:
	friend struct SignatureWays;

	std::size_t words() const noexcept { return layout_->field[0].size / 8; } // of a plane
	std::size_t planes_for(int limit) const noexcept;
	void planes_of(std::size_t number, const std::uint8_t *page, std::size_t n, std::size_t planes,
		std::uint64_t *differ, std::uint16_t *out) const noexcept;
	void prepare_planes() noexcept;
	void plane_bounds(const std::uint8_t *page, std::size_t n, int limit, std::uint16_t *out) const noexcept;
	template <std::size_t W>
	int refine_words(
		std::size_t number, const std::uint8_t *page, std::size_t row, SketchPartial &partial) const noexcept;
	int refine_planes(
		std::size_t number, const std::uint8_t *page, std::size_t row, SketchPartial &partial) const noexcept;
	void prepare_digest() noexcept;
	void digest_bounds(const std::uint8_t *page, std::size_t n, int limit, std::uint16_t *out) const noexcept;
	int refine_digest(
		std::size_t number, const std::uint8_t *page, std::size_t row, SketchPartial &partial) const noexcept;
	void filter_bounds(const std::uint8_t *page, std::size_t n, int limit, std::uint16_t *out) const noexcept;
	int refine_filter(
		std::size_t number, const std::uint8_t *page, std::size_t row, SketchPartial &partial) const noexcept;

	const SketchLayout *layout_; // must outlive the matcher
	SignatureFunctions way_;
	const TermProbe *terms_;
	std::uint8_t signature_[sketch_max_signature];
	int plane_limits_[3]; // for a limit below [i], i + 1 planes exclude almost all unrelated rows
	std::uint16_t length_distance_[256],
		ratios_distance_[256]; // of digests: the distance of each value from the probe's
};

} // namespace txtfp::core
