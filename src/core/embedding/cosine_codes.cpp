#include "core/embedding/cosine_codes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace txtfp::core {

namespace {

constexpr int largest_code = 63, code_bias = 64;
constexpr std::size_t groups_per_stage = cosine_stage / 4, group_bytes = 4 * cosine_tile;

// Bounds are stored as floats and rounded up by more than what single precision loses.
float rounded_up(double value) noexcept { return static_cast<float>(value * (1 + 1e-6) + 1e-9); }

float stored_float(const std::uint8_t *tile, std::size_t row, std::size_t lane) noexcept
{
	float value;
	std::memcpy(&value, tile + (row * cosine_tile + lane) * sizeof value, sizeof value);
	return value;
}

void store_float(std::uint8_t *tile, std::size_t row, std::size_t lane, float value) noexcept
{
	std::memcpy(tile + (row * cosine_tile + lane) * sizeof value, &value, sizeof value);
}

std::size_t code_place(const CosineLayout &layout, std::size_t element, std::size_t lane) noexcept
{
	return CosineLayout::header_bytes(layout.stages) + element / 4 * group_bytes + lane * 4 + element % 4;
}

// The right side of the inequality. Every level computes it in this order, and without fused operations, so that all
// find the same candidates.
TXTFP_KERNEL float bound(float dot, float steps, float rests, float own_rounding, float rounding) noexcept
{
	return dot * steps + rests + ((1 + own_rounding) * rounding + own_rounding);
}

unsigned similar_in_tile_plain(
	const CosineLayout &layout, const CosineQuery &query, const std::uint8_t *tile, float threshold) noexcept
{
	unsigned similar = 0;
	for (std::size_t lane = 0; lane < cosine_tile; ++lane) {
		std::int32_t sum = 0;
		bool may_be = true;
		for (std::size_t stage = 0; stage < layout.stages && may_be; ++stage) {
			for (std::size_t element = 0; element < cosine_stage; ++element) {
				const std::size_t at = stage * cosine_stage + element;
				const auto own =
					static_cast<std::int8_t>(static_cast<std::uint32_t>(query.groups[at / 4]) >> at % 4 * 8 & 0xFF);
				sum += own * tile[code_place(layout, at, lane)];
			}
			may_be = bound(static_cast<float>(sum - query.offsets[stage]), query.step * stored_float(tile, 0, lane),
						 query.rest[stage] * stored_float(tile, 2 + stage, lane), query.rounding,
						 stored_float(tile, 1, lane)) >= threshold;
		}
		similar |= static_cast<unsigned>(may_be) << lane;
	}
	return similar;
}

#if defined(__x86_64__)
// A product of two codes is at most 127 · 63, so that 16 bits hold the sum of four.
[[gnu::target("avx512f,avx512bw")]] unsigned similar_in_tile_avx512(
	const CosineLayout &layout, const CosineQuery &query, const std::uint8_t *tile, float threshold) noexcept
{
	const auto *floats = reinterpret_cast<const float *>(tile);
	const __m512i ones = _mm512_set1_epi16(1);
	const __m512 steps = _mm512_mul_ps(_mm512_set1_ps(query.step), _mm512_loadu_ps(floats));
	const __m512 slack =
		_mm512_add_ps(_mm512_mul_ps(_mm512_set1_ps(1 + query.rounding), _mm512_loadu_ps(floats + cosine_tile)),
			_mm512_set1_ps(query.rounding));
	const std::uint8_t *codes = tile + CosineLayout::header_bytes(layout.stages);
	__m512i sum = _mm512_setzero_si512();
	__mmask16 similar = 0xFFFF;
	for (std::size_t stage = 0; stage < layout.stages && similar != 0; ++stage) {
		const std::int32_t *own = query.groups + stage * groups_per_stage;
		for (std::size_t group = 0; group < groups_per_stage; group += 2, codes += 2 * group_bytes) {
			const __m512i a = _mm512_maddubs_epi16(_mm512_loadu_si512(codes), _mm512_set1_epi32(own[group]));
			const __m512i b =
				_mm512_maddubs_epi16(_mm512_loadu_si512(codes + group_bytes), _mm512_set1_epi32(own[group + 1]));
			sum = _mm512_add_epi32(sum, _mm512_madd_epi16(_mm512_add_epi16(a, b), ones));
		}
		const __m512 dot =
			_mm512_maskz_cvtepi32_ps(0xFFFF, _mm512_sub_epi32(sum, _mm512_set1_epi32(query.offsets[stage])));
		const __m512 rests =
			_mm512_mul_ps(_mm512_set1_ps(query.rest[stage]), _mm512_loadu_ps(floats + (2 + stage) * cosine_tile));
		const __m512 bounds = _mm512_add_ps(_mm512_add_ps(_mm512_mul_ps(dot, steps), rests), slack);
		similar &= _mm512_cmp_ps_mask(bounds, _mm512_set1_ps(threshold), _CMP_GE_OQ);
	}
	return similar;
}

[[gnu::target("avx2"), gnu::always_inline]] inline __m256i loaded(const std::uint8_t *codes) noexcept
{
	return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(codes));
}

