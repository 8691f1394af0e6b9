#include "core/tlsh/tlsh.hpp"

#include <algorithm>
#include <array>

#include "core/base/bytes.hpp"
#include "core/base/neon.hpp"
#include "core/tlsh/tlsh_tables.hpp"
#include "core/tlsh/tlsh_windows.hpp"

namespace txtfp::core {

namespace {

constexpr std::size_t bytes_between_checks = std::size_t{1} << 18;
constexpr std::size_t min_used_buckets = 65;
constexpr std::size_t q1_rank = 31, q2_rank = 63, q3_rank = 95;

constexpr std::uint8_t swap_nibbles(unsigned byte) noexcept { return static_cast<std::uint8_t>(byte << 4 | byte >> 4); }

// The last class also takes lengths beyond 4 GB, for which TLSH defines no class.
unsigned length_class(std::uint64_t length) noexcept
{
	const auto *tops = std::begin(tlsh_class_tops), *last = std::end(tlsh_class_tops) - 1;
	return static_cast<unsigned>(std::lower_bound(tops, last, length) - tops);
}

struct Quartiles {
	std::uint32_t q1, q2, q3;
};

// The element of rank `rank` (from 0) in ascending order.
std::uint32_t select(TlshBuckets &counts, std::size_t rank) noexcept
{
	std::nth_element(counts, counts + rank, std::end(counts));
	return counts[rank];
}

Quartiles quartiles_by_selection(const TlshBuckets &buckets) noexcept
{
	TlshBuckets counts;
	std::copy(std::begin(buckets), std::end(buckets), counts);
	return {select(counts, q1_rank), select(counts, q2_rank), select(counts, q3_rank)};
}

// The number of buckets with each count; the last element also counts all greater counts.
class CountHistogram {
public:
	explicit CountHistogram(const TlshBuckets &buckets) noexcept
	{
		for (const std::uint32_t count : buckets)
			++buckets_with_[std::min(count, last)];
	}
	std::size_t empty_buckets() const noexcept { return buckets_with_[0]; }

	// False if the counts are too great.
	bool quartiles(Quartiles &q) const noexcept
	{
		std::uint32_t count = 0;
		std::size_t buckets = buckets_with_[0];
		const auto select = [&](std::size_t rank) {
			while (buckets <= rank)
				buckets += buckets_with_[++count];
			return count;
		};
		q.q1 = select(q1_rank);
		q.q2 = select(q2_rank);
		q.q3 = select(q3_rank);
		return count < last;
	}

private:
	static constexpr std::uint32_t last = 511;

