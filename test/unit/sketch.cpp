// The access method sketch without PostgreSQL: layouts fit their pages, signatures are as signature.hpp says, kernels
// agree with a loop, and a bound never exceeds the distance.
#include <algorithm>
#include <bit>
#include <cstring>
#include <random>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/simhash/simhash.hpp"
#include "core/sketch/matcher.hpp"
#include "core/sketch/planes.hpp"
#include "core/sketch/signature.hpp"
#include "unit/check.hpp"
#include "unit/data.hpp"
#include "unit/generated.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t page_size = 8192;
constexpr SketchKind kinds[] = {SketchKind::minhash64, SketchKind::minhash128, SketchKind::minhash256,
	SketchKind::simhash64, SketchKind::tlsh, SketchKind::lavinhash, SketchKind::minhash64_compact,
	SketchKind::minhash128_compact, SketchKind::minhash256_compact};

bool is_compact(SketchKind kind) { return kind >= SketchKind::minhash64_compact; }

std::size_t slots_of(SketchKind kind)
{
	const SketchKind smallest = is_compact(kind) ? SketchKind::minhash64_compact : SketchKind::minhash64;
	return std::size_t{64} << (static_cast<int>(kind) - static_cast<int>(smallest));
}

// A value of some kind in bytes: slots, a SimHash, a digest, a serialized form.
Bytes random_value(std::mt19937_64 &random, SketchKind kind)
{
	Bytes value;
	switch (kind) {
	case SketchKind::minhash64:
	case SketchKind::minhash128:
	case SketchKind::minhash256: {
		const int shift = static_cast<int>(random() % 20); // minima of so many tokens
		value.resize(8 * slots_of(kind));
		for (std::size_t i = 0; i < slots_of(kind); ++i)
			store_le64(&value[8 * i], random() >> shift);
		return value;
	}
	case SketchKind::simhash64:
		return generated_bytes(random(), 8);
	case SketchKind::tlsh:
		return generated_bytes(random(), tlsh_bytes);
	case SketchKind::minhash64_compact:
	case SketchKind::minhash128_compact:
	case SketchKind::minhash256_compact:
		return generated_bytes(random(), slots_of(kind));
	case SketchKind::lavinhash:
	case SketchKind::terms:
		break;
	}
	value.resize(lavinhash_max_size);
	const Bytes text = generated_text(random(), 500 + random() % 20000);
	value.resize(lavinhash(text, {}, value.data()));
	return value;
}

// A value that shares something with `value`.
Bytes neighbour(std::mt19937_64 &random, SketchKind kind, const Bytes &value)
{
	Bytes other = random_value(random, kind);
	if (kind == SketchKind::lavinhash) { // some bits and nibbles of the one, some of the other
		other = value;
		const std::size_t changes = random() % 400;
		for (std::size_t i = 0; i < changes; ++i)
			other[lavinhash_filter_offset + random() % (other.size() - lavinhash_filter_offset)] ^=
				static_cast<std::uint8_t>(1 << random() % 8);
		return other;
	}
	const std::size_t piece = kind <= SketchKind::minhash256 ? 8 : 1, share = random() % 101;
	for (std::size_t i = 0; i < value.size(); i += piece)
		if (random() % 100 < share)
			std::copy_n(&value[i], piece, &other[i]);
	return other;
}

std::vector<std::uint64_t> slots(const Bytes &value)
{
	std::vector<std::uint64_t> all(value.size() / 8);
	for (std::size_t i = 0; i < all.size(); ++i)
		all[i] = load_le64(&value[8 * i]);
	return all;
}

Tlsh digest(const Bytes &value)
{
	Tlsh out;
	std::memcpy(out.bytes, value.data(), tlsh_bytes);
	return out;
}

Bytes signature(SketchKind kind, const Bytes &value)
{
	Bytes out(sketch_layout(kind, page_size).signature_size);
	switch (kind) {
	case SketchKind::minhash64:
	case SketchKind::minhash128:
	case SketchKind::minhash256:
		minhash_signature(slots(value), out.data());
		break;
	case SketchKind::minhash64_compact:
	case SketchKind::minhash128_compact:
	case SketchKind::minhash256_compact:
		compact_signature(value, out.data());
		break;
	case SketchKind::simhash64:
		simhash_signature(load_le64(value.data()), out.data());
		break;
	case SketchKind::tlsh:
		tlsh_signature(digest(value), out.data());
		break;
	case SketchKind::lavinhash:
		lavinhash_signature(value, out.data());
		break;
	case SketchKind::terms: // test/unit/terms.cpp
		break;
	}
	return out;
}

