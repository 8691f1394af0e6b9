#include "core/tlsh/tlsh.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <random>

#include "core/text/canonical.hpp"
#include "core/tlsh/tlsh_tables.hpp"
#include "core/tlsh/tlsh_windows.hpp"
#include "unit/check.hpp"
#include "unit/data.hpp"
#include "unit/md5.hpp"
#include "unit/stop.hpp"
#include "unit/tlsh_inputs.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

std::span<const std::uint8_t> span_of(std::string_view bytes)
{
	return {reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size()};
}

std::string text_of(const Tlsh &digest)
{
	std::string out(tlsh_text_size, '?');
	format_tlsh(digest, out.data());
	return out;
}

Tlsh parsed(const std::string &text)
{
	Tlsh digest{};
	CHECK_EQ(parse_tlsh(text, digest), true, text);
	return digest;
}

std::string described(TlshOutcome outcome, const Tlsh &digest)
{
	switch (outcome) {
	case TlshOutcome::too_short:
		return "too short";
	case TlshOutcome::too_uniform:
		return "too uniform";
	case TlshOutcome::ok:
		break;
	}
	return text_of(digest);
}

// The text form, or the reason why there is none.
std::string digest_of(std::string_view bytes)
{
	Tlsh digest{};
	const TlshOutcome outcome = tlsh(span_of(bytes), digest);
	return described(outcome, digest);
}

std::string digest_in_pieces(std::string_view bytes, const std::vector<std::size_t> &sizes)
{
	TlshBuilder builder;
	for (std::size_t i = 0; !bytes.empty(); ++i) {
		const std::string_view piece = bytes.substr(0, sizes[i % sizes.size()]);
		builder.append(span_of(piece));
		bytes.remove_prefix(piece.size());
	}
	Tlsh digest{};
	const TlshOutcome outcome = builder.finish(digest);
	return described(outcome, digest);
}

std::string expected(const Row &row)
{
	if (!row.is_null("digest"))
		return row["digest"];
	return row.number("size") < static_cast<int>(tlsh_min_length) ? "too short" : "too uniform";
}

// The vectors whose input can be generated here.
template <class Fn> std::size_t for_each_input(Fn fn)
{
	std::size_t count = 0;
	for (const Row &row : table("tlsh.tsv"))
		if (!row.is_null("recipe")) {
			fn(row, TlshRecipe(row["recipe"]).bytes());
			++count;
		}
	return count;
}

Tlsh random_digest(std::mt19937_64 &random)
{
	Tlsh digest;
	for (std::uint8_t &byte : digest.bytes)
		byte = static_cast<std::uint8_t>(random());
	return digest;
}

// By the definition, cell by cell.
int body_distance_by_definition(const Tlsh &a, const Tlsh &b)
{
	int distance = 0;
	for (std::size_t i = 0; i < tlsh_body_bytes; ++i)
		for (int shift = 0; shift < 8; shift += 2) {
			const int steps = std::abs((a.body()[i] >> shift & 3) - (b.body()[i] >> shift & 3));
			distance += steps == 3 ? 6 : steps;
		}
	return distance;
}

struct Counted {
	TlshBuckets buckets = {};
	std::uint8_t checksum = 0;

	std::vector<std::uint32_t> all() const
	{
		std::vector<std::uint32_t> out(std::begin(buckets), std::end(buckets));
		out.push_back(checksum);
		return out;
	}
};

unsigned pearson(unsigned salt, unsigned a, unsigned b, unsigned c)
{
	unsigned hash = 0;
	for (const unsigned byte : {salt, a, b, c})
		hash = tlsh_permutation[hash ^ byte];
	return hash;
}

void count_by_definition(std::string_view bytes, Counted &counted)
{
	constexpr unsigned trigrams[6][3] = {{2, 1, 2}, {3, 1, 3}, {5, 2, 3}, {7, 2, 4}, {11, 1, 4}, {13, 3, 4}};
	const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
	for (std::size_t i = 4; i < bytes.size(); ++i) {
		counted.checksum = static_cast<std::uint8_t>(pearson(0, byte(i), byte(i - 1), counted.checksum));
		for (const auto &[salt, b, c] : trigrams)
			if (const unsigned bucket = pearson(salt, byte(i), byte(i - b), byte(i - c)); bucket < 128)
				++counted.buckets[bucket];
	}
}

