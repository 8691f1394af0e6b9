// The dictionary files of this installation, and the errors about them.
#pragma once

#include "core/interface.hpp"
#include "pg/base/pg.hpp"

namespace txtfp::cjk {

// The path of name.dict in the folder txtfp_cjk of PostgreSQL's share directory; in the current memory context.
const char *dictionary_path(int dictionary);

// Opens the dictionary for the process, or raises an error: 58P01 if there is no file, XX001 if it is damaged or
// another one.
void require_dictionary(int dictionary);

} // namespace txtfp::cjk
