// minhash64, minhash128, minhash256: input and output, comparison. The output and comparing functions take the
// number of slots from the value, so that the three types share them.
#include "pg/minhash/minhash.hpp"

#include <algorithm>

#include "core/minhash/config_names.hpp"
#include "pg/base/comparison.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/text_arg.hpp"

extern "C" {
#include "common/hashfn.h"
#include "libpq/pqformat.h"
}

using namespace txtfp;

namespace txtfp::pg {

const char *describe(core::MinhashParse error)
{
	switch (error) {
	case core::MinhashParse::bad_length:
		return "The value has the wrong length.";
	case core::MinhashParse::bad_digit:
		return "The value has a character that is no hexadecimal digit.";
	case core::MinhashParse::bad_schema:
		return "The schema number is not 1.";
	case core::MinhashParse::bad_bits:
		return "The number of bits of a slot is not 8.";
	case core::MinhashParse::bad_padding:
		return "The reserved bytes are not zero.";
	case core::MinhashParse::ok:
		break;
	}
	return "";
}

Minhash *allocate_minhash(std::size_t slots)
{
	auto *value = static_cast<Minhash *>(palloc(Minhash::size_for(slots)));
	SET_VARSIZE(value, Minhash::size_for(slots));
	value->schema = core::minhash_schema;
	value->zero = 0;
	value->config = 0;
	return value;
}

Minhash *minhash_from_wire(std::size_t slots, const bytea *wire)
{
	Minhash *value = allocate_minhash(slots);
	const auto *bytes = reinterpret_cast<const std::uint8_t *>(VARDATA_ANY(wire));
	const core::MinhashParse error = core::read_wire({bytes, VARSIZE_ANY_EXHDR(wire)}, value->view());
	if (error != core::MinhashParse::ok)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid wire form of minhash%zu", slots),
				errdetail("%s", pg::describe(error)),
				errhint(
					"The wire form has %zu bytes: 01 00, six zero bytes, the slots as little-endian 64-bit integers.",
					core::wire_size(slots))));
	return value;
}

void check_slot_counts(std::size_t a, std::size_t b)
{
	if (a != b)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("cannot compare minhash values of %zu and %zu slots", a, b),
				errhint("Use the same type for all values that are compared.")));
}

// The configuration hash and, if it is a common one, what it stands for.
static const char *named(std::uint64_t config, std::size_t slots)
{
	char name[160] = "";
	guarded([&] {
		const auto found = core::configuration_name(config, slots);
		name[found.copy(name, sizeof name - 1)] = '\0';
	});
	const auto digits = static_cast<unsigned long long>(config);
	return name[0] == '\0' ? psprintf("%016llx", digits) : psprintf("%016llx (%s)", digits, name);
}

void check_comparable(
	std::uint64_t config_a, std::size_t slots_a, std::uint64_t config_b, std::size_t slots_b, const char *suffix)
{
	check_slot_counts(slots_a, slots_b);
	if (!are_comparable(config_a, slots_a, config_b, slots_b))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("cannot compare minhash%zu%s values made with different configurations", slots_a, suffix),
				errdetail(
					"Their configuration hashes are %s and %s.", named(config_a, slots_a), named(config_b, slots_b)),
				errhint("Use the same tokenizer, canonicalizer, hash and seed for all values that are compared.")));
}

} // namespace txtfp::pg

namespace {

template <std::size_t H> Datum minhash_in(FunctionCallInfo fcinfo)
{
	const char *in = PG_GETARG_CSTRING(0);
	pg::Minhash *value = pg::allocate_minhash(H);
	const core::MinhashParse error = core::read_text(in, value->config, value->view());
	if (error != core::MinhashParse::ok) {
		ereturn(fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("invalid input syntax for type minhash%zu: \"%s\"", H, pg::abbreviated(in)),
				errdetail("%s", pg::describe(error)),
				pg::is_document(in) ? errhint("to_minhash%zu('...') makes the sketch of a text.", H)
									: errhint("The text form is \"<configuration: 16 hex digits>:<wire form: %zu hex "
											  "digits>\".",
										  2 * core::wire_size(H))));
	}
	PG_RETURN_POINTER(value);
}

// Binary form: configuration (8 bytes, network order), then the wire form.
template <std::size_t H> Datum minhash_recv(FunctionCallInfo fcinfo)
{
	StringInfo message = (StringInfo) PG_GETARG_POINTER(0);
	pg::Minhash *value = pg::allocate_minhash(H);
	value->config = static_cast<std::uint64_t>(pq_getmsgint64(message));
	const int size = message->len - message->cursor;
	const auto *wire = reinterpret_cast<const std::uint8_t *>(pq_getmsgbytes(message, size));
	const core::MinhashParse error = core::read_wire({wire, static_cast<std::size_t>(size)}, value->view());
	if (error != core::MinhashParse::ok)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid binary representation of minhash%zu", H),
				errdetail("%s", pg::describe(error))));
	PG_RETURN_POINTER(value);
}

