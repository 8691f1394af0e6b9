// MD5 (RFC 1321). Some expected values in test/data are kept as the MD5 of the reference's bytes, to save space.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/bytes.hpp"

namespace txtfp::test {

class Md5 {
public:
	static std::string hex(std::string_view message)
	{
		std::string padded(message);
		padded.push_back('\x80');
		padded.resize((padded.size() + 8 + 63) / 64 * 64);
		const std::uint64_t bits = 8 * std::uint64_t{message.size()};
		core::store_le64(padded.data() + padded.size() - 8, bits);
		Md5 md5;
		for (std::size_t at = 0; at < padded.size(); at += 64)
			md5.update(padded.data() + at);
		return md5.digest();
	}

private:
	void update(const char *block)
	{
		constexpr int rotations[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
		auto [a, b, c, d] = state_;
		for (unsigned i = 0; i < 64; ++i) {
			const unsigned round = i / 16;
			const std::uint32_t mixed[] = {(b & c) | (~b & d), (d & b) | (~d & c), b ^ c ^ d, c ^ (b | ~d)};
			const unsigned words[] = {i, 5 * i + 1, 3 * i + 5, 7 * i};
			const std::uint32_t sum = a + mixed[round] + sine(i) + word(block, words[round] % 16);
			a = d;
			d = c;
			c = b;
			b += std::rotl(sum, rotations[round][i % 4]);
		}
		state_ = {state_[0] + a, state_[1] + b, state_[2] + c, state_[3] + d};
	}

	static std::uint32_t sine(unsigned i)
	{
		static const auto table = [] {
			std::array<std::uint32_t, 64> sines{};
			for (unsigned n = 0; n < sines.size(); ++n)
				sines[n] = static_cast<std::uint32_t>(std::floor(std::fabs(std::sin(n + 1.0)) * 4294967296.0));
			return sines;
		}();
		return table[i];
	}

	static std::uint32_t word(const char *block, unsigned i)
	{
		return static_cast<std::uint32_t>(core::load_le64(block + 8 * (i / 2)) >> (i % 2 * 32));
	}

	std::string digest() const
	{
		std::uint8_t bytes[16];
		core::store_le64(bytes, state_[0] | std::uint64_t{state_[1]} << 32);
		core::store_le64(bytes + 8, state_[2] | std::uint64_t{state_[3]} << 32);
		std::string out(32, '\0');
		core::hex_encode(bytes, 16, out.data());
		return out;
	}

	std::array<std::uint32_t, 4> state_ = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};
};

} // namespace txtfp::test
