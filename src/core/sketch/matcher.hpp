// What a scan compares every row with: a probe's signature, made ready for the kernels. The distances are those of the
// operators as whole numbers: slots that differ, bits that differ, TLSH's distance, 100 − score.
//
// A bound is never more than the true distance. It is final when all pages of the row's group have been looked at; for SimHash
// and TLSH it is then the distance itself.
#pragma once

#include "core/sketch/layout.hpp"

namespace txtfp::core {

// What is known of one row after some of its pages.
struct SketchPartial {
	std::uint64_t differ[4];
};

// And of all rows of a group.
struct SketchPartials {
	std::uint64_t differ[sketch_max_words];
};

class SketchMatcher {
public:
	SketchMatcher(const SketchLayout &layout, const std::uint8_t *signature) noexcept;

	bool is_exact() const noexcept { return kind() == SketchKind::simhash64 || kind() == SketchKind::tlsh; }
	int most() const noexcept; // no distance is larger
	const std::uint8_t *signature() const noexcept { return signature_; }
	bool same_signature(const SketchMatcher &other) const noexcept;

	// Bounds of rows 0 … n − 1 from the first page of a group. A row whose bound is over `limit` may have a better one.
	// What stands in `out` for rows without a value means nothing.
	void bounds(const std::uint8_t *page, std::size_t n, int limit, std::uint16_t *out) const noexcept;

	std::size_t bytes_read(int limit) const noexcept; // by bounds, of a full page, from its first field on

	// The rows of n bounds that are at most `limit`, in order; returns their number.
	static std::size_t within(const std::uint16_t *bounds, std::size_t n, int limit, std::uint16_t *rows) noexcept;

	// The bound of one row after pages 0 … number; to be called for them one after the other.
	int refine(std::size_t number, const std::uint8_t *page, std::size_t row, SketchPartial &partial) const noexcept;

	// The same of rows 0 … n − 1: quicker than for more than a few of them.
	void refine_all(std::size_t number, const std::uint8_t *page, std::size_t n, SketchPartials &partials,
		std::uint16_t *out) const noexcept;

private:
	SketchKind kind() const noexcept { return layout_->kind; }
	std::size_t words() const noexcept { return layout_->field[0].size / 8; } // of a plane
	std::size_t planes_for(int limit) const noexcept;
	void planes_of(std::size_t number, const std::uint8_t *page, std::size_t n, std::size_t planes,
		std::uint64_t *differ, std::uint16_t *out) const noexcept;
	void minhash_bounds(const std::uint8_t *page, std::size_t n, int limit, std::uint16_t *out) const noexcept;
	void tlsh_bounds(const std::uint8_t *page, std::size_t n, int limit, std::uint16_t *out) const noexcept;
	template <std::size_t W>
	int refine_planes(
		std::size_t number, const std::uint8_t *page, std::size_t row, SketchPartial &partial) const noexcept;
	int lavinhash_bound(const std::uint8_t *page, std::size_t row) const noexcept;

	const SketchLayout *layout_; // outlives the matcher
	std::uint8_t signature_[sketch_max_signature];
	int enough_[3];                                 // MinHash: for limits below, 1, 2 or 3 planes are enough
	std::uint16_t of_length_[256], of_ratios_[256]; // TLSH: distances from the probe's
};

} // namespace txtfp::core
