// minhash ↔ jsonb in the form that the crate's serde writes: {"schema":1,"hashes":[H unsigned integers]}. If the
// configuration is known, we add "config":"16 hexadecimal digits". Unlike the crate we reject a schema other than 1.
#include "pg/minhash/minhash.hpp"

#include "pg/base/json.hpp"

extern "C" {
#include "utils/builtins.h"
}

using namespace txtfp;

namespace {

[[noreturn]] void reject(std::size_t slots, const char *detail)
{
	ereport(ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("cannot cast jsonb value to type minhash%zu", slots),
			errdetail("%s", detail),
			errhint("The value must be an object {\"schema\": 1, \"hashes\": [...]} with %zu unsigned 64-bit integers.",
				slots)));
	pg_unreachable();
}

JsonbValue *member(Jsonb *object, const char *key)
{
	return getKeyJsonValueFromContainer(&object->root, key, static_cast<int>(strlen(key)), nullptr);
}

bool read_config(const JsonbValue *value, std::uint64_t &config)
{
	return value->type == jbvString && value->val.string.len == 16 &&
		core::hex_decode_u64(value->val.string.val, config);
}

template <std::size_t H> Datum minhash_from_jsonb(FunctionCallInfo fcinfo)
{
	Jsonb *in = PG_GETARG_JSONB_P(0);
	if (!JB_ROOT_IS_OBJECT(in))
		reject(H, "The value is not an object.");
	const JsonbValue *config = member(in, "config");
	if (JB_ROOT_COUNT(in) != (config != nullptr ? 3 : 2))
		reject(H, "The object must have the keys \"schema\" and \"hashes\", may have \"config\", and no other.");
	std::uint64_t schema;
	if (!pg::unsigned_integer(member(in, "schema"), schema) || schema != core::minhash_schema)
		reject(H, "The schema number is not 1.");
	const JsonbValue *hashes = member(in, "hashes");
	if (hashes == nullptr || hashes->type != jbvBinary || !JsonContainerIsArray(hashes->val.binary.data))
		reject(H, "\"hashes\" is missing or not an array.");
	JsonbContainer *array = hashes->val.binary.data;
	if (JsonContainerSize(array) != H)
		reject(H, "\"hashes\" has the wrong number of elements.");
	pg::Minhash *value = pg::allocate_minhash(H);
	if (config != nullptr && !read_config(config, value->config))
		reject(H, "\"config\" is not a string of 16 hexadecimal digits.");
	for (std::uint32_t i = 0; i < H; ++i)
		if (!pg::unsigned_integer(getIthJsonbValueFromContainer(array, i), value->slots[i]))
			reject(H, "An element of \"hashes\" is not an unsigned 64-bit integer.");
	PG_RETURN_POINTER(value);
}

} // namespace

TXTFP_FUNCTION(txtfp_minhash64_from_jsonb) { return minhash_from_jsonb<64>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash128_from_jsonb) { return minhash_from_jsonb<128>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash256_from_jsonb) { return minhash_from_jsonb<256>(fcinfo); }

TXTFP_FUNCTION(txtfp_minhash_to_jsonb)
{
	const pg::Minhash *value = pg::minhash_arg(fcinfo, 0);
	StringInfoData json;
	initStringInfo(&json);
	appendStringInfo(&json, "{\"schema\":%u,\"hashes\":", core::minhash_schema);
	char separator = '[';
	for (const std::uint64_t slot : value->view()) {
		appendStringInfo(&json, "%c" UINT64_FORMAT, separator, slot);
		separator = ',';
	}
	appendStringInfoChar(&json, ']');
	if (value->config != 0)
		appendStringInfo(&json, ",\"config\":\"%s\"", pg::config_digits(value->config));
	appendStringInfoChar(&json, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}
