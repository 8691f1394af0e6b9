#include "records/records.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <simdjson.h>

#include "cli/batches.hpp"
#include "cli/output_rows.hpp"
#include "core/base/splitmix.hpp"
#include "records/batches.hpp"
#include "records/json.hpp"
#include "unit/check.hpp"

using namespace txtfp::cli;
using namespace txtfp::records;
using namespace txtfp::test;

namespace {

class Text final : public Stream {
public:
	explicit Text(std::string bytes) : bytes_(std::move(bytes)) {}
	std::size_t read(char *to, std::size_t size) override
	{
		size = std::min(size, bytes_.size() - at_);
		std::copy_n(bytes_.data() + at_, size, to);
		at_ += size;
		return size;
	}
	const std::string &name() const noexcept override { return name_; }

private:
	std::string bytes_, name_ = "f";
	std::size_t at_ = 0;
};

// All records as "line|id|text|", broken ones as "line!error".
std::string parsed(RecordFormat format, std::string bytes)
try {
	Text text(std::move(bytes));
	BatchReader reader(text, format);
	RecordParser parser(format);
	Batch batch;
	Record record;
	std::string out;
	while (reader.next(batch)) {
		std::string_view rest = batch.bytes();
		std::uint64_t line = batch.first_line;
		for (RecordParser::Outcome outcome; (outcome = parser.next(rest, line, record)) != RecordParser::Outcome::end;)
			if (outcome == RecordParser::Outcome::broken)
				out += std::to_string(record.line) + "!" + parser.error() + "\n";
			else
				out += std::to_string(record.line) + "|" + std::string(record.id) + (record.id_is_number ? "#" : "") +
					"|" + (record.has_text ? std::string(record.text) : "NULL") + "|" +
					(std::isnan(record.priority) ? ""
																				 : std::to_string(record.priority)) +
					"\n";
	}
	return out;
} catch (const std::exception &failure) {
	return std::string("header!") + failure.what();
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
	CHECK_EQ(parsed(tsv, "1\ta\\tb\\nc\\\\d\\x41\\101\\q\tmore\n2\t\\N\t\r\n3\t\t\n4\tx\n5\tx\ty\tz"),
		"1|1|a\tb\nc\\dAAq|\n2|2|NULL|\n3|3||\n4!there are 2 fields, not 3\n5!there are 4 fields, not 3\n");
	CHECK_EQ(parsed(tsv, "1\ta\n1\n\\N\ta\n\ta\n1\ta\\\n\n\r\n"),
		"1|1|a|\n2!there are 1 fields, not 2\n3!the id is NULL\n4!the id is empty\n5!a field ends with a backslash\n");
	tsv.header = true;
	tsv.id = "key";
	tsv.priority = "rank";
	CHECK_EQ(parsed(tsv, "text\trank\tkey\nhello\t3\tk\nbye\tx\tl\n"),
		"2|k|hello|3.000000\n3!the priority \"x\" is not a number\n");
	CHECK_EQ(parsed(tsv, "text\trank\nhello\t3\n"),
		"header!f: there is no field \"key\"; there are \"text\", \"rank\"; --id, --text and --priority name the "
		"fields "
		"to use");
	CHECK_EQ(parsed(tsv, "text\trank\tkey\tkey\n"), "header!f: the header has the field \"key\" twice");
	tsv.header = false;
	CHECK_EQ(parsed(tsv, "x\ty\n").starts_with("header!f: the field \"key\" can only be found by a header"), true);
	tsv.id = "3";
	tsv.text = "1";
	tsv.priority = "";
	CHECK_EQ(parsed(tsv, "t\tx\t7\n"), "1|7|t|\n");
}

TEST(cli_records_csv)
{
	const RecordFormat csv = format(Format::csv);
	CHECK_EQ(parsed(csv, "1,\"a,\"\"b\"\"\nc\"\r\n2,plain\r\n\"3\",\"\"\n"), "1|1|a,\"b\"\nc|\n3|2|plain|\n4|3||\n");
	CHECK_EQ(parsed(csv, "0,\n1,a\"b\"\n2,\"x\"y\n3\n4,b,c\n5,d\re\n\"6\",\"open\n"),
		"1|0||\n2!a quote stands within a field; it must be doubled, and the field be quoted\n"
		"3!a quote stands within a field; it must be doubled, and the field be quoted\n"
		"4!there are 1 fields, not 2\n5!there are 3 fields, not 2\n"
		"6!a line end of another kind stands in a field that is not quoted\n7!a quoted field is not closed\n");
}

// Spreadsheets name the delimiter by a line of its own.
TEST(cli_records_separator)
{
	RecordFormat csv = format(Format::csv);
	CHECK_EQ(parsed(csv, "sep=;\r\n1;\"a;\nb\"\r\n"), "2|1|a;\nb|\n");
	CHECK_EQ(parsed(csv, "sep=|\n1|a"), "2|1|a|\n");
	CHECK_EQ(parsed(csv, "sep=x,a\n1,b\n"), "1|sep=x|a|\n2|1|b|\n");
	CHECK_EQ(parsed(csv, "sep=\",a\n"), "1!a quote stands within a field; it must be doubled, and the field be quoted\n");
	CHECK_EQ(parsed(format(Format::lines), "sep=;\na\n"), "1||sep=;|\n2||a|\n");
}

TEST(cli_records_lines)
{
	CHECK_EQ(parsed(format(Format::lines), "a\n\nb\r\nc\xC3"), "1||a|\n2|||\n3||b|\n4!the text is not valid UTF-8\n");
}

// Old programs end lines with CR.
TEST(cli_records_line_ends)
{
	CHECK_EQ(parsed(format(Format::csv), "1,a\r2,\"b\rc\"\r3,d"), "1|1|a|\n2|2|b\rc|\n4|3|d|\n");
	CHECK_EQ(parsed(format(Format::csv), "1,a\r2,b\nc\r"),
		"1!a line end of another kind stands in a field that is not quoted\n2!there are 1 fields, not 2\n");
	CHECK_EQ(parsed(format(Format::tsv), "1\ta\r2\tb\r"), "1|1|a|\n2|2|b|\n");
	CHECK_EQ(parsed(format(Format::lines), "a\rb"), "1||a|\n2||b|\n");
	CHECK_EQ(parsed(format(Format::lines), "a\rb\nc\n"), "1||a\rb|\n2||c|\n");
	CHECK_EQ(
		parsed(format(Format::jsonl), "{\"id\":1,\"text\":\"a\"}\r{\"id\":2,\"text\":\"b\"}\r"), "1|1#|a|\n2|2#|b|\n");
	CHECK_EQ(parsed(format(Format::lines),
				 "\xFF\xFE"
				 "a"),
		"header!f is UTF-16, not UTF-8 (it begins with FF FE, a byte order mark): iconv -f UTF-16 -t UTF-8 FILE > NEW");
}

// What the standard allows and forbids, whatever field it is in.
TEST(cli_records_json_values)
{
	const auto wrong = [](const std::string &value) {
		std::string text = "{\"x\":" + value + "}", padded = text + std::string(record_padding, '"');
		return JsonReader().parse(std::string_view(padded).substr(0, text.size()));
	};
	for (const char *value : {"1e400", "-1E-400", "123456789012345678901234567890", "-0", "0.10", "[]", "{}", "[1,[2]]",
			 "{\"a\":{\"a\":1},\"a\":null}", "\"\\ud83d\\ude00\"", " true ", "\"\\u0000\""})
		CHECK_EQ(wrong(value), "", value);
	for (const char *value : {"01", "1.", ".5", "+1", "1e", "0x1", "NaN", "-", "nul", "truee", "[1,]", "[1 2]", "[,1]",
			 "{\"a\":}", "{\"a\" 1}", "{a:1}", "{\"a\":1,}", "\"\\x\"", "\"\\ud800\"", "\"\t\"", "\"a", "'a'", "", "1}",
			 "[", "{", "[}", "\"\xff\"", "1 2", "// c"})
		CHECK_EQ(wrong(value).empty(), false, value);
	CHECK_EQ(wrong(std::string(2000, '[') + std::string(2000, ']')).empty(), false);
	CHECK_EQ(wrong(std::string(1000, '[') + std::string(1000, ']')), "");
	CHECK_EQ(wrong("01").starts_with("the field \"x\": "), true);

	const std::string text =
						  R"({"a":1.10,"b":{"c":[1, 2,{"d":"\u0041"}] },"a":12345678901234567890,"e":[ ] , "f":"\\"})",
					  padded = text + std::string(record_padding, '"');
	JsonReader object;
	CHECK_EQ(object.parse(std::string_view(padded).substr(0, text.size())), "");
	std::string written;
	for (const JsonMember &member : object.members())
		written += std::string(member.name) + "=" + std::string(member.value.text) + ";";
	CHECK_EQ(written, R"(a=1.10;b={"c":[1, 2,{"d":"\u0041"}] };a=12345678901234567890;e=[ ];f=\;)");
	CHECK_EQ(object.find("a").text, "12345678901234567890"); // the last one
	JsonPath inner("/b/c/2/d"), none("/b/c/3"), of_number("/a/0");
	CHECK_EQ(inner.find(object).text, "A");
	CHECK_EQ(none.find(object).kind == JsonValue::Kind::missing, true);
	CHECK_EQ(of_number.find(object).kind == JsonValue::Kind::missing, true);
}

// JSONTestSuite, github.com/nst/JSONTestSuite, if TXTFP_JSON_SUITE names its folder test_parsing. Each text is a value.
TEST(cli_records_json_suite)
{
	const char *folder = std::getenv("TXTFP_JSON_SUITE");
	if (folder == nullptr)
		return;
	int files = 0;
	for (const auto &entry : std::filesystem::directory_iterator(folder)) {
		std::ifstream file(entry.path(), std::ios::binary);
		std::stringstream bytes;
		bytes << file.rdbuf();
		const std::string name = entry.path().filename().string(), text = "{\"x\":" + bytes.str() + "}";
		const std::string padded = text + std::string(record_padding, '"');
		const std::string wrong = JsonReader().parse(std::string_view(padded).substr(0, text.size()));
		if (name[0] != 'i') // implementations may differ there
			CHECK_EQ(wrong.empty(), name[0] == 'y', name);
		++files;
	}
	CHECK_EQ(files > 300, true);
}

// The records do not depend on how the file is cut into whole records.
TEST(cli_records_whole)
{
	txtfp::core::SplitMix64 random(1);
	for (int round = 0; round < 3000; ++round) {
		const RecordFormat kind = format(round % 2 == 0 ? Format::csv : Format::tsv);
		std::string bytes;
		for (std::size_t n = random.below(40); n > 0; --n)
			bytes += "a,\"\n\"\t\r,\""[random.below(9)];
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

// Records that vanish are an error.
TEST(cli_record_counts)
{
	const auto failure = [](std::uint64_t written, std::uint64_t left_out) -> std::string {
		RecordCounts counts;
		BatchResult result;
		result.records = 5;
		result.broken = {3};
		counts.add(result, true);
		try {
			counts.set_written(written, left_out);
		} catch (const std::exception &error) {
			return error.what();
		}
		return {};
	};
	CHECK_EQ(failure(4, 0), "");
	CHECK_EQ(failure(1, 3), "");
	CHECK_EQ(failure(3, 0), "5 records were read, but 1 refused, 3 written and 0 left out");
	CHECK_EQ(failure(4, 1), "5 records were read, but 1 refused, 4 written and 1 left out");

	Text text("a\nb\n");
	RecordFormat lines = format(Format::lines);
	BatchReader reader(text, lines);
	Batch batch;
	CHECK_EQ(reader.next(batch), true);
	std::string wrong;
	try {
		RecordCounts().check_read(reader);
	} catch (const std::exception &error) {
		wrong = error.what();
	}
	CHECK_EQ(wrong, "f: 2 records were found, and 0 were read");
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
