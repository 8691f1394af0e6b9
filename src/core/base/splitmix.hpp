// SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014): a stream of 64-bit
// numbers, the same on every machine, where something must look random and yet be repeated. Not for secrets.
#pragma once

#include <cstdint>

namespace txtfp::core {

class SplitMix64 {
public:
	explicit constexpr SplitMix64(std::uint64_t seed = 0) noexcept : state_(seed) {}

	// Number k from seed 0, k counted from 0, without those before it.
	static constexpr std::uint64_t at(std::uint64_t k) noexcept { return mixed((k + 1) * step); }

	constexpr std::uint64_t operator()() noexcept { return mixed(state_ += step); }

	// Of 0 to end - 1. The bias of the remainder, end / 2^64, is nothing to those who call this.
	constexpr std::uint64_t below(std::uint64_t end) noexcept { return (*this)() % end; }

private:
	static constexpr std::uint64_t step = 0x9E3779B97F4A7C15;

	static constexpr std::uint64_t mixed(std::uint64_t z) noexcept
	{
		z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
		z = (z ^ z >> 27) * 0x94D049BB133111EB;
		return z ^ z >> 31;
	}

	std::uint64_t state_;
};

} // namespace txtfp::core
