#include "cli/records.hpp"

#include <limits>
#include <string>
#include <vector>

#include <simdjson.h>

#include "cli/output_rows.hpp"
#include "core/base/splitmix.hpp"
#include "unit/check.hpp"

using namespace txtfp::cli;
using namespace txtfp::test;

namespace {

// All records as "line|id|text|", broken ones as "line!error".
std::string parsed(RecordFormat format, std::string bytes)
{
	std::string header;
	if (format.header) {
		std::size_t lines;
		header = bytes.substr(0, record_size(format, bytes, lines));
		bytes.erase(0, header.size());
	}
	if (format.format == Format::tsv || format.format == Format::csv)
		if (const std::string wrong = find_fields(format, header); !wrong.empty())
			return "header!" + wrong;
	const std::size_t size = bytes.size();
	bytes.resize(size + record_padding);
	std::string_view rest(bytes.data(), size);
	RecordParser parser(format);
	Record record;
	std::string out;
	for (std::uint64_t line = 1;;)
		switch (parser.next(rest, line, record)) {
		case RecordParser::Outcome::end:
			return out;
		case RecordParser::Outcome::broken:
			out += std::to_string(record.line) + "!" + parser.error() + "\n";
			break;
		case RecordParser::Outcome::record:
			out += std::to_string(record.line) + "|" + std::string(record.id) + (record.id_is_number ? "#" : "") + "|" +
				(record.has_text ? std::string(record.text) : "NULL") + "|" +
				(record.priority == -std::numeric_limits<double>::infinity() ? "" : std::to_string(record.priority)) +
				"\n";
		}
}

RecordFormat format(Format kind)
{
	RecordFormat format;
	format.format = kind;
	format.delimiter = kind == Format::csv ? ',' : '\t';
	format.line_ids = kind == Format::lines;
	return format;
}

} // namespace

TEST(cli_records_jsonl)
{
	RecordFormat jsonl = format(Format::jsonl);
	CHECK_EQ(parsed(jsonl,
				 "{\"id\":1,\"text\":\"a\\u00e9\\n\"}\n{\"text\":null,\"id\":\"x\"}\r\n{\"id\":-1.5,\"text\":\"\"}"),
		"1|1#|a\u00e9\n|\n2|x|NULL|\n3|-1.5#||\n");
	CHECK_EQ(parsed(jsonl, "{\"id\":18446744073709551615,\"text\":\"a\"}\n"), "1|18446744073709551615#|a|\n");
	CHECK_EQ(
		parsed(jsonl,
			"{\"id\":1}\n\n[1]\n{\"id\":true,\"text\":\"\"}\n{\"id\":1,\"text\":2}\n{\"id\":1,\"text\":\"\xff\"}\n"),
		std::string("1!there is no field \"text\"; there are \"id\"; --id, --text and --priority name the fields to "
					"use\n2!the line is empty\n3!the line is not a JSON object\n"
					"4!the field \"id\" is neither a string nor a number\n5!the field \"text\" is not a string\n"
					"6!") +
			simdjson::error_message(simdjson::UTF8_ERROR) + "\n");
	jsonl.text = "/doc/body";
	jsonl.line_ids = true;
	jsonl.priority = "p";
	CHECK_EQ(
		parsed(jsonl, "{\"doc\":{\"body\":\"x\"},\"p\":2}\n{\"doc\":{\"body\":\"y\"}}\n"), "1||x|2.000000\n2||y|\n");
}

