// NumPy arrays: of what the core has computed, without a copy, and orders of rows, which are given.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace txtfp::python {

namespace nb = nanobind;

template <class T> nb::object to_numpy(std::vector<T> values, std::size_t columns = 0)
{
	auto *owned = new std::vector<T>(std::move(values));
	nb::capsule owner(owned, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
	const std::size_t shape[2] = {columns == 0 ? owned->size() : owned->size() / columns, columns};
	return nb::cast(nb::ndarray<nb::numpy, T>(owned->data(), columns == 0 ? 1 : 2, shape, owner));
}

// The numbers of the rows in the order in which they win; `order` is an array of 64-bit integers, or None for the order of the rows.
inline std::vector<std::uint32_t> ordered_rows(nb::handle order, std::size_t rows)
{
	std::vector<std::uint32_t> ordered;
	if (order.is_none()) {
		ordered.resize(rows);
		std::iota(ordered.begin(), ordered.end(), 0u);
		return ordered;
	}
	const auto given = nb::cast<nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(order);
	std::vector<bool> seen(rows);
	for (std::size_t i = 0; i < given.shape(0); ++i) {
		const auto row = static_cast<std::size_t>(given.data()[i]);
		if (row >= rows || seen[row])
			throw nb::value_error("the order of rows does not have each row once");
		seen[row] = true;
		ordered.push_back(static_cast<std::uint32_t>(row));
	}
	return ordered;
}

} // namespace txtfp::python
