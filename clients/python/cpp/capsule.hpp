// Structs of the Arrow C data interface for Python.
#pragma once

#include <memory>
#include <utility>

#include "arrow.hpp"

namespace txtfp::python {

// Both kinds of capsules own their struct and release what the consumer has not moved out.
template <class Struct> nb::object capsule(std::unique_ptr<Struct> exported, const char *name)
{
	nb::object result = nb::steal(PyCapsule_New(exported.get(), name, [](PyObject *object) {
		auto *owned = static_cast<Struct *>(PyCapsule_GetPointer(object, PyCapsule_GetName(object)));
		if (owned->release != nullptr)
			owned->release(owned);
		delete owned;
	}));
	if (!result.is_valid())
		throw nb::python_error();
	exported.release();
	return result;
}

} // namespace txtfp::python
