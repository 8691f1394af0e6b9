// deduplicate_passages returns what of each text of a query stands in an earlier one (core/passages/repeats.hpp). The texts are stored, because they are
// read several times. passage_keys returns the hashes by which it compares, for a table of what was seen; without_ranges cuts.
#include <algorithm>
#include <new>
#include <optional>

#include "core/passages/repeats.hpp"
#include "pg/base/call_site.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/bulk/memory_budget.hpp"
#include "pg/bulk/near_duplicates.hpp"
#include "pg/bulk/row_result.hpp"
#include "pg/bulk/workers.hpp"
#include "pg/text/options.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "storage/ipc.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/uuid.h"
}

using namespace txtfp;

namespace {

// The arguments unit and min_words, tokenizer and canonicalizer, which stand at these places.
class UnitArguments {
public:
	core::UnitOptions read(FunctionCallInfo fcinfo, int unit, int tokenizer)
	{
		const int words = unit + 1;
		core::UnitOptions options;
		pg::check_not_null(fcinfo, unit, "unit");
		pg::check_not_null(fcinfo, tokenizer, "tokenizer");
		pg::check_not_null(fcinfo, tokenizer + 1, "canonicalizer");
		const std::string_view name = pg::text_arg(fcinfo, unit);
		const auto parsed = core::parse_passage_unit(name);
		if (!parsed)
			ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unrecognized unit: \"%s\"", pg::abbreviated(name)),
					errhint("Valid units are %s.", core::passage_unit_list.data())));
		options.unit = *parsed;
		options.min_words = core::UnitOptions::default_words(options.unit);
		if (!PG_ARGISNULL(words))
			options.min_words = static_cast<std::uint32_t>(
				pg::within("min_words", PG_GETARG_INT32(words), 1, static_cast<int>(core::UnitOptions::max_words)));
		const core::TokenizerSpec &spec = tokenizer_(pg::text_arg(fcinfo, tokenizer));
		if (spec.depth > 0)
			ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("passages cannot be made of shingles, as in tokenizer \"%s\"",
					pg::abbreviated(pg::text_arg(fcinfo, tokenizer))),
					errhint("Use a tokenizer without shingles, such as \"word-uax29\".")));
		options.segmenter = spec.segmenter;
		options.canonical = canonicalizer_(pg::text_arg(fcinfo, tokenizer + 1));
		return options;
	}

private:
	pg::ParsedOption<pg::tokenizer_option> tokenizer_;
	pg::ParsedOption<pg::canonicalizer_option> canonicalizer_;
};

class TextRows final : public pg::ValueReader {
public:
	TextRows(const pg::JoinContext &context, Oid id_type, pg::RowExtras &texts, bool between)
		: ValueReader(context, id_type), texts_(texts), between_(between)
	{
	}

private:
	void check(TupleDesc columns) override { texts_.columns(columns, context_.groups != nullptr, !between_); }
	void value_type(Oid) override {} // checked with the columns
	void value(std::uint32_t, Datum, TupleTableSlot &row) override { texts_.add(row); }

	pg::RowExtras &texts_;
	bool between_;
};

static_assert(std::is_trivially_destructible_v<TextRows>);

class StoredTexts final : public core::PassageTexts {
public:
	StoredTexts(const pg::JoinContext &context, pg::RowExtras &texts) : context_(context), texts_(texts)
	{
		const unsigned workers = context.workers->workers();
		buffers_ = pg::allocate<pg::RowExtras::Buffer>(context.memory, workers);
		std::fill_n(buffers_, workers, pg::RowExtras::Buffer{});
	}

	std::string_view text(std::uint32_t number, unsigned worker) override
	{
		return texts_.text_of(number, buffers_[worker], context_.workers->host(worker)).utf8;
	}
	void compute(unsigned worker, void (*fn)(void *data), void *data) override
	{
		if (worker == 0)
			pg::guarded([=] { fn(data); });
		else
			fn(data);
	}
	core::StopToken stop() const override { return pg::stop_token; }

private:
	const pg::JoinContext &context_;
	pg::RowExtras &texts_;
	pg::RowExtras::Buffer *buffers_; // of each worker
};

class CutRows final : public core::CutSink {
public:
	explicit CutRows(pg::BulkCall &call) : call_(call) {}
	void cut(const core::PassageCut &cut) override
	{
		CHECK_FOR_INTERRUPTS();
		const MemoryContext caller = call_.result.enter();
		const auto place = [](std::uint32_t character) { return Int32GetDatum(static_cast<int32>(character + 1)); };
		const Datum values[] = {call_.ids.id(cut.rank), place(cut.start), Int32GetDatum(static_cast<int32>(cut.length)),
			call_.ids.id(cut.kept), place(cut.kept_start)};
		call_.result.put(values, caller);
	}

private:
	pg::BulkCall &call_;
};

