// lavinhash: input and output, casts, comparison, construction, similarity.
#include "pg/lavinhash/lavinhash.hpp"

#include <algorithm>

#include "core/base/bytes.hpp"
#include "pg/base/comparison.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/text/options.hpp"

extern "C" {
#include "access/detoast.h"
#include "common/hashfn.h"
#include "libpq/pqformat.h"
}

using namespace txtfp;

namespace txtfp::pg {

bool lavinhash_from_hex(const char *text, std::size_t digits, std::uint8_t *out, std::size_t &size)
{
	size = digits / 2;
	return digits % 2 == 0 && size <= core::lavinhash_max_size && core::hex_decode(text, size, out);
}

} // namespace txtfp::pg

namespace {

const char *describe(core::LavinhashError error)
{
	switch (error) {
	case core::LavinhashError::size:
		return "The size is not 1028 bytes plus the size of the structure, which the third and fourth byte tell.";
	case core::LavinhashError::magic:
		return "The first byte is not 48.";
	case core::LavinhashError::version:
		return "The version, the second byte, is not 01.";
	case core::LavinhashError::structure:
		return "The structure, whose size the third and fourth byte tell, is longer than 130 bytes.";
	case core::LavinhashError::none:
		break;
	}
	return "";
}

struct varlena *make_value(core::LavinhashBytes form)
{
	auto *value = static_cast<struct varlena *>(palloc(VARHDRSZ + form.size()));
	SET_VARSIZE(value, VARHDRSZ + form.size());
	memcpy(VARDATA(value), form.data(), form.size());
	return value;
}

// A sort calls this function millions of times in one memory context, so detoasted copies must be freed.
int compare_args(FunctionCallInfo fcinfo)
{
	struct varlena *a = PG_GETARG_VARLENA_PP(0), *b = PG_GETARG_VARLENA_PP(1);
	const core::LavinhashBytes x = pg::lavinhash_view(a), y = pg::lavinhash_view(b);
	int order = memcmp(x.data(), y.data(), std::min(x.size(), y.size()));
	if (order == 0)
		order = (x.size() > y.size()) - (x.size() < y.size());
	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return order;
}

core::LavinhashOptions options_args(FunctionCallInfo fcinfo)
{
	constexpr int greatest = core::lavinhash_max_modulus;
	const int min_modulus = PG_GETARG_INT32(1);
	if (min_modulus < 1 || min_modulus > greatest)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("min_modulus must be between 1 and %d, not %d", greatest, min_modulus),
				errhint("The default is 16.")));
	return {static_cast<std::uint32_t>(min_modulus), PG_GETARG_BOOL(2)};
}

bool is_stored_apart_as_it_is(const struct varlena *doc)
{
	if (!VARATT_IS_EXTERNAL_ONDISK(doc))
		return false;
	struct varatt_external pointer;
	VARATT_EXTERNAL_GET_POINTER(pointer, doc);
	return VARATT_EXTERNAL_GET_EXTSIZE(pointer) == static_cast<uint32>(pointer.va_rawsize - VARHDRSZ);
}

void append_datum(core::LavinhashBuilder &builder, const struct varlena *doc)
{
	const core::LavinhashBytes bytes = pg::varlena_bytes(doc);
	pg::guarded([&] { builder.append(bytes, pg::stop_token); });
}

// A document that is stored uncompressed in a TOAST table is read piece by piece; any other document is read whole.
void append_document(core::LavinhashBuilder &builder, struct varlena *doc, std::size_t size)
{
	constexpr std::size_t piece_size = std::size_t{4} << 20;
	if (!is_stored_apart_as_it_is(doc)) {
		append_datum(builder, PG_DETOAST_DATUM_PACKED(PointerGetDatum(doc)));
		return;
	}
	for (std::size_t at = 0; at < size; at += piece_size) {
		struct varlena *piece = PG_DETOAST_DATUM_SLICE(
			PointerGetDatum(doc), static_cast<int32>(at), static_cast<int32>(std::min(piece_size, size - at)));
		append_datum(builder, piece);
		pfree(piece);
	}
}

// NULL if the fingerprint would say nothing.
Datum finished(FunctionCallInfo fcinfo, core::LavinhashBuilder &builder)
{
	std::uint8_t form[core::lavinhash_max_size];
	std::size_t form_size = 0;
	pg::guarded([&] { form_size = builder.finish(form); });
	if (core::lavinhash_says_nothing({form, form_size})) {
		pg::tell_of_null(fcinfo, "the document has no piece that LavinHash keeps, so its fingerprint is null",
			"It keeps one in 16 pieces of 64 bytes: none of a document of up to 64 bytes, and often none below 150.");
		PG_RETURN_NULL();
	}
	PG_RETURN_POINTER(make_value({form, form_size}));
}

} // namespace

TXTFP_FUNCTION(txtfp_lavinhash_in)
{
	const char *in = PG_GETARG_CSTRING(0);
	std::uint8_t form[core::lavinhash_max_size];
	std::size_t size = 0;
	if (!pg::lavinhash_from_hex(in, strlen(in), form, size))
		ereturn(fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("invalid input syntax for type lavinhash: \"%s\"", pg::abbreviated(in)),
				errdetail("The text form is two hexadecimal digits for each of 1028 to 1158 bytes."),
				pg::is_document(in) ? errhint("to_lavinhash('...') makes the hash of a text.") : 0));
	const core::LavinhashError error = core::lavinhash_check({form, size});
	if (error != core::LavinhashError::none)
		ereturn(fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("invalid input syntax for type lavinhash: \"%s\"", pg::abbreviated(in)),
				errdetail("%s", describe(error))));
	PG_RETURN_POINTER(make_value({form, size}));
}