void check_kernels(const std::string &bytes, const std::string &which)
{
	Counted start;
	for (std::size_t k = 0; k < tlsh_bucket_count; ++k)
		start.buckets[k] = static_cast<std::uint32_t>(k * k);
	start.checksum = static_cast<std::uint8_t>(bytes.size());
	Counted by_definition = start;
	count_by_definition(bytes, by_definition);
	const LeftOut left_out;
	for (const TlshKernel kernel : {TlshKernel::plain, TlshKernel::vbmi2, TlshKernel::neon}) {
		if (!has_kernel(kernel))
			continue;
		Counted counted = start;
		const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end()); // reading beyond the copy is an error
		tlsh_count_windows(kernel, exact.data(), exact.size(), counted.buckets, counted.checksum);
		CHECK_EQ(counted.all(), by_definition.all(), which, kernel);
	}
}

std::string file_contents(const std::string &path)
{
	std::ifstream file(path, std::ios::binary);
	CHECK_EQ(file.good(), true, path);
	return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The string that is the value of `key` in a line of JSON without spaces.
std::string json_string(const std::string &line, const std::string &key)
{
	std::string out;
	for (std::size_t i = line.find("\"" + key + "\":\"") + key.size() + 4; line.at(i) != '"'; ++i)
		if (line[i] == '\\')
			out.push_back(line.at(++i) == 'n' ? '\n' : line[i]);
		else
			out.push_back(line[i]);
	return out;
}

} // namespace

TEST(tlsh_vectors)
{
	const std::size_t count = for_each_input([](const Row &row, const std::string &bytes) {
		CHECK_EQ(bytes.size(), row.number("size"), row["name"]);
		CHECK_EQ(Md5::hex(bytes), row["md5"], row["name"]);
		CHECK_EQ(digest_of(bytes), expected(row), row["name"]);
	});
	CHECK_EQ(count, 307);
}

TEST(tlsh_vectors_headers)
{
	unsigned count = 0;
	for (const Row &row : table("tlsh.tsv"))
		if (!row.is_null("digest")) {
			const Tlsh digest = parsed(row["digest"]);
			CHECK_EQ(digest.checksum(), row.number("checksum"), row["name"]);
			CHECK_EQ(digest.length_class(), row.number("length_class"), row["name"]);
			CHECK_EQ(digest.q1_ratio(), row.number("q1_ratio"), row["name"]);
			CHECK_EQ(digest.q2_ratio(), row.number("q2_ratio"), row["name"]);
			++count;
		}
	CHECK_EQ(count, 331);
}

// TLSH's own regression files; they are third-party documents and not part of this repository.
TEST_IF(tlsh_official_files, std::getenv("TXTFP_TLSH_FILES") != nullptr)
{
	unsigned count = 0;
	for (const Row &row : table("tlsh.tsv"))
		if (row.is_null("recipe")) {
			const std::string file = row["name"].substr(row["name"].find('/') + 1);
			const std::string bytes = file_contents(std::string(std::getenv("TXTFP_TLSH_FILES")) + "/" + file);
			CHECK_EQ(bytes.size(), row.number("size"), file);
			CHECK_EQ(digest_of(bytes), expected(row), file);
			++count;
		}
	CHECK_EQ(count, 80);
}

TEST(tlsh_texts)
{
	for (const Row &row : table("tlsh_texts.tsv")) {
		CHECK_EQ(digest_of(row["text"]), row["raw"], row["text"]);
		if (row["fingerprint"] != "empty") // the crate's word for input that is too short
			CHECK_EQ(digest_of(canonicalize(row["text"], {})), row["fingerprint"], row["text"]);
	}
	CHECK_EQ(table("tlsh_texts.tsv").size(), 13);
}

// The crate's golden texts, if TXTFP_GOLDEN names their folder.
TEST_IF(tlsh_golden_texts, std::getenv("TXTFP_GOLDEN") != nullptr)
{
	std::istringstream lines(file_contents(std::string(std::getenv("TXTFP_GOLDEN")) + "/tlsh_corpora.jsonl"));
	unsigned count = 0;
	for (std::string line; std::getline(lines, line); ++count) {
		const std::string text = json_string(line, "input");
		CHECK_EQ(digest_of(text), json_string(line, "sketch_bytes"), text);
		CHECK_EQ(digest_of(canonicalize(text, {})), json_string(line, "fingerprint"), text);
	}
	CHECK_EQ(count, 7);
}

