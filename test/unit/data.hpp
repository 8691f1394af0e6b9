// Reads test/data/*.tsv: PostgreSQL's COPY text format with a header line (tab-separated; \t \n \r \b \f \v \\ and \xNN
// escapes; \N for NULL). Lists in a field are joined by U+001F.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace txtfp::test {

std::vector<std::string> split(std::string_view text, char separator);

// "" is the empty list: no list in the data has an empty element.
std::vector<std::string> list(std::string_view text, char separator = '\x1F');

// `make` sets the variable TXTFP_TEST_DATA; without it the tests must run in the root of the repository.
std::string data_folder();

std::string unescape(std::string_view field);
std::string hex_u64(std::uint64_t value);

class Row {
public:
	Row(const std::map<std::string, std::size_t> &columns, std::vector<std::string> fields);
	bool is_null(const std::string &column) const;
	std::string operator[](const std::string &column) const;
	int number(const std::string &column) const;
	std::uint64_t hex(const std::string &column) const;

private:
	const std::string &field(const std::string &column) const;

	const std::map<std::string, std::size_t> *columns_;
	std::vector<std::string> fields_;
};

// A file stays in memory once it was read, because several tests use it.
class Table {
public:
	explicit Table(const std::string &path);
	Table(const Table &) = delete;

	const std::vector<std::string> &column_names() const { return names_; }
	auto begin() const { return rows_.begin(); }
	auto end() const { return rows_.end(); }
	std::size_t size() const { return rows_.size(); }

private:
	std::vector<std::string> names_;
	std::map<std::string, std::size_t> columns_;
	std::vector<Row> rows_;
};

const Table &table(const char *name);

} // namespace txtfp::test
