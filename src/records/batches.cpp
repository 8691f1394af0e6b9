#include "records/batches.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "records/failure.hpp"

namespace txtfp::records {

namespace {

constexpr std::size_t max_header = 1 << 20;
// A batch aims at 2,000 records, so that small records do not pile up by the ten thousands in memory.
constexpr std::size_t usual_records = 2048, most_records = 8192, least_bytes = 1 << 14;

// The encoding of a file that is not UTF-8, and how that shows: by a byte order mark, or by zero bytes beside its first characters.
struct Encoding {
	const char *name, *sign;
};
constexpr std::pair<std::string_view, Encoding> byte_order_marks[] = { // the longer ones first
	{{"\xFF\xFE\0\0", 4}, {"UTF-32", "FF FE 00 00, a byte order mark"}},
	{{"\0\0\xFE\xFF", 4}, {"UTF-32", "00 00 FE FF, a byte order mark"}},
	{"\xFF\xFE", {"UTF-16", "FF FE, a byte order mark"}},
	{"\xFE\xFF", {"UTF-16", "FE FF, a byte order mark"}},
};

std::optional<Encoding> other_encoding(std::string_view bytes) noexcept
{
	for (const auto &[mark, encoding] : byte_order_marks)
		if (bytes.starts_with(mark))
			return encoding;
	constexpr std::size_t tried = 8;
	const auto zeros = [&](std::size_t unit, std::size_t at) { // in each unit all bytes but the one `at`
		for (std::size_t i = 0; i < tried; ++i)
			if ((bytes[i] != '\0') != (i % unit == at))
				return false;
		return true;
	};
	if (bytes.size() < tried)
		return std::nullopt;
	constexpr const char *sign = "characters with zero bytes";
	if (zeros(4, 0) || zeros(4, 3))
		return Encoding{zeros(4, 0) ? "UTF-32LE" : "UTF-32BE", sign};
	if (zeros(2, 0) || zeros(2, 1))
		return Encoding{zeros(2, 0) ? "UTF-16LE" : "UTF-16BE", sign};
	return std::nullopt;
}

} // namespace

BatchReader::BatchReader(Stream &file, RecordFormat &format, const RecordLimit &limit)
	: file_(file), format_(format), limit_(limit), wanted_(limit.first_read)
{
	if (format_.format == Format::lines)
		format_.line_ids = true;
	read_beginning();
	first_file_ = file_.name();
	format_.fields = 0;
	format_.line_end = find_line_end(format_, rest_);
	header_ = read_separator();
	if (format_.has_fields() && !(limit.may_be_empty && rest_.empty()))
		read_first_record();
}

void BatchReader::read_beginning()
{
	do {
		rest_.resize(limit_.first_read);
		rest_.resize(file_.read(rest_.data(), rest_.size()));
		if (const std::optional<Encoding> other = other_encoding(rest_))
			throw Failure(file_.name() + " is " + other->name + ", not UTF-8 (it begins with " + other->sign +
				"): iconv -f " + other->name + " -t UTF-8 FILE > NEW");
		if (rest_.starts_with("\xEF\xBB\xBF"))
			rest_.erase(0, 3);
	} while (rest_.empty() && file_.next_file());
}

// Spreadsheets name the delimiter by a first line "sep=;", which is no record. Returns it, and sets the delimiter.
std::string BatchReader::read_separator()
{
	constexpr std::string_view mark = "sep=";
	if (!format_.has_quotes() || !rest_.starts_with(mark.substr(0, rest_.size())))
		return {};
	begins_with_record(max_header);
	std::size_t lines = 0;
	const std::string line = rest_.substr(0, record_size(format_, rest_, lines));
	const std::string_view said = without_line_end(format_, line);
	if (said.size() != mark.size() + 1 || !said.starts_with(mark) || said.back() == '"')
		return {};
	format_.delimiter = said.back();
	rest_.erase(0, line.size());
	line_ += lines;
	return line;
}

bool BatchReader::begin_next_file()
{
	if (!file_.next_file())
		return false;
	read_beginning();
	if (rest_.empty())
		return false;
	at_end_ = false;
	line_ = 1;
	if (find_line_end(format_, rest_) != format_.line_end)
		throw Failure(file_.name() + ": its lines end otherwise than those of " + first_file_);
	const char delimiter = format_.delimiter;
	if (!read_separator().empty() && format_.delimiter != delimiter)
		throw Failure(file_.name() + ": its delimiter is another than that of " + first_file_);
	if (!format_.header || !format_.has_fields())
		return true;
	std::vector<std::string> names;
	std::size_t lines = 0;
	format_.fields = 0;
	const std::size_t size = first_record(names, lines);
	if (names != names_)
		throw Failure(file_.name() + ": its header is another than that of " + first_file_);
	rest_.erase(0, size);
	line_ += lines;
	return true;
}

// Reads on until the file begins with a whole record; false if it has none of at most that many bytes.
bool BatchReader::begins_with_record(std::size_t most)
{
	while (first_records(format_, rest_, 1).records == 0 && rest_.size() <= most) {
		const std::size_t size = rest_.size(), more = std::max(size, wanted_);
		rest_.resize(size + more);
		rest_.resize(size + file_.read(rest_.data() + size, more));
		if (rest_.size() == size)
			return !rest_.empty(); // its line end is missing
	}
	return rest_.size() <= most || first_records(format_, rest_, 1).bytes <= most;
}

// Returns the size of the first record and sets its fields: the header, or what tells the number of fields.
std::size_t BatchReader::first_record(std::vector<std::string> &names, std::size_t &lines)
{
	const bool found = begins_with_record(format_.header ? max_header : limit_.bytes);
	if (format_.header && !found)
		throw Failure(file_.name() + ": there is no header line");
	if (!found)
		return 0;
	const std::size_t size = record_size(format_, rest_, lines);
	FieldSplitter splitter(format_);
	const std::string wrong = splitter.split(std::string_view(rest_).substr(0, size));
	if (format_.header && !wrong.empty())
		throw Failure(file_.name() + ": line 1: " + wrong);
	for (const Field &field : splitter.fields())
		names.emplace_back(field.text);
	format_.fields = wrong.empty() ? names.size() : 0;
	return size;
}

void BatchReader::read_first_record()
{
	std::size_t lines = 0;
	const std::size_t size = first_record(names_, lines);
	if (const std::string wrong = find_fields(format_, names_); !wrong.empty())
		throw Failure(file_.name() + ": " + wrong, !format_.header);
	if (!format_.header) {
		names_.clear();
		return;
	}
	header_ += rest_.substr(0, size);
	rest_.erase(0, size);
	line_ += lines;
}

// Reads until the batch has `wanted` bytes or the file ends.
bool BatchReader::fill(Batch &batch, std::size_t wanted)
{
	if (batch.buffer.size() < wanted + record_padding)
		batch.buffer.resize(wanted + record_padding);
	const std::size_t n = file_.read(batch.buffer.data() + batch.size, wanted - batch.size);
	batch.size += n;
	return batch.size == wanted;
}

// Reads until the batch begins with a whole record, has more bytes than the limit, or the file ends.
WholeRecords BatchReader::read_whole(Batch &batch)
{
	WholeRecords whole{};
	std::size_t wanted = std::max(wanted_, 2 * rest_.size());
	for (;;) {
		at_end_ = at_end_ || !fill(batch, wanted);
		whole = whole_records(format_, batch.bytes());
		const std::size_t ended = whole.bytes;
		if (at_end_ && whole.bytes < batch.size) // the last record may lack a line end
			whole = {batch.size, whole.records + 1, whole.lines + 1};
		if (at_end_ || whole.bytes > 0 || batch.size > limit_.bytes)
			return without_blank_end(batch, whole, ended);
		wanted = std::min(2 * wanted, std::max(wanted, limit_.bytes) + batch_bytes);
	}
}

// Blank lines at the end are no records. They stay in rest_ until it is known whether a record follows. Behind `ended` is a record without an end; if
// that is an open quote, the lines after it belong to it.
WholeRecords BatchReader::without_blank_end(const Batch &batch, WholeRecords whole, std::size_t ended) const noexcept
{
	if (format_.format == Format::lines || format_.fields == 1)
		return whole;
	const WholeRecords all = whole;
	const std::string_view blank = format_.format == Format::jsonl ? " \t\r\n" : "\r\n";
	for (;;) {
		const std::string_view bytes = batch.bytes().substr(0, whole.bytes);
		const std::size_t before =
			bytes.empty() ? bytes.npos : bytes.substr(0, bytes.size() - 1).rfind(format_.line_end);
		const std::size_t begin = before == bytes.npos ? 0 : before + 1;
		if (bytes.empty() || begin > ended || bytes.find_first_not_of(blank, begin) != bytes.npos)
			break;
		whole = {begin, whole.records - 1, whole.lines - 1};
	}
	return whole.records > 0 || at_end_ ? whole : all;
}

// Ends the batch before its first record that is too long. Returns no record if that is the first one.
WholeRecords BatchReader::without_long_records(Batch &batch, const WholeRecords &whole)
{
	if (whole.bytes <= limit_.bytes)
		return whole;
	WholeRecords fitting{};
	while (fitting.records < whole.records) {
		std::size_t lines;
		const std::size_t size = record_size(format_, batch.bytes().substr(fitting.bytes), lines);
		if (size > limit_.bytes)
			break;
		fitting = {fitting.bytes + size, fitting.records + 1, fitting.lines + lines};
	}
	return fitting;
}

namespace {

// Follows a record byte by byte to its end, by the rules of record_size.
class LongRecord {
public:
	explicit LongRecord(const RecordFormat &format) : format_(format) {}

