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
constexpr std::size_t groups = cosine_stage / 4, group_bytes = 4 * cosine_tile;
constexpr std::size_t header_bytes = 3 * cosine_tile * sizeof(float);
enum Bound : std::size_t { step, rounding, rest };

// Bounds are stored as floats and rounded up by more than what single precision loses.
float rounded_up(double value) noexcept { return static_cast<float>(value * (1 + 1e-6) + 1e-9); }

float stored_float(const std::uint8_t *tile, Bound bound, std::size_t lane) noexcept
{
	float value;
	std::memcpy(&value, tile + (bound * cosine_tile + lane) * sizeof value, sizeof value);
	return value;
}

void store_float(std::uint8_t *tile, Bound bound, std::size_t lane, float value) noexcept
{
	std::memcpy(tile + (bound * cosine_tile + lane) * sizeof value, &value, sizeof value);
}

constexpr std::size_t code_place(std::size_t element, std::size_t lane) noexcept
{
	return header_bytes + element / 4 * group_bytes + lane * 4 + element % 4;
}

// A stage of one vector, in the form in which stages of a tile are compared with it.
struct Query {
	std::int32_t groups[cosine_stage / 4]; // 4 codes each, without bias
	std::int32_t offset;                   // what the bias of the others adds
	float step, rounding, rest;
};

void load(const std::uint8_t *tile, std::size_t lane, Query &query) noexcept
{
	query.step = stored_float(tile, step, lane);
	query.rounding = stored_float(tile, rounding, lane);
	query.rest = stored_float(tile, rest, lane);
	std::int32_t sum = 0;
	for (std::size_t group = 0; group < groups; ++group) {
		std::uint32_t packed;
		std::memcpy(&packed, tile + code_place(4 * group, lane), sizeof packed);
		for (std::size_t i = 0; i < 4; ++i)
			sum += static_cast<int>(packed >> 8 * i & 0xFF) - code_bias;
		packed = ((packed | 0x80808080) - 0x40404040) ^ 0x80808080; // the bias off each byte
		query.groups[group] = static_cast<std::int32_t>(packed);
	}
	query.offset = code_bias * sum;
}

// A kernel compares one stage of a tile with the same stage of several queries: adds the products to `dots`, and keeps those bits
// of `masks`, one for each lane, where the right side of the inequality is at least the threshold. All kernels compute
// it in the same order and without fused operations, so that they find the same candidates.
using Dots = float[cosine_tile];
using Kernel = void (*)(
	const std::uint8_t *tile, const Query *queries, float threshold, Dots *dots, std::uint32_t *masks) noexcept;
constexpr int together = 8; // queries that are compared with the first stage of a tile; more do not fit into registers

template <int Count>
void compare_plain(
	const std::uint8_t *tile, const Query *queries, float threshold, Dots *dots, std::uint32_t *masks) noexcept
{
	for (int i = 0; i < Count; ++i) {
		const Query &query = queries[i];
		std::uint32_t mask = 0;
		for (std::size_t lane = 0; lane < cosine_tile; ++lane) {
			std::int32_t sum = -query.offset;
			for (std::size_t at = 0; at < cosine_stage; ++at)
				sum += static_cast<std::int8_t>(static_cast<std::uint32_t>(query.groups[at / 4]) >> at % 4 * 8 & 0xFF) *
					tile[code_place(at, lane)];
			dots[i][lane] += static_cast<float>(sum) * (query.step * stored_float(tile, step, lane));
			const float rests = query.rest * stored_float(tile, rest, lane);
			const float slack = (1 + query.rounding) * stored_float(tile, rounding, lane) + query.rounding;
			mask |= static_cast<std::uint32_t>(dots[i][lane] + rests + slack >= threshold) << lane;
		}
		masks[i] &= mask;
	}
}

