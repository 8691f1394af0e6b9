// The kinds of values that a fingerprint can hold.
#include "pg/fingerprint/fingerprint_kinds.hpp"

#include <algorithm>

#include "core/simhash/simhash.hpp"
#include "pg/base/identity.hpp"
#include "pg/embedding/embedding.hpp"
#include "pg/fingerprint/fingerprint.hpp"
#include "pg/lavinhash/lavinhash.hpp"
#include "pg/minhash/minhash.hpp"
#include "pg/simhash/simhash64.hpp"
#include "pg/tlsh/tlsh.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "utils/lsyscache.h"

PGDLLEXPORT Datum txtfp_minhash64_in(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_minhash64_recv(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_minhash128_in(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_minhash128_recv(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_minhash256_in(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_minhash256_recv(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_minhash_out(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_minhash_send(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_minhash64_compact_in(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_minhash64_compact_recv(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_minhash128_compact_in(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_minhash128_compact_recv(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_minhash256_compact_in(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_minhash256_compact_recv(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_compact_out(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_compact_send(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_simhash64_in(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_simhash64_out(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_simhash64_recv(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_simhash64_send(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_tlsh_in(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_tlsh_out(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_tlsh_recv(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_tlsh_send(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_lavinhash_in(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_lavinhash_out(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_lavinhash_recv(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_lavinhash_to_bytea(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_embedding_in(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_embedding_out(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_embedding_recv(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_embedding_send(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum txtfp_passages_in(PG_FUNCTION_ARGS);
}

namespace txtfp::pg {

namespace {

template <class Slot> double minhash_similarity(Datum a, Datum b)
{
	return jaccard(sketch_view<Slot>(a), sketch_view<Slot>(b));
}

double simhash_similarity(Datum a, Datum b)
{
	return core::cosine_estimate(
		static_cast<std::uint64_t>(DatumGetInt64(a)), static_cast<std::uint64_t>(DatumGetInt64(b)));
}

double tlsh_similarity(Datum a, Datum b) { return core::tlsh_similarity(core::tlsh_distance(to_tlsh(a), to_tlsh(b))); }

double lavinhash_similarity(Datum a, Datum b)
{
	const auto view = [](Datum value) { return lavinhash_view((const struct varlena *) DatumGetPointer(value)); };
	return core::lavinhash_similarity(view(a), view(b)) / 100.0;
}

double embedding_similarity(Datum a, Datum b) { return semantic_similarity(a, b); }

FingerprintFacts embedding_facts(Datum value)
{
	const core::Embedding embedding = to_embedding(value)->view();
	return {embedding.model, embedding.vector.size_bytes()};
}

template <class Slot> const std::uint8_t *minhash_row(Datum value, core::RowBuffer &)
{
	return reinterpret_cast<const std::uint8_t *>(sketch_view<Slot>(value).slots.data());
}

const std::uint8_t *simhash_row(Datum value, core::RowBuffer &buffer)
{
	memcpy(buffer.bytes, &value, sizeof value);
	return buffer.bytes;
}

const std::uint8_t *tlsh_row(Datum value, core::RowBuffer &) { return to_tlsh(value).bytes; }

const std::uint8_t *lavinhash_row(Datum value, core::RowBuffer &buffer)
{
	const core::LavinhashBytes form = lavinhash_view(PG_DETOAST_DATUM_PACKED(value));
	return core::lavinhash_operations.row_of(core::kind_of(kind_lavinhash), form, buffer.bytes);
}

constexpr std::size_t sketch_size(std::size_t slots) { return Minhash::size_for(slots) - offsetof(Minhash, config); }
static_assert(offsetof(Minhash, config) == offsetof(Fingerprint, payload));
static_assert(offsetof(Minhash, zero) == offsetof(Fingerprint, kind));

using core::kind_of;

constexpr FingerprintKind sketch_kind(KindNumber number, PGFunction in, PGFunction receive, const SearchKind &search)
{
	return {kind_of(number), Shape::sketch, sketch_size(kind_of(number).slots), in, txtfp_minhash_out, receive,
		txtfp_minhash_send, minhash_similarity<std::uint64_t>, 0, nullptr, minhash_row<std::uint64_t>, &search};
}

// The payload of a compact sketch: its configuration and its bytes, as in the SQL type.
constexpr FingerprintKind compact_kind(KindNumber number, PGFunction in, PGFunction receive, const SearchKind &search)
{
	const std::size_t slots = kind_of(number).slots;
	return {kind_of(number), Shape::varlena, sizeof(std::uint64_t) + slots, in, txtfp_compact_out, receive,
		txtfp_compact_send, minhash_similarity<std::uint8_t>, core::compact_wire_size(slots), nullptr,
		minhash_row<std::uint8_t>, &search};
}

const FingerprintKind kinds[] = {
	sketch_kind(kind_minhash64, txtfp_minhash64_in, txtfp_minhash64_recv, minhash64_search),
	sketch_kind(kind_minhash128, txtfp_minhash128_in, txtfp_minhash128_recv, minhash128_search),
	sketch_kind(kind_minhash256, txtfp_minhash256_in, txtfp_minhash256_recv, minhash256_search),
	compact_kind(
		kind_minhash64_compact, txtfp_minhash64_compact_in, txtfp_minhash64_compact_recv, minhash64_compact_search),
	compact_kind(
		kind_minhash128_compact, txtfp_minhash128_compact_in, txtfp_minhash128_compact_recv, minhash128_compact_search),
	compact_kind(
		kind_minhash256_compact, txtfp_minhash256_compact_in, txtfp_minhash256_compact_recv, minhash256_compact_search),
	{kind_of(kind_simhash64), Shape::by_value, 8, txtfp_simhash64_in, txtfp_simhash64_out, txtfp_simhash64_recv,
		txtfp_simhash64_send, simhash_similarity, 0, nullptr, simhash_row, &simhash_search},
	{kind_of(kind_tlsh), Shape::fixed, core::tlsh_bytes, txtfp_tlsh_in, txtfp_tlsh_out, txtfp_tlsh_recv,
		txtfp_tlsh_send, tlsh_similarity, core::tlsh_text_size, nullptr, tlsh_row, &tlsh_search},
	{kind_of(kind_lavinhash), Shape::varlena, 0, txtfp_lavinhash_in, txtfp_lavinhash_out, txtfp_lavinhash_recv,
		txtfp_lavinhash_to_bytea, lavinhash_similarity, 0, nullptr, lavinhash_row, &lavinhash_search},
	{kind_of(kind_embedding), Shape::varlena, 0, txtfp_embedding_in, txtfp_embedding_out, txtfp_embedding_recv,
		txtfp_embedding_send, embedding_similarity, 0, embedding_facts, nullptr, nullptr},
	{*core::kind_of_type("passages", use_trigger), Shape::varlena, 0, txtfp_passages_in, nullptr, nullptr, nullptr,
		nullptr, 0, nullptr, nullptr, nullptr},
};
static_assert(lengthof(kinds) == lengthof(core::kinds));

} // namespace

const FingerprintKind *find_kind(std::uint16_t number)
{
	for (const FingerprintKind &kind : kinds)
		if (kind.number == number && number != 0)
			return &kind;
	return nullptr;
}

const FingerprintKind *find_kind(std::string_view name)
{
	for (const FingerprintKind &kind : kinds)
		if (kind.number != 0 && kind.name == name)
			return &kind;
	return nullptr;
}

const FingerprintKind *find_kind(Oid type, KindUse use)
{
	const PGFunction input = input_of(getBaseType(type));
	for (const FingerprintKind &kind : kinds)
		if ((kind.uses & use) != 0 && kind.in == input)
			return &kind;
	return nullptr;
}

void report(const core::Complaint &wrong)
{
	ereport(ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", wrong.message),
			wrong.detail[0] == '\0' ? 0 : errdetail("%s", wrong.detail),
			wrong.hint[0] == '\0' ? 0 : errhint("%s", wrong.hint)));
	pg_unreachable();
}

void check_limits(const core::JoinOptions &options, MeasureUnit unit, const char *what)
{
	core::Complaint wrong;
	if (!core::fits_unit(options, unit, what, wrong))
		report(wrong);
}

const char *kind_types(KindUse use)
{
	StringInfoData types;
	initStringInfo(&types);
	const char *last = nullptr;
	for (const FingerprintKind &kind : kinds)
		if ((kind.uses & use) != 0) {
			if (last != nullptr)
				appendStringInfo(&types, "%s%s", types.len > 0 ? ", " : "", last);
			last = kind.type;
		}
	appendStringInfo(&types, " and %s", last);
	return types.data;
}

const char *kind_names()
{
	StringInfoData names;
	initStringInfo(&names);
	for (const FingerprintKind &kind : kinds)
		if (kind.number != 0)
			appendStringInfo(&names, "%s\"%s\"", names.len > 0 ? ", " : "", kind.name);
	return names.data;
}

} // namespace txtfp::pg