	bool ends_with(char c) noexcept
	{
		lines_ += c == format_.line_end;
		if (place_ == Place::quoted) {
			place_ = c == '"' ? Place::after_quote : Place::quoted;
			return false;
		}
		const bool opens = c == '"' && format_.has_quotes() && place_ != Place::within;
		place_ = opens ? Place::quoted : c == format_.delimiter ? Place::begin : Place::within;
		return c == format_.line_end;
	}
	bool is_open() const noexcept { return place_ == Place::quoted; }
	std::size_t lines() const noexcept { return lines_; }

private:
	const RecordFormat &format_;
	enum class Place { begin, within, quoted, after_quote } place_ = Place::begin; // within a field
	std::size_t lines_ = 0;
};

} // namespace

// Reads the record at the beginning of the batch to its end, keeping only what follows it; or ends reading.
void BatchReader::skip_record(Batch &batch)
{
	LongRecord record(format_);
	std::size_t lines = 0;
	for (std::size_t i = 0;; i = 0) {
		while (i < batch.size && !record.ends_with(batch.buffer[i]))
			++i;
		at_end_ = at_end_ || !limit_.skip;
		if (i < batch.size || at_end_) {
			lines = record.lines() + (i == batch.size); // the last record may lack a line end
			rest_.assign(batch.buffer, std::min(i + 1, batch.size), batch.size - std::min(i + 1, batch.size));
			break;
		}
		batch.size = 0;
		at_end_ = !fill(batch, batch_bytes);
	}
	batch.wrong = "the record is longer than " + std::to_string(limit_.bytes) + " bytes (--max-record)";
	if (record.is_open())
		batch.wrong += "; perhaps a quote is not closed";
	batch.size = 0;
	batch.buffer = {};
	end_batch(batch, {0, 1, lines});
}

void BatchReader::end_batch(Batch &batch, const WholeRecords &whole)
{
	batch.size = whole.bytes;
	batch.file = file_.name();
	batch.first_line = line_;
	batch.first_record = record_;
	batch.records = whole.records;
	line_ += whole.lines;
	record_ += whole.records;
}

bool BatchReader::next(Batch &batch)
{
	batch.size = 0;
	batch.wrong.clear();
	if (at_end_ && rest_.empty() && !begin_next_file())
		return false;
	if (batch.buffer.size() < rest_.size())
		batch.buffer.resize(rest_.size());
	rest_.copy(batch.buffer.data(), rest_.size());
	batch.size = rest_.size();
	WholeRecords whole = read_whole(batch);
	if (at_end_ && whole.records == 0) {
		rest_.clear();
		return next(batch);
	}
	whole = without_long_records(batch, whole);
	if (whole.records == 0) {
		skip_record(batch);
		return true;
	}
	if (whole.records > most_records)
		whole = first_records(format_, batch.bytes(), most_records);
	wanted_ = std::clamp(whole.bytes / whole.records * usual_records, least_bytes, batch_bytes);
	rest_.assign(batch.buffer, whole.bytes, batch.size - whole.bytes);
	end_batch(batch, whole);
	return true;
}

} // namespace txtfp::records
