// All fields of the records of text files as columns, for hosts that keep tables.
//
// A column has the type that JSON gives to its values: boolean, or number if each number survives unchanged as a 64-bit
// integer or in double precision. Otherwise it is text: strings as they are, everything else as it is written. Fields of
// CSV, TSV and lines are always text. Nothing is guessed from what a text looks like.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "records/batches.hpp"
#include "records/format.hpp"
#include "records/json.hpp"

namespace txtfp::records {

enum class ColumnType { text, int64, uint64, real, boolean };

// Which kinds of values a column has, over any number of records.
class ColumnKinds {
public:
	void add(const JsonValue &value) noexcept;
	void add_text() noexcept { strings_ = true; }
	void merge(const ColumnKinds &other) noexcept;
	ColumnType type() const noexcept; // text if there is no value

private:
	void add_number(std::string_view number) noexcept;

	bool strings_ = false, booleans_ = false, numbers_ = false, others_ = false;
	bool int64_ = true, uint64_ = true, real_ = true; // every number survives as one
};

// The columns of all files, in the order in which they come up.
class ColumnSet {
public:
	std::size_t place(std::string_view name);               // adds it if it is new
	std::size_t find(std::string_view name) const noexcept; // size() if there is none
	// The same, if the column is often at `guess`.
	std::size_t place(std::string_view name, std::size_t guess) { return is_at(guess, name) ? guess : place(name); }
	std::size_t find(std::string_view name, std::size_t guess) const noexcept
	{
		return is_at(guess, name) ? guess : find(name);
	}
	std::size_t size() const noexcept { return names_.size(); }
	const std::string &name(std::size_t place) const noexcept { return names_[place]; }
	ColumnKinds &kinds(std::size_t place) noexcept { return kinds_[place]; }
	const ColumnKinds &kinds(std::size_t place) const noexcept { return kinds_[place]; }
	void merge(const ColumnSet &other);

private:
	bool is_at(std::size_t place, std::string_view name) const noexcept
	{
		return place < names_.size() && names_[place] == name;
	}
	struct Hash {
		using is_transparent = void;
		std::size_t operator()(std::string_view name) const noexcept { return std::hash<std::string_view>()(name); }
	};
	std::vector<std::string> names_;
	std::vector<ColumnKinds> kinds_;
	std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> places_;
};

// Names of the fields that the host asks for; empty: none. A record without a text field, or whose text is no string,
// id neither string nor number, or priority no number, is refused.
struct AskedFields {
	std::string text, id, priority;
};

// The rows of one column.
struct ColumnRows {
	ColumnType type = ColumnType::text;
	std::vector<std::int32_t> ends;   // text: where each value ends in `bytes`
	std::string bytes;                // text
	std::vector<std::uint64_t> words; // the other types: the bits of each value
	std::vector<std::uint8_t> valid;  // 0: null

	void clear() noexcept; // keeps the memory
	void add_nulls(std::size_t n);
	void add_text(std::string_view text);
	void add(const JsonValue &value);
};

struct TableRows {
	std::vector<ColumnRows> columns;
	std::uint64_t rows = 0, records = 0, without_text = 0, refused = 0;
	std::string error; // describes the first refused record: "line 7: …"

	void clear() noexcept; // keeps the memory of the columns
};

// Parses batches; one object for each thread.
class TableParser {
public:
	// `header` has the names of the fields of a file of tsv or csv; without one, and for lines, see default_names.
	TableParser(const RecordFormat &format, const std::vector<std::string> &header, const AskedFields &asked);

	// Objects: adds their columns, and the kinds of their values, to `columns`. With `keep` sets the rows of all columns,
	// each as text, so that they can become columns of any type; without, only how many there are.
	void scan(const Batch &batch, ColumnSet &columns, bool keep, TableRows &rows);
	// Sets the rows of the columns `wanted`, which are places of `columns`.
	void parse(const Batch &batch, const ColumnSet &columns, const std::vector<std::size_t> &wanted, TableRows &rows);

private:
	template <class Visit> void for_each(const Batch &batch, TableRows &counts, const Visit &visit);
	void scan_object(ColumnSet &columns, bool keep, TableRows &rows);
	std::string read(std::string_view bytes, bool &has_text);
	std::string check_json(bool &has_text) const;

	const RecordFormat &format_;
	const std::vector<std::string> &header_;
	const AskedFields &asked_;
	JsonReader object_;
	FieldSplitter splitter_;
	std::vector<JsonValue> row_;
};

// The names of the columns of a header, in which a name may occur several times: all but the first one get a number, "tag_2".
std::vector<std::string> distinct_names(const std::vector<std::string> &header);

// The names of the columns of a file without a header: "text" for lines, else "1", "2", and so on.
std::vector<std::string> default_names(const RecordFormat &format);

// True if the nearest double has the value of the number as it is written.
bool is_exact_double(std::string_view number) noexcept;

} // namespace txtfp::records
