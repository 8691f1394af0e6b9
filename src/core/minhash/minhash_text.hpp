// The text form of a sketch, full or compact: <configuration, 16 hex digits>:<wire form in hex>. On input the
// configuration may be missing, which means 0.
#pragma once

#include "core/base/bytes.hpp"
#include "core/minhash/minhash_compact.hpp"

namespace txtfp::core {

// Slot: std::uint64_t or std::uint8_t. Both wire forms have a head of 8 bytes.
template <class Slot> constexpr std::size_t wire_size_of(std::size_t slots) noexcept
{
	return 8 + sizeof(Slot) * slots;
}

template <class Slot> void write_text_form(std::uint64_t config, std::span<const Slot> slots, char *out) noexcept
{
	std::uint8_t wire[wire_size_of<Slot>(minhash_max_slots)];
	write_wire(slots, wire);
	hex_encode_u64(config, out);
	out[16] = ':';
	hex_encode(wire, wire_size_of<Slot>(slots.size()), out + 17);
}

template <class Slot>
MinhashParse read_text_form(std::string_view in, std::uint64_t &config, std::span<Slot> slots) noexcept
{
	const std::size_t size = wire_size_of<Slot>(slots.size());
	config = 0;
	if (in.size() > 16 && in[16] == ':') {
		if (!hex_decode_u64(in.data(), config))
			return MinhashParse::bad_digit;
		in.remove_prefix(17);
	}
	if (in.size() != 2 * size)
		return MinhashParse::bad_length;
	std::uint8_t wire[wire_size_of<Slot>(minhash_max_slots)];
	if (!hex_decode(in.data(), size, wire))
		return MinhashParse::bad_digit;
	return read_wire({wire, size}, slots);
}

} // namespace txtfp::core
