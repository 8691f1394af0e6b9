// The reader of records on any bytes. Byte 0: format; byte 1: header, priority, JSON pointer, table, size of the first read; then the file. Cutting
// the file into whole records gives the same records as reading it whole, no record reads beyond its end, texts are valid UTF-8, the fields of CSV
// are those that libcsv finds, and the columns of a table have the same texts.
#include "records/records.hpp"

#include <algorithm>
#include <optional>

#include <csv.h>

#include "fuzz/fuzz.hpp"
#include "records/batches.hpp"
#include "records/columns.hpp"
#include "records/failure.hpp"
#include "records/json.hpp"

using namespace txtfp::records;
using namespace txtfp::fuzz;

namespace {

class Bytes final : public Stream {
public:
	explicit Bytes(std::string_view bytes) : rest_(bytes) {}
	std::size_t read(char *to, std::size_t size) override
	{
		size = rest_.copy(to, size);
		rest_.remove_prefix(size);
		return size;
	}
	const std::string &name() const noexcept override { return name_; }

private:
	std::string_view rest_;
	std::string name_ = "f";
};

// Of a record without its line end; nothing if libcsv refuses it.
std::optional<std::vector<std::string>> fields_by_libcsv(std::string_view line, char delimiter)
{
	std::vector<std::string> fields;
	csv_parser parser;
	csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI);
	csv_set_delim(&parser, static_cast<unsigned char>(delimiter));
	csv_set_space_func(&parser, [](unsigned char) { return 0; });
	csv_set_term_func(&parser, [](unsigned char) { return 0; });
	const auto add = [](void *field, std::size_t size, void *to) {
		static_cast<std::vector<std::string> *>(to)->emplace_back(static_cast<const char *>(field), size);
	};
	const bool ok = csv_parse(&parser, line.data(), line.size(), add, nullptr, &fields) == line.size() &&
		csv_fini(&parser, add, nullptr, &fields) == 0;
	csv_free(&parser);
	return ok ? std::optional(fields) : std::nullopt;
}

void compare_with_libcsv(const RecordFormat &format, std::string_view record)
{
	const std::string_view line = without_line_end(format, record);
	FieldSplitter splitter(format);
	const std::string wrong = splitter.split(record);
	// It drops empty lines, and lets CR and LF stand anywhere.
	if (line.empty() || wrong.starts_with("there are") || wrong.starts_with("a line end"))
		return;
	const auto expected = fields_by_libcsv(line, format.delimiter);
	REQUIRE_EQ(wrong.empty(), expected.has_value());
	if (!expected)
		return;
	REQUIRE_EQ(splitter.fields().size(), expected->size());
	for (std::size_t i = 0; i < expected->size(); ++i)
		REQUIRE_EQ(std::string(splitter.fields()[i].text), (*expected)[i]);
}

// Appends all records of `rest`, behind which record_padding bytes are.
void append_records(
	RecordParser &parser, std::string_view rest, std::string &out, const RecordFormat *compared = nullptr)
{
	Record record;
	for (std::uint64_t line = 1;;) {
		const std::string_view before = rest;
		const RecordParser::Outcome outcome = parser.next(rest, line, record);
		if (outcome == RecordParser::Outcome::end)
			return;
		if (compared != nullptr)
			compare_with_libcsv(*compared, before.substr(0, before.size() - rest.size()));
		if (outcome == RecordParser::Outcome::broken) {
			REQUIRE_EQ(parser.error().empty(), false);
			out += "!\n";
			continue;
		}
		REQUIRE_EQ(is_valid_utf8(record.text), true);
		REQUIRE_EQ(is_valid_utf8(record.id), true);
		out += record.id;
		out += '|';
		out += record.has_text ? record.text : "NULL";
		out += '\n';
	}
}

