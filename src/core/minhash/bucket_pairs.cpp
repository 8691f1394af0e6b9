#include "core/minhash/bucket_pairs.hpp"

#include <functional>

#include "core/base/cpu.hpp"

namespace txtfp::core {

namespace {

template <std::size_t Words, class Merge>
TXTFP_KERNEL std::size_t find_masks(const std::uint64_t *__restrict mask, const std::uint64_t *__restrict masks,
	std::size_t n, unsigned most, std::uint32_t *__restrict found, Merge merge) noexcept
{
	std::uint64_t own[Words];
	std::copy_n(mask, Words, own);
	std::size_t count = 0;
	for (std::size_t i = 0; i < n; ++i) {
		unsigned bits = 0;
		for (std::size_t w = 0; w < Words; ++w)
			bits += static_cast<unsigned>(__builtin_popcountll(merge(own[w], masks[i * Words + w])));
		found[count] = static_cast<std::uint32_t>(i); // branch-free: the next write overwrites a rejected index
		count += bits <= most;
	}
	return count;
}

template <class Merge>
TXTFP_KERNEL std::size_t find_masks(const std::uint64_t *mask, const std::uint64_t *masks, std::size_t n,
	std::size_t words, unsigned most, std::uint32_t *found) noexcept
{
	switch (words) {
	case 1:
		return find_masks<1>(mask, masks, n, most, found, Merge());
	case 2:
		return find_masks<2>(mask, masks, n, most, found, Merge());
	default:
		return find_masks<4>(mask, masks, n, most, found, Merge());
	}
}

TXTFP_KERNEL void compare_slots(
	const std::uint64_t *sketch, const std::uint64_t *common, std::size_t slots, std::uint64_t *mask) noexcept
{
	for (std::size_t word = 0; word < slots / 64; ++word) {
		std::uint64_t bits = 0;
		for (std::size_t i = 0; i < 64; ++i)
			bits |= std::uint64_t{sketch[word * 64 + i] != common[word * 64 + i]} << i;
		mask[word] = bits;
	}
}

} // namespace

std::uint64_t most_frequent(std::uint64_t *values, std::size_t n) noexcept
{
	std::sort(values, values + n);
	std::uint64_t best = values[0];
	for (std::size_t begin = 0, most = 0, end; begin < n; begin = end) {
		for (end = begin + 1; end < n && values[end] == values[begin];)
			++end;
		if (end - begin > most) {
			most = end - begin;
			best = values[begin];
		}
	}
	return best;
}

void deviations_of(
	const std::uint64_t *sketch, const std::uint64_t *common, std::size_t slots, std::uint64_t *mask) noexcept
{
	dispatch<compare_slots>(simd_level(), sketch, common, slots, mask);
}

std::size_t close_unions(const std::uint64_t *mask, const std::uint64_t *masks, std::size_t n, std::size_t words,
	unsigned most, std::uint32_t *found) noexcept
{
	return dispatch<find_masks<std::bit_or<std::uint64_t>>>(simd_level(), mask, masks, n, words, most, found);
}

std::size_t close_masks(const std::uint64_t *mask, const std::uint64_t *masks, std::size_t n, std::size_t words,
	unsigned most, std::uint32_t *found) noexcept
{
	return dispatch<find_masks<std::bit_xor<std::uint64_t>>>(simd_level(), mask, masks, n, words, most, found);
}

} // namespace txtfp::core
