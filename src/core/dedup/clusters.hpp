// From connected rows to clusters. A cluster is named after its first row, the one of the smallest rank.
//
//   components  Rows that are similar are in one cluster. Where pairs are to be kept apart, the links of their component are followed from the most similar to the
//               least, equal ones in the order of rows, and one that would bring such a pair together is left out.
//   star        The first row of each unit may become a centre. A unit belongs to the first centre that is similar to one of its rows, unless it is to be
//               apart from a unit that belongs to it already.
//   complete    In the order of their first rows, a unit joins the first cluster all of whose rows are similar to all of its own, under the same condition; otherwise it begins one.
//
// A unit is a row, or rows that are together (decided_pairs.hpp). Nothing here has a destructor; memory is the host's,
// and what is returned stays until the host frees it.
#pragma once

#include <iterator>
#include <optional>
#include <string_view>

#include "core/dedup/decided_pairs.hpp"

namespace txtfp::core {

enum class ClusterMode { components, star, complete };
constexpr const char *mode_names[] = {"components", "star", "complete"};
constexpr std::optional<ClusterMode> parse_mode(std::string_view name) noexcept
{
	for (std::size_t i = 0; i < std::size(mode_names); ++i)
		if (name == mode_names[i])
			return static_cast<ClusterMode>(i);
	return std::nullopt;
}

struct ClusterOptions {
	ClusterMode mode = ClusterMode::components;
	std::uint32_t max_size = 0;       // 0: no limit
	std::size_t most_link_memory = 0; // bytes, for the links of a component that has pairs to be kept apart
};

// A component whose links do not fit into their memory.
struct TooManyLinks {
	std::size_t rows = 0, most = 0;
};

// The components of the rows' similarity: labels[rank] is the smallest rank of its component.
std::span<std::uint32_t> connect(JoinHost &host, JoinExecutor &executor, JoinedRows &joined, std::uint32_t rows);

// Turns components into clusters. False: there are too many links. formed[rank], for a row that a cluster of a cut one
// (cluster_cuts.hpp) is named after, becomes the least similarity that it was made by; otherwise NaN. nullptr: there is
// no limit of the size.
bool find_clusters(JoinHost &host, JoinedRows &joined, const DecidedPairs &pairs, const ClusterOptions &options,
	std::span<std::uint32_t> labels, double *&formed, TooManyLinks &wrong);

// Passes the rows of clusters of two and more to the sink, each with the row that the cluster is named after, which
// comes first, and their similarity. Workers compare; where fingerprints are in a file, many are read at once. sizes:
// of clusters, by that row.
void deliver_clusters(JoinHost &host, JoinExecutor &executor, JoinedRows &joined, std::span<const std::uint32_t> labels,
	const std::uint32_t *sizes, PairSink &sink);

} // namespace txtfp::core
