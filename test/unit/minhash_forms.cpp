// The wire form and the text form of sketches: layout, round trips, and every way to be malformed.
#include "core/minhash/minhash.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "unit/check.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Sketch = std::vector<std::uint64_t>;
using Bytes = std::vector<std::uint8_t>;

Sketch random_sketch(std::size_t slots)
{
	std::mt19937_64 random(slots);
	Sketch out(slots);
	std::generate(out.begin(), out.end(), std::ref(random));
	return out;
}

Bytes wire(const Sketch &sketch)
{
	Bytes out(wire_size(sketch.size()), 0xAA);
	write_wire(sketch, out.data());
	return out;
}

std::string text(std::uint64_t config, const Sketch &sketch)
{
	std::string out(text_size(sketch.size()), '?');
	write_text(config, sketch, out.data());
	return out;
}

MinhashParse parsed_wire(const Bytes &bytes, std::size_t slots)
{
	Sketch out(slots);
	return read_wire(bytes, out);
}

MinhashParse parsed_text(std::string_view in, std::size_t slots)
{
	std::uint64_t config = 0;
	Sketch out(slots);
	return read_text(in, config, out);
}

} // namespace

TEST(minhash_wire_layout)
{
	CHECK_EQ(wire_size(128), 1032);
	const Bytes expected = {
		1, 0, 0, 0, 0, 0, 0, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x01};
	CHECK_EQ(wire({11, 0x0123456789ABCDEF}), expected);
	CHECK_EQ(text(0xC0FFEE5EED, {11, 0x0123456789ABCDEF}),
		"000000c0ffee5eed:01000000000000000b00000000000000efcdab8967452301");
}

TEST(minhash_forms_round_trip)
{
	for (const std::size_t slots : {64, 128, 256}) {
		const Sketch sketch = random_sketch(slots);
		Sketch back(slots);
		CHECK_EQ(read_wire(wire(sketch), back), MinhashParse::ok, slots);
		CHECK_EQ(back, sketch, slots);
		for (const std::uint64_t config : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}, default_seed}) {
			const std::string form = text(config, sketch);
			CHECK_EQ(form.size(), 17 + 2 * wire_size(slots));
			std::uint64_t config_back = 99;
			std::fill(back.begin(), back.end(), 0);
			CHECK_EQ(read_text(form, config_back, back), MinhashParse::ok, form);
			CHECK_EQ(config_back, config);
			CHECK_EQ(back, sketch);
			CHECK_EQ(text(config_back, back), form);
		}
	}
}

TEST(minhash_text_variants)
{
	const Sketch sketch = random_sketch(64);
	std::string form = text(0xABCDEF, sketch);
	Sketch back(64);
	std::uint64_t config = 99;
	CHECK_EQ(read_text(form.substr(17), config, back), MinhashParse::ok); // no configuration
	CHECK_EQ(config, 0);
	CHECK_EQ(back, sketch);
	for (char &c : form)
		c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
	CHECK_EQ(read_text(form, config, back), MinhashParse::ok); // upper case
	CHECK_EQ(config, 0xABCDEF);
	CHECK_EQ(back, sketch);
}

TEST(minhash_wire_lengths)
{
	const Bytes good = wire(random_sketch(64));
	for (std::size_t size = 0; size < good.size() + 20; ++size) {
		Bytes bytes = good;
		bytes.resize(size);
		CHECK_EQ(parsed_wire(bytes, 64), size == good.size() ? MinhashParse::ok : MinhashParse::bad_length, size);
	}
	CHECK_EQ(parsed_wire(good, 128), MinhashParse::bad_length);
	CHECK_EQ(parsed_wire(wire(random_sketch(256)), 128), MinhashParse::bad_length);
}

TEST(minhash_wire_head)
{
	const Bytes good = wire(random_sketch(64));
	for (std::size_t at = 0; at < 8; ++at)
		for (int value = 0; value < 256; ++value) {
			Bytes bytes = good;
			bytes[at] = static_cast<std::uint8_t>(value);
			const MinhashParse bad = at < 2 ? MinhashParse::bad_schema : MinhashParse::bad_padding;
			CHECK_EQ(parsed_wire(bytes, 64), bytes == good ? MinhashParse::ok : bad, at, value);
		}
}

TEST(minhash_text_lengths)
{
	const std::string good = text(7, random_sketch(64));
	for (std::size_t size = 0; size < good.size(); ++size)
		CHECK_EQ(parsed_text(std::string_view(good).substr(0, size), 64) == MinhashParse::ok, false, size);
	for (std::size_t size = 18; size < good.size(); ++size)
		CHECK_EQ(parsed_text(std::string_view(good).substr(0, size), 64), MinhashParse::bad_length, size);
	for (const char *tail : {"0", "00", " ", "\n", ":"})
		CHECK_EQ(parsed_text(good + tail, 64), MinhashParse::bad_length, tail);
	CHECK_EQ(parsed_text(" " + good, 64) == MinhashParse::ok, false);
	CHECK_EQ(parsed_text(good.substr(1), 64) == MinhashParse::ok, false);
	CHECK_EQ(parsed_text(good.substr(16), 64) == MinhashParse::ok, false); // ":" without a configuration
	CHECK_EQ(parsed_text(good, 128), MinhashParse::bad_length);
}

TEST(minhash_text_digits)
{
	const std::string good = text(7, random_sketch(64));
	for (std::size_t at = 0; at < good.size(); ++at)
		for (const char c : {'g', ' ', '\0', '/', ':', '@', '`', '\xFF'}) {
			std::string form = good;
			form[at] = c;
			if (form == good)
				continue;
			// without its colon the configuration is read as the beginning of the sketch
			CHECK_EQ(parsed_text(form, 64), at == 16 ? MinhashParse::bad_length : MinhashParse::bad_digit, at, c);
		}
}

TEST(minhash_text_head)
{
	const std::string good = text(7, random_sketch(64));
	const auto with = [&](std::size_t at, char c) {
		std::string form = good;
		form[at] = c;
		return parsed_text(form, 64);
	};
	CHECK_EQ(with(17 + 1, '2'), MinhashParse::bad_schema);
	CHECK_EQ(with(17 + 2, '1'), MinhashParse::bad_schema);
	for (std::size_t at = 17 + 4; at < 17 + 16; ++at)
		CHECK_EQ(with(at, 'f'), MinhashParse::bad_padding, at);
}

// Readers accept only what writers write: random bytes give an error, or the same bytes when written again.
TEST(minhash_forms_of_random_bytes)
{
	std::mt19937_64 random(1);
	const std::string good = text(7, random_sketch(64));
	for (int i = 0; i < 20000; ++i) {
		std::string form = good;
		for (int n = random() % 4; n >= 0; --n)
			form[random() % form.size()] =
				static_cast<char>(random() % 2 == 0 ? random() : "0123456789abcdef"[random() % 16]);
		std::uint64_t config = 0;
		Sketch slots(64);
		if (read_text(form, config, slots) != MinhashParse::ok)
			continue;
		std::string lower = form;
		for (char &c : lower)
			c = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
		CHECK_EQ(text(config, slots), lower);
	}
}
