// Disjoint sets; some must stay apart. Two sets may be united unless one has a member, and the other one a
// member, that are a pair to be kept apart. Each set has the list of those that its members are to be kept apart from.
// United sets join their lists, and a question reads the shorter one.
//
// All memory is the caller's: `parent`, `first`, `last` and `count` have room for each element, `entries` for twice the
// pairs.
#pragma once

#include <cstdint>
#include <utility>

#include "core/base/union_find.hpp"

namespace txtfp::core {

struct ApartEntry {
	std::uint32_t other, next;
};

class ApartSets {
public:
	struct Memory {
		std::uint32_t *parent, *first, *last, *count;
		ApartEntry *entries;
	};

	ApartSets(const Memory &memory, std::uint32_t n) noexcept : memory_(memory), sets_(memory.parent)
	{
		for (std::uint32_t x = 0; x < n; ++x) {
			sets_.add(x);
			memory_.first[x] = memory_.last[x] = no_element;
			memory_.count[x] = 0;
		}
	}

	// They are in different sets, and stay so.
	void keep_apart(std::uint32_t a, std::uint32_t b) noexcept
	{
		append(sets_.find(a), b);
		append(sets_.find(b), a);
	}

	// The smallest member of the set.
	std::uint32_t find(std::uint32_t x) noexcept { return sets_.find(x); }

	bool may_unite(std::uint32_t a, std::uint32_t b) noexcept
	{
		a = find(a);
		b = find(b);
		if (memory_.count[a] > memory_.count[b])
			std::swap(a, b);
		for (std::uint32_t at = memory_.first[a]; at != no_element; at = memory_.entries[at].next)
			if (find(memory_.entries[at].other) == b)
				return false;
		return true;
	}

	void unite(std::uint32_t a, std::uint32_t b) noexcept
	{
		a = find(a);
		b = find(b);
		if (a == b)
			return;
		if (b < a)
			std::swap(a, b);
		sets_.unite(a, b); // a is the root
		if (memory_.count[b] == 0)
			return;
		if (memory_.count[a] == 0)
			memory_.first[a] = memory_.first[b];
		else
			memory_.entries[memory_.last[a]].next = memory_.first[b];
		memory_.last[a] = memory_.last[b];
		memory_.count[a] += memory_.count[b];
	}

private:
	void append(std::uint32_t set, std::uint32_t other) noexcept
	{
		const std::uint32_t at = used_++;
		memory_.entries[at] = {other, no_element};
		if (memory_.count[set]++ == 0)
			memory_.first[set] = at;
		else
			memory_.entries[memory_.last[set]].next = at;
		memory_.last[set] = at;
	}

	Memory memory_;
	UnionFind sets_;
	std::uint32_t used_ = 0;
};

} // namespace txtfp::core
