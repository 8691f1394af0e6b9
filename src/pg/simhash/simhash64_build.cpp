// to_simhash64: of a text, or of weighted features.
#include <charconv>
#include <cmath>

#include "core/simhash/idf.hpp"
#include "pg/base/call_site.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/json.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/simhash/simhash64.hpp"
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

// What a call site keeps in fn_extra. An IDF table may have a million entries: it is parsed again only when the
// argument's stored bytes change.
struct Cache {
	pg::TextOptionArguments arguments;
	core::SimhashOptions options;
	MemoryContext memory = nullptr; // of the IDF table and of its source
	const struct varlena *source = nullptr;
	const core::IdfTable *idf = nullptr;
};

[[noreturn]] void reject_idf(const char *detail)
{
	ereport(ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid idf table"), errdetail("%s", detail),
			errhint("It is a JSON object of numbers, {\"token\": weight, ...}.")));
	pg_unreachable();
}

float to_weight(const JsonbValue &value)
{
	if (value.type != jbvNumeric)
		reject_idf("A value is not a number.");
	const char *text = pg::number_text(&value);
	float weight = 0;
	const auto [end, error] = std::from_chars(text, text + strlen(text), weight);
	if (error != std::errc() || *end != '\0')
		ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				errmsg("idf weight \"%.40s\" is out of range for type real", text)));
	return weight;
}

void read_idf(Jsonb *in, core::IdfTable *table)
{
	if (!JB_ROOT_IS_OBJECT(in))
		reject_idf("The value is not an object.");
	JsonbIterator *iterator = JsonbIteratorInit(&in->root);
	JsonbValue item;
	std::string_view key;
	for (JsonbIteratorToken token; (token = JsonbIteratorNext(&iterator, &item, true)) != WJB_DONE;) {
		CHECK_FOR_INTERRUPTS();
		if (token == WJB_KEY)
			key = pg::to_utf8(cstring_to_text_with_len(item.val.string.val, item.val.string.len));
		else if (token == WJB_VALUE) {
			const float weight = to_weight(item);
			pg::guarded([&] { table->insert_or_assign(core::without_escapes(key), weight); });
		}
	}
}

void read_idf_table(Cache &cache, MemoryContext parent, const struct varlena *raw)
{
	if (cache.source != nullptr && VARSIZE_ANY(cache.source) == VARSIZE_ANY(raw) &&
		memcmp(cache.source, raw, VARSIZE_ANY(raw)) == 0)
		return;
	cache.source = nullptr;
	if (cache.memory == nullptr)
		cache.memory = AllocSetContextCreate(parent, "txtfp idf table", ALLOCSET_DEFAULT_SIZES);
	MemoryContextReset(cache.memory);
	auto *table = pg::make_owned<core::IdfTable>(cache.memory);
	read_idf(DatumGetJsonbP(PointerGetDatum(raw)), table);
	auto *copy = static_cast<struct varlena *>(MemoryContextAllocHuge(cache.memory, VARSIZE_ANY(raw)));
	memcpy(copy, raw, VARSIZE_ANY(raw));
	cache.idf = table;
	cache.source = copy;
}

// The arguments (doc, tokenizer, canonicalizer, hash, seed, weighting, idf).
const core::SimhashOptions &simhash_options(FunctionCallInfo fcinfo)
{
	Cache &cache = pg::call_site<Cache>(fcinfo);
	cache.options = {cache.arguments.read(fcinfo, 1, core::default_simhash_tokenizer)};
	cache.options.weighting = pg::weighting_option(pg::text_arg(fcinfo, 5));
	if ((cache.options.weighting == core::Weighting::idf) == PG_ARGISNULL(6))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				PG_ARGISNULL(6) ? errmsg("weighting \"idf\" needs an idf table")
								: errmsg("an idf table needs weighting \"idf\""),
				PG_ARGISNULL(6) ? errhint("simhash_idf_agg makes one of a corpus.") : 0));
	if (!PG_ARGISNULL(6)) {
		read_idf_table(cache, fcinfo->flinfo->fn_mcxt, (const struct varlena *) PG_GETARG_POINTER(6));
		cache.options.idf = cache.idf;
	}
	return cache.options;
}

} // namespace

TXTFP_FUNCTION(txtfp_to_simhash64)
{
	for (int i = 0; i <= 5; ++i)
		if (PG_ARGISNULL(i))
			PG_RETURN_NULL();
	const core::SimhashOptions &options = simhash_options(fcinfo);
	const std::string_view doc = pg::text_arg(fcinfo, 0);
	std::uint64_t bits = 0;
	bool any = false;
	pg::guarded([&] { any = core::simhash(doc, options, bits, pg::stop_token); });
	if (!any)
		PG_RETURN_NULL();
	return pg::simhash_datum(bits);
}

TXTFP_FUNCTION(txtfp_features_to_simhash64)
{
	ArrayType *features = PG_GETARG_ARRAYTYPE_P(0), *weights = PG_GETARG_ARRAYTYPE_P(1);
	if (array_contains_nulls(features) || array_contains_nulls(weights))
		ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("arrays of features and weights must not contain nulls")));
	const int count = ArrayGetNItems(ARR_NDIM(features), ARR_DIMS(features));
	if (count != ArrayGetNItems(ARR_NDIM(weights), ARR_DIMS(weights)))
		ereport(ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("mismatched array dimensions"),
				errdetail("There are %d features and %d weights.", count,
					ArrayGetNItems(ARR_NDIM(weights), ARR_DIMS(weights)))));
	if (count == 0)
		PG_RETURN_NULL();
	const auto *weight = reinterpret_cast<const float8 *>(ARR_DATA_PTR(weights));
	core::WeightedBits sums;
	ArrayIterator iterator = array_create_iterator(features, 0, nullptr);
	Datum feature;
	bool is_null;
	for (; array_iterate(iterator, &feature, &is_null); ++weight) {
		CHECK_FOR_INTERRUPTS();
		if (!std::isfinite(*weight))
			ereport(
				ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("weights must be finite, not %g", *weight)));
		const std::string_view utf8 = pg::to_utf8(DatumGetTextPP(feature));
		sums.add(core::hash128(core::HashFamily::xxh3, utf8, core::default_seed).lo, *weight);
	}
	array_free_iterator(iterator);
	return pg::simhash_datum(sums.bits());
}
