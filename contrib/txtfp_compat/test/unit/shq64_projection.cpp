#include "core/shq64_projection.hpp"

#include <bit>
#include <cmath>
#include <random>
#include <string>

#include "core/normal_random.hpp"
#include "core/shq64.hpp"
#include "unit/check.hpp"
#include "unit/data.hpp"
#include "unit/generated.hpp"
#include "unit/stop.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t no_cache = 0, large_cache = std::size_t{1} << 24;

std::string code(ProjectionCache &cache, const ProjectionShape &shape, const Bytes &bytes)
{
	Bytes bits((shape.planes + 7) / 8, 0xEE);
	cache.project(shape, bytes, bits);
	std::string text(2 * bits.size(), '?');
	q64_encode(bits, text.data());
	return text;
}

void check_code(const ProjectionShape &shape, const Bytes &bytes, const std::string &expected, const std::string &name)
{
	ProjectionCache by_rows(no_cache), kept(large_cache);
	CHECK_EQ(code(by_rows, shape, bytes), expected, name, shape.planes);
	CHECK_EQ(by_rows.size(), 0);
	CHECK_EQ(code(kept, shape, bytes), expected, name, shape.planes);
	CHECK_EQ(code(kept, shape, bytes), expected, name, shape.planes, "again");
	CHECK_EQ(kept.size(), bytes.empty() ? 0 : 1);
}

} // namespace

TEST(shq64_projection_vectors)
{
	unsigned rust = 0, numpy = 0;
	for (const Row &row : table("shq64_projection.tsv")) {
		const Bytes bytes = described_bytes(row["input"]);
		const auto planes = static_cast<std::size_t>(row.number("planes"));
		const std::uint64_t seed = std::stoull(row["seed"]);
		if (!row.is_null("rust")) {
			check_code({ProjectionForm::rust, seed, planes, bytes.size()}, bytes, row["rust"], row["name"]);
			++rust;
		}
		if (!row.is_null("numpy")) {
			check_code({ProjectionForm::numpy, seed, planes, bytes.size()}, bytes, row["numpy"], row["name"]);
			++numpy;
		}
	}
	CHECK_EQ(rust, 36);
	CHECK_EQ(numpy, 65);
}

// The expected numbers were traced in the original libraries.
TEST(shq64_projection_generators)
{
	ChaCha8 words(42);
	for (const auto expected : std::initializer_list<std::uint64_t>{0xae90bfb5395d5ba1, 0xf3453fc625799188,
			 0x6d71b708c5b6538c, 0xa09ab2f958166752, 0x49e149d8bcb642b0, 0x2663b45ba45d829e, 0x4edbbf0150871314,
			 0xcdca9b0d2a122884, 0xc5708f62a0ce0c00})
		CHECK_EQ(words(), expected);
	RustNormal doubles(42);
	for (const auto expected :
		std::initializer_list<std::uint64_t>{0x3fde973e9eb46e17, 0x3ff5585a6c98018c, 0xbfcafdadf23b8743,
			0x3fde7c77ced3c827, 0xbfe0630bdf4a397e, 0xbfede326c5e9a8ab, 0xbff009bd59ace555, 0x3fed554ed13c674b})
		CHECK_EQ(std::bit_cast<std::uint64_t>(doubles.draw()), expected);
	RustNormal floats(42);
	double sum = 0, greatest = 0;
	float at_1000 = 0, last = 0;
	for (int i = 0; i < 200000; ++i) { // 200 of them are in the tail
		last = floats();
		sum += last;
		greatest = std::max<double>(greatest, std::fabs(last));
		if (i == 1000)
			at_1000 = last;
	}
	CHECK_EQ(std::bit_cast<std::uint32_t>(at_1000), 0xbe035805U);
	CHECK_EQ(std::bit_cast<std::uint32_t>(last), 0x3fd28ccdU);
	CHECK_EQ(sum, 321.7787846795329);
	CHECK_EQ(static_cast<float>(greatest), 4.6634345f);
	NumpyNormal numpy(42);
	for (const double expected : {0.30471707975443135, -1.0399841062404955, 0.7504511958064572, 0.9405647163912139,
			 -1.9510351886538364, -1.302179506862318, 0.12784040316728537, -0.3162425923435822})
		CHECK_EQ(numpy(), expected);
	double numpy_sum = 0;
	for (int i = 8; i < 200000; ++i)
		numpy_sum += last = static_cast<float>(numpy());
	CHECK_EQ(numpy_sum, -149.08005718446293);
}

