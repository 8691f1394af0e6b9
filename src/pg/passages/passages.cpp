#include "pg/passages/passages.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/hash.hpp"
#include "core/passages/passages_form.hpp"
#include "pg/base/call_site.hpp"
#include "pg/base/comparison.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "utils/array.h"
}

using namespace txtfp;

namespace txtfp::pg {

Passages *allocate_passages(std::size_t count)
{
	if (count > Passages::max_count)
		ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				errmsg("a value of type passages can have at most %zu fingerprints, not %zu", Passages::max_count,
					count)));
	auto *value = static_cast<Passages *>(palloc(Passages::size_for(count)));
	SET_VARSIZE(value, Passages::size_for(count));
	value->least = 0;
	return value;
}

void check_comparable(const Passages &a, const Passages &b)
{
	if (a.config != b.config && a.config != 0 && b.config != 0)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("cannot compare passages values made with different configurations"),
				errhint("Make both with the same guarantee, tokenizer and canonicalizer.")));
}

core::WinnowOptions WinnowArguments::read(FunctionCallInfo fcinfo, int first)
{
	core::WinnowOptions options;
	const int guarantee = PG_GETARG_INT32(first);
	if (guarantee < 1 || guarantee > static_cast<int>(core::WinnowOptions::max_guarantee))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("guarantee must be between 1 and %u, not %d", core::WinnowOptions::max_guarantee, guarantee),
				errdetail("The guarantee is the number of words of the shortest passage that is always found.")));
	options.guarantee = static_cast<std::uint32_t>(guarantee);
	const std::string_view name = text_arg(fcinfo, first + 1);
	const core::TokenizerSpec &tokenizer = tokenizer_(name);
	if (tokenizer.depth > 0)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("passages cannot be made of shingles, as in tokenizer \"%s\"", abbreviated(name)),
				errhint("Use a tokenizer without shingles, such as \"word-uax29\".")));
	options.segmenter = tokenizer.segmenter;
	options.canonical = canonicalizer_(text_arg(fcinfo, first + 2));
	return options;
}

} // namespace txtfp::pg

namespace {

using Fingerprints = std::vector<std::uint64_t>; // guarded: by make_owned

constexpr char invalid_text[] = "invalid input syntax for type %s: \"%s\"";

// Returns nullptr and sets `why` if the text is malformed.
pg::Passages *parse_text(std::string_view text, const char *&why)
{
	const std::ptrdiff_t count = core::passages_in_text(text.size());
	why = "The text form is \"<configuration: 16 hex digits>:<fingerprints: 16 hex digits each>\".";
	if (count < 0)
		return nullptr;
	pg::Passages *value = pg::allocate_passages(static_cast<std::size_t>(count));
	switch (core::read_passages_text(text, value->config, {value->fingerprints, static_cast<std::size_t>(count)})) {
	case core::PassagesParse::ok:
		return value;
	case core::PassagesParse::not_ascending:
		why = "The fingerprints must ascend, each standing once.";
		break;
	case core::PassagesParse::malformed:
		break;
	}
	return nullptr;
}

pg::Passages *receive(StringInfo message, const char *type)
{
	const int size = message->len - message->cursor;
	const auto *bytes = reinterpret_cast<const std::uint8_t *>(pq_getmsgbytes(message, size));
	const std::ptrdiff_t count = core::passages_in_binary(static_cast<std::size_t>(size));
	pg::Passages *value = pg::allocate_passages(static_cast<std::size_t>(std::max<std::ptrdiff_t>(count, 0)));
	if (count < 0 ||
		core::read_passages_binary({bytes, static_cast<std::size_t>(size)}, value->config,
			{value->fingerprints, static_cast<std::size_t>(count)}) != core::PassagesParse::ok)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid binary representation of %s", type)));
	return value;
}

void send(StringInfo out, const pg::Passages &value)
{
	const std::size_t size = core::passages_binary_size(value.view().size());
	enlargeStringInfo(out, static_cast<int>(size));
	core::write_passages_binary(value.config, value.view(), reinterpret_cast<std::uint8_t *>(out->data + out->len));
	out->len += static_cast<int>(size);
	out->data[out->len] = '\0';
}

int compare(FunctionCallInfo fcinfo)
{
	const pg::Passages *a = pg::passages_arg(fcinfo, 0), *b = pg::passages_arg(fcinfo, 1);
	int order = (a->config > b->config) - (a->config < b->config);
	if (order == 0) {
		const auto x = a->view(), y = b->view();
		order = std::lexicographical_compare(y.begin(), y.end(), x.begin(), x.end()) -
			std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
	}
	PG_FREE_IF_COPY(const_cast<pg::Passages *>(a), 0);
	PG_FREE_IF_COPY(const_cast<pg::Passages *>(b), 1);
	return order;
}

std::uint64_t hash_of(FunctionCallInfo fcinfo, std::uint64_t seed)
{
	const pg::Passages *value = pg::passages_arg(fcinfo, 0);
	return core::xxh3_64(&value->config, 8 * (1 + value->view().size()), seed);
}

std::size_t common(const pg::Passages &a, const pg::Passages &b, std::size_t enough = ~std::size_t{0})
{
	pg::check_comparable(a, b);
	return core::count_common(a.view(), b.view(), enough);
}

// The share of a's fingerprints that b has; 0 if a has none.
double containment(const pg::Passages &a, const pg::Passages &b)
{
	const std::size_t count = a.view().size(), shared = common(a, b);
	return count == 0 ? 0 : static_cast<double>(shared) / static_cast<double>(count);
}

// Converts a share of the value's fingerprints to a number of them, at least 1.
int least_of(const pg::Passages &value, double share)
{
	pg::unit_interval_option("share", share);
	const double count = share * static_cast<double>(value.view().size());
	return std::max(1, static_cast<int>(std::ceil(count - 1e-9)));
}

Datum make_probe(const pg::Passages &value, int least)
{
	const std::size_t size = VARSIZE(&value);
	auto *probe = static_cast<pg::Passages *>(memcpy(palloc(size), &value, size));
	probe->least = least;
	PG_RETURN_POINTER(probe);
}

} // namespace

