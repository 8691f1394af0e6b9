// deduplicate returns the rows to remove, and for each of them the row that is kept instead, with the evidence.
#include <new>

#include "core/dedup/clusters.hpp"
#include "core/dedup/deduplication.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/owned.hpp"
#include "pg/bulk/decided_pairs.hpp"
#include "pg/bulk/memory_budget.hpp"
#include "pg/bulk/removal_options.hpp"
#include "pg/bulk/row_query.hpp"
#include "pg/bulk/workers.hpp"
#include "pg/compare/signals.hpp"

extern "C" {
#include "storage/ipc.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/typcache.h"
}

using namespace txtfp;

namespace {

using core::removal::Counts, core::removal::Decision, core::removal::Deduplication,
	core::removal::Reason, core::removal::Verify;

static_assert(std::is_trivially_destructible_v<Deduplication>);

// The texts of the rows, and the result.
class RemovalRows final : public core::removal::Host {
public:
	RemovalRows(pg::BulkCall &call, pg::RowExtras &extras, const pg::RemovalOptions &options)
		: result_(call.result), ids_(call.ids), extras_(extras), context_(call.context), options_(options),
		  signal_columns_(options.needs_all_signals() ? lookup_rowtype_tupdesc_copy(call.result.type_of(11), -1) : nullptr)
	{
	}

	// After the last row
	void open(const Deduplication &deduplication)
	{
		const std::size_t buffers = 2 * context_.workers->workers();
		deduplication_ = &deduplication;
		buffers_ = pg::allocate<pg::RowExtras::Buffer>(context_.memory, buffers);
		std::fill_n(buffers_, buffers, pg::RowExtras::Buffer{});
		extras_.finish();
	}

	bool has_texts() const override { return extras_.has_texts(); }
	core::removal::RowText text(std::uint32_t rank, unsigned place, unsigned worker) override
	{
		const pg::RowExtras::Text text = extras_.text_of(
			ids_.number_of(rank), buffers_[2 * worker + place], context_.workers->host(worker));
		return {text.utf8, text.is_null};
	}
	void compute(unsigned worker, void (*fn)(void *data), void *data) override
	{
		if (worker == 0)
			pg::guarded([=] { fn(data); });
		else
			fn(data);
	}
	core::StopToken stop() const override { return pg::stop_token; }

	void put(const Decision &decision) override
	{
		const core::PairDecision &pair = decision.pair;
		const MemoryContext caller = result_.enter();
		const core::SetOverlap &overlap = pair.overlap;
		const bool judged = pair.has_signals, scored = judged && options_.rule != nullptr,
				   with_signals = judged && options_.needs_all_signals();
		const auto neighbours = [&](std::uint32_t row) {
			return Int32GetDatum(static_cast<int>(deduplication_->neighbours(row)));
		};
		const Datum values[] = {ids_.id(decision.row), ids_.id(decision.kept), Float8GetDatum(decision.similarity),
			Float8GetDatum(overlap.jaccard()), Float8GetDatum(overlap.containment_of_a()), text_datum(pair.reason_name()),
			Float8GetDatum(overlap.containment_of_b()),
			CStringGetTextDatum(core::removal::outcome_names[pair.outcome]), Float8GetDatum(pair.score),
			neighbours(decision.row), neighbours(decision.kept),
			with_signals ? pg::signals_datum(pair.signals, signal_columns_) : Datum{0}};
		const bool none = !pair.has_measures;
		const bool nulls[lengthof(values)] = {
			false, false, false, none, none, false, none, false, !scored, false, false, !with_signals};
		result_.put(values, caller, nulls);
	}

private:
	static Datum text_datum(std::string_view text)
	{
		return PointerGetDatum(cstring_to_text_with_len(text.data(), static_cast<int>(text.size())));
	}

