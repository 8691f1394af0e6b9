#include "core/simhash/hamming_index.hpp"

namespace txtfp::core {

namespace {

constexpr std::size_t choose(int n, int k) noexcept
{
	std::size_t result = 1;
	for (int i = 1; i <= k; ++i)
		result = result * static_cast<std::size_t>(n - k + i) / static_cast<std::size_t>(i);
	return result;
}

} // namespace

std::size_t probe_key_count(int radius) noexcept
{
	std::size_t count = 0;
	for (int block = 0; block < hamming_blocks; ++block)
		for (int bits = 0; bits <= block_radius(radius, block); ++bits)
			count += choose(hamming_block_bits, bits);
	return count;
}

std::vector<std::uint32_t> probe_keys(std::uint64_t value, int radius)
{
	std::vector<std::uint32_t> keys;
	keys.reserve(probe_key_count(radius));
	for (int block = 0; block < hamming_blocks; ++block) {
		const auto key = static_cast<std::uint32_t>(compact_key(value, block));
		for (int bits = 0; bits <= block_radius(radius, block); ++bits)
			for_each_mask(bits, [&](std::uint32_t mask) { keys.push_back(key ^ mask); });
	}
	return keys;
}

} // namespace txtfp::core
