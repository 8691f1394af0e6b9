// NumPy arrays of what the core has computed, without a copy.
#pragma once

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

} // namespace txtfp::python