// Rows are the same in matrices of more planes, and a code of fewer planes is the beginning of a longer one.
TEST(shq64_projection_prefixes)
{
	std::mt19937_64 random(9);
	for (const ProjectionForm form : {ProjectionForm::rust, ProjectionForm::numpy})
		for (const std::size_t size : {1, 3, 43, 200}) {
			const Bytes bytes = generated_bytes(random(), size);
			ProjectionCache cache(large_cache);
			const std::string longest = code(cache, {form, 42, 136, size}, bytes);
			for (std::size_t planes = 8; planes < 136; planes += 8)
				CHECK_EQ(code(cache, {form, 42, planes, size}, bytes), longest.substr(0, planes / 4), size, planes);
		}
}

TEST(shq64_projection_of_nothing)
{
	ProjectionCache cache(large_cache);
	for (const ProjectionForm form : {ProjectionForm::rust, ProjectionForm::numpy})
		for (const Bytes &bytes : {Bytes{}, Bytes(50, 128)})
			CHECK_EQ(code(cache, {form, 42, 64, bytes.size()}, bytes), "AQgwAQgwAQgwAQgw");
}

// Matrices of 64 planes and n bytes take 256 · n bytes as floats and twice as much as doubles.
TEST(shq64_projection_cache)
{
	ProjectionCache cache(100 * 256);
	const auto use = [&](ProjectionForm form, std::uint64_t seed, std::size_t size) {
		ProjectionCache fresh(no_cache);
		const Bytes bytes = generated_bytes(size, size);
		CHECK_EQ(code(cache, {form, seed, 64, size}, bytes), code(fresh, {form, seed, 64, size}, bytes), size);
	};
	use(ProjectionForm::rust, 42, 40);
	use(ProjectionForm::rust, 42, 40);
	CHECK_EQ(cache.size(), 1);
	CHECK_EQ(cache.used_bytes(), 40 * 256);
	use(ProjectionForm::numpy, 42, 20);
	use(ProjectionForm::numpy, 43, 10);
	CHECK_EQ(cache.size(), 3);
	CHECK_EQ(cache.used_bytes(), 100 * 256);
	use(ProjectionForm::rust, 42, 40); // the one of 20 is now the oldest
	use(ProjectionForm::rust, 42, 1);
	CHECK_EQ(cache.size(), 3);
	CHECK_EQ(cache.used_bytes(), 61 * 256);
	use(ProjectionForm::rust, 42, 101); // too large to be kept: nothing is dropped
	CHECK_EQ(cache.size(), 3);
	use(ProjectionForm::rust, 42, 100);
	CHECK_EQ(cache.size(), 1);
	CHECK_EQ(cache.used_bytes(), 100 * 256);
}

TEST(shq64_projection_can_be_stopped)
{
	const Bytes bytes(1000, 1);
	for (const std::size_t max_bytes : {no_cache, large_cache}) {
		ProjectionCache cache(max_bytes);
		Bytes bits(8);
		const ProjectionShape shape{ProjectionForm::rust, 42, 64, bytes.size()};
		CHECK_EQ(is_cancelled([&] { cache.project(shape, bytes, bits, stop_at_once); }), true);
		CHECK_EQ(cache.size(), 0);
		CHECK_EQ(cache.used_bytes(), 0);
		cache.project(shape, bytes, bits);
		CHECK_EQ(cache.size(), max_bytes == no_cache ? 0 : 1);
	}
}
