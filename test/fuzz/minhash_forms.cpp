// The readers of sketches, full and compact, on any bytes: they accept only what the writers write.
//   byte 0: which form, for the wire form whether the header is corrected, and from 128 on the compact form; the rest: the bytes
#include "core/minhash/minhash_text.hpp"

#include <algorithm>
#include <vector>

#include "fuzz/fuzz.hpp"

using namespace txtfp::core;
using namespace txtfp::fuzz;

static std::string lower_case(std::string text)
{
	for (char &c : text)
		c = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
	return text;
}

template <class Slot> static void check_wire(std::string bytes, bool right_head)
{
	if (right_head && bytes.size() >= 8)
		bytes.replace(0, 8, std::string(sizeof(Slot) == 1 ? "\1\0\10\0\0\0\0\0" : "\1\0\0\0\0\0\0\0", 8));
	for (const std::size_t slots : {bytes.size() < 8 ? 0 : (bytes.size() - 8) / sizeof(Slot), std::size_t{64}}) {
		std::vector<Slot> sketch(slots);
		const std::span<const std::uint8_t> in(reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size());
		if (read_wire(in, std::span<Slot>(sketch)) != MinhashParse::ok)
			continue;
		std::string again(wire_size_of<Slot>(slots), '?');
		write_wire(std::span<const Slot>(sketch), reinterpret_cast<std::uint8_t *>(again.data()));
		REQUIRE_EQ(again, bytes);
	}
}

// Uses the number of slots that fits the length of the text, so that short inputs reach the digits.
template <class Slot> static void check_text(const std::string &text)
{
	const std::size_t digits = text.size() > 16 && text[16] == ':' ? text.size() - 17 : text.size();
	const std::size_t slots = std::min(minhash_max_slots, digits < 16 ? 0 : (digits - 16) / 2 / sizeof(Slot));
	for (const std::size_t n : {slots, std::size_t{64}, std::size_t{256}}) {
		std::uint64_t config = 0;
		std::vector<Slot> sketch(n);
		if (read_text(text, config, std::span<Slot>(sketch)) != MinhashParse::ok)
			continue;
		std::string again(17 + 2 * wire_size_of<Slot>(n), '?');
		write_text(config, std::span<const Slot>(sketch), again.data());
		REQUIRE_EQ(again, lower_case(digits == text.size() ? "0000000000000000:" + text : text));
	}
}

template <class Slot> static void check(unsigned form, std::string bytes)
{
	if (form % 4 == 3)
		check_text<Slot>(bytes);
	else
		check_wire<Slot>(bytes, form % 4 != 0);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	Input input(data, size);
	const unsigned form = input.byte();
	if (form < 128)
		check<std::uint64_t>(form, std::string(input.rest()));
	else
		check<std::uint8_t>(form, std::string(input.rest()));
	return 0;
}