// (query [, second query], unit, min_words, grouped, tokenizer, canonicalizer); before them may stand the type of ids.
Datum deduplicate_passages(FunctionCallInfo fcinfo, pg::BulkFunction function, bool between)
{
	const int queries = between ? 2 : 1, query = pg::first_query(fcinfo, queries + 5), unit = query + queries;
	const char *first_query = pg::query_argument(fcinfo, query);
	const char *second_query = between ? pg::query_argument(fcinfo, query + 1) : nullptr;
	const core::UnitOptions options = pg::call_site<UnitArguments>(fcinfo).read(fcinfo, unit, unit + 3);
	pg::BulkCall call(fcinfo, function, unit + 2);
	const pg::JoinContext &context = call.context;
	call.ids.open(context.memory, call.result.id_type(), pg::share_of(context.limit, pg::Share::ids));
	pg::RowExtras texts;
	texts.open(*context.host, context.memory, pg::share_of(context.limit, pg::Share::texts), pg::TextColumn::value);
	TextRows reader(context, call.result.id_type(), texts, between);
	pg::run_query(first_query, reader);
	call.progress.end();
	if (between) {
		call.ids.begin_second_part();
		pg::run_query(second_query, reader);
		call.progress.end();
	}
	call.ids.rank(pg::share_of(context.limit, pg::Share::ranks));
	if (texts.has_priorities())
		call.ids.order_by(texts.priorities());
	texts.finish();
	context.workers->expect(texts.text_bytes());
	StoredTexts stored(context, texts);
	auto *scratch = pg::make_owned<std::vector<core::RepeatScratch>>(context.memory, context.workers->workers());
	auto *repeats = new (MemoryContextAlloc(context.memory, sizeof(core::Repeats))) core::Repeats(*context.host,
		*context.workers, stored, scratch->data(), options, context.order(), call.ids.count(),
		texts.text_bytes(), pg::share_of(context.limit, pg::Share::repeats));
	CutRows rows(call);
	call.progress.begin(pg::BulkPhase::counting_passages, std::uint64_t{call.ids.count()} * (options.window() > 1 ? 3 : 2));
	PG_ENSURE_ERROR_CLEANUP(pg::JoinWorkers::end_team, PointerGetDatum(context.workers));
	repeats->run(rows);
	PG_END_ENSURE_ERROR_CLEANUP(pg::JoinWorkers::end_team, PointerGetDatum(context.workers));
	call.progress.end();
	texts.close();
	return call.finish();
}

static_assert(std::is_trivially_destructible_v<core::Repeats>);

std::uint32_t element(const Datum *values, const bool *nulls, int i, const char *name, int least)
{
	return nulls[i] ? 0 : static_cast<std::uint32_t>(pg::within(name, DatumGetInt32(values[i]), least, PG_INT32_MAX));
}

struct Elements {
	Datum *values;
	bool *nulls;
	int count;
};
Elements elements_of(FunctionCallInfo fcinfo, int i)
{
	Elements elements{};
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(i), INT4OID, sizeof(int32), true, TYPALIGN_INT, &elements.values, &elements.nulls,
		&elements.count);
	return elements;
}

} // namespace

TXTFP_FUNCTION(txtfp_deduplicate_passages)
{
	return deduplicate_passages(fcinfo, pg::BulkFunction::deduplicate_passages, false);
}
TXTFP_FUNCTION(txtfp_deduplicate_passages_between)
{
	return deduplicate_passages(fcinfo, pg::BulkFunction::deduplicate_passages_between, true);
}

// (doc, unit, min_words, tokenizer, canonicalizer)
TXTFP_FUNCTION(txtfp_passage_keys)
{
	const core::UnitOptions options = pg::call_site<UnitArguments>(fcinfo).read(fcinfo, 1, 3);
	pg::RowResult result(fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	const std::string_view doc = pg::text_arg(fcinfo, 0);
	auto *keys = pg::make_owned<std::optional<core::PassageKeys>>(CurrentMemoryContext); // guarded: by make_owned
	pg::guarded([&] { keys->emplace(doc, options, pg::stop_token); });
	for (;;) {
		CHECK_FOR_INTERRUPTS();
		core::PassageKey key{};
		bool more = false;
		pg::guarded([&] { more = (*keys)->next(key); });
		if (!more)
			break;
		const MemoryContext caller = result.enter();
		auto *uuid = static_cast<pg_uuid_t *>(palloc(sizeof(pg_uuid_t)));
		memcpy(uuid->data, key.bytes, sizeof uuid->data);
		const Datum values[] = {UUIDPGetDatum(uuid), Int32GetDatum(static_cast<int32>(key.range.character + 1)),
			Int32GetDatum(static_cast<int32>(key.range.characters))};
		result.put(values, caller);
	}
	return (Datum) 0;
}

// (doc, starts, lengths, mark)
TXTFP_FUNCTION(txtfp_without_ranges)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	pg::check_not_null(fcinfo, 3, "mark");
	const std::string_view doc = pg::text_arg(fcinfo, 0), mark = pg::text_arg(fcinfo, 3);
	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	const Elements starts = elements_of(fcinfo, 1), lengths = elements_of(fcinfo, 2);
	if (starts.count != lengths.count)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("starts has %d elements, lengths has %d", starts.count, lengths.count)));
	auto *ranges = pg::make_owned<std::vector<core::SourceRange>>(CurrentMemoryContext);
	auto *out = pg::make_owned<std::string>(CurrentMemoryContext);
	for (int i = 0; i < starts.count; ++i) {
		const std::uint32_t start = element(starts.values, starts.nulls, i, "a start", 1),
							length = element(lengths.values, lengths.nulls, i, "a length", 0);
		if (start > 0 && length > 0)
			pg::guarded([&] { ranges->push_back({0, 0, start - 1, length}); });
	}
	bool within = true;
	pg::guarded([&] {
		within = core::place_ranges(doc, *ranges, pg::stop_token);
		if (within)
			*out = core::without_ranges(doc, *ranges, mark);
	});
	if (!within)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a range ends behind the end of the text"),
				errhint("Ranges are those of the text that they were found in.")));
	PG_RETURN_TEXT_P(pg::make_text(pg::from_utf8(*out)));
}
