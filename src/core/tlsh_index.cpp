#include "core/tlsh_index.hpp"

namespace txtfp::core {

namespace {

constexpr int body_parts = tlsh_checksum_part - tlsh_first_body_part;

constexpr int code_distance(int a, int b) noexcept
{
	const int d = a < b ? b - a : a - b;
	return d == 3 ? 6 : d;
}

// Of two codes each.
constexpr auto pair_distances = [] {
	std::array<std::array<std::uint8_t, 16>, 16> table{};
	for (int a = 0; a < 16; ++a)
		for (int b = 0; b < 16; ++b)
			table[a][b] = static_cast<std::uint8_t>(code_distance(a & 3, b & 3) + code_distance(a >> 2, b >> 2));
	return table;
}();

int body_part(const Tlsh &digest, int i) noexcept { return digest.body()[i / 2] >> (i % 2 * 4) & 15; }

bool differs(std::span<const Tlsh *const> digests, int part) noexcept
{
	const int first = tlsh_part(*digests[0], part);
	for (const Tlsh *digest : digests)
		if (tlsh_part(*digest, part) != first)
			return true;
	return false;
}

// Over all ordered pairs of digests.
long total_distance(std::span<const Tlsh *const> digests, int i) noexcept
{
	long counts[16] = {}, total = 0;
	for (const Tlsh *digest : digests)
		++counts[body_part(*digest, i)];
	for (int a = 0; a < 16; ++a)
		for (int b = 0; b < 16; ++b)
			total += counts[a] * counts[b] * pair_distances[a][b];
	return total;
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

int tlsh_part(const Tlsh &digest, int part) noexcept
{
	switch (part) {
	case 0:
		return digest.length_class();
	case 1:
		return digest.bytes[2];
	case tlsh_checksum_part:
		return digest.checksum();
	default:
		return body_part(digest, part - tlsh_first_body_part);
	}
}

int tlsh_part_distance(int part, int a, int b) noexcept
{
	switch (part) {
	case 0:
		return tlsh_length_distance(a, b);
	case 1:
		return tlsh_ratio_distance(a >> 4, b >> 4) + tlsh_ratio_distance(a & 15, b & 15);
	case tlsh_checksum_part:
		return a != b;
	default:
		return pair_distances[a][b];
	}
}

int tlsh_split_part(std::span<const Tlsh *const> digests) noexcept
{
	for (int part = 0; part < tlsh_first_body_part; ++part)
		if (differs(digests, part))
			return part;
	int best = -1;
	long most = 0;
	for (int i = 0; i < body_parts; ++i)
		if (const long total = total_distance(digests, i); total > most) {
			most = total;
			best = tlsh_first_body_part + i;
		}
	if (best < 0 && differs(digests, tlsh_checksum_part))
		best = tlsh_checksum_part;
	return best;
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
