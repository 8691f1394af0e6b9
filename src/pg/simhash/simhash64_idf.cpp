// simhash_idf_agg: the IDF table of a column of texts, as to_simhash64 takes it.
#include <charconv>

#include "core/simhash/idf.hpp"
#include "core/simhash/simhash.hpp"
#include "pg/base/call_site.hpp"
#include "pg/base/json.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/text/options.hpp"

using namespace txtfp;

namespace {

struct IdfState {
	core::DocumentFrequencies *frequencies;
	core::TextOptions options; // the tokenizer and the canonicalizer of all rows
};

IdfState &state_of(FunctionCallInfo fcinfo)
{
	const MemoryContext context = pg::aggregate_context(fcinfo);
	if (!PG_ARGISNULL(0))
		return *(IdfState *) PG_GETARG_POINTER(0);
	auto *state = static_cast<IdfState *>(MemoryContextAllocZero(context, sizeof(IdfState)));
	state->frequencies = pg::make_owned<core::DocumentFrequencies>(context);
	return *state;
}

// One table must not mix tokens of different kinds.
void set_options(IdfState &state, const core::TextOptions &options)
{
	if (state.frequencies->documents() > 0 && options != state.options)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("all rows of an idf table must have the same tokenizer and canonicalizer"),
				errhint("Add the arguments that differ to GROUP BY.")));
	state.options = options;
}

JsonbValue string_value(std::string_view utf8)
{
	const std::string_view bytes = pg::from_utf8_with_escapes(utf8);
	JsonbValue value{};
	value.type = jbvString;
	value.val.string.val = const_cast<char *>(bytes.data());
	value.val.string.len = static_cast<int>(bytes.size());
	return value;
}

// The shortest decimal number that reads back as this float.
JsonbValue number_value(float number)
{
	char text[64];
	*std::to_chars(text, text + sizeof text - 1, number).ptr = '\0';
	JsonbValue value{};
	value.type = jbvNumeric;
	value.val.numeric = DatumGetNumeric(
		DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
	return value;
}

} // namespace

TXTFP_FUNCTION(txtfp_simhash_idf_agg_step)
{
	IdfState &state = state_of(fcinfo);
	for (int i = 1; i < PG_NARGS(); ++i)
		if (PG_ARGISNULL(i))
			PG_RETURN_POINTER(&state);
	set_options(state, pg::call_site<pg::TextOptionArguments>(fcinfo).read(fcinfo, 2, core::default_simhash_tokenizer));
	const std::string_view doc = pg::text_arg(fcinfo, 1);
	pg::guarded([&] { state.frequencies->add(doc, state.options.canonical, state.options.tokenizer, pg::stop_token); });
	PG_RETURN_POINTER(&state);
}

TXTFP_FUNCTION(txtfp_simhash_idf_agg_final)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	const core::DocumentFrequencies &frequencies = *((const IdfState *) PG_GETARG_POINTER(0))->frequencies;
	if (frequencies.documents() == 0)
		PG_RETURN_NULL();
	pg::JsonbBuilder object;
	object.push(WJB_BEGIN_OBJECT);
	for (const auto &[token, entry] : frequencies.entries()) {
		CHECK_FOR_INTERRUPTS();
		JsonbValue key = string_value(token);
		JsonbValue weight = number_value(core::idf(frequencies.documents(), entry.documents));
		object.push(WJB_KEY, &key);
		object.push(WJB_VALUE, &weight);
	}
	object.push(WJB_END_OBJECT);
	PG_RETURN_POINTER(JsonbValueToJsonb(object.result()));
}