TXTFP_FUNCTION(txtfp_passages_in)
{
	const char *in = PG_GETARG_CSTRING(0);
	const char *why = nullptr;
	const pg::Passages *value = parse_text(in, why);
	if (value == nullptr)
		ereturn(fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION), errmsg(invalid_text, "passages", pg::abbreviated(in)),
				errdetail("%s", why)));
	PG_RETURN_POINTER(value);
}

TXTFP_FUNCTION(txtfp_passages_out)
{
	const pg::Passages *value = pg::passages_arg(fcinfo, 0);
	const std::size_t size = core::passages_text_size(value->view().size());
	auto *out = static_cast<char *>(MemoryContextAllocHuge(CurrentMemoryContext, size + 1));
	core::write_passages_text(value->config, value->view(), out);
	out[size] = '\0';
	PG_RETURN_CSTRING(out);
}

TXTFP_FUNCTION(txtfp_passages_recv) { PG_RETURN_POINTER(receive((StringInfo) PG_GETARG_POINTER(0), "passages")); }

TXTFP_FUNCTION(txtfp_passages_send)
{
	StringInfoData out;
	pq_begintypsend(&out);
	send(&out, *pg::passages_arg(fcinfo, 0));
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

// Text form of a probe: <least>/<passages>
TXTFP_FUNCTION(txtfp_passages_probe_in)
{
	const char *in = PG_GETARG_CSTRING(0);
	const char *slash = strchr(in, '/');
	char *end = nullptr;
	const long least = strtol(in, &end, 10);
	const char *why = "The text form is \"<least>/<passages>\".";
	pg::Passages *value =
		slash == nullptr || end != slash || least < 1 || least > PG_INT32_MAX ? nullptr : parse_text(slash + 1, why);
	if (value == nullptr)
		ereturn(fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION), errmsg(invalid_text, "passages_probe", pg::abbreviated(in)),
				errdetail("%s", why)));
	value->least = static_cast<std::int32_t>(least);
	PG_RETURN_POINTER(value);
}

TXTFP_FUNCTION(txtfp_passages_probe_out)
{
	const pg::Passages *value = pg::passages_arg(fcinfo, 0);
	const char *prefix = psprintf("%d/", value->least);
	const std::size_t length = strlen(prefix), size = core::passages_text_size(value->view().size());
	auto *out = static_cast<char *>(MemoryContextAllocHuge(CurrentMemoryContext, length + size + 1));
	memcpy(out, prefix, length);
	core::write_passages_text(value->config, value->view(), out + length);
	out[length + size] = '\0';
	PG_RETURN_CSTRING(out);
}

TXTFP_FUNCTION(txtfp_passages_probe_recv)
{
	auto *message = (StringInfo) PG_GETARG_POINTER(0);
	const int least = static_cast<int>(pq_getmsgint(message, 4));
	pg::Passages *value = receive(message, "passages_probe");
	if (least < 1)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				errmsg("invalid binary representation of passages_probe")));
	value->least = least;
	PG_RETURN_POINTER(value);
}

