// Little-endian loads and stores, and hexadecimal: the only code that knows byte order.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/base/platform.hpp"

namespace txtfp::core {

constexpr std::uint64_t byte_swap(std::uint64_t v) noexcept { return __builtin_bswap64(v); }

inline std::uint64_t load_le64(const void *p) noexcept
{
	std::uint64_t v;
	std::memcpy(&v, p, sizeof v);
	return std::endian::native == std::endian::little ? v : byte_swap(v);
}

inline void store_le64(void *p, std::uint64_t v) noexcept
{
	if constexpr (std::endian::native == std::endian::big)
		v = byte_swap(v);
	std::memcpy(p, &v, sizeof v);
}

inline std::uint32_t load_le32(const void *p) noexcept
{
	std::uint32_t v;
	std::memcpy(&v, p, sizeof v);
	return std::endian::native == std::endian::little ? v : __builtin_bswap32(v);
}

inline void store_le32(void *p, std::uint32_t v) noexcept
{
	if constexpr (std::endian::native == std::endian::big)
		v = __builtin_bswap32(v);
	std::memcpy(p, &v, sizeof v);
}

constexpr int hex_value(char c) noexcept
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

// Writes 2·n lower-case digits, no terminator.
inline void hex_encode(const std::uint8_t *in, std::size_t n, char *out) noexcept
{
	constexpr char digits[] = "0123456789abcdef";
	for (std::size_t i = 0; i < n; ++i) {
		out[2 * i] = digits[in[i] >> 4];
		out[2 * i + 1] = digits[in[i] & 15];
	}
}

// Reads 2·n digits of either case; false on anything else.
inline bool hex_decode(const char *in, std::size_t n, std::uint8_t *out) noexcept
{
	int bad = 0;
	for (std::size_t i = 0; i < n; ++i) {
		const int high = hex_value(in[2 * i]), low = hex_value(in[2 * i + 1]);
		bad |= high | low;
		out[i] = static_cast<std::uint8_t>((high & 15) << 4 | (low & 15));
	}
	return bad >= 0;
}

// 16 lower-case digits, most significant first.
inline void hex_encode_u64(std::uint64_t v, char *out) noexcept
{
	std::uint8_t big_endian[8];
	store_le64(big_endian, byte_swap(v));
	hex_encode(big_endian, 8, out);
}

inline bool hex_decode_u64(const char *in, std::uint64_t &v) noexcept
{
	std::uint8_t big_endian[8];
	if (!hex_decode(in, 8, big_endian))
		return false;
	v = byte_swap(load_le64(big_endian));
	return true;
}

} // namespace txtfp::core
