#include "core/shq64.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/base/siphash.hpp"
#include "core/simhash/simhash.hpp"
#include "unit/check.hpp"
#include "unit/data.hpp"
#include "unit/generated.hpp"
#include "unit/stop.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Bytes = std::vector<std::uint8_t>;

const std::string alphabets[] = {"ABCDEFGHIJKLMNOP", "QRSTUVWXYZabcdef", "ghijklmnopqrstuv", "wxyz0123456789-_"};

Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

std::string encode(const Bytes &bytes)
{
	std::string out(2 * bytes.size(), '?');
	q64_encode(bytes, out.data());
	return out;
}

Q64Status decode(std::string_view text, Bytes &out)
{
	out.assign(text.size() / 2, 0xEE);
	return q64_decode(text, out.data());
}

std::string encode_eq64(const Bytes &bytes)
{
	std::string out(eq64_size(bytes.size()), '?');
	eq64_encode(bytes, out.data());
	return out;
}

Q64Status decode_eq64(std::string_view text, Bytes &out)
{
	std::size_t size = 0;
	out.assign(text.size() / 2 + 1, 0xEE);
	const Q64Status status = eq64_decode(text, out.data(), size);
	out.resize(size);
	return status;
}

std::string code(std::uint64_t bits, bool dotted = false)
{
	std::string out(19, '?');
	out.resize(shq64_encode(bits, dotted, out.data()));
	return out;
}

std::string describe(const Q64Status &status)
{
	switch (status.error) {
	case Q64Error::none:
		return "none";
	case Q64Error::length:
		return "length";
	case Q64Error::no_dot:
		return "no dot at " + std::to_string(status.position);
	case Q64Error::character:
	case Q64Error::phase:
		break;
	}
	return (status.error == Q64Error::phase ? "phase " : "character ") + std::to_string(status.position) + " " +
		std::string(status.expected);
}

std::string decode_error(std::string_view text)
{
	std::uint64_t bits = 0;
	return describe(shq64_decode(text, bits));
}

std::string prefix_error(std::string_view text)
{
	Shq64Range range{};
	return describe(shq64_prefix_range(text, range));
}

std::string without_dots(std::string text)
{
	std::erase(text, '.');
	return text;
}

std::string with_dots(std::string_view text, std::size_t every)
{
	std::string out;
	for (std::size_t i = 0; i < text.size(); ++i)
		out += (i > 0 && i % every == 0 ? "." : "") + std::string(1, text[i]);
	return out;
}

// By the definition, with 64 counters.
std::uint64_t slow_simhash(const Bytes &bytes, std::size_t size)
{
	std::int64_t counters[64] = {};
	for (std::size_t i = 0; i + size <= bytes.size(); ++i) {
		const Bytes feature(
			bytes.begin() + static_cast<std::ptrdiff_t>(i), bytes.begin() + static_cast<std::ptrdiff_t>(i + size));
		const std::uint64_t hash = python_hash(feature.data(), feature.size());
		for (int bit = 0; bit < 64; ++bit)
			counters[bit] += (hash >> bit & 1) != 0 ? 1 : -1;
	}
	std::uint64_t bits = 0;
	for (int bit = 0; bit < 64; ++bit)
		bits |= std::uint64_t{counters[bit] > 0} << bit;
	return bits;
}

Bytes random_bytes(std::mt19937_64 &random, std::size_t size)
{
	Bytes out(size);
	for (std::uint8_t &byte : out)
		byte = static_cast<std::uint8_t>(random());
	return out;
}

template <class Fn> unsigned for_each_vector(const std::string &kind, Fn fn)
{
	unsigned count = 0;
	for (const Row &row : table("shq64.tsv"))
		if (row["kind"] == kind) {
			fn(row);
			++count;
		}
	return count;
}

} // namespace

