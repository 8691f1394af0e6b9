// The streaming aggregates minhash64_agg, minhash128_agg, minhash256_agg, simhash64_agg: the fingerprint of the text
// that the chunks of a group form when concatenated.
#include "core/text/stream.hpp"

#include <cstring>

#include "core/minhash/minhash.hpp"
#include "core/simhash/simhash.hpp"
#include "pg/base/call_site.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/minhash/minhash.hpp"
#include "pg/simhash/idf_argument.hpp"
#include "pg/simhash/simhash64.hpp"
#include "pg/text/options.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
}

using namespace txtfp;

namespace {

// The transition states. They live in the aggregate's memory context, as does the object that takes the chunks. They
// have the type `internal`, because they hold many kilobytes and pointers, and they have no combine function, because
// the order of the chunks matters.

template <std::size_t H> struct MinhashState {
	using Options = core::TextOptions;

	Options options;
	core::Stream<core::MinhashSketcher> *stream;
	pg::Minhash *result; // its slots are being filled
	bool ended, any;     // any: the text has a token

	static bool may_be_null(int) { return false; }
	static Options read_options(FunctionCallInfo fcinfo)
	{
		return pg::call_site<pg::TextOptionArguments>(fcinfo).read(fcinfo, 2, core::default_tokenizer);
	}

	void start(MemoryContext context)
	{
		const MemoryContext caller = MemoryContextSwitchTo(context);
		result = pg::allocate_minhash(H);
		MemoryContextSwitchTo(caller);
		pg::guarded([this] { result->config = core::minhash_config(options, H); });
		stream = pg::make_owned<core::Stream<core::MinhashSketcher>>(context, options, result->view(), pg::stop_token);
	}
	void end() { any = stream->end().finish(); }
	Datum datum() const { return PointerGetDatum(result); }
};

struct SimhashState {
	using Options = core::SimhashOptions;

	Options options;
	core::Stream<core::SimhashSketcher> *stream;
	std::uint64_t result;
	bool ended, any;

	static Options read_options(FunctionCallInfo fcinfo);
	static bool may_be_null(int argument) { return argument == 7; } // idf

	void start(MemoryContext context)
	{
		stream = pg::make_owned<core::Stream<core::SimhashSketcher>>(context, options, pg::stop_token);
	}
	void end() { any = stream->end().finish(result); }
	Datum datum() const { return pg::simhash_datum(result); }
};

// What a call site keeps in fn_extra. It keeps the IDF tables of all groups, because states point to them.
struct SimhashArguments {
	pg::TextOptionArguments text;
	pg::IdfArgument idf;
};

// Reads the arguments (tokenizer, canonicalizer, hash, seed, weighting, idf); the tokenizer is argument 2.
core::SimhashOptions SimhashState::read_options(FunctionCallInfo fcinfo)
{
	SimhashArguments &arguments = pg::call_site<SimhashArguments>(fcinfo);
	Options options{arguments.text.read(fcinfo, 2, core::default_simhash_tokenizer)};
	if (PG_NARGS() > 6)
		pg::read_weighting(fcinfo, 6, arguments.idf, true, options);
	return options;
}

template <class State> bool any_null_argument(FunctionCallInfo fcinfo)
{
	for (int i = 1; i < PG_NARGS(); ++i)
		if (PG_ARGISNULL(i) && !State::may_be_null(i))
			return true;
	return false;
}

// The chunk as UTF-8. A chunk of type bytea may begin or end within a character.
std::string_view chunk_arg(FunctionCallInfo fcinfo)
{
	if (get_fn_expr_argtype(fcinfo->flinfo, 1) != BYTEAOID)
		return pg::text_arg(fcinfo, 1);
	const bytea *chunk = PG_GETARG_BYTEA_PP(1);
	const std::string_view bytes(VARDATA_ANY(chunk), VARSIZE_ANY_EXHDR(chunk));
	if (memchr(bytes.data(), '\0', bytes.size()) != nullptr)
		report_invalid_encoding(PG_UTF8, "", 1); // a value of type text contains no zero byte
	return bytes;
}

template <class State> void append(State *state, std::string_view chunk)
{
	bool well_formed = true;
	pg::guarded([&] { well_formed = state->stream->append(chunk); });
	const std::string_view bytes = state->stream->pending();
	if (!well_formed)
		report_invalid_encoding(PG_UTF8, bytes.data(), static_cast<int>(bytes.size()));
}

template <class Options> void check_same(const Options &given, const Options &first)
{
	if (given != first)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("chunks of one text must have the same tokenizer, canonicalizer, hash, seed, weighting and idf"),
				errhint("Add the arguments that differ to GROUP BY.")));
}

// Skips a row with a NULL argument, as aggregates with a strict transition function do.
template <class State> Datum add_chunk(FunctionCallInfo fcinfo)
{
	const MemoryContext context = pg::aggregate_context(fcinfo);
	State *state = PG_ARGISNULL(0) ? nullptr : reinterpret_cast<State *>(PG_GETARG_POINTER(0));
	if (!any_null_argument<State>(fcinfo)) {
		const typename State::Options options = State::read_options(fcinfo);
		const std::string_view chunk = chunk_arg(fcinfo);
		if (state == nullptr) {
			state = static_cast<State *>(MemoryContextAllocZero(context, sizeof(State)));
			state->options = options;
			state->start(context);
		}
		check_same(options, state->options);
		append(state, chunk);
	}
	if (state == nullptr)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(state);
}

void check_complete(std::string_view pending)
{
	if (pending.empty())
		return;
	char digits[8];
	core::hex_encode(reinterpret_cast<const std::uint8_t *>(pending.data()), pending.size(), digits);
	ereport(ERROR,
		(errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
			errmsg("last chunk ends within a character of encoding \"UTF8\": 0x%.*s",
				static_cast<int>(2 * pending.size()), digits),
			errhint("The chunks must come in the order of the text: use ORDER BY inside the aggregate.")));
}

// May be called several times on the same state, for example when a hash table of groups is scanned again.
template <class State> Datum finish(FunctionCallInfo fcinfo)
{
	pg::aggregate_context(fcinfo);
	auto *state = reinterpret_cast<State *>(PG_GETARG_POINTER(0));
	check_complete(state->stream->pending());
	if (!state->ended)
		pg::guarded([state] { state->end(); });
	state->ended = true;
	if (!state->any)
		PG_RETURN_NULL();
	return state->datum();
}

} // namespace

TXTFP_FUNCTION(txtfp_minhash64_agg_step) { return add_chunk<MinhashState<64>>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash128_agg_step) { return add_chunk<MinhashState<128>>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash256_agg_step) { return add_chunk<MinhashState<256>>(fcinfo); }
TXTFP_FUNCTION(txtfp_simhash64_agg_step) { return add_chunk<SimhashState>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash64_agg_final) { return finish<MinhashState<64>>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash128_agg_final) { return finish<MinhashState<128>>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash256_agg_final) { return finish<MinhashState<256>>(fcinfo); }
TXTFP_FUNCTION(txtfp_simhash64_agg_final) { return finish<SimhashState>(fcinfo); }
