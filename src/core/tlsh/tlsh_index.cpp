#include "core/tlsh/tlsh_index.hpp"

#include <algorithm>
#include <cstdlib>

namespace txtfp::core {

namespace {

constexpr TlshPart all_parts[] = {
	TlshPart::length_class, TlshPart::ratios, TlshPart::first_half, TlshPart::second_half};

// Small enough to tell the halves apart, and large enough that digests which are near each other in the tree lie on one page.
constexpr int sum_step = 4;

// Computes the sum of 64 codes.
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

// The high bits of the codes.
struct HighBits {
	std::uint8_t bits[128];

	explicit HighBits(const Tlsh &digest) noexcept
	{
		for (int i = 0; i < 128; ++i)
			bits[i] = digest.body()[i / 4] >> (i % 4 * 2 + 1) & 1;
	}

	// In each round the next bit is another odd number of steps ahead.
	std::uint64_t band(int number, int size) const noexcept
	{
		std::uint64_t result = 0;
		for (int i = 0; i < size; ++i) {
			const int place = number * size + i, round = place / 128, step = 1 + 36 * round;
			result |= std::uint64_t{bits[place * step % 128]} << i;
		}
		return result;
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
		return sum_of_codes(digest.body()) / sum_step;
	case TlshPart::second_half:
		break;
	}
	return sum_of_codes(digest.body() + tlsh_body_bytes / 2) / sum_step;
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
		break;
	}
	return a == b ? 0 : (std::abs(a - b) - 1) * sum_step + 1;
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
