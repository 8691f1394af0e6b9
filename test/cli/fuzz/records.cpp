// The readers on any bytes. Byte 0: format; byte 1: header, priority, JSON pointer, compressed; then the file. Cutting the file into whole records
// gives the same records as reading it whole, no record reads beyond its end, texts are valid UTF-8, and the fields of
// CSV are those that libcsv finds.
#include "records/records.hpp"

#include <algorithm>

#include <csv.h>

#include "fuzz/fuzz.hpp"
#include "records/batches.hpp"
#include "records/decoder.hpp"
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

class Memory final : public Source {
public:
	explicit Memory(std::string_view bytes) : Source("f"), bytes_(bytes) {}
	std::size_t read(char *to, std::size_t size) override { return bytes_.read(to, std::min<std::size_t>(size, 7)); }

private:
	Bytes bytes_;
};

// What bytes expand to, up to a megabyte; nothing if they are broken.
std::string decompressed(std::string_view bytes)
{
	try {
		Memory source(bytes);
		txtfp::records::Input input(source, {1 << 20, "limit"});
		std::string out(1 << 20, '\0');
		out.resize(input.read(out.data(), out.size()));
		return out;
	} catch (const Failure &) {
		return {};
	}
}

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

// All records; `padded` has record_padding bytes after `size`.
std::string records_of(const RecordFormat &format, const std::string &padded, std::size_t from, std::size_t size)
{
	std::string out;
	std::string_view rest(padded.data() + from, size);
	RecordParser parser(format);
	Record record;
	for (std::uint64_t line = 1;;) {
		const std::string_view before = rest;
		const RecordParser::Outcome outcome = parser.next(rest, line, record);
		if (outcome == RecordParser::Outcome::end)
			return out;
		if (format.format == Format::csv)
			compare_with_libcsv(format, before.substr(0, before.size() - rest.size()));
		if (outcome == RecordParser::Outcome::broken) {
			REQUIRE_EQ(parser.error().empty(), false);
			out += "!\n";
			continue;
		}
		REQUIRE_EQ(is_valid_utf8(record.text), true);
		REQUIRE_EQ(is_valid_utf8(record.id), true);
		out += std::string(record.id) + "|" + (record.has_text ? std::string(record.text) : "NULL") + "\n";
	}
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	txtfp::fuzz::Input input(data, size);
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
	const std::string bytes = (how & 8) != 0 ? decompressed(input.rest()) : std::string(input.rest());
	Bytes stream(bytes);
	std::size_t skipped = 0;
	std::string by_reader;
	try {
		BatchReader reader(stream, format);
		skipped = reader.header().size() + (bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0);
		for (Batch batch; reader.next(batch);)
			by_reader += records_of(format, batch.buffer, 0, batch.size);
	} catch (const Failure &) {
		return 0;
	}
	const std::string_view rest = std::string_view(bytes).substr(skipped);
	const WholeRecords whole = whole_records(format, rest);
	REQUIRE_EQ(whole.bytes <= rest.size(), true);
	REQUIRE_EQ(first_records(format, rest, whole.records).bytes, whole.bytes);
	const std::string padded = bytes + std::string(record_padding, '"');
	const std::string all = records_of(format, padded, skipped, rest.size());
	const std::string parts = records_of(format, padded, skipped, whole.bytes) +
		records_of(format, padded, skipped + whole.bytes, rest.size() - whole.bytes);
	REQUIRE_EQ(parts, all);
	REQUIRE_EQ(all.starts_with(by_reader), true); // without blank lines at the end
	return 0;
}
