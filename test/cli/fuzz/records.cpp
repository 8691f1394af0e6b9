// The readers on any bytes. Byte 0: format; byte 1: header or not; then the file. Cutting the file into whole records
// gives the same records as reading it whole, no record reads beyond its end, and texts are valid UTF-8.
#include "cli/records.hpp"

#include "fuzz/fuzz.hpp"

using namespace txtfp::cli;
using namespace txtfp::fuzz;

namespace {

// All records; `padded` has record_padding bytes after `size`.
std::string records_of(const RecordFormat &format, const std::string &padded, std::size_t from, std::size_t size)
{
	std::string out;
	std::string_view rest(padded.data() + from, size);
	RecordParser parser(format);
	Record record;
	std::size_t count = 0;
	for (std::uint64_t line = 1;; ++count) {
		const RecordParser::Outcome outcome = parser.next(rest, line, record);
		if (outcome == RecordParser::Outcome::end)
			return out;
		if (outcome == RecordParser::Outcome::broken) {
			REQUIRE_EQ(parser.error().empty(), false);
			out += "!\n";
			continue;
		}
		REQUIRE_EQ(is_valid_utf8(record.text), true);
		out += std::string(record.id) + "|" + (record.has_text ? std::string(record.text) : "NULL") + "\n";
	}
}

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
	std::string bytes(input.rest());
	const bool has_fields = format.format == Format::tsv || format.format == Format::csv;
	std::size_t from = 0, lines;
	if (has_fields && format.header && !bytes.empty())
		from = record_size(format, bytes, lines);
	if (has_fields && !find_fields(format, std::string_view(bytes).substr(0, from)).empty())
		return 0;
	const std::size_t length = bytes.size() - from;
	const WholeRecords whole = whole_records(format, std::string_view(bytes).substr(from));
	REQUIRE_EQ(whole.bytes <= length, true);
	REQUIRE_EQ(first_records(format, std::string_view(bytes).substr(from), whole.records).bytes, whole.bytes);
	std::string padded = bytes + std::string(record_padding, '"');
	const std::string all = records_of(format, padded, from, length);
	const std::string parts = records_of(format, padded, from, whole.bytes) +
		records_of(format, padded, from + whole.bytes, length - whole.bytes);
	REQUIRE_EQ(parts, all);
	return 0;
}