int distance(SketchKind kind, const Bytes &a, const Bytes &b)
{
	switch (kind) {
	case SketchKind::minhash64:
	case SketchKind::minhash128:
	case SketchKind::minhash256:
		return static_cast<int>(slots_of(kind) - matching_slots(slots(a), slots(b)));
	case SketchKind::minhash64_compact:
	case SketchKind::minhash128_compact:
	case SketchKind::minhash256_compact:
		return static_cast<int>(slots_of(kind) - matching_slots_plain(a, b));
	case SketchKind::simhash64:
		return hamming(load_le64(a.data()), load_le64(b.data()));
	case SketchKind::tlsh:
		return tlsh_distance(digest(a), digest(b));
	case SketchKind::lavinhash:
	case SketchKind::terms:
		break;
	}
	return 100 - lavinhash_similarity(a, b);
}

// A group full of values.
struct Group {
	SketchLayout layout;
	std::vector<Bytes> values, pages;

	Group(std::mt19937_64 &random, SketchKind kind, const Bytes &probe) : layout(sketch_layout(kind, page_size))
	{
		pages.assign(layout.pages, Bytes(page_size));
		for (std::size_t row = 0; row < layout.rows; ++row) {
			values.push_back(row % 7 == 0 ? probe
					: row % 2 == 0        ? neighbour(random, kind, probe)
										  : random_value(random, kind));
			const Bytes all = signature(kind, values.back());
			for (std::size_t i = 0; i < layout.fields; ++i) {
				const SketchField &field = layout.field[i];
				std::copy_n(&all[field.at], field.size, &pages[field.page][field.offset + row * field.size]);
			}
		}
	}

	int refined(const SketchMatcher &matcher, std::size_t row, std::size_t count) const
	{
		SketchPartial partial;
		int bound = 0;
		for (std::size_t i = 0; i < count; ++i)
			bound = matcher.refine(i, pages[i].data(), row, partial);
		return bound;
	}
};

} // namespace

// Fields lie side by side between header and mark, and no further row would fit.
TEST(sketch_layouts_fill_their_pages)
{
	const std::size_t rows[] = {213, 116, 60, 576, 197, 53, 213, 116, 60}, pages[] = {4, 4, 4, 1, 1, 1, 2, 2, 2};
	for (std::size_t i = 0; i < std::size(kinds) * (sketch_max_keys + 1); ++i) {
		const std::size_t k = i % std::size(kinds), keys = i / std::size(kinds);
		const SketchLayout layout = sketch_layout(kinds[k], page_size, keys);
		CHECK_EQ(layout.keys, keys, k);
		CHECK_EQ(keys == 0 ? layout.rows == rows[k] : layout.rows < rows[k], true, k, keys, layout.rows);
		CHECK_EQ(layout.pages, pages[k], k);
		std::vector<std::vector<bool>> taken(layout.pages, std::vector<bool>(page_size));
		const auto mark = [&](std::size_t page, std::size_t offset, std::size_t size) {
			for (std::size_t byte = offset; byte < offset + size; ++byte) {
				CHECK_EQ(taken.at(page).at(byte), false, k, page, byte);
				taken[page][byte] = true;
			}
		};
		for (std::size_t page = 0; page < layout.pages; ++page) {
			mark(page, 0, sketch_page_header);
			mark(page, page_size - sketch_page_mark, sketch_page_mark);
		}
		mark(0, sketch_page_header, sizeof(SketchGroupHeader));
		mark(0, layout.nulls_offset, (std::size_t{layout.rows} + 7) / 8);
		mark(0, layout.keys_offset, layout.rows * sketch_key_size * keys);
		mark(0, layout.tids_offset, layout.rows * sketch_tid_size);
		std::size_t at = 0;
		for (std::size_t f = 0; f < layout.fields; ++f) {
			mark(layout.field[f].page, layout.field[f].offset, std::size_t{layout.rows} * layout.field[f].size);
			CHECK_EQ(layout.field[f].at, at, k, f);
			at += layout.field[f].size;
		}
		std::size_t room = page_size;
		for (std::size_t page = 0; page < layout.pages; ++page) {
			const auto free = static_cast<std::size_t>(std::count(taken[page].begin(), taken[page].end(), false));
			room = std::min(room, free);
		}
		// the bits of NULLs grow by 8 bytes at a time
		CHECK_EQ(room < sketch_key_size * keys + sketch_tid_size + layout.signature_size + 8, true, k, keys, room);
		CHECK_EQ(layout.signature_size, at, k);
		CHECK_EQ(at <= sketch_max_signature, true, k);
	}
}

