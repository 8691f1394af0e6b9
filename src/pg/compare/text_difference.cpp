// text_difference(), mark_difference() and difference_signals(): what distinguishes two texts.
#include "core/compare/text_difference.hpp"

#include "pg/base/call_site.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/compare/corpus_words.hpp"
#include "pg/compare/signals.hpp"
#include "pg/compare/word_options.hpp"

extern "C" {
#include "funcapi.h"
#include "utils/tuplestore.h"
}

using namespace txtfp;

namespace {

using Differences = std::vector<core::Difference>; // guarded: by make_owned

// The differences of arguments 0 and 1; tokenizer and canonicalizer are the arguments from `first` on.
const Differences &find_differences(FunctionCallInfo fcinfo, int first)
{
	pg::WordOptions &options = pg::call_site<pg::WordOptions>(fcinfo);
	const core::Segmenter segmenter = options.segmenter(pg::text_arg(fcinfo, first), "differences");
	const core::CanonicalOptions canonical = options.canonicalizer(pg::text_arg(fcinfo, first + 1));
	const std::string_view a = pg::text_arg(fcinfo, 0), b = pg::text_arg(fcinfo, 1);
	auto *differences = pg::make_owned<Differences>(CurrentMemoryContext);
	pg::guarded([&] { *differences = core::text_difference(a, b, canonical, segmenter, pg::stop_token); });
	return *differences;
}

} // namespace

TXTFP_FUNCTION(txtfp_text_difference)
{
	InitMaterializedSRF(fcinfo, 0);
	auto *result = (ReturnSetInfo *) fcinfo->resultinfo;
	const Differences &differences = find_differences(fcinfo, 2);
	const std::string_view text_a = pg::text_arg(fcinfo, 0), text_b = pg::text_arg(fcinfo, 1);
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "txtfp difference", ALLOCSET_SMALL_SIZES);
	bool nulls[7] = {};
	for (const core::Difference &difference : differences) {
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(row);
		const MemoryContext caller = MemoryContextSwitchTo(row);
		const pg::Place a = pg::place(difference.a), b = pg::place(difference.b);
		const auto part = [](std::string_view text, const core::SourceRange &range) {
			return PointerGetDatum(pg::make_text(pg::from_utf8(text.substr(range.byte, range.bytes))));
		};
		Datum values[] = {PointerGetDatum(pg::make_text(core::name(difference.kind))), Int32GetDatum(a.start),
			Int32GetDatum(a.length), Int32GetDatum(b.start), Int32GetDatum(b.length), part(text_a, difference.a),
			part(text_b, difference.b)};
		static_assert(lengthof(values) == lengthof(nulls));
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		MemoryContextSwitchTo(caller);
	}
	return (Datum) 0;
}

// Arguments: a, b, the marks before and behind deleted and inserted text, tokenizer, canonicalizer.
TXTFP_FUNCTION(txtfp_mark_difference)
{
	const Differences &differences = find_differences(fcinfo, 6);
	const std::string_view a = pg::text_arg(fcinfo, 0), b = pg::text_arg(fcinfo, 1);
	const std::string_view marks[] = {
		pg::text_arg(fcinfo, 2), pg::text_arg(fcinfo, 3), pg::text_arg(fcinfo, 4), pg::text_arg(fcinfo, 5)};
	auto *marked = pg::make_owned<core::TextBuffer>(CurrentMemoryContext);
	pg::guarded([&] {
		std::size_t done = 0;
		const auto put = [&](std::string_view text, const core::SourceRange &range, int mark) {
			if (range.bytes == 0)
				return;
			pg::append_part(*marked, marks[mark]);
			pg::append_part(*marked, text.substr(range.byte, range.bytes));
			pg::append_part(*marked, marks[mark + 1]);
		};
		for (const core::Difference &difference : differences) {
			pg::append_part(*marked, a.substr(done, difference.a.byte - done));
			put(a, difference.a, 0);
			put(b, difference.b, 2);
			done = difference.a.byte + difference.a.bytes;
		}
		pg::append_part(*marked, a.substr(done));
	});
	PG_RETURN_TEXT_P(pg::make_text(pg::from_utf8(*marked)));
}

// Arguments: a, b, and the numbers of neighbours, which may be NULL.
TXTFP_FUNCTION(txtfp_difference_signals_v2)
{
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	TupleDesc columns;
	if (get_call_result_type(fcinfo, nullptr, &columns) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "result of difference_signals is not of its type");
	core::Signals signals{};
	int neighbours[2] = {-1, -1};
	for (const int i : {0, 1})
		if (!PG_ARGISNULL(2 + i)) {
			neighbours[i] = PG_GETARG_INT32(2 + i);
			pg::within(i == 0 ? "neighbours" : "kept_neighbours", neighbours[i], 0, PG_INT32_MAX);
		}
	const std::string_view a = pg::text_arg(fcinfo, 0), b = pg::text_arg(fcinfo, 1);
	const core::CorpusWords *corpus =
		PG_ARGISNULL(4) ? nullptr : pg::call_site<pg::CorpusArgument>(fcinfo).read(fcinfo, 4);
	pg::guarded([&] { signals = core::difference_signals(a, b, pg::stop_token, corpus); });
	signals[static_cast<std::size_t>(core::Signal::neighbours)] = neighbours[0];
	signals[static_cast<std::size_t>(core::Signal::kept_neighbours)] = neighbours[1];
	PG_RETURN_DATUM(pg::signals_datum(signals, BlessTupleDesc(columns)));
}
