// Reads whole files.
#pragma once

#include <filesystem>
#include <string>

namespace txtfp::embed {

// Throws Failure(io) with the name and the reason.
std::string read_file(const std::filesystem::path &path);

} // namespace txtfp::embed