// What an index of another version may say, and what it may not.
TEST(sketch_layouts_with_other_places)
{
	for (std::size_t i = 0; i < std::size(kinds) * (sketch_max_keys + 1); ++i) {
		const SketchLayout usual = sketch_layout(kinds[i % std::size(kinds)], page_size, i / std::size(kinds));
		const SketchPlaces places = places_of(usual);
		SketchLayout layout = usual;
		CHECK_EQ(set_places(layout, places, page_size) && std::memcmp(&layout, &usual, sizeof usual) == 0, true, i);
		// the TIDs behind the fields of the first page
		SketchPlaces other = places;
		other.fields_offset[0] = places.tids_offset;
		other.tids_offset = usual.tids_offset;
		for (std::size_t f = 0; f < usual.fields; ++f)
			if (usual.field[f].page == 0)
				other.tids_offset = static_cast<std::uint16_t>(other.tids_offset + usual.rows * usual.field[f].size);
		if (other.tids_offset % 2 == 0) {
			CHECK_EQ(set_places(layout, other, page_size), true, i);
			const SketchPlaces found = places_of(layout);
			CHECK_EQ(std::memcmp(&found, &other, sizeof other), 0, i);
			CHECK_EQ(layout.field[0].offset, usual.tids_offset, i);
		}
		// fewer rows; overlaps, offsets within a header or beyond the page, too many rows
		other = places;
		--other.rows;
		CHECK_EQ(set_places(layout, other, page_size) && layout.rows == usual.rows - 1, true, i);
		for (const auto &[offset, value] : std::initializer_list<std::pair<std::size_t, std::size_t>>{{0, 0},
				 {0, usual.rows + 9u}, {0, 0xFFFF}, {2, 16}, {2, places.tids_offset}, {4, places.tids_offset + 2u},
				 {4, places.tids_offset - 2u}, {4, places.tids_offset + 1u}, {4, 0xFFF0}, {8, places.tids_offset},
				 {8, page_size - 17}, {8, 0}}) {
			other = places;
			const auto number = static_cast<std::uint16_t>(value);
			std::memcpy(reinterpret_cast<char *>(&other) + offset, &number, sizeof number);
			layout = usual;
			CHECK_EQ(set_places(layout, other, page_size), false, i, offset, value);
		}
	}
}

// Entries of a directory and numbers of blocks have 32 bits.
TEST(sketch_numbers_fit_into_32_bits)
{
	for (const SketchKind kind : kinds)
		for (const bool has_directory : {false, true}) {
			const SketchLayout layout = sketch_layout(kind, page_size, 1);
			const std::uint64_t units = sketch_most_units(layout, has_directory);
			CHECK_EQ((units + 1) * layout.pages <= 0xFFFFFFFE, true, units);
			CHECK_EQ(
				!has_directory || units * layout.rows - 1 < 0xFFFFFFFF, true, units); // the last row of the last group
			CHECK_EQ(units * layout.rows >= std::uint64_t{1} << 31, true, units);
		}
}

TEST(minhash_signature_is_bit_planes)
{
	std::mt19937_64 random(1);
	for (const SketchKind kind : {SketchKind::minhash64, SketchKind::minhash128, SketchKind::minhash256}) {
		const Bytes value = random_value(random, kind), planes = signature(kind, value);
		const std::vector<std::uint64_t> all = slots(value);
		for (std::size_t plane = 0; plane < 16; ++plane)
			for (std::size_t i = 0; i < all.size(); ++i)
				CHECK_EQ(planes[plane * all.size() / 8 + i / 8] >> i % 8 & 1, minhash_mixed_slot(all[i]) >> plane & 1,
					plane, i);
	}
	CHECK_EQ(minhash_mixed_slot(0), 0);
	CHECK_EQ(minhash_mixed_slot(1), 0x9E37);
	CHECK_EQ(minhash_mixed_slot(~std::uint64_t{0}), 0x80B5); // stands in indexes: it never changes
}

// The planes of a compact sketch are the upper eight of those of the full one.
TEST(compact_signature_is_half_of_the_full_one)
{
	std::mt19937_64 random(8);
	for (const SketchKind kind : {SketchKind::minhash64, SketchKind::minhash128, SketchKind::minhash256}) {
		const std::vector<std::uint64_t> all = slots(random_value(random, kind));
		Bytes bytes(all.size()), full(2 * all.size()), half(all.size());
		compact(all, bytes.data());
		minhash_signature(all, full.data());
		compact_signature(bytes, half.data());
		CHECK_EQ(std::equal(half.begin(), half.end(), full.begin() + static_cast<std::ptrdiff_t>(all.size())), true,
			all.size());
	}
}

