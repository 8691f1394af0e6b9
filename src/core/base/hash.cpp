#include "core/base/hash.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace txtfp::core {

namespace {

constexpr std::string_view family_names[] = {"xxh3-64", "mmh3-x64-128"};

constexpr std::uint64_t c1 = 0x87C37B91114253D5, c2 = 0x4CF5AD432745937F;

std::uint64_t mix_k1(std::uint64_t k) noexcept { return std::rotl(k * c1, 31) * c2; }
std::uint64_t mix_k2(std::uint64_t k) noexcept { return std::rotl(k * c2, 33) * c1; }

std::uint64_t finalize(std::uint64_t k) noexcept
{
	k ^= k >> 33;
	k *= 0xFF51AFD7ED558CCD;
	k ^= k >> 33;
	k *= 0xC4CEB9FE1A85EC53;
	return k ^ k >> 33;
}

template <class Hash>
void hash_all(std::span<const std::string_view> tokens, std::uint64_t *lo, std::uint64_t *hi, Hash hash) noexcept
{
	if (hi == nullptr)
		for (std::size_t i = 0; i < tokens.size(); ++i)
			lo[i] = hash(tokens[i]).lo;
	else
		for (std::size_t i = 0; i < tokens.size(); ++i) {
			const Hash128 h = hash(tokens[i]);
			lo[i] = h.lo;
			hi[i] = h.hi;
		}
}

} // namespace

std::string_view name(HashFamily family) noexcept { return family_names[static_cast<int>(family)]; }

bool parse_hash_family(std::string_view text, HashFamily &family) noexcept
{
	for (const HashFamily known : {HashFamily::xxh3, HashFamily::murmur3})
		if (text == name(known)) {
			family = known;
			return true;
		}
	return false;
}

Hash128 xxh3_128(const void *data, std::size_t size, std::uint64_t seed) noexcept
{
	const XXH128_hash_t h = XXH3_128bits_withSeed(data, size, seed);
	return {h.low64, h.high64};
}

std::uint64_t xxh3_64(const void *data, std::size_t size, std::uint64_t seed) noexcept
{
	return XXH3_64bits_withSeed(data, size, seed);
}

__attribute__((flatten)) void hash128(HashFamily family, std::span<const std::string_view> tokens, std::uint64_t seed,
	std::uint64_t *lo, std::uint64_t *hi) noexcept
{
	if (family == HashFamily::murmur3)
		hash_all(tokens, lo, hi, [seed](std::string_view t) { return murmur3_128(t.data(), t.size(), seed); });
	else
		hash_all(tokens, lo, hi, [seed](std::string_view t) {
			const XXH128_hash_t h = XXH3_128bits_withSeed(t.data(), t.size(), seed);
			return Hash128{h.low64, h.high64};
		});
}

Hash128 murmur3_128(const void *data, std::size_t size, std::uint64_t seed) noexcept
{
	const auto *p = static_cast<const std::uint8_t *>(data);
	std::uint64_t h1 = seed, h2 = seed;
	std::size_t left = size;
	for (; left >= 16; left -= 16, p += 16) {
		h1 = (std::rotl(h1 ^ mix_k1(load_le64(p)), 27) + h2) * 5 + 0x52DCE729;
		h2 = (std::rotl(h2 ^ mix_k2(load_le64(p + 8)), 31) + h1) * 5 + 0x38495AB5;
	}
	std::uint8_t tail[16] = {};
	if (left > 0)
		std::memcpy(tail, p, left);
	h1 ^= mix_k1(load_le64(tail));
	h2 ^= mix_k2(load_le64(tail + 8));

	h1 ^= size;
	h2 ^= size;
	h1 += h2;
	h2 += h1;
	h1 = finalize(h1);
	h2 = finalize(h2);
	h1 += h2;
	h2 += h1;
	return {h1, h2};
}

} // namespace txtfp::core
