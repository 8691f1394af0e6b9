// canonicalize() and tokenize(): the steps before a fingerprint, for users who want to see or combine them.
#include <string>
#include <vector>

#include "core/text/canonical.hpp"
#include "core/text/tokens.hpp"
#include "pg/base/call_site.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/text/options.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/memutils.h"
}

using namespace txtfp;

namespace {

// The tokens, end to end, and where each ends. The size of the resulting array limits their number.
struct TokenList {
	std::size_t array_size = 0;
	std::string bytes;             // guarded: by make_owned
	std::vector<std::size_t> ends; // guarded: by make_owned
};

struct Tokens {
	const char *bytes;
	const std::size_t *ends;
	std::size_t count;

	std::size_t start(std::size_t i) const { return i == 0 ? 0 : ends[i - 1]; }
	std::string_view operator[](std::size_t i) const { return {bytes + start(i), ends[i] - start(i)}; }
};

// In a database of another encoding every token is converted by itself.
Tokens in_server_encoding(const Tokens &tokens)
{
	if (GetDatabaseEncoding() == PG_UTF8 || GetDatabaseEncoding() == PG_SQL_ASCII)
		return tokens;
	StringInfoData bytes;
	initStringInfo(&bytes);
	auto *ends = static_cast<std::size_t *>(
		MemoryContextAllocHuge(CurrentMemoryContext, (tokens.count + 1) * sizeof(std::size_t)));
	for (std::size_t i = 0; i < tokens.count; ++i) {
		CHECK_FOR_INTERRUPTS();
		const std::string_view token = pg::from_utf8(tokens[i]);
		appendBinaryStringInfo(&bytes, token.data(), static_cast<int>(token.size()));
		ends[i] = static_cast<std::size_t>(bytes.len);
	}
	return {bytes.data, ends, tokens.count};
}

// A one-dimensional text[] in one allocation: a document may have tens of millions of tokens.
ArrayType *make_text_array(const Tokens &tokens)
{
	if (tokens.count == 0)
		return construct_empty_array(TEXTOID);
	std::size_t size = ARR_OVERHEAD_NONULLS(1);
	for (std::size_t i = 0; i < tokens.count; ++i)
		size += INTALIGN(VARHDRSZ + tokens[i].size());
	if (size > MaxAllocSize)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("array of tokens would exceed 1 GB")));
	auto *array = static_cast<ArrayType *>(palloc0(size));
	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->elemtype = TEXTOID;
	ARR_DIMS(array)[0] = static_cast<int>(tokens.count);
	ARR_LBOUND(array)[0] = 1;
	char *to = ARR_DATA_PTR(array);
	for (std::size_t i = 0; i < tokens.count; ++i) {
		const std::string_view token = tokens[i];
		SET_VARSIZE(to, VARHDRSZ + token.size());
		memcpy(VARDATA(to), token.data(), token.size());
		to += INTALIGN(VARHDRSZ + token.size());
	}
	return array;
}

} // namespace

TXTFP_FUNCTION(txtfp_canonicalize)
{
	using Canonicalizer = pg::ParsedOption<pg::canonicalizer_option>;
	const core::CanonicalOptions options = pg::call_site<Canonicalizer>(fcinfo)(pg::text_arg(fcinfo, 1));
	const std::string_view doc = pg::text_arg(fcinfo, 0);
	auto *out = pg::make_owned<core::TextBuffer>(CurrentMemoryContext);
	pg::guarded([&] { *out = core::canonicalize(doc, options, pg::stop_token); });
	PG_RETURN_TEXT_P(pg::make_text(pg::from_utf8(*out)));
}

TXTFP_FUNCTION(txtfp_tokenize)
{
	using Tokenizer = pg::ParsedOption<pg::tokenizer_option>;
	const core::TokenizerSpec spec = pg::call_site<Tokenizer>(fcinfo)(pg::text_arg(fcinfo, 1));
	const std::string_view doc = pg::text_arg(fcinfo, 0);
	auto *list = pg::make_owned<TokenList>(CurrentMemoryContext);
	pg::guarded([&] {
		core::for_each_token(
			doc, spec,
			[list](std::string_view token) {
				list->array_size += INTALIGN(VARHDRSZ + token.size());
				if (list->array_size > MaxAllocSize)
					throw core::Error(core::ErrorKind::too_large, "array of tokens would exceed 1 GB");
				list->bytes.append(token);
				list->ends.push_back(list->bytes.size());
			},
			pg::stop_token);
	});
	const Tokens tokens{list->bytes.data(), list->ends.data(), list->ends.size()};
	PG_RETURN_ARRAYTYPE_P(make_text_array(in_server_encoding(tokens)));
}