TEST(tlsh_signature_is_planes_of_codes)
{
	std::mt19937_64 random(2);
	for (int round = 0; round < 100; ++round) {
		const Tlsh value = digest(random_value(random, SketchKind::tlsh));
		std::uint8_t out[35];
		tlsh_signature(value, out);
		CHECK_EQ(out[0], value.length_class());
		CHECK_EQ(out[1] >> 4, value.q1_ratio());
		CHECK_EQ(out[1] & 15, value.q2_ratio());
		CHECK_EQ(out[2], value.checksum());
		for (std::size_t i = 0; i < 128; ++i) {
			const int code = value.body()[i / 4] >> 2 * (i % 4) & 3;
			CHECK_EQ(out[3 + i / 8] >> i % 8 & 1, code & 1, i);
			CHECK_EQ(out[19 + i / 8] >> i % 8 & 1, code >> 1, i);
		}
	}
}

constexpr PlaneKernel kernels[] = {
	PlaneKernel::baseline, PlaneKernel::popcnt, PlaneKernel::avx2, PlaneKernel::avx512, PlaneKernel::neon};

// `differ` holds words in the order of the processor.
static std::uint64_t native_word(const std::uint8_t *p)
{
	std::uint64_t word;
	std::memcpy(&word, p, sizeof word);
	return word;
}

TEST(plane_kernels_agree_with_a_loop)
{
	std::mt19937_64 random(3);
	for (const PlaneKernel kernel : kernels) {
		if (!has_kernel(kernel))
			continue;
		for (const std::size_t words : {1, 2, 4})
			for (const std::size_t planes : {1, 2, 3, 4})
				for (const std::size_t n : {0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 60, 116, 213})
					for (const bool keep : {false, true}) {
						const std::size_t stride = 8 * words * n + 3;
						// of exactly that size: a kernel that reads behind the last row is noticed
						const Bytes rows = generated_bytes(random(), stride * (planes - 1) + 8 * words * n);
						const Bytes probe = generated_bytes(random(), 8 * words * planes);
						std::vector<std::uint64_t> differ(words * n);
						for (std::uint64_t &word : differ)
							word = keep ? random() & random() & random() : 0;
						const std::vector<std::uint64_t> before = differ;
						std::vector<std::uint16_t> out(n);
						plane_distances(kernel, rows.data(), stride, words, planes, n, probe.data(),
							keep ? differ.data() : nullptr, out.data());
						for (std::size_t i = 0; i < n; ++i) {
							int count = 0;
							for (std::size_t word = 0; word < words; ++word) {
								std::uint64_t any = before[words * i + word];
								for (std::size_t p = 0; p < planes; ++p)
									any |= native_word(&rows[p * stride + 8 * (words * i + word)]) ^
										native_word(&probe[8 * (words * p + word)]);
								count += std::popcount(any);
								CHECK_EQ(differ[words * i + word], keep ? any : 0, name(kernel), words, planes, n, i);
							}
							CHECK_EQ(out[i], count, name(kernel), words, planes, n, i);
						}
					}
	}
	CHECK_EQ(has_kernel(plane_kernel()) && has_kernel(PlaneKernel::baseline), true);
}

// Rows over the limit may keep what they had.
TEST(tlsh_kernels_agree_with_a_loop)
{
	std::mt19937_64 random(7);
	for (const PlaneKernel kernel : kernels) {
		if (!has_kernel(kernel))
			continue;
		for (const std::size_t n : {0, 1, 2, 3, 7, 8, 9, 17, 197})
			for (const int limit : {0, 40, 2473}) {
				const Bytes low = generated_bytes(random(), 16 * n), high = generated_bytes(random(), 16 * n);
				const Bytes probe = generated_bytes(random(), 32);
				std::vector<std::uint16_t> before(n), out;
				for (std::uint16_t &header : before)
					header = static_cast<std::uint16_t>(random() % 90);
				out = before;
				tlsh_code_distances(kernel, low.data(), high.data(), n, probe.data(), limit, out.data());
				for (std::size_t i = 0; i < n; ++i) {
					int sum = before[i];
					for (std::size_t code = 0; code < 128; ++code) {
						const auto of = [&](const std::uint8_t *lower, const std::uint8_t *upper) {
							return (lower[code / 8] >> code % 8 & 1) + 2 * (upper[code / 8] >> code % 8 & 1);
						};
						const int steps = std::abs(of(&low[16 * i], &high[16 * i]) - of(&probe[0], &probe[16]));
						sum += steps == 3 ? 6 : steps;
					}
					CHECK_EQ(
						out[i] == sum || (before[i] > limit && out[i] == before[i]), true, name(kernel), n, limit, i);
				}
			}
	}
}

