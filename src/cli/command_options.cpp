#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/files.hpp"
#include "core/base/numbers.hpp"
#include "records/folder.hpp"

namespace txtfp::cli {

namespace {

bool is_folder(const std::string &path)
{
	std::error_code none;
	return path != "-" && std::filesystem::is_directory(path, none);
}

std::optional<Format> given_format(const InputOptions &options)
{
	if (options.format.empty())
		return std::nullopt;
	if (const std::optional<Format> format = records::format_named(options.format))
		return format;
	throw Failure(
		"there is no format " + in_quotes(options.format) + "; valid are jsonl, tsv, csv and lines", exit_usage);
}

Format format_of(const InputOptions &options)
{
	if (const std::optional<Format> given = given_format(options))
		return *given;
	if (is_folder(options.path))
		return records::list_folder(options.path, std::nullopt).format;
	if (const std::optional<Format> format = records::format_of_file(options.path))
		return *format;
	if (options.path != "-") {
		const InputFile file(options.path); // says so if it cannot be opened, or is of a kind that is not read
		throw Failure("the name of " + options.path +
				" does not tell its format; use --format jsonl, tsv, csv or lines (also of compressed files)",
			exit_usage);
	}
	return Format::jsonl;
}

} // namespace

RecordFormat record_format(const InputOptions &options)
{
	RecordFormat format;
	format.format = format_of(options);
	format.id = options.id;
	format.text = options.text;
	format.priority = options.priority;
	format.group = options.group;
	format.header = options.header;
	format.line_ids = options.line_ids || format.format == Format::lines;
	format.delimiter = format.format == Format::csv ? ',' : '\t';
	if (!options.delimiter.empty()) {
		const std::string &given = options.delimiter == "\\t" ? "\t" : options.delimiter;
		if (given.size() != 1 || given == "\n" || given == "\r" || given == "\"" || given == "\\")
			throw Failure(
				"the delimiter " + in_quotes(given) + " is not one byte other than a line end, a quote or a backslash",
				exit_usage);
		format.delimiter = given[0];
	}
	for (const std::string &field : {format.priority, format.group})
		if (format.format == Format::lines && !field.empty())
			throw Failure("lines have no field " + in_quotes(field), exit_usage);
	return format;
}

InputPaths input_paths(const InputOptions &options, bool quiet)
{
	constexpr std::size_t most_named = 5;
	if (!is_folder(options.path))
		return {options.path, {options.path}};
	records::Folder folder = records::list_folder(options.path, given_format(options));
	if (!folder.left_out.empty() && !quiet) {
		std::string line = "txtfp: " + options.path + ": left out, because their names tell no format: ";
		for (std::size_t i = 0; i < std::min(most_named, folder.left_out.size()); ++i)
			line += (i == 0 ? "" : ", ") + folder.left_out[i];
		if (folder.left_out.size() > most_named)
			line += " and " + std::to_string(folder.left_out.size() - most_named) + " more";
		std::fprintf(stderr, "%s\n", line.c_str());
	}
	return {options.path, std::move(folder.files)};
}

unsigned thread_count(const CommonOptions &options) noexcept
{
	constexpr unsigned most = 1024;
	return std::min(most, options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency()));
}

RowFormat row_format(const std::string &name)
{
	if (name.empty() || name == "tsv" || name == "text")
		return RowFormat::tsv;
	if (name == "csv")
		return RowFormat::csv;
	if (name == "jsonl")
		return RowFormat::jsonl;
	throw Failure("there is no output format " + in_quotes(name), exit_usage);
}

namespace {

// Parses "512M"; `what` names the value in messages.
std::uint64_t parse_size(const char *what, const std::string &text)
{
	double value = 0;
	const auto [end, error] = core::from_chars(text.data(), text.data() + text.size(), value);
	const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
	const int shift = unit == "K" || unit == "kB"     ? 10
		: unit == "M" || unit == "MB" || unit.empty() ? 20
		: unit == "G" || unit == "GB"                 ? 30
													  : 0;
	if (error != std::errc() || shift == 0 || !(value > 0 && value < 1e6))
		throw Failure(
			std::string("the ") + what + " " + in_quotes(text) + " is not a number with K, M or G", exit_usage);
	return static_cast<std::uint64_t>(std::ldexp(value, shift));
}

} // namespace

std::uint64_t parse_memory(const std::string &text)
{
	constexpr std::uint64_t least = std::uint64_t{64} << 20;
	if (text.empty()) {
		const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)),
				   page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
		return std::max(least, pages * page / 2);
	}
	const std::uint64_t bytes = parse_size("memory", text);
	if (bytes < least)
		throw Failure("the memory " + in_quotes(text) + " is less than 64M", exit_usage);
	return bytes;
}

std::string temporary_directory(const std::string &given)
{
	if (!given.empty())
		return given;
	const char *directory = std::getenv("TMPDIR");
	return directory != nullptr && *directory != '\0' ? directory : "/var/tmp";
}

records::DecoderLimit decoder_limit(const InputOptions &options)
{
	records::DecoderLimit limit;
	if (!options.max_window.empty())
		limit.memory = parse_size("size", options.max_window);
	return limit;
}

RecordLimit record_limit(const InputOptions &options, std::uint64_t memory)
{
	constexpr std::uint64_t least = 1 << 10, most = std::uint64_t{1} << 30; // PostgreSQL has no text above 1 GB
	RecordLimit limit;
	limit.skip = options.skip_errors;
	if (options.max_record.empty()) {
		limit.bytes = static_cast<std::size_t>(std::min<std::uint64_t>(limit.bytes, memory / 8));
		return limit;
	}
	const std::uint64_t bytes = parse_size("size", options.max_record);
	if (bytes < least || bytes > most)
		throw Failure(
			"the size " + in_quotes(options.max_record) + " of a record is not between 1K and 1G", exit_usage);
	limit.bytes = static_cast<std::size_t>(bytes);
	return limit;
}

void refuse_replacing(const std::vector<std::string> &inputs, const char *option, const std::string &output, bool force)
{
	struct stat a, b;
	if (force || output == "-" || stat(output.c_str(), &b) != 0 || !S_ISREG(b.st_mode))
		return;
	for (const std::string &input : inputs)
		if ((input == "-" ? fstat(STDIN_FILENO, &a) : stat(input.c_str(), &a)) == 0 && a.st_dev == b.st_dev &&
			a.st_ino == b.st_ino)
			throw Failure(std::string(option) + " would replace the input " + in_quotes(output) + "; --force allows it",
				exit_usage);
}

} // namespace txtfp::cli