TEST(tlsh_vectors_distances)
{
	std::map<std::string, std::string> digests;
	for (const Row &row : table("tlsh.tsv"))
		if (!row.is_null("digest"))
			digests[row["name"]] = row["digest"];
	const auto digest = [&](const std::string &name) {
		const auto found = digests.find(name);
		return parsed(found == digests.end() ? name : found->second);
	};
	unsigned with_length = 0, without_length = 0;
	for (const Row &row : table("tlsh_distances.tsv")) {
		const std::string which = row["a"] + " " + row["b"];
		const Tlsh a = digest(row["a"]), b = digest(row["b"]);
		CHECK_EQ(tlsh_distance(a, b), row.number("distance"), which);
		CHECK_EQ(tlsh_distance(b, a), row.number("distance"), which);
		++with_length;
		if (!row.is_null("without_length")) {
			CHECK_EQ(tlsh_distance(a, b, false), row.number("without_length"), which);
			CHECK_EQ(tlsh_distance(b, a, false), row.number("without_length"), which);
			++without_length;
		}
	}
	CHECK_EQ(with_length, 1360);
	CHECK_EQ(without_length, 1144);
}

TEST(tlsh_vectors_forms)
{
	for (const Row &row : table("tlsh_forms.tsv")) {
		Tlsh digest{};
		const bool accepted = parse_tlsh(row["text"], digest);
		CHECK_EQ(accepted, !row.is_null("canonical"), row["why"]);
		if (accepted)
			CHECK_EQ(text_of(digest), row["canonical"], row["why"]);
	}
	CHECK_EQ(table("tlsh_forms.tsv").size(), 24);
}

// Every digit of a text matters, and any other character in its place is rejected.
TEST(tlsh_form_is_checked_everywhere)
{
	const std::string text = "T1" + std::string(70, '7');
	for (std::size_t i = 2; i < text.size(); ++i)
		for (int c = 0; c < 256; ++c) {
			std::string changed = text;
			changed[i] = static_cast<char>(c);
			Tlsh digest{};
			const bool digit = hex_value(changed[i]) >= 0;
			CHECK_EQ(parse_tlsh(changed, digest), digit, i, c);
			CHECK_EQ(parse_tlsh(changed.substr(2), digest), digit, i, c);
			if (digit)
				CHECK_EQ(hex_value(text_of(digest)[i]), hex_value(changed[i]), i, c);
		}
}

TEST(tlsh_forms_and_bytes_order_alike)
{
	std::mt19937_64 random(3);
	for (int i = 0; i < 1000; ++i) {
		Tlsh a = random_digest(random), b = a;
		b.bytes[random() % tlsh_bytes] = static_cast<std::uint8_t>(random());
		const int by_bytes = std::memcmp(&a, &b, sizeof a), by_text = text_of(a).compare(text_of(b));
		CHECK_EQ((by_bytes > 0) - (by_bytes < 0), (by_text > 0) - (by_text < 0), text_of(a), text_of(b));
		CHECK_EQ(text_of(parsed(text_of(a))), text_of(a));
	}
}

