#include "records/columns.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <functional>
#include <unordered_set>

#include "core/base/numbers.hpp"
#include "records/failure.hpp"

namespace txtfp::records {

// ------------------------------------------------------------------------------------------------- types

namespace {

template <class Integer> bool is_integer(std::string_view text, Integer &value) noexcept
{
	const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
	return error == std::errc() && end == text.data() + text.size() && text != "-0";
}

// The significant digits of a number, and the power of ten of the first one.
struct Decimal {
	char digits[32];
	std::size_t size = 0;
	long exponent = 0;
	bool fits = true;

	explicit Decimal(std::string_view number) noexcept
	{
		bool fraction = false, any = false;
		std::size_t i = number.starts_with('-') ? 1 : 0;
		for (; i < number.size() && number[i] != 'e' && number[i] != 'E'; ++i) {
			if (number[i] == '.') {
				fraction = true;
				continue;
			}
			any = any || number[i] != '0';
			if (any)
				exponent += fraction ? 0 : 1;
			else
				exponent -= fraction ? 1 : 0;
			if (any && number[i] != '0')
				put(number[i], zeros_before_);
			else if (any)
				++zeros_before_;
		}
		if (i < number.size()) {
			long power = 0;
			const std::size_t begin = number.substr(i + 1).starts_with('+') ? i + 2 : i + 1;
			const auto parsed = std::from_chars(number.data() + begin, number.data() + number.size(), power);
			fits = fits && parsed.ec == std::errc();
			exponent += power;
		}
		if (size == 0)
			exponent = 0;
	}
	std::string_view view() const noexcept { return {digits, size}; }

private:
	void put(char digit, std::size_t &zeros) noexcept
	{
		for (; zeros > 0 && size < sizeof digits; --zeros)
			digits[size++] = '0';
		if (size < sizeof digits)
			digits[size++] = digit;
		else
			fits = false;
	}
	std::size_t zeros_before_ = 0;
};

} // namespace

bool is_exact_double(std::string_view number) noexcept
{
	// No two decimals of 15 digits have the same nearest double.
	const std::size_t digits = number.size() - (number.find('.') != number.npos);
	if (digits <= 15 && number.find_first_of("eE") == number.npos)
		return true;
	double value = 0;
	const auto [end, error] = core::from_chars(number.data(), number.data() + number.size(), value);
	if (error != std::errc() || end != number.data() + number.size())
		return false;
	char shortest[32];
	const auto written = std::to_chars(shortest, std::end(shortest), value, std::chars_format::scientific);
	const Decimal a(number), b(std::string_view(shortest, static_cast<std::size_t>(written.ptr - shortest)));
	return a.fits && a.view() == b.view() && a.exponent == b.exponent;
}

void ColumnKinds::add(const JsonValue &value) noexcept
{
	using Kind = JsonValue::Kind;
	switch (value.kind) {
	case Kind::missing:
	case Kind::null:
		return;
	case Kind::string:
		strings_ = true;
		return;
	case Kind::boolean:
		booleans_ = true;
		return;
	case Kind::number:
		numbers_ = true;
		return add_number(value.text);
	case Kind::array:
	case Kind::object:
		others_ = true;
	}
}

void ColumnKinds::add_number(std::string_view number) noexcept
{
	constexpr std::int64_t most = std::int64_t{1} << 53; // doubles have all integers up to it
	std::int64_t whole = 0;
	std::uint64_t natural = 0;
	if (is_integer(number, whole)) {
		uint64_ = uint64_ && whole >= 0;
		real_ = real_ && ((-most <= whole && whole <= most) || is_exact_double(number));
		return;
	}
	int64_ = false;
	uint64_ = uint64_ && is_integer(number, natural);
	real_ = real_ && is_exact_double(number);
}

void ColumnKinds::merge(const ColumnKinds &other) noexcept
{
	strings_ |= other.strings_;
	booleans_ |= other.booleans_;
	numbers_ |= other.numbers_;
	others_ |= other.others_;
	int64_ &= other.int64_;
	uint64_ &= other.uint64_;
	real_ &= other.real_;
}

ColumnType ColumnKinds::type() const noexcept
{
	if (strings_ || others_ || booleans_ == numbers_)
		return ColumnType::text;
	if (booleans_)
		return ColumnType::boolean;
	return int64_ ? ColumnType::int64 : uint64_ ? ColumnType::uint64 : real_ ? ColumnType::real : ColumnType::text;
}

std::size_t ColumnSet::find(std::string_view name) const noexcept
{
	const auto found = places_.find(name);
	return found == places_.end() ? size() : found->second;
}

std::size_t ColumnSet::place(std::string_view name)
{
	const std::size_t found = find(name);
	if (found == size()) {
		names_.emplace_back(name);
		kinds_.emplace_back();
		places_.emplace(name, found);
	}
	return found;
}

void ColumnSet::merge(const ColumnSet &other)
{
	for (std::size_t i = 0; i < other.size(); ++i)
		kinds_[place(other.name(i))].merge(other.kinds(i));
}

// ------------------------------------------------------------------------------------------------- rows

void ColumnRows::clear() noexcept
{
	ends.clear();
	bytes.clear();
	words.clear();
	valid.clear();
}

void TableRows::clear() noexcept
{
	for (ColumnRows &column : columns)
		column.clear();
	rows = records = without_text = refused = 0;
	error.clear();
}

void ColumnRows::add_nulls(std::size_t n)
{
	valid.resize(valid.size() + n);
	if (type == ColumnType::text)
		ends.resize(ends.size() + n, static_cast<std::int32_t>(bytes.size()));
	else
		words.resize(words.size() + n);
}

void ColumnRows::add_text(std::string_view text)
{
	valid.push_back(true);
	bytes += text;
	ends.push_back(static_cast<std::int32_t>(bytes.size()));
}

void ColumnRows::add(const JsonValue &value)
{
	if (value.kind == JsonValue::Kind::missing || value.kind == JsonValue::Kind::null)
		return add_nulls(1);
	if (type == ColumnType::text)
		return add_text(value.text);
	valid.push_back(true);
	const char *begin = value.text.data(), *end = begin + value.text.size();
	std::int64_t whole = 0;
	std::uint64_t natural = 0;
	double real = 0;
	switch (type) {
	case ColumnType::int64:
		std::from_chars(begin, end, whole);
		return words.push_back(static_cast<std::uint64_t>(whole));
	case ColumnType::uint64:
		std::from_chars(begin, end, natural);
		return words.push_back(natural);
	case ColumnType::real:
		core::from_chars(begin, end, real);
		return words.push_back(std::bit_cast<std::uint64_t>(real));
	default:
		words.push_back(value.text == "true");
	}
}

// ------------------------------------------------------------------------------------------------- records

std::vector<std::string> default_names(const RecordFormat &format)
{
	if (format.format == Format::lines)
		return {"text"};
	std::vector<std::string> names;
	for (std::size_t i = 1; i <= format.fields; ++i)
		names.push_back(std::to_string(i));
	return names;
}

std::vector<std::string> distinct_names(const std::vector<std::string> &header)
{
	std::unordered_set<std::string_view> given(header.begin(), header.end()), seen;
	std::unordered_set<std::string> made;
	std::unordered_map<std::string_view, std::size_t> numbers;
	std::vector<std::string> names = header;
	for (std::size_t i = 0; i < header.size(); ++i) {
		if (seen.insert(header[i]).second)
			continue;
		std::size_t &number = numbers.try_emplace(header[i], 1).first->second;
		do
			names[i] = header[i] + "_" + std::to_string(++number);
		while (given.contains(names[i]) || !made.insert(names[i]).second);
	}
	return names;
}

TableParser::TableParser(const RecordFormat &format, const std::vector<std::string> &header, const AskedFields &asked)
	: format_(format), header_(header), asked_(asked), splitter_(format)
{
}

// The text, id and priority of a JSON object; other fields may be anything.
std::string TableParser::check_json(bool &has_text) const
{
	using Kind = JsonValue::Kind;
	const auto wrong = [](const std::string &name, const char *what) { return "the field " + in_quotes(name) + what; };
	if (!asked_.text.empty()) {
		const Kind kind = object_.find(asked_.text).kind;
		if (kind == Kind::missing)
			return "there is no field " + in_quotes(asked_.text);
		if (kind != Kind::string && kind != Kind::null)
			return wrong(asked_.text, " is not a string");
		has_text = kind == Kind::string;
	}
	if (!asked_.id.empty()) {
		const JsonValue id = object_.find(asked_.id);
		if (id.kind == Kind::missing)
			return "there is no field " + in_quotes(asked_.id);
		if (id.kind != Kind::string && id.kind != Kind::number)
			return wrong(asked_.id, " is neither a string nor a number");
		if (id.text.empty())
			return wrong(asked_.id, " is empty");
	}
	if (!asked_.priority.empty()) {
		const Kind kind = object_.find(asked_.priority).kind;
		if (kind != Kind::missing && kind != Kind::null && kind != Kind::number)
			return wrong(asked_.priority, " is not a number");
	}
	return {};
}

// Returns what is wrong with the record, or "".
std::string TableParser::read(std::string_view bytes, bool &has_text)
{
	has_text = true;
	if (format_.format == Format::jsonl) {
		std::string wrong = object_.parse(without_line_end(format_, bytes));
		return wrong.empty() ? check_json(has_text) : wrong;
	}
	if (format_.format == Format::lines)
		return is_valid_utf8(bytes) ? "" : "the text is not valid UTF-8";
	std::string wrong = splitter_.split(bytes);
	if (!wrong.empty())
		return wrong;
	if (splitter_.fields().size() != header_.size())
		return "there are " + std::to_string(splitter_.fields().size()) + " fields, not " +
			std::to_string(header_.size());
	for (std::size_t i = 0; i < header_.size(); ++i) {
		if (!is_valid_utf8(splitter_.fields()[i].text))
			return "the field " + in_quotes(header_[i]) + " is not valid UTF-8";
		if (header_[i].empty()) // an empty name is nobody's that asks for it
			continue;
		if (header_[i] == asked_.text)
			has_text = !splitter_.fields()[i].is_null;
		if (header_[i] == asked_.id && (splitter_.fields()[i].is_null || splitter_.fields()[i].text.empty()))
			return "the id is empty";
	}
	return {};
}

template <class Visit> void TableParser::for_each(const Batch &batch, TableRows &counts, const Visit &visit)
{
	std::string_view rest = batch.bytes();
	std::uint64_t line = batch.first_line;
	for (std::uint64_t i = 0; i < batch.records; ++i) {
		std::size_t lines = 0, size = 0;
		bool has_text = true;
		std::string wrong = batch.wrong;
		if (wrong.empty()) {
			size = record_size(format_, rest, lines);
			wrong = read(rest.substr(0, size), has_text);
		}
		++counts.records;
		if (wrong.empty()) {
			counts.without_text += !has_text;
			++counts.rows;
			visit(rest.substr(0, size));
		} else {
			if (counts.refused == 0)
				counts.error = "line " + std::to_string(line) + ": " + wrong;
			++counts.refused;
		}
		rest.remove_prefix(size);
		line += lines;
	}
}

void TableParser::scan(const Batch &batch, ColumnSet &columns, bool keep, TableRows &rows)
{
	rows.columns.clear();
	rows.clear();
	for_each(batch, rows, [&](std::string_view) { scan_object(columns, keep, rows); });
}

void TableParser::scan_object(ColumnSet &columns, bool keep, TableRows &rows)
{
	row_.assign(columns.size(), JsonValue());
	std::size_t guess = 0; // objects mostly have the same members in the same order
	for (const JsonMember &member : object_.members()) { // of one name the last
		const std::size_t place = columns.place(member.name, guess);
		if (place == row_.size())
			row_.emplace_back();
		row_[place] = member.value;
		guess = place + 1;
	}
	for (std::size_t i = 0; i < row_.size(); ++i)
		columns.kinds(i).add(row_[i]);
	if (!keep)
		return;
	while (rows.columns.size() < row_.size())
		rows.columns.emplace_back().add_nulls(rows.rows - 1); // of the rows before this one
	for (std::size_t i = 0; i < row_.size(); ++i)
		rows.columns[i].add(row_[i]);
}

void TableParser::parse(
	const Batch &batch, const ColumnSet &columns, const std::vector<std::size_t> &wanted, TableRows &rows)
{
	rows.clear();
	rows.columns.resize(wanted.size());
	for (std::size_t i = 0; i < wanted.size(); ++i)
		rows.columns[i].type = columns.kinds(wanted[i]).type();
	std::vector<std::size_t> places;
	for (const std::string &name : header_)
		places.push_back(columns.find(name));
	for_each(batch, rows, [&](std::string_view record) {
		row_.assign(columns.size() + 1, JsonValue());
		const auto string = [](std::string_view text) { return JsonValue{JsonValue::Kind::string, text}; };
		if (format_.format == Format::jsonl)
			for (std::size_t guess = 0; const JsonMember &member : object_.members()) { // of one name the last
				const std::size_t place = columns.find(member.name, guess);
				row_[place] = member.value;
				guess = place + 1;
			}
		else if (format_.format == Format::lines)
			row_[places[0]] = string(without_line_end(format_, record));
		else
			for (std::size_t i = 0; i < places.size(); ++i)
				if (!splitter_.fields()[i].is_null)
					row_[places[i]] = string(splitter_.fields()[i].text);
		for (std::size_t i = 0; i < wanted.size(); ++i)
			rows.columns[i].add(row_[wanted[i]]);
	});
}

} // namespace txtfp::records
