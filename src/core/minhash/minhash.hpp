// MinHash sketches (A. Broder, 1997) of H = 64, 128 or 256 slots, byte-compatible with the crate txtfp 0.2.2.
//   slot[i] = min over the tokens of (lo + i·hi) mod 2^64, where (lo, hi) is the token's 128-bit hash; 2^64 − 1 without tokens
// Slot i does not depend on H.
//
// Wire form, 8 + 8·H bytes. It is frozen: stored values depend on it.
//   0  u16 little-endian  schema = 1
//   2  6 zero bytes
//   8  H × u64 little-endian
// Text form: <configuration, 16 hex digits>:<wire form in hex>. On input the configuration may be missing, which means
// 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/cpu.hpp"
#include "core/base/hash.hpp"
#include "core/text/pipeline.hpp"
#include "core/text/text_options.hpp"

namespace txtfp::core {

constexpr std::uint16_t minhash_schema = 1;
constexpr std::size_t minhash_max_slots = 256;

using Slots = std::span<std::uint64_t>;
using ConstSlots = std::span<const std::uint64_t>;

// "minhash-h<slots>", the name of the algorithm in a configuration.
std::string minhash_algorithm(std::size_t slots);

// The configuration that a sketch of `slots` slots carries: config_hash with minhash_algorithm(slots).
std::uint64_t minhash_config(const TextOptions &options, std::size_t slots);

// Collects token hashes and keeps the minima in `slots`, which may have any number of slots and must outlive the
// builder.
class MinhashBuilder {
public:
	MinhashBuilder(HashFamily family, std::uint64_t seed, Slots slots) noexcept;
	void add(std::span<const std::string_view> tokens) noexcept;
	void add(std::string_view token) noexcept { add(std::span(&token, 1)); }
	bool finish() noexcept; // completes the slots; false if no token was added

private:
	static constexpr std::size_t batch = 128;
	void flush() noexcept;

	HashFamily family_;
	bool any_ = false;
	std::uint64_t seed_;
	Slots slots_;
	std::size_t pending_ = 0;
	std::uint64_t lo_[batch], hi_[batch];
};

// Computes the sketch of a text that is given whole or in pieces (UTF-8, cut between code points).
class MinhashSketcher {
public:
	MinhashSketcher(const TextOptions &options, Slots slots, StopToken stop = {})
		: builder_(options.family, options.seed, slots),
		  pipeline_(options.canonical, options.tokenizer, AddToken{&builder_}, stop)
	{
	}
	void append(std::string_view utf8, bool last) { pipeline_.append(utf8, last); }
	bool finish() noexcept { return builder_.finish(); }

private:
	struct AddToken {
		MinhashBuilder *builder;
		void operator()(Tokens tokens) const noexcept { builder->add(tokens); }
	};
	MinhashBuilder builder_;
	Pipeline<AddToken> pipeline_;
};

// Computes the sketch of a whole text. If the text has no token, returns false and sets all slots to 2^64 − 1.
bool minhash(std::string_view utf8, const TextOptions &options, Slots slots, StopToken stop = {});

// slots[i] = min(slots[i], lo[j] + i·hi[j]) over j < n, with the instructions of `level`. `baseline` is the plain
// reference.
void minhash_update(
	SimdLevel level, Slots slots, const std::uint64_t *lo, const std::uint64_t *hi, std::size_t n) noexcept;

// The number of equal slots; both spans have the same size. Jaccard estimate = this / H, exact as float for these H.
unsigned matching_slots(ConstSlots a, ConstSlots b) noexcept;

// Sizes in bytes of the forms of a sketch of `slots` slots.
constexpr std::size_t wire_size(std::size_t slots) noexcept { return 8 + 8 * slots; }
constexpr std::size_t text_size(std::size_t slots) noexcept { return 17 + 2 * wire_size(slots); }

enum class MinhashParse {
	ok,
	bad_length,
	bad_digit,
	bad_schema,
	bad_bits,
	bad_padding
}; // bad_bits: of the compact form
void write_wire(ConstSlots slots, std::uint8_t *out) noexcept;
MinhashParse read_wire(std::span<const std::uint8_t> in, Slots slots) noexcept;
void write_text(std::uint64_t config, ConstSlots slots, char *out) noexcept; // text_size bytes, no terminator
MinhashParse read_text(std::string_view in, std::uint64_t &config, Slots slots) noexcept;

} // namespace txtfp::core
