#include "core/trigger/column_list.hpp"

#include <cstddef>

namespace txtfp::core {

namespace {

bool is_space(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool ends_name(char c) noexcept { return c == '\0' || c == ',' || c == ':'; }

void skip_spaces(char *&p) noexcept
{
	while (is_space(*p))
		++p;
}

// Ends the string from `begin` before the spaces at its end. False if nothing is left.
bool trim(const char *begin, char *end) noexcept
{
	while (end > begin && is_space(end[-1]))
		--end;
	const bool is_empty = end == begin;
	*end = '\0';
	return !is_empty;
}

// Reads the name behind an opening quote, in place, and ends it with a zero. `p` is then behind the closing quote.
ListError read_quoted(char *&p) noexcept
{
	char *out = p;
	for (const char *begin = p;; ++p) {
		if (*p == '\0')
			return ListError::open_quote;
		if (*p == '"' && *++p != '"') {
			*out = '\0'; // the place of the closing quote, or before it
			return out == begin ? ListError::no_name : ListError::none;
		}
		*out++ = *p;
	}
}

// Reads a column from `p` on, which is then at the character that ended it. This is returned in `end`, because a zero
// may have been written there.
ListError read_column(char *&p, ListedColumn &column, char &end) noexcept
{
	skip_spaces(p);
	const bool is_quoted = *p == '"';
	column = {is_quoted ? p + 1 : p, nullptr};
	if (is_quoted) {
		if (const ListError error = read_quoted(++p); error != ListError::none)
			return error;
		skip_spaces(p);
		if (!ends_name(*p))
			return ListError::text_after_name;
		end = *p;
	} else {
		for (; !ends_name(*p); ++p)
			if (*p == '"')
				return ListError::quote_in_name;
		end = *p;
		if (!trim(column.name, p))
			return ListError::no_name;
	}
	if (end != ':')
		return ListError::none;
	skip_spaces(++p);
	column.limit = p;
	while (*p != '\0' && *p != ',')
		++p;
	end = *p;
	return trim(column.limit, p) ? ListError::none : ListError::no_limit;
}

} // namespace

ListError read_column_list(char *text, std::span<ListedColumn> columns, int &count) noexcept
{
	char end = ',';
	count = 0;
	for (char *p = text; end != '\0'; ++p) {
		if (static_cast<std::size_t>(count) == columns.size())
			return ListError::too_many;
		if (const ListError error = read_column(p, columns[static_cast<std::size_t>(count)], end);
			error != ListError::none)
			return error;
		++count;
	}
	return ListError::none;
}

const char *describe(ListError error) noexcept
{
	switch (error) {
	case ListError::no_name:
		return "A name is missing.";
	case ListError::no_limit:
		return "A limit is missing behind a colon.";
	case ListError::open_quote:
		return "A quoted name does not end.";
	case ListError::quote_in_name:
		return "A name with a double quote must be quoted.";
	case ListError::text_after_name:
		return "There is text behind a quoted name.";
	case ListError::too_many:
		return "There are too many columns.";
	case ListError::none:
		break;
	}
	return "";
}

} // namespace txtfp::core
