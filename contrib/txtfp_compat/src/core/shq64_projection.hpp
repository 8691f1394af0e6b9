// Shq64 by random projection, bit by bit as uubed makes it. Every byte is a coordinate, (byte − 128) / 128; bit j of
// the result is set if the dot product with row j of a matrix of normal numbers is greater than 0. The matrix is filled
// row by row from a fresh generator.
//   rust   uubed's native module: RustNormal with seed 42, sums of floats in the order of the coordinates
//   numpy  its Python fallback: NumpyNormal with any seed, the same in doubles
// The two give different codes, and codes of different forms, seeds, or numbers of bytes must not be compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/error.hpp"

namespace txtfp::core {

enum class ProjectionForm : std::uint8_t { rust, numpy };

constexpr std::uint64_t shq64_projection_seed = 42; // the only one of the form rust
constexpr std::size_t max_projection_planes = 8192;

struct ProjectionShape {
	ProjectionForm form;
	std::uint64_t seed;
	std::size_t planes, coordinates;
	bool operator==(const ProjectionShape &) const = default;
};

// A matrix costs many times what a projection does: it takes some 30 ns a number to make, and a tenth of one to use. So
// those of the shapes that were used last are kept, up to max_bytes in all. A greater one is made row by row in every
// call.
class ProjectionCache {
public:
	explicit ProjectionCache(std::size_t max_bytes) noexcept;
	~ProjectionCache();
	ProjectionCache(const ProjectionCache &) = delete;

	// `bytes`: shape.coordinates of them. `bits`: ⌈planes / 8⌉ bytes, plane 0 in the highest bit of the first, the last
	// bits zero.
	void project(const ProjectionShape &shape, std::span<const std::uint8_t> bytes, std::span<std::uint8_t> bits,
		StopToken stop = {});

	std::size_t size() const noexcept { return matrices_.size(); } // number of matrices
	std::size_t used_bytes() const noexcept { return used_bytes_; }

private:
	struct Matrix;
	const Matrix &matrix(const ProjectionShape &shape, StopToken stop);
	void make_room(std::size_t bytes);

	std::size_t max_bytes_, used_bytes_ = 0;
	std::vector<std::unique_ptr<Matrix>> matrices_; // used last at the end
};

} // namespace txtfp::core
