#include "core/lavinhash/lavinhash.hpp"

#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "core/base/bytes.hpp"
#include "unit/check.hpp"
#include "unit/data.hpp"
#include "unit/generated.hpp"
#include "unit/lavinhash_naive.hpp"
#include "unit/md5.hpp"
#include "unit/stop.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Bytes = std::vector<std::uint8_t>;

static_assert(std::is_trivially_destructible_v<LavinhashBuilder>); // it lives on the stack of the glue

Bytes concatenated(std::initializer_list<std::span<const std::uint8_t>> parts)
{
	Bytes out;
	for (const auto part : parts)
		out.insert(out.end(), part.begin(), part.end());
	return out;
}

// Hexadecimal digits, a generator of the reference vectors, or a change of the text that all vectors start from.
Bytes input(const std::string &field)
{
	if (field.starts_with("#+"))
		return concatenated({Bytes{'#'}, described_bytes(field.substr(2))});
	if (field.find(" with ") != std::string::npos) {
		const Bytes text = described_bytes("text(1,4096)");
		const std::string_view inserted = "INSERTED WORDS HERE";
		return field.ends_with("insertion")
			? concatenated(
				  {std::span(text).first(2000), Bytes(inserted.begin(), inserted.end()), std::span(text).subspan(2000)})
			: concatenated({std::span(text).subspan(2048), std::span(text).first(2048)});
	}
	return described_bytes(field);
}

template <class Fn> unsigned for_each_vector(const std::string &kind, Fn fn)
{
	unsigned count = 0;
	for (const Row &row : table("lavinhash.tsv"))
		if (row["kind"] == kind) {
			fn(row);
			++count;
		}
	return count;
}

Bytes fingerprint(std::span<const std::uint8_t> bytes, const LavinhashOptions &options = {})
{
	Bytes out(lavinhash_max_size, 0xEE);
	LavinhashBuilder builder(bytes.size(), options);
	builder.append(bytes);
	out.resize(builder.finish(out.data()));
	return out;
}

const Row &vector_named(const std::string &name)
{
	for (const Row &row : table("lavinhash.tsv"))
		if (row["kind"] == "hash" && row["name"] == name)
			return row;
	throw std::runtime_error("no vector " + name);
}

LavinhashOptions options_of(const Row &row)
{
	return {static_cast<std::uint32_t>(row.number("min_modulus")), row["chunked"] == "t"};
}

Bytes fingerprint_named(const std::string &name)
{
	if (name == "no_struct") {
		Bytes out(lavinhash_min_size);
		out[0] = 'H';
		out[1] = 1;
		return out;
	}
	const Row &row = vector_named(name);
	return fingerprint(input(row["input"]), options_of(row));
}

std::string set_bits(std::span<const std::uint8_t> form)
{
	std::string out;
	for (std::size_t bit = 0; bit < lavinhash_filter_bits; ++bit)
		if ((form[4 + bit / 8] >> bit % 8 & 1) != 0)
			out += (out.empty() ? "" : " ") + std::to_string(bit);
	return out;
}

std::string hex(std::span<const std::uint8_t> bytes)
{
	std::string out(2 * bytes.size(), '?');
	hex_encode(bytes.data(), bytes.size(), out.data());
	return out;
}

