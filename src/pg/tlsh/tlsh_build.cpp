// to_tlsh and tlsh_reason: of the canonical form of a text, computed piece by piece, or of raw bytes.
#include "core/text/pipeline.hpp"
#include "pg/base/call_site.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/text/options.hpp"
#include "pg/tlsh/tlsh.hpp"

extern "C" {
#include "utils/builtins.h"
}

using namespace txtfp;

namespace {

std::span<const std::uint8_t> bytes_of(std::string_view text)
{
	return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}

core::TlshOutcome digest_text(FunctionCallInfo fcinfo, core::Tlsh &digest)
{
	using Canonicalizer = pg::ParsedOption<pg::canonicalizer_option>;
	const core::CanonicalOptions options = pg::call_site<Canonicalizer>(fcinfo)(pg::text_arg(fcinfo, 1));
	const std::string_view doc = pg::text_arg(fcinfo, 0);
	auto outcome = core::TlshOutcome::ok;
	pg::guarded([&] {
		core::CanonicalPieces pieces(options, pg::stop_token);
		core::TlshBuilder builder;
		pieces.append(
			doc, true, [&](std::string_view canonical, bool) { builder.append(bytes_of(canonical), pg::stop_token); });
		outcome = builder.finish(digest);
	});
	return outcome;
}

core::TlshOutcome digest_bytes(FunctionCallInfo fcinfo, core::Tlsh &digest)
{
	const bytea *data = PG_GETARG_BYTEA_PP(0);
	const auto bytes = bytes_of({VARDATA_ANY(data), VARSIZE_ANY_EXHDR(data)});
	auto outcome = core::TlshOutcome::ok;
	pg::guarded([&] { outcome = core::tlsh(bytes, digest, pg::stop_token); });
	return outcome;
}

using Digest = core::TlshOutcome (*)(FunctionCallInfo, core::Tlsh &);

Datum make_tlsh(FunctionCallInfo fcinfo, Digest digest)
{
	auto *out = static_cast<core::Tlsh *>(palloc(sizeof(core::Tlsh)));
	const core::TlshOutcome outcome = digest(fcinfo, *out);
	if (outcome == core::TlshOutcome::ok)
		PG_RETURN_POINTER(out);
	pg::tell_of_null(fcinfo,
		outcome == core::TlshOutcome::too_short ? "the value is too short for TLSH, so its fingerprint is null"
												: "the value is too uniform for TLSH, so its fingerprint is null",
		"TLSH needs 50 bytes with some variety. tlsh_reason says the same of the values of a column.");
	PG_RETURN_NULL();
}

// The words are part of the interface; they must not change.
Datum explain(FunctionCallInfo fcinfo, Digest digest)
{
	core::Tlsh ignored;
	switch (digest(fcinfo, ignored)) {
	case core::TlshOutcome::ok:
		break;
	case core::TlshOutcome::too_short:
		PG_RETURN_TEXT_P(cstring_to_text("too short"));
	case core::TlshOutcome::too_uniform:
		PG_RETURN_TEXT_P(cstring_to_text("too uniform"));
	}
	PG_RETURN_NULL();
}

} // namespace

TXTFP_FUNCTION(txtfp_text_to_tlsh) { return make_tlsh(fcinfo, digest_text); }
TXTFP_FUNCTION(txtfp_bytea_to_tlsh) { return make_tlsh(fcinfo, digest_bytes); }
TXTFP_FUNCTION(txtfp_text_tlsh_reason) { return explain(fcinfo, digest_text); }
TXTFP_FUNCTION(txtfp_bytea_tlsh_reason) { return explain(fcinfo, digest_bytes); }
