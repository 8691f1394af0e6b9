#include "core/tlsh/tlsh_windows.hpp"

#include "core/base/bytes.hpp"
#include "core/base/neon.hpp"
#include "core/tlsh/tlsh_tables.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace txtfp::core {

namespace {

// Salts, permuted.
constexpr unsigned checksum_salt = tlsh_permutation[0], salt_2 = tlsh_permutation[2], salt_3 = tlsh_permutation[3],
				   salt_5 = tlsh_permutation[5], salt_7 = tlsh_permutation[7], salt_11 = tlsh_permutation[11],
				   salt_13 = tlsh_permutation[13];

// Pearson's hash of three bytes.
inline unsigned hash(unsigned salt, unsigned a, unsigned b, unsigned c) noexcept
{
	return tlsh_permutation[tlsh_permutation[tlsh_permutation[salt ^ a] ^ b] ^ c];
}

void count_plain(const std::uint8_t *bytes, std::size_t size, TlshBuckets &buckets, std::uint8_t &checksum) noexcept
{
	std::uint32_t counters[256] = {};
	unsigned state = checksum;
	unsigned b = bytes[3], c = bytes[2], d = bytes[1], e = bytes[0];
	for (std::size_t i = tlsh_overlap; i < size; ++i) {
		const unsigned a = bytes[i];
		state = hash(checksum_salt, a, b, state);
		++counters[hash(salt_2, a, b, c)];
		++counters[hash(salt_3, a, b, d)];
		++counters[hash(salt_5, a, c, d)];
		++counters[hash(salt_7, a, c, e)];
		++counters[hash(salt_11, a, b, e)];
		++counters[hash(salt_13, a, d, e)];
		e = d, d = c, c = b, b = a;
	}
	for (std::size_t k = 0; k < tlsh_bucket_count; ++k)
		buckets[k] += counters[k];
	checksum = static_cast<std::uint8_t>(state);
}

#if defined(__x86_64__)

#define TXTFP_VBMI2 [[gnu::target("avx512f,avx512bw,avx512vbmi,avx512vbmi2")]]
#define TXTFP_VBMI2_INLINE TXTFP_VBMI2 [[gnu::always_inline]] inline

constexpr std::size_t lanes = 64, interleaved = 4, prefetch_distance = 4 * lanes;
constexpr std::size_t likely_hits = 3 * lanes; // of the 6 hashes of each window, half are buckets
constexpr std::uint8_t no_bucket = tlsh_bucket_count;

// Handles the rest of a block of up to 64 windows after the vector code.
struct Block {
	std::uint8_t links[lanes]; // the bytes that the checksum takes in, one for each window
	std::uint8_t
		hits[6 * lanes + likely_hits]; // buckets to count, followed by `no_bucket` as far as the counter may read
	std::size_t hit_count;
};

using Counters = std::uint32_t[interleaved][tlsh_bucket_count + 1];

struct Permutation {
	__m512i quarters[4];
};

TXTFP_VBMI2_INLINE __m512i permuted(const Permutation &p, __m512i bytes)
{
	const __m512i low = _mm512_permutex2var_epi8(p.quarters[0], bytes, p.quarters[1]);
	const __m512i high = _mm512_permutex2var_epi8(p.quarters[2], bytes, p.quarters[3]);
	return _mm512_mask_blend_epi8(_mm512_movepi8_mask(bytes), low, high);
}

TXTFP_VBMI2_INLINE __m512i hash_two(const Permutation &p, unsigned salt, __m512i a, __m512i b)
{
	return permuted(p, permuted(p, a ^ _mm512_set1_epi8(static_cast<char>(salt))) ^ b);
}

// Half of the hashes are no buckets; the other half is moved together.
TXTFP_VBMI2_INLINE void add_hits(
	const Permutation &p, Block &block, __mmask64 windows, unsigned salt, __m512i a, __m512i b, __m512i c)
{
	const __m512i hashes = permuted(p, hash_two(p, salt, a, b) ^ c);
	const __mmask64 buckets = ~_mm512_movepi8_mask(hashes) & windows;
	_mm512_storeu_si512(block.hits + block.hit_count, _mm512_maskz_compress_epi8(buckets, hashes));
	block.hit_count += static_cast<std::size_t>(__builtin_popcountll(buckets));
}

TXTFP_VBMI2_INLINE __mmask64 first_windows(std::size_t count)
{
	return count < lanes ? (__mmask64{1} << count) - 1 : ~__mmask64{0};
}

// Handles the windows that end at last[0], last[1], …
TXTFP_VBMI2_INLINE void hash_windows(const Permutation &p, const std::uint8_t *last, __mmask64 windows, Block &block)
{
	const __m512i a = _mm512_maskz_loadu_epi8(windows, last), b = _mm512_maskz_loadu_epi8(windows, last - 1),
				  c = _mm512_maskz_loadu_epi8(windows, last - 2), d = _mm512_maskz_loadu_epi8(windows, last - 3),
				  e = _mm512_maskz_loadu_epi8(windows, last - 4);
	_mm512_storeu_si512(block.links, hash_two(p, checksum_salt, a, b));
	block.hit_count = 0;
	add_hits(p, block, windows, salt_2, a, b, c);
	add_hits(p, block, windows, salt_3, a, b, d);
	add_hits(p, block, windows, salt_5, a, c, d);
	add_hits(p, block, windows, salt_7, a, c, e);
	add_hits(p, block, windows, salt_11, a, b, e);
	add_hits(p, block, windows, salt_13, a, d, e);
	for (std::size_t i = 0; i < likely_hits; i += lanes)
		_mm512_storeu_si512(block.hits + block.hit_count + i, _mm512_set1_epi8(static_cast<char>(no_bucket)));
}

inline void count_eight(Counters &counters, const std::uint8_t *hits) noexcept
{
	std::uint64_t eight = load_le64(hits);
#pragma GCC unroll 8
	for (std::size_t j = 0; j < 8; ++j, eight >>= 8)
		++counters[j % interleaved][eight & 0xFF];
}

inline unsigned link_eight(unsigned state, const std::uint8_t *links) noexcept
{
	std::uint64_t eight = load_le64(links);
#pragma GCC unroll 8
	for (int j = 0; j < 8; ++j, eight >>= 8)
		state = tlsh_permutation[(eight & 0xFF) ^ state];
	return state;
}

// The checksum mostly waits for its last table look-up, and counting fills the gaps. The number of hits counted here is
// always the same, which saves a mispredicted branch.
inline unsigned count_block(const Block &block, Counters &counters, unsigned state) noexcept
{
	std::size_t hit = 0;
	for (std::size_t link = 0; link < lanes; link += 8) {
		state = link_eight(state, block.links + link);
		for (const std::size_t end = hit + likely_hits / 8; hit < end; hit += 8)
			count_eight(counters, block.hits + hit);
	}
	for (; hit < block.hit_count; hit += 8)
		count_eight(counters, block.hits + hit);
	return state;
}

unsigned count_last_block(const Block &block, std::size_t windows, Counters &counters, unsigned state) noexcept
{
	for (std::size_t i = 0; i < windows; ++i)
		state = tlsh_permutation[block.links[i] ^ state];
	for (std::size_t hit = 0; hit < block.hit_count; hit += 8)
		count_eight(counters, block.hits + hit);
	return state;
}

TXTFP_VBMI2 void count_vbmi2(
	const std::uint8_t *bytes, std::size_t size, TlshBuckets &buckets, std::uint8_t &checksum) noexcept
{
	Permutation p;
	for (int i = 0; i < 4; ++i)
		p.quarters[i] = _mm512_load_si512(tlsh_permutation + 64 * i);
	alignas(64) Counters counters = {};
	alignas(64) Block blocks[2]; // one is hashed while the other, which has reached memory by then, is counted
	unsigned state = checksum, pending = 0;
	std::size_t windows_left = size - tlsh_overlap;
	const std::uint8_t *last = bytes + tlsh_overlap;
	hash_windows(p, last, first_windows(windows_left), blocks[0]);
	for (; windows_left > lanes; windows_left -= lanes, pending ^= 1) {
		last += lanes;
		__builtin_prefetch(last + prefetch_distance);
		hash_windows(p, last, first_windows(windows_left - lanes), blocks[pending ^ 1]);
		state = count_block(blocks[pending], counters, state);
	}
	state = count_last_block(blocks[pending], windows_left, counters, state);
	for (std::size_t k = 0; k < tlsh_bucket_count; ++k)
		buckets[k] += counters[0][k] + counters[1][k] + counters[2][k] + counters[3][k];
	checksum = static_cast<std::uint8_t>(state);
}

#elif defined(TXTFP_NEON)

constexpr std::size_t lanes = 16;

// Half of the registers hold the permutation. An index of a table look-up that is out of range gives 0 or leaves what
// was there.
struct Permutation {
	uint8x16x4_t quarters[4];
};

inline uint8x16_t permuted(const Permutation &p, uint8x16_t bytes) noexcept
{
	const uint8x16_t quarter = vdupq_n_u8(64);
	uint8x16_t out = vqtbl4q_u8(p.quarters[0], bytes);
	out = vqtbx4q_u8(out, p.quarters[1], bytes = veorq_u8(bytes, quarter));
	out = vqtbx4q_u8(out, p.quarters[2], bytes = veorq_u8(bytes, vdupq_n_u8(64 ^ 128)));
	return vqtbx4q_u8(out, p.quarters[3], veorq_u8(bytes, quarter));
}

inline uint8x16_t hash_two(const Permutation &p, unsigned salt, uint8x16_t a, uint8x16_t b) noexcept
{
	return permuted(p, veorq_u8(permuted(p, veorq_u8(a, vdupq_n_u8(static_cast<std::uint8_t>(salt)))), b));
}

// Counts of the values below 256, in four tables, because equal values that follow each other would wait for one
// another.
using Counters = std::uint32_t[4][256];

inline void count_hashes(Counters &counters, uint8x16_t hashes) noexcept
{
	const uint64x2_t halves = vreinterpretq_u64_u8(hashes);
	std::uint64_t low = vgetq_lane_u64(halves, 0), high = vgetq_lane_u64(halves, 1);
#pragma GCC unroll 8
	for (int j = 0; j < 8; ++j, low >>= 8, high >>= 8) {
		++counters[j % 2][low & 0xFF];
		++counters[2 + j % 2][high & 0xFF];
	}
}

// The windows that do not fill a block are counted one by one.
void count_neon(const std::uint8_t *bytes, std::size_t size, TlshBuckets &buckets, std::uint8_t &checksum) noexcept
{
	Permutation p;
	for (int i = 0; i < 4; ++i)
		p.quarters[i] = vld1q_u8_x4(tlsh_permutation + 64 * i);
	Counters counters = {};
	unsigned state = checksum;
	std::size_t at = tlsh_overlap; // the last byte of the next window
	for (; at + lanes <= size; at += lanes) {
		const std::uint8_t *last = bytes + at;
		const uint8x16_t a = vld1q_u8(last), b = vld1q_u8(last - 1), c = vld1q_u8(last - 2), d = vld1q_u8(last - 3),
						 e = vld1q_u8(last - 4);
		const auto count = [&](unsigned salt, uint8x16_t x, uint8x16_t y) {
			count_hashes(counters, permuted(p, veorq_u8(hash_two(p, salt, a, x), y)));
		};
		std::uint8_t links[lanes]; // the bytes that the checksum takes in
		vst1q_u8(links, hash_two(p, checksum_salt, a, b));
		count(salt_2, b, c);
		count(salt_3, b, d);
		count(salt_5, c, d);
		count(salt_7, c, e);
		count(salt_11, b, e);
		count(salt_13, d, e);
#pragma GCC unroll 16
		for (const std::uint8_t link : links)
			state = tlsh_permutation[link ^ state];
	}
	for (std::size_t k = 0; k < tlsh_bucket_count; ++k)
		buckets[k] += counters[0][k] + counters[1][k] + counters[2][k] + counters[3][k];
	checksum = static_cast<std::uint8_t>(state);
	if (at < size)
		count_plain(bytes + (at - tlsh_overlap), size - (at - tlsh_overlap), buckets, checksum);
}

#endif

} // namespace