TEST(shq64_vectors_encode)
{
	const unsigned count = for_each_vector("q64", [](const Row &row) {
		const Bytes bytes = described_bytes(row["bytes"]);
		const std::string text = row["text"];
		Bytes back;
		CHECK_EQ(encode(bytes), text);
		CHECK_EQ(describe(decode(text, back)), "none", text);
		CHECK_EQ(back, bytes, text);
		CHECK_EQ(row["dotted"], with_dots(text, 4));
		CHECK_EQ(row["dotted8"], with_dots(text, 8));
		CHECK_EQ(encode_eq64(bytes), row["dotted8"]);
		for (const std::string &form : {text, row["dotted"], row["dotted8"], "." + text + ".."}) {
			CHECK_EQ(describe(decode_eq64(form, back)), "none", form);
			CHECK_EQ(back, bytes, form);
		}
		if (bytes.size() == 8) {
			const std::uint64_t bits = byte_swap(load_le64(bytes.data()));
			CHECK_EQ(code(bits), text);
			CHECK_EQ(code(bits, true), row["dotted"]);
			for (const std::string &form : {text, row["dotted"], row["dotted8"]}) {
				std::uint64_t decoded = 0;
				CHECK_EQ(describe(shq64_decode(form, decoded)), "none", form);
				CHECK_EQ(decoded, bits, form);
			}
		}
	});
	CHECK_EQ(count, 13);
}

// Accepts the same texts as uubed's Python decoder, with the same error if the length is even. If it is odd, Python
// reports only that; we name the first wrong character, if there is one. Python counts characters, we count bytes.
TEST(shq64_vectors_decode)
{
	const unsigned count = for_each_vector("decode", [](const Row &row) {
		const std::string text = row["text"];
		Bytes bytes;
		const Q64Status status = decode(text, bytes);
		if (row.is_null("error")) {
			CHECK_EQ(describe(status), "none", text);
			CHECK_EQ(bytes, described_bytes(row["bytes"]), text);
			return;
		}
		const std::vector<std::string> error = split(row["error"], ' ');
		if (error[0] == "length") {
			CHECK_EQ(status.error != Q64Error::none, true, text);
			return;
		}
		const std::size_t position = std::stoul(error[1]);
		CHECK_EQ(describe(status), error[0] + " " + error[1] + " " + alphabets[position % 4], text);
		if (error[0] == "phase") {
			CHECK_EQ(alphabets[std::stoul(error[2])].find(text[position]) != std::string::npos, true, text);
			CHECK_EQ(error[3], std::to_string(position % 4), text);
		}
	});
	CHECK_EQ(count, 24);
}

TEST(shq64_vectors_feature_hash)
{
	const unsigned count = for_each_vector("hash", [](const Row &row) {
		const Bytes bytes = described_bytes(row["bytes"]);
		CHECK_EQ(python_hash(bytes.data(), bytes.size()), row.hex("value"), row["bytes"]);
	});
	CHECK_EQ(count, 11);
}

TEST(shq64_vectors_shingles)
{
	const unsigned count = for_each_vector("shingle", [](const Row &row) {
		const Bytes bytes = described_bytes(row["bytes"]);
		const auto size = static_cast<std::size_t>(row.number("shingle"));
		std::uint64_t bits = 1;
		CHECK_EQ(shingle_simhash(bytes, size, bits), bytes.size() >= size, row["name"], size);
		CHECK_EQ(bits, row.hex("value"), row["name"], size);
		CHECK_EQ(code(bits), row["text"], row["name"], size);
		CHECK_EQ(code(bits, true), row["dotted"], row["name"], size);
		CHECK_EQ(with_dots(code(bits), 8), row["dotted8"], row["name"], size);
	});
	CHECK_EQ(count, 66);
}

TEST(shq64_vectors_pairs)
{
	const unsigned count = for_each_vector("pair", [](const Row &row) {
		std::uint64_t a = 0, b = 0;
		CHECK_EQ(describe(shq64_decode(row["text"], a)), "none", row["name"]);
		CHECK_EQ(describe(shq64_decode(row["text_b"], b)), "none", row["name"]);
		CHECK_EQ(hamming(a, b), row.number("hamming"), row["name"]);
		CHECK_EQ(shq64_differing_characters(a, b), row.number("characters"), row["name"]);
	});
	CHECK_EQ(count, 8);
}

TEST(q64_alphabets_are_disjoint)
{
	std::set<char> all;
	for (std::size_t position = 0; position < 8; ++position) {
		const std::string_view alphabet = q64_alphabet(position);
		CHECK_EQ(alphabet, alphabets[position % 4]);
		all.insert(alphabet.begin(), alphabet.end());
	}
	CHECK_EQ(all.size(), 64);
}

