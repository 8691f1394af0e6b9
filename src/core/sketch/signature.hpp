// Signatures: what an index of the access method `sketch` keeps of a value. See layout.hpp for their fields.
//
//   MinHash    of each slot 16 mixed bits (minhash_mixed_slot), as 16 bit planes: bit i of plane p is bit p of slot i's. Slots that are equal
//              have equal bits, others have by chance.
//   SimHash    the value
//   TLSH       the digest: length class and checksum with their nibbles in order, the ratios; the codes of the body as a plane
//              of low bits and one of high bits
//   LavinHash  how many bits are set in each 64 of the filter, and in all; the number of bytes of the structure, and how many of
//              its nibbles have each value (at most 255)
#pragma once

#include "core/lavinhash/lavinhash.hpp"
#include "core/minhash/minhash_compact.hpp"
#include "core/sketch/layout.hpp"
#include "core/tlsh/tlsh.hpp"

namespace txtfp::core {

// Each writes the signature in one piece, of the layout's signature_size. Numbers of more than a byte are little-endian.
void minhash_signature(ConstSlots slots, std::uint8_t *out) noexcept; // 64, 128 or 256 slots
void simhash_signature(std::uint64_t bits, std::uint8_t *out) noexcept;
void tlsh_signature(const Tlsh &digest, std::uint8_t *out) noexcept;
void lavinhash_signature(LavinhashBytes form, std::uint8_t *out) noexcept;

} // namespace txtfp::core
