// The class TextReader of the extension module.
#pragma once

#include <nanobind/nanobind.h>

namespace txtfp::python {

void define_text_reader(nanobind::module_ &module);

} // namespace txtfp::python
