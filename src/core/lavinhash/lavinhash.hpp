// LavinHash ("dual-layer adaptive hashing"), a fuzzy hash of bytes, byte-compatible with the crate lavinhash 1.0.0.
//   content    a Bloom filter of the 64-byte windows at which a rolling hash is a multiple of a modulus M. It says which
//              pieces the bytes consist of, in any order.
//   structure  the entropies of up to 260 blocks, four bits each, in order
// Serialized form, 1028 + S bytes:
//   0     'H', 1 (version), S as two little-endian bytes
//   4     filter, 1024 bytes: bit i is bit i mod 8 of byte i div 8
//   1028  S bytes of two nibbles each, the high nibble first; an odd last nibble is followed by 0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/cpu.hpp"
#include "core/base/error.hpp"

namespace txtfp::core {

constexpr std::size_t lavinhash_filter_size = 1024, lavinhash_filter_bits = 8 * lavinhash_filter_size;
constexpr std::size_t lavinhash_max_structure = 130; // bytes: two of at most 260 blocks each
constexpr std::size_t lavinhash_filter_offset = 4, lavinhash_min_size = lavinhash_filter_offset + lavinhash_filter_size;
constexpr std::size_t lavinhash_max_size = lavinhash_min_size + lavinhash_max_structure;
constexpr std::uint32_t lavinhash_max_modulus = 1'000'000; // for min_modulus
constexpr float lavinhash_default_alpha = 0.3f;

using LavinhashBytes = std::span<const std::uint8_t>; // a serialized form that lavinhash_check accepts

enum class LavinhashError : std::uint8_t { none, size, magic, version, structure };

// Strict: rejects bytes after the structure and a structure of more than 130 bytes. Accepts an empty structure.
LavinhashError lavinhash_check(std::span<const std::uint8_t> bytes) noexcept;

struct LavinhashOptions {
	std::uint32_t min_modulus = 16; // 1 … lavinhash_max_modulus
	bool chunked = true;            // true: above 1 MiB the rolling hash restarts every 256 KiB
};

constexpr std::size_t lavinhash_feature_size = 64;
using LavinhashFeature = std::uint8_t[lavinhash_feature_size];

// Sets the five bits of each of `count` features in the filter. The bytes are normalized as they are read.
void lavinhash_insert(
	SimdLevel level, const LavinhashFeature *features, std::size_t count, std::uint8_t *filter) noexcept;

// Tests for multiples of `modulus` without a division. For modulus = d · 2^s with odd d, the inverse of d modulo 2^64
// maps exactly the multiples to numbers whose rotation by s is at most (2^64 − 1) / modulus (T. Granlund, P.
// Montgomery, 1994).
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

// Computes the content layer of a stream of bytes.
class LavinhashContent {
public:
	LavinhashContent(std::uint64_t total, const LavinhashOptions &options) noexcept;
	void append(std::span<const std::uint8_t> piece) noexcept;
	void finish(std::uint8_t *filter) noexcept;
	// Features so far; most of the run time depends on them.
	std::uint64_t inserted() const noexcept { return inserted_; }

private:
	void start_chunk() noexcept;
	void append_to_chunk(std::span<const std::uint8_t> piece) noexcept;
	void scan(const std::uint8_t *window, std::size_t count) noexcept;
	void add(const std::uint8_t *feature) noexcept;
	bool is_known(const std::uint8_t *feature) noexcept;
	void insert_pending() noexcept;

	static constexpr std::size_t batch = 8, recent_slots = 256;

	Multiples multiples_;
	std::uint64_t chunk_size_, chunk_left_;
	std::uint64_t hash_;      // hash of the window
	LavinhashFeature window_; // the last bytes of the chunk
	std::size_t window_size_;
	LavinhashFeature pending_[batch];
	std::size_t pending_count_ = 0;
	std::uint64_t inserted_ = 0;
	// Features that were added recently; the bytes of a feature determine its slot. In a run or a short period every
	// byte position can be a feature; the cache makes sure that only distinct features are hashed five times.
	LavinhashFeature recent_[recent_slots];
	bool is_used_[recent_slots] = {};
	std::uint8_t filter_[lavinhash_filter_size] = {};
};

// Computes the structure layer of a stream of bytes.
class LavinhashStructure {
public:
	explicit LavinhashStructure(std::uint64_t total) noexcept;
	void append(std::span<const std::uint8_t> piece) noexcept;
	std::size_t finish(std::uint8_t *nibbles) noexcept; // writes packed nibbles; returns the number of bytes

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
	// Four counters per byte value, summed at the end: consecutive equal bytes rarely update the same one.
	std::uint32_t counts_[4][256] = {};
	float terms_[kept_terms]; // terms of full blocks by count; positive: not computed yet
};

// Computes the fingerprint of a stream of bytes whose total size is known. It is plain data and needs no destructor.
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

// True if a value has no feature, as for all documents of up to 64 bytes and many of up to 150. Countless unrelated
// documents have the same structure, so that the hosts give such a document no fingerprint. Values that the crate made so stay valid.
bool lavinhash_says_nothing(LavinhashBytes form) noexcept;

// Computes the fingerprint of all bytes at once. Output as LavinhashBuilder::finish, or 0 if it would say nothing.
std::size_t lavinhash(
	std::span<const std::uint8_t> bytes, const LavinhashOptions &options, std::uint8_t *out, StopToken stop = {});

// content: the Jaccard similarity of the two sets of bits, 1 if both are empty. structure: 1 − edit distance of the
// nibbles / the larger number of nibbles. In single precision, as the crate.
float lavinhash_content(LavinhashBytes a, LavinhashBytes b) noexcept;
float lavinhash_structure(LavinhashBytes a, LavinhashBytes b) noexcept;
int lavinhash_edit_distance(LavinhashBytes a, LavinhashBytes b) noexcept;

// ⌊100 (alpha · structure + (1 − alpha) · content)⌋ within 0 … 100, each step in single precision.
int lavinhash_score(float structure, float content, float alpha) noexcept;
int lavinhash_similarity(LavinhashBytes a, LavinhashBytes b, float alpha = lavinhash_default_alpha) noexcept;

// True if the score with the default alpha is at least min_score. Compares the structures only if the contents do not
// decide.
bool lavinhash_similar(LavinhashBytes a, LavinhashBytes b, int min_score) noexcept;

} // namespace txtfp::core
