// Standard normal numbers exactly as two libraries draw them, for fingerprints made by random projection there:
// Rust's ChaCha8Rng::seed_from_u64(42) with StandardNormal rounded to f32, and NumPy's default_rng(seed).normal().
// Not for secrets. Rejected candidates call exp and log of the C library; the numbers themselves do not depend on their
// last bit, but in the tail (one in 4,000), where a library that rounds otherwise could change the last bit of a
// double.
#pragma once

#include <cstdint>
#include <span>

namespace txtfp::core {

// ChaCha with 8 rounds (D. J. Bernstein, 2008): 64-bit block counter, stream 0. The key is drawn from a 64-bit seed as
// rand_core does.
class ChaCha8 {
public:
	explicit ChaCha8(std::uint64_t seed) noexcept;
	std::uint64_t operator()() noexcept;

private:
	void next_block() noexcept;

	static constexpr unsigned words = 16;
	std::uint32_t key_[8];
	std::uint64_t counter_ = 0;
	std::uint32_t block_[words];
	unsigned used_ = words;
};

// PCG64 XSL-RR (M. O'Neill, 2014), seeded by NumPy's SeedSequence of one integer.
class Pcg64 {
public:
	explicit Pcg64(std::uint64_t seed) noexcept;
	std::uint64_t operator()() noexcept;

private:
	// 128 bits: on 32 bits compilers have no such integer.
	struct State {
		std::uint64_t high, low;
	};

	static State product(std::uint64_t a, std::uint64_t b) noexcept;
	void add(State term) noexcept;
	void step() noexcept;

	State state_{}, increment_{};
};

class RustNormal {
public:
	using Number = float;

	explicit RustNormal(std::uint64_t seed) noexcept : random_(seed) {}
	double draw() noexcept;
	Number operator()() noexcept { return static_cast<Number>(draw()); }

private:
	double tail(bool negative) noexcept;

	ChaCha8 random_;
};

class NumpyNormal {
public:
	using Number = double;

	explicit NumpyNormal(std::uint64_t seed) noexcept : random_(seed) {}
	Number operator()() noexcept;

private:
	double unit() noexcept; // [0, 1)
	double tail(bool negative) noexcept;

	Pcg64 random_;
};

} // namespace txtfp::core
