#include "pg/simhash/idf_argument.hpp"

#include "core/base/numbers.hpp"
#include "core/simhash/idf.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/json.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/simhash/simhash64.hpp"

extern "C" {
#include "utils/builtins.h"
#include "utils/memutils.h"
}

namespace txtfp::pg {

namespace {

[[noreturn]] void reject_idf(const char *detail)
{
	ereport(ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid idf table"), errdetail("%s", detail),
			errhint("An idf table is a JSON object of numbers, {\"token\": weight, ...}.")));
	pg_unreachable();
}

float to_weight(const JsonbValue &value)
{
	if (value.type != jbvNumeric)
		reject_idf("A value is not a number.");
	const char *text = number_text(&value);
	float weight = 0;
	const auto [end, error] = core::from_chars(text, text + strlen(text), weight);
	if (error != std::errc() || *end != '\0')
		ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				errmsg("idf weight \"%.40s\" is out of range for type real", text)));
	return weight;
}

// Weights of 0 ... 1, which other programs make, hardly count here.
void warn_of_small_weights(std::size_t small, std::size_t all)
{
	if (2 * small > all)
		ereport(WARNING,
			(errmsg("most weights of the idf table are too small to count"),
				errdetail("%zu of %zu are between -1 and 1. A token weighs the whole part of its weight times its "
						  "occurrences.",
					small, all),
				errhint(
					"Multiply all weights by the same number, such as 1000; tokens that the table lacks weigh 1.")));
}

void read_idf(Jsonb *in, core::IdfTable *table)
{
	if (!JB_ROOT_IS_OBJECT(in))
		reject_idf("The value is not an object.");
	JsonbIterator *iterator = JsonbIteratorInit(&in->root);
	JsonbValue item;
	std::string_view key;
	std::size_t small = 0, all = 0;
	for (JsonbIteratorToken token; (token = JsonbIteratorNext(&iterator, &item, true)) != WJB_DONE;) {
		CHECK_FOR_INTERRUPTS();
		if (token == WJB_KEY)
			key = to_utf8(cstring_to_text_with_len(item.val.string.val, item.val.string.len));
		else if (token == WJB_VALUE) {
			const float weight = to_weight(item);
			small += weight != 0 && weight > -1 && weight < 1;
			++all;
			guarded([&] { table->insert_or_assign(core::without_escapes(key), weight); });
		}
	}
	warn_of_small_weights(small, all);
}

bool same_bytes(const struct varlena *a, const struct varlena *b)
{
	return VARSIZE_ANY(a) == VARSIZE_ANY(b) && memcmp(a, b, VARSIZE_ANY(a)) == 0;
}

} // namespace

const core::IdfTable *IdfArgument::read(FunctionCallInfo fcinfo, int i, bool keep_others)
{
	const auto *raw = (const struct varlena *) PG_GETARG_POINTER(i);
	for (const Known *known = known_; known != nullptr; known = known->next)
		if (same_bytes(known->source, raw))
			return known->table;
	if (memory_ == nullptr)
		memory_ = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "txtfp idf tables", ALLOCSET_SMALL_SIZES);
	if (!keep_others) {
		known_ = nullptr;
		MemoryContextReset(memory_); // frees the contexts of the tables, too
	}
	const MemoryContext context = AllocSetContextCreate(memory_, "txtfp idf table", ALLOCSET_DEFAULT_SIZES);
	auto *table = make_owned<core::IdfTable>(context);
	read_idf(DatumGetJsonbP(PointerGetDatum(raw)), table);
	const core::IdfTable *result = table;
	for (const Known *known = known_; known != nullptr && result == table; known = known->next)
		if (*known->table == *table)
			result = known->table;
	if (result != table)
		MemoryContextDelete(context);
	auto *copy = static_cast<struct varlena *>(MemoryContextAllocHuge(memory_, VARSIZE_ANY(raw)));
	memcpy(copy, raw, VARSIZE_ANY(raw));
	auto *known = static_cast<Known *>(MemoryContextAlloc(memory_, sizeof(Known)));
	*known = {copy, result, known_};
	known_ = known;
	return result;
}

void read_weighting(FunctionCallInfo fcinfo, int i, IdfArgument &idf, bool keep_others, core::SimhashOptions &options)
{
	options.weighting = weighting_option(text_arg(fcinfo, i));
	const bool given = PG_NARGS() > i + 1 && !PG_ARGISNULL(i + 1);
	if ((options.weighting == core::Weighting::idf) != given)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				given ? errmsg("an idf table needs weighting \"idf\"") : errmsg("weighting \"idf\" needs an idf table"),
				given ? 0 : errhint("simhash_idf_agg makes one of a corpus.")));
	options.idf = given ? idf.read(fcinfo, i + 1, keep_others) : nullptr;
}

} // namespace txtfp::pg
