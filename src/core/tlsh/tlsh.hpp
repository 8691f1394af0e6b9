// TLSH with 128 buckets and a 1-byte checksum (J. Oliver, C. Cheng, Y. Chen, 2013), byte-compatible with Trend Micro's
// library from version 4.12.1 on.
// Wire form: 35 bytes, the 70 hexadecimal digits of the text form. So the bytes have the order of the texts, and the
// header's nibbles stay swapped as TLSH writes them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/error.hpp"
#include "core/tlsh/tlsh_windows.hpp"

namespace txtfp::core {

constexpr std::size_t tlsh_bytes = 35, tlsh_header_bytes = 3, tlsh_body_bytes = 32, tlsh_text_size = 72;
constexpr std::size_t tlsh_min_length = 50; // bytes of input

struct Tlsh {
	std::uint8_t bytes[tlsh_bytes]; // checksum, length class, quartile ratios, then the body from bucket 127 to 0

	int checksum() const noexcept { return swapped(bytes[0]); }
	int length_class() const noexcept { return swapped(bytes[1]); } // 0 … 169; a parsed value may have up to 255
	int q1_ratio() const noexcept { return bytes[2] >> 4; }
	int q2_ratio() const noexcept { return bytes[2] & 15; }
	const std::uint8_t *body() const noexcept { return bytes + tlsh_header_bytes; }

private:
	static constexpr int swapped(std::uint8_t byte) noexcept { return (byte & 15) << 4 | byte >> 4; }
};
static_assert(sizeof(Tlsh) == tlsh_bytes && alignof(Tlsh) == 1);

// Why there is no digest: fewer than 50 bytes, or fewer than 65 of the 128 buckets in use.
enum class TlshOutcome : std::uint8_t { ok, too_short, too_uniform };

// The digest of a stream of bytes, in pieces of any size. Memory: half a KiB.
class TlshBuilder {
public:
	void append(std::span<const std::uint8_t> bytes, StopToken stop = {});
	TlshOutcome finish(Tlsh &digest) const noexcept;

private:
	void append_few(std::span<const std::uint8_t> bytes) noexcept;

	TlshBuckets buckets_ = {};
	std::uint64_t length_ = 0;
	std::uint8_t last_[tlsh_overlap] = {}; // the bytes before the next one, as many as there are
	std::uint8_t checksum_ = 0;
};

TlshOutcome tlsh(std::span<const std::uint8_t> bytes, Tlsh &digest, StopToken stop = {});

// "T1" may be missing, and may have either case, like the digits. Returns false on anything else.
bool parse_tlsh(std::string_view text, Tlsh &digest) noexcept;
void format_tlsh(const Tlsh &digest, char *text) noexcept; // tlsh_text_size characters, upper case, no terminator

// 0 (equal) … 2473; without the length class 0 … 937. Symmetric, but no metric: the triangle inequality does not hold.
// The header's part is the sum of its four parts, and a lower bound of the distance.
int tlsh_length_distance(int a, int b) noexcept;                                   // of length classes
int tlsh_ratio_distance(int a, int b) noexcept;                                    // of one pair of quartile ratios
int tlsh_header_distance(const Tlsh &a, const Tlsh &b, bool with_length) noexcept; // with the checksum's 0 or 1
int tlsh_body_distance(const Tlsh &a, const Tlsh &b) noexcept;

// True if the distance is at most `radius`. For most digests the headers alone are further apart.
inline bool tlsh_within(const Tlsh &a, const Tlsh &b, int radius) noexcept
{
	const int header = tlsh_header_distance(a, b, true);
	return header <= radius && header + tlsh_body_distance(a, b) <= radius;
}
int tlsh_distance(const Tlsh &a, const Tlsh &b, bool with_length = true) noexcept;

// Maps distances to similarities; from distance 300 on, the similarity is 0.
constexpr double tlsh_similarity(int distance) noexcept { return distance >= 300 ? 0 : 1 - distance / 300.0; }

} // namespace txtfp::core
