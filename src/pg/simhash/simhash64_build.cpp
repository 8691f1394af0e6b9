// to_simhash64: of a text, of tokens, or of weighted features.

#include "pg/base/call_site.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/simhash/idf_argument.hpp"
#include "pg/simhash/simhash64.hpp"
#include "pg/simhash/weighted_features.hpp"
#include "pg/text/options.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
}

using namespace txtfp;

core::Weighting pg::weighting_option(std::string_view text)
{
	core::Weighting weighting = core::Weighting::tf;
	if (!core::parse_weighting(text, weighting))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unrecognized weighting: \"%s\"", pg::abbreviated(text)),
				errhint("Valid weightings are \"tf\", \"uniform\" and \"idf\".")));
	return weighting;
}

namespace {

// What a call site keeps in fn_extra.
struct Cache {
	pg::TextOptionArguments arguments;
	pg::IdfArgument idf;
};

bool any_null(FunctionCallInfo fcinfo, int count)
{
	for (int i = 0; i < count; ++i)
		if (PG_ARGISNULL(i))
			return true;
	return false;
}

// The arguments (doc, tokenizer, canonicalizer, hash, seed, weighting, idf).
core::SimhashOptions text_options(FunctionCallInfo fcinfo)
{
	Cache &cache = pg::call_site<Cache>(fcinfo);
	core::SimhashOptions options{cache.arguments.read(fcinfo, 1, core::default_simhash_tokenizer)};
	pg::read_weighting(fcinfo, 5, cache.idf, false, options);
	return options;
}

// The arguments (tokens, hash, seed, weighting, idf), or (tokens) alone.
core::SimhashOptions token_options(FunctionCallInfo fcinfo)
{
	core::SimhashOptions options{};
	if (PG_NARGS() == 1)
		return options;
	options.family = pg::hash_option(pg::text_arg(fcinfo, 1));
	options.seed = static_cast<std::uint64_t>(PG_GETARG_INT64(2));
	pg::read_weighting(fcinfo, 3, pg::call_site<pg::IdfArgument>(fcinfo), false, options);
	return options;
}

void add_tokens(ArrayType *array, core::SimhashBuilder *builder)
{
	std::string_view batch[core::token_batch];
	std::size_t size = 0;
	const auto flush = [&] {
		pg::guarded([&] { builder->add({batch, size}); });
		size = 0;
	};
	ArrayIterator tokens = array_create_iterator(array, 0, nullptr);
	Datum token;
	bool is_null;
	while (array_iterate(tokens, &token, &is_null)) {
		CHECK_FOR_INTERRUPTS();
		batch[size++] = pg::to_utf8(DatumGetTextPP(token));
		if (size == core::token_batch)
			flush();
	}
	flush();
	array_free_iterator(tokens);
}

} // namespace

TXTFP_FUNCTION(txtfp_to_simhash64)
{
	if (any_null(fcinfo, 6))
		PG_RETURN_NULL();
	const core::SimhashOptions options = text_options(fcinfo);
	const std::string_view doc = pg::text_arg(fcinfo, 0);
	std::uint64_t bits = 0;
	bool any = false;
	pg::guarded([&] { any = core::simhash(doc, options, bits, pg::stop_token); });
	if (!any) {
		if (options.weighting == core::Weighting::idf)
			pg::tell_of_null(fcinfo, "no word of the text has a weight, so its fingerprint is null",
				"A token weighs the whole part of its weight times its occurrences.");
		else
			pg::tell_of_no_token(fcinfo);
		PG_RETURN_NULL();
	}
	return pg::simhash_datum(bits);
}

TXTFP_FUNCTION(txtfp_tokens_to_simhash64)
{
	if (any_null(fcinfo, PG_NARGS() == 1 ? 1 : 4))
		PG_RETURN_NULL();
	ArrayType *tokens = PG_GETARG_ARRAYTYPE_P(0);
	const core::SimhashOptions options = token_options(fcinfo);
	if (array_contains_nulls(tokens))
		ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("array of tokens must not contain nulls"),
				errhint("array_remove(tokens, NULL) leaves them out.")));
	auto *builder = pg::make_owned<core::SimhashBuilder>(CurrentMemoryContext, options);
	add_tokens(tokens, builder);
	std::uint64_t bits = 0;
	bool any = false;
	pg::guarded([&] { any = builder->finish(bits); });
	if (!any)
		PG_RETURN_NULL();
	return pg::simhash_datum(bits);
}

namespace {

std::uint64_t text_hash(Datum feature)
{
	return core::hash128(core::HashFamily::xxh3, pg::to_utf8(DatumGetTextPP(feature)), core::default_seed).lo;
}

} // namespace

TXTFP_FUNCTION(txtfp_features_to_simhash64) { return pg::weigh_features<text_hash>(fcinfo); }
