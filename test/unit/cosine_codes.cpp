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

using Vectors = std::vector<std::vector<float>>;

struct Codes {
	std::vector<double> matrices;
	std::vector<std::uint32_t> order;
	std::vector<std::uint8_t> bytes;
	CosineCodes codes{};
};

enum class Turned { no, yes };

Codes encoded(const Vectors &vectors, std::size_t stages, Turned turned)
{
	const std::size_t dimension = vectors[0].size();
	Codes made;
	std::vector<double> energy(dimension), unit(dimension);
	const auto for_each_unit = [&](auto fn) {
		for (const auto &vector : vectors) {
			make_unit_vector(vector, l2_norm(vector), unit.data());
			fn();
		}
	};
	if (turned == Turned::yes) {
		made.matrices.resize(PrincipalAxes::memory_of(dimension));
		PrincipalAxes axes(dimension, made.matrices.data());
		for (int round = 0; round < PrincipalAxes::rounds; ++round) {
			axes.begin_round();
			for_each_unit([&] { axes.add(unit.data()); });
			axes.end_round();
		}
		made.codes.axes = axes;
	}
	for_each_unit([&] {
		made.codes.axes.turn(unit);
		for (std::size_t i = 0; i < dimension; ++i)
			energy[i] += unit[i] * unit[i];
	});
	made.order.resize(dimension);
	order_by_energy(energy, made.order);
	CosineCodes &codes = made.codes;
	codes.stages = stages;
	codes.tiles = CosineCodes::tiles_of(vectors.size());
	made.bytes.resize(codes.stages * codes.tiles * CosineCodes::stage_bytes);
	codes.order = made.order;
	codes.bytes = made.bytes.data();
	for (std::size_t tile = 0; tile < codes.tiles; ++tile)
		codes.clear_tile(tile);
	for (std::size_t i = 0; i < vectors.size(); ++i)
		encode_cosine(codes, vectors[i], l2_norm(vectors[i]), unit, i);
	return made;
}

struct Found {
	std::vector<std::vector<std::uint32_t>> of; // candidates of each row
	bool operator==(const Found &) const = default;
};

Found candidates(const CosineCodes &codes, std::size_t rows, float threshold, SimdLevel level)
{
	Found found{std::vector<std::vector<std::uint32_t>>(rows)};
	std::vector<CosineCandidate> out(codes.tiles * cosine_tile * cosine_tile);
	for (std::size_t x = 0; x < codes.tiles; ++x) {
		out.resize(out.capacity());
		out.resize(cosine_candidates(codes, x, 0, codes.tiles, threshold, out.data(), level));
		for (const CosineCandidate &pair : out)
			if (std::max(pair.x, pair.y) < rows)
				found.of[pair.x].push_back(pair.y);
	}
	for (auto &row : found.of)
		std::sort(row.begin(), row.end());
	return found;
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
Vectors random_vectors(std::size_t count, std::size_t dimension, std::uint64_t seed)
{
	SplitMix64 random(seed);
	const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; };
	Vectors vectors(count, std::vector<float>(dimension));
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

void check_none_is_missing(
	const std::vector<std::vector<double>> &cosines, std::size_t dimension, const CosineCodes &codes, float threshold)
{
	const std::string what = std::to_string(dimension) + " " + std::to_string(threshold);
	// What the join subtracts for rounding
	const float least = threshold - 2 * static_cast<float>(cosine_margin(dimension)) - 1e-4f;
	const Found found = candidates(codes, cosines.size(), least, SimdLevel::baseline);
	std::size_t missing = 0;
	for (std::size_t i = 0; i < cosines.size(); ++i)
		for (std::uint32_t j = 0; j < cosines.size(); ++j)
			missing += cosines[i][j] >= threshold && !std::binary_search(found.of[i].begin(), found.of[i].end(), j);
	CHECK_EQ(missing, 0u, what);
	for (const SimdLevel level : usable_simd_levels())
		CHECK_EQ(candidates(codes, cosines.size(), least, level) == found, true, what + " " + name(level));
}

} // namespace

TEST(cosine_codes_exclude_no_similar_pair)
{
	for (const std::size_t dimension : {1u, 3u, 63u, 64u, 65u, 384u, 700u}) {
		const Vectors vectors = random_vectors(txtfp::test::by_length(200, 88), dimension, dimension);
		std::vector<std::vector<double>> cosines(vectors.size());
		for (std::size_t i = 0; i < vectors.size(); ++i)
			for (const auto &other : vectors)
				cosines[i].push_back(cosine(vectors[i], other));
		for (std::size_t stages = 1; stages <= CosineCodes::stages_of(dimension); stages += 2)
			for (const Turned turned : {Turned::no, Turned::yes}) {
				const Codes made = encoded(vectors, stages, turned);
				for (const float threshold : {0.3f, 0.9f, 0.99f, 1.0f})
					check_none_is_missing(cosines, dimension, made.codes, threshold);
			}
	}
}

TEST(cosine_codes_exclude_most_other_pairs)
{
	const Vectors vectors = random_vectors(400, 384, 1);
	std::size_t similar = 0;
	for (const auto &vector : vectors)
		for (const auto &other : vectors)
			similar += cosine(vector, other) >= 0.95;
	CHECK_EQ(similar > 400, true, std::to_string(similar));
	for (const Turned turned : {Turned::no, Turned::yes}) {
		const Codes made = encoded(vectors, 6, turned);
		std::size_t found = 0;
		for (const auto &row : candidates(made.codes, vectors.size(), 0.95f, simd_level()).of)
			found += row.size();
		CHECK_EQ(
			found < 2 * similar, true, std::to_string(found) + " candidates, " + std::to_string(similar) + " similar");
	}
}

