// Candidates of an exact join by cosine. Each vector has codes of 7 bits for its elements, and bounds on what they
// leave out, so that an integer dot product tells that a pair cannot be similar. No similar pair is excluded:
//
// Let u and w be vectors of length 1. Of the elements of a prefix, u = s·q + e, where q are the codes, s their step and
// e the rounding. With
// E = |e| and R = the length of the elements behind the prefix,
//     u·w ≤ s·s'·(q·q') + (1 + E)·E' + E + R·R'      (Cauchy–Schwarz for each of the three parts that the codes do not give).
// The prefix grows by 64 elements at a time until the right side is below the threshold. The elements with the most
// energy come first, and their number may be limited: R then covers those without codes.
//
// 16 vectors form a tile, so that a register has the same elements of all of them:
//     float step[16], rounding[16], rest[stages][16]; std::uint8_t codes[stages][16][16][4]   (group of 4 elements, vector, element), each + 64
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/cpu.hpp"
#include "core/embedding/embedding.hpp"

namespace txtfp::core {

constexpr std::size_t cosine_tile = 16, cosine_stage = 64;

struct CosineLayout {
	std::span<const std::uint32_t> order; // of the elements of a vector
	std::size_t stages;                   // how often cosine_stage elements have codes

	static constexpr std::size_t stages_of(std::size_t dimension) noexcept
	{
		return (dimension + cosine_stage - 1) / cosine_stage;
	}
	static constexpr std::size_t header_bytes(std::size_t stages) noexcept
	{
		return (2 + stages) * cosine_tile * sizeof(float);
	}
	static constexpr std::size_t tile_bytes(std::size_t stages) noexcept
	{
		return header_bytes(stages) + stages * cosine_stage * cosine_tile;
	}
	std::size_t tile_bytes() const noexcept { return tile_bytes(stages); }
};

// Sorts the elements by energy, the largest first. `order` has as many elements as `energy`.
void order_by_energy(std::span<const double> energy, std::span<std::uint32_t> order) noexcept;

// Writes vector `lane` of a tile. `norm` is its length; one that is not finite gives codes that are similar to nothing.
// A tile is zeroed before.
void encode_cosine(
	const CosineLayout &layout, Vector vector, float norm, std::uint8_t *tile, std::size_t lane) noexcept;

// One vector of a tile, as the others are compared with it. The arrays have room for 16 and 1 elements per stage.
struct CosineQuery {
	std::int32_t *groups;  // 4 codes each
	std::int32_t *offsets; // 64 times the sum of the codes up to here
	float *rest;
	float step, rounding;
};
void load_cosine_query(
	const CosineLayout &layout, const std::uint8_t *tile, std::size_t lane, CosineQuery &query) noexcept;

// Writes the places (16 · tile + lane) of the vectors that may have a cosine of at least `threshold` with the query;
// returns their number. `out` has room for all.
std::size_t cosine_candidates(const CosineLayout &layout, const CosineQuery &query, const std::uint8_t *tiles,
	std::size_t count, float threshold, std::uint32_t *out, SimdLevel level = simd_level()) noexcept;

} // namespace txtfp::core