#if defined(__x86_64__)
template <int Count>
[[gnu::target("avx512f,avx512bw,avx512vnni")]] void compare_vnni(
	const std::uint8_t *tile, const Query *queries, float threshold, Dots *dots, std::uint32_t *masks) noexcept
{
	const auto *floats = reinterpret_cast<const float *>(tile);
	__m512i sums[Count];
	for (int i = 0; i < Count; ++i)
		sums[i] = _mm512_set1_epi32(-queries[i].offset);
	for (std::size_t group = 0; group < groups; ++group) {
		const __m512i codes = _mm512_loadu_si512(tile + header_bytes + group * group_bytes);
#pragma GCC unroll 8
		for (int i = 0; i < Count; ++i)
			sums[i] = _mm512_dpbusd_epi32(sums[i], codes, _mm512_set1_epi32(queries[i].groups[group]));
	}
	const __m512 steps = _mm512_loadu_ps(floats), roundings = _mm512_loadu_ps(floats + rounding * cosine_tile),
				 rests = _mm512_loadu_ps(floats + rest * cosine_tile);
#pragma GCC unroll 8
	for (int i = 0; i < Count; ++i) {
		const Query &query = queries[i];
		const __m512 sum = _mm512_maskz_cvtepi32_ps(0xFFFF, sums[i]);
		const __m512 dot = _mm512_add_ps(
			_mm512_loadu_ps(dots[i]), _mm512_mul_ps(sum, _mm512_mul_ps(_mm512_set1_ps(query.step), steps)));
		_mm512_storeu_ps(dots[i], dot);
		const __m512 slack =
			_mm512_add_ps(_mm512_mul_ps(_mm512_set1_ps(1 + query.rounding), roundings), _mm512_set1_ps(query.rounding));
		const __m512 bounds =
			_mm512_add_ps(_mm512_add_ps(dot, _mm512_mul_ps(_mm512_set1_ps(query.rest), rests)), slack);
		masks[i] &= _mm512_cmp_ps_mask(bounds, _mm512_set1_ps(threshold), _CMP_GE_OQ);
	}
}

[[gnu::target("avx2"), gnu::always_inline]] inline __m256i loaded(const std::uint8_t *codes) noexcept
{
	return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(codes));
}

// Half a tile: 8 vectors from `lane` on. A product of two codes is at most 127 · 63, so that 16 bits hold the sum of
// four.
template <int Count>
[[gnu::target("avx2"), gnu::always_inline]] inline void compare_half_avx2(const std::uint8_t *tile, std::size_t lane,
	const Query *queries, float threshold, Dots *dots, std::uint32_t *masks) noexcept
{
	const auto *floats = reinterpret_cast<const float *>(tile) + lane;
	const std::uint8_t *codes = tile + header_bytes + 4 * lane;
	const __m256i ones = _mm256_set1_epi16(1);
	__m256i sums[Count];
	for (int i = 0; i < Count; ++i)
		sums[i] = _mm256_set1_epi32(-queries[i].offset);
	for (std::size_t group = 0; group < groups; group += 2) {
		const __m256i even = loaded(codes + group * group_bytes), odd = loaded(codes + (group + 1) * group_bytes);
#pragma GCC unroll 8
		for (int i = 0; i < Count; ++i) {
			const __m256i a = _mm256_maddubs_epi16(even, _mm256_set1_epi32(queries[i].groups[group]));
			const __m256i b = _mm256_maddubs_epi16(odd, _mm256_set1_epi32(queries[i].groups[group + 1]));
			sums[i] = _mm256_add_epi32(sums[i], _mm256_madd_epi16(_mm256_add_epi16(a, b), ones));
		}
	}
	const __m256 steps = _mm256_loadu_ps(floats), roundings = _mm256_loadu_ps(floats + rounding * cosine_tile),
				 rests = _mm256_loadu_ps(floats + rest * cosine_tile);
#pragma GCC unroll 8
	for (int i = 0; i < Count; ++i) {
		const Query &query = queries[i];
		const __m256 dot = _mm256_add_ps(_mm256_loadu_ps(dots[i] + lane),
			_mm256_mul_ps(_mm256_cvtepi32_ps(sums[i]), _mm256_mul_ps(_mm256_set1_ps(query.step), steps)));
		_mm256_storeu_ps(dots[i] + lane, dot);
		const __m256 slack =
			_mm256_add_ps(_mm256_mul_ps(_mm256_set1_ps(1 + query.rounding), roundings), _mm256_set1_ps(query.rounding));
		const __m256 bounds =
			_mm256_add_ps(_mm256_add_ps(dot, _mm256_mul_ps(_mm256_set1_ps(query.rest), rests)), slack);
		const auto similar =
			static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(bounds, _mm256_set1_ps(threshold), _CMP_GE_OQ)));
		masks[i] &= similar << lane | ~(0xFFu << lane);
	}
}

template <int Count>
[[gnu::target("avx2")]] void compare_avx2(
	const std::uint8_t *tile, const Query *queries, float threshold, Dots *dots, std::uint32_t *masks) noexcept
{
	compare_half_avx2<Count>(tile, 0, queries, threshold, dots, masks);
	compare_half_avx2<Count>(tile, 8, queries, threshold, dots, masks);
}
#endif

struct Kernels {
	Kernel several, one;
};

Kernels kernels([[maybe_unused]] SimdLevel level) noexcept
{
#if defined(__x86_64__)
	static const bool has_vnni = __builtin_cpu_supports("avx512vnni");
	if (level == SimdLevel::avx512 && has_vnni)
		return {compare_vnni<together>, compare_vnni<1>};
	if (level != SimdLevel::baseline)
		return {compare_avx2<together>, compare_avx2<1>};
#endif
	return {compare_plain<together>, compare_plain<1>};
}

