// minhash_probe and minhash_compact_probe: a sketch and the threshold of the search for it. An index condition has only
// one operand beside the column, so `minhash_similar(fp, q, t)` reaches the index as `fp % to_minhash_probe(q, t)`.
// Text form: <threshold>/<text form of the sketch>. Binary form: threshold, then the binary form of the sketch.
#include <charconv>

#include "core/base/numbers.hpp"
#include "core/minhash/minhash_text.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/minhash/minhash.hpp"

extern "C" {
#include "libpq/pqformat.h"
}

using namespace txtfp;

namespace {

// The SQL types of a form.
template <class Slot>
constexpr const char *probe_type = pg::is_compact<Slot> ? "minhash_compact_probe" : "minhash_probe";
template <class Slot> constexpr const char *value_types = pg::is_compact<Slot> ? "minhash*_compact" : "minhash";

// The number of slots whose text form has this size in bytes; 0 if there is none.
template <class Slot> std::size_t slots_of_text(std::size_t size)
{
	for (const std::size_t slots : {64, 128, 256})
		if (size == 17 + 2 * core::wire_size_of<Slot>(slots))
			return slots;
	return 0;
}
template <class Slot> std::size_t slots_of_wire(std::size_t size)
{
	for (const std::size_t slots : {64, 128, 256})
		if (size == core::wire_size_of<Slot>(slots))
			return slots;
	return 0;
}

// nullptr if the text is malformed.
template <class Slot> pg::SketchProbe<Slot> *parse_probe(std::string_view in)
{
	double threshold = 0;
	const auto [end, error] = core::from_chars(in.data(), in.data() + in.size(), threshold);
	if (error != std::errc() || end == in.data() + in.size() || *end != '/' || !(threshold >= 0 && threshold <= 1))
		return nullptr;
	in.remove_prefix(static_cast<std::size_t>(end - in.data()) + 1);
	const std::size_t slots = slots_of_text<Slot>(in.size());
	if (slots == 0)
		return nullptr;
	auto *probe = pg::allocate_probe<Slot>(slots);
	probe->threshold = threshold;
	return core::read_text(in, probe->config, std::span(probe->slots, slots)) == core::MinhashParse::ok ? probe
																										: nullptr;
}

template <class Slot> Datum probe_in(FunctionCallInfo fcinfo)
{
	const char *in = PG_GETARG_CSTRING(0);
	const auto *probe = parse_probe<Slot>(in);
	if (probe == nullptr)
		ereturn(fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("invalid input syntax for type %s: \"%s\"", probe_type<Slot>, pg::abbreviated(in)),
				errdetail("The text form is \"<threshold>/<text form of a %s value>\".", value_types<Slot>)));
	PG_RETURN_POINTER(probe);
}

template <class Slot> Datum probe_out(FunctionCallInfo fcinfo)
{
	const auto *probe = pg::probe_arg<Slot>(fcinfo, 0);
	char threshold[32];
	const auto [end, error] = std::to_chars(threshold, threshold + sizeof threshold, probe->threshold);
	const std::size_t prefix = error == std::errc() ? static_cast<std::size_t>(end - threshold) : 0;
	const std::size_t size = 17 + 2 * core::wire_size_of<Slot>(probe->slot_count());
	char *out = static_cast<char *>(palloc(prefix + 1 + size + 1));
	memcpy(out, threshold, prefix);
	out[prefix] = '/';
	core::write_text(probe->config, probe->view(), out + prefix + 1);
	out[prefix + 1 + size] = '\0';
	PG_RETURN_CSTRING(out);
}

template <class Slot> Datum probe_recv(FunctionCallInfo fcinfo)
{
	StringInfo message = (StringInfo) PG_GETARG_POINTER(0);
	const double threshold = pq_getmsgfloat8(message);
	const auto config = static_cast<std::uint64_t>(pq_getmsgint64(message));
	const int size = message->len - message->cursor;
	const auto *wire = reinterpret_cast<const std::uint8_t *>(pq_getmsgbytes(message, size));
	const std::size_t slots = slots_of_wire<Slot>(static_cast<std::size_t>(size));
	auto *probe = pg::allocate_probe<Slot>(slots);
	probe->threshold = threshold;
	probe->config = config;
	const bool valid = slots != 0 && threshold >= 0 && threshold <= 1 &&
		core::read_wire({wire, static_cast<std::size_t>(size)}, std::span(probe->slots, slots)) ==
			core::MinhashParse::ok;
	if (!valid)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				errmsg("invalid binary representation of %s", probe_type<Slot>)));
	PG_RETURN_POINTER(probe);
}

template <class Slot> Datum probe_send(FunctionCallInfo fcinfo)
{
	const auto *probe = pg::probe_arg<Slot>(fcinfo, 0);
	std::uint8_t wire[core::wire_size_of<Slot>(core::minhash_max_slots)];
	core::write_wire(probe->view(), wire);
	StringInfoData out;
	pq_begintypsend(&out);
	pq_sendfloat8(&out, probe->threshold);
	pq_sendint64(&out, probe->config);
	pq_sendbytes(&out, reinterpret_cast<char *>(wire), static_cast<int>(core::wire_size_of<Slot>(probe->slot_count())));
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

template <class Slot> Datum to_probe(FunctionCallInfo fcinfo)
{
	const pg::SketchView value = pg::sketch_arg<Slot>(fcinfo, 0);
	auto *probe = pg::allocate_probe<Slot>(value.slots.size());
	probe->threshold = pg::unit_interval_option("threshold", PG_GETARG_FLOAT8(1));
	probe->config = value.config;
	memcpy(probe->slots, value.slots.data(), value.slots.size_bytes());
	PG_RETURN_POINTER(probe);
}

template <class Slot> Datum matches_probe(FunctionCallInfo fcinfo, bool leakproof)
{
	const pg::SketchView value = pg::sketch_arg<Slot>(fcinfo, 0);
	const auto *probe = pg::probe_arg<Slot>(fcinfo, 1);
	const pg::SketchView<Slot> wanted{probe->config, probe->view()};
	PG_RETURN_BOOL((!leakproof || pg::are_comparable(value, wanted)) && pg::jaccard(value, wanted) >= probe->threshold);
}

} // namespace

TXTFP_FUNCTION(txtfp_minhash_probe_in) { return probe_in<std::uint64_t>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash_probe_out) { return probe_out<std::uint64_t>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash_probe_recv) { return probe_recv<std::uint64_t>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash_probe_send) { return probe_send<std::uint64_t>(fcinfo); }
TXTFP_FUNCTION(txtfp_to_minhash_probe) { return to_probe<std::uint64_t>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash_matches_probe) { return matches_probe<std::uint64_t>(fcinfo, false); }
TXTFP_FUNCTION(txtfp_minhash_matches_probe_leakproof) { return matches_probe<std::uint64_t>(fcinfo, true); }

TXTFP_FUNCTION(txtfp_minhash_compact_probe_in) { return probe_in<std::uint8_t>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash_compact_probe_out) { return probe_out<std::uint8_t>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash_compact_probe_recv) { return probe_recv<std::uint8_t>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash_compact_probe_send) { return probe_send<std::uint8_t>(fcinfo); }
TXTFP_FUNCTION(txtfp_to_minhash_compact_probe) { return to_probe<std::uint8_t>(fcinfo); }
TXTFP_FUNCTION(txtfp_compact_matches_probe) { return matches_probe<std::uint8_t>(fcinfo, false); }
TXTFP_FUNCTION(txtfp_compact_matches_probe_leakproof) { return matches_probe<std::uint8_t>(fcinfo, true); }
