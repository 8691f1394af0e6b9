// The class Join of the extension module.
#pragma once

#include <nanobind/nanobind.h>

namespace txtfp::python {

void define_join(nanobind::module_ &module);

} // namespace txtfp::python