bool has_kernel(TlshKernel kernel) noexcept
{
	switch (kernel) {
	case TlshKernel::vbmi2:
#if defined(__x86_64__)
		__builtin_cpu_init();
		return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi") &&
			__builtin_cpu_supports("avx512vbmi2");
#else
		return false;
#endif
	case TlshKernel::neon:
#if defined(TXTFP_NEON)
		return true;
#else
		return false;
#endif
	case TlshKernel::plain:
		break;
	}
	return true;
}

TlshKernel tlsh_kernel() noexcept
{
	static const TlshKernel kernel = [] {
		if (simd_level() == SimdLevel::neon)
			return TlshKernel::neon;
		if (simd_level() == SimdLevel::avx512 && has_kernel(TlshKernel::vbmi2))
			return TlshKernel::vbmi2;
		return TlshKernel::plain;
	}();
	return kernel;
}

void tlsh_count_windows(TlshKernel kernel, const std::uint8_t *bytes, std::size_t size, TlshBuckets &buckets,
	std::uint8_t &checksum) noexcept
{
	if (size <= tlsh_overlap)
		return;
#if defined(__x86_64__)
	if (kernel == TlshKernel::vbmi2)
		return count_vbmi2(bytes, size, buckets, checksum);
#elif defined(TXTFP_NEON)
	if (kernel == TlshKernel::neon)
		return count_neon(bytes, size, buckets, checksum);
#else
	(void) kernel;
#endif
	count_plain(bytes, size, buckets, checksum);
}

} // namespace txtfp::core
