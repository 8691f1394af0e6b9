#include "cli/output_rows.hpp"

namespace txtfp::cli {

namespace {

void append_escaped(std::string_view text, std::string &out)
{
	for (const char c : text)
		switch (c) {
		case '\t':
			out += "\\t";
			break;
		case '\n':
			out += "\\n";
			break;
		case '\r':
			out += "\\r";
			break;
		case '\\':
			out += "\\\\";
			break;
		default:
			out += c;
		}
}

void append_quoted(std::string_view text, std::string &out)
{
	if (text.find_first_of(",\"\r\n") == std::string_view::npos && !text.empty()) {
		out += text;
		return;
	}
	out += '"';
	for (const char c : text)
		out.append(c == '"' ? 2 : 1, c);
	out += '"';
}

} // namespace

void append_json_string(std::string_view text, std::string &out)
{
	constexpr char digits[] = "0123456789abcdef";
	out += '"';
	for (const char c : text)
		if (c == '"' || c == '\\')
			out += {'\\', c};
		else if (static_cast<unsigned char>(c) < 0x20)
			out += {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};
		else
			out += c;
	out += '"';
}

void append_header(RowFormat format, const std::vector<std::string_view> &names, std::string &out)
{
	if (format == RowFormat::jsonl)
		return;
	for (std::size_t i = 0; i < names.size(); ++i) {
		out += i == 0 ? "" : format == RowFormat::tsv ? "\t" : ",";
		out += names[i];
	}
	out += '\n';
}

void append_row(
	RowFormat format, const std::vector<std::string_view> &names, const std::vector<Cell> &cells, std::string &out)
{
	for (std::size_t i = 0; i < cells.size(); ++i) {
		const Cell &cell = cells[i];
		if (format == RowFormat::jsonl) {
			out += i == 0 ? '{' : ',';
			append_json_string(names[i], out);
			out += ':';
			if (cell.is_null)
				out += "null";
			else if (cell.is_number)
				out += cell.text;
			else
				append_json_string(cell.text, out);
			continue;
		}
		if (i > 0)
			out += format == RowFormat::tsv ? '\t' : ',';
		if (cell.is_null)
			out += format == RowFormat::tsv ? "\\N" : "";
		else if (format == RowFormat::tsv)
			append_escaped(cell.text, out);
		else
			append_quoted(cell.text, out);
	}
	out += format == RowFormat::jsonl ? "}\n" : "\n";
}

} // namespace txtfp::cli
