// Clusters of a page, for their pictures: rows that removals connect, and how similar each is to each.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"

namespace txtfp::core {

// Estimates how similar two texts are: the slots of a MinHash of 64 slots, 16 bits of each.
using PictureSketch = std::array<std::uint16_t, 64>;
PictureSketch picture_sketch(std::string_view text, StopToken stop = {});

struct ClusterEdge {
	std::uint32_t a, b; // rows of the cluster, a < b
	double similarity;  // estimated
};

struct RemovalCluster {
	std::vector<std::uint32_t> rows; // numbers of rows, those shown first
	std::size_t shown;               // rows in the picture
	std::vector<ClusterEdge> edges;  // between rows that are shown, from least_edge on
};

constexpr std::size_t picture_rows = 40; // of a larger cluster, those with most neighbours are shown
constexpr double least_edge = 0.4;

// Rows are numbered from 0; links are pairs of them. Clusters of at least three rows, the largest first.
struct RowLink {
	std::uint32_t a, b;
};
std::vector<RemovalCluster> removal_clusters(
	std::span<const PictureSketch> rows, std::span<const RowLink> links, StopToken stop = {});

} // namespace txtfp::core
