#include "core/tlsh_index.hpp"

#include <algorithm>
#include <cstdlib>

namespace txtfp::core {

namespace {

constexpr TlshPart all_parts[] = {
	TlshPart::length_class, TlshPart::ratios, TlshPart::first_half, TlshPart::second_half, TlshPart::checksum};

// Of 64 codes: at most 192.
int sum_of_codes(const std::uint8_t *half) noexcept
{
	int sum = 0;
	for (std::size_t i = 0; i < tlsh_body_bytes / 2; ++i)
		sum += (half[i] & 3) + (half[i] >> 2 & 3) + (half[i] >> 4 & 3) + (half[i] >> 6);
	return sum;
}

bool differ(TlshPart part, std::span<const Tlsh *const> digests) noexcept
{
	const int first = tlsh_part(part, *digests[0]);
	return std::any_of(
		digests.begin(), digests.end(), [=](const Tlsh *digest) { return tlsh_part(part, *digest) != first; });
}

// The high bits of the codes, as 128 bits.
struct HighBits {
	std::uint64_t low = 0, high = 0;

	explicit HighBits(const Tlsh &digest) noexcept
	{
		for (int i = 0; i < static_cast<int>(tlsh_body_bytes); ++i) {
			const unsigned byte = digest.body()[i];
			const std::uint64_t bits = (byte >> 1 & 1) | (byte >> 2 & 2) | (byte >> 3 & 4) | (byte >> 4 & 8);
			(i < 16 ? low : high) |= bits << (i % 16 * 4);
		}
	}

	std::uint64_t band(int i, int bits) const noexcept
	{
		const int start = i * bits % 128, shift = start % 64;
		const std::uint64_t first = start < 64 ? low : high, second = start < 64 ? high : low;
		const std::uint64_t from = shift == 0 ? first : first >> shift | second << (64 - shift);
		return from & ((std::uint64_t{1} << bits) - 1);
	}
};

std::int64_t band_key(int band, std::uint64_t bits) noexcept
{
	return std::int64_t{band} << 32 | static_cast<std::int64_t>(bits);
}

} // namespace

int tlsh_part(TlshPart part, const Tlsh &digest) noexcept
{
	switch (part) {
	case TlshPart::length_class:
		return digest.length_class();
	case TlshPart::ratios:
		return digest.q1_ratio() << 4 | digest.q2_ratio();
	case TlshPart::first_half:
		return sum_of_codes(digest.body());
	case TlshPart::second_half:
		return sum_of_codes(digest.body() + tlsh_body_bytes / 2);
	case TlshPart::checksum:
		break;
	}
	return digest.checksum();
}

int tlsh_part_distance(TlshPart part, int a, int b) noexcept
{
	switch (part) {
	case TlshPart::length_class:
		return tlsh_length_distance(a, b);
	case TlshPart::ratios:
		return tlsh_ratio_distance(a >> 4, b >> 4) + tlsh_ratio_distance(a & 15, b & 15);
	case TlshPart::first_half:
	case TlshPart::second_half:
		return std::abs(a - b);
	case TlshPart::checksum:
		break;
	}
	return a != b;
}

std::optional<TlshPart> tlsh_split_part(std::span<const Tlsh *const> digests) noexcept
{
	for (const TlshPart part : all_parts)
		if (differ(part, digests))
			return part;
	return std::nullopt;
}

void tlsh_band_keys(const Tlsh &digest, TlshBanding banding, std::int64_t *keys) noexcept
{
	tlsh_probe_keys(digest, banding, 0, keys);
}

void tlsh_probe_keys(const Tlsh &digest, TlshBanding banding, int flips, std::int64_t *keys) noexcept
{
	const HighBits high_bits(digest);
	for (int band = 0; band < banding.bands; ++band) {
		const std::uint64_t bits = high_bits.band(band, banding.bits);
		*keys++ = band_key(band, bits);
		for (int bit = 0; flips > 0 && bit < banding.bits; ++bit)
			*keys++ = band_key(band, bits ^ std::uint64_t{1} << bit);
	}
}

} // namespace txtfp::core