// Every byte at every position of a valid text.
TEST(q64_decode_of_every_byte)
{
	const std::string valid = "ARizEVm3IZ";
	for (std::size_t position = 0; position < valid.size(); ++position)
		for (int c = 0; c < 256; ++c) {
			std::string text = valid;
			text[position] = static_cast<char>(c);
			std::size_t alphabet = 0;
			while (alphabet < 4 && alphabets[alphabet].find(text[position]) == std::string::npos)
				++alphabet;
			const std::string expected = alphabet == position % 4
				? "none"
				: (alphabet < 4 ? "phase " : "character ") + std::to_string(position) + " " + alphabets[position % 4];
			Bytes bytes;
			CHECK_EQ(describe(decode(text, bytes)), expected, position, c);
			if (expected == "none") {
				CHECK_EQ(encode(bytes), text);
			}
		}
}

TEST(q64_round_trip)
{
	std::mt19937_64 random(1);
	for (std::size_t size = 0; size < 200; ++size) {
		const Bytes bytes = random_bytes(random, size);
		Bytes back;
		CHECK_EQ(describe(decode(encode(bytes), back)), "none", size);
		CHECK_EQ(back, bytes, size);
	}
}

TEST(eq64_rejected)
{
	Bytes bytes;
	CHECK_EQ(describe(decode_eq64("A", bytes)), "length");
	CHECK_EQ(describe(decode_eq64(".AQ.g.", bytes)), "length");
	CHECK_EQ(describe(decode_eq64("AQgw.QQgw", bytes)), "phase 5 " + alphabets[0]);
	CHECK_EQ(describe(decode_eq64("AQ..%w", bytes)), "character 4 " + alphabets[2]);
}

// Compares with the list of all pairs, triples, … of bits.
TEST(shq64_nearby_masks)
{
	std::vector<std::uint64_t> masks;
	NearbyMasks three(3);
	for (std::uint64_t mask; three.next(mask);)
		masks.push_back(mask);
	std::vector<std::uint64_t> expected;
	for (int bits = 1; bits <= 3; ++bits) {
		const std::size_t first = expected.size();
		for (int a = 0; a < 64; ++a)
			for (int b = bits > 1 ? a + 1 : 63; b < 64; ++b)
				for (int c = bits > 2 ? b + 1 : 63; c < 64; ++c)
					expected.push_back(std::uint64_t{1} << a | (bits > 1 ? std::uint64_t{1} << b : 0) |
						(bits > 2 ? std::uint64_t{1} << c : 0));
		std::sort(expected.begin() + static_cast<std::ptrdiff_t>(first), expected.end());
	}
	CHECK_EQ(masks.size(), 43744);
	CHECK_EQ(masks, expected);
	std::size_t of_four = 0;
	NearbyMasks four(4);
	for (std::uint64_t mask; four.next(mask);)
		++of_four;
	CHECK_EQ(of_four, 679120);
	std::uint64_t mask = 0;
	CHECK_EQ(NearbyMasks(0).next(mask), false);
}

TEST(q64_odd_lengths)
{
	Bytes bytes;
	CHECK_EQ(describe(decode("A", bytes)), "length");
	CHECK_EQ(describe(decode("AQg", bytes)), "length");
	CHECK_EQ(describe(decode("AQgw\n", bytes)), "character 4 " + alphabets[0]);
	CHECK_EQ(describe(decode("AQgw.AQgw", bytes)), "character 4 " + alphabets[0]);
	CHECK_EQ(describe(decode("ABC", bytes)), "phase 1 " + alphabets[1]);
	CHECK_EQ(describe(decode(std::string_view("AQ\0w", 4), bytes)), "character 2 " + alphabets[2]);
}

TEST(shq64_round_trip)
{
	std::mt19937_64 random(2);
	for (int i = 0; i < 1000; ++i) {
		const std::uint64_t bits = i < 64 ? std::uint64_t{1} << i : random();
		const std::string text = code(bits);
		for (const std::string &form : {text, code(bits, true), with_dots(text, 4), with_dots(text, 8)}) {
			std::uint64_t decoded = 0;
			CHECK_EQ(describe(shq64_decode(form, decoded)), "none", form);
			CHECK_EQ(decoded, bits, form);
		}
	}
}

