// A column of fingerprints that was computed here: the memory, and its export as an Arrow array, which shares it.
#pragma once

#include <cstdlib>
#include <memory>
#include <vector>

#include "kinds.hpp"

namespace txtfp::python {

// fixed_size_binary, or large_binary for lavinhash
class Batch {
public:
	Batch(Kind kind, std::size_t rows);

	// For writers of disjoint rows: where the value of a row goes (not for lavinhash), and whether there is one.
	std::uint8_t *row(std::size_t row) noexcept { return data_->values.get() + row * kind_->binary_bytes; }
	void set_valid(std::size_t row, bool valid) noexcept { valid_[row] = valid; }
	// For lavinhash: the values of consecutive rows, their sizes 0 where there is none.
	void append(std::string_view bytes, std::span<const std::uint32_t> sizes);
	void finish(); // after the last row

	Kind kind() const noexcept { return kind_; }
	std::size_t size() const noexcept { return rows_; }
	std::size_t null_count() const noexcept { return null_count_; }
	std::string_view operator[](std::size_t row) const noexcept; // without data if there is none
	const std::uint8_t *values() const noexcept { return data_->values.get(); }

	nb::object arrow_schema() const;
	nb::object arrow_array() const;

private:
	struct Data {
		std::unique_ptr<std::uint8_t[], void (*)(void *)> values{nullptr, std::free}; // of a fixed size
		std::string variable;                                                         // lavinhash
		std::vector<std::int64_t> offsets;
		std::vector<std::uint8_t> validity; // bits
	};

	Kind kind_;
	std::size_t rows_, null_count_ = 0;
	std::shared_ptr<Data> data_;
	std::vector<std::uint8_t> valid_; // bytes, which threads may write at once; gone after finish
};

Batch compact_column(const Fingerprints &sketches, unsigned threads); // the compact forms of full sketches
Batch fingerprint_column(const core::Recipe &recipe, const Column &texts, unsigned threads);

} // namespace txtfp::python
