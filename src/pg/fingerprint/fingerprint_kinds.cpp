// The kinds of values that a fingerprint can hold.
#include "pg/fingerprint/fingerprint_kinds.hpp"

#include <algorithm>

#include "core/simhash/simhash.hpp"
#include "pg/embedding/embedding.hpp"
#include "pg/fingerprint/fingerprint.hpp"
#include "pg/lavinhash/lavinhash.hpp"
#include "pg/minhash/minhash.hpp"
#include "pg/simhash/simhash64.hpp"
#include "pg/tlsh/tlsh.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

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

constexpr std::size_t sketch_size(std::size_t slots) { return Minhash::size_for(slots) - offsetof(Minhash, config); }
static_assert(offsetof(Minhash, config) == offsetof(Fingerprint, payload));
static_assert(offsetof(Minhash, zero) == offsetof(Fingerprint, kind));

using core::kind_of;

constexpr FingerprintKind sketch_kind(KindNumber number, PGFunction in, PGFunction receive)
{
	return {kind_of(number), Shape::sketch, sketch_size(kind_of(number).slots), in, txtfp_minhash_out, receive,
		txtfp_minhash_send, minhash_similarity<std::uint64_t>, 0, nullptr};
}

// The payload of a compact sketch: its configuration and its bytes, as in the SQL type.
constexpr FingerprintKind compact_kind(KindNumber number, PGFunction in, PGFunction receive)
{
	const std::size_t slots = kind_of(number).slots;
	return {kind_of(number), Shape::varlena, sizeof(std::uint64_t) + slots, in, txtfp_compact_out, receive,
		txtfp_compact_send, minhash_similarity<std::uint8_t>, core::compact_wire_size(slots), nullptr};
}

const FingerprintKind kinds[] = {
	sketch_kind(kind_minhash64, txtfp_minhash64_in, txtfp_minhash64_recv),
	sketch_kind(kind_minhash128, txtfp_minhash128_in, txtfp_minhash128_recv),
	sketch_kind(kind_minhash256, txtfp_minhash256_in, txtfp_minhash256_recv),
	compact_kind(kind_minhash64_compact, txtfp_minhash64_compact_in, txtfp_minhash64_compact_recv),
	compact_kind(kind_minhash128_compact, txtfp_minhash128_compact_in, txtfp_minhash128_compact_recv),
	compact_kind(kind_minhash256_compact, txtfp_minhash256_compact_in, txtfp_minhash256_compact_recv),
	{kind_of(kind_simhash64), Shape::by_value, 8, txtfp_simhash64_in, txtfp_simhash64_out, txtfp_simhash64_recv,
		txtfp_simhash64_send, simhash_similarity, 0, nullptr},
	{kind_of(kind_tlsh), Shape::fixed, core::tlsh_bytes, txtfp_tlsh_in, txtfp_tlsh_out, txtfp_tlsh_recv,
		txtfp_tlsh_send, tlsh_similarity, core::tlsh_text_size, nullptr},
	{kind_of(kind_lavinhash), Shape::varlena, 0, txtfp_lavinhash_in, txtfp_lavinhash_out, txtfp_lavinhash_recv,
		txtfp_lavinhash_to_bytea, lavinhash_similarity, 0, nullptr},
	{kind_of(kind_embedding), Shape::varlena, 0, txtfp_embedding_in, txtfp_embedding_out, txtfp_embedding_recv,
		txtfp_embedding_send, embedding_similarity, 0, embedding_facts},
};
static_assert(lengthof(kinds) == lengthof(core::kinds));

} // namespace

const FingerprintKind *find_kind(std::uint16_t number)
{
	for (const FingerprintKind &kind : kinds)
		if (kind.number == number)
			return &kind;
	return nullptr;
}

const FingerprintKind *find_kind(std::string_view name)
{
	for (const FingerprintKind &kind : kinds)
		if (kind.name == name)
			return &kind;
	return nullptr;
}

const FingerprintKind *find_kind(Oid type, Oid schema, KindUse use)
{
	const Oid base = getBaseType(type);
	for (const FingerprintKind &kind : kinds)
		if ((kind.uses & use) != 0 &&
			base ==
				GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(kind.type), ObjectIdGetDatum(schema)))
			return &kind;
	return nullptr;
}

void check_limits(const GivenLimits &given, MeasureUnit unit, const char *kind)
{
	const struct {
		MeasureUnit unit;
		bool given;
		const char *name, *meaning;
	} limits[] = {{MeasureUnit::similarity, given.threshold, "threshold", "the least similarity"},
		{MeasureUnit::distance, given.max_distance, "max_distance", "the greatest distance"},
		{MeasureUnit::score, given.min_score, "min_score", "the least score"}};
	for (const auto &other : limits)
		if (other.given && other.unit != unit)
			for (const auto &own : limits)
				if (own.unit == unit)
					ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s does not apply to %s", other.name, kind),
							errhint("Give %s, %s.", own.name, own.meaning)));
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
		appendStringInfo(&names, "%s\"%s\"", names.len > 0 ? ", " : "", kind.name);
	return names.data;
}

} // namespace txtfp::pg
