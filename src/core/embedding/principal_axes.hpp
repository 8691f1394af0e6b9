// Turns vectors so that a few of their elements have most of their length: those along the directions in which a sample
// of them is longest (its principal axes, without the mean deducted). Lengths and products stay as they are however
// roughly the directions were found, because the turn is a product of reflections: in double precision it is exact up
// to some 1e-13.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace txtfp::core {

class PrincipalAxes {
public:
	static constexpr std::size_t most = 64; // directions that are found

	// No directions: vectors are not turned.
	PrincipalAxes() = default;
	// `memory`: memory_of(dimension) doubles, zeroed, which the caller keeps.
	PrincipalAxes(std::size_t dimension, double *memory) noexcept;
	static constexpr std::size_t memory_of(std::size_t dimension) noexcept { return 3 * most * dimension; }

	// Finds the directions: some rounds of
	//     begin_round(); add(vector) for each vector of the sample, of length 1; end_round();
	static constexpr int rounds = 3;
	void begin_round() noexcept;
	void add(const double *vector) noexcept;
	void end_round() noexcept;

	void turn(std::span<double> vector) const noexcept;

private:
	double *row(double *matrix, std::size_t i) const noexcept { return matrix + i * dimension_; }
	void reflect(std::size_t i, double *vector) const noexcept;

	std::size_t dimension_ = 0, count_ = 0;
	double *reflections_ =
		nullptr; // of length 1, the first i elements of number i are 0; a zero vector reflects nothing
	double *axes_ = nullptr, *sums_ = nullptr;
};

} // namespace txtfp::core
