// Reservoir sampling (J. S. Vitter, "Random sampling with a reservoir", 1985, algorithm R): draws a sample of fixed size from a stream of
// unknown length, in which every item has the same probability. The seed is fixed, so equal streams give equal samples.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/splitmix.hpp"

namespace txtfp::core {

class Reservoir {
public:
	explicit constexpr Reservoir(std::size_t size) noexcept : size_(size) {}

	// Decides about the next item. Returns its place in the sample, whose item it replaces if there is one, or `size` or more if it is not
	// drawn.
	constexpr std::uint64_t next_place() noexcept { return items_++ < size_ ? items_ - 1 : random_.below(items_); }

	constexpr std::uint64_t items() const noexcept { return items_; } // seen so far
	constexpr std::size_t drawn() const noexcept
	{
		return static_cast<std::size_t>(std::min<std::uint64_t>(items_, size_));
	}

private:
	std::size_t size_;
	std::uint64_t items_ = 0;
	SplitMix64 random_;
};

} // namespace txtfp::core
