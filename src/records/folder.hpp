// The files of a folder that are read together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "records/format.hpp"

namespace txtfp::records {

struct Folder {
	std::vector<std::string> files;    // by name
	std::vector<std::string> left_out; // files whose names tell no format, and notes (.txt)
	Format format = Format::jsonl;
};

// Lists a folder and what is below it, without what a name hides that begins with "." or "_". Files whose names tell
// different formats are refused with Failure, Parquet and Arrow among them, and so is a folder without a file to read.
// With a format given, files whose names tell none are of that format.
Folder list_folder(const std::string &path, std::optional<Format> given);

} // namespace txtfp::records
