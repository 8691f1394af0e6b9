// fingerprint: input and output, casts, comparison, name, metadata, similarity.
#include "pg/fingerprint/fingerprint.hpp"
#include "pg/fingerprint/fingerprint_kinds.hpp"
#include "pg/minhash/minhash.hpp"

#include <algorithm>

#include "core/text/config.hpp"
#include "pg/base/comparison.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/text/options.hpp"

extern "C" {
#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
}

using namespace txtfp;
using pg::Fingerprint;
using pg::FingerprintKind;

namespace {

struct Payload {
	const void *bytes;
	std::size_t size;
};

// `value` must live as long as the result, which may point to it.
Payload payload(const FingerprintKind &kind, const Datum &value)
{
	switch (kind.shape) {
	case pg::Shape::sketch:
		return {reinterpret_cast<const Fingerprint *>(PG_DETOAST_DATUM(value))->payload, kind.size};
	case pg::Shape::by_value:
		return {&value, sizeof value};
	case pg::Shape::fixed:
		return {DatumGetPointer(value), kind.size};
	case pg::Shape::varlena:
		break;
	}
	const struct varlena *packed = PG_DETOAST_DATUM_PACKED(value);
	return {VARDATA_ANY(packed), VARSIZE_ANY_EXHDR(packed)};
}

Fingerprint *wrap(const FingerprintKind &kind, Datum value)
{
	const Payload in = payload(kind, value);
	auto *out = static_cast<Fingerprint *>(palloc(Fingerprint::size_for(in.size)));
	SET_VARSIZE(out, Fingerprint::size_for(in.size));
	out->schema = 1;
	out->kind = kind.number;
	memcpy(out->payload, in.bytes, in.size);
	return out;
}

// The value inside a fingerprint. A sketch and a fixed-size value are not copied: the result points into the
// fingerprint.
Datum unwrap(const FingerprintKind &kind, const Fingerprint *in)
{
	Datum value = PointerGetDatum(in);
	switch (kind.shape) {
	case pg::Shape::sketch:
		break;
	case pg::Shape::by_value:
		memcpy(&value, in->payload, sizeof value);
		break;
	case pg::Shape::fixed:
		value = PointerGetDatum(in->payload);
		break;
	case pg::Shape::varlena:
		value = PointerGetDatum(cstring_to_text_with_len(
			reinterpret_cast<const char *>(in->payload), static_cast<int>(in->payload_size())));
		break;
	}
	return value;
}

const FingerprintKind &kind_of(const Fingerprint *value)
{
	const FingerprintKind *kind = pg::find_kind(value->kind);
	if (kind == nullptr || (kind->size != 0 && kind->size != value->payload_size()))
		ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
				errmsg("fingerprint of kind %u with %zu bytes is damaged, or of a newer version", value->kind,
					value->payload_size()),
				errhint("txtfp_version() returns the version of the loaded library.")));
	return *kind;
}

// Returns false, with the error in `context`, if the context takes soft errors; otherwise raises it.
bool read(const FingerprintKind &kind, const char *text, [[maybe_unused]] Node *context, Datum &value)
{
#if PG_VERSION_NUM >= 160000
	return DirectInputFunctionCallSafe(kind.in, const_cast<char *>(text), InvalidOid, -1, context, &value);
#else
	value = DirectFunctionCall1(kind.in, CStringGetDatum(text));
	return true;
#endif
}

pg::FingerprintFacts facts_of(const FingerprintKind &kind, const Fingerprint *value)
{
	if (kind.facts != nullptr)
		return kind.facts(unwrap(kind, value));
	return {std::nullopt, kind.byte_size != 0 ? kind.byte_size : value->payload_size()};
}

// "<algorithm>-v1", or "<algorithm>/<model>-v1"
const char *name_of(const FingerprintKind &kind, const Fingerprint *value)
{
	const std::optional<std::string_view> model = facts_of(kind, value).model;
	if (!model)
		return kind.name;
	return psprintf("%s/%.*s-v1", kind.algorithm, static_cast<int>(model->size()), model->data());
}

