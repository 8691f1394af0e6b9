// q64 text, Shq64 codes, and the SimHash of byte strings. Codes are ASCII in every server encoding, so texts are read
// without conversion; the first byte of any other character is an error.
#include "core/shq64.hpp"

#include "pg/base/guard.hpp"
#include "pg/base/module_magic.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/simhash/simhash64.hpp"

extern "C" {
#include "access/htup_details.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "utils/memutils.h"
}

using namespace txtfp;

void _PG_init(void) { pg::throw_once(); }

namespace {

constexpr int max_variant_distance = 4; // distance 5 would give 8,303,632 codes

std::string_view raw_text_arg(FunctionCallInfo fcinfo, int i)
{
	const text *value = PG_GETARG_TEXT_PP(i);
	return {VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};
}

std::span<const std::uint8_t> bytea_arg(FunctionCallInfo fcinfo, int i)
{
	const bytea *value = PG_GETARG_BYTEA_PP(i);
	return {reinterpret_cast<const std::uint8_t *>(VARDATA_ANY(value)), VARSIZE_ANY_EXHDR(value)};
}

// The character at a position, all its bytes. In SQL_ASCII the length of a character is unknown, and a message with an
// incomplete character could not be sent, so there the byte is shown in hexadecimal.
const char *character_at(std::string_view text, std::size_t position)
{
	const std::string_view rest = text.substr(position);
	const auto byte = static_cast<unsigned char>(rest[0]);
	if (GetDatabaseEncoding() == PG_SQL_ASCII && IS_HIGHBIT_SET(byte))
		return psprintf("\\x%02x", static_cast<unsigned>(byte));
	return pnstrdup(rest.data(), static_cast<Size>(pg_mbcharcliplen(rest.data(), static_cast<int>(rest.size()), 1)));
}

int length_of(std::string_view text) { return pg_mbstrlen_with_len(text.data(), static_cast<int>(text.size())); }

int report_detail(const core::Q64Status &status)
{
	const int n = static_cast<int>(status.expected.size());
	const char *expected = status.expected.data();
	switch (status.error) {
	case core::Q64Error::character:
		return errdetail(
			"The character is in none of the q64 alphabets; this position takes one of \"%.*s\".", n, expected);
	case core::Q64Error::phase:
		return errdetail("The character belongs to other positions; this one takes one of \"%.*s\".", n, expected);
	case core::Q64Error::no_dot:
		return errdetail("A code of this form has a dot at this position.");
	case core::Q64Error::length:
	case core::Q64Error::none:
		break;
	}
	return 0;
}

// Any non-ASCII character before this position would have been reported, so the byte position is the character
// position.
[[noreturn]] void report_character(const char *what, std::string_view text, const core::Q64Status &status)
{
	ereport(ERROR,
		(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			errmsg("invalid character \"%s\" at position %zu of %s", character_at(text, status.position),
				status.position + 1, what),
			report_detail(status)));
	pg_unreachable();
}

void check_q64(std::string_view text, const core::Q64Status &status)
{
	if (status.error == core::Q64Error::none)
		return;
	if (status.error == core::Q64Error::length)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION), errmsg("invalid length of q64 text: %zu", text.size()),
				errdetail("The length must be even: two characters per byte.")));
	report_character("q64 text", text, status);
}

// Allocates the text of `size` bytes for `count` input bytes. Raises an error if count > max_count.
text *allocate_encoded(std::size_t count, std::size_t size, std::size_t max_count)
{
	if (count > max_count)
		ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("result text would exceed 1 GB"),
				errdetail("There are %zu bytes; at most %zu can be encoded.", count, max_count)));
	auto *out = static_cast<text *>(palloc(VARHDRSZ + size));
	SET_VARSIZE(out, VARHDRSZ + size);
	return out;
}

std::uint64_t code_arg(FunctionCallInfo fcinfo, int i)
{
	const std::string_view code = raw_text_arg(fcinfo, i);
	std::uint64_t bits = 0;
	const core::Q64Status status = core::shq64_decode(code, bits);
	if (status.error == core::Q64Error::length)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION), errmsg("invalid length of Shq64 code: %d", length_of(code)),
				errdetail("A code has 16 characters, or 19 with dots at positions 5, 10 and 15, or 17 with a dot at "
						  "position 9.")));
	if (status.error != core::Q64Error::none)
		report_character("Shq64 code", code, status);
	return bits;
}

} // namespace

TXTFP_FUNCTION(txtfp_q64_encode)
{
	constexpr std::size_t max_size = (MaxAllocSize - VARHDRSZ) / 2;
	const std::span<const std::uint8_t> in = bytea_arg(fcinfo, 0);
	text *out = allocate_encoded(in.size(), 2 * in.size(), max_size);
	core::q64_encode(in, VARDATA(out));
	PG_RETURN_TEXT_P(out);
}

TXTFP_FUNCTION(txtfp_eq64_encode)
{
	constexpr std::size_t max_size = (MaxAllocSize - VARHDRSZ) / 9 * 4; // 4 bytes take 8 characters and a dot
	const std::span<const std::uint8_t> in = bytea_arg(fcinfo, 0);
	text *out = allocate_encoded(in.size(), core::eq64_size(in.size()), max_size);
	core::eq64_encode(in, VARDATA(out));
	PG_RETURN_TEXT_P(out);
}

