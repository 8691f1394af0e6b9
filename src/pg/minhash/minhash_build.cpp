// to_minhash64, to_minhash128, to_minhash256 and to_minhash64_compact …: sketches of a text, or of any set of tokens.
#include "core/text/config.hpp"
#include "pg/base/call_site.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/minhash/minhash.hpp"
#include "pg/text/options.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/array.h"
}

using namespace txtfp;

namespace {

struct SketchCall {
	pg::TextOptionArguments arguments;
	core::TextOptions options;     // of the last call
	std::uint64_t config_hash = 0; // of `options`; 0 before the first call
};

// The options and configuration of the arguments (doc, tokenizer, canonicalizer, hash, seed).
template <std::size_t H> const SketchCall &sketch_call(FunctionCallInfo fcinfo)
{
	SketchCall &call = pg::call_site<SketchCall>(fcinfo);
	const core::TextOptions options = call.arguments.read(fcinfo, 1, core::default_tokenizer);
	if (call.config_hash == 0 || options != call.options) {
		call.options = options;
		pg::guarded([&] { call.config_hash = core::minhash_config(options, H); });
	}
	return call;
}

// What a function of a sketch returns: NULL for a text without tokens, because a generated column must not reject a
// row.
Datum full_result(FunctionCallInfo fcinfo, const pg::Minhash *value)
{
	if (value == nullptr)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(value);
}

Datum compact_result(FunctionCallInfo fcinfo, const pg::Minhash *value)
{
	if (value == nullptr)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(pg::make_compact(*value));
}

// nullptr: the text has no token.
template <std::size_t H> const pg::Minhash *sketch_text(FunctionCallInfo fcinfo)
{
	const SketchCall &call = sketch_call<H>(fcinfo);
	const std::string_view doc = pg::text_arg(fcinfo, 0);
	pg::Minhash *value = pg::allocate_minhash(H);
	value->config = call.config_hash;
	bool any = false;
	pg::guarded([&] { any = core::minhash(doc, call.options, value->view(), pg::stop_token); });
	if (!any)
		pg::tell_of_no_token(fcinfo);
	return any ? value : nullptr;
}

// The configuration of a set of tokens, from the arguments (tokens, hash, seed, tokenizer, canonicalizer): 0, unknown,
// unless the caller names the tokenizer. The tokenizer may be one that txtfp does not have.
template <std::size_t H>
std::uint64_t declared_config(FunctionCallInfo fcinfo, core::HashFamily family, std::uint64_t seed)
{
	const std::string_view canonicalizer = pg::text_arg(fcinfo, 4);
	pg::canonicalizer_option(canonicalizer); // raises an error unless it is one
	if (PG_ARGISNULL(3))
		return 0;
	const std::string_view tokenizer = pg::text_arg(fcinfo, 3);
	std::uint64_t config = 0;
	pg::guarded(
		[&] { config = core::config_hash(canonicalizer, tokenizer, core::minhash_algorithm(H), family, seed); });
	return config;
}

// nullptr: an argument is NULL, or the set is empty.
template <std::size_t H> const pg::Minhash *sketch_tokens(FunctionCallInfo fcinfo)
{
	for (const int i : {0, 1, 2, 4})
		if (PG_ARGISNULL(i))
			return nullptr;
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(0);
	const core::HashFamily family = pg::hash_option(pg::text_arg(fcinfo, 1));
	const auto seed = static_cast<std::uint64_t>(PG_GETARG_INT64(2));
	if (array_contains_nulls(array))
		ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("array of tokens must not contain nulls"),
				errhint("array_remove(tokens, NULL) leaves them out.")));
	pg::Minhash *value = pg::allocate_minhash(H);
	value->config = declared_config<H>(fcinfo, family, seed);
	core::MinhashBuilder builder(family, seed, value->view());
	static_assert(std::is_trivially_destructible_v<core::MinhashBuilder>);

	ArrayIterator tokens = array_create_iterator(array, 0, nullptr);
	Datum token;
	bool is_null;
	while (array_iterate(tokens, &token, &is_null)) {
		CHECK_FOR_INTERRUPTS();
		text *packed = DatumGetTextPP(token);
		const std::string_view utf8 = pg::to_utf8(packed);
		builder.add(utf8);
		if (utf8.data() != VARDATA_ANY(packed))
			pfree(const_cast<char *>(utf8.data()));
	}
	array_free_iterator(tokens);
	return builder.finish() ? value : nullptr;
}

} // namespace

TXTFP_FUNCTION(txtfp_to_minhash64) { return full_result(fcinfo, sketch_text<64>(fcinfo)); }
TXTFP_FUNCTION(txtfp_to_minhash128) { return full_result(fcinfo, sketch_text<128>(fcinfo)); }
TXTFP_FUNCTION(txtfp_to_minhash256) { return full_result(fcinfo, sketch_text<256>(fcinfo)); }
TXTFP_FUNCTION(txtfp_tokens_to_minhash64) { return full_result(fcinfo, sketch_tokens<64>(fcinfo)); }
TXTFP_FUNCTION(txtfp_tokens_to_minhash128) { return full_result(fcinfo, sketch_tokens<128>(fcinfo)); }
TXTFP_FUNCTION(txtfp_tokens_to_minhash256) { return full_result(fcinfo, sketch_tokens<256>(fcinfo)); }
TXTFP_FUNCTION(txtfp_to_minhash64_compact) { return compact_result(fcinfo, sketch_text<64>(fcinfo)); }
TXTFP_FUNCTION(txtfp_to_minhash128_compact) { return compact_result(fcinfo, sketch_text<128>(fcinfo)); }
TXTFP_FUNCTION(txtfp_to_minhash256_compact) { return compact_result(fcinfo, sketch_text<256>(fcinfo)); }
TXTFP_FUNCTION(txtfp_tokens_to_minhash64_compact) { return compact_result(fcinfo, sketch_tokens<64>(fcinfo)); }
TXTFP_FUNCTION(txtfp_tokens_to_minhash128_compact) { return compact_result(fcinfo, sketch_tokens<128>(fcinfo)); }
TXTFP_FUNCTION(txtfp_tokens_to_minhash256_compact) { return compact_result(fcinfo, sketch_tokens<256>(fcinfo)); }