TEST(tlsh_kernels)
{
	for_each_input([](const Row &row, const std::string &bytes) {
		if (bytes.size() <= 200'000)
			check_kernels(bytes, row["name"]);
	});
}

TEST(tlsh_kernels_at_every_size)
{
	for (std::size_t size = 0; size <= 400; ++size)
		check_kernels(TlshRecipe("random " + std::to_string(size) + " " + std::to_string(size)).bytes(), "random");
}

// Few buckets in use, or almost only one, after a part that uses all of them.
TEST(tlsh_kernels_on_uniform_bytes)
{
	const std::string varied = TlshRecipe("random 7 500").bytes();
	for (int c = 0; c < 256; ++c)
		check_kernels(varied + std::string(300, static_cast<char>(c)), std::to_string(c));
}

// Ratios and body computed from sorted counts, at sizes where counts grow from few to many.
TEST(tlsh_quartiles)
{
	for (std::size_t size = 500; size < 60'000; size += size < 20'000 ? 1500 : size < 24'000 ? 50 : 4000) {
		const std::string bytes = TlshRecipe("random 8 " + std::to_string(size)).bytes();
		Counted counted;
		count_by_definition(bytes, counted);
		std::vector<std::uint32_t> sorted(std::begin(counted.buckets), std::end(counted.buckets));
		std::sort(sorted.begin(), sorted.end());
		const std::uint64_t q1 = sorted[31], q2 = sorted[63], q3 = sorted[95];
		Tlsh digest{};
		CHECK_EQ(tlsh(span_of(bytes), digest) == TlshOutcome::ok, true, size);
		CHECK_EQ(digest.q1_ratio(), 100 * q1 / q3 % 16, size);
		CHECK_EQ(digest.q2_ratio(), 100 * q2 / q3 % 16, size);
		for (std::size_t k = 0; k < tlsh_bucket_count; ++k) {
			const std::uint32_t count = counted.buckets[k];
			const int code = digest.body()[tlsh_body_bytes - 1 - k / 4] >> 2 * (k % 4) & 3;
			CHECK_EQ(code, count > q3 ? 3 : count > q2 ? 2 : count > q1 ? 1 : 0, size, k);
		}
	}
}

TEST(tlsh_in_two_pieces)
{
	for_each_input([](const Row &row, const std::string &bytes) {
		if (bytes.size() <= 1100)
			for (std::size_t cut = 0; cut <= bytes.size(); ++cut)
				CHECK_EQ(digest_in_pieces(bytes, {std::max<std::size_t>(cut, 1), bytes.size()}), expected(row),
					row["name"], cut);
	});
}

TEST(tlsh_in_many_pieces)
{
	std::mt19937_64 random(4);
	for_each_input([&](const Row &row, const std::string &bytes) {
		if (bytes.size() > by_length(200'000, 4'000))
			return;
		for (std::size_t size = 1; size <= 9; ++size)
			CHECK_EQ(digest_in_pieces(bytes, {size}), expected(row), row["name"], size);
		std::vector<std::size_t> sizes(100);
		for (std::size_t &size : sizes)
			size = 1 + random() % (random() % 8 == 0 ? 100'000 : 100);
		CHECK_EQ(digest_in_pieces(bytes, sizes), expected(row), row["name"]);
	});
}

TEST(tlsh_builder_goes_on_after_finish)
{
	const std::string bytes = TlshRecipe("words 1 200 ascii").bytes();
	TlshBuilder builder;
	for (std::size_t i = 0; i < bytes.size(); ++i) {
		Tlsh digest{};
		const TlshOutcome outcome = builder.finish(digest);
		CHECK_EQ(described(outcome, digest), digest_of(bytes.substr(0, i)), i);
		builder.append(span_of(bytes.substr(i, 1)));
	}
}

TEST(tlsh_length_classes)
{
	const auto class_of = [](std::size_t size) {
		Tlsh digest{};
		const std::string bytes = TlshRecipe("random 5 " + std::to_string(size)).bytes();
		CHECK_EQ(tlsh(span_of(bytes), digest) == TlshOutcome::ok, true, size);
		return digest.length_class();
	};
	const int tops[][2] = {{57, 9}, {86, 10}, {129, 11}, {656, 15}, {854, 16}, {190335, 64}, {1058252, 82}};
	for (const auto &[top, number] : tops) {
		CHECK_EQ(class_of(static_cast<std::size_t>(top)), number, top);
		CHECK_EQ(class_of(static_cast<std::size_t>(top) + 1), number + 1, top);
	}
}

TEST(tlsh_header_distances)
{
	for (int a = 0; a < 256; ++a)
		for (int b = 0; b < 256; ++b) {
			const int steps = std::min((a - b) & 255, (b - a) & 255);
			CHECK_EQ(tlsh_length_distance(a, b), steps < 2 ? steps : 12 * steps, a, b);
		}
	for (int a = 0; a < 16; ++a)
		for (int b = 0; b < 16; ++b) {
			const int steps = std::min((a - b) & 15, (b - a) & 15);
			CHECK_EQ(tlsh_ratio_distance(a, b), steps < 2 ? steps : 12 * (steps - 1), a, b);
		}
}

TEST(tlsh_body_distance_of_each_pair_of_codes)
{
	for (std::size_t cell = 0; cell < 128; ++cell)
		for (unsigned x = 0; x < 4; ++x)
			for (unsigned y = 0; y < 4; ++y) {
				Tlsh a{}, b{};
				a.bytes[tlsh_header_bytes + cell / 4] = static_cast<std::uint8_t>(x << 2 * (cell % 4));
				b.bytes[tlsh_header_bytes + cell / 4] = static_cast<std::uint8_t>(y << 2 * (cell % 4));
				const int steps = std::abs(static_cast<int>(x) - static_cast<int>(y));
				CHECK_EQ(tlsh_body_distance(a, b), steps == 3 ? 6 : steps, cell, x, y);
			}
}

TEST(tlsh_distances_of_random_digests)
{
	std::mt19937_64 random(5);
	for (int i = 0; i < 20'000; ++i) {
		Tlsh a = random_digest(random), b = i % 2 == 0 ? random_digest(random) : a;
		if (i % 4 == 3)
			b.bytes[random() % tlsh_bytes] ^= static_cast<std::uint8_t>(random());
		const std::string which = text_of(a) + " " + text_of(b);
		const int body = tlsh_body_distance(a, b);
		CHECK_EQ(body, body_distance_by_definition(a, b), which);
		for (const bool with_length : {false, true}) {
			const int header = (with_length ? tlsh_length_distance(a.length_class(), b.length_class()) : 0) +
				tlsh_ratio_distance(a.q1_ratio(), b.q1_ratio()) + tlsh_ratio_distance(a.q2_ratio(), b.q2_ratio()) +
				(a.checksum() != b.checksum() ? 1 : 0);
			CHECK_EQ(tlsh_header_distance(a, b, with_length), header, which);
			CHECK_EQ(tlsh_distance(a, b, with_length), header + body, which);
			CHECK_EQ(tlsh_distance(b, a, with_length), header + body, which);
		}
		CHECK_EQ(tlsh_distance(a, a), 0, which);
	}
}

// The counterexample in documentation and comments that shows that TLSH's distance is not a metric.
TEST(tlsh_is_no_metric)
{
	const auto with_cell = [](std::uint8_t code) {
		Tlsh digest{};
		digest.bytes[tlsh_bytes - 1] = code;
		return digest;
	};
	CHECK_EQ(tlsh_distance(with_cell(0), with_cell(3)), 6);
	CHECK_EQ(tlsh_distance(with_cell(0), with_cell(1)) + tlsh_distance(with_cell(1), with_cell(3)), 3);
}

TEST(tlsh_stops)
{
	const std::string bytes = TlshRecipe("random 6 3000000").bytes();
	Tlsh digest{};
	CHECK_EQ(is_cancelled([&] { tlsh(span_of(bytes), digest, stop_at_once); }), true);
	polls = 0;
	CHECK_EQ(tlsh(span_of(bytes), digest, count_polls) == TlshOutcome::ok, true);
	CHECK_EQ(polls >= 10 && polls <= 1000, true, polls);
}

TEST(tlsh_within_a_distance)
{
	std::mt19937_64 random(11);
	for (unsigned i = 0; i < 20000; ++i) {
		Tlsh a, b;
		for (std::size_t byte = 0; byte < tlsh_bytes; ++byte) {
			a.bytes[byte] = static_cast<std::uint8_t>(random());
			b.bytes[byte] = i % 2 == 0 || random() % 32 < i % 32 ? static_cast<std::uint8_t>(random()) : a.bytes[byte];
		}
		const int distance = tlsh_distance(a, b);
		CHECK_EQ(tlsh_within(a, b, distance), true, i);
		CHECK_EQ(tlsh_within(a, b, distance - 1), false, i);
	}
}

// A search within distance 0 is planned as equality.
TEST(tlsh_distance_0_is_equality)
{
	std::mt19937_64 random(12);
	for (unsigned i = 0; i < 35 * 255; ++i) { // every other value of every byte
		Tlsh a;
		for (std::uint8_t &byte : a.bytes)
			byte = static_cast<std::uint8_t>(random());
		Tlsh b = a;
		b.bytes[i / 255] = static_cast<std::uint8_t>(b.bytes[i / 255] + 1 + i % 255);
		CHECK_EQ(tlsh_distance(a, b) > 0, true, i);
		CHECK_EQ(tlsh_distance(a, a), 0, i);
	}
}
