#include "core/base/bytes.hpp"

#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "unit/check.hpp"
#include "unit/md5.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

TEST(bytes_little_endian)
{
	const unsigned char bytes[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
	CHECK_EQ(load_le64(bytes + 1), 0x0807060504030201u); // unaligned
	unsigned char out[9] = {};
	store_le64(out + 1, 0x0807060504030201u);
	CHECK_EQ(std::vector<unsigned char>(out, out + 9), std::vector<unsigned char>(bytes, bytes + 9));
	CHECK_EQ(byte_swap(0x0102030405060708u), 0x0807060504030201u);
}

TEST(bytes_hex_value_of_every_character)
{
	const std::string digits = "0123456789abcdef", upper = "0123456789ABCDEF";
	for (int c = -128; c < 256; ++c) {
		const char character = static_cast<char>(c);
		std::size_t expected = digits.find(character);
		if (expected == std::string::npos)
			expected = upper.find(character);
		CHECK_EQ(hex_value(character), expected == std::string::npos ? -1 : static_cast<int>(expected), c);
	}
}

TEST(bytes_hex_round_trip)
{
	std::vector<std::uint8_t> all(256), back(256);
	for (int i = 0; i < 256; ++i)
		all[i] = static_cast<std::uint8_t>(i);
	std::string hex(512, '?');
	hex_encode(all.data(), all.size(), hex.data());
	CHECK_EQ(hex.substr(0, 8), "00010203");
	CHECK_EQ(hex.substr(504), "fcfdfeff");
	CHECK_EQ(hex_decode(hex.data(), all.size(), back.data()), true);
	CHECK_EQ(back, all);
	for (char &c : hex)
		c = c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
	CHECK_EQ(hex_decode(hex.data(), all.size(), back.data()), true);
	CHECK_EQ(back, all);
}

TEST(bytes_hex_refuses_a_bad_digit_anywhere)
{
	const std::string good = "00ff7a9b";
	std::uint8_t out[4];
	for (std::size_t at = 0; at < good.size(); ++at)
		for (int c = 0; c < 256; ++c) {
			std::string text = good;
			text[at] = static_cast<char>(c);
			CHECK_EQ(hex_decode(text.data(), 4, out), hex_value(text[at]) >= 0, at, c);
		}
}

TEST(bytes_hex_u64)
{
	char text[16];
	hex_encode_u64(0x000000C0FFEE5EED, text);
	CHECK_EQ(std::string(text, 16), "000000c0ffee5eed");
	std::uint64_t value = 0;
	CHECK_EQ(hex_decode_u64("fedcba9876543210", value), true);
	CHECK_EQ(value, 0xFEDCBA9876543210u);
	CHECK_EQ(hex_decode_u64("fedcba987654321g", value), false);
}

// The test folder's own MD5, on the examples of RFC 1321.
TEST(md5_examples)
{
	CHECK_EQ(Md5::hex(""), "d41d8cd98f00b204e9800998ecf8427e");
	CHECK_EQ(Md5::hex("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
	CHECK_EQ(Md5::hex("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
		"57edf4a22be3c955ac49da2e2107b67a");
}

TEST(error_messages_are_cut_off)
{
	const std::string text(1000, 'x');
	for (const std::size_t size : {0u, 1u, 239u, 240u, 1000u}) {
		const Error error(ErrorKind::internal, text.substr(0, size));
		CHECK_EQ(std::string(error.what()), text.substr(0, 239).substr(0, size), size);
	}
}
