#include "core/trigger/column_list.hpp"

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "unit/check.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

constexpr std::size_t max_listed = 4;

// "name=limit|name|…", or what is wrong.
std::string columns_of(std::string text)
{
	ListedColumn columns[max_listed];
	int count;
	const ListError error = read_column_list(text.data(), columns, count);
	if (error != ListError::none)
		return describe(error);
	std::string out;
	for (int i = 0; i < count; ++i) {
		out += i == 0 ? "" : "|";
		out += columns[i].name;
		if (columns[i].limit != nullptr)
			out += std::string("=") + columns[i].limit;
	}
	return out;
}

std::string in_quotes(std::string_view name)
{
	std::string out = "\"";
	for (const char c : name)
		out += c == '"' ? "\"\"" : std::string(1, c);
	return out + '"';
}

} // namespace

TEST(column_lists)
{
	const struct {
		const char *text, *columns;
	} lists[] = {
		{"fp", "fp"},
		{"fp:0.8", "fp=0.8"},
		{"fp:0.8,meaning:0.95", "fp=0.8|meaning=0.95"},
		{" fp : 0.8 ,\tmeaning\n:  0.95\r", "fp=0.8|meaning=0.95"},
		{"fp, Sh:3, p", "fp|Sh=3|p"},
		{"my column:1, x", "my column=1|x"},
		{"\"a, b\":0.8,\"c:d\"", "a, b=0.8|c:d"},
		{R"("""":1, " x " , "say ""hi""")", "\"=1| x |say \"hi\""},
		{"\"fp\" : 2", "fp=2"},
		{"a:b:c", "a=b:c"},
		{"a:1 2", "a=1 2"},
		{"ä:ö", "ä=ö"},
		{"a,b,c,d", "a|b|c|d"},
		{"", "A name is missing."},
		{"  ", "A name is missing."},
		{",fp", "A name is missing."},
		{"fp,", "A name is missing."},
		{"fp,,x", "A name is missing."},
		{":0.8", "A name is missing."},
		{"\"\":0.8", "A name is missing."},
		{"fp:", "A limit is missing behind a colon."},
		{"fp: ,x", "A limit is missing behind a colon."},
		{"\"fp\":", "A limit is missing behind a colon."},
		{"\"fp", "A quoted name does not end."},
		{"\"fp\"\"", "A quoted name does not end."},
		{"\"", "A quoted name does not end."},
		{"f\"p\"", "A name with a double quote must be quoted."},
		{"\"fp\"x:1", "There is text behind a quoted name."},
		{"\"a\" \"b\"", "There is text behind a quoted name."},
		{"a,b,c,d,e", "There are too many columns."},
	};
	for (const auto &list : lists)
		CHECK_EQ(columns_of(list.text), list.columns, list.text);
}

// Whatever the names are, a list of them is read as it was written.
TEST(column_lists_of_any_names)
{
	std::mt19937_64 random(1);
	constexpr std::string_view characters = "ab\",: \t";
	for (int round = 0; round < 3000; ++round) {
		std::string text, expected;
		const std::size_t columns = 1 + random() % max_listed;
		for (std::size_t i = 0; i < columns; ++i) {
			std::string name;
			do
				name += characters[random() % characters.size()];
			while (random() % 4 != 0);
			const bool has_limit = random() % 2 == 0;
			const std::string space(random() % 2, ' ');
			text +=
				(i == 0 ? "" : space + ',' + space) + in_quotes(name) + space + (has_limit ? ":" + space + "7" : "");
			expected += (i == 0 ? "" : "|") + name + (has_limit ? "=7" : "");
		}
		CHECK_EQ(columns_of(text), expected, text);
	}
}
