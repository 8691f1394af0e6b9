// The rows of a second part that are kept, and joins of two parts against all pairs by brute force.
#include "core/join/second_part.hpp"

#include <random>
#include <vector>

#include "core/join/minhash_rows.hpp"
#include "unit/check.hpp"
#include "unit/counting_host.hpp"
#include "unit/joins.hpp"

using namespace txtfp::test;

namespace {

// One part that resembles the other in some rows, which is all that a filter may know of it
template <class Slot> SketchesOf<Slot> two_parts(std::size_t first, std::size_t second, std::size_t slots)
{
	std::mt19937_64 random(first + second);
	SketchesOf<Slot> rows;
	for (std::size_t i = 0; i < first; ++i)
		rows.push_back(random_sketch<Slot>(random, slots));
	for (std::size_t i = 0; i < second; ++i)
		rows.push_back(i % 16 == 0 && first > 0 ? like(rows[random() % first], i % 32 == 0 ? 1 : 0.9, random)
												: random_sketch<Slot>(random, slots));
	return rows;
}

struct Joined {
	Pairs pairs;
	std::size_t written;
};

constexpr Banding banding{12, 6};
constexpr std::size_t slots = 128;
constexpr unsigned matches = 100;

template <class Slot> Joined join_parts(const SketchesOf<Slot> &rows, std::size_t first, std::size_t filter)
{
	constexpr std::size_t some = 1 << 16;
	CountingHost host;
	SerialExecutor executor(host);
	MinhashRows<Slot> join(
		host, executor, {slots, banding, matches}, {some, some, some, some, some, some, some, some, filter});
	for (std::size_t i = 0; i < rows.size(); ++i) {
		if (i == first)
			join.begin_second_part();
		join.add(rows[i]);
	}
	if (first == rows.size())
		join.begin_second_part();
	RowOrder order;
	order.second_part = static_cast<std::uint32_t>(first);
	join.finish(order, executor);
	Joined joined{};
	join.pairs(executor, [&](unsigned, std::uint32_t a, std::uint32_t b, unsigned equal) {
		CHECK_EQ(equal, matching_slots(rows[a], rows[b]), a, b);
		joined.pairs.emplace_back(a, b);
	});
	join.close();
	std::sort(joined.pairs.begin(), joined.pairs.end());
	joined.written = host.written();
	return joined;
}

template <class Slot> Pairs between(const SketchesOf<Slot> &rows, std::size_t first)
{
	Pairs pairs;
	for (std::uint32_t a = 0; a < first; ++a)
		for (auto b = static_cast<std::uint32_t>(first); b < rows.size(); ++b)
			if (matching_slots(rows[a], rows[b]) >= matches && first_common_band(rows[a], rows[b], banding) >= 0)
				pairs.emplace_back(a, b);
	return pairs;
}

template <class Slot> void check_joins()
{
	for (const auto &[first, second] :
		{std::pair<std::size_t, std::size_t>{0, 10}, {10, 0}, {1, 1}, {100, 3000}, {700, 700}}) {
		const SketchesOf<Slot> rows = two_parts<Slot>(first, second, slots);
		const Pairs expected = between(rows, first);
		CHECK_EQ(expected.size() >= std::min(first, second) / 16, true, first, second);
		const Joined all = join_parts(rows, first, 0), kept = join_parts(rows, first, 1 << 20);
		CHECK_EQ(all.pairs == expected, true, first, second);
		CHECK_EQ(kept.pairs == expected, true, first, second);
		if (second > 1000)
			CHECK_EQ(kept.written * 5 < all.written, true, kept.written, all.written);
	}
}

} // namespace

TEST(second_part_knows_the_places_of_what_it_keeps)
{
	for (const std::uint32_t first : {0u, 1u, 1000u})
		for (const unsigned one_in : {1u, 2u, 70u, 5000u}) {
			CountingHost host;
			SecondPart part;
			part.open(host, first, 100, 1 << 16);
			CHECK_EQ(part.is_filtered(), true);
			std::mt19937_64 random(first + one_in);
			std::vector<bool> kept(5000);
			for (std::size_t i = 0; i < kept.size(); ++i)
				part.add(host, kept[i] = random() % one_in == 0);
			part.close_filter(host);
			for (std::uint32_t row = 0; row < first; ++row)
				CHECK_EQ(part.place_of(row), row);
			std::uint32_t place = first;
			for (std::size_t i = 0; i < kept.size(); ++i)
				if (kept[i])
					CHECK_EQ(part.place_of(first + static_cast<std::uint32_t>(i)), place++, i);
		}
}

TEST(second_part_without_memory_for_a_filter_keeps_all)
{
	CountingHost host;
	SecondPart part;
	part.open(host, 3, 1000, 16);
	CHECK_EQ(part.is_filtered(), false);
	for (const std::uint32_t row : {0u, 3u, 4000000000u})
		CHECK_EQ(part.place_of(row), row);
}

TEST(second_part_of_a_join_of_full_sketches) { check_joins<std::uint64_t>(); }
TEST(second_part_of_a_join_of_compact_sketches) { check_joins<std::uint8_t>(); }