TEST(shq64_rejected_codes)
{
	const std::string plain = "ARizEVm3IZq7Mdu_", dotted = "ARiz.EVm3.IZq7.Mdu_", halves = "ARizEVm3.IZq7Mdu_";
	for (std::size_t size = 0; size <= 40; ++size)
		if (size != 16) {
			CHECK_EQ(decode_error(encode(Bytes(20)).substr(0, size)), "length", size);
		}
	for (std::size_t size = 0; size < dotted.size(); ++size)
		CHECK_EQ(decode_error(dotted.substr(0, size)), "length", size);
	for (std::size_t size = 0; size < halves.size(); ++size)
		CHECK_EQ(decode_error(halves.substr(0, size)), "length", size);
	CHECK_EQ(decode_error("QRsTUvWxYZabcdef"), "phase 0 " + alphabets[0]); // the seed document's example
	CHECK_EQ(decode_error("QRsT.UvWx.YZab.cdef"), "phase 0 " + alphabets[0]);
	CHECK_EQ(decode_error(plain + "\n"), "length");
	CHECK_EQ(decode_error(dotted + "."), "length");
	CHECK_EQ(decode_error(halves + " "), "length");
	CHECK_EQ(decode_error(plain + "AQgw"), "length");
	CHECK_EQ(decode_error(" " + halves.substr(1)), "character 0 " + alphabets[0]);
	CHECK_EQ(decode_error("ARiz-EVm3.IZq7.Mdu_"), "phase 4 " + alphabets[0]);
	CHECK_EQ(decode_error("ARiz.EVm3-IZq7.Mdu_"), "no dot at 9");
	CHECK_EQ(decode_error("ARiz.EVm3.IZq7-Mdu_"), "no dot at 14");
	CHECK_EQ(decode_error("ARiz.EVm.3IZq7.Mdu_"), "character 8 " + alphabets[3]);
	CHECK_EQ(decode_error("ARizEVm.3IZq7Mdu_"), "character 7 " + alphabets[3]);
	CHECK_EQ(decode_error("ARizEVm3IZq7Md.u"), "character 14 " + alphabets[2]);
	for (const std::string &form : {plain, dotted, halves})
		for (std::size_t i = 0; i < form.size(); ++i)
			for (int c = 0; c < 256; ++c) {
				std::string text = form;
				text[i] = static_cast<char>(c);
				const std::size_t digit = without_dots(form.substr(0, i)).size();
				const bool allowed =
					form[i] == '.' ? c == '.' : alphabets[digit % 4].find(text[i]) != std::string::npos;
				CHECK_EQ(decode_error(text) == "none", allowed, text);
			}
}

TEST(shq64_differing_characters_by_comparison)
{
	std::mt19937_64 random(3);
	for (int i = 0; i < 2000; ++i) {
		const std::uint64_t a = random(), b = i % 2 == 0 ? random() : a ^ (random() & random() & random() & random());
		const std::string x = code(a), y = code(b);
		int differing = 0;
		for (std::size_t j = 0; j < x.size(); ++j)
			differing += x[j] != y[j];
		CHECK_EQ(shq64_differing_characters(a, b), differing, x, y);
	}
}

// A code begins with a prefix if and only if its value is in the prefix's range.
TEST(shq64_prefix_ranges)
{
	std::mt19937_64 random(4);
	for (int i = 0; i < 300; ++i) {
		const std::uint64_t bits = random();
		const std::string text = code(bits);
		for (std::size_t n = 1; n <= 16; ++n) {
			const std::string prefix = text.substr(0, n);
			Shq64Range range{};
			CHECK_EQ(describe(shq64_prefix_range(prefix, range)), "none", prefix);
			CHECK_EQ(code(range.low), prefix + code(0).substr(n), prefix);
			CHECK_EQ(code(range.high), prefix + code(~std::uint64_t{0}).substr(n), prefix);
			CHECK_EQ(static_cast<std::int64_t>(range.low) <= static_cast<std::int64_t>(range.high), true, prefix);
			for (int flips = 0; flips < 20; ++flips) {
				const std::uint64_t other = bits ^ (std::uint64_t{1} << random() % 64);
				CHECK_EQ(
					range.low <= other && other <= range.high, code(other).starts_with(prefix), prefix, code(other));
			}
			for (const std::size_t every : {4, 8}) {
				const std::string dotted = with_dots(prefix, every);
				for (const std::string &form : {dotted, dotted + (n % every == 0 && n < 16 ? "." : "")}) {
					Shq64Range same{};
					CHECK_EQ(describe(shq64_prefix_range(form, same)), "none", form);
					CHECK_EQ(same.low, range.low, form);
					CHECK_EQ(same.high, range.high, form);
				}
			}
		}
	}
}

