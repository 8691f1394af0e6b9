// What of texts stands in earlier ones (core/passages): the functions of the extension module.
#pragma once

#include <nanobind/nanobind.h>

namespace txtfp::python {

void define_passages(nanobind::module_ &module);

} // namespace txtfp::python
