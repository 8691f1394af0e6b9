// LavinHash, content layer: the rolling hash and the features that go into the Bloom filter.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/base/bytes.hpp"
#include "core/lavinhash/lavinhash.hpp"
#include "core/lavinhash/lavinhash_table.hpp"

namespace txtfp::core {

namespace {

constexpr std::uint64_t target_features = 1200;
// Bytes: input longer than chunked_from is cut into chunks.
constexpr std::uint64_t chunked_from = 1'048'576, chunk_size = 262'144;
constexpr std::uint64_t multiplier = 0x517cc1b727220a95;
constexpr std::uint64_t seeds[] = {
	0x517cc1b727220a95, 0x5bc42f4b7f0db7e3, 0x9e3779b97f4a7c15, 0xc3a5c85c97cb3127, 0xb492b66fbe98f273};
constexpr int hashes = 5;

// Maps ASCII letters to lower case, and control characters except tab and line ends to spaces.
constexpr std::uint8_t normalized(std::uint8_t byte) noexcept
{
	if (byte >= 'A' && byte <= 'Z')
		return byte + 0x20;
	return byte >= 0x20 || byte == '\t' || byte == '\n' || byte == '\r' ? byte : 0x20;
}

constexpr std::array<std::uint8_t, 256> normal_bytes = [] {
	std::array<std::uint8_t, 256> table{};
	for (unsigned byte = 0; byte < 256; ++byte)
		table[byte] = normalized(static_cast<std::uint8_t>(byte));
	return table;
}();

// The byte constants indexed by raw bytes: each belongs to the normalized byte, so the rolling hash reads the input as
// is.
constexpr std::array<std::uint64_t, 256> constants = [] {
	std::array<std::uint64_t, 256> table{};
	for (unsigned byte = 0; byte < 256; ++byte)
		table[byte] = lavinhash_byte_constants[normal_bytes[byte]];
	return table;
}();

void set_bit(std::uint8_t *filter, std::uint64_t hash) noexcept
{
	const std::uint64_t bit = hash % lavinhash_filter_bits;
	filter[bit / 8] = static_cast<std::uint8_t>(filter[bit / 8] | 1u << bit % 8);
}

void insert_scalar(const std::uint8_t *feature, std::uint8_t *filter) noexcept
{
	std::uint64_t x[hashes];
	std::copy(std::begin(seeds), std::end(seeds), x);
	for (std::size_t i = 0; i < lavinhash_feature_size; ++i)
#pragma GCC unroll 5
		for (std::uint64_t &hash : x)
			hash = (std::rotl(hash, 5) + normal_bytes[feature[i]]) * multiplier;
	for (const std::uint64_t hash : x)
		set_bit(filter, hash);
}

#if defined(__x86_64__)

typedef std::uint64_t Lanes8 __attribute__((vector_size(64)));

// Inserts eight features at once, one per lane.
__attribute__((target("avx512f,avx512dq"))) void insert_avx512(
	const LavinhashFeature *features, std::uint8_t *filter) noexcept
{
	LavinhashFeature normal[8];
	for (int lane = 0; lane < 8; ++lane)
		for (std::size_t i = 0; i < lavinhash_feature_size; ++i)
			normal[lane][i] = normal_bytes[features[lane][i]];
	Lanes8 x[hashes];
	for (int k = 0; k < hashes; ++k)
		x[k] = seeds[k] - Lanes8{};
	for (std::size_t i = 0; i < lavinhash_feature_size; i += 8) {
		Lanes8 bytes;
		for (int lane = 0; lane < 8; ++lane)
			bytes[lane] = load_le64(normal[lane] + i);
#pragma GCC unroll 8
		for (int j = 0; j < 8; ++j, bytes >>= 8)
#pragma GCC unroll 5
			for (Lanes8 &hash : x)
				hash = ((hash << 5 | hash >> 59) + (bytes & 0xFF)) * multiplier;
	}
	for (const Lanes8 &hash : x)
		for (int lane = 0; lane < 8; ++lane)
			set_bit(filter, hash[lane]);
}

#endif

} // namespace

void lavinhash_insert(
	SimdLevel level, const LavinhashFeature *features, std::size_t count, std::uint8_t *filter) noexcept
{
	std::size_t done = 0;
#if defined(__x86_64__)
	if (level == SimdLevel::avx512)
		for (; count - done >= 8; done += 8)
			insert_avx512(features + done, filter);
#else
	(void) level;
#endif
	for (; done < count; ++done)
		insert_scalar(features[done], filter);
}

Multiples::Multiples(std::uint64_t modulus) noexcept
	: limit_(~std::uint64_t{0} / modulus), right_(static_cast<unsigned>(std::countr_zero(modulus))),
	  left_((64 - right_) % 64)
{
	const std::uint64_t odd = modulus >> right_;
	inverse_ = odd; // correct in the lowest 3 bits; each Newton step doubles the number of correct bits
	for (int bits = 3; bits < 64; bits *= 2)
		inverse_ *= 2 - odd * inverse_;
}

LavinhashContent::LavinhashContent(std::uint64_t total, const LavinhashOptions &options) noexcept
	: multiples_(std::max<std::uint64_t>(total / target_features, options.min_modulus)),
	  chunk_size_(options.chunked && total > chunked_from ? chunk_size : total)
{
	start_chunk();
}

void LavinhashContent::start_chunk() noexcept
{
	chunk_left_ = chunk_size_;
	hash_ = 0;
	window_size_ = 0;
}

void LavinhashContent::append(std::span<const std::uint8_t> piece) noexcept
{
	while (!piece.empty()) {
		const std::size_t size = std::min<std::uint64_t>(piece.size(), chunk_left_);
		append_to_chunk(piece.first(size));
		piece = piece.subspan(size);
		chunk_left_ -= size;
		if (chunk_left_ == 0)
			start_chunk();
	}
}

void LavinhashContent::append_to_chunk(std::span<const std::uint8_t> piece) noexcept
{
	constexpr std::size_t size = lavinhash_feature_size;
	for (; window_size_ < size && !piece.empty(); piece = piece.subspan(1)) { // the first window is no feature
		window_[window_size_++] = piece[0];
		hash_ = std::rotl(hash_, 1) ^ constants[piece[0]];
	}
	if (piece.empty())
		return;
	std::uint8_t seam[2 * size];
	const std::size_t in_seam = std::min(piece.size(), size);
	std::memcpy(seam, window_, size);
	std::memcpy(seam + size, piece.data(), in_seam);
	scan(seam, in_seam);
	if (piece.size() > size)
		scan(piece.data(), piece.size() - size);
	std::memcpy(window_, piece.size() > size ? piece.data() + piece.size() - size : seam + in_seam, size);
}

// Slides the window by `count` bytes, which follow it in memory.
void LavinhashContent::scan(const std::uint8_t *window, std::size_t count) noexcept
{
	const Multiples multiples = multiples_;
	std::uint64_t hash = hash_;
	for (std::size_t i = 0; i < count; ++i) {
		hash = std::rotl(hash, 1) ^ (constants[window[i]] ^ constants[window[i + lavinhash_feature_size]]);
		if (__builtin_expect(multiples.contain(hash), 0))
			add(window + i + 1);
	}
	hash_ = hash;
}

void LavinhashContent::add(const std::uint8_t *feature) noexcept
{
	if (is_known(feature))
		return;
	std::memcpy(pending_[pending_count_], feature, lavinhash_feature_size);
	if (++pending_count_ == batch)
		insert_pending();
}

bool LavinhashContent::is_known(const std::uint8_t *feature) noexcept
{
	// The rotation is no multiple of 8, so that the phases of a short period do not all map to one slot.
	const std::uint64_t ends = load_le64(feature) + std::rotl(load_le64(feature + lavinhash_feature_size - 8), 23);
	const std::size_t slot = (ends * multiplier) >> 56;
	if (is_used_[slot] && std::memcmp(recent_[slot], feature, lavinhash_feature_size) == 0)
		return true;
	std::memcpy(recent_[slot], feature, lavinhash_feature_size);
	is_used_[slot] = true;
	return false;
}

void LavinhashContent::insert_pending() noexcept
{
	lavinhash_insert(simd_level(), pending_, pending_count_, filter_);
	inserted_ += pending_count_;
	pending_count_ = 0;
}

void LavinhashContent::finish(std::uint8_t *filter) noexcept
{
	insert_pending();
	std::memcpy(filter, filter_, sizeof filter_);
}

} // namespace txtfp::core
