// Disjoint sets over 0 … n − 1 in memory of the caller (R. Tarjan, J. van Leeuwen, 1984: path halving). The root of a
// set is its smallest member, so that a component's label does not depend on the order of the edges.
//
// Several threads may find and unite at once (R. Anderson, H. Woll, 1991): only a root gets a parent, by compare and
// exchange; what else is stored is an ancestor in place of an ancestor.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace txtfp::core {

class UnionFind {
public:
	explicit UnionFind(std::uint32_t *parent) noexcept : parent_(parent) {}
	void add(std::uint32_t x) noexcept { parent_[x] = x; } // makes x a set of its own
	std::uint32_t find(std::uint32_t x) noexcept
	{
		for (std::uint32_t parent = at(x); parent != x; parent = at(x)) {
			const std::uint32_t above = at(parent);
			__atomic_store_n(parent_ + x, above, __ATOMIC_RELAXED);
			x = above;
		}
		return x;
	}
	// Afterwards x knows its root.
	void settle(std::uint32_t x) noexcept { __atomic_store_n(parent_ + x, find(x), __ATOMIC_RELAXED); }
	void prefetch(std::uint32_t x) const noexcept { __builtin_prefetch(parent_ + x); } // for a later find(x)
	bool connected(std::uint32_t a, std::uint32_t b) noexcept { return find(a) == find(b); }
	void unite(std::uint32_t a, std::uint32_t b) noexcept
	{
		for (;;) {
			a = find(a);
			b = find(b);
			if (a == b)
				return;
			std::uint32_t low = std::min(a, b), high = std::max(a, b), expected = high;
			if (__atomic_compare_exchange_n(parent_ + high, &expected, low, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
				return;
		}
	}

private:
	std::uint32_t at(std::uint32_t x) const noexcept { return __atomic_load_n(parent_ + x, __ATOMIC_RELAXED); }

	std::uint32_t *parent_;
};

// Links the members of each group in ascending order: next[x] is the member after x, or no_element. labels[x] is the
// smallest member of x's group.
constexpr std::uint32_t no_element = 0xFFFFFFFF;
inline void chain_groups(std::span<const std::uint32_t> labels, std::uint32_t *next) noexcept
{
	std::fill_n(next, labels.size(), no_element);
	for (auto x = static_cast<std::uint32_t>(labels.size()); x-- > 0;)
		if (const std::uint32_t first = labels[x]; first != x) {
			next[x] = next[first];
			next[first] = x;
		}
}

} // namespace txtfp::core