TXTFP_FUNCTION(txtfp_passages_probe_send)
{
	const pg::Passages *value = pg::passages_arg(fcinfo, 0);
	StringInfoData out;
	pq_begintypsend(&out);
	pq_sendint32(&out, static_cast<std::uint32_t>(value->least));
	send(&out, *value);
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

TXTFP_COMPARISONS(passages, compare)
TXTFP_FUNCTION(txtfp_passages_hash) { PG_RETURN_INT32(static_cast<std::int32_t>(hash_of(fcinfo, 0))); }
TXTFP_FUNCTION(txtfp_passages_hash_extended)
{
	PG_RETURN_INT64(static_cast<std::int64_t>(hash_of(fcinfo, static_cast<std::uint64_t>(PG_GETARG_INT64(1)))));
}

// Returns NULL for a text without words, because a generated column must not reject a row.
TXTFP_FUNCTION(txtfp_to_passages)
{
	const core::WinnowOptions options = pg::call_site<pg::WinnowArguments>(fcinfo).read(fcinfo, 1);
	const std::string_view doc = pg::text_arg(fcinfo, 0);
	auto *chosen = pg::make_owned<Fingerprints>(CurrentMemoryContext);
	std::uint64_t config = 0;
	pg::guarded([&] {
		*chosen = core::winnow(doc, options, pg::stop_token);
		config = core::winnow_config(options);
	});
	if (chosen->empty())
		PG_RETURN_NULL();
	pg::Passages *value = pg::allocate_passages(chosen->size());
	value->config = config;
	memcpy(value->fingerprints, chosen->data(), 8 * chosen->size());
	PG_RETURN_POINTER(value);
}

TXTFP_FUNCTION(txtfp_passages_count)
{
	PG_RETURN_INT32(static_cast<int32>(pg::passages_arg(fcinfo, 0)->view().size()));
}

TXTFP_FUNCTION(txtfp_passages_overlap)
{
	PG_RETURN_INT32(static_cast<int32>(common(*pg::passages_arg(fcinfo, 0), *pg::passages_arg(fcinfo, 1))));
}

TXTFP_FUNCTION(txtfp_passages_similar)
{
	const auto least = static_cast<std::size_t>(pg::at_least_one("min_shared", PG_GETARG_INT32(2)));
	PG_RETURN_BOOL(common(*pg::passages_arg(fcinfo, 0), *pg::passages_arg(fcinfo, 1), least) >= least);
}

// (p, q, share): true if q has at least this share of p's fingerprints, and at least one.
TXTFP_FUNCTION(txtfp_passages_contained)
{
	const pg::Passages *p = pg::passages_arg(fcinfo, 0), *q = pg::passages_arg(fcinfo, 1);
	const auto least = static_cast<std::size_t>(least_of(*p, PG_GETARG_FLOAT8(2)));
	PG_RETURN_BOOL(common(*p, *q, least) >= least);
}

TXTFP_FUNCTION(txtfp_passages_containment)
{
	PG_RETURN_FLOAT8(containment(*pg::passages_arg(fcinfo, 0), *pg::passages_arg(fcinfo, 1)));
}

TXTFP_FUNCTION(txtfp_to_passages_probe)
{
	return make_probe(*pg::passages_arg(fcinfo, 0), pg::at_least_one("min_shared", PG_GETARG_INT32(1)));
}

TXTFP_FUNCTION(txtfp_to_passages_probe_of_share)
{
	const pg::Passages *value = pg::passages_arg(fcinfo, 0);
	return make_probe(*value, least_of(*value, PG_GETARG_FLOAT8(1)));
}

TXTFP_FUNCTION(txtfp_passages_matches_probe)
{
	const pg::Passages *value = pg::passages_arg(fcinfo, 0), *probe = pg::passages_arg(fcinfo, 1);
	const auto least = static_cast<std::size_t>(probe->least);
	PG_RETURN_BOOL(common(*value, *probe, least) >= least);
}

// The union of two values, for example of the boilerplate of several sources.
TXTFP_FUNCTION(txtfp_passages_union)
{
	const pg::Passages *a = pg::passages_arg(fcinfo, 0), *b = pg::passages_arg(fcinfo, 1);
	pg::check_comparable(*a, *b);
	const auto x = a->view(), y = b->view();
	pg::Passages *value = pg::allocate_passages(x.size() + y.size());
	value->config = a->config != 0 ? a->config : b->config;
	const std::uint64_t *end = std::set_union(x.begin(), x.end(), y.begin(), y.end(), value->fingerprints);
	SET_VARSIZE(value, pg::Passages::size_for(static_cast<std::size_t>(end - value->fingerprints)));
	PG_RETURN_POINTER(value);
}
