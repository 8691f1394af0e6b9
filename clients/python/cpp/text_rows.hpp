// Rows of text files as Arrow record batches.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "records/columns.hpp"

namespace txtfp::python {

// The buffers of one column.
struct ColumnData {
	records::ColumnType type = records::ColumnType::text;
	std::vector<std::uint8_t> validity, bits; // `bits`: of booleans
	std::vector<std::int32_t> offsets;        // of texts
	std::vector<std::uint64_t> words;         // of numbers
	std::string bytes;                        // of texts
	std::size_t rows = 0, null_count = 0;
};

// Rows of some batches, each value as the text that it is, until the types of the columns are known.
class KeptRows {
public:
	// `found` are the columns of each part, in its order; `columns` has all of them.
	KeptRows(const records::ColumnSet &columns, const std::vector<records::ColumnSet> &found,
		const std::vector<records::TableRows> &parts, unsigned threads);

	std::uint64_t rows() const noexcept { return rows_; }
	std::size_t bytes() const noexcept; // of memory
	// Column `place` in a type that each of its values has.
	std::shared_ptr<const ColumnData> column(std::size_t place, records::ColumnType type) const;

private:
	std::uint64_t rows_ = 0;
	std::vector<std::shared_ptr<const ColumnData>> columns_; // null where no row has the column; later columns are missing
};

// Rows as they are exported. Buffers live as long as a consumer has them.
class Rows {
public:
	Rows(std::vector<std::string> names, const std::vector<records::ColumnType> &types,
		const std::vector<records::TableRows> &parts, unsigned threads);
	Rows(std::vector<std::string> names, const std::vector<records::ColumnType> &types,
		const std::vector<std::size_t> &places, const KeptRows &kept, unsigned threads);

	nanobind::object arrow_schema() const;
	nanobind::object arrow_array() const;
	std::uint64_t size() const noexcept { return rows_; }

private:
	std::uint64_t rows_ = 0;
	std::vector<std::string> names_;
	std::vector<std::shared_ptr<const ColumnData>> columns_;
};

} // namespace txtfp::python
