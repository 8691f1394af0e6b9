// config_hash(): the 64-bit hash of how a fingerprint is made, as 16 hexadecimal digits.
#include "core/text/config.hpp"

#include "pg/base/guard.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/text/options.hpp"

using namespace txtfp;

namespace {

struct Parts {
	std::string_view canonicalizer, tokenizer, algorithm;
};

Parts parts_arg(FunctionCallInfo fcinfo)
{
	const Parts parts{pg::text_arg(fcinfo, 0), pg::text_arg(fcinfo, 1), pg::text_arg(fcinfo, 2)};
	pg::canonicalizer_option(parts.canonicalizer); // raises an error unless it is one
	return parts;
}

text *digits(std::uint64_t hash)
{
	char digits[16];
	core::hex_encode_u64(hash, digits);
	return pg::make_text({digits, sizeof digits});
}

} // namespace

TXTFP_FUNCTION(txtfp_config_hash)
{
	for (const int i : {0, 1, 2, 4})
		if (PG_ARGISNULL(i))
			PG_RETURN_NULL();
	const Parts parts = parts_arg(fcinfo);
	const bool with_hash = !PG_ARGISNULL(3);
	const core::HashFamily family = with_hash ? pg::hash_option(pg::text_arg(fcinfo, 3)) : core::HashFamily{};
	const auto seed = static_cast<std::uint64_t>(PG_GETARG_INT64(4));
	std::uint64_t hash = 0;
	pg::guarded([&] {
		hash = with_hash ? core::config_hash(parts.canonicalizer, parts.tokenizer, parts.algorithm, family, seed)
						 : core::config_hash(parts.canonicalizer, parts.tokenizer, parts.algorithm);
	});
	PG_RETURN_TEXT_P(digits(hash));
}
