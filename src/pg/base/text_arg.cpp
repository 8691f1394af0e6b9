#include "pg/base/text_arg.hpp"

#include <algorithm>

#include "core/text/utf8.hpp"

extern "C" {
#include "catalog/namespace.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "nodes/primnodes.h"
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

void tell_of_null(FunctionCallInfo fcinfo, const char *message, const char *hint)
{
	const auto *call = (const FuncExpr *) fcinfo->flinfo->fn_expr;
	if (call != nullptr && IsA(call, FuncExpr) && IsA(linitial(call->args), Const))
		ereport(NOTICE, (errmsg("%s", message), errhint("%s", hint)));
}

void tell_of_no_token(FunctionCallInfo fcinfo)
{
	tell_of_null(fcinfo, "the text has no word, so its fingerprint is null",
		"A distance to NULL is no order, and no condition on it is true.");
}

std::string_view from_utf8(std::string_view utf8)
{
	check_result_size(utf8);
	const char *converted = pg_any_to_server(utf8.data(), static_cast<int>(utf8.size()), PG_UTF8);
	return converted == utf8.data() ? utf8 : std::string_view(converted);
}

namespace {

// One character in the server encoding; false if that does not have it.
bool append_converted(StringInfo out, Oid conversion, std::string_view character)
{
	unsigned char buffer[8 * MAX_CONVERSION_GROWTH + 1];
	auto *from = (unsigned char *) const_cast<char *>(character.data());
	const auto size = static_cast<int>(character.size());
	if (pg_do_encoding_conversion_buf(
			conversion, PG_UTF8, GetDatabaseEncoding(), from, size, buffer, sizeof buffer, true) < size)
		return false;
	appendStringInfoString(out, (const char *) buffer);
	return true;
}

} // namespace

std::string_view from_utf8_with_escapes(std::string_view utf8)
{
	constexpr std::string_view escape = "\\u{";
	const int encoding = GetDatabaseEncoding();
	const bool converts = encoding != PG_UTF8 && encoding != PG_SQL_ASCII;
	if (!converts && utf8.find(escape) == utf8.npos)
		return utf8;
	const Oid conversion = converts ? FindDefaultConversionProc(PG_UTF8, encoding) : InvalidOid;
	StringInfoData out;
	initStringInfo(&out);
	while (!utf8.empty()) {
		const auto size = static_cast<std::size_t>(pg_utf_mblen((const unsigned char *) utf8.data()));
		const bool plain = size == 1 ? !utf8.starts_with(escape) : !converts;
		if (plain)
			appendBinaryStringInfo(&out, utf8.data(), static_cast<int>(size));
		else if (size == 1 || !OidIsValid(conversion) || !append_converted(&out, conversion, utf8.substr(0, size)))
			appendStringInfo(&out, "\\u{%x}", utf8_to_unicode((const unsigned char *) utf8.data()));
		utf8.remove_prefix(size);
	}
	return {out.data, static_cast<std::size_t>(out.len)};
}

text *make_text(std::string_view server_bytes)
{
	check_result_size(server_bytes);
	return cstring_to_text_with_len(server_bytes.data(), static_cast<int>(server_bytes.size()));
}

namespace {

constexpr int abbreviated_bytes = 60;

} // namespace

const char *abbreviated(std::string_view utf8)
{
	const std::size_t kept = core::character_boundary(utf8, abbreviated_bytes);
	const std::string_view bytes = from_utf8_with_escapes(utf8.substr(0, kept));
	return psprintf("%.*s%s", static_cast<int>(bytes.size()), bytes.data(), kept < utf8.size() ? "..." : "");
}

const char *abbreviated(const char *literal)
{
	const auto size = static_cast<int>(strnlen(literal, 2 * abbreviated_bytes));
	const int kept = pg_mbcliplen(literal, size, abbreviated_bytes);
	return psprintf("%.*s%s", kept, literal, kept < size ? "..." : "");
}

static bool is_letter(char c) { return IS_HIGHBIT_SET(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_document(std::string_view value)
{
	const auto is_digit = [](char c) { return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); };
	return has_words(value) ||
		(value.size() > 1 && std::all_of(value.begin(), value.end(), is_letter) &&
			!std::all_of(value.begin(), value.end(), is_digit));
}

bool has_words(std::string_view value)
{
	for (std::size_t i = 1; i + 1 < value.size(); ++i)
		if (value[i] == ' ' && is_letter(value[i - 1]) && is_letter(value[i + 1]))
			return true;
	return false;
}

const char *shortest(double value) { return float8out_internal(value); }

} // namespace txtfp::pg
