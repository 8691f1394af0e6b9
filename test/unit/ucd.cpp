#include "unit/ucd.hpp"

#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace txtfp::test::ucd {

namespace {

std::string trimmed(std::string_view text)
{
	const std::size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
	return first == std::string_view::npos ? std::string() : std::string(text.substr(first, last - first + 1));
}

std::string decompressed(const std::string &path)
{
	const auto close = [](std::FILE *pipe) { pclose(pipe); };
	const std::unique_ptr<std::FILE, decltype(close)> pipe(popen(("bzip2 -dc " + path).c_str(), "r"), close);
	std::string text;
	char buffer[1 << 16];
	for (std::size_t n; pipe && (n = std::fread(buffer, 1, sizeof buffer, pipe.get())) > 0;)
		text.append(buffer, n);
	return text;
}

std::string contents(const std::string &name)
{
	const std::string path = "/usr/share/unicode/" + name;
	std::ostringstream text;
	if (std::ifstream file(path, std::ios::binary); file)
		text << file.rdbuf();
	else if (std::ifstream(path + ".bz2"))
		text << decompressed(path + ".bz2");
	if (text.str().empty())
		throw std::runtime_error("cannot read " + path + "[.bz2]: install unicode-data 15.0 and bzip2");
	return text.str();
}

char32_t code_point(const std::string &hex) { return static_cast<char32_t>(std::stoul(hex, nullptr, 16)); }

constexpr std::size_t end_of_unicode = 0x110000;

std::vector<std::string> values(const std::string &name, const std::string &missing)
{
	std::vector<std::string> out(end_of_unicode, missing);
	for (const Entry &entry : entries(name))
		for (char32_t c = entry.first; c <= entry.last; ++c)
			out[c] = entry.value;
	return out;
}

// Whether the database begins so, or cannot be read, which the tests report.
bool begins_with(std::string_view version)
{
	std::ifstream file("/usr/share/unicode/DerivedAge.txt");
	std::string line;
	return !std::getline(file, line) || line.starts_with(version);
}

} // namespace

std::vector<std::string> read(const std::string &name)
{
	std::vector<std::string> lines;
	std::istringstream text(contents(name));
	for (std::string line; std::getline(text, line);) {
		line = trimmed(line.substr(0, line.find('#')));
		if (!line.empty())
			lines.push_back(line);
	}
	return lines;
}

std::u32string code_points(std::string_view field)
{
	std::u32string out;
	std::istringstream words{std::string(field)};
	for (std::string word; words >> word;)
		out.push_back(code_point(word));
	return out;
}

std::vector<Entry> entries(const std::string &name)
{
	std::vector<Entry> out;
	for (const std::string &line : read(name)) {
		const std::size_t semicolon = line.find(';'), dots = line.find("..");
		const char32_t first = code_point(line);
		out.push_back(
			{first, dots < semicolon ? code_point(line.substr(dots + 2)) : first, trimmed(line.substr(semicolon + 1))});
	}
	return out;
}

bool is_assigned(char32_t c)
{
	static const std::vector<std::string> ages = values("DerivedAge.txt", "");
	return !ages[c].empty();
}

const std::string &general_category(char32_t c)
{
	static const std::vector<std::string> categories = values("extracted/DerivedGeneralCategory.txt", "Cn");
	return categories[c];
}

bool is_15_0() { return begins_with("# DerivedAge-15.0."); }
bool is_15() { return begins_with("# DerivedAge-15."); }

} // namespace txtfp::test::ucd
