// XXH3-128 of a dictionary file. Each connection computes it once, so it uses AVX2 if the processor has it.
#include <cstddef>
#include <cstdint>

#include "core/dictionary.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TXTFP_CJK_AVX2
#pragma GCC push_options
#pragma GCC target("avx2")
#pragma GCC optimize("O3")
#define XXH_INLINE_ALL
#define XXH_VECTOR XXH_AVX2 // g++ does not define __AVX2__ for the pragma
// Bytes; the files come from memory, and the processor does not prefetch across pages by itself.
#define XXH_PREFETCH_DIST 8192
#include <immintrin.h>
#include <xxhash.h>

static txtfp::core::Hash128 hash_with_avx2(const char *data, std::size_t size) noexcept
{
	const XXH128_hash_t hash = XXH3_128bits(data, size);
	return {hash.low64, hash.high64};
}
#pragma GCC pop_options
#endif

namespace txtfp::cjk {

core::Hash128 dictionary_checksum(const char *file, std::size_t size) noexcept
{
	constexpr std::size_t from = DictionaryHeader::checksum_begins_at;
#ifdef TXTFP_CJK_AVX2
	if (__builtin_cpu_supports("avx2"))
		return hash_with_avx2(file + from, size - from);
#endif
	return core::xxh3_128(file + from, size - from, 0);
}

} // namespace txtfp::cjk
