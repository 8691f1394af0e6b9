#include "core/base/apart_sets.hpp"

#include <random>
#include <set>
#include <utility>
#include <vector>

#include "unit/check.hpp"

using namespace txtfp::core;

// Compared with sets that are written down, and all pairs of their members asked.
TEST(apart_sets)
{
	constexpr std::uint32_t n = 60;
	std::mt19937 random(1);
	for (int round = 0; round < 100; ++round) {
		const auto pairs = static_cast<std::size_t>(round) / 2;
		std::vector<std::uint32_t> parent(n), first(n), last(n), count(n), naive(n);
		std::vector<ApartEntry> entries(2 * pairs + 1);
		ApartSets sets({parent.data(), first.data(), last.data(), count.data(), entries.data()}, n);
		for (std::uint32_t i = 0; i < n; ++i)
			naive[i] = i;
		const auto merge = [&](std::uint32_t a, std::uint32_t b) {
			sets.unite(a, b);
			const std::uint32_t from = std::max(naive[a], naive[b]), to = std::min(naive[a], naive[b]);
			std::replace(naive.begin(), naive.end(), from, to);
		};
		for (int i = 0; i < round % 7; ++i) // some are united before anything is kept apart
			merge(random() % n, random() % n);
		std::set<std::pair<std::uint32_t, std::uint32_t>> apart;
		while (apart.size() < pairs) {
			const std::uint32_t a = random() % n, b = random() % n;
			if (naive[a] != naive[b] && apart.insert({std::min(a, b), std::max(a, b)}).second)
				sets.keep_apart(a, b);
		}
		int refused = 0;
		for (int step = 0; step < 120; ++step) {
			const std::uint32_t a = random() % n, b = random() % n;
			if (naive[a] == naive[b])
				continue;
			bool may = true;
			for (const auto &[x, y] : apart)
				may = may && std::set{naive[x], naive[y]} != std::set{naive[a], naive[b]};
			CHECK_EQ(sets.may_unite(a, b), may, round, step);
			refused += !may;
			if (may)
				merge(a, b);
			for (std::uint32_t i = 0; i < n; ++i)
				CHECK_EQ(sets.find(i), naive[i], round, step, i);
		}
		CHECK_EQ(pairs < 5 || refused > 0, true, round);
	}
}
