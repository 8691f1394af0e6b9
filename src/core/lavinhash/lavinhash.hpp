// LavinHash ("dual-layer adaptive hashing"), a fuzzy hash of bytes, byte-compatible with the crate lavinhash 1.0.0.
//   content    a Bloom filter of the 64-byte windows at which a rolling hash is a multiple of a modulus M: which
//              pieces the bytes are made of, in whatever order
//   structure  the entropies of up to 260 blocks, four bits each, in order
// Serialized form, 1028 + S bytes:
//   0     'H', 1 (version), S as two little-endian bytes
//   4     filter, 1024 bytes: bit i is bit i mod 8 of byte i div 8
//   1028  S bytes of two nibbles each, the high one first; a last one without a partner is followed by 0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/cpu.hpp"
#include "core/base/error.hpp"

namespace txtfp::core {

constexpr std::size_t lavinhash_filter_size = 1024, lavinhash_filter_bits = 8 * lavinhash_filter_size;
constexpr std::size_t lavinhash_max_structure = 130; // bytes; more than 260 blocks cannot be
constexpr std::size_t lavinhash_filter_offset = 4, lavinhash_min_size = lavinhash_filter_offset + lavinhash_filter_size;
constexpr std::size_t lavinhash_max_size = lavinhash_min_size + lavinhash_max_structure;
constexpr std::uint32_t lavinhash_max_modulus = 1'000'000; // for min_modulus
constexpr float lavinhash_default_alpha = 0.3f;

using LavinhashBytes = std::span<const std::uint8_t>; // a serialized form that lavinhash_check accepts

enum class LavinhashError : std::uint8_t { none, size, magic, version, structure };

// Strict: neither bytes after the structure nor a structure of more than 130 bytes. No structure at all is accepted.
LavinhashError lavinhash_check(std::span<const std::uint8_t> bytes) noexcept;

struct LavinhashOptions {
	std::uint32_t min_modulus = 16; // 1 … lavinhash_max_modulus
	bool chunked = true;            // over 1 MiB, the rolling hash starts anew every 256 KiB
};

constexpr std::size_t lavinhash_feature_size = 64;
using LavinhashFeature = std::uint8_t[lavinhash_feature_size];

// Sets the five bits of each of `count` features in the filter. The bytes are normalized as they are read.
void lavinhash_insert(
	SimdLevel level, const LavinhashFeature *features, std::size_t count, std::uint8_t *filter) noexcept;

// Multiples of `modulus` without a division: for modulus = d · 2^s, d odd, the inverse of d modulo 2^64 maps them, and
// nothing else, to numbers whose rotation by s is at most (2^64 − 1) / modulus (T. Granlund, P. Montgomery, 1994).
class Multiples {
public:
	explicit Multiples(std::uint64_t modulus) noexcept;
	bool contain(std::uint64_t x) const noexcept
	{
		const std::uint64_t product = x * inverse_;
		return (product >> right_ | product << left_) <= limit_;
	}

private:
	std::uint64_t inverse_, limit_;
	unsigned right_, left_;
};

// The content layer of a stream of bytes.
class LavinhashContent {
public:
	LavinhashContent(std::uint64_t total, const LavinhashOptions &options) noexcept;
	void append(std::span<const std::uint8_t> piece) noexcept;
	void finish(std::uint8_t *filter) noexcept;
	std::uint64_t inserted() const noexcept { return inserted_; } // features, by now: what most of the time goes to

private:
	void start_chunk() noexcept;
	void append_to_chunk(std::span<const std::uint8_t> piece) noexcept;
	void scan(const std::uint8_t *window, std::size_t count) noexcept;
	void add(const std::uint8_t *feature) noexcept;
	bool is_known(const std::uint8_t *feature) noexcept;
	void insert_pending() noexcept;

	static constexpr std::size_t batch = 8, known_slots = 256;

	Multiples multiples_;
	std::uint64_t chunk_size_, chunk_left_;
	std::uint64_t hash_;      // of the window
	LavinhashFeature window_; // the last bytes of the chunk
	std::size_t window_size_;
	LavinhashFeature pending_[batch];
	std::size_t pending_count_ = 0;
	std::uint64_t inserted_ = 0;
	// Features that were lately added, each in a place that its bytes decide. A run or a short period of bytes can
	// make a feature of every byte; only its distinct ones are worth five hashes.
	LavinhashFeature known_[known_slots];
	bool is_used_[known_slots] = {};
	std::uint8_t filter_[lavinhash_filter_size] = {};
};

// The structure layer of a stream of bytes.
class LavinhashStructure {
public:
	explicit LavinhashStructure(std::uint64_t total) noexcept;
	void append(std::span<const std::uint8_t> piece) noexcept;
	std::size_t finish(std::uint8_t *nibbles) noexcept; // returns the number of bytes

private:
	bool is_small() const noexcept { return block_size_ < 256; }
	void count(std::span<const std::uint8_t> bytes) noexcept;
	float entropy() noexcept;
	float term(std::uint32_t count) noexcept;
	void close_block() noexcept;

	static constexpr std::uint32_t kept_terms = 1024;

	std::uint64_t block_size_, block_fill_ = 0;
	std::size_t blocks_ = 0;
	std::uint8_t nibbles_[lavinhash_max_structure] = {};
	std::uint8_t small_counts_[256] = {};
	std::uint32_t counts_[4][256] = {}; // to be added up: a byte is seldom counted twice in a row in the same one
	float terms_[kept_terms];           // of full blocks, by count; positive: not yet known
};

// The fingerprint of a stream of bytes whose total size is known. Plain data: nothing to destroy.
class LavinhashBuilder {
public:
	LavinhashBuilder(std::uint64_t total, const LavinhashOptions &options) noexcept; // total ≥ 1
	void append(std::span<const std::uint8_t> piece, StopToken stop = {});
	std::size_t finish(std::uint8_t *out); // lavinhash_max_size bytes; returns the size of the serialized form

private:
	std::uint64_t left_;
	LavinhashContent content_;
	LavinhashStructure structure_;
};

// Of all at once; `bytes` is not empty.
std::size_t lavinhash(
	std::span<const std::uint8_t> bytes, const LavinhashOptions &options, std::uint8_t *out, StopToken stop = {});

// Jaccard similarity of the sets of bits, 1 if both are empty; and 1 − edit distance of the nibbles / the longer's number
// of them. In single precision, as the crate.
float lavinhash_content(LavinhashBytes a, LavinhashBytes b) noexcept;
float lavinhash_structure(LavinhashBytes a, LavinhashBytes b) noexcept;
int lavinhash_edit_distance(LavinhashBytes a, LavinhashBytes b) noexcept;

// ⌊100 (alpha · structure + (1 − alpha) · content)⌋ within 0 … 100, each step in single precision.
int lavinhash_score(float structure, float content, float alpha) noexcept;
int lavinhash_similarity(LavinhashBytes a, LavinhashBytes b, float alpha = lavinhash_default_alpha) noexcept;

// Is that at least min_score? Looks at the structure only if the content leaves it open.
bool lavinhash_similar(LavinhashBytes a, LavinhashBytes b, int min_score) noexcept;

} // namespace txtfp::core
