// The readers of sketches on any bytes: they accept only what the writers write.
//   byte 0: which form, and for the wire form whether the header is corrected; the rest: the bytes
#include "core/minhash/minhash.hpp"

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

static void check_wire(std::string bytes, bool right_head)
{
	if (right_head && bytes.size() >= 8)
		bytes.replace(0, 8, std::string("\1\0\0\0\0\0\0\0", 8));
	for (const std::size_t slots : {bytes.size() < 8 ? 0 : (bytes.size() - 8) / 8, std::size_t{64}}) {
		std::vector<std::uint64_t> sketch(slots);
		if (read_wire({reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size()}, sketch) != MinhashParse::ok)
			continue;
		std::string again(wire_size(slots), '?');
		write_wire(sketch, reinterpret_cast<std::uint8_t *>(again.data()));
		REQUIRE_EQ(again, bytes);
	}
}

// Uses the number of slots that fits the length of the text, so that short inputs reach the digits.
static void check_text(const std::string &text)
{
	const std::size_t digits = text.size() > 16 && text[16] == ':' ? text.size() - 17 : text.size();
	const std::size_t slots = std::min(minhash_max_slots, digits < 16 ? 0 : (digits - 16) / 16);
	for (const std::size_t n : {slots, std::size_t{64}, std::size_t{256}}) {
		std::uint64_t config = 0;
		std::vector<std::uint64_t> sketch(n);
		if (read_text(text, config, sketch) != MinhashParse::ok)
			continue;
		std::string again(text_size(n), '?');
		write_text(config, sketch, again.data());
		REQUIRE_EQ(again, lower_case(digits == text.size() ? "0000000000000000:" + text : text));
	}
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	Input input(data, size);
	const unsigned form = input.byte();
	if (form % 4 == 3)
		check_text(std::string(input.rest()));
	else
		check_wire(std::string(input.rest()), form % 4 != 0);
	return 0;
}
