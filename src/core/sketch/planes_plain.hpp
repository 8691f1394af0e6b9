// The plain kernel of planes.cpp, and what all kernels share.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace txtfp::core::plane_kernels {

inline std::uint64_t load(const std::uint8_t *p) noexcept
{
	std::uint64_t v;
	std::memcpy(&v, p, sizeof v);
	return v;
}

struct Input {
	const std::uint8_t *rows;
	std::size_t stride, n;
	const std::uint8_t *probe;
	std::uint64_t *differ;
};

struct Codes {
	const std::uint8_t *low, *high;
	std::size_t n;
	const std::uint8_t *probe;
	int limit;
};

// ---- word by word: the reference that tests compare the other kernels with

template <std::size_t W, std::size_t P, bool keep>
[[gnu::always_inline]] inline void planes_by_words(const Input &in, std::uint16_t *out) noexcept
{
	std::uint64_t probe[P][W];
	std::memcpy(probe, in.probe, sizeof probe);
	for (std::size_t i = 0; i < in.n; ++i) {
		int count = 0;
		for (std::size_t w = 0; w < W; ++w) {
			std::uint64_t any = keep ? in.differ[W * i + w] : 0;
			for (std::size_t p = 0; p < P; ++p)
				any |= load(in.rows + p * in.stride + 8 * (W * i + w)) ^ probe[p][w];
			if (keep)
				in.differ[W * i + w] = any;
			count += std::popcount(any);
		}
		out[i] = static_cast<std::uint16_t>(count);
	}
}

// The distance of 64 two-bit codes, from the exclusive or of each pair. If only the lower bits of a pair differ, its
// distance is 1; if only the upper bits differ, it is 2. If both differ, it is 1 for the codes 1 and 2, and 6 for the
// codes 0 and 3: each has two equal bits.
[[gnu::always_inline]] inline int code_distance(
	std::uint64_t low, std::uint64_t high, std::uint64_t probe_low, std::uint64_t probe_high) noexcept
{
	const std::uint64_t lower = low ^ probe_low, upper = high ^ probe_high, farthest = lower & upper & ~(low ^ high);
	return std::popcount(lower) + 2 * std::popcount(upper & ~lower) + 5 * std::popcount(farthest);
}

[[gnu::always_inline]] inline void add_code_distance(const Codes &in, std::size_t row, std::uint16_t *out) noexcept
{
	const std::uint8_t *low = in.low + 16 * row, *high = in.high + 16 * row, *probe = in.probe;
	out[row] =
		static_cast<std::uint16_t>(out[row] + code_distance(load(low), load(high), load(probe), load(probe + 16)) +
			code_distance(load(low + 8), load(high + 8), load(probe + 8), load(probe + 24)));
}

[[gnu::always_inline]] inline void codes_by_words(const Codes &in, std::uint16_t *out) noexcept
{
	for (std::size_t i = 0; i < in.n; ++i)
		if (out[i] <= in.limit)
			add_code_distance(in, i, out);
}

[[gnu::always_inline]] inline std::size_t within_one_by_one(const std::uint16_t *bounds, std::size_t first,
	std::size_t n, std::uint16_t max_bound, std::uint16_t *rows) noexcept
{
	std::size_t found = 0;
	for (std::size_t i = first; i < n; ++i)
		if (bounds[i] <= max_bound)
			rows[found++] = static_cast<std::uint16_t>(i);
	return found;
}

struct Baseline {
	template <std::size_t W, std::size_t P, bool keep> static void planes(const Input &in, std::uint16_t *out) noexcept
	{
		planes_by_words<W, P, keep>(in, out);
	}
	static void codes(const Codes &in, std::uint16_t *out) noexcept { codes_by_words(in, out); }
	static std::size_t within(
		const std::uint16_t *bounds, std::size_t n, std::uint16_t max_bound, std::uint16_t *rows) noexcept
	{
		return within_one_by_one(bounds, 0, n, max_bound, rows);
	}
};

// ---- eight rows at a time

constexpr std::size_t step = 8;

// The first of the next eight rows, or n at the end. If fewer than eight are left, the last block overlaps the one
// before it, and the same numbers are written again. n is at least 8.
[[gnu::always_inline]] inline std::size_t next_block(std::size_t i, std::size_t n) noexcept
{
	return i + step == n ? n : std::min(i + step, n - step);
}

// Fills 64 bytes with copies of a plane of the probe.
template <std::size_t W> inline void repeat(const std::uint8_t *probe, std::size_t plane, std::uint8_t *out) noexcept
{
	for (std::size_t i = 0; i < 8 / W; ++i)
		std::memcpy(out + 8 * W * i, probe + 8 * W * plane, 8 * W);
}

} // namespace txtfp::core::plane_kernels
