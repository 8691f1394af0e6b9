// How every value is compared with every other: the work comes in tasks; each compares the values of two tiles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace txtfp::core {

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

} // namespace txtfp::core
