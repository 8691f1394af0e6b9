// SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014): a stream of 64-bit
// numbers that is the same on every machine, for repeatable pseudorandom choices. Not for secrets.
#pragma once

#include <cstdint>

namespace txtfp::core {

class SplitMix64 {
public:
	explicit constexpr SplitMix64(std::uint64_t seed = 0) noexcept : state_(seed) {}

	// Number k (from 0) of the stream of seed 0, computed without its predecessors.
	static constexpr std::uint64_t at(std::uint64_t k) noexcept { return mixed((k + 1) * step); }

	constexpr std::uint64_t operator()() noexcept { return mixed(state_ += step); }

	// A number from 0 to end - 1. The modulo bias is at most end / 2^64, which the callers can ignore.
	constexpr std::uint64_t below(std::uint64_t end) noexcept { return (*this)() % end; }

	static constexpr std::uint64_t step = 0x9E3779B97F4A7C15; // added to the state for each number

	// The finalizer, a bijection: every bit of z influences every bit of the result.
	static constexpr std::uint64_t mixed(std::uint64_t z) noexcept
	{
		z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
		z = (z ^ z >> 27) * 0x94D049BB133111EB;
		return z ^ z >> 31;
	}

private:
	std::uint64_t state_;
};

} // namespace txtfp::core
