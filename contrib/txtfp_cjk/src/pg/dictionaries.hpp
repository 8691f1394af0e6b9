// The dictionary files of this installation, and their errors.
#pragma once

#include "core/interface.hpp"
#include "pg/base/pg.hpp"

namespace txtfp::cjk {

// PostgreSQL's share directory, txtfp_cjk, name.dict; in the current memory context.
const char *dictionary_path(int dictionary);

// Opens it for the process, or raises an error: 58P01 if there is no file, XX001 if it is damaged or another one.
void require_dictionary(int dictionary);

} // namespace txtfp::cjk