TEST(rows_within_lists_rows_in_order)
{
	std::mt19937_64 random(4);
	for (const PlaneKernel kernel : kernels) {
		if (!has_kernel(kernel))
			continue;
		for (const std::size_t n : {0, 1, 7, 8, 15, 16, 31, 32, 33, 116, 576})
			for (const int most : {0, 5, 1000, 0xFFFF}) {
				std::vector<std::uint16_t> bounds(n), rows(n), expected;
				for (std::size_t i = 0; i < n; ++i)
					bounds[i] = static_cast<std::uint16_t>(random() % 4 == 0 ? random() % 8 : random());
				for (std::size_t i = 0; i < n; ++i)
					if (bounds[i] <= most)
						expected.push_back(static_cast<std::uint16_t>(i));
				rows.resize(rows_within(kernel, bounds.data(), n, static_cast<std::uint16_t>(most), rows.data()));
				CHECK_EQ(rows == expected, true, name(kernel), n, most);
			}
	}
	std::uint16_t bound = 0, row = 0;
	CHECK_EQ(SketchMatcher::within(&bound, 1, -1, &row), 0);
	CHECK_EQ(SketchMatcher::within(&bound, 1, 0x10000, &row), 1);
}

// The heart of it. After each page the bound is no more than the distance; of exact kinds it is the distance, of equal
// values 0.
TEST(sketch_bounds_are_never_above_the_distance)
{
	std::mt19937_64 random(5);
	for (const SketchKind kind : kinds)
		for (int round = 0; round < 12; ++round) {
			const Bytes probe = random_value(random, kind);
			const Group group(random, kind, probe);
			const SketchMatcher matcher(group.layout, signature(kind, probe).data());
			CHECK_EQ(matcher.same_signature(SketchMatcher(group.layout, signature(kind, probe).data())), true);
			std::vector<std::uint16_t> bounds(group.layout.rows);
			for (const int limit :
				{matcher.max_distance(), matcher.max_distance() / 2, matcher.max_distance() / 5, 0}) {
				matcher.bounds(group.pages[0].data(), bounds.size(), limit, bounds.data());
				for (std::size_t row = 0; row < bounds.size(); ++row) {
					const int truth = distance(kind, probe, group.values[row]);
					CHECK_EQ(bounds[row] <= truth && truth <= matcher.max_distance(), true, static_cast<int>(kind), row,
						limit);
					const int first = group.refined(matcher, row, 1);
					CHECK_EQ(bounds[row] <= limit ? bounds[row] == first : bounds[row] <= first, true,
						static_cast<int>(kind), row, limit);
				}
			}
			SketchPartials partials;
			for (std::size_t page = 0; page < group.layout.pages; ++page) {
				matcher.refine_all(page, group.pages[page].data(), bounds.size(), partials, bounds.data());
				for (std::size_t row = 0; row < bounds.size(); ++row)
					CHECK_EQ(bounds[row], group.refined(matcher, row, page + 1), static_cast<int>(kind), row, page);
			}
			for (std::size_t row = 0; row < bounds.size(); ++row) {
				const int truth = distance(kind, probe, group.values[row]);
				int before = 0;
				for (std::size_t pages = 1; pages <= group.layout.pages; ++pages) {
					const int bound = group.refined(matcher, row, pages);
					CHECK_EQ(bound >= before && bound <= truth, true, static_cast<int>(kind), row, pages);
					before = bound;
				}
				CHECK_EQ(matcher.is_exact() ? before == truth : row % 7 != 0 || before == 0, true,
					static_cast<int>(kind), row);
			}
		}
}

// How good the bounds are where they are not exact: 16 bits let no more than one slot of some hundred thousand agree by
// chance.
TEST(minhash_bounds_are_close)
{
	std::mt19937_64 random(6);
	unsigned wrong = 0, all = 0;
	for (int round = 0; round < 50; ++round) {
		const Bytes probe = random_value(random, SketchKind::minhash128);
		const Group group(random, SketchKind::minhash128, probe);
		const SketchMatcher matcher(group.layout, signature(SketchKind::minhash128, probe).data());
		for (std::size_t row = 0; row < group.values.size(); ++row, ++all)
			wrong += group.refined(matcher, row, 4) != distance(SketchKind::minhash128, probe, group.values[row]);
	}
	CHECK_EQ(wrong < all / 100, true, wrong, all); // expected: 128 / 65536 of the rows
}
