// Lists of columns of any bytes: what is read can be written, quoted, and is read as the same again. Names are never
// empty, limits have no space at their ends.
#include "core/trigger/column_list.hpp"

#include <vector>

#include "fuzz/fuzz.hpp"

using namespace txtfp::core;
using namespace txtfp::fuzz;

namespace {

struct Column {
	std::string name, limit;
	bool has_limit;

	bool operator==(const Column &) const = default;
};

bool read(std::string text, std::vector<Column> &out)
{
	ListedColumn columns[8];
	int count;
	const ListError error = read_column_list(text.data(), columns, count);
	REQUIRE_EQ(*describe(error) == '\0', error == ListError::none);
	REQUIRE_EQ(count >= 0 && count <= 8, true);
	if (error != ListError::none)
		return false;
	for (int i = 0; i < count; ++i) {
		const bool has_limit = columns[i].limit != nullptr;
		out.push_back({columns[i].name, has_limit ? columns[i].limit : "", has_limit});
	}
	return true;
}

std::string written(const std::vector<Column> &columns)
{
	std::string out;
	for (const Column &column : columns) {
		out += out.empty() ? "\"" : ", \"";
		for (const char c : column.name)
			out += c == '"' ? "\"\"" : std::string(1, c);
		out += column.has_limit ? "\":" + column.limit : "\"";
	}
	return out;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	const std::string_view bytes = Input(data, size).rest();
	const std::string text(bytes.substr(0, bytes.find('\0')));
	std::vector<Column> columns, again;
	if (!read(text, columns))
		return 0;
	REQUIRE_EQ(columns.empty(), false);
	for (const Column &column : columns) {
		REQUIRE_EQ(column.name.empty(), false);
		if (column.has_limit)
			REQUIRE_EQ(column.limit.find_first_not_of(" \t\r\n") == 0 &&
					column.limit.find_last_not_of(" \t\r\n") == column.limit.size() - 1,
				true);
	}
	REQUIRE_EQ(read(written(columns), again), true);
	REQUIRE_EQ(again == columns, true);
	return 0;
}
