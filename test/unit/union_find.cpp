#include "core/base/union_find.hpp"

#include <random>
#include <vector>

#include "unit/check.hpp"

using namespace txtfp::core;

TEST(union_find)
{
	constexpr std::uint32_t n = 200;
	std::mt19937 random(1);
	for (int round = 0; round < 50; ++round) {
		std::vector<std::uint32_t> parent(n), naive(n);
		UnionFind sets(parent.data());
		for (std::uint32_t i = 0; i < n; ++i) {
			sets.add(i);
			naive[i] = i;
		}
		for (int edge = 0; edge < 3 * round; ++edge) {
			const std::uint32_t a = random() % n, b = random() % n;
			sets.unite(a, b);
			const std::uint32_t from = std::max(naive[a], naive[b]), to = std::min(naive[a], naive[b]);
			std::replace(naive.begin(), naive.end(), from, to);
		}
		for (std::uint32_t i = 0; i < n; ++i) // the naive label is the smallest member, too
			CHECK_EQ(sets.find(i), naive[i], round, i);
		std::vector<std::uint32_t> next(n), members;
		chain_groups(naive, next.data());
		for (std::uint32_t first = 0; first < n; ++first)
			for (std::uint32_t x = naive[first] == first ? first : no_element; x != no_element; x = next[x]) {
				CHECK_EQ(naive[x], first, round);
				CHECK_EQ(x == first || members.back() < x, true, round, x);
				members.push_back(x);
			}
		CHECK_EQ(members.size(), n, round);
		CHECK_EQ(sets.connected(0, 1), naive[0] == naive[1], round);
		for (std::uint32_t i = 0; i < n; ++i)
			sets.settle(i);
		CHECK_EQ(parent == naive, true, round);
	}
}
