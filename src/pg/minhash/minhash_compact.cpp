// minhash64_compact, minhash128_compact, minhash256_compact: conversion from the full sketch, input and output,
// comparison. The output and comparing functions take the number of slots from the value, so that the three types share
// them.
#include "core/minhash/minhash_compact.hpp"

#include <algorithm>

#include "pg/base/comparison.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/minhash/minhash.hpp"

extern "C" {
#include "common/hashfn.h"
#include "libpq/pqformat.h"
}

using namespace txtfp;

namespace txtfp::pg {

struct varlena *allocate_compact(std::size_t slots, std::uint64_t config, std::uint8_t *&bytes)
{
	const std::size_t size = VARHDRSZ + sizeof config + slots;
	auto *value = static_cast<struct varlena *>(palloc(size));
	SET_VARSIZE(value, size);
	memcpy(VARDATA(value), &config, sizeof config);
	bytes = reinterpret_cast<std::uint8_t *>(VARDATA(value)) + sizeof config;
	return value;
}

struct varlena *make_compact(const Minhash &value)
{
	std::uint8_t *bytes;
	struct varlena *result = allocate_compact(value.slot_count(), value.config, bytes);
	core::compact(value.view(), bytes);
	return result;
}

} // namespace txtfp::pg

namespace {

void set_config(struct varlena *value, std::uint64_t config) { memcpy(VARDATA(value), &config, sizeof config); }

template <std::size_t H> Datum compact_in(FunctionCallInfo fcinfo)
{
	const char *in = PG_GETARG_CSTRING(0);
	std::uint64_t config;
	std::uint8_t *bytes;
	struct varlena *value = pg::allocate_compact(H, 0, bytes);
	const core::MinhashParse error = core::read_text(in, config, core::CompactSlots(bytes, H));
	if (error != core::MinhashParse::ok) {
		ereturn(fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("invalid input syntax for type minhash%zu_compact: \"%s\"", H, pg::abbreviated(in)),
				errdetail("%s", pg::describe(error)),
				pg::is_document(in) ? errhint("to_minhash%zu_compact('...') makes the sketch of a text.", H)
									: errhint("The text form is \"<configuration: 16 hex digits>:<wire form: %zu hex "
											  "digits>\".",
										  2 * core::compact_wire_size(H))));
	}
	set_config(value, config);
	PG_RETURN_POINTER(value);
}

// Binary form: configuration (8 bytes, network order), then the wire form.
template <std::size_t H> Datum compact_recv(FunctionCallInfo fcinfo)
{
	StringInfo message = (StringInfo) PG_GETARG_POINTER(0);
	const auto config = static_cast<std::uint64_t>(pq_getmsgint64(message));
	std::uint8_t *bytes;
	struct varlena *value = pg::allocate_compact(H, config, bytes);
	const int size = message->len - message->cursor;
	const auto *wire = reinterpret_cast<const std::uint8_t *>(pq_getmsgbytes(message, size));
	const core::MinhashParse error =
		core::read_wire({wire, static_cast<std::size_t>(size)}, core::CompactSlots(bytes, H));
	if (error != core::MinhashParse::ok)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				errmsg("invalid binary representation of minhash%zu_compact", H),
				errdetail("%s", pg::describe(error))));
	PG_RETURN_POINTER(value);
}

template <std::size_t H> Datum compact_from_bytea(FunctionCallInfo fcinfo)
{
	const bytea *wire = PG_GETARG_BYTEA_PP(0);
	std::uint8_t *bytes;
	struct varlena *value = pg::allocate_compact(H, 0, bytes);
	const auto *in = reinterpret_cast<const std::uint8_t *>(VARDATA_ANY(wire));
	const core::MinhashParse error = core::read_wire({in, VARSIZE_ANY_EXHDR(wire)}, core::CompactSlots(bytes, H));
	if (error != core::MinhashParse::ok)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid wire form of minhash%zu_compact", H),
				errdetail("%s", pg::describe(error)),
				errhint("The wire form has %zu bytes: 01 00 08, five zero bytes, a byte for each slot.",
					core::compact_wire_size(H))));
	PG_RETURN_POINTER(value);
}