TEST(cli_records_tsv)
{
	RecordFormat tsv = format(Format::tsv);
	CHECK_EQ(
		parsed(tsv, "1\ta\\tb\\nc\\\\d\\x41\\101\\q\tmore\n2\t\\N\r\n3\t"), "1|1|a\tb\nc\\dAAq|\n2|2|NULL|\n3|3||\n");
	CHECK_EQ(parsed(tsv, "1\n\\N\ta\n\ta\n1\ta\\\n"),
		"1!there are 1 fields, not 2\n2!the id is NULL\n3!the id is empty\n4!a field ends with a backslash\n");
	tsv.header = true;
	tsv.id = "key";
	tsv.priority = "rank";
	CHECK_EQ(parsed(tsv, "text\trank\tkey\nhello\t3\tk\nbye\tx\tl\n"),
		"1|k|hello|3.000000\n2!the priority \"x\" is not a number\n");
	CHECK_EQ(parsed(tsv, "text\trank\nhello\t3\n"),
		"header!there is no field \"key\"; there are \"text\", \"rank\"; --id, --text and --priority name the fields "
		"to use");
	CHECK_EQ(parsed(tsv, "text\trank\tkey\tkey\n"), "header!the header has the field \"key\" twice");
	tsv.header = false;
	CHECK_EQ(parsed(tsv, "x\ty\n").starts_with("header!the field \"key\" can only be found by a header"), true);
	tsv.id = "3";
	tsv.text = "1";
	tsv.priority = "";
	CHECK_EQ(parsed(tsv, "t\tx\t7\n"), "1|7|t|\n");
}

TEST(cli_records_csv)
{
	const RecordFormat csv = format(Format::csv);
	CHECK_EQ(parsed(csv, "1,\"a,\"\"b\"\"\nc\"\r\n2,plain\r\n\"3\",\"\"\n"), "1|1|a,\"b\"\nc|\n3|2|plain|\n4|3||\n");
	CHECK_EQ(parsed(csv, "1,a\"b\"\n2,\"x\"y\n3\n4,\"open\n"),
		"1!a quote stands within a field; it must be doubled, and the field be quoted\n"
		"2!a quote stands within a field; it must be doubled, and the field be quoted\n"
		"3!there are 1 fields, not 2\n4!a quoted field is not closed\n");
}

TEST(cli_records_lines)
{
	CHECK_EQ(parsed(format(Format::lines), "a\n\nb\r\nc\xC3"), "1||a|\n2|||\n3||b|\n4!the text is not valid UTF-8\n");
}

// The records do not depend on how the file is cut into whole records.
TEST(cli_records_whole)
{
	txtfp::core::SplitMix64 random(1);
	for (int round = 0; round < 3000; ++round) {
		const RecordFormat kind = format(round % 2 == 0 ? Format::csv : Format::tsv);
		std::string bytes;
		for (std::size_t n = random.below(40); n > 0; --n)
			bytes += "a,\"\n\"\t\r"[random.below(7)];
		const WholeRecords whole = whole_records(kind, bytes);
		std::size_t at = 0, records = 0, lines = 0, more;
		for (std::size_t size; at < bytes.size(); at += size, ++records, lines += more) {
			size = record_size(kind, std::string_view(bytes).substr(at), more);
			if (at == whole.bytes)
				break;
		}
		CHECK_EQ(at, whole.bytes, bytes);
		CHECK_EQ(records, whole.records, bytes);
		CHECK_EQ(lines, whole.lines, bytes);
		const WholeRecords some = first_records(kind, bytes, whole.records / 2);
		CHECK_EQ(some.records, whole.records / 2);
		CHECK_EQ(some.bytes <= whole.bytes, true);
	}
}

TEST(cli_rows)
{
	std::string out;
	const std::vector<std::string_view> names = {"id", "x"};
	append_header(RowFormat::tsv, names, out);
	append_row(RowFormat::tsv, names, {{"a\tb\\\n"}, {"", false, true}}, out);
	append_row(RowFormat::csv, names, {{"a,\"b\""}, {"", false, true}}, out);
	append_row(RowFormat::jsonl, names, {{"7", true}, {"q\"\x01"}}, out);
	CHECK_EQ(out, "id\tx\na\\tb\\\\\\n\t\\N\n\"a,\"\"b\"\"\",\n{\"id\":7,\"x\":\"q\\\"\\u0001\"}\n");
}