// The texts of a batch as a table has them, in the form of append_records.
std::string texts_of_table(const RecordFormat &format, const std::vector<std::string> &names, const Batch &batch)
{
	const AskedFields asked{
		format.format == Format::jsonl ? "text" : "", format.format == Format::jsonl ? "id" : "", ""};
	TableParser parser(format, names, asked);
	ColumnSet columns;
	TableRows kept, rows;
	if (format.format == Format::jsonl)
		parser.scan(batch, columns, true, kept);
	for (const std::string &name : names)
		columns.kinds(columns.place(name)).add_text();
	std::vector<std::size_t> wanted;
	for (std::size_t i = 0; i < columns.size(); ++i)
		wanted.push_back(i);
	parser.parse(batch, columns, wanted, rows);
	REQUIRE_EQ(rows.rows + rows.refused, batch.records);
	REQUIRE_EQ(rows.refused == 0, rows.error.empty());
	const auto value = [&](std::size_t column, std::size_t row) {
		const ColumnRows &all = rows.columns[column];
		const auto begin = static_cast<std::size_t>(row == 0 ? 0 : all.ends[row - 1]);
		return all.bytes.substr(begin, static_cast<std::size_t>(all.ends[row]) - begin);
	};
	for (const ColumnRows &column : rows.columns) {
		REQUIRE_EQ(column.valid.size(), rows.rows);
		REQUIRE_EQ(column.type == ColumnType::text ? column.ends.size() : column.words.size(), rows.rows);
	}
	const std::size_t text = columns.find("text");
	std::string out;
	for (std::size_t row = 0; text < columns.size() && row < rows.rows; ++row)
		out += (rows.columns[text].valid[row] ? value(text, row) : "NULL") + "\n";
	return out;
}

// The texts of what append_records gives.
std::string texts_of(const std::string &records)
{
	std::string out;
	for (std::size_t at = 0; at < records.size();) {
		const std::size_t bar = records.find('|', at), end = records.find('\n', at);
		if (records[at] != '!')
			out.append(records, bar + 1, end - bar);
		at = end + 1;
	}
	return out;
}

// Only where no value has a line end or a bar, which would look like its own
bool is_plain(std::string_view bytes) { return bytes.find_first_of("\\|\r") == bytes.npos; }

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	Input input(data, size);
	RecordFormat format;
	format.format = static_cast<Format>(input.byte() % 4);
	format.delimiter = format.format == Format::csv ? ',' : '\t';
	format.line_ids = format.format == Format::lines;
	const unsigned how = input.byte();
	format.header = (how & 1) != 0;
	if ((how & 2) != 0)
		format.priority = format.header ? "p" : "3";
	if ((how & 4) != 0)
		format.text = "/text/0/t";
	const bool table = (how & 24) == 8, csv = format.format == Format::csv && (how & 24) == 16;
	RecordLimit limit;
	limit.first_read = 64 + 4 * (how >> 4); // small, so that the end of its memory is the end of the file
	std::string padded;
	padded.reserve(input.rest().size() + record_padding);
	padded.append(input.rest()).append(record_padding, '"');
	const std::string_view bytes(padded.data(), input.rest().size());
	static std::string by_reader, all, parts; // keep their memory
	for (std::string *records : {&by_reader, &all, &parts})
		records->clear();
	Bytes stream(bytes);
	std::size_t skipped = 0;
	std::optional<RecordParser> parser;
	try {
		BatchReader reader(stream, format, limit);
		parser.emplace(format);
		skipped = reader.header().size() + (bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0);
		for (Batch batch; reader.next(batch);) {
			const std::size_t before = by_reader.size();
			append_records(*parser, batch.bytes(), by_reader);
			if (!table)
				continue;
			const std::string texts = texts_of_table(
				format, format.header && format.has_fields() ? reader.names() : default_names(format), batch);
			if (format.format == Format::jsonl && (how & 6) == 0 && is_plain(batch.bytes()))
				REQUIRE_EQ(texts, texts_of(by_reader.substr(before)));
		}
	} catch (const Failure &) {
		return 0;
	}
	const std::string_view rest = bytes.substr(skipped);
	const WholeRecords whole = whole_records(format, rest);
	REQUIRE_EQ(whole.bytes <= rest.size(), true);
	REQUIRE_EQ(first_records(format, rest, whole.records).bytes, whole.bytes);
	append_records(*parser, rest, all, csv ? &format : nullptr);
	REQUIRE_EQ(all.starts_with(by_reader), true); // without blank lines at the end
	if (whole.bytes < rest.size()) {
		append_records(*parser, rest.substr(0, whole.bytes), parts);
		append_records(*parser, rest.substr(whole.bytes), parts);
		REQUIRE_EQ(parts, all);
	}
	return 0;
}