// The lanes of a tile that all stages leave similar to a row.
std::uint32_t similar_lanes(const CosineCodes &codes, std::size_t row, std::size_t tile, std::uint32_t lanes,
	float threshold, Kernel kernel) noexcept
{
	Dots dots{};
	for (std::size_t stage = 0; stage < codes.stages && lanes != 0; ++stage) {
		Query query;
		load(codes.at(stage, row / cosine_tile), row % cosine_tile, query);
		kernel(codes.at(stage, tile), &query, threshold, &dots, &lanes);
	}
	return lanes;
}

} // namespace

void CosineCodes::clear_tile(std::size_t tile) const noexcept
{
	for (std::size_t stage = 0; stage < stages; ++stage) {
		std::memset(at(stage, tile), 0, header_bytes);
		std::memset(at(stage, tile) + header_bytes, code_bias, stage_bytes - header_bytes);
	}
}

void order_by_energy(std::span<const double> energy, std::span<std::uint32_t> order) noexcept
{
	std::iota(order.begin(), order.end(), 0u);
	std::sort(order.begin(), order.end(),
		[&](std::uint32_t a, std::uint32_t b) { return energy[a] != energy[b] ? energy[a] > energy[b] : a < b; });
}

void make_unit_vector(Vector vector, float norm, double *unit) noexcept
{
	const double length = is_usual_norm(norm) ? static_cast<double>(norm) : wide_norm(vector);
	for (std::size_t i = 0; i < vector.size(); ++i)
		unit[i] = static_cast<double>(vector[i]) / length;
}

void encode_cosine(
	const CosineCodes &codes, Vector vector, float norm, std::span<double> scratch, std::size_t row) noexcept
{
	const std::size_t tile = row / cosine_tile, lane = row % cosine_tile;
	make_unit_vector(vector, norm, scratch.data());
	codes.axes.turn(scratch);
	const auto element = [&](std::size_t i) { return scratch[codes.order[i]]; };
	double lost = 0; // square of what the codes leave of the prefix
	for (std::size_t stage = 0; stage < codes.stages; ++stage) {
		const std::size_t begin = stage * cosine_stage, end = std::min(begin + cosine_stage, vector.size());
		std::uint8_t *to = codes.at(stage, tile);
		double largest = 0;
		for (std::size_t i = begin; i < end; ++i)
			largest = std::max(largest, std::abs(element(i)));
		const float step_size = rounded_up(largest / largest_code);
		for (std::size_t i = begin; i < end; ++i) {
			const double code = std::nearbyint(element(i) / step_size), left = element(i) - code * step_size;
			to[code_place(i - begin, lane)] = static_cast<std::uint8_t>(code_bias + static_cast<int>(code));
			lost += left * left;
		}
		store_float(to, step, lane, step_size);
		store_float(to, rounding, lane, rounded_up(std::sqrt(lost)));
	}
	double behind = 0;
	for (std::size_t i = vector.size(), stage = codes.stages; stage-- > 0;) {
		for (; i > (stage + 1) * cosine_stage; --i)
			behind += element(i - 1) * element(i - 1);
		store_float(codes.at(stage, tile), rest, lane, rounded_up(std::sqrt(behind)));
	}
}

std::size_t cosine_candidates(const CosineCodes &codes, std::size_t x, std::size_t y, std::size_t y_end,
	float threshold, CosineCandidate *out, SimdLevel level) noexcept
{
	const Kernels compare = kernels(level);
	Query queries[cosine_tile];
	for (std::size_t lane = 0; lane < cosine_tile; ++lane)
		load(codes.at(0, x), lane, queries[lane]);
	std::size_t found = 0;
	for (std::size_t tile = y; tile < y_end; ++tile) {
		std::uint32_t masks[cosine_tile];
		std::fill_n(masks, cosine_tile, 0xFFFFu);
		for (std::size_t first = 0; first < cosine_tile; first += together) {
			Dots dots[together] = {};
			compare.several(codes.at(0, tile), queries + first, threshold, dots, masks + first);
		}
		for (std::size_t lane = 0; lane < cosine_tile; ++lane) {
			if (masks[lane] == 0)
				continue;
			const std::size_t row = x * cosine_tile + lane;
			for (std::uint32_t left = similar_lanes(codes, row, tile, masks[lane], threshold, compare.one); left != 0;
				 left &= left - 1)
				out[found++] = {static_cast<std::uint32_t>(row),
					static_cast<std::uint32_t>(tile * cosine_tile) + std::countr_zero(left)};
		}
	}
	return found;
}

} // namespace txtfp::core
