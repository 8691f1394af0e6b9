// Candidates of an exact join by cosine. Each vector has codes of 7 bits for its elements, and bounds on what they
// leave out, so that an integer dot product tells that a pair cannot be similar. No similar pair is excluded:
//
// Let u and w be vectors of length 1. For the elements of a prefix, u = q + e, where q are the codes times their step and
// e is the rounding. With E = |e| and R = the length of the elements behind the prefix,
//     u·w ≤ q·q' + (1 + E)·E' + E + R·R'      (Cauchy–Schwarz for each of the three parts that the codes do not give).
// The prefix grows by a stage of 64 elements at a time until the right side is below the threshold. The elements with
// the most energy come first (core/embedding/principal_axes.hpp makes them large), and the number of stages may be
// limited: R then covers the elements without codes.
//
// 16 vectors form a tile, so that a register has the same elements of all of them. Each stage of a tile has
//     float step[16], rounding[16] (E), rest[16] (R); std::uint8_t codes[16][16][4]   (group of 4 elements, vector, element), each + 64
// The first stages of all tiles lie together, because most pairs need no other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/cpu.hpp"
#include "core/embedding/embedding.hpp"
#include "core/embedding/principal_axes.hpp"

namespace txtfp::core {

constexpr std::size_t cosine_tile = 16, cosine_stage = 64;

struct CosineCodes {
	static constexpr std::size_t stage_bytes = cosine_tile * (3 * sizeof(float) + cosine_stage);

	PrincipalAxes axes;                   // that vectors are turned to
	std::span<const std::uint32_t> order; // of the elements of a turned vector
	std::size_t stages;                   // how often cosine_stage elements have codes
	std::size_t tiles;
	std::uint8_t *bytes; // stages · tiles · stage_bytes

	static constexpr std::size_t stages_of(std::size_t dimension) noexcept
	{
		return (dimension + cosine_stage - 1) / cosine_stage;
	}
	static constexpr std::size_t tiles_of(std::size_t rows) noexcept { return (rows + cosine_tile - 1) / cosine_tile; }
	std::uint8_t *at(std::size_t stage, std::size_t tile) const noexcept
	{
		return bytes + (stage * tiles + tile) * stage_bytes;
	}
	void clear_tile(std::size_t tile) const noexcept; // before its rows are encoded
};

// Writes a vector, which is not zero, divided by its norm.
void make_unit_vector(Vector vector, float norm, double *unit) noexcept;

// Sorts the elements by energy, the largest first. `order` has as many elements as `energy`.
void order_by_energy(std::span<const double> energy, std::span<std::uint32_t> order) noexcept;

// Writes the codes of a row, which is not zero. `scratch` has room for its elements.
void encode_cosine(
	const CosineCodes &codes, Vector vector, float norm, std::span<double> scratch, std::size_t row) noexcept;

struct CosineCandidate {
	std::uint32_t x, y; // rows
};

// Writes the pairs of rows of tile `x` and of rows of the tiles from `y` to `y_end` that may have a cosine of at least
// `threshold`; returns their number. `out` has room for all. Rows of the last tile that were not encoded may occur.
std::size_t cosine_candidates(const CosineCodes &codes, std::size_t x, std::size_t y, std::size_t y_end,
	float threshold, CosineCandidate *out, SimdLevel level = simd_level()) noexcept;

} // namespace txtfp::core
