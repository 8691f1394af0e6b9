#include "core/tlsh.hpp"

#include <algorithm>

#include "core/bytes.hpp"
#include "core/tlsh_tables.hpp"
#include "core/tlsh_windows.hpp"

namespace txtfp::core {

namespace {

constexpr std::size_t bytes_between_checks = std::size_t{1} << 18;
constexpr int max_cell_distance = 6; // of codes 0 and 3

constexpr std::uint8_t swap_nibbles(unsigned byte) noexcept { return static_cast<std::uint8_t>(byte << 4 | byte >> 4); }

unsigned length_class(std::uint64_t length) noexcept
{
	const auto *top = std::lower_bound(std::begin(tlsh_class_tops), std::end(tlsh_class_tops) - 1, length);
	return static_cast<unsigned>(top - std::begin(tlsh_class_tops));
}

struct Quartiles {
	std::uint32_t q1, q2, q3;
};

Quartiles quartiles(const TlshBuckets &buckets) noexcept
{
	TlshBuckets sorted;
	std::copy(std::begin(buckets), std::end(buckets), sorted);
	std::sort(std::begin(sorted), std::end(sorted));
	return {sorted[31], sorted[63], sorted[95]};
}

unsigned ratio(std::uint32_t q, std::uint32_t q3) noexcept
{
	return static_cast<unsigned>(std::uint64_t{100} * q / q3 % 16);
}

int ring_distance(int a, int b, int size) noexcept
{
	const int d = a < b ? b - a : a - b;
	return std::min(d, size - d);
}

} // namespace

void TlshBuilder::append(std::span<const std::uint8_t> bytes, StopToken stop)
{
	if (bytes.empty())
		return;
	// windows that begin in what came before
	const std::size_t before = std::min<std::uint64_t>(4, length_), begun = std::min<std::size_t>(4, bytes.size());
	std::uint8_t joint[8];
	std::copy(last_ + 4 - before, last_ + 4, joint);
	std::copy(bytes.begin(), bytes.begin() + begun, joint + before);
	const std::size_t joint_size = before + begun;
	if (joint_size > 4)
		tlsh_count_windows(joint, joint_size, buckets_, checksum_);
	std::copy(joint + joint_size - std::min<std::size_t>(4, joint_size), joint + joint_size,
		last_ + 4 - std::min<std::size_t>(4, joint_size));
	length_ += bytes.size();
	for (std::size_t i = 0; i + 4 < bytes.size(); i += bytes_between_checks) {
		stop.check();
		tlsh_count_windows(&bytes[i], std::min(bytes.size() - i, bytes_between_checks + 4), buckets_, checksum_);
	}
	if (bytes.size() >= 4)
		std::copy(bytes.end() - 4, bytes.end(), last_);
}

TlshOutcome TlshBuilder::finish(Tlsh &digest) const noexcept
{
	if (length_ < tlsh_min_length)
		return TlshOutcome::too_short;
	if (std::count(std::begin(buckets_), std::end(buckets_), 0) >= 64)
		return TlshOutcome::too_uniform;
	const auto [q1, q2, q3] = quartiles(buckets_);
	digest.bytes[0] = swap_nibbles(checksum_);
	digest.bytes[1] = swap_nibbles(length_class(length_));
	digest.bytes[2] = static_cast<std::uint8_t>(ratio(q1, q3) << 4 | ratio(q2, q3));
	for (std::size_t i = 0; i < tlsh_body_bytes; ++i) {
		unsigned codes = 0;
		for (std::size_t j = 4; j-- > 0;) {
			const std::uint32_t count = buckets_[4 * i + j];
			codes = codes << 2 | ((count > q1) + (count > q2) + (count > q3));
		}
		digest.bytes[tlsh_bytes - 1 - i] = static_cast<std::uint8_t>(codes);
	}
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
	if (text.starts_with("T1"))
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

int tlsh_length_distance(int a, int b) noexcept
{
	const int steps = ring_distance(a, b, 256);
	return steps <= 1 ? steps : 12 * steps;
}

int tlsh_ratio_distance(int a, int b) noexcept
{
	const int steps = ring_distance(a, b, 16);
	return steps <= 1 ? steps : 12 * (steps - 1);
}

int tlsh_header_distance(const Tlsh &a, const Tlsh &b, bool with_length) noexcept
{
	return (with_length ? tlsh_length_distance(a.length_class(), b.length_class()) : 0) +
		tlsh_ratio_distance(a.q1_ratio(), b.q1_ratio()) + tlsh_ratio_distance(a.q2_ratio(), b.q2_ratio()) +
		(a.bytes[0] != b.bytes[0]);
}

int tlsh_body_distance(const Tlsh &a, const Tlsh &b) noexcept
{
	int distance = 0;
	for (std::size_t i = 0; i < tlsh_body_bytes; ++i)
		for (int shift = 0; shift < 8; shift += 2) {
			const int steps = std::abs((a.body()[i] >> shift & 3) - (b.body()[i] >> shift & 3));
			distance += steps < 3 ? steps : max_cell_distance;
		}
	return distance;
}

int tlsh_distance(const Tlsh &a, const Tlsh &b, bool with_length) noexcept
{
	return tlsh_header_distance(a, b, with_length) + tlsh_body_distance(a, b);
}

} // namespace txtfp::core