TEST(shq64_rejected_prefixes)
{
	CHECK_EQ(prefix_error(""), "length");
	CHECK_EQ(prefix_error("."), "character 0 " + alphabets[0]);
	CHECK_EQ(prefix_error("A."), "character 1 " + alphabets[1]);
	CHECK_EQ(prefix_error("ARiz.."), "character 5 " + alphabets[0]);
	CHECK_EQ(prefix_error("ARiz.EVm3I"), "no dot at 9");
	CHECK_EQ(prefix_error("ARiz.EVm3.IZq7.Mdu_."), "length");
	CHECK_EQ(prefix_error("ARiz.EVm3.IZq7.Mdu_A"), "length");
	CHECK_EQ(prefix_error("ARizEVm3."), "none");
	CHECK_EQ(prefix_error("ARizEVm3.IZq7.M"), "character 13 " + alphabets[0]);
	CHECK_EQ(prefix_error("ARizEVm3.IZq7Mdu_."), "length");
	CHECK_EQ(prefix_error("ARizEVm3.IZq7Mdu_A"), "length");
	CHECK_EQ(prefix_error("ARizEVm3IZq7Mdu_A"), "length");
	CHECK_EQ(prefix_error("ARizEVm3IZq7."), "character 12 " + alphabets[0]);
	CHECK_EQ(prefix_error("AR%"), "character 2 " + alphabets[2]);
}

TEST(python_hash_never_is_minus_one)
{
	CHECK_EQ(python_adjusted(~std::uint64_t{0}), ~std::uint64_t{1});
	CHECK_EQ(python_adjusted(~std::uint64_t{1}), ~std::uint64_t{1});
	CHECK_EQ(python_adjusted(0), 0);
}

TEST(python_hash_of_short_inputs)
{
	std::mt19937_64 random(5);
	for (std::size_t size = 1; size < 8; ++size)
		for (int i = 0; i < 100; ++i) {
			Bytes bytes = random_bytes(random, size);
			const std::uint64_t hash = python_hash(bytes.data(), size);
			bytes.resize(8);
			CHECK_EQ(python_hash_short(load_le64(bytes.data()), size), hash, size);
		}
}

TEST(shingle_simhash_equals_definition)
{
	std::mt19937_64 random(6);
	for (const std::size_t size : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 24, 63})
		for (const std::size_t length : {0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 16, 17, 31, 64, 100, 300, 2000}) {
			const Bytes bytes = random_bytes(random, length);
			std::uint64_t bits = 1;
			CHECK_EQ(shingle_simhash(bytes, size, bits), length >= size, size, length);
			CHECK_EQ(bits, slow_simhash(bytes, size), size, length);
		}
}

TEST(shingle_simhash_of_one_feature_is_its_hash)
{
	const Bytes bytes = bytes_of("one feature of many bytes");
	for (std::size_t size = 1; size <= bytes.size(); ++size) {
		std::uint64_t bits = 0;
		CHECK_EQ(shingle_simhash(std::span(bytes).first(size), size, bits), true);
		CHECK_EQ(bits, python_hash(bytes.data(), size), size);
	}
}

// Across the batches between two checks for a stop.
TEST(shingle_simhash_of_long_input)
{
	const Bytes bytes = generated_text(7, 700'000);
	for (const std::size_t size : {1, 4, 11}) {
		std::uint64_t bits = 0;
		CHECK_EQ(shingle_simhash(bytes, size, bits), true);
		CHECK_EQ(bits, slow_simhash(bytes, size), size);
	}
}

TEST(shingle_simhash_is_cancellable)
{
	const Bytes bytes(1 << 20, 'a');
	std::uint64_t bits = 0;
	for (const std::size_t size : {std::size_t{1}, std::size_t{4}, std::size_t{100'000}, bytes.size()})
		CHECK_EQ(is_cancelled([&] { shingle_simhash(bytes, size, bits, stop_at_once); }), true, size);
	for (const std::size_t size : {std::size_t{4}, std::size_t{1000}}) {
		polls = 0;
		shingle_simhash(bytes, size, bits, count_polls);
		CHECK_EQ(polls >= 3 * size, true, size); // one for 256 kB hashed
	}
}
