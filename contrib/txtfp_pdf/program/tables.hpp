// The character tables of poppler-data. They are mapped into memory before the program gives up the right to open
// files. Without them, Chinese, Japanese and Korean documents that refer to predefined encodings would have no text.
#pragma once

#include <string>

namespace txtfp::pdf {

// Maps every file in the folder and its subfolders; does nothing if the folder does not exist. From then on fopen()
// opens only these files, by their paths.
void map_tables(const std::string &folder);

} // namespace txtfp::pdf