TXTFP_FUNCTION(txtfp_lavinhash_out)
{
	const core::LavinhashBytes form = pg::lavinhash_arg(fcinfo, 0);
	char *out = static_cast<char *>(palloc(2 * form.size() + 1));
	core::hex_encode(form.data(), form.size(), out);
	out[2 * form.size()] = '\0';
	PG_RETURN_CSTRING(out);
}

TXTFP_FUNCTION(txtfp_lavinhash_recv)
{
	StringInfo message = (StringInfo) PG_GETARG_POINTER(0);
	const int size = message->len - message->cursor;
	const core::LavinhashBytes form{
		reinterpret_cast<const std::uint8_t *>(pq_getmsgbytes(message, size)), static_cast<std::size_t>(size)};
	const core::LavinhashError error = core::lavinhash_check(form);
	if (error != core::LavinhashError::none)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid binary representation of lavinhash"),
				errdetail("%s", describe(error))));
	PG_RETURN_POINTER(make_value(form));
}

TXTFP_FUNCTION(txtfp_lavinhash_to_bytea) { PG_RETURN_POINTER(make_value(pg::lavinhash_arg(fcinfo, 0))); }
TXTFP_FUNCTION(txtfp_lavinhash_send) { PG_RETURN_POINTER(make_value(pg::lavinhash_arg(fcinfo, 0))); }

TXTFP_FUNCTION(txtfp_lavinhash_from_bytea)
{
	const std::span<const std::uint8_t> form = pg::varlena_bytes(PG_GETARG_VARLENA_PP(0));
	const core::LavinhashError error = core::lavinhash_check(form);
	if (error != core::LavinhashError::none)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid serialized form of lavinhash"),
				errdetail("%s", describe(error))));
	PG_RETURN_POINTER(make_value(form));
}

TXTFP_COMPARISONS(lavinhash, compare_args)

TXTFP_FUNCTION(txtfp_lavinhash_hash)
{
	const core::LavinhashBytes form = pg::lavinhash_arg(fcinfo, 0);
	return hash_any(form.data(), static_cast<int>(form.size()));
}

TXTFP_FUNCTION(txtfp_lavinhash_hash_extended)
{
	const core::LavinhashBytes form = pg::lavinhash_arg(fcinfo, 0);
	return hash_any_extended(form.data(), static_cast<int>(form.size()), static_cast<uint64>(PG_GETARG_INT64(1)));
}

// Returns NULL for a document without a fingerprint, because a generated column must not reject a row.
TXTFP_FUNCTION(txtfp_to_lavinhash)
{
	const core::LavinhashOptions options = options_args(fcinfo);
	auto *doc = (struct varlena *) PG_GETARG_POINTER(0);
	const std::size_t size = toast_raw_datum_size(PointerGetDatum(doc)) - VARHDRSZ;
	if (size == 0)
		PG_RETURN_NULL();
	static_assert(std::is_trivially_destructible_v<core::LavinhashBuilder>);
	core::LavinhashBuilder builder(size, options);
	append_document(builder, doc, size);
	return finished(fcinfo, builder);
}

// The fingerprint of the bytes of convert_to(doc, 'UTF8'). That function is not IMMUTABLE, so generated columns need
// this one.
TXTFP_FUNCTION(txtfp_text_to_lavinhash)
{
	const core::LavinhashOptions options = options_args(fcinfo);
	const std::string_view doc = pg::text_arg(fcinfo, 0);
	if (doc.empty())
		PG_RETURN_NULL();
	core::LavinhashBuilder builder(doc.size(), options);
	const core::LavinhashBytes bytes{reinterpret_cast<const std::uint8_t *>(doc.data()), doc.size()};
	pg::guarded([&] { builder.append(bytes, pg::stop_token); });
	return finished(fcinfo, builder);
}

TXTFP_FUNCTION(txtfp_lavinhash_similarity)
{
	const auto alpha = static_cast<float>(pg::unit_interval_option("alpha", PG_GETARG_FLOAT8(2)));
	PG_RETURN_INT32(core::lavinhash_similarity(pg::lavinhash_arg(fcinfo, 0), pg::lavinhash_arg(fcinfo, 1), alpha));
}

TXTFP_FUNCTION(txtfp_lavinhash_structure)
{
	PG_RETURN_FLOAT8(core::lavinhash_structure(pg::lavinhash_arg(fcinfo, 0), pg::lavinhash_arg(fcinfo, 1)));
}

TXTFP_FUNCTION(txtfp_lavinhash_content)
{
	PG_RETURN_FLOAT8(core::lavinhash_content(pg::lavinhash_arg(fcinfo, 0), pg::lavinhash_arg(fcinfo, 1)));
}

TXTFP_FUNCTION(txtfp_lavinhash_distance)
{
	PG_RETURN_INT32(100 - core::lavinhash_similarity(pg::lavinhash_arg(fcinfo, 0), pg::lavinhash_arg(fcinfo, 1)));
}
