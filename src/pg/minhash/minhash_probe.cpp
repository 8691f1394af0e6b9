// minhash_probe: a sketch and the threshold of the search for it. An index condition has only one operand beside the
// column, so `minhash_similar(fp, q, t)` reaches the index as `fp % to_minhash_probe(q, t)`.
// Text form: <threshold>/<minhash text form>. Binary form: threshold, then the binary form of the sketch.
#include <charconv>

#include "pg/base/guard.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/minhash/minhash.hpp"
#include "pg/text/options.hpp"

extern "C" {
#include "libpq/pqformat.h"
}

using namespace txtfp;

namespace txtfp::pg {

MinhashProbe *allocate_probe(std::size_t slots)
{
	auto *value = static_cast<MinhashProbe *>(palloc(MinhashProbe::size_for(slots)));
	SET_VARSIZE(value, MinhashProbe::size_for(slots));
	value->zero = 0;
	return value;
}

} // namespace txtfp::pg

namespace {

// The number of slots whose text (or wire) form has this size in bytes; 0 if there is none.
template <typename Size> std::size_t slots_of(std::size_t size, Size size_of)
{
	for (const std::size_t slots : {64, 128, 256})
		if (size == size_of(slots))
			return slots;
	return 0;
}

// nullptr if the text is malformed.
pg::MinhashProbe *parse_probe(std::string_view in)
{
	double threshold = 0;
	const auto [end, error] = std::from_chars(in.data(), in.data() + in.size(), threshold);
	if (error != std::errc() || end == in.data() + in.size() || *end != '/' || !(threshold >= 0 && threshold <= 1))
		return nullptr;
	in.remove_prefix(static_cast<std::size_t>(end - in.data()) + 1);
	const std::size_t slots = slots_of(in.size(), core::text_size);
	if (slots == 0)
		return nullptr;
	pg::MinhashProbe *probe = pg::allocate_probe(slots);
	probe->threshold = threshold;
	return core::read_text(in, probe->config, {probe->slots, slots}) == core::MinhashParse::ok ? probe : nullptr;
}

} // namespace

TXTFP_FUNCTION(txtfp_minhash_probe_in)
{
	const char *in = PG_GETARG_CSTRING(0);
	const pg::MinhashProbe *probe = parse_probe(in);
	if (probe == nullptr)
		ereturn(fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("invalid input syntax for type minhash_probe: \"%s\"", pg::abbreviated(in)),
				errdetail("The text form is \"<threshold>/<text form of a minhash value>\".")));
	PG_RETURN_POINTER(probe);
}

TXTFP_FUNCTION(txtfp_minhash_probe_out)
{
	const pg::MinhashProbe *probe = pg::probe_arg(fcinfo, 0);
	char threshold[32];
	const auto [end, error] = std::to_chars(threshold, threshold + sizeof threshold, probe->threshold);
	const std::size_t prefix = error == std::errc() ? static_cast<std::size_t>(end - threshold) : 0;
	const std::size_t size = core::text_size(probe->slot_count());
	char *out = static_cast<char *>(palloc(prefix + 1 + size + 1));
	memcpy(out, threshold, prefix);
	out[prefix] = '/';
	core::write_text(probe->config, probe->view(), out + prefix + 1);
	out[prefix + 1 + size] = '\0';
	PG_RETURN_CSTRING(out);
}

TXTFP_FUNCTION(txtfp_minhash_probe_recv)
{
	StringInfo message = (StringInfo) PG_GETARG_POINTER(0);
	const double threshold = pq_getmsgfloat8(message);
	const auto config = static_cast<std::uint64_t>(pq_getmsgint64(message));
	const int size = message->len - message->cursor;
	const auto *wire = reinterpret_cast<const std::uint8_t *>(pq_getmsgbytes(message, size));
	const std::size_t slots = slots_of(static_cast<std::size_t>(size), core::wire_size);
	pg::MinhashProbe *probe = pg::allocate_probe(slots);
	probe->threshold = threshold;
	probe->config = config;
	const bool valid = slots != 0 && threshold >= 0 && threshold <= 1 &&
		core::read_wire({wire, static_cast<std::size_t>(size)}, {probe->slots, slots}) == core::MinhashParse::ok;
	if (!valid)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid binary representation of minhash_probe")));
	PG_RETURN_POINTER(probe);
}

TXTFP_FUNCTION(txtfp_minhash_probe_send)
{
	const pg::MinhashProbe *probe = pg::probe_arg(fcinfo, 0);
	std::uint8_t wire[core::wire_size(core::minhash_max_slots)];
	core::write_wire(probe->view(), wire);
	StringInfoData out;
	pq_begintypsend(&out);
	pq_sendfloat8(&out, probe->threshold);
	pq_sendint64(&out, probe->config);
	pq_sendbytes(&out, reinterpret_cast<char *>(wire), static_cast<int>(core::wire_size(probe->slot_count())));
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

TXTFP_FUNCTION(txtfp_to_minhash_probe)
{
	const pg::Minhash *value = pg::minhash_arg(fcinfo, 0);
	pg::MinhashProbe *probe = pg::allocate_probe(value->slot_count());
	probe->threshold = pg::unit_interval_option("threshold", PG_GETARG_FLOAT8(1));
	probe->config = value->config;
	memcpy(probe->slots, value->slots, sizeof(std::uint64_t) * value->slot_count());
	PG_RETURN_POINTER(probe);
}

TXTFP_FUNCTION(txtfp_minhash_matches_probe_leakproof)
{
	const pg::Minhash *value = pg::minhash_arg(fcinfo, 0);
	const pg::MinhashProbe *probe = pg::probe_arg(fcinfo, 1);
	PG_RETURN_BOOL(pg::are_comparable(value->config, value->view(), probe->config, probe->view()) &&
		pg::jaccard(value->config, value->view(), probe->config, probe->view()) >= probe->threshold);
}

TXTFP_FUNCTION(txtfp_minhash_matches_probe)
{
	const pg::Minhash *value = pg::minhash_arg(fcinfo, 0);
	const pg::MinhashProbe *probe = pg::probe_arg(fcinfo, 1);
	PG_RETURN_BOOL(pg::jaccard(value->config, value->view(), probe->config, probe->view()) >= probe->threshold);
}
