#include "core/minhash/minhash.hpp"

#include <algorithm>

#include "core/base/neon.hpp"
#include "core/minhash/minhash_text.hpp"
#include "core/text/config.hpp"

namespace txtfp::core {

namespace {

void update_scalar(std::uint64_t *__restrict slots, std::size_t first, std::size_t count, const std::uint64_t *lo,
	const std::uint64_t *hi, std::size_t n) noexcept
{
	for (std::size_t j = 0; j < n; ++j) {
		std::uint64_t value = lo[j] + first * hi[j];
		for (std::size_t i = 0; i < count; ++i, value += hi[j])
			slots[i] = std::min(slots[i], value);
	}
}

#if defined(__x86_64__)

typedef std::uint64_t Lanes4 __attribute__((vector_size(32)));
typedef std::int64_t SignedLanes4 __attribute__((vector_size(32)));
typedef std::uint64_t Lanes8 __attribute__((vector_size(64)));

// Both kernels keep a block of slots in registers while they loop over the tokens. `first` is the number of the block's
// first slot. The inner loops are unrolled explicitly, because g++ -O2 would otherwise keep `kept` in memory.

// Updates 32 slots. AVX2 has only signed comparisons, so slots and values are offset by 2^63, which keeps their order.
__attribute__((target("avx2"))) void update_avx2(
	std::uint64_t *slots, std::size_t first, const std::uint64_t *lo, const std::uint64_t *hi, std::size_t n) noexcept
{
	constexpr int registers = 8, lanes = 4;
	constexpr std::uint64_t shift = std::uint64_t{1} << 63;
	constexpr std::uint64_t all_ones = ~std::uint64_t{0};
	constexpr Lanes4 odd = {0, all_ones, 0, all_ones}, upper = {0, 0, all_ones, all_ones};
	Lanes4 kept[registers];
	std::memcpy(kept, slots, sizeof kept);
	for (Lanes4 &k : kept)
		k ^= shift;
	for (std::size_t j = 0; j < n; ++j) {
		const Lanes4 h = hi[j] - Lanes4{}, step = hi[j] * lanes - Lanes4{};
		Lanes4 value = ((lo[j] + first * hi[j]) ^ shift) + ((h & odd) + ((h + h) & upper)); // + {0, 1, 2, 3}·hi
#pragma GCC unroll 8
		for (int i = 0; i < registers; ++i) {
			kept[i] = reinterpret_cast<SignedLanes4>(value) < reinterpret_cast<SignedLanes4>(kept[i]) ? value : kept[i];
			value += step;
		}
	}
	for (Lanes4 &k : kept)
		k ^= shift;
	std::memcpy(slots, kept, sizeof kept);
}

// Updates 128 slots.
__attribute__((target("avx512f,avx512dq"))) void update_avx512(
	std::uint64_t *slots, std::size_t first, const std::uint64_t *lo, const std::uint64_t *hi, std::size_t n) noexcept
{
	constexpr int registers = 16, lanes = 8;
	constexpr Lanes8 ramp = {0, 1, 2, 3, 4, 5, 6, 7};
	Lanes8 kept[registers];
	std::memcpy(kept, slots, sizeof kept);
	for (std::size_t j = 0; j < n; ++j) {
		const Lanes8 step = hi[j] * lanes - Lanes8{};
		Lanes8 value = (lo[j] + first * hi[j]) + (hi[j] - Lanes8{}) * ramp;
#pragma GCC unroll 16
		for (int i = 0; i < registers; ++i) {
			kept[i] = value < kept[i] ? value : kept[i];
			value += step;
		}
	}
	std::memcpy(slots, kept, sizeof kept);
}

#elif defined(TXTFP_NEON)

// 32 slots, in half of the registers. Even and odd registers follow each other in two chains of additions, side by
// side.
void update_neon(
	std::uint64_t *slots, std::size_t first, const std::uint64_t *lo, const std::uint64_t *hi, std::size_t n) noexcept
{
	constexpr int registers = 16, lanes = 2;
	uint64x2_t kept[registers];
	for (int i = 0; i < registers; ++i)
		kept[i] = vld1q_u64(slots + lanes * i);
	for (std::size_t j = 0; j < n; ++j) {
		const std::uint64_t start = lo[j] + first * hi[j];
		const uint64x2_t pair = vcombine_u64(vcreate_u64(start), vcreate_u64(start + hi[j]));
		uint64x2_t value[2] = {pair, vaddq_u64(pair, vdupq_n_u64(lanes * hi[j]))};
		const uint64x2_t step = vdupq_n_u64(2 * lanes * hi[j]);
#pragma GCC unroll 16
		for (int i = 0; i < registers; ++i) {
			kept[i] = vbslq_u64(vcgtq_u64(kept[i], value[i % 2]), value[i % 2], kept[i]);
			value[i % 2] = vaddq_u64(value[i % 2], step);
		}
	}
	for (int i = 0; i < registers; ++i)
		vst1q_u64(slots + lanes * i, kept[i]);
}

#endif

} // namespace

void minhash_update(
	SimdLevel level, Slots slots, const std::uint64_t *lo, const std::uint64_t *hi, std::size_t n) noexcept
{
	std::size_t done = 0;
#if defined(__x86_64__)
	if (level == SimdLevel::avx512)
		for (; slots.size() - done >= 128; done += 128)
			update_avx512(slots.data() + done, done, lo, hi, n);
	if (level != SimdLevel::baseline)
		for (; slots.size() - done >= 32; done += 32)
			update_avx2(slots.data() + done, done, lo, hi, n);
#elif defined(TXTFP_NEON)
	if (level == SimdLevel::neon)
		for (; slots.size() - done >= 32; done += 32)
			update_neon(slots.data() + done, done, lo, hi, n);
#else
	(void) level;
#endif
	if (done < slots.size())
		update_scalar(slots.data() + done, done, slots.size() - done, lo, hi, n);
}

std::string minhash_algorithm(std::size_t slots) { return "minhash-h" + std::to_string(slots); }

std::uint64_t minhash_config(const TextOptions &options, std::size_t slots)
{
	return config_hash(format_canonicalizer(options.canonical), format_tokenizer(options.tokenizer),
		minhash_algorithm(slots), options.family, options.seed);
}

MinhashBuilder::MinhashBuilder(HashFamily family, std::uint64_t seed, Slots slots) noexcept
	: family_(family), seed_(seed), slots_(slots)
{
	std::fill(slots.begin(), slots.end(), ~std::uint64_t{0});
}

void MinhashBuilder::add(std::span<const std::string_view> tokens) noexcept
{
	while (!tokens.empty()) {
		const std::size_t n = std::min(tokens.size(), batch - pending_);
		hash128(family_, tokens.first(n), seed_, lo_ + pending_, hi_ + pending_);
		tokens = tokens.subspan(n);
		pending_ += n;
		if (pending_ == batch)
			flush();
	}
}

void MinhashBuilder::flush() noexcept
{
	minhash_update(simd_level(), slots_, lo_, hi_, pending_);
	any_ |= pending_ > 0;
	pending_ = 0;
}

bool MinhashBuilder::finish() noexcept
{
	flush();
	return any_;
}

bool minhash(std::string_view utf8, const TextOptions &options, Slots slots, StopToken stop)
{
	MinhashSketcher sketcher(options, slots, stop);
	sketcher.append(utf8, true);
	return sketcher.finish();
}

namespace {

TXTFP_KERNEL unsigned count_matches(const std::uint64_t *a, const std::uint64_t *b, std::size_t n) noexcept
{
	typedef std::uint64_t Lanes __attribute__((vector_size(64)));
	constexpr std::size_t lanes = sizeof(Lanes) / sizeof(std::uint64_t);
	Lanes counts{};
	std::size_t i = 0;
	for (; i + lanes <= n; i += lanes) {
		Lanes x, y;
		std::memcpy(&x, &a[i], sizeof x);
		std::memcpy(&y, &b[i], sizeof y);
		counts -= reinterpret_cast<Lanes>(x == y); // an equal lane is −1
	}
	std::uint64_t matches = 0;
	for (std::size_t lane = 0; lane < lanes; ++lane)
		matches += counts[lane];
	for (; i < n; ++i)
		matches += a[i] == b[i];
	return static_cast<unsigned>(matches);
}

#if defined(TXTFP_NEON)
unsigned count_matches_neon(const std::uint64_t *a, const std::uint64_t *b, std::size_t n) noexcept
{
	constexpr std::size_t registers = 4, lanes = 2;
	uint64x2_t counts[registers] = {};
	std::size_t i = 0;
	for (; i + registers * lanes <= n; i += registers * lanes)
#pragma GCC unroll 4
		for (std::size_t k = 0; k < registers; ++k) // a lane that is equal is −1
			counts[k] = vsubq_u64(counts[k], vceqq_u64(vld1q_u64(a + i + lanes * k), vld1q_u64(b + i + lanes * k)));
	std::uint64_t matches = vaddvq_u64(vaddq_u64(vaddq_u64(counts[0], counts[1]), vaddq_u64(counts[2], counts[3])));
	for (; i < n; ++i)
		matches += a[i] == b[i];
	return static_cast<unsigned>(matches);
}
#endif

} // namespace

unsigned matching_slots(ConstSlots a, ConstSlots b) noexcept
{
#if defined(TXTFP_NEON)
	if (simd_level() == SimdLevel::neon)
		return count_matches_neon(a.data(), b.data(), a.size());
#endif
	return dispatch<count_matches>(simd_level(), a.data(), b.data(), a.size());
}

void write_wire(ConstSlots slots, std::uint8_t *out) noexcept
{
	store_le64(out, minhash_schema); // the schema 01 00 and the six zero bytes
	for (std::size_t i = 0; i < slots.size(); ++i)
		store_le64(out + 8 + 8 * i, slots[i]);
}

MinhashParse read_wire(std::span<const std::uint8_t> in, Slots slots) noexcept
{
	if (in.size() != wire_size(slots.size()))
		return MinhashParse::bad_length;
	const std::uint64_t head = load_le64(in.data());
	if ((head & 0xFFFF) != minhash_schema)
		return MinhashParse::bad_schema;
	if (head >> 16 != 0)
		return MinhashParse::bad_padding;
	for (std::size_t i = 0; i < slots.size(); ++i)
		slots[i] = load_le64(in.data() + 8 + 8 * i);
	return MinhashParse::ok;
}

void write_text(std::uint64_t config, ConstSlots slots, char *out) noexcept { write_text_form(config, slots, out); }

MinhashParse read_text(std::string_view in, std::uint64_t &config, Slots slots) noexcept
{
	return read_text_form(in, config, slots);
}

} // namespace txtfp::core
