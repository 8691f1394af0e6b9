// Keys of SimHash values: the bits are cut into radius + 1 pieces; values within the radius share at least one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/hash.hpp"

namespace txtfp::core {

// Writes the keys and returns their number, which the radius alone determines; 0: the pieces would have so few bits that
// they do not distinguish values.
constexpr int most_simhash_pieces = 16;
inline std::size_t simhash_pieces(std::uint64_t bits, int radius, std::uint64_t *keys)
{
	const int pieces = radius + 1;
	if (pieces > most_simhash_pieces)
		return 0;
	for (int i = 0; i < pieces; ++i) {
		const int begin = 64 * i / pieces, size = 64 * (i + 1) / pieces - begin;
		const std::uint64_t mask = size == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
		const std::uint64_t piece = bits >> begin & mask;
		keys[i] = xxh3_64(&piece, sizeof piece, static_cast<std::uint64_t>(i));
	}
	return static_cast<std::size_t>(pieces);
}

} // namespace txtfp::core
