// Clusters at other limits than the join has: components at several thresholds, and clusters that are cut because
// they are too large.
//
//   components, complete  The threshold is raised inside the cluster until no component has more than max_size rows: a row is in its component at the
//                         lowest such threshold.
//   stars                 The centre keeps the rows that are most similar to it, at most max_size with itself; those that are as similar as the first
//                         of the others go, too. These others, in the order of rows, form stars again, which are cut.
// Rows whose fingerprints are equal cannot be separated so. They stay together, however many they are.
#pragma once

#include "core/dedup/clusters.hpp"

namespace txtfp::core {

// labels[i][rank] is the smallest rank of the component at thresholds[i]; the join is made for the least of them.
struct NestedComponents {
	std::span<const double> thresholds;
	std::span<std::uint32_t> *labels;
};
NestedComponents nested_components(
	JoinHost &host, JoinedRows &joined, std::uint32_t rows, std::span<const double> thresholds);

// Cuts the clusters of more than max_size rows. Returns for each row that a cluster is then named after the least
// similarity that its cut cluster was made by, NaN if it is not from a cut.
double *cut_clusters(
	JoinHost &host, JoinedRows &joined, std::span<std::uint32_t> labels, ClusterMode mode, std::uint32_t max_size);

} // namespace txtfp::core
