#include "core/minhash/spread_join.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/splitmix.hpp"
#include "unit/check.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

struct Row {
	std::uint64_t hash;
	std::vector<std::uint64_t> keys;
};
using Pairs = std::set<std::pair<std::uint64_t, std::uint64_t>>;

constexpr std::size_t slot_bytes = 3;

std::string id_of(std::uint64_t hash) { return "id" + std::to_string(hash % 1000); }

Pairs read_halves(const ByteList &bytes, std::size_t place, std::size_t places)
{
	Pairs pairs;
	HalfReader reader({bytes.data(), bytes.size()}, slot_bytes);
	while (reader.next()) {
		std::uint64_t hash = 0;
		for (const char c : reader.half().slots)
			hash = hash * 256 + static_cast<unsigned char>(c);
		hash |= reader.half().config << 24; // the test's ids: their upper bits
		CHECK_EQ(reader.half().id, id_of(hash));
		for (std::size_t i = 0; i < reader.partner_count(); ++i) {
			CHECK_EQ(place_of(reader.partner(i), places), place);
			CHECK_EQ(pairs.emplace(hash, reader.partner(i)).second, true, "each pair once");
		}
	}
	CHECK_EQ(reader.is_damaged(), false);
	return pairs;
}

// All steps, with the rows of each place in arrays of their own.
Pairs join(const std::vector<Row> &rows, std::size_t places, std::uint64_t max_rows, KeyGroups &counts)
{
	std::vector<HashList> keys(places), groups(places);
	for (const Row &row : rows)
		spread_keys(row.hash, row.keys, keys);
	for (const HashList &entries : keys) {
		const KeyGroups found = group_keys(entries, places, max_rows);
		counts.crowded += found.crowded;
		counts.largest = std::max(counts.largest, found.largest);
		for (std::size_t place = 0; place < places; ++place)
			groups[place].insert(groups[place].end(), found.places[place].begin(), found.places[place].end());
	}
	std::vector<ByteList> halves(places);
	for (std::size_t place = 0; place < places; ++place) {
		Partners partners(groups[place], place, places);
		for (std::uint64_t last = 0; partners.next(); last = partners.row()) {
			CHECK_EQ(partners.row() > last && place_of(partners.row(), places) == place, true);
			const std::string id = id_of(partners.row());
			std::string slots;
			for (int shift = 16; shift >= 0; shift -= 8)
				slots += static_cast<char>(partners.row() >> shift & 0xFF);
			put_half({partners.row() >> 24, id, slots}, partners.partners(), halves);
		}
	}
	Pairs pairs;
	for (std::size_t place = 0; place < places; ++place)
		for (const auto &pair : read_halves(halves[place], place, places))
			CHECK_EQ(pairs.insert(pair).second, true, "in one place");
	return pairs;
}

} // namespace

TEST(spread_join_finds_all_rows_with_a_common_key)
{
	SplitMix64 random(3);
	std::size_t found = 0, crowded = 0;
	for (int round = 0; round < 300; ++round) {
		const std::uint64_t kinds = 1 + random.below(200), max_rows = 2 + random.below(12);
		std::vector<Row> rows(random.below(120));
		std::map<std::uint64_t, std::vector<std::uint64_t>> by_key;
		for (Row &row : rows) {
			row.hash = random();
			std::set<std::uint64_t> own;
			for (std::uint64_t n = random.below(8); n > 0; --n)
				own.insert(SplitMix64::at(random.below(kinds)));
			row.keys.assign(own.begin(), own.end());
			for (const std::uint64_t key : own)
				by_key[key].push_back(row.hash);
		}
		Pairs expected;
		std::uint64_t too_large = 0, largest = 0;
		for (const auto &[key, of] : by_key) {
			if (of.size() > max_rows) {
				++too_large;
				largest = std::max<std::uint64_t>(largest, of.size());
				continue;
			}
			for (const std::uint64_t a : of)
				for (const std::uint64_t b : of)
					if (a < b)
						expected.emplace(a, b);
		}
		for (const std::size_t places : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{64}}) {
			KeyGroups counts;
			CHECK_EQ(join(rows, places, max_rows, counts) == expected, true, round, places);
			CHECK_EQ(counts.crowded, too_large);
			CHECK_EQ(counts.largest, largest);
		}
		found += expected.size();
		crowded += too_large;
	}
	CHECK_EQ(found > 1000 && crowded > 100, true, found, crowded);
}

// Two ids with one hash are compared, too.
TEST(spread_join_of_rows_with_equal_hashes)
{
	KeyGroups counts;
	const std::uint64_t hash = 0x8000000000123456;
	const Pairs pairs = join({{hash, {5}}, {hash, {5}}, {hash + 1, {6}}}, 4, 10, counts);
	CHECK_EQ(pairs.size(), 1);
	CHECK_EQ(pairs.begin()->first == hash && pairs.begin()->second == hash, true);
}

TEST(spread_join_places)
{
	CHECK_EQ(place_of(0, 5), 0);
	CHECK_EQ(place_of(~std::uint64_t{0}, 5), 4);
	for (std::size_t places = 1; places < 40; ++places)
		for (std::uint64_t hash = 0, last = 0; hash < 1000; ++hash) {
			const std::size_t place = place_of(hash << 54, places);
			CHECK_EQ(place >= last && place < places, true);
			last = place;
		}
}

TEST(spread_join_refuses_damaged_bytes)
{
	const auto message = [](auto fn) -> std::string {
		try {
			fn();
		} catch (const Error &error) {
			return error.what();
		}
		return "";
	};
	CHECK_EQ(message([] { group_keys(HashList{1, 2, 3}, 2, 9); }), "band keys are damaged");
	CHECK_EQ(message([] {
		const HashList groups{3, 1, 2};
		Partners(groups, 0, 1);
	}),
		"groups of rows are damaged");
	CHECK_EQ(message([] {
		const HashList groups{~std::uint64_t{0}};
		Partners(groups, 0, 1);
	}),
		"groups of rows are damaged");
	std::vector<ByteList> places(1);
	put_half({1, "id", "abc"}, HashList{7, 8}, places);
	const std::string_view whole(places[0].data(), places[0].size());
	for (std::size_t size = 1; size < whole.size(); ++size) {
		HalfReader reader(whole.substr(0, size), slot_bytes);
		CHECK_EQ(reader.next(), false);
		CHECK_EQ(reader.is_damaged(), true);
	}
	HalfReader reader(whole, slot_bytes);
	CHECK_EQ(reader.next(), true);
	CHECK_EQ(reader.partner_count(), 2);
	CHECK_EQ(reader.partner(1), 8);
	CHECK_EQ(reader.next() || reader.is_damaged(), false);
}
