// All similar pairs of values that no key brings together, exactly: every value is compared with every other, and
// bounds, which are cheaper than the measure, exclude most pairs. The work comes in tasks, each of which compares the
// values of two tiles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/lavinhash/lavinhash.hpp"
#include "core/tlsh/tlsh.hpp"

namespace txtfp::core {

// Values of a fixed number of bytes, and their measure: a distance or a score.
struct TlshValues {
	static constexpr std::size_t bytes = tlsh_bytes;
	static const Tlsh &view(const std::uint8_t *value) noexcept { return *reinterpret_cast<const Tlsh *>(value); }
	static int measure(const std::uint8_t *a, const std::uint8_t *b) noexcept
	{
		return tlsh_distance(view(a), view(b));
	}
	static bool similar(const std::uint8_t *a, const std::uint8_t *b, int limit) noexcept
	{
		return tlsh_within(view(a), view(b), limit);
	}
};

// The size of the serialized form as u16, then the form.
struct LavinhashValues {
	static constexpr std::size_t bytes = sizeof(std::uint16_t) + lavinhash_max_size;
	static LavinhashBytes view(const std::uint8_t *value) noexcept
	{
		std::uint16_t size;
		std::memcpy(&size, value, sizeof size);
		return {value + sizeof size, size};
	}
	static int measure(const std::uint8_t *a, const std::uint8_t *b) noexcept
	{
		return lavinhash_similarity(view(a), view(b));
	}
	static bool similar(const std::uint8_t *a, const std::uint8_t *b, int limit) noexcept
	{
		return lavinhash_similar(view(a), view(b), limit);
	}
};

constexpr std::size_t exact_tile = 512;
constexpr std::size_t exact_tasks(std::size_t values) noexcept
{
	const std::size_t tiles = (values + exact_tile - 1) / exact_tile;
	return tiles * (tiles + 1) / 2;
}

// The tiles of task 0 … exact_tasks() − 1: values x to x_end − 1 are compared with the values from y to y_end − 1 that
// come after them.
struct TilePair {
	std::size_t x, x_end, y, y_end;
	TilePair(std::size_t task, std::size_t values) noexcept
	{
		std::size_t row = 0;
		while (task > row)
			task -= ++row;
		x = task * exact_tile;
		y = row * exact_tile;
		x_end = std::min(x + exact_tile, values);
		y_end = std::min(y + exact_tile, values);
	}
};

// Calls fn(i, j) for the similar pairs i < j of a task, and poll() now and then. `xs` and `ys` are the values of both
// tiles.
template <class Values, class Poll, class Fn>
void join_tiles(const TilePair &tiles, const std::uint8_t *xs, const std::uint8_t *ys, int limit, Poll poll, Fn fn)
{
	for (std::size_t j = tiles.y; j < tiles.y_end; ++j) {
		poll();
		const std::uint8_t *other = ys + (j - tiles.y) * Values::bytes;
		for (std::size_t i = tiles.x, end = std::min(tiles.x_end, j); i < end; ++i)
			if (Values::similar(xs + (i - tiles.x) * Values::bytes, other, limit))
				fn(i, j);
	}
}

} // namespace txtfp::core
