#include "core/decide/label_folds.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "core/base/splitmix.hpp"

namespace txtfp::core {

std::vector<unsigned> random_folds(std::size_t wrong, std::size_t n, std::uint64_t seed)
{
	SplitMix64 random(seed);
	std::vector<std::size_t> order(n);
	std::iota(order.begin(), order.end(), 0);
	for (const auto &[begin, end] : {std::pair{std::size_t{0}, wrong}, {wrong, n}})
		for (std::size_t left = end - begin; left > 1; --left)
			std::swap(order[begin + left - 1], order[begin + static_cast<std::size_t>(random.below(left))]);
	std::vector<unsigned> fold_of(n);
	for (std::size_t i = 0; i < n; ++i)
		fold_of[order[i]] = static_cast<unsigned>(i % folds);
	return fold_of;
}

// Whole groups, the largest first, each into the fold that has least of the kinds that the group has.
std::vector<unsigned> folds_of_groups(const Labels &all, unsigned folds, std::uint64_t seed)
{
	std::unordered_map<std::uint64_t, std::size_t> number;
	std::vector<std::vector<std::size_t>> groups;
	for (std::size_t i = 0; i < all.size(); ++i) {
		const auto [at, is_new] = number.try_emplace(all[i]->group, groups.size());
		if (is_new)
			groups.emplace_back();
		groups[at->second].push_back(i);
	}
	// An order that does not depend on the numbers of groups: groups of equal labels can change places.
	std::sort(groups.begin(), groups.end(), [&](const auto &a, const auto &b) {
		return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [&](std::size_t i, std::size_t j) {
			return std::tie(all[i]->right, all[i]->signals) < std::tie(all[j]->right, all[j]->signals);
		});
	});
	SplitMix64 random(seed);
	for (std::size_t left = groups.size(); left > 1; --left)
		std::swap(groups[left - 1], groups[static_cast<std::size_t>(random.below(left))]);
	std::stable_sort(groups.begin(), groups.end(), [](const auto &a, const auto &b) { return a.size() > b.size(); });
	double of_kind[2] = {};
	for (const Label *label : all)
		++of_kind[label->right];
	std::vector<std::array<double, 2>> shares(folds);
	std::vector<unsigned> fold_of(all.size());
	for (const std::vector<std::size_t> &group : groups) {
		double added[2] = {};
		for (const std::size_t i : group)
			added[all[i]->right] += 1 / of_kind[all[i]->right];
		const auto filled = [&](unsigned fold) { return shares[fold][0] * added[0] + shares[fold][1] * added[1]; };
		unsigned best = 0;
		for (unsigned fold = 1; fold < folds; ++fold)
			if (filled(fold) < filled(best))
				best = fold;
		for (const std::size_t i : group)
			fold_of[i] = best;
		shares[best][0] += added[0];
		shares[best][1] += added[1];
	}
	return fold_of;
}

} // namespace txtfp::core
