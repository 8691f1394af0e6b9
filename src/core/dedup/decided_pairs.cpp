#include "core/dedup/decided_pairs.hpp"

#include <algorithm>

namespace txtfp::core {

const RankPair *find_contradiction(JoinHost &host, const DecidedPairs &pairs, std::uint32_t rows)
{
	if (pairs.apart.empty())
		return nullptr;
	auto *parents = host.array<std::uint32_t>(rows);
	UnionFind units(parents);
	for (std::uint32_t row = 0; row < rows; ++row)
		units.add(row);
	for (const RankPair &pair : pairs.together)
		units.unite(pair.a, pair.b);
	const auto found = std::find_if(pairs.apart.begin(), pairs.apart.end(),
		[&](const RankPair &pair) { return units.connected(pair.a, pair.b); });
	host.free(parents);
	return found == pairs.apart.end() ? nullptr : &*found;
}

const RankPair *find_across_groups(const DecidedPairs &pairs, const RowOrder &order)
{
	const auto found = std::find_if(pairs.together.begin(), pairs.together.end(),
		[&](const RankPair &pair) { return order.group_of(pair.a) != order.group_of(pair.b); });
	return found == pairs.together.end() ? nullptr : &*found;
}

void unite_together(const DecidedPairs &pairs, std::span<std::uint32_t> labels)
{
	UnionFind components(labels.data());
	for (const RankPair &pair : pairs.together)
		components.unite(pair.a, pair.b);
	for (std::uint32_t row = 0; row < labels.size(); ++row)
		labels[row] = components.find(row);
}

void DecidedRows::open(JoinHost &host, const DecidedPairs &pairs, std::uint32_t rows)
{
	if (pairs.empty())
		return;
	unit_ = host.array<std::uint32_t>(rows);
	for (std::uint32_t row = 0; row < rows; ++row)
		unit_[row] = row;
	unite_together(pairs, {unit_, rows});
	kept_of_ = host.array<std::uint32_t>(rows);
	std::fill_n(kept_of_, rows, no_element);
	apart_ = {host.array<RankPair>(2 * pairs.apart.size()), 2 * pairs.apart.size()};
	std::size_t n = 0;
	for (const RankPair &pair : pairs.apart) {
		apart_[n++] = {unit_[pair.a], unit_[pair.b]};
		apart_[n++] = {unit_[pair.b], unit_[pair.a]};
	}
	sort_polling(
		apart_.begin(), apart_.end(), [](const RankPair &x, const RankPair &y) { return x.a < y.a; },
		[&] { host.poll(); });
}

bool DecidedRows::may_join(std::uint32_t unit, std::uint32_t kept) const
{
	const auto of = std::lower_bound(
		apart_.begin(), apart_.end(), unit, [](const RankPair &pair, std::uint32_t x) { return pair.a < x; });
	for (auto pair = of; pair != apart_.end() && pair->a == unit; ++pair)
		if (kept_of(pair->b) == kept)
			return false;
	return true;
}

} // namespace txtfp::core
