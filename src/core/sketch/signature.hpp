// Signatures: the bytes that an index of the access method `sketch` stores of a value. layout.hpp lists their fields.
//
//   MinHash    A 16-bit hash of each slot (minhash_mixed_slot), stored as 16 bit planes: bit i of plane p is bit p of the hash of slot i. Equal slots have equal
//              bits; different slots have equal bits by chance only.
//   compact    The 8 bits of each slot, stored as 8 bit planes. They are the upper 8 of the 16 bits that stand for the full slot.
//   SimHash    The value itself.
//   TLSH       The whole digest: length class and checksum with their nibbles in order, the ratios, and the codes of the body as one plane
//              of low bits and one of high bits.
//   LavinHash  The number of set bits in each 64-bit word of the filter and in all of it, the number of bytes of the structure, and how many
//              of its nibbles have each value (at most 255).
#pragma once

#include "core/lavinhash/lavinhash.hpp"
#include "core/minhash/minhash_compact.hpp"
#include "core/sketch/layout.hpp"
#include "core/tlsh/tlsh.hpp"

namespace txtfp::core {

// Each function writes a contiguous signature of the layout's signature_size bytes. Numbers of more than one byte are
// little-endian.
void minhash_signature(ConstSlots slots, std::uint8_t *out) noexcept; // 64, 128 or 256 slots
void compact_signature(ConstCompactSlots slots, std::uint8_t *out) noexcept; // the same numbers of slots
void simhash_signature(std::uint64_t bits, std::uint8_t *out) noexcept;
void tlsh_signature(const Tlsh &digest, std::uint8_t *out) noexcept;
void lavinhash_signature(LavinhashBytes form, std::uint8_t *out) noexcept;

} // namespace txtfp::core
