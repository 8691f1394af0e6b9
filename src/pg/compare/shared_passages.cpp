// shared_passages() and mark_shared_passages(): the passages that two texts have in common, and their positions.
#include "core/compare/shared_passages.hpp"

#include "core/text/utf8.hpp"
#include "pg/base/call_site.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/text/options.hpp"

extern "C" {
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "utils/tuplestore.h"
}

using namespace txtfp;

namespace {

using Passages = std::vector<core::SharedPassage>; // guarded: by make_owned

class PassageOptions {
public:
	const core::CanonicalOptions &canonicalizer(std::string_view text) { return canonicalizer_(text); }

	core::Segmenter segmenter(std::string_view text)
	{
		const core::TokenizerSpec &spec = tokenizer_(text);
		if (spec.depth > 0)
			ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("passages cannot be made of shingles, as in tokenizer \"%s\"", pg::abbreviated(text)),
					errhint("Use a tokenizer without shingles, such as \"word-uax29\".")));
		return spec.segmenter;
	}

private:
	pg::ParsedOption<pg::canonicalizer_option> canonicalizer_;
	pg::ParsedOption<pg::tokenizer_option> tokenizer_;
};

// Finds the passages of arguments 0 and 1; min_words, canonicalizer and tokenizer are the arguments from `first` on.
const Passages &find_passages(FunctionCallInfo fcinfo, int first)
{
	PassageOptions &options = pg::call_site<PassageOptions>(fcinfo);
	const int min_words = pg::at_least_one("min_words", PG_GETARG_INT32(first));
	const core::CanonicalOptions canonical = options.canonicalizer(pg::text_arg(fcinfo, first + 1));
	const core::Segmenter segmenter = options.segmenter(pg::text_arg(fcinfo, first + 2));
	const std::string_view a = pg::text_arg(fcinfo, 0), b = pg::text_arg(fcinfo, 1);
	auto *passages = pg::make_owned<Passages>(CurrentMemoryContext);
	pg::guarded([&] {
		*passages =
			core::shared_passages(a, b, static_cast<std::uint32_t>(min_words), canonical, segmenter, pg::stop_token);
	});
	return *passages;
}

// A position and a length as substring() counts them: characters, or bytes in a database whose encoding is SQL_ASCII.
struct Place {
	int start, length;
};
Place place(const core::SourceRange &range)
{
	if (GetDatabaseEncoding() == PG_SQL_ASCII)
		return {static_cast<int>(range.byte) + 1, static_cast<int>(range.bytes)};
	return {static_cast<int>(range.character) + 1, static_cast<int>(range.characters)};
}

} // namespace

TXTFP_FUNCTION(txtfp_shared_passages)
{
	InitMaterializedSRF(fcinfo, 0);
	auto *result = (ReturnSetInfo *) fcinfo->resultinfo;
	const Passages &passages = find_passages(fcinfo, 2);
	bool nulls[5] = {};
	for (const core::SharedPassage &passage : passages) {
		CHECK_FOR_INTERRUPTS();
		const Place a = place(passage.a), b = place(passage.b);
		Datum values[] = {Int32GetDatum(a.start), Int32GetDatum(a.length), Int32GetDatum(b.start),
			Int32GetDatum(b.length), Int32GetDatum(static_cast<int32>(passage.words))};
		static_assert(lengthof(values) == lengthof(nulls));
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}

TXTFP_FUNCTION(txtfp_mark_shared_passages)
{
	const Passages &passages = find_passages(fcinfo, 4);
	const std::string_view text = pg::text_arg(fcinfo, 0);
	const std::string_view start = pg::text_arg(fcinfo, 2), stop = pg::text_arg(fcinfo, 3);
	auto *marked = pg::make_owned<core::TextBuffer>(CurrentMemoryContext);
	pg::guarded([&] {
		// Checks the size of the result before it copies a part.
		constexpr std::size_t most = std::size_t{1} << 30;
		const auto put = [&](std::string_view bytes) {
			if (bytes.size() > most || marked->size() > most - bytes.size())
				throw core::Error(core::ErrorKind::too_large, "result text would exceed 1 GB");
			marked->append(bytes);
		};
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
