// tlsh: input and output, casts, comparison, distance, the header's values.
#include "pg/tlsh/tlsh.hpp"

#include "pg/base/comparison.hpp"
#include "pg/base/text_arg.hpp"

extern "C" {
#include "access/htup_details.h"
#include "common/hashfn.h"
#include "funcapi.h"
#include "libpq/pqformat.h"
}

using namespace txtfp;

namespace {

core::Tlsh *allocate() { return static_cast<core::Tlsh *>(palloc(sizeof(core::Tlsh))); }

bool is_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

int report_detail(std::string_view in)
{
	const std::size_t prefix = core::tlsh_text_size - 2 * core::tlsh_bytes;
	if (in.size() != core::tlsh_text_size && in.size() != core::tlsh_text_size - prefix)
		return errdetail(
			"The value has %zu bytes; the text form is 70 hexadecimal digits, with or without \"T1\" before them.",
			in.size());
	std::size_t i = in.size() == core::tlsh_text_size ? prefix : 0;
	if (i > 0 && in.substr(0, prefix) != "T1" && in.substr(0, prefix) != "t1")
		return errdetail("A text form of 72 characters begins with \"T1\".");
	while (i < in.size() && is_digit(in[i]))
		++i;
	return errdetail("There is no hexadecimal digit at position %zu.", i + 1);
}

int compare_args(FunctionCallInfo fcinfo)
{
	return memcmp(&pg::tlsh_arg(fcinfo, 0), &pg::tlsh_arg(fcinfo, 1), core::tlsh_bytes);
}

} // namespace

TXTFP_FUNCTION(txtfp_tlsh_in)
{
	const char *in = PG_GETARG_CSTRING(0);
	core::Tlsh *out = allocate();
	if (!core::parse_tlsh(in, *out))
		ereturn(fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("invalid input syntax for type tlsh: \"%s\"", pg::abbreviated(in)), report_detail(in),
				pg::is_document(in) ? errhint("to_tlsh('...') makes the digest of a text.") : 0));
	PG_RETURN_POINTER(out);
}

TXTFP_FUNCTION(txtfp_tlsh_out)
{
	char *out = static_cast<char *>(palloc(core::tlsh_text_size + 1));
	core::format_tlsh(pg::tlsh_arg(fcinfo, 0), out);
	out[core::tlsh_text_size] = '\0';
	PG_RETURN_CSTRING(out);
}

TXTFP_FUNCTION(txtfp_tlsh_recv)
{
	core::Tlsh *out = allocate();
	pq_copymsgbytes((StringInfo) PG_GETARG_POINTER(0), (char *) out->bytes, core::tlsh_bytes);
	PG_RETURN_POINTER(out);
}

TXTFP_FUNCTION(txtfp_tlsh_send)
{
	StringInfoData out;
	pq_begintypsend(&out);
	pq_sendbytes(&out, (const char *) pg::tlsh_arg(fcinfo, 0).bytes, core::tlsh_bytes);
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

TXTFP_FUNCTION(txtfp_tlsh_to_bytea)
{
	auto *out = static_cast<bytea *>(palloc(VARHDRSZ + core::tlsh_bytes));
	SET_VARSIZE(out, VARHDRSZ + core::tlsh_bytes);
	memcpy(VARDATA(out), pg::tlsh_arg(fcinfo, 0).bytes, core::tlsh_bytes);
	PG_RETURN_BYTEA_P(out);
}

TXTFP_FUNCTION(txtfp_tlsh_from_bytea)
{
	const bytea *in = PG_GETARG_BYTEA_PP(0);
	if (VARSIZE_ANY_EXHDR(in) != core::tlsh_bytes)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid wire form of tlsh"),
				errdetail("A tlsh value has 35 bytes, not %zu.", static_cast<std::size_t>(VARSIZE_ANY_EXHDR(in)))));
	core::Tlsh *out = allocate();
	memcpy(out->bytes, VARDATA_ANY(in), core::tlsh_bytes);
	PG_RETURN_POINTER(out);
}

TXTFP_COMPARISONS(tlsh, compare_args)

TXTFP_FUNCTION(txtfp_tlsh_hash) { return hash_any(pg::tlsh_arg(fcinfo, 0).bytes, static_cast<int>(core::tlsh_bytes)); }

TXTFP_FUNCTION(txtfp_tlsh_hash_extended)
{
	return hash_any_extended(
		pg::tlsh_arg(fcinfo, 0).bytes, static_cast<int>(core::tlsh_bytes), static_cast<uint64>(PG_GETARG_INT64(1)));
}

// The operator has no third argument and counts the difference in length.
TXTFP_FUNCTION(txtfp_tlsh_distance)
{
	const bool with_length = PG_NARGS() < 3 || PG_GETARG_BOOL(2);
	PG_RETURN_INT32(core::tlsh_distance(pg::tlsh_arg(fcinfo, 0), pg::tlsh_arg(fcinfo, 1), with_length));
}

TXTFP_FUNCTION(txtfp_tlsh_header)
{
	TupleDesc columns;
	if (get_call_result_type(fcinfo, nullptr, &columns) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	const core::Tlsh &fp = pg::tlsh_arg(fcinfo, 0);
	Datum values[] = {Int32GetDatum(fp.checksum()), Int32GetDatum(fp.length_class()), Int32GetDatum(fp.q1_ratio()),
		Int32GetDatum(fp.q2_ratio())};
	bool nulls[lengthof(values)] = {};
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(columns), values, nulls)));
}
