#include "pg/base/text_arg.hpp"

extern "C" {
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/memutils.h"
}

namespace txtfp::pg {

static void check_result_size(std::string_view bytes)
{
	if (bytes.size() > MaxAllocSize - VARHDRSZ)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("result text would exceed 1 GB")));
}

std::string_view to_utf8(const text *value)
{
	char *bytes = const_cast<char *>(VARDATA_ANY(value));
	const int size = static_cast<int>(VARSIZE_ANY_EXHDR(value));
	const int encoding = GetDatabaseEncoding();
	if (encoding == PG_SQL_ASCII)
		pg_verify_mbstr(PG_UTF8, bytes, size, false);
	if (encoding == PG_SQL_ASCII || encoding == PG_UTF8)
		return {bytes, static_cast<std::size_t>(size)};
	const char *converted = pg_server_to_any(bytes, size, PG_UTF8);
	return converted == bytes ? std::string_view(bytes, static_cast<std::size_t>(size)) : std::string_view(converted);
}

std::string_view text_arg(FunctionCallInfo fcinfo, int i) { return to_utf8(PG_GETARG_TEXT_PP(i)); }

std::string_view from_utf8(std::string_view utf8)
{
	check_result_size(utf8);
	const char *converted = pg_any_to_server(utf8.data(), static_cast<int>(utf8.size()), PG_UTF8);
	return converted == utf8.data() ? utf8 : std::string_view(converted);
}

text *make_text(std::string_view server_bytes)
{
	check_result_size(server_bytes);
	return cstring_to_text_with_len(server_bytes.data(), static_cast<int>(server_bytes.size()));
}

const char *shown(std::string_view utf8)
{
	const std::string_view bytes = from_utf8(utf8);
	return pnstrdup(bytes.data(), bytes.size());
}

const char *shown(double value) { return float8out_internal(value); }

const char *beginning(const char *literal)
{
	constexpr int limit = 40;
	const auto size = static_cast<int>(strnlen(literal, 2 * limit));
	const int kept = pg_mbcliplen(literal, size, limit);
	return psprintf("%.*s%s", kept, literal, kept < size ? "..." : "");
}

} // namespace txtfp::pg
