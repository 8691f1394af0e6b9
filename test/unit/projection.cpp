// SimHash of embeddings: frozen bits, its definition, and the angles that it estimates.
#include "core/embedding/projection.hpp"

#include <bit>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "unit/check.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Floats = std::vector<float>;

constexpr std::uint64_t default_seed = 828927532781;

std::uint64_t projected(const Floats &v, std::uint64_t seed = default_seed)
{
	std::uint64_t bits = 0;
	CHECK_EQ(project(v, seed, {}, bits), true);
	return bits;
}

std::uint64_t by_definition(const Floats &v, std::uint64_t seed)
{
	std::vector<std::vector<int>> coefficients(v.size(), std::vector<int>(64));
	SplitMix64 random(seed);
	for (auto &row : coefficients)
		for (int &c : row)
			c = std::popcount(random()) - 32;
	std::uint64_t bits = 0;
	for (std::size_t bit = 0; bit < 64; ++bit) {
		double sum = 0;
		for (std::size_t i = 0; i < v.size(); ++i)
			sum += static_cast<double>(v[i]) * coefficients[i][bit];
		bits |= std::uint64_t{sum > 0} << bit;
	}
	return bits;
}

Floats random_vector(std::mt19937_64 &random, std::size_t dimension)
{
	std::normal_distribution<float> normal;
	Floats out(dimension);
	for (float &x : out)
		x = normal(random);
	return out;
}

Floats ramp(std::size_t dimension)
{
	Floats out(dimension);
	for (std::size_t i = 0; i < dimension; ++i)
		out[i] = static_cast<float>(static_cast<int>(i * 37 % 101) - 50) / 8;
	return out;
}

} // namespace

// Released fingerprints never change.
TEST(projection_frozen)
{
	CHECK_EQ(projected({1}), 0x890E8AC91E787996ull);
	CHECK_EQ(projected(ramp(3)), 0x06A21536E1078EEBull);
	CHECK_EQ(projected(ramp(384)), 0xD6C23AD19672BAC8ull);
	CHECK_EQ(projected(ramp(1536)), 0xF740501595FFBEDAull);
	CHECK_EQ(projected(ramp(384), 0), 0x6961FB02BC4D54AEull);
}

TEST(projection_is_its_definition)
{
	std::mt19937_64 random(1);
	for (const std::size_t dimension : {1, 2, 3, 7, 63, 64, 65, 100, 384, 1000}) {
		const Floats v = random_vector(random, dimension);
		std::vector<float> known(dimension * projection_bits);
		SplitMix64 coefficients(dimension);
		fill_projection(coefficients, known);
		std::uint64_t bits = 0;
		CHECK_EQ(project(v, dimension, known, bits), true);
		CHECK_EQ(bits, by_definition(v, dimension), dimension);
		CHECK_EQ(projected(v, dimension), bits, dimension);
	}
}

TEST(projection_of_scaled_vectors)
{
	const Floats v = ramp(100);
	for (const float scale : {0x1p-100f, 0.5f, 0x1p+100f}) {
		Floats scaled = v, opposite = v;
		for (std::size_t i = 0; i < v.size(); ++i) {
			scaled[i] *= scale;
			opposite[i] *= -scale;
		}
		CHECK_EQ(projected(scaled), projected(v), scale);
		CHECK_EQ(projected(opposite), ~projected(v), scale);
	}
	std::uint64_t bits = 0;
	CHECK_EQ(project(Floats(5), 1, {}, bits), false);
	CHECK_EQ(project(Floats{0, -0.0f}, 1, {}, bits), false);
	CHECK_EQ(project(Floats(200, 3e38f), 1, {}, bits), true); // no overflow in double precision
}

// b has the length of a and this angle to it, in the plane of a and `other`.
Floats turned(const Floats &a, const Floats &other, double angle)
{
	double aa = 0, ao = 0, rr = 0;
	for (std::size_t i = 0; i < a.size(); ++i) {
		aa += static_cast<double>(a[i]) * a[i];
		ao += static_cast<double>(a[i]) * other[i];
	}
	std::vector<double> right(a.size());
	for (std::size_t i = 0; i < a.size(); ++i) {
		right[i] = other[i] - ao / aa * a[i];
		rr += right[i] * right[i];
	}
	Floats b(a.size());
	for (std::size_t i = 0; i < a.size(); ++i)
		b[i] = static_cast<float>(std::cos(angle) * a[i] + std::sin(angle) * std::sqrt(aa / rr) * right[i]);
	return b;
}

// Vectors at an angle θ differ in 64·θ/π bits on average, also in few dimensions.
TEST(projection_estimates_angles)
{
	constexpr int rounds = 600;
	std::mt19937_64 random(2);
	for (const std::size_t dimension : {2, 3, 8, 100})
		for (const double angle : {0.2, 0.5, 1.0, 1.5, 2.5}) {
			double bits = 0;
			for (std::uint64_t seed = 0; seed < rounds; ++seed) {
				const Floats a = random_vector(random, dimension);
				const Floats b = turned(a, random_vector(random, dimension), angle);
				bits += std::popcount(projected(a, seed) ^ projected(b, seed));
			}
			const double share = bits / (64.0 * rounds);
			CHECK_EQ(std::abs(share - angle / std::numbers::pi) < 0.012, true, dimension, angle, share);
		}
}

TEST(projection_radius_values)
{
	CHECK_EQ(projection_radius(1, 0.99), 0);
	CHECK_EQ(projection_radius(-1, 0.99), 64);
	CHECK_EQ(projection_radius(0, 0.5), 32);
	CHECK_EQ(projection_radius(0.95, 0), 0);
	int last = 64;
	for (double similarity = -1; similarity <= 1; similarity += 0.05) {
		const int radius = projection_radius(similarity, 0.99);
		CHECK_EQ(radius <= last, true, similarity);
		last = radius;
	}
}
