#include "core/shq64_projection.hpp"

#include <algorithm>
#include <cstring>

#include "core/base/cpu.hpp"
#include "core/normal_random.hpp"

namespace txtfp::core {

namespace projection { // not anonymous, because the cache's class has members of these types

// Planes whose sums stay in registers, in vectors of 32 bytes.
constexpr std::size_t block = 32;

constexpr std::size_t numbers_between_checks = 1 << 14;

constexpr std::size_t blocks_of(std::size_t planes) noexcept { return (planes + block - 1) / block; }

template <class Number> constexpr Number coordinate(std::uint8_t byte) noexcept
{
	return (static_cast<Number>(byte) - 128) / 128;
}

// rows: `block` numbers for each coordinate. sums[k] = Σ coordinate · number, from the first coordinate on.
template <class Number>
TXTFP_KERNEL void add_block(const std::uint8_t *bytes, std::size_t count, const Number *rows, Number *sums) noexcept
{
	constexpr std::size_t width = 32 / sizeof(Number), vectors = block / width;
	typedef Number Vector __attribute__((vector_size(32)));
	Vector acc[vectors] = {};
	for (std::size_t i = 0; i < count; ++i, rows += block) {
		const Number x = coordinate<Number>(bytes[i]);
#pragma GCC unroll 8
		for (std::size_t k = 0; k < vectors; ++k) {
			Vector numbers;
			std::memcpy(&numbers, rows + k * width, sizeof numbers);
			acc[k] += x * numbers;
		}
	}
	std::memcpy(sums, acc, sizeof acc);
}

TXTFP_KERNEL void add_floats(const std::uint8_t *bytes, std::size_t count, const float *rows, float *sums) noexcept
{
	add_block(bytes, count, rows, sums);
}

TXTFP_KERNEL void add_doubles(const std::uint8_t *bytes, std::size_t count, const double *rows, double *sums) noexcept
{
	add_block(bytes, count, rows, sums);
}

void sum_block(std::span<const std::uint8_t> bytes, const float *rows, float *sums) noexcept
{
	dispatch<add_floats>(simd_level(), bytes.data(), bytes.size(), rows, sums);
}

void sum_block(std::span<const std::uint8_t> bytes, const double *rows, double *sums) noexcept
{
	dispatch<add_doubles>(simd_level(), bytes.data(), bytes.size(), rows, sums);
}

void set_plane(std::span<std::uint8_t> bits, std::size_t plane) noexcept
{
	bits[plane / 8] |= static_cast<std::uint8_t>(0x80 >> plane % 8);
}

// fn(number) for each number of a matrix, row by row.
template <class Normal, class Fn> void draw(const ProjectionShape &shape, StopToken stop, Fn fn)
{
	Normal random(shape.seed);
	for (std::size_t left = shape.planes * shape.coordinates; left > 0;) {
		const std::size_t n = std::min(left, numbers_between_checks);
		for (std::size_t i = 0; i < n; ++i)
			fn(random());
		left -= n;
		stop.check();
	}
}

// A matrix in blocks of planes, transposed: block · coordinates numbers for each, those of one coordinate together.
template <class Normal> struct Blocks {
	using Number = typename Normal::Number;

	std::vector<Number> numbers;

	Blocks(const ProjectionShape &shape, StopToken stop) : numbers(blocks_of(shape.planes) * block * shape.coordinates)
	{
		std::size_t plane = 0, i = 0;
		draw<Normal>(shape, stop, [&](Number number) {
			numbers[(plane / block * shape.coordinates + i) * block + plane % block] = number;
			if (++i == shape.coordinates) {
				i = 0;
				++plane;
			}
		});
	}

	void project(std::size_t planes, std::span<const std::uint8_t> bytes, std::span<std::uint8_t> bits) const noexcept
	{
		Number sums[block];
		for (std::size_t first = 0; first < planes; first += block) {
			sum_block(bytes, numbers.data() + first * bytes.size(), sums);
			for (std::size_t plane = first; plane < std::min(planes, first + block); ++plane)
				if (sums[plane - first] > 0)
					set_plane(bits, plane);
		}
	}
};

// The definition, without the matrix in memory. It is also the reference for Blocks in the tests.
template <class Normal>
void project_by_rows(
	const ProjectionShape &shape, std::span<const std::uint8_t> bytes, std::span<std::uint8_t> bits, StopToken stop)
{
	using Number = typename Normal::Number;
	std::size_t plane = 0, i = 0;
	Number sum = 0;
	draw<Normal>(shape, stop, [&](Number number) {
		sum += coordinate<Number>(bytes[i]) * number;
		if (++i == bytes.size()) {
			if (sum > 0)
				set_plane(bits, plane);
			++plane;
			i = 0;
			sum = 0;
		}
	});
}

} // namespace projection

using namespace projection;

struct ProjectionCache::Matrix {
	ProjectionShape shape;
	std::unique_ptr<Blocks<RustNormal>> rust; // the one of the shape's form
	std::unique_ptr<Blocks<NumpyNormal>> numpy;

	static std::size_t bytes_of(const ProjectionShape &shape) noexcept
	{
		const std::size_t number = shape.form == ProjectionForm::rust ? sizeof(float) : sizeof(double);
		return blocks_of(shape.planes) * block * shape.coordinates * number;
	}
};

ProjectionCache::ProjectionCache(std::size_t max_bytes) noexcept : max_bytes_(max_bytes) {}
ProjectionCache::~ProjectionCache() = default;

void ProjectionCache::make_room(std::size_t bytes)
{
	std::size_t drop = 0;
	for (; drop < matrices_.size() && used_bytes_ + bytes > max_bytes_; ++drop)
		used_bytes_ -= Matrix::bytes_of(matrices_[drop]->shape);
	matrices_.erase(matrices_.begin(), matrices_.begin() + static_cast<std::ptrdiff_t>(drop));
}

const ProjectionCache::Matrix &ProjectionCache::matrix(const ProjectionShape &shape, StopToken stop)
{
	const auto same = [&](const std::unique_ptr<Matrix> &matrix) { return matrix->shape == shape; };
	const auto at = std::find_if(matrices_.begin(), matrices_.end(), same);
	if (at != matrices_.end()) {
		std::rotate(at, at + 1, matrices_.end());
		return *matrices_.back();
	}
	const std::size_t bytes = Matrix::bytes_of(shape);
	make_room(bytes);
	auto made = std::make_unique<Matrix>();
	made->shape = shape;
	if (shape.form == ProjectionForm::rust)
		made->rust = std::make_unique<Blocks<RustNormal>>(shape, stop);
	else
		made->numpy = std::make_unique<Blocks<NumpyNormal>>(shape, stop);
	matrices_.push_back(std::move(made));
	used_bytes_ += bytes;
	return *matrices_.back();
}

void ProjectionCache::project(
	const ProjectionShape &shape, std::span<const std::uint8_t> bytes, std::span<std::uint8_t> bits, StopToken stop)
{
	std::fill(bits.begin(), bits.end(), 0);
	if (bytes.empty())
		return;
	const bool rust = shape.form == ProjectionForm::rust;
	if (Matrix::bytes_of(shape) > max_bytes_) {
		(rust ? project_by_rows<RustNormal> : project_by_rows<NumpyNormal>) (shape, bytes, bits, stop);
		return;
	}
	const Matrix &known = matrix(shape, stop);
	if (rust)
		known.rust->project(shape.planes, bytes, bits);
	else
		known.numpy->project(shape.planes, bytes, bits);
}

} // namespace txtfp::core
