#include "core/review/removal_clusters.hpp"

#include <algorithm>
#include <numeric>

#include "core/minhash/minhash.hpp"

namespace txtfp::core {

namespace {

// A text without tokens is similar to nothing but its like.
double similarity(const PictureSketch &a, const PictureSketch &b) noexcept
{
	std::size_t equal = 0;
	for (std::size_t i = 0; i < a.size(); ++i)
		equal += a[i] == b[i];
	return static_cast<double>(equal) / static_cast<double>(a.size());
}

std::uint32_t root_of(std::vector<std::uint32_t> &parents, std::uint32_t row) noexcept
{
	while (parents[row] != row)
		row = parents[row] = parents[parents[row]];
	return row;
}

void add_edges(RemovalCluster &cluster, std::span<const PictureSketch> rows)
{
	for (std::uint32_t i = 0; i < cluster.shown; ++i)
		for (std::uint32_t j = i + 1; j < cluster.shown; ++j)
			if (const double s = similarity(rows[cluster.rows[i]], rows[cluster.rows[j]]); s >= least_edge)
				cluster.edges.push_back({i, j, s});
}

} // namespace

PictureSketch picture_sketch(std::string_view text, StopToken stop)
{
	std::uint64_t slots[std::tuple_size_v<PictureSketch>];
	TextOptions options;
	options.tokenizer.depth = 1;
	options.tokenizer.k[0] = 3;
	minhash(text, options, slots, stop);
	PictureSketch sketch;
	for (std::size_t i = 0; i < sketch.size(); ++i)
		sketch[i] = static_cast<std::uint16_t>(slots[i]);
	return sketch;
}

std::vector<RemovalCluster> removal_clusters(
	std::span<const PictureSketch> rows, std::span<const RowLink> links, StopToken stop)
{
	std::vector<std::uint32_t> parents(rows.size()), degrees(rows.size());
	std::iota(parents.begin(), parents.end(), 0);
	for (const auto &[a, b] : links) {
		++degrees[a];
		++degrees[b];
		const std::uint32_t root_a = root_of(parents, a), root_b = root_of(parents, b);
		parents[std::max(root_a, root_b)] = std::min(root_a, root_b);
	}
	std::vector<std::uint32_t> order(rows.size());
	std::iota(order.begin(), order.end(), 0);
	for (std::uint32_t row = 0; row < parents.size(); ++row)
		parents[row] = root_of(parents, row);
	std::sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) {
		return parents[x] != parents[y] ? parents[x] < parents[y]
			: degrees[x] != degrees[y]  ? degrees[x] > degrees[y]
										: x < y;
	});
	std::vector<RemovalCluster> clusters;
	for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
		for (end = begin; end < order.size() && parents[order[end]] == parents[order[begin]];)
			++end;
		if (end - begin < 3)
			continue;
		const auto first = order.begin();
		RemovalCluster cluster{{first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end)},
			std::min(end - begin, picture_rows), {}};
		stop.check();
		add_edges(cluster, rows);
		clusters.push_back(std::move(cluster));
	}
	std::stable_sort(clusters.begin(), clusters.end(),
		[](const RemovalCluster &x, const RemovalCluster &y) { return x.rows.size() > y.rows.size(); });
	return clusters;
}

} // namespace txtfp::core
