// shared_passages() and mark_shared_passages(): the passages that two texts have in common, and their positions.
#include "core/compare/shared_passages.hpp"

#include "pg/base/owned.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/compare/word_options.hpp"

extern "C" {
#include "funcapi.h"
#include "utils/tuplestore.h"
}

using namespace txtfp;

namespace {

using Passages = std::vector<core::SharedPassage>; // guarded: by make_owned

// Finds the passages of arguments 0 and 1; min_words, canonicalizer and tokenizer are the arguments from `first` on.
const Passages &find_passages(FunctionCallInfo fcinfo, int first, bool only_longest)
{
	pg::WordOptions &options = pg::call_site<pg::WordOptions>(fcinfo);
	const int min_words = pg::at_least_one("min_words", PG_GETARG_INT32(first));
	const core::CanonicalOptions canonical = options.canonicalizer(pg::text_arg(fcinfo, first + 1));
	const core::Segmenter segmenter = options.segmenter(pg::text_arg(fcinfo, first + 2), "passages");
	const std::string_view a = pg::text_arg(fcinfo, 0), b = pg::text_arg(fcinfo, 1);
	auto *passages = pg::make_owned<Passages>(CurrentMemoryContext);
	pg::guarded([&] {
		const auto find = only_longest ? core::longest_passage : core::shared_passages;
		*passages = find(a, b, static_cast<std::uint32_t>(min_words), canonical, segmenter, pg::stop_token);
	});
	return *passages;
}

} // namespace

TXTFP_FUNCTION(txtfp_shared_passages)
{
	InitMaterializedSRF(fcinfo, 0);
	auto *result = (ReturnSetInfo *) fcinfo->resultinfo;
	const Passages &passages = find_passages(fcinfo, 2, PG_GETARG_BOOL(5));
	bool nulls[5] = {};
	for (const core::SharedPassage &passage : passages) {
		CHECK_FOR_INTERRUPTS();
		const pg::Place a = pg::place(passage.a), b = pg::place(passage.b);
		Datum values[] = {Int32GetDatum(a.start), Int32GetDatum(a.length), Int32GetDatum(b.start),
			Int32GetDatum(b.length), Int32GetDatum(static_cast<int32>(passage.words))};
		static_assert(lengthof(values) == lengthof(nulls));
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}

TXTFP_FUNCTION(txtfp_mark_shared_passages)
{
	const Passages &passages = find_passages(fcinfo, 4, false);
	const std::string_view text = pg::text_arg(fcinfo, 0);
	const std::string_view start = pg::text_arg(fcinfo, 2), stop = pg::text_arg(fcinfo, 3);
	auto *marked = pg::make_owned<core::TextBuffer>(CurrentMemoryContext);
	pg::guarded([&] {
		const auto put = [&](std::string_view bytes) { pg::append_part(*marked, bytes); };
		std::size_t done = 0;
		for (std::size_t i = 0; i < passages.size(); ++i) {
			const core::SourceRange &range = passages[i].a;
			const std::size_t end = range.byte + range.bytes;
			if (range.byte >= done) {
				put(text.substr(done, range.byte - done));
				put(start);
				done = range.byte;
			}
			put(text.substr(done, end - done)); // extends the passage before if the two share a character
			done = end;
			if (i + 1 == passages.size() || passages[i + 1].a.byte >= end)
				put(stop);
		}
		put(text.substr(done));
	});
	PG_RETURN_TEXT_P(pg::make_text(pg::from_utf8(*marked)));
}
