// simhash64: input and output, casts, comparison, distance.
#include "pg/simhash/simhash64.hpp"

#include "pg/base/comparison.hpp"
#include "pg/base/json.hpp"
#include "pg/base/text_arg.hpp"

extern "C" {
#include "libpq/pqformat.h"
#include "utils/fmgrprotos.h"
#include "utils/varbit.h"
}

using namespace txtfp;

TXTFP_FUNCTION(txtfp_simhash64_in)
{
	const char *in = PG_GETARG_CSTRING(0);
	std::uint64_t bits;
	if (strlen(in) != 16 || !core::hex_decode_u64(in, bits))
		ereturn(fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("invalid input syntax for type simhash64: \"%s\"", pg::abbreviated(in)),
				errdetail("The text form is 16 hexadecimal digits."),
				pg::is_document(in) ? errhint("to_simhash64('...') makes the SimHash of a text.") : 0));
	return pg::simhash_datum(bits);
}

TXTFP_FUNCTION(txtfp_simhash64_out)
{
	char *out = static_cast<char *>(palloc(17));
	core::hex_encode_u64(pg::simhash_arg(fcinfo, 0), out);
	out[16] = '\0';
	PG_RETURN_CSTRING(out);
}

TXTFP_FUNCTION(txtfp_simhash64_recv)
{
	return pg::simhash_datum(static_cast<std::uint64_t>(pq_getmsgint64((StringInfo) PG_GETARG_POINTER(0))));
}

TXTFP_FUNCTION(txtfp_simhash64_send)
{
	StringInfoData out;
	pq_begintypsend(&out);
	pq_sendint64(&out, pg::simhash_arg(fcinfo, 0));
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

TXTFP_FUNCTION(txtfp_simhash64_to_bytea)
{
	auto *out = static_cast<bytea *>(palloc(VARHDRSZ + 8));
	SET_VARSIZE(out, VARHDRSZ + 8);
	core::store_le64(VARDATA(out), pg::simhash_arg(fcinfo, 0));
	PG_RETURN_BYTEA_P(out);
}

TXTFP_FUNCTION(txtfp_simhash64_from_bytea)
{
	const bytea *in = PG_GETARG_BYTEA_PP(0);
	if (VARSIZE_ANY_EXHDR(in) != 8)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid wire form of simhash64"),
				errdetail("A simhash64 has 8 bytes, not %zu.", static_cast<std::size_t>(VARSIZE_ANY_EXHDR(in)))));
	return pg::simhash_datum(core::load_le64(VARDATA_ANY(in)));
}

// bit(64): the most significant bit comes first, as in the text form.
TXTFP_FUNCTION(txtfp_simhash64_to_bit)
{
	auto *out = static_cast<VarBit *>(palloc0(VARBITTOTALLEN(64)));
	SET_VARSIZE(out, VARBITTOTALLEN(64));
	VARBITLEN(out) = 64;
	core::store_le64(VARBITS(out), core::byte_swap(pg::simhash_arg(fcinfo, 0)));
	PG_RETURN_VARBIT_P(out);
}

TXTFP_FUNCTION(txtfp_simhash64_from_bit)
{
	VarBit *in = PG_GETARG_VARBIT_P(0);
	if (VARBITLEN(in) != 64)
		ereport(ERROR,
			(errcode(ERRCODE_STRING_DATA_LENGTH_MISMATCH),
				errmsg("cannot cast bit string of length %d to type simhash64", VARBITLEN(in)),
				errdetail("The length must be 64.")));
	return pg::simhash_datum(core::byte_swap(core::load_le64(VARBITS(in))));
}

TXTFP_FUNCTION(txtfp_simhash64_to_jsonb)
{
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(psprintf(UINT64_FORMAT, pg::simhash_arg(fcinfo, 0))));
}

TXTFP_FUNCTION(txtfp_simhash64_from_jsonb)
{
	Jsonb *in = PG_GETARG_JSONB_P(0);
	JsonbValue scalar;
	std::uint64_t bits;
	if (!JsonbExtractScalar(&in->root, &scalar) || !pg::unsigned_integer(&scalar, bits))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("cannot cast jsonb value to type simhash64"),
				errdetail("The value must be an unsigned 64-bit integer.")));
	return pg::simhash_datum(bits);
}

static int compare_args(FunctionCallInfo fcinfo)
{
	const std::uint64_t a = pg::simhash_arg(fcinfo, 0), b = pg::simhash_arg(fcinfo, 1);
	return (a > b) - (a < b);
}

TXTFP_COMPARISONS(simhash64, compare_args)

TXTFP_FUNCTION(txtfp_simhash64_hash) { return hashint8(fcinfo); }
TXTFP_FUNCTION(txtfp_simhash64_hash_extended) { return hashint8extended(fcinfo); }

TXTFP_FUNCTION(txtfp_hamming)
{
	PG_RETURN_INT32(core::hamming(pg::simhash_arg(fcinfo, 0), pg::simhash_arg(fcinfo, 1)));
}

TXTFP_FUNCTION(txtfp_cosine_estimate)
{
	PG_RETURN_FLOAT8(core::cosine_estimate(pg::simhash_arg(fcinfo, 0), pg::simhash_arg(fcinfo, 1)));
}