	pg::RowResult &result_;
	pg::RowIds &ids_;
	pg::RowExtras &extras_;
	const pg::JoinContext &context_;
	const pg::RemovalOptions &options_;
	TupleDesc signal_columns_;
	const Deduplication *deduplication_ = nullptr;
	pg::RowExtras::Buffer *buffers_ = nullptr; // two of each worker
};

static_assert(std::is_trivially_destructible_v<RemovalRows>);

const char *reasons_text(const pg::RemovalOptions &options, const Counts &counts)
{
	using enum Reason;
	StringInfoData text;
	initStringInfo(&text);
	for (int reason = 0; reason < reasons; ++reason)
		if (options.uses_signals() || (reason != equal_words && reason != symbols_differ))
			if ((reason != lossless || options.verify == Verify::lossless) &&
				(reason != together || counts.by_reason[together] > 0))
				appendStringInfo(&text, "%s" UINT64_FORMAT " %s", text.len == 0 ? "" : ", ", counts.by_reason[reason],
					core::removal::reason_names[reason]);
	return text.data;
}

const char *held_back_text(const Counts &counts)
{
	StringInfoData text;
	initStringInfo(&text);
	appendStringInfo(&text, " To be read: " UINT64_FORMAT ", to be kept: " UINT64_FORMAT ".",
		counts.by_outcome[core::removal::review], counts.by_outcome[core::removal::keep]);
	const char *separator = " Because of ";
	for (unsigned guard = 0; guard < core::guard_count; ++guard)
		if (counts.by_guard[guard] > 0) {
			appendStringInfo(&text, "%s" UINT64_FORMAT " %s", separator, counts.by_guard[guard],
				core::name(static_cast<core::Guard>(guard)).data());
			separator = ", ";
		}
	if (counts.by_rule > 0)
		appendStringInfo(&text, "%s" UINT64_FORMAT " rule", separator, counts.by_rule);
	if (*separator == ',' || counts.by_rule > 0)
		appendStringInfoChar(&text, '.');
	return text.data;
}

void explain(const pg::RemovalOptions &options, const Counts &counts, std::uint32_t rows)
{
	ereport(NOTICE,
		(errmsg("deduplicate: %u rows, " UINT64_FORMAT " to be removed", rows,
			 counts.by_outcome[core::removal::removed]),
			errdetail("By reason: %s. Pairs that the exact comparison rejected: " UINT64_FORMAT ".%s%s",
				reasons_text(options, counts), counts.refused, options.guards.any() || options.rule != nullptr ? held_back_text(counts) : "",
				counts.left_out ? " Some rows are similar to more kept rows than a row is compared with." : "")));
}

} // namespace

TXTFP_FUNCTION(txtfp_deduplicate_v2)
{
	const int query = pg::first_query(fcinfo, 19);
	pg::JoinOptions join_options = pg::join_options(fcinfo, query + 1, query + 7);
	if (!join_options.threshold && !join_options.max_distance && !join_options.min_score)
		ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("threshold must not be null"),
				errhint("For simhash64 and tlsh give max_distance, for lavinhash min_score.")));
	pg::RemovalOptions options = pg::removal_options(fcinfo, query, join_options);
	pg::BulkCall call(fcinfo, pg::BulkFunction::deduplicate, query + 10);
	pg::RowResult &result = call.result;
	pg::RowIds &ids = call.ids;
	const pg::JoinContext &context = call.context;
	pg::RowExtras extras;
	extras.open(*context.host, context.memory, pg::share_of(context.limit, pg::Share::texts), pg::TextColumn::optional);
	const core::CorpusWords *corpus = nullptr;
	if (options.needs_corpus()) {
		auto *words = pg::make_owned<core::CorpusWords>(context.memory);
		extras.count_words(words);
		corpus = words;
	}
	pg::FingerprintJoin &join =
		pg::read_rows(context, join_options, result.id_type(), pg::query_argument(fcinfo, query), &extras);
	pg::finish_options(options, join, extras.has_texts());
	options.corpus = corpus;
	const core::DecidedPairs pairs = pg::read_decided_pairs(fcinfo, context, result.id_type(), query + 17);
	auto *rows = new (MemoryContextAlloc(context.memory, sizeof(RemovalRows))) RemovalRows(call, extras, options);
	auto *deduplication = new (MemoryContextAlloc(context.memory, sizeof(Deduplication)))
		Deduplication(*context.host, *context.workers, join, *rows, options, pairs, ids.count(),
			pg::share_of(context.limit, pg::Share::kept_rows));
	const std::span<std::uint32_t> labels = core::connect(*context.host, *context.workers, join, ids.count());
	core::unite_together(pairs, labels);
	rows->open(*deduplication);
	call.progress.begin(pg::BulkPhase::deciding, labels.size());
	PG_ENSURE_ERROR_CLEANUP(pg::JoinWorkers::end_team, PointerGetDatum(context.workers));
	deduplication->run(labels);
	PG_END_ENSURE_ERROR_CLEANUP(pg::JoinWorkers::end_team, PointerGetDatum(context.workers));
	call.progress.end();
	if (options.explain)
		explain(options, deduplication->counts(), ids.count());
	join.close();
	extras.close();
	return call.finish();
}
