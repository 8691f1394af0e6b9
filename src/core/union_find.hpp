// Disjoint sets over 0 … n − 1 in memory of the caller (R. Tarjan, J. van Leeuwen, 1984: path halving). The root of a set is its
// smallest member, so that a component's label does not depend on the order of the edges.
#pragma once

#include <cstdint>

namespace txtfp::core {

class UnionFind {
public:
	explicit UnionFind(std::uint32_t *parent) noexcept : parent_(parent) {}
	void add(std::uint32_t x) noexcept { parent_[x] = x; } // as a set of its own
	std::uint32_t find(std::uint32_t x) noexcept
	{
		for (; parent_[x] != x; x = parent_[x])
			parent_[x] = parent_[parent_[x]];
		return x;
	}
	bool connected(std::uint32_t a, std::uint32_t b) noexcept { return find(a) == find(b); }
	void unite(std::uint32_t a, std::uint32_t b) noexcept
	{
		a = find(a);
		b = find(b);
		if (a < b)
			parent_[b] = a;
		else
			parent_[a] = b;
	}

private:
	std::uint32_t *parent_;
};

} // namespace txtfp::core
