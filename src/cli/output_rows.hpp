// Rows of a result: tab-separated as COPY's text format, CSV, or JSON Lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace txtfp::cli {

enum class RowFormat { tsv, csv, jsonl };

struct Cell {
	std::string_view text;
	bool is_number = false; // in JSON without quotes
	bool is_null = false;
};

void append_header(RowFormat format, const std::vector<std::string_view> &names, std::string &out); // nothing for JSON
void append_row(
	RowFormat format, const std::vector<std::string_view> &names, const std::vector<Cell> &cells, std::string &out);

void append_json_string(std::string_view text, std::string &out); // with quotes

} // namespace txtfp::cli
