// The codes against their definition: no pair of cosine ≥ threshold may be excluded, whatever the vectors are, and
// every level of the vector units finds the same candidates.
#include "core/embedding/cosine_codes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/splitmix.hpp"
#include "unit/check.hpp"

using namespace txtfp::core;

namespace {

struct Codes {
	std::vector<std::uint32_t> order;
	CosineLayout layout;
	std::vector<std::uint8_t> tiles;
	std::size_t tile_count;
};

Codes encoded(const std::vector<std::vector<float>> &vectors, std::size_t stages)
{
	const std::size_t dimension = vectors[0].size();
	std::vector<double> energy(dimension);
	for (const auto &vector : vectors)
		for (std::size_t i = 0; i < dimension; ++i)
			energy[i] += std::isfinite(vector[i] * vector[i]) ? double{vector[i]} * vector[i] : 0;
	Codes codes{std::vector<std::uint32_t>(dimension), {}, {}, (vectors.size() + cosine_tile - 1) / cosine_tile};
	order_by_energy(energy, codes.order);
	codes.layout = {codes.order, stages};
	codes.tiles.resize(codes.tile_count * codes.layout.tile_bytes());
	for (std::size_t i = 0; i < vectors.size(); ++i)
		encode_cosine(codes.layout, vectors[i], l2_norm(vectors[i]),
			codes.tiles.data() + i / cosine_tile * codes.layout.tile_bytes(), i % cosine_tile);
	return codes;
}

std::vector<std::uint32_t> candidates(const Codes &codes, std::size_t query_row, float threshold, SimdLevel level)
{
	std::vector<std::int32_t> groups(codes.layout.stages * 16), offsets(codes.layout.stages);
	std::vector<float> rest(codes.layout.stages);
	CosineQuery query{groups.data(), offsets.data(), rest.data(), 0, 0};
	load_cosine_query(codes.layout, codes.tiles.data() + query_row / cosine_tile * codes.layout.tile_bytes(),
		query_row % cosine_tile, query);
	std::vector<std::uint32_t> out(codes.tile_count * cosine_tile);
	out.resize(
		cosine_candidates(codes.layout, query, codes.tiles.data(), codes.tile_count, threshold, out.data(), level));
	return out;
}

double cosine(const std::vector<float> &a, const std::vector<float> &b)
{
	double dot = 0, aa = 0, bb = 0;
	for (std::size_t i = 0; i < a.size(); ++i) {
		dot += double{a[i]} * b[i];
		aa += double{a[i]} * a[i];
		bb += double{b[i]} * b[i];
	}
	return dot / std::sqrt(aa * bb);
}

// Families of vectors around common directions, of very different lengths and with a few elements that are much larger
// than the others
std::vector<std::vector<float>> random_vectors(std::size_t count, std::size_t dimension, std::uint64_t seed)
{
	SplitMix64 random(seed);
	const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; };
	std::vector<std::vector<float>> vectors(count, std::vector<float>(dimension));
	std::vector<double> centre(dimension);
	for (std::size_t i = 0; i < count; ++i) {
		const double spread = 0.1 * static_cast<double>(i % 8), length = std::pow(10, static_cast<double>(i % 7) - 3);
		for (std::size_t j = 0; j < dimension; ++j) {
			if (i % 8 == 0)
				centre[j] = uniform() * (j % 50 == 7 ? 6 : 1);
			vectors[i][j] = static_cast<float>((centre[j] + spread * uniform()) * length);
		}
	}
	return vectors;
}

} // namespace

TEST(cosine_codes_exclude_no_similar_pair)
{
	for (const std::size_t dimension : {1u, 3u, 63u, 64u, 65u, 384u, 700u}) {
		const auto vectors = random_vectors(txtfp::test::by_length(200, 100), dimension, dimension);
		for (std::size_t stages = 1; stages <= CosineLayout::stages_of(dimension); stages += 2) {
			const Codes codes = encoded(vectors, stages);
			for (const float threshold : {0.3f, 0.9f, 0.99f, 1.0f}) {
				std::size_t missing = 0, different = 0;
				for (std::size_t i = 0; i < vectors.size(); ++i) {
					// What the join subtracts for rounding
					const float least = threshold - 2 * static_cast<float>(cosine_margin(dimension)) - 1e-4f;
					const auto found = candidates(codes, i, least, SimdLevel::baseline);
					for (std::uint32_t j = 0; j < vectors.size(); ++j)
						missing += cosine(vectors[i], vectors[j]) >= threshold &&
							std::find(found.begin(), found.end(), j) == found.end();
					for (const SimdLevel level : usable_simd_levels())
						different += candidates(codes, i, least, level) != found;
				}
				CHECK_EQ(missing, 0u, std::to_string(dimension) + " " + std::to_string(threshold));
				CHECK_EQ(different, 0u, std::to_string(dimension) + " " + std::to_string(threshold));
			}
		}
	}
}

TEST(cosine_codes_exclude_most_other_pairs)
{
	const auto vectors = random_vectors(400, 384, 1);
	const Codes codes = encoded(vectors, 6);
	std::size_t found = 0, similar = 0;
	for (std::size_t i = 0; i < vectors.size(); ++i) {
		found += candidates(codes, i, 0.95f, simd_level()).size();
		for (const auto &other : vectors)
			similar += cosine(vectors[i], other) >= 0.95;
	}
	CHECK_EQ(similar > 400, true, std::to_string(similar));
	CHECK_EQ(found < 2 * similar, true, std::to_string(found) + " candidates, " + std::to_string(similar) + " similar");
}

TEST(cosine_codes_of_extreme_vectors)
{
	const float huge = std::numeric_limits<float>::max(), tiny = std::numeric_limits<float>::denorm_min();
	const std::vector<std::vector<float>> vectors = {{huge, huge}, {0, 0}, {tiny, 0}, {1, 0}, {1e-18f, 0}, {-1, 0}};
	const Codes codes = encoded(vectors, 1);
	for (const SimdLevel level : usable_simd_levels()) {
		const auto found = candidates(codes, 3, 0.9f, level);
		CHECK_EQ(std::count(found.begin(), found.end(), 0u), 0);
		CHECK_EQ(std::count(found.begin(), found.end(), 4u), 1);
		CHECK_EQ(std::count(found.begin(), found.end(), 5u), 0);
	}
}