TXTFP_FUNCTION(txtfp_eq64_decode)
{
	const std::string_view in = raw_text_arg(fcinfo, 0);
	auto *out = static_cast<bytea *>(palloc(VARHDRSZ + (in.size() + 1) / 2));
	std::size_t size = 0;
	const core::Q64Status status = core::eq64_decode(in, reinterpret_cast<std::uint8_t *>(VARDATA(out)), size);
	if (status.error == core::Q64Error::length)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION), errmsg("invalid length of eq64 text: %zu", 2 * size + 1),
				errdetail("The length, dots apart, must be even: two characters per byte.")));
	if (status.error != core::Q64Error::none)
		report_character("eq64 text", in, status);
	SET_VARSIZE(out, VARHDRSZ + size);
	PG_RETURN_BYTEA_P(out);
}

TXTFP_FUNCTION(txtfp_q64_decode)
{
	const std::string_view in = raw_text_arg(fcinfo, 0);
	auto *out = static_cast<bytea *>(palloc(VARHDRSZ + in.size() / 2));
	SET_VARSIZE(out, VARHDRSZ + in.size() / 2);
	check_q64(in, core::q64_decode(in, reinterpret_cast<std::uint8_t *>(VARDATA(out))));
	PG_RETURN_BYTEA_P(out);
}

TXTFP_FUNCTION(txtfp_shq64_encode)
{
	char code[core::shq64_dotted_size];
	const std::size_t size = core::shq64_encode(pg::simhash_arg(fcinfo, 0), PG_GETARG_BOOL(1), code);
	PG_RETURN_TEXT_P(pg::make_text({code, size}));
}

TXTFP_FUNCTION(txtfp_shq64_decode) { return pg::simhash_datum(code_arg(fcinfo, 0)); }

TXTFP_FUNCTION(txtfp_shq64_is_valid)
{
	std::uint64_t bits = 0;
	PG_RETURN_BOOL(core::shq64_decode(raw_text_arg(fcinfo, 0), bits).error == core::Q64Error::none);
}

// Returns one code per call: distance 4 gives 679,120 codes.
TXTFP_FUNCTION(txtfp_shq64_variants)
{
	if (SRF_IS_FIRSTCALL()) {
		const int distance = PG_GETARG_INT32(1);
		if (distance < 0 || distance > max_variant_distance)
			ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("distance must be between 0 and %d, not %d", max_variant_distance, distance),
					errhint("A simhash64_ops index finds more distant values without a list of codes.")));
		FuncCallContext *context = SRF_FIRSTCALL_INIT();
		context->user_fctx = new (MemoryContextAlloc(context->multi_call_memory_ctx, sizeof(core::NearbyMasks)))
			core::NearbyMasks(distance);
	}
	FuncCallContext *context = SRF_PERCALL_SETUP();
	std::uint64_t mask = 0;
	if (!static_cast<core::NearbyMasks *>(context->user_fctx)->next(mask))
		SRF_RETURN_DONE(context);
	char code[core::shq64_dotted_size];
	const std::size_t size = core::shq64_encode(pg::simhash_arg(fcinfo, 0) ^ mask, PG_GETARG_BOOL(2), code);
	SRF_RETURN_NEXT(context, PointerGetDatum(pg::make_text({code, size})));
}

TXTFP_FUNCTION(txtfp_shq64_hamming) { PG_RETURN_INT32(core::hamming(code_arg(fcinfo, 0), code_arg(fcinfo, 1))); }

TXTFP_FUNCTION(txtfp_shq64_similarity)
{
	const int differing = core::shq64_differing_characters(code_arg(fcinfo, 0), code_arg(fcinfo, 1));
	PG_RETURN_FLOAT8(1 - differing / static_cast<double>(core::shq64_plain_size));
}

TXTFP_FUNCTION(txtfp_shq64_prefix_range)
{
	const std::string_view prefix = raw_text_arg(fcinfo, 0);
	core::Shq64Range range{};
	const core::Q64Status status = core::shq64_prefix_range(prefix, range);
	if (status.error == core::Q64Error::length)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("invalid length of Shq64 prefix: %d", length_of(prefix)),
				errdetail("A prefix has 1 to 16 characters, with the dots of a code as far as it reaches.")));
	if (status.error != core::Q64Error::none)
		report_character("Shq64 prefix", prefix, status);
	TupleDesc row;
	if (get_call_result_type(fcinfo, nullptr, &row) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	Datum values[2] = {pg::simhash_datum(range.low), pg::simhash_datum(range.high)};
	bool nulls[2] = {false, false};
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(row), values, nulls)));
}

TXTFP_FUNCTION(txtfp_to_simhash64_bytes)
{
	const int shingle = pg::at_least_one("shingle", PG_GETARG_INT32(1));
	const int num_bits = pg::within("num_bits", PG_GETARG_INT32(2), 1, 64);
	const std::span<const std::uint8_t> doc = bytea_arg(fcinfo, 0);
	std::uint64_t bits = 0;
	bool any = false;
	pg::guarded([&] { any = core::shingle_simhash(doc, static_cast<std::size_t>(shingle), bits, pg::stop_token); });
	if (!any)
		PG_RETURN_NULL();
	return pg::simhash_datum(bits & ~std::uint64_t{0} >> (64 - num_bits));
}