int compare(const pg::SketchView<std::uint8_t> &a, const pg::SketchView<std::uint8_t> &b)
{
	if (a.config != b.config)
		return a.config < b.config ? -1 : 1;
	// Values of one type have the same size, unless one is damaged.
	const int order = memcmp(a.slots.data(), b.slots.data(), std::min(a.slots.size(), b.slots.size()));
	return order != 0 ? order : (a.slots.size() > b.slots.size()) - (a.slots.size() < b.slots.size());
}

// A sort calls this function millions of times in one memory context, so detoasted copies must be freed.
int compare_compact_args(FunctionCallInfo fcinfo)
{
	struct varlena *a = PG_GETARG_VARLENA_PP(0), *b = PG_GETARG_VARLENA_PP(1);
	const int order = compare(pg::view_of(a), pg::view_of(b));
	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return order;
}

// Hashes what equality compares: configuration and slots.
const unsigned char *hashed_bytes(const struct varlena *value)
{
	return reinterpret_cast<const unsigned char *>(VARDATA_ANY(value));
}
int hashed_size(const struct varlena *value) { return static_cast<int>(VARSIZE_ANY_EXHDR(value)); }

} // namespace

TXTFP_FUNCTION(txtfp_minhash_to_compact) { PG_RETURN_POINTER(pg::make_compact(*pg::minhash_arg(fcinfo, 0))); }

TXTFP_FUNCTION(txtfp_minhash64_compact_in) { return compact_in<64>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash128_compact_in) { return compact_in<128>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash256_compact_in) { return compact_in<256>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash64_compact_recv) { return compact_recv<64>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash128_compact_recv) { return compact_recv<128>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash256_compact_recv) { return compact_recv<256>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash64_compact_from_bytea) { return compact_from_bytea<64>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash128_compact_from_bytea) { return compact_from_bytea<128>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash256_compact_from_bytea) { return compact_from_bytea<256>(fcinfo); }

TXTFP_FUNCTION(txtfp_compact_out)
{
	const pg::SketchView value = pg::sketch_arg<std::uint8_t>(fcinfo, 0);
	const std::size_t size = core::compact_text_size(value.slots.size());
	char *out = static_cast<char *>(palloc(size + 1));
	core::write_text(value.config, value.slots, out);
	out[size] = '\0';
	PG_RETURN_CSTRING(out);
}

TXTFP_FUNCTION(txtfp_compact_send)
{
	const pg::SketchView value = pg::sketch_arg<std::uint8_t>(fcinfo, 0);
	std::uint8_t wire[core::compact_wire_size(core::minhash_max_slots)];
	core::write_wire(value.slots, wire);
	StringInfoData out;
	pq_begintypsend(&out);
	pq_sendint64(&out, value.config);
	pq_sendbytes(&out, reinterpret_cast<char *>(wire), static_cast<int>(core::compact_wire_size(value.slots.size())));
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

TXTFP_FUNCTION(txtfp_compact_to_bytea)
{
	const pg::SketchView value = pg::sketch_arg<std::uint8_t>(fcinfo, 0);
	const std::size_t size = core::compact_wire_size(value.slots.size());
	auto *out = static_cast<bytea *>(palloc(VARHDRSZ + size));
	SET_VARSIZE(out, VARHDRSZ + size);
	core::write_wire(value.slots, reinterpret_cast<std::uint8_t *>(VARDATA(out)));
	PG_RETURN_BYTEA_P(out);
}

TXTFP_COMPARISONS(compact, compare_compact_args)

TXTFP_FUNCTION(txtfp_compact_hash)
{
	const struct varlena *value = PG_GETARG_VARLENA_PP(0);
	return hash_any(hashed_bytes(value), hashed_size(value));
}

TXTFP_FUNCTION(txtfp_compact_hash_extended)
{
	const struct varlena *value = PG_GETARG_VARLENA_PP(0);
	return hash_any_extended(hashed_bytes(value), hashed_size(value), static_cast<uint64>(PG_GETARG_INT64(1)));
}