struct NamedText {
	const FingerprintKind *kind; // nullptr if no kind has this name
	const char *value;           // the text form of the kind's type
};

// An embedding's model is part of the fingerprint's name, and part of the value in the text form of the type embedding.
NamedText split_name(const char *in)
{
	constexpr std::string_view prefix = "embedding/", suffix = "-v1/";
	const std::string_view text(in);
	if (const std::size_t slash = text.find('/'); slash != std::string_view::npos)
		if (const FingerprintKind *kind = pg::find_kind(text.substr(0, slash)); kind != nullptr)
			return {kind, in + slash + 1};
	const std::size_t vector = text.rfind('[');
	if (!text.starts_with(prefix) || vector == std::string_view::npos || vector < prefix.size() + suffix.size() ||
		!text.substr(0, vector).ends_with(suffix))
		return {nullptr, nullptr};
	const auto model = static_cast<int>(vector - prefix.size() - suffix.size());
	return {pg::find_kind(pg::kind_embedding), psprintf("%.*s/%s", model, in + prefix.size(), in + vector)};
}

Datum to_fingerprint(FunctionCallInfo fcinfo, pg::KindNumber number)
{
	PG_RETURN_POINTER(wrap(*pg::find_kind(number), PG_GETARG_DATUM(0)));
}

Datum from_fingerprint(FunctionCallInfo fcinfo, pg::KindNumber number)
{
	const Fingerprint *in = pg::fingerprint_arg(fcinfo, 0);
	const FingerprintKind &kind = kind_of(in), &wanted = *pg::find_kind(number);
	if (kind.number != number)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("cannot cast fingerprint \"%s\" to type %s", kind.name, wanted.type),
				errhint("Its type is %s.", kind.type)));
	return unwrap(kind, in);
}

// Copies the sketch, because its header has zeros where the fingerprint has the kind.
Datum sketch_from_fingerprint(FunctionCallInfo fcinfo, pg::KindNumber number)
{
	const auto *in = reinterpret_cast<const pg::Minhash *>(DatumGetPointer(from_fingerprint(fcinfo, number)));
	pg::Minhash *out = pg::allocate_minhash(in->slot_count());
	out->config = in->config;
	memcpy(out->slots, in->slots, 8 * in->slot_count());
	PG_RETURN_POINTER(out);
}

int compare(const Fingerprint *a, const Fingerprint *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	const std::size_t x = a->payload_size(), y = b->payload_size();
	const int order = memcmp(a->payload, b->payload, std::min(x, y));
	return order != 0 ? order : (x > y) - (x < y);
}

// A sort calls this function millions of times in one memory context, so detoasted copies must be freed.
int compare_args(FunctionCallInfo fcinfo)
{
	const Fingerprint *a = pg::fingerprint_arg(fcinfo, 0), *b = pg::fingerprint_arg(fcinfo, 1);
	const int order = compare(a, b);
	PG_FREE_IF_COPY(const_cast<Fingerprint *>(a), 0);
	PG_FREE_IF_COPY(const_cast<Fingerprint *>(b), 1);
	return order;
}

// Hashes what equality compares: kind and payload.
const unsigned char *hashed_bytes(const Fingerprint *value)
{
	return reinterpret_cast<const unsigned char *>(&value->kind);
}
int hashed_size(const Fingerprint *value) { return static_cast<int>(sizeof value->kind + value->payload_size()); }

} // namespace

TXTFP_FUNCTION(txtfp_fingerprint_in)
{
	const char *in = PG_GETARG_CSTRING(0);
	const auto [kind, text] = split_name(in);
	if (kind == nullptr)
		ereturn(fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("invalid input syntax for type fingerprint: \"%s\"", pg::abbreviated(in)),
				errdetail("The text form is \"<name>/<text form of the value>\"."),
				errhint("Names are %s.", pg::kind_names())));
	Datum value;
	if (!read(*kind, text, fcinfo->context, value))
		PG_RETURN_NULL();
	PG_RETURN_POINTER(wrap(*kind, value));
}

