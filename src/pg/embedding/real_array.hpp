// Converts between real[] and spans of floats.
#pragma once

#include "core/embedding/embedding.hpp"
#include "pg/base/pg.hpp"

extern "C" {
#include "utils/array.h"
}

namespace txtfp::pg {

// The elements of a real[] of one dimension, or of any number of dimensions if `matrix` is true. Raises 22004 if one is
// NULL. Valid as long as the argument.
core::Vector real_array_arg(FunctionCallInfo fcinfo, int i, bool matrix = false);

ArrayType *allocate_real_array(std::size_t size); // the caller writes the elements; size > 0
ArrayType *make_real_array(core::Vector vector);

void check_no_nulls(ArrayType *array, const char *what); // raises 22004

} // namespace txtfp::pg
