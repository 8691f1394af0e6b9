// LavinHash by its definition: the reference of core/lavinhash; takes the whole input, one byte at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/lavinhash/lavinhash.hpp"
#include "core/lavinhash/lavinhash_table.hpp"

namespace txtfp::test::naive {

using Bytes = std::vector<std::uint8_t>;

inline std::uint8_t normalized(std::uint8_t byte)
{
	if (byte >= 'A' && byte <= 'Z')
		return static_cast<std::uint8_t>(byte - 'A' + 'a');
	return byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r' ? ' ' : byte;
}

// The state of the rolling hash after every byte of a stream or chunk, including the zeros that the ring begins with.
inline std::vector<std::uint64_t> rolling_hashes(std::span<const std::uint8_t> bytes)
{
	std::vector<std::uint64_t> out;
	std::uint8_t ring[64] = {};
	std::uint64_t hash = 0;
	for (std::size_t i = 0; i < bytes.size(); ++i) {
		const std::uint8_t in = normalized(bytes[i]);
		hash = std::rotl(hash, 1) ^ core::lavinhash_byte_constants[ring[i % 64]] ^ core::lavinhash_byte_constants[in];
		ring[i % 64] = in;
		out.push_back(hash);
	}
	return out;
}

inline std::uint64_t modulus(std::uint64_t total, std::uint64_t min_modulus)
{
	return total > 1200 * min_modulus ? std::max(total / 1200, min_modulus) : min_modulus;
}

// Positions of the last bytes of features.
inline std::vector<std::size_t> triggers(std::span<const std::uint8_t> bytes, std::uint64_t modulus)
{
	std::vector<std::size_t> out;
	const std::vector<std::uint64_t> hashes = rolling_hashes(bytes);
	for (std::size_t i = 64; i < hashes.size(); ++i)
		if (hashes[i] % modulus == 0)
			out.push_back(i);
	return out;
}

inline std::vector<std::uint64_t> feature_hashes(std::span<const std::uint8_t> normal)
{
	std::vector<std::uint64_t> out;
	constexpr std::uint64_t seeds[] = {
		0x517cc1b727220a95, 0x5bc42f4b7f0db7e3, 0x9e3779b97f4a7c15, 0xc3a5c85c97cb3127, 0xb492b66fbe98f273};
	for (std::uint64_t x : seeds) {
		for (const std::uint8_t byte : normal)
			x = (std::rotl(x, 5) + byte) * 0x517cc1b727220a95;
		out.push_back(x);
	}
	return out;
}

inline void add_feature(std::span<const std::uint8_t> feature, std::span<std::uint8_t> filter)
{
	Bytes normal;
	for (const std::uint8_t byte : feature)
		normal.push_back(normalized(byte));
	for (const std::uint64_t hash : feature_hashes(normal))
		filter[hash % 8192 / 8] = static_cast<std::uint8_t>(filter[hash % 8192 / 8] | 1 << hash % 8);
}

inline float entropy(std::span<const std::uint8_t> block)
{
	unsigned counts[256] = {};
	for (const std::uint8_t byte : block)
		++counts[byte];
	float entropy = 0;
	for (const unsigned count : counts)
		if (count > 0) {
			const float share = static_cast<float>(count) / static_cast<float>(block.size());
			const float term = share * std::log2(share);
			entropy = entropy - term;
		}
	return entropy;
}

inline unsigned nibble(float entropy) { return static_cast<unsigned>(entropy * 1.875f) & 15; }

inline std::vector<std::span<const std::uint8_t>> cut(std::span<const std::uint8_t> bytes, std::size_t size)
{
	std::vector<std::span<const std::uint8_t>> out;
	for (std::size_t i = 0; i < bytes.size(); i += size)
		out.push_back(bytes.subspan(i, std::min(size, bytes.size() - i)));
	return out;
}

inline Bytes lavinhash(std::span<const std::uint8_t> bytes, const core::LavinhashOptions &options)
{
	Bytes out(1028);
	const std::uint64_t m = modulus(bytes.size(), options.min_modulus);
	const bool chunked = options.chunked && bytes.size() > 1048576;
	for (const auto chunk : cut(bytes, chunked ? 262144 : bytes.size()))
		for (const std::size_t i : triggers(chunk, m))
			add_feature(chunk.subspan(i - 63, 64), std::span(out).subspan(4));
	bool high = true;
	for (const auto block : cut(bytes, std::max<std::size_t>(64, bytes.size() / 256))) {
		const unsigned value = nibble(entropy(block));
		if (high)
			out.push_back(static_cast<std::uint8_t>(value << 4));
		else
			out.back() = static_cast<std::uint8_t>(out.back() | value);
		high = !high;
	}
	out[0] = 'H';
	out[1] = 1;
	out[2] = static_cast<std::uint8_t>(out.size() - 1028);
	return out;
}

inline std::vector<unsigned> nibbles(std::span<const std::uint8_t> form)
{
	std::vector<unsigned> out;
	for (const std::uint8_t byte : form.subspan(1028)) {
		out.push_back(byte >> 4);
		out.push_back(byte & 15);
	}
	return out;
}

// Levenshtein's distance by the whole table, row by row.
inline int edit_distance(const std::vector<unsigned> &a, const std::vector<unsigned> &b)
{
	std::vector<int> row(b.size() + 1);
	for (std::size_t j = 0; j <= b.size(); ++j)
		row[j] = static_cast<int>(j);
	for (std::size_t i = 1; i <= a.size(); ++i) {
		int diagonal = row[0];
		row[0] = static_cast<int>(i);
		for (std::size_t j = 1; j <= b.size(); ++j) {
			const int replaced = diagonal + (a[i - 1] != b[j - 1]);
			diagonal = row[j];
			row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
		}
	}
	return row[b.size()];
}

inline float content(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b)
{
	unsigned common = 0, united = 0;
	for (std::size_t bit = 0; bit < 8192; ++bit) {
		const bool in_a = a[4 + bit / 8] >> bit % 8 & 1, in_b = b[4 + bit / 8] >> bit % 8 & 1;
		common += in_a && in_b;
		united += in_a || in_b;
	}
	return united == 0 ? 1.0f : static_cast<float>(common) / static_cast<float>(united);
}

} // namespace txtfp::test::naive
