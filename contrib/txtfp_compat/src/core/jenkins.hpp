// lookup3 (B. Jenkins, 2006, public domain): hashlittle2 with the halves of a 64-bit seed, its first result as the
// upper half, as simhash-cpp uses it. Fingerprints of older programs depend on it; use XXH3 for new ones.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace txtfp::core {

class Jenkins64 {
public:
	static constexpr std::uint64_t hash(std::string_view bytes, std::uint64_t seed) noexcept
	{
		Jenkins64 state(bytes.size(), seed);
		for (; bytes.size() > block; bytes.remove_prefix(block)) {
			state.add(bytes);
			state.mix();
		}
		if (!bytes.empty()) { // but for the empty input at least one byte is left
			state.add(bytes);
			state.finish();
		}
		return std::uint64_t{state.c_} << 32 | state.b_;
	}

private:
	using Word = std::uint32_t;
	static constexpr std::size_t block = 12;

	constexpr Jenkins64(std::size_t size, std::uint64_t seed) noexcept
		: a_(0xDEADBEEF + static_cast<Word>(size) + static_cast<Word>(seed >> 32)), b_(a_),
		  c_(a_ + static_cast<Word>(seed))
	{
	}

	// The little-endian word at `at`; bytes after the end count as zeros.
	static constexpr Word word(std::string_view bytes, std::size_t at) noexcept
	{
		const auto byte = [bytes](std::size_t i) { return Word{static_cast<std::uint8_t>(bytes[i])}; };
		if (at + 4 <= bytes.size())
			return byte(at) | byte(at + 1) << 8 | byte(at + 2) << 16 | byte(at + 3) << 24; // one load
		Word word = 0;
		for (std::size_t i = 0; at + i < bytes.size(); ++i)
			word |= byte(at + i) << 8 * i;
		return word;
	}

	constexpr void add(std::string_view bytes) noexcept
	{
		a_ += word(bytes, 0);
		b_ += word(bytes, 4);
		c_ += word(bytes, 8);
	}

	static constexpr void mix(Word &x, Word &y, Word &z, int bits) noexcept
	{
		x -= y;
		x ^= std::rotl(y, bits);
		y += z;
	}
	constexpr void mix() noexcept
	{
		mix(a_, c_, b_, 4);
		mix(b_, a_, c_, 6);
		mix(c_, b_, a_, 8);
		mix(a_, c_, b_, 16);
		mix(b_, a_, c_, 19);
		mix(c_, b_, a_, 4);
	}

	static constexpr void finish(Word &x, Word y, int bits) noexcept
	{
		x ^= y;
		x -= std::rotl(y, bits);
	}
	constexpr void finish() noexcept
	{
		finish(c_, b_, 14);
		finish(a_, c_, 11);
		finish(b_, a_, 25);
		finish(c_, b_, 16);
		finish(a_, c_, 4);
		finish(b_, a_, 14);
		finish(c_, b_, 24);
	}

	Word a_, b_, c_;
};

constexpr std::uint64_t jenkins64(std::string_view bytes, std::uint64_t seed = 0) noexcept
{
	return Jenkins64::hash(bytes, seed);
}

} // namespace txtfp::core
