#include "unit/data.hpp"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "core/base/bytes.hpp"
#include "unit/digest.hpp"
#include "unit/show.hpp"

namespace txtfp::test {

std::vector<std::string> split(std::string_view text, char separator)
{
	std::vector<std::string> parts;
	for (std::size_t at = 0, next = 0; next != std::string_view::npos; at = next + 1) {
		next = text.find(separator, at);
		parts.emplace_back(text.substr(at, next - at));
	}
	return parts;
}

std::vector<std::string> list(std::string_view text, char separator)
{
	return text.empty() ? std::vector<std::string>() : split(text, separator);
}

std::string data_folder()
{
	const char *folder = std::getenv("TXTFP_TEST_DATA");
	return folder != nullptr ? folder : "test/data";
}

std::string unescape(std::string_view field)
{
	constexpr std::string_view letters = "bfnrtv", meanings = "\b\f\n\r\t\v";
	std::string out;
	for (std::size_t i = 0; i < field.size(); ++i) {
		if (field[i] != '\\') {
			out.push_back(field[i]);
			continue;
		}
		const char c = field.at(++i);
		if (c == 'x') {
			out.push_back(static_cast<char>(core::hex_value(field.at(i + 1)) << 4 | core::hex_value(field.at(i + 2))));
			i += 2;
		} else {
			const std::size_t letter = letters.find(c);
			out.push_back(letter == std::string_view::npos ? c : meanings[letter]);
		}
	}
	return out;
}

std::string hex_u64(std::uint64_t value)
{
	std::string out(16, '?');
	core::hex_encode_u64(value, out.data());
	return out;
}

Row::Row(const std::map<std::string, std::size_t> &columns, std::vector<std::string> fields)
	: columns_(&columns), fields_(std::move(fields))
{
}

const std::string &Row::field(const std::string &column) const { return fields_.at(columns_->at(column)); }
bool Row::is_null(const std::string &column) const { return field(column) == "\\N"; }
std::string Row::operator[](const std::string &column) const { return unescape(field(column)); }
int Row::number(const std::string &column) const { return std::stoi(field(column)); }
std::uint64_t Row::hex(const std::string &column) const { return std::stoull(field(column), nullptr, 16); }

Table::Table(const std::string &path)
{
	std::ifstream file(path, std::ios::binary);
	std::string line;
	if (!std::getline(file, line))
		throw std::runtime_error("cannot read " + path);
	names_ = split(line, '\t');
	for (std::size_t i = 0; i < names_.size(); ++i)
		columns_[names_[i]] = i;
	while (std::getline(file, line)) {
		std::vector<std::string> fields = split(line, '\t');
		if (fields.size() != names_.size())
			throw std::runtime_error(path + ": wrong number of fields in " + test::quoted(line));
		rows_.emplace_back(columns_, std::move(fields));
	}
}

const Table &table(const char *name)
{
	static std::map<std::string, Table> tables;
	reads_vectors = true;
	return tables.try_emplace(name, data_folder() + "/" + name).first->second;
}

} // namespace txtfp::test
