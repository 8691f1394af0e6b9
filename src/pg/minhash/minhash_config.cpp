// The configuration of a sketch: reads it, declares it, and adds it to sketches made from wire bytes, which carry none.
#include "pg/base/text_arg.hpp"
#include "pg/minhash/minhash.hpp"

using namespace txtfp;

namespace txtfp::pg {

const char *config_digits(std::uint64_t config)
{
	char *digits = static_cast<char *>(palloc(17));
	core::hex_encode_u64(config, digits);
	digits[16] = '\0';
	return digits;
}

} // namespace txtfp::pg

namespace {

std::uint64_t config_arg(FunctionCallInfo fcinfo, int i)
{
	const std::string_view digits = pg::text_arg(fcinfo, i);
	std::uint64_t config = 0;
	if (digits.size() != 16 || !core::hex_decode_u64(digits.data(), config))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("invalid configuration hash: \"%s\"", pg::abbreviated(digits)),
				errdetail("A configuration hash has 16 hexadecimal digits."),
				errhint("config_hash(canonicalizer, tokenizer, 'minhash-h128', hash, seed) makes it, "
						"minhash_config reads it from another sketch.")));
	return config;
}

template <class Slot> Datum config_of(FunctionCallInfo fcinfo)
{
	PG_RETURN_TEXT_P(pg::make_text(pg::config_digits(pg::sketch_arg<Slot>(fcinfo, 0).config)));
}

// A configuration can be declared only if it is unknown.
template <class Slot> std::uint64_t declared_config(FunctionCallInfo fcinfo)
{
	const pg::SketchView value = pg::sketch_arg<Slot>(fcinfo, 0);
	const std::uint64_t config = config_arg(fcinfo, 1);
	if (value.config != 0 && value.config != config)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("the configuration of this minhash%zu%s value is known already", value.slots.size(),
					pg::form_suffix<Slot>),
				errdetail("The known configuration is %s, not %s.", pg::config_digits(value.config),
					pg::config_digits(config))));
	return config;
}

} // namespace

TXTFP_FUNCTION(txtfp_minhash_config) { return config_of<std::uint64_t>(fcinfo); }
TXTFP_FUNCTION(txtfp_compact_config) { return config_of<std::uint8_t>(fcinfo); }

TXTFP_FUNCTION(txtfp_minhash_with_config)
{
	const std::uint64_t config = declared_config<std::uint64_t>(fcinfo);
	const pg::Minhash *value = pg::minhash_arg(fcinfo, 0);
	pg::Minhash *result = pg::allocate_minhash(value->slot_count());
	memcpy(result, value, VARSIZE(value));
	result->config = config;
	PG_RETURN_POINTER(result);
}

TXTFP_FUNCTION(txtfp_compact_with_config)
{
	const std::uint64_t config = declared_config<std::uint8_t>(fcinfo);
	const pg::SketchView value = pg::sketch_arg<std::uint8_t>(fcinfo, 0);
	std::uint8_t *bytes;
	struct varlena *result = pg::allocate_compact(value.slots.size(), config, bytes);
	memcpy(bytes, value.slots.data(), value.slots.size());
	PG_RETURN_POINTER(result);
}