TEST(cosine_codes_of_extreme_vectors)
{
	const float huge = std::numeric_limits<float>::max(), tiny = std::numeric_limits<float>::denorm_min();
	const Vectors vectors = {{huge, huge}, {0, tiny}, {tiny, 0}, {1, 0}, {1e-18f, 0}, {-1, 0}, {huge, 0}, {tiny, tiny}};
	for (const Turned turned : {Turned::no, Turned::yes}) {
		const Codes made = encoded(vectors, 1, turned);
		const std::vector<std::uint32_t> right = {2, 3, 4, 6}, diagonal = {0, 7};
		for (const SimdLevel level : usable_simd_levels()) {
			const Found found = candidates(made.codes, vectors.size(), 0.9f, level);
			for (const std::uint32_t row : right)
				CHECK_EQ(found.of[row] == right, true, name(level), row);
			for (const std::uint32_t row : diagonal)
				CHECK_EQ(found.of[row] == diagonal, true, name(level), row);
		}
	}
}

TEST(principal_axes_keep_products)
{
	for (const std::size_t dimension : {1u, 2u, 63u, 64u, 100u, 384u}) {
		const Vectors vectors =
			random_vectors(dimension == 100 ? 3 : 300, dimension, dimension); // 3: not enough for all axes
		const Codes made = encoded(vectors, 1, Turned::yes);
		std::vector<double> a(dimension), b(dimension);
		double worst = 0;
		for (std::size_t i = 0; i + 1 < vectors.size(); i += 3) {
			make_unit_vector(vectors[i], l2_norm(vectors[i]), a.data());
			make_unit_vector(vectors[i + 1], l2_norm(vectors[i + 1]), b.data());
			double before = 0, after = 0;
			for (std::size_t k = 0; k < dimension; ++k)
				before += a[k] * b[k];
			made.codes.axes.turn(a);
			made.codes.axes.turn(b);
			for (std::size_t k = 0; k < dimension; ++k)
				after += a[k] * b[k];
			worst = std::max(worst, std::abs(before - after));
		}
		CHECK_EQ(worst < 1e-12, true, std::to_string(dimension) + ": " + std::to_string(worst));
	}
}

// Vectors that have fewer directions than there are axes, the same one or the elements of the first ones
TEST(principal_axes_of_few_directions)
{
	const std::size_t dimension = 100;
	for (const std::size_t directions : {1u, 2u}) {
		Vectors vectors(20, std::vector<float>(dimension));
		for (std::size_t i = 0; i < vectors.size(); ++i)
			vectors[i][i % directions] = static_cast<float>(1 + i);
		const Codes made = encoded(vectors, 1, Turned::yes);
		std::vector<double> a(dimension), b(dimension);
		for (std::size_t k = 0; k < dimension; ++k)
			a[k] = b[k] = 0.1;
		b[0] = -0.1;
		double before = 0, after = 0, length = 0;
		for (std::size_t k = 0; k < dimension; ++k)
			before += a[k] * b[k];
		made.codes.axes.turn(a);
		made.codes.axes.turn(b);
		for (std::size_t k = 0; k < dimension; ++k) {
			after += a[k] * b[k];
			length += a[k] * a[k];
		}
		CHECK_EQ(std::abs(before - after) < 1e-12 && std::abs(length - 1) < 1e-12, true, directions, after, length);
	}
}

TEST(energy_orders_the_elements)
{
	const std::vector<double> energy = {1, 3, 1, 0, 3, 2};
	std::vector<std::uint32_t> order(energy.size());
	order_by_energy(energy, order);
	CHECK_EQ(order == std::vector<std::uint32_t>({1, 4, 5, 0, 2, 3}), true);
}

// Vectors of which 70 directions have nearly all, and no element has more than another
TEST(principal_axes_come_first)
{
	const std::size_t dimension = txtfp::test::by_length(384, 160), rank = 70;
	const Vectors directions = random_vectors(rank, dimension, 5);
	SplitMix64 random(6);
	Vectors vectors(txtfp::test::by_length(500, 250), std::vector<float>(dimension));
	for (auto &vector : vectors)
		for (std::size_t i = 0; i < rank; ++i) {
			const double factor = (static_cast<double>(random() >> 11) * 0x1p-52 - 1) / (i < 60 ? 1 : 100);
			for (std::size_t k = 0; k < dimension; ++k)
				vector[k] += static_cast<float>(factor * directions[i][k] / l2_norm(directions[i]));
		}
	const Codes made = encoded(vectors, 1, Turned::yes);
	std::vector<double> unit(dimension);
	double most_left = 0;
	for (const auto &vector : vectors) {
		make_unit_vector(vector, l2_norm(vector), unit.data());
		made.codes.axes.turn(unit);
		double left = 0;
		for (std::size_t k = PrincipalAxes::most; k < dimension; ++k)
			left += unit[k] * unit[k];
		most_left = std::max(most_left, left);
	}
	CHECK_EQ(most_left < 1e-3, true, std::to_string(most_left));
}
