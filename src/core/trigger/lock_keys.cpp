#include "core/trigger/lock_keys.hpp"

#include <algorithm>
#include <cmath>

namespace txtfp::core {

namespace {

constexpr int min_rows = 2, min_block_bits = 4;

// Hashes the keys with the space as seed, sorts them and removes duplicates. Returns their number.
std::size_t finish_keys(std::uint64_t *keys, std::size_t n, std::uint64_t space) noexcept
{
	for (std::size_t i = 0; i < n; ++i) {
		std::uint8_t bytes[8];
		store_le64(bytes, keys[i]);
		keys[i] = xxh3_64(bytes, sizeof bytes, space);
	}
	std::sort(keys, keys + n);
	return static_cast<std::size_t>(std::unique(keys, keys + n) - keys);
}

} // namespace

Banding lock_banding(double threshold, int slots) noexcept
{
	// Of two compact sketches at the threshold at least as many slots are equal as of full ones: the estimate subtracts
	// chance.
	const int differing = slots - static_cast<int>(std::ceil(threshold * slots)); // exact: slots is a power of two
	const int bands = differing + 1;
	return bands * min_rows <= slots ? Banding{bands, slots / bands} : Banding{0, 0};
}

int lock_blocks(int distance) noexcept
{
	const int blocks = distance + 1;
	return blocks * min_block_bits <= 64 ? blocks : 0;
}

std::size_t lock_keys(ConstSlots slots, Banding banding, std::uint64_t space, std::uint64_t *out) noexcept
{
	band_keys(slots, banding, out);
	return finish_keys(out, static_cast<std::size_t>(banding.bands), space);
}

std::size_t lock_keys(ConstCompactSlots slots, Banding banding, std::uint64_t space, std::uint64_t *out) noexcept
{
	band_keys(slots, banding, out);
	return finish_keys(out, static_cast<std::size_t>(banding.bands), space);
}

std::size_t lock_keys(std::uint64_t bits, int blocks, std::uint64_t space, std::uint64_t *out) noexcept
{
	for (int block = 0; block < blocks; ++block) {
		const int from = 64 * block / blocks, width = 64 * (block + 1) / blocks - from;
		std::uint8_t bytes[8];
		store_le64(bytes, bits << (64 - from - width) >> (64 - width));
		out[block] = xxh3_64(bytes, sizeof bytes, static_cast<std::uint64_t>(block));
	}
	return finish_keys(out, static_cast<std::size_t>(blocks), space);
}

} // namespace txtfp::core