TXTFP_FUNCTION(txtfp_fingerprint_out)
{
	const Fingerprint *value = pg::fingerprint_arg(fcinfo, 0);
	const FingerprintKind &kind = kind_of(value);
	const char *text = DatumGetCString(DirectFunctionCall1(kind.out, unwrap(kind, value)));
	const char *name = name_of(kind, value);
	if (name != kind.name)
		text = strrchr(text, '['); // skips the model, which the name contains
	PG_RETURN_CSTRING(psprintf("%s/%s", name, text));
}

// Binary form: the number of the kind (2 bytes, network order), then the value's binary form.
TXTFP_FUNCTION(txtfp_fingerprint_recv)
{
	StringInfo message = (StringInfo) PG_GETARG_POINTER(0);
	const auto number = static_cast<std::uint16_t>(pq_getmsgint(message, 2));
	const FingerprintKind *kind = pg::find_kind(number);
	if (kind == nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid binary representation of fingerprint"),
				errdetail("There is no kind %u.", number)));
	PG_RETURN_POINTER(wrap(*kind, DirectFunctionCall1(kind->receive, PointerGetDatum(message))));
}

TXTFP_FUNCTION(txtfp_fingerprint_send)
{
	const Fingerprint *value = pg::fingerprint_arg(fcinfo, 0);
	const FingerprintKind &kind = kind_of(value);
	const bytea *inner = DatumGetByteaPP(DirectFunctionCall1(kind.send, unwrap(kind, value)));
	StringInfoData out;
	pq_begintypsend(&out);
	pq_sendint16(&out, kind.number);
	pq_sendbytes(&out, VARDATA_ANY(inner), static_cast<int>(VARSIZE_ANY_EXHDR(inner)));
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

TXTFP_FUNCTION(txtfp_minhash64_to_fingerprint) { return to_fingerprint(fcinfo, pg::kind_minhash64); }
TXTFP_FUNCTION(txtfp_minhash128_to_fingerprint) { return to_fingerprint(fcinfo, pg::kind_minhash128); }
TXTFP_FUNCTION(txtfp_minhash256_to_fingerprint) { return to_fingerprint(fcinfo, pg::kind_minhash256); }
TXTFP_FUNCTION(txtfp_simhash64_to_fingerprint) { return to_fingerprint(fcinfo, pg::kind_simhash64); }
TXTFP_FUNCTION(txtfp_tlsh_to_fingerprint) { return to_fingerprint(fcinfo, pg::kind_tlsh); }
TXTFP_FUNCTION(txtfp_lavinhash_to_fingerprint) { return to_fingerprint(fcinfo, pg::kind_lavinhash); }
TXTFP_FUNCTION(txtfp_embedding_to_fingerprint) { return to_fingerprint(fcinfo, pg::kind_embedding); }
TXTFP_FUNCTION(txtfp_minhash64_compact_to_fingerprint) { return to_fingerprint(fcinfo, pg::kind_minhash64_compact); }
TXTFP_FUNCTION(txtfp_minhash128_compact_to_fingerprint) { return to_fingerprint(fcinfo, pg::kind_minhash128_compact); }
TXTFP_FUNCTION(txtfp_minhash256_compact_to_fingerprint) { return to_fingerprint(fcinfo, pg::kind_minhash256_compact); }
TXTFP_FUNCTION(txtfp_minhash64_from_fingerprint) { return sketch_from_fingerprint(fcinfo, pg::kind_minhash64); }
TXTFP_FUNCTION(txtfp_minhash128_from_fingerprint) { return sketch_from_fingerprint(fcinfo, pg::kind_minhash128); }
TXTFP_FUNCTION(txtfp_minhash256_from_fingerprint) { return sketch_from_fingerprint(fcinfo, pg::kind_minhash256); }
TXTFP_FUNCTION(txtfp_simhash64_from_fingerprint) { return from_fingerprint(fcinfo, pg::kind_simhash64); }
TXTFP_FUNCTION(txtfp_tlsh_from_fingerprint) { return from_fingerprint(fcinfo, pg::kind_tlsh); }
TXTFP_FUNCTION(txtfp_lavinhash_from_fingerprint) { return from_fingerprint(fcinfo, pg::kind_lavinhash); }
TXTFP_FUNCTION(txtfp_embedding_from_fingerprint) { return from_fingerprint(fcinfo, pg::kind_embedding); }
TXTFP_FUNCTION(txtfp_minhash64_compact_from_fingerprint)
{
	return from_fingerprint(fcinfo, pg::kind_minhash64_compact);
}
TXTFP_FUNCTION(txtfp_minhash128_compact_from_fingerprint)
{
	return from_fingerprint(fcinfo, pg::kind_minhash128_compact);
}
TXTFP_FUNCTION(txtfp_minhash256_compact_from_fingerprint)
{
	return from_fingerprint(fcinfo, pg::kind_minhash256_compact);
}

TXTFP_COMPARISONS(fingerprint, compare_args)

TXTFP_FUNCTION(txtfp_fingerprint_hash)
{
	const Fingerprint *value = pg::fingerprint_arg(fcinfo, 0);
	return hash_any(hashed_bytes(value), hashed_size(value));
}

TXTFP_FUNCTION(txtfp_fingerprint_hash_extended)
{
	const Fingerprint *value = pg::fingerprint_arg(fcinfo, 0);
	return hash_any_extended(hashed_bytes(value), hashed_size(value), static_cast<uint64>(PG_GETARG_INT64(1)));
}

TXTFP_FUNCTION(txtfp_fingerprint_name)
{
	const Fingerprint *value = pg::fingerprint_arg(fcinfo, 0);
	PG_RETURN_TEXT_P(cstring_to_text(name_of(kind_of(value), value)));
}

// `config` describes how the value was made. Only sketches carry it, so the functions below get it in different ways.
static Datum metadata(const Fingerprint *value, std::uint64_t config)
{
	const FingerprintKind &kind = kind_of(value);
	const pg::FingerprintFacts facts = facts_of(kind, value);
	StringInfoData json;
	initStringInfo(&json);
	appendStringInfo(&json,
		"{\"algorithm\": \"%s\", \"config_hash\": \"%s\", \"schema_version\": %u, \"byte_size\": %zu, \"model_id\": ",
		kind.algorithm, pg::config_digits(config), value->schema, facts.byte_size);
	if (facts.model)
		escape_json(&json, pnstrdup(facts.model->data(), facts.model->size()));
	else
		appendStringInfoString(&json, "null");
	appendStringInfoChar(&json, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}

// Uses the configuration that the value carries.
TXTFP_FUNCTION(txtfp_fingerprint_metadata)
{
	const Fingerprint *value = pg::fingerprint_arg(fcinfo, 0);
	std::uint64_t config = 0;
	if (kind_of(value).slots != 0) // of either form
		memcpy(&config, value->payload, sizeof config);
	return metadata(value, config);
}

// Uses the configuration that the caller names: (fp, canonicalizer, tokenizer, algorithm).
TXTFP_FUNCTION(txtfp_fingerprint_metadata_with)
{
	const std::string_view canonicalizer = pg::text_arg(fcinfo, 1);
	pg::canonicalizer_option(canonicalizer); // raises an error unless it is one
	const std::string_view tokenizer = pg::text_arg(fcinfo, 2), algorithm = pg::text_arg(fcinfo, 3);
	std::uint64_t config = 0;
	pg::guarded([&] { config = core::config_hash(canonicalizer, tokenizer, algorithm); });
	return metadata(pg::fingerprint_arg(fcinfo, 0), config);
}

TXTFP_FUNCTION(txtfp_fingerprint_similarity)
{
	const Fingerprint *a = pg::fingerprint_arg(fcinfo, 0), *b = pg::fingerprint_arg(fcinfo, 1);
	const FingerprintKind &kind = kind_of(a), &other = kind_of(b);
	if (kind.number != other.number)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("cannot compare fingerprints of different kinds"),
				errdetail("The kinds are \"%s\" and \"%s\".", kind.name, other.name),
				errhint("fingerprint_name(value) returns the kind: leave the others out.")));
	PG_RETURN_FLOAT8(kind.similarity(unwrap(kind, a), unwrap(kind, b)));
}
