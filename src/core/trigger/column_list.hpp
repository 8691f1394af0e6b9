// A list of columns, each perhaps with a limit: `fp:0.8, "My column": 3`.
//
// A name is written as it is, without folding to lower case. One with a comma, a colon, a double quote, or a space at
// its begin or end stands in double quotes, in which a double quote is written twice. Spaces around names and limits do
// not count. What a limit means is the caller's.
//
// The functions neither allocate nor fail.
#pragma once

#include <span>

namespace txtfp::core {

struct ListedColumn {
	const char *name;
	const char *limit; // nullptr: none
};

enum class ListError { none, no_name, no_limit, open_quote, quote_in_name, text_after_name, too_many };

// Reads a list into `columns`, whose strings are parts of the text: this is overwritten. Sets `count`.
ListError read_column_list(char *text, std::span<ListedColumn> columns, int &count) noexcept;

// What is wrong, as a sentence.
const char *describe(ListError error) noexcept;

} // namespace txtfp::core
