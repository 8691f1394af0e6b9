// What the steps of a join over several servers read, any bytes: it is refused, or read without leaving the bytes.
//   byte 0: which step; byte 1: places
#include "core/minhash/spread_join.hpp"

#include <algorithm>
#include <cstring>

#include "fuzz/fuzz.hpp"

using namespace txtfp::core;
using namespace txtfp::fuzz;

static void read_groups(std::span<const std::uint64_t> groups, std::size_t places)
{
	Partners partners(groups, 0, places);
	while (partners.next()) {
		REQUIRE_EQ(place_of(partners.row(), places), std::size_t{0});
		REQUIRE_EQ(std::is_sorted(partners.partners().begin(), partners.partners().end()), true);
	}
}

static void read_halves(std::string_view bytes)
{
	std::vector<ByteList> places(1);
	HalfReader reader(bytes, 8);
	while (reader.next()) {
		HashList partners;
		for (std::size_t i = 0; i < reader.partner_count(); ++i)
			partners.push_back(reader.partner(i));
		std::sort(partners.begin(), partners.end());
		put_half(reader.half(), partners, places);
	}
	HalfReader again({places[0].data(), places[0].size()}, 8);
	while (again.next()) {
	}
	REQUIRE_EQ(again.is_damaged(), false);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	if (size < 2)
		return 0;
	const std::size_t places = std::size_t{1} + data[1] % 9u;
	HashList words((size - 2) / 8);
	if (!words.empty())
		std::memcpy(words.data(), data + 2, 8 * words.size());
	try {
		if (data[0] % 3 == 0)
			group_keys(words, places, 100);
		else if (data[0] % 3 == 1)
			read_groups(words, places);
		else
			read_halves({reinterpret_cast<const char *>(data) + 2, size - 2});
	} catch (const Error &) {
	}
	return 0;
}
