// The character tables of poppler-data, mapped into memory before the program gives up the right to open files. Without
// them, documents in Chinese, Japanese and Korean that refer to predefined encodings would have no text.
#pragma once

#include <string>

namespace txtfp::pdf {

// Maps every file below the folder; one that does not exist holds nothing. From then on fopen() opens these files, by
// their paths, and no others.
void map_tables(const std::string &folder);

} // namespace txtfp::pdf
