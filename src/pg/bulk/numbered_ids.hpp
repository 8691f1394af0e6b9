// Ids numbered in the order of their first appearance: a hash table with linear probing over the ids of a RowIds, which
// keeps their bytes. 16 to 32 bytes per id.
#pragma once

#include <cstdint>
#include <string_view>

#include "pg/bulk/row_ids.hpp"

namespace txtfp::pg {

class NumberedIds {
public:
	void open(MemoryContext context, RowIds &ids); // `ids` is open and empty
	std::uint32_t number_of(std::string_view bytes);
	std::uint32_t find(std::string_view bytes) const; // 0xFFFFFFFF: it has not appeared

private:
	struct Slot {
		std::uint32_t number, hash;
	};

	Slot &slot_of(std::uint32_t hash, std::string_view id) const;
	void resize(std::size_t size);

	MemoryContext context_ = nullptr;
	RowIds *ids_ = nullptr;
	Slot *slots_ = nullptr;
	std::size_t size_ = 0; // a power of two; at most half of the slots are used
};

} // namespace txtfp::pg