std::string md5_of(const Bytes &bytes)
{
	return Md5::hex({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
}

std::string float_bits(float value) { return hex_u64(std::bit_cast<std::uint32_t>(value)).substr(8); }

template <class Numbers> std::string joined(const Numbers &numbers)
{
	std::string out;
	for (const auto number : numbers)
		out += (out.empty() ? "" : " ") + std::to_string(number);
	return out;
}

Bytes random_bytes(std::mt19937_64 &random, std::size_t size, unsigned alphabet = 256)
{
	Bytes out(size);
	for (std::uint8_t &byte : out)
		byte = static_cast<std::uint8_t>(random() % alphabet);
	return out;
}

// A form with any bits and nibbles.
Bytes random_form(std::mt19937_64 &random, std::size_t structure, unsigned alphabet)
{
	Bytes out(lavinhash_min_size);
	const unsigned density = random() % 4;
	for (std::size_t i = 4; i < out.size(); ++i)
		out[i] = static_cast<std::uint8_t>(density == 0 ? 0 : random() & (density == 1 ? random() : 0xFF));
	for (std::size_t i = 0; i < structure; ++i)
		out.push_back(static_cast<std::uint8_t>((random() % alphabet) << 4 | random() % alphabet));
	out[0] = 'H';
	out[1] = 1;
	out[2] = static_cast<std::uint8_t>(structure);
	out[3] = 0;
	return out;
}

void check_vector(const Row &row, const Bytes &form)
{
	CHECK_EQ(hex(std::span(form).subspan(lavinhash_min_size)), row["structure"], row["name"]);
	const std::string bits = set_bits(form);
	CHECK_EQ(bits.empty() ? 0 : std::count(bits.begin(), bits.end(), ' ') + 1, row.number("popcount"), row["name"]);
	if (!row.is_null("bits"))
		CHECK_EQ(bits, row["bits"], row["name"]);
	CHECK_EQ(md5_of(form), row["md5"], row["name"]);
}

} // namespace

TEST(lavinhash_vectors)
{
	const unsigned count = for_each_vector("hash", [](const Row &row) {
		if (!row.is_null("error"))
			return; // the empty input, which has no fingerprint
		const Bytes bytes = input(row["input"]);
		check_vector(row, fingerprint(bytes, options_of(row)));
		check_vector(row, naive::lavinhash(bytes, options_of(row)));
		CHECK_EQ(naive::modulus(bytes.size(), options_of(row).min_modulus), row.number("modulus"), row["name"]);
	});
	CHECK_EQ(count, 52);
}

TEST(lavinhash_vectors_compare)
{
	const unsigned count = for_each_vector("compare", [](const Row &row) {
		const Bytes a = fingerprint_named(row["name"]), b = fingerprint_named(row["other"]);
		const auto alpha = std::bit_cast<float>(static_cast<std::uint32_t>(row.hex("alpha")));
		const std::string which = row["name"] + " " + row["other"] + " " + std::to_string(alpha);
		CHECK_EQ(lavinhash_edit_distance(a, b), row.number("levenshtein"), which);
		CHECK_EQ(float_bits(lavinhash_structure(a, b)), row["structure_similarity"], which);
		CHECK_EQ(float_bits(lavinhash_content(a, b)), row["content_similarity"], which);
		if (!std::isnan(alpha)) {
			CHECK_EQ(lavinhash_similarity(a, b, alpha), row.number("score"), which);
			CHECK_EQ(lavinhash_similarity(b, a, alpha), row.number("score"), which);
		}
	});
	CHECK_EQ(count, 84);
}

// The reference's errors for malformed forms; we also reject bytes after the structure.
TEST(lavinhash_vectors_parse)
{
	const unsigned count = for_each_vector("parse", [](const Row &row) {
		const Bytes form = input(row["input"]);
		const LavinhashError error = lavinhash_check(form);
		if (row["name"] == "trailing_garbage")
			CHECK_EQ(error == LavinhashError::size, true);
		else if (row["name"] == "struct_len_too_big")
			CHECK_EQ(error == LavinhashError::structure, true);
		else if (row.is_null("error")) {
			CHECK_EQ(error == LavinhashError::none, true, row["name"]);
			CHECK_EQ(lavinhash_similarity(form, fingerprint_named(row["other"])), row.number("score"), row["name"]);
		} else {
			CHECK_EQ(error == LavinhashError::size, row["error"] == "Invalid fingerprint size", row["name"]);
			CHECK_EQ(error == LavinhashError::magic, row["error"] == "Invalid magic byte", row["name"]);
			CHECK_EQ(error == LavinhashError::version, row["error"].starts_with("Unsupported version"), row["name"]);
		}
	});
	CHECK_EQ(count, 7);
}

TEST(lavinhash_vectors_trace)
{
	for_each_vector("rolling", [](const Row &row) {
		const Bytes bytes = input(vector_named(row["name"])["input"]);
		CHECK_EQ(hex_u64(naive::rolling_hashes(bytes).at(static_cast<std::size_t>(row.number("position")))),
			row["value"], row["name"]);
	});
	for_each_vector("triggers", [](const Row &row) {
		std::vector<std::size_t> positions = naive::triggers(
			input(vector_named(row["name"])["input"]), static_cast<std::uint64_t>(row.number("modulus")));
		CHECK_EQ(positions.size(), row.number("position"), row["name"]);
		positions.resize(std::min<std::size_t>(positions.size(), 40));
		CHECK_EQ(joined(positions), row["value"], row["name"]);
	});
	for_each_vector("block", [](const Row &row) {
		const Bytes bytes = input(vector_named(row["name"])["input"]);
		const float entropy =
			naive::entropy(naive::cut(bytes, 64).at(static_cast<std::size_t>(row.number("position"))));
		CHECK_EQ(float_bits(entropy), row["value"], row["name"], row.number("position"));
		CHECK_EQ(naive::nibble(entropy), row.number("score"), row["name"], row.number("position"));
	});
	const unsigned features = for_each_vector("feature", [](const Row &row) {
		std::string hashes, bits;
		for (const std::uint64_t hash : naive::feature_hashes(input(row["input"]))) {
			hashes += (hashes.empty() ? "" : " ") + hex_u64(hash);
			bits += (bits.empty() ? "" : " ") + std::to_string(hash % 8192);
		}
		CHECK_EQ(hashes, row["value"], row["name"]);
		CHECK_EQ(bits, row["bits"], row["name"]);
	});
	CHECK_EQ(features, 4);
}

TEST(lavinhash_equals_reference)
{
	std::mt19937_64 random(1);
	std::vector<std::size_t> sizes;
	for (std::size_t size = 1; size < 300; size += by_length(1, 4))
		sizes.push_back(size);
	for (const std::size_t size : {4096, 16383, 16639, 16640, 19201, 20400, 65279, 65535, 65536, 65792, 70000, 300001})
		if (size <= by_length(300001, 70000))
			sizes.push_back(size);
	for (const std::size_t size : sizes)
		for (const unsigned alphabet : {1, 2, 20, 256}) {
			if (alphabet != 20 && size > by_length(size, 30000))
				continue;
			const Bytes bytes = random_bytes(random, size, alphabet);
			const LavinhashOptions options{static_cast<std::uint32_t>(1 + random() % 40), true};
			CHECK_EQ(hex(fingerprint(bytes, options)), hex(naive::lavinhash(bytes, options)), size, alphabet,
				options.min_modulus);
		}
}

// Runs and periods, in which every byte can be a feature for some values, and changes between them.
TEST(lavinhash_of_repetitions)
{
	std::mt19937_64 random(2);
	for (const std::size_t period : {1, 2, 3, 4, 8, 16, 17, 64, 65, 100})
		for (std::size_t round = 0; round < by_length(20, 7); ++round) {
			Bytes bytes;
			while (bytes.size() < 3000) {
				const Bytes unit = random_bytes(random, period, 4);
				const std::size_t size = random() % 500;
				for (std::size_t i = 0; i < size; ++i)
					bytes.push_back(unit[i % period]);
			}
			CHECK_EQ(hex(fingerprint(bytes)), hex(naive::lavinhash(bytes, {})), period, round);
		}
	for (int value = 0; value < 256; ++value) {
		const Bytes bytes(200, static_cast<std::uint8_t>(value));
		CHECK_EQ(hex(fingerprint(bytes)), hex(naive::lavinhash(bytes, {})), value);
	}
}

TEST(lavinhash_in_pieces)
{
	std::mt19937_64 random(3);
	for (const std::size_t size : {1, 63, 64, 65, 130, 5000, 70000, 1048577, 1200000})
		for (const std::size_t longest : {1, 3, 64, 65, 1000, 300000}) {
			if (size > 100000 && longest < 1000)
				continue;
			const Bytes bytes = random_bytes(random, size, 30);
			LavinhashBuilder builder(size, {});
			for (std::size_t at = 0; at < size;) {
				const std::size_t piece = std::min<std::size_t>(size - at, random() % (longest + 1));
				builder.append(std::span(bytes).subspan(at, piece));
				at += piece;
			}
			Bytes out(lavinhash_max_size);
			out.resize(builder.finish(out.data()));
			CHECK_EQ(out, fingerprint(bytes), size, longest);
		}
}

TEST(lavinhash_builder_keeps_count)
{
	const Bytes bytes(10);
	Bytes out(lavinhash_max_size);
	CHECK_EQ(error_of([&] { LavinhashBuilder(9, {}).append(bytes); }) == ErrorKind::internal, true);
	CHECK_EQ(error_of([&] {
		LavinhashBuilder builder(11, {});
		builder.append(bytes);
		builder.finish(out.data());
	}) == ErrorKind::internal,
		true);
}

// Without a feature only the entropies are left, which many documents have.
TEST(lavinhash_of_short_documents_says_nothing)
{
	for (std::size_t size = 0; size < 400; ++size) {
		Bytes bytes(size);
		for (std::size_t i = 0; i < size; ++i)
			bytes[i] = static_cast<std::uint8_t>('a' + i * i * 7 % 26);
		Bytes out(lavinhash_max_size);
		out.resize(lavinhash(bytes, {}, out.data()));
		const bool nothing = size == 0 || lavinhash_says_nothing(fingerprint(bytes));
		CHECK_EQ(out.empty(), nothing, size);
		CHECK_EQ(nothing, size <= 64 || lavinhash_content(fingerprint(bytes), fingerprint(Bytes(1))) == 1, size);
		if (!nothing)
			CHECK_EQ(out == fingerprint(bytes), true, size);
	}
}

TEST(lavinhash_is_cancelled)
{
	const Bytes bytes(1 << 20);
	Bytes out(lavinhash_max_size);
	CHECK_EQ(is_cancelled([&] { lavinhash(bytes, {}, out.data(), stop_at_once); }), true);
	polls = 0;
	lavinhash(bytes, {}, out.data(), count_polls);
	CHECK_EQ(polls >= 16, true, polls);
}

// In megabytes of these every byte is a feature, but only distinct ones are inserted, for any length.
TEST(lavinhash_of_long_runs_inserts_few_features)
{
	for (const std::size_t period : {1, 2, 3, 4, 5, 8})
		for (const std::size_t size : {100'000, 3'000'000}) {
			Bytes bytes(size), filter(lavinhash_filter_size);
			for (std::size_t i = 0; i < bytes.size(); i += period)
				bytes[i] = ' ';
			LavinhashContent content(bytes.size(), {});
			content.append(bytes);
			content.finish(filter.data());
			CHECK_EQ(content.inserted() <= 2 * period + 16, true, period, size, content.inserted());
		}
}

TEST(lavinhash_insert_at_every_level)
{
	std::mt19937_64 random(4);
	for (const SimdLevel level : usable_simd_levels())
		for (std::size_t count = 0; count <= 20; ++count) {
			LavinhashFeature features[20];
			Bytes filter(lavinhash_filter_size), expected(lavinhash_filter_size);
			for (std::size_t i = 0; i < count; ++i) {
				for (std::uint8_t &byte : features[i])
					byte = static_cast<std::uint8_t>(random());
				naive::add_feature(features[i], expected);
			}
			lavinhash_insert(level, features, count, filter.data());
			CHECK_EQ(filter, expected, name(level), count);
		}
}

TEST(lavinhash_multiples)
{
	std::mt19937_64 random(5);
	for (std::uint64_t modulus = 1; modulus < 3000; ++modulus) {
		const Multiples multiples(modulus);
		const std::uint64_t greatest = ~std::uint64_t{0} / modulus * modulus;
		for (int i = 0; i < 50; ++i) {
			const std::uint64_t any = random(), x = i < 10 ? any : i < 30 ? any - any % modulus : (any % 7) + (i - 30);
			CHECK_EQ(multiples.contain(x), x % modulus == 0, modulus, x);
		}
		for (const std::uint64_t x : {std::uint64_t{0}, greatest, greatest - 1, ~std::uint64_t{0}})
			CHECK_EQ(multiples.contain(x), x % modulus == 0, modulus, x);
	}
	for (const std::uint64_t modulus : {std::uint64_t{1} << 20, std::uint64_t{894785}, std::uint64_t{1'000'000}})
		CHECK_EQ(
			Multiples(modulus).contain(7 * modulus) && !Multiples(modulus).contain(7 * modulus + 1), true, modulus);
}

TEST(lavinhash_comparison_equals_reference)
{
	std::mt19937_64 random(6);
	for (int round = 0; round < static_cast<int>(by_length(3000, 1000)); ++round) {
		const unsigned alphabet = 1 + random() % 16;
		Bytes a = random_form(random, random() % 131, alphabet), b = random_form(random, random() % 131, alphabet);
		if (round % 3 == 0) { // values close to each other
			b = a;
			for (int edit = 0; edit < round % 10 && b.size() > lavinhash_min_size; ++edit)
				b[lavinhash_min_size + random() % (b.size() - lavinhash_min_size)] =
					static_cast<std::uint8_t>(random());
		}
		const int distance = naive::edit_distance(naive::nibbles(a), naive::nibbles(b));
		const float content = naive::content(a, b);
		const std::size_t longer = std::max(naive::nibbles(a).size(), naive::nibbles(b).size());
		const float structure = longer == 0 ? 1.0f : 1.0f - static_cast<float>(distance) / static_cast<float>(longer);
		CHECK_EQ(lavinhash_edit_distance(a, b), distance, round);
		CHECK_EQ(lavinhash_edit_distance(b, a), distance, round);
		CHECK_EQ(float_bits(lavinhash_content(a, b)), float_bits(content), round);
		CHECK_EQ(float_bits(lavinhash_structure(a, b)), float_bits(structure), round);
		const int score = lavinhash_similarity(a, b);
		CHECK_EQ(lavinhash_similarity(a, a), 100, round);
		for (const int least : {0, score - 1, score, score + 1, 100})
			CHECK_EQ(lavinhash_similar(a, b, least), score >= least, round, least);
	}
}

TEST(lavinhash_check_of_every_size)
{
	std::mt19937_64 random(7);
	for (std::size_t structure = 0; structure <= 255; ++structure) {
		Bytes form = random_form(random, structure, 16);
		const LavinhashError expected = structure > 130 ? LavinhashError::structure : LavinhashError::none;
		CHECK_EQ(lavinhash_check(form) == expected, true, structure);
		form.push_back(0);
		CHECK_EQ(lavinhash_check(form) == LavinhashError::none, false, structure);
		form.resize(form.size() - 2);
		CHECK_EQ(lavinhash_check(form) == LavinhashError::none, false, structure);
		form.push_back(0);
		form[3] = 1;
		CHECK_EQ(lavinhash_check(form) == LavinhashError::structure, true, structure);
	}
	for (std::size_t size = 0; size < lavinhash_min_size; ++size)
		CHECK_EQ(lavinhash_check(Bytes(size, 'H')) == LavinhashError::size, true, size);
}
