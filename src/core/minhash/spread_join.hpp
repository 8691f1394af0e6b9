// The steps of a join of MinHash sketches whose rows are on several servers. A row is known by a hash of its id. What a
// step returns for a place (a shard of a table) is moved there, and what has come to a place is the input of the next
// step:
//   spread_keys    at the rows: the band keys, each for the place of the key
//   group_keys     at the keys: the rows that have a key in common, for the places of the rows
//   Partners       at the rows: for each row those that share a key with it and have a greater hash, each once
//   Halves         at the rows: the sketch of the row, for the places of its partners, where the two are compared
// So a band key costs 16 bytes and no row of a table, and only sketches of candidates travel. All bytes are in
// the order of the processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"

namespace txtfp::core {

using HashList = std::vector<std::uint64_t>;

// Grows with the hash, so that ascending hashes are grouped by place. There are at most 2^32 places.
constexpr std::size_t place_of(std::uint64_t hash, std::size_t places) noexcept
{
	return static_cast<std::size_t>((hash >> 32) * places >> 32);
}

// Adds pairs (key, row) to what goes to each place.
void spread_keys(std::uint64_t row, std::span<const std::uint64_t> keys, std::span<HashList> places);

struct KeyGroups {
	std::vector<HashList> places; // groups: the number of rows, and the rows, ascending
	std::uint64_t crowded = 0,
				  largest = 0; // the keys that have more than `max_rows`, and how many rows one of them has
};
// `entries`: pairs (key, row). Throws Error(invalid_parameter) if their number is odd.
KeyGroups group_keys(
	std::span<const std::uint64_t> entries, std::size_t places, std::uint64_t max_rows, StopToken stop = {});

class Partners {
public:
	// `groups`, which must live longer, belong to the place. Throws Error(invalid_parameter) if they are not what
	// group_keys returns.
	Partners(std::span<const std::uint64_t> groups, std::size_t place, std::size_t places, StopToken stop = {});

	// The next row that has partners, in ascending order; false if there is none.
	bool next();
	std::uint64_t row() const noexcept { return row_; }
	std::span<const std::uint64_t> partners() const noexcept { return partners_; } // ascending, distinct

private:
	struct Occurrence {
		std::uint64_t row;
		const std::uint64_t *after; // the rows of the group that follow
		std::uint64_t count;
	};

	std::vector<Occurrence> occurrences_; // by row
	std::size_t next_ = 0;
	std::uint64_t row_ = 0;
	HashList partners_;
	StopToken stop_;
};

// A row that is to be compared with others.
struct Half {
	std::uint64_t config;
	std::string_view id, slots; // bytes
};

using ByteList = std::vector<char>;

// Adds the row to what goes to the places of its partners, which ascend.
void put_half(const Half &half, std::span<const std::uint64_t> partners, std::span<ByteList> places);

// Reads what put_half has written. It allocates nothing.
class HalfReader {
public:
	HalfReader(std::string_view bytes, std::size_t slot_bytes) noexcept : rest_(bytes), slot_bytes_(slot_bytes) {}

	bool next() noexcept; // false: at the end, or the bytes are damaged
	bool is_damaged() const noexcept { return is_damaged_; }
	const Half &half() const noexcept { return half_; } // not aligned
	std::size_t partner_count() const noexcept { return partners_.size() / sizeof(std::uint64_t); }
	std::uint64_t partner(std::size_t i) const noexcept;

private:
	std::string_view rest_, partners_;
	std::size_t slot_bytes_;
	Half half_{};
	bool is_damaged_ = false;
};

} // namespace txtfp::core