// Half a tile: 8 vectors from `lane` on.
[[gnu::target("avx2")]] unsigned similar_in_half_avx2(const CosineLayout &layout, const CosineQuery &query,
	const std::uint8_t *tile, std::size_t lane, float threshold) noexcept
{
	const auto *floats = reinterpret_cast<const float *>(tile) + lane;
	const __m256i ones = _mm256_set1_epi16(1);
	const __m256 steps = _mm256_mul_ps(_mm256_set1_ps(query.step), _mm256_loadu_ps(floats));
	const __m256 slack =
		_mm256_add_ps(_mm256_mul_ps(_mm256_set1_ps(1 + query.rounding), _mm256_loadu_ps(floats + cosine_tile)),
			_mm256_set1_ps(query.rounding));
	const std::uint8_t *codes = tile + CosineLayout::header_bytes(layout.stages) + 4 * lane;
	__m256i sum = _mm256_setzero_si256();
	unsigned similar = 0xFF;
	for (std::size_t stage = 0; stage < layout.stages && similar != 0; ++stage) {
		const std::int32_t *own = query.groups + stage * groups_per_stage;
		for (std::size_t group = 0; group < groups_per_stage; group += 2, codes += 2 * group_bytes) {
			const __m256i a = _mm256_maddubs_epi16(loaded(codes), _mm256_set1_epi32(own[group]));
			const __m256i b = _mm256_maddubs_epi16(loaded(codes + group_bytes), _mm256_set1_epi32(own[group + 1]));
			sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_add_epi16(a, b), ones));
		}
		const __m256 dot = _mm256_cvtepi32_ps(_mm256_sub_epi32(sum, _mm256_set1_epi32(query.offsets[stage])));
		const __m256 rests =
			_mm256_mul_ps(_mm256_set1_ps(query.rest[stage]), _mm256_loadu_ps(floats + (2 + stage) * cosine_tile));
		const __m256 bounds = _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(dot, steps), rests), slack);
		similar &=
			static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(bounds, _mm256_set1_ps(threshold), _CMP_GE_OQ)));
	}
	return similar;
}

[[gnu::target("avx2")]] unsigned similar_in_tile_avx2(
	const CosineLayout &layout, const CosineQuery &query, const std::uint8_t *tile, float threshold) noexcept
{
	return similar_in_half_avx2(layout, query, tile, 0, threshold) |
		similar_in_half_avx2(layout, query, tile, 8, threshold) << 8;
}
#endif

using SimilarInTile = unsigned (*)(const CosineLayout &, const CosineQuery &, const std::uint8_t *, float) noexcept;

SimilarInTile similar_in_tile([[maybe_unused]] SimdLevel level) noexcept
{
#if defined(__x86_64__)
	if (level == SimdLevel::avx512)
		return similar_in_tile_avx512;
	if (level == SimdLevel::avx2)
		return similar_in_tile_avx2;
#endif
	return similar_in_tile_plain;
}

} // namespace

void order_by_energy(std::span<const double> energy, std::span<std::uint32_t> order) noexcept
{
	std::iota(order.begin(), order.end(), 0u);
	std::sort(order.begin(), order.end(),
		[&](std::uint32_t a, std::uint32_t b) { return energy[a] != energy[b] ? energy[a] > energy[b] : a < b; });
}

void encode_cosine(const CosineLayout &layout, Vector vector, float norm, std::uint8_t *tile, std::size_t lane) noexcept
{
	const std::size_t coded = std::min(layout.stages * cosine_stage, vector.size());
	const auto element = [&](std::size_t i) { return static_cast<double>(vector[layout.order[i]]) / norm; };
	for (std::size_t i = 0; i < layout.stages * cosine_stage; ++i)
		tile[code_place(layout, i, lane)] = code_bias;
	if (!std::isfinite(norm) || norm == 0)
		return;
	double largest = 0;
	for (std::size_t i = 0; i < coded; ++i)
		largest = std::max(largest, std::abs(element(i)));
	const float step = rounded_up(largest / largest_code);
	double rounding = 0, rest = 0;
	for (std::size_t i = 0; i < coded; ++i) {
		const double code = std::nearbyint(element(i) / step);
		tile[code_place(layout, i, lane)] = static_cast<std::uint8_t>(code_bias + static_cast<int>(code));
		const double left = element(i) - code * step;
		rounding += left * left;
	}
	store_float(tile, 0, lane, step);
	store_float(tile, 1, lane, rounded_up(std::sqrt(rounding)));
	for (std::size_t i = vector.size(); i-- > 0;) {
		// `rest` has the elements behind i
		if ((i + 1) % cosine_stage == 0 && i / cosine_stage < layout.stages)
			store_float(tile, 2 + i / cosine_stage, lane, rounded_up(std::sqrt(rest)));
		rest += element(i) * element(i);
	}
}

void load_cosine_query(
	const CosineLayout &layout, const std::uint8_t *tile, std::size_t lane, CosineQuery &query) noexcept
{
	query.step = stored_float(tile, 0, lane);
	query.rounding = stored_float(tile, 1, lane);
	std::int32_t sum = 0;
	for (std::size_t stage = 0; stage < layout.stages; ++stage) {
		query.rest[stage] = stored_float(tile, 2 + stage, lane);
		for (std::size_t group = stage * groups_per_stage; group < (stage + 1) * groups_per_stage; ++group) {
			std::uint32_t packed = 0;
			for (std::size_t i = 0; i < 4; ++i) {
				const int code = tile[code_place(layout, group * 4 + i, lane)] - code_bias;
				packed |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(code)) << 8 * i;
				sum += code;
			}
			query.groups[group] = static_cast<std::int32_t>(packed);
		}
		query.offsets[stage] = code_bias * sum;
	}
}

std::size_t cosine_candidates(const CosineLayout &layout, const CosineQuery &query, const std::uint8_t *tiles,
	std::size_t count, float threshold, std::uint32_t *out, SimdLevel level) noexcept
{
	const SimilarInTile similar_in = similar_in_tile(level);
	std::size_t found = 0;
	for (std::size_t tile = 0; tile < count; ++tile)
		for (unsigned similar = similar_in(layout, query, tiles + tile * layout.tile_bytes(), threshold); similar != 0;
			 similar &= similar - 1)
			out[found++] = static_cast<std::uint32_t>(tile * cosine_tile) + std::countr_zero(similar);
	return found;
}

} // namespace txtfp::core