	std::uint8_t buckets_with_[last + 1] = {};
};

unsigned ratio(std::uint32_t q, std::uint32_t q3) noexcept
{
	return static_cast<unsigned>(std::uint64_t{100} * q / q3 % 16);
}

// Writes the codes from bucket 127 to 0, four in each byte.
void write_body(const TlshBuckets &buckets, const Quartiles &q, std::uint8_t *body) noexcept
{
	for (std::size_t i = tlsh_bucket_count; i > 0; i -= 4) {
		unsigned codes = 0;
		for (std::size_t j = i; j-- > i - 4;)
			codes = codes << 2 | ((buckets[j] > q.q1) + (buckets[j] > q.q2) + (buckets[j] > q.q3));
		*body++ = static_cast<std::uint8_t>(codes);
	}
}

// Distance of numbers on a ring, by their difference: `of_steps` of the shorter way around.
template <std::size_t size, class OfSteps> constexpr std::array<std::int16_t, size> ring_distances(OfSteps of_steps)
{
	std::array<std::int16_t, size> distances{};
	for (std::size_t d = 0; d < size; ++d)
		distances[d] = static_cast<std::int16_t>(of_steps(std::min(d, size - d)));
	return distances;
}

constexpr auto length_distances = ring_distances<256>([](std::size_t steps) { return steps < 2 ? steps : 12 * steps; });
constexpr auto ratio_distances =
	ring_distances<16>([](std::size_t steps) { return steps < 2 ? steps : 12 * (steps - 1); });

// The distance of two codes follows from the bits of x ^ y: the lower bit alone means 1, the upper bit alone 2. Both
// bits mean 1 for the codes 1 and 2, and 6 for 0 and 3, which are the codes whose two bits are equal.
TXTFP_KERNEL int body_distance(const Tlsh *a, const Tlsh *b) noexcept
{
	typedef std::uint64_t Lanes __attribute__((vector_size(tlsh_body_bytes)));
	constexpr std::uint64_t odd = 0x5555555555555555, pairs = 0x3333333333333333, nibbles = 0x0F0F0F0F0F0F0F0F,
							bytes = 0x00FF00FF00FF00FF, ones = 0x0001000100010001;
	Lanes x, y;
	std::memcpy(&x, a->body(), sizeof x);
	std::memcpy(&y, b->body(), sizeof y);
	const Lanes differ = x ^ y, lower = differ & odd, upper = differ >> 1 & odd;
	const Lanes farthest = lower & upper & ~(x ^ x >> 1);
	const Lanes steps = lower | ((upper & ~lower) | farthest) << 1; // 0 … 3
	const Lanes of_pairs =
		(steps & pairs) + (steps >> 2 & pairs) + 3 * ((farthest & pairs) + (farthest >> 2 & pairs)); // 0 … 12 in 4 bits
	const Lanes of_bytes = (of_pairs & nibbles) + (of_pairs >> 4 & nibbles);                         // 0 … 24
	const std::uint64_t sums = of_bytes[0] + of_bytes[1] + of_bytes[2] + of_bytes[3];                // 0 … 96
	return static_cast<int>(((sums & bytes) + (sums >> 8 & bytes)) * ones >> 48);
}

#if defined(TXTFP_NEON)
int body_distance_neon(const Tlsh *a, const Tlsh *b) noexcept
{
	uint8x16_t sum = vdupq_n_u8(0); // in each byte at most 2 · 4 · 6
	for (std::size_t i = 0; i < tlsh_body_bytes; i += sizeof sum) {
		const uint8x16_t x = vld1q_u8(a->body() + i), differ = veorq_u8(x, vld1q_u8(b->body() + i));
		const uint8x16_t odd = vdupq_n_u8(0x55), lower = vandq_u8(differ, odd),
						 upper = vandq_u8(vshrq_n_u8(differ, 1), odd);
		const uint8x16_t farthest = vbicq_u8(vandq_u8(lower, upper), veorq_u8(x, vshrq_n_u8(x, 1)));
		const uint8x16_t twice = vcntq_u8(vbicq_u8(upper, lower));
		sum = vaddq_u8(sum, vaddq_u8(vcntq_u8(lower), vaddq_u8(twice, twice)));
		sum = vmlaq_u8(sum, vcntq_u8(farthest), vdupq_n_u8(5));
	}
	return vaddlvq_u8(sum);
}
#endif

int header_distance(const Tlsh &a, const Tlsh &b, bool with_length) noexcept
{
	return (with_length ? length_distances[(a.length_class() - b.length_class()) & 255] : 0) +
		ratio_distances[(a.q1_ratio() - b.q1_ratio()) & 15] + ratio_distances[(a.q2_ratio() - b.q2_ratio()) & 15] +
		(a.bytes[0] != b.bytes[0]);
}

} // namespace

// The windows that end in these bytes, at most four.
void TlshBuilder::append_few(std::span<const std::uint8_t> bytes) noexcept
{
	std::uint8_t joint[2 * tlsh_overlap];
	std::copy(std::begin(last_), std::end(last_), joint);
	std::copy(bytes.begin(), bytes.end(), joint + tlsh_overlap);
	const std::size_t earlier = std::min<std::uint64_t>(length_, tlsh_overlap);
	tlsh_count_windows(tlsh_kernel(), joint + tlsh_overlap - earlier, earlier + bytes.size(), buckets_, checksum_);
	std::copy_n(joint + bytes.size(), tlsh_overlap, last_);
	length_ += bytes.size();
}

void TlshBuilder::append(std::span<const std::uint8_t> bytes, StopToken stop)
{
	append_few(bytes.first(std::min(bytes.size(), tlsh_overlap)));
	if (bytes.size() <= tlsh_overlap)
		return;
	for (std::size_t i = 0; i + tlsh_overlap < bytes.size(); i += bytes_between_checks) {
		stop.check();
		const std::size_t size = std::min(bytes.size() - i, bytes_between_checks + tlsh_overlap);
		tlsh_count_windows(tlsh_kernel(), &bytes[i], size, buckets_, checksum_);
	}
	std::copy(bytes.end() - tlsh_overlap, bytes.end(), last_);
	length_ += bytes.size() - tlsh_overlap;
}

TlshOutcome TlshBuilder::finish(Tlsh &digest) const noexcept
{
	if (length_ < tlsh_min_length)
		return TlshOutcome::too_short;
	const CountHistogram histogram(buckets_);
	if (tlsh_bucket_count - histogram.empty_buckets() < min_used_buckets)
		return TlshOutcome::too_uniform;
	Quartiles q;
	if (!histogram.quartiles(q))
		q = quartiles_by_selection(buckets_);
	digest.bytes[0] = swap_nibbles(checksum_);
	digest.bytes[1] = swap_nibbles(length_class(length_));
	digest.bytes[2] = static_cast<std::uint8_t>(ratio(q.q1, q.q3) << 4 | ratio(q.q2, q.q3));
	write_body(buckets_, q, digest.bytes + tlsh_header_bytes);
	return TlshOutcome::ok;
}

TlshOutcome tlsh(std::span<const std::uint8_t> bytes, Tlsh &digest, StopToken stop)
{
	TlshBuilder builder;
	builder.append(bytes, stop);
	return builder.finish(digest);
}

bool parse_tlsh(std::string_view text, Tlsh &digest) noexcept
{
	if (text.starts_with("T1") || text.starts_with("t1"))
		text.remove_prefix(2);
	return text.size() == 2 * tlsh_bytes && hex_decode(text.data(), tlsh_bytes, digest.bytes);
}

void format_tlsh(const Tlsh &digest, char *text) noexcept
{
	constexpr char digits[] = "0123456789ABCDEF";
	*text++ = 'T';
	*text++ = '1';
	for (const std::uint8_t byte : digest.bytes) {
		*text++ = digits[byte >> 4];
		*text++ = digits[byte & 15];
	}
}

int tlsh_length_distance(int a, int b) noexcept { return length_distances[(a - b) & 255]; }

int tlsh_ratio_distance(int a, int b) noexcept { return ratio_distances[(a - b) & 15]; }

int tlsh_header_distance(const Tlsh &a, const Tlsh &b, bool with_length) noexcept
{
	return header_distance(a, b, with_length);
}

int tlsh_body_distance(const Tlsh &a, const Tlsh &b) noexcept
{
#if defined(TXTFP_NEON)
	if (simd_level() == SimdLevel::neon)
		return body_distance_neon(&a, &b);
#endif
	return dispatch<body_distance>(simd_level(), &a, &b);
}

int tlsh_distance(const Tlsh &a, const Tlsh &b, bool with_length) noexcept
{
	return header_distance(a, b, with_length) + tlsh_body_distance(a, b);
}

} // namespace txtfp::core
