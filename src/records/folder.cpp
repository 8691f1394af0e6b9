#include "records/folder.hpp"

#include <algorithm>
#include <filesystem>

#include "records/decoder.hpp"
#include "records/failure.hpp"

namespace txtfp::records {

namespace {

namespace fs = std::filesystem;

bool is_hidden(const fs::path &path)
{
	const std::string name = path.filename().string();
	return name.starts_with('.') || name.starts_with('_');
}

// False for a symbolic link to nothing, which opening tells.
bool is_folder(const fs::directory_entry &entry, const std::string &path)
{
	std::error_code error;
	const bool folder = entry.is_directory(error);
	if (error == std::errc::too_many_symbolic_link_levels)
		throw Failure(path + ": folders are nested in a circle: " + entry.path().string());
	return folder;
}

std::vector<std::string> files_below(const std::string &path)
{
	std::vector<std::string> files;
	std::error_code error;
	fs::recursive_directory_iterator at(path, fs::directory_options::follow_directory_symlink, error);
	for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
		if (at.depth() > 100)
			throw Failure(path + ": folders are nested more than 100 deep, or in a circle");
		if (is_hidden(at->path()))
			at.disable_recursion_pending();
		else if (!is_folder(*at, path))
			files.push_back(at->path().string());
	}
	if (error)
		throw Failure("cannot read " + path + ": " + error.message());
	std::sort(files.begin(), files.end());
	return files;
}

// What another reader would read, and this one must not pass over
bool is_other_data(std::string_view path)
{
	path = without_compression(path);
	return path.ends_with(".parquet") || path.ends_with(".arrow") || path.ends_with(".feather");
}

} // namespace

Folder list_folder(const std::string &path, std::optional<Format> given)
{
	Folder folder;
	std::string first;
	std::optional<Format> common = given;
	for (std::string &file : files_below(path)) {
		const std::optional<Format> own = format_of_file(file);
		const bool is_note = own == Format::lines && given != Format::lines;
		if (is_note || (!own && !given && !is_other_data(file))) {
			folder.left_out.push_back(std::move(file));
			continue;
		}
		if (is_other_data(file) || (own && common && own != common))
			throw Failure(
				path + " has files of several formats: " + file + " and " + (first.empty() ? "others" : first));
		if (!common)
			common = own;
		if (first.empty())
			first = file;
		folder.files.push_back(std::move(file));
	}
	if (folder.files.empty())
		throw Failure(path + " has no files of a known format (.jsonl, .ndjson, .json, .csv, .tsv)");
	folder.format = *common;
	return folder;
}

} // namespace txtfp::records