int compare(const pg::Minhash *a, const pg::Minhash *b)
{
	if (a->config != b->config)
		return a->config < b->config ? -1 : 1;
	const core::ConstSlots x = a->view(), y = b->view();
	const auto [i, j] = std::mismatch(x.begin(), x.end(), y.begin(), y.end());
	if (i == x.end() || j == y.end())
		return (i != x.end()) - (j != y.end());
	return *i < *j ? -1 : 1;
}

// A sort calls this function millions of times in one memory context, so detoasted copies must be freed.
int compare_args(FunctionCallInfo fcinfo)
{
	const pg::Minhash *a = pg::minhash_arg(fcinfo, 0), *b = pg::minhash_arg(fcinfo, 1);
	const int order = compare(a, b);
	PG_FREE_IF_COPY(const_cast<pg::Minhash *>(a), 0);
	PG_FREE_IF_COPY(const_cast<pg::Minhash *>(b), 1);
	return order;
}

// Hashes what equality compares: configuration and slots. The first slots would suffice for ordinary values, but an
// adversary can make values that agree in them.
const unsigned char *hashed_bytes(const pg::Minhash *value)
{
	return reinterpret_cast<const unsigned char *>(&value->config);
}
int hashed_size(const pg::Minhash *value) { return static_cast<int>(8 + 8 * value->slot_count()); }

} // namespace

TXTFP_FUNCTION(txtfp_minhash64_in) { return minhash_in<64>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash128_in) { return minhash_in<128>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash256_in) { return minhash_in<256>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash64_recv) { return minhash_recv<64>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash128_recv) { return minhash_recv<128>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash256_recv) { return minhash_recv<256>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash64_from_bytea) { PG_RETURN_POINTER(pg::minhash_from_wire(64, PG_GETARG_BYTEA_PP(0))); }
TXTFP_FUNCTION(txtfp_minhash128_from_bytea) { PG_RETURN_POINTER(pg::minhash_from_wire(128, PG_GETARG_BYTEA_PP(0))); }
TXTFP_FUNCTION(txtfp_minhash256_from_bytea) { PG_RETURN_POINTER(pg::minhash_from_wire(256, PG_GETARG_BYTEA_PP(0))); }

TXTFP_FUNCTION(txtfp_minhash_out)
{
	const pg::Minhash *value = pg::minhash_arg(fcinfo, 0);
	const std::size_t size = core::text_size(value->slot_count());
	char *out = static_cast<char *>(palloc(size + 1));
	core::write_text(value->config, value->view(), out);
	out[size] = '\0';
	PG_RETURN_CSTRING(out);
}

TXTFP_FUNCTION(txtfp_minhash_send)
{
	const pg::Minhash *value = pg::minhash_arg(fcinfo, 0);
	std::uint8_t wire[core::wire_size(core::minhash_max_slots)];
	core::write_wire(value->view(), wire);
	StringInfoData out;
	pq_begintypsend(&out);
	pq_sendint64(&out, value->config);
	pq_sendbytes(&out, reinterpret_cast<char *>(wire), static_cast<int>(core::wire_size(value->slot_count())));
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

TXTFP_FUNCTION(txtfp_minhash_to_bytea)
{
	const pg::Minhash *value = pg::minhash_arg(fcinfo, 0);
	const std::size_t size = core::wire_size(value->slot_count());
	auto *out = static_cast<bytea *>(palloc(VARHDRSZ + size));
	SET_VARSIZE(out, VARHDRSZ + size);
	core::write_wire(value->view(), reinterpret_cast<std::uint8_t *>(VARDATA(out)));
	PG_RETURN_BYTEA_P(out);
}

TXTFP_COMPARISONS(minhash, compare_args)

TXTFP_FUNCTION(txtfp_minhash_hash)
{
	const pg::Minhash *value = pg::minhash_arg(fcinfo, 0);
	return hash_any(hashed_bytes(value), hashed_size(value));
}

TXTFP_FUNCTION(txtfp_minhash_hash_extended)
{
	const pg::Minhash *value = pg::minhash_arg(fcinfo, 0);
	return hash_any_extended(hashed_bytes(value), hashed_size(value), static_cast<uint64>(PG_GETARG_INT64(1)));
}
