// near_duplicate_pairs and near_duplicate_pairs_between: the result, and what a rule says of the pairs.
#include <algorithm>
#include <new>

#include "pg/base/large_array.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/ranges.hpp"
#include "pg/bulk/index_pairs.hpp"
#include "pg/bulk/memory_budget.hpp"
#include "pg/bulk/near_duplicates.hpp"
#include "pg/bulk/removal_options.hpp"
#include "pg/compare/signals.hpp"
#include "pg/decide/rule_json.hpp"

extern "C" {
#include "utils/typcache.h"
}

using namespace txtfp;

namespace {

// What the signals of a pair are wanted for.
struct EvidenceOptions {
	bool signals = false;
	const core::Rule *rule = nullptr;
	double least_score = 0; // of the pairs that are returned

	bool any() const { return signals || rule != nullptr; }
	bool needs_corpus() const { return signals || (rule != nullptr && rule->uses_corpus()); }
};

// `i` is the number of the argument `signals`; rule and min_precision follow.
EvidenceOptions evidence_options(FunctionCallInfo fcinfo, int i)
{
	EvidenceOptions options;
	pg::check_not_null(fcinfo, i, "signals");
	options.signals = PG_GETARG_BOOL(i);
	if (PG_ARGISNULL(i + 1)) {
		if (!PG_ARGISNULL(i + 2))
			ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("min_precision must not be given without a rule")));
		return options;
	}
	const pg::StoredRule &rule = pg::read_rule(PG_GETARG_JSONB_P(i + 1), CurrentMemoryContext);
	options.rule = &rule.rule;
	if (rule.rule.uses_neighbours())
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("the rule uses numbers of neighbours, which pairs do not have"),
				errhint("Learn it from the signals of this function.")));
	if (!PG_ARGISNULL(i + 2))
		options.least_score = pg::cut_off_option(rule, PG_GETARG_FLOAT8(i + 2)).remove_from;
	return options;
}

// The texts of pairs, their signals, and the score by the rule.
class Evidence {
public:
	Evidence(const EvidenceOptions &options, const pg::JoinContext &context, const pg::RowIds &ids)
		: options_(options), context_(context), ids_(ids)
	{
		extras_.open(*context.host, context.memory, options.any() ? pg::share_of(context.limit, pg::Share::texts) : 0,
			options.any() ? pg::TextColumn::required : pg::TextColumn::none);
		if (options.needs_corpus())
			extras_.count_words(corpus_ = pg::make_owned<core::CorpusWords>(context.memory));
	}

	pg::RowExtras *extras() { return options_.any() ? &extras_ : nullptr; }
	void close() { extras_.close(); }

	// False if a text is missing.
	bool look_at(std::uint32_t a, std::uint32_t b)
	{
		const pg::RowExtras::Text x = extras_.text_of(ids_.number_of(a), buffers_[0], *context_.host),
								  y = extras_.text_of(ids_.number_of(b), buffers_[1], *context_.host);
		if (x.is_null || y.is_null)
			return false;
		pg::guarded([&] { signals_ = core::difference_signals(x.utf8, y.utf8, pg::stop_token, corpus_); });
		score_ = options_.rule == nullptr ? 0 : options_.rule->score(signals_);
		return true;
	}
	const core::Signals &signals() const { return signals_; }
	double score() const { return score_; }
	const EvidenceOptions &options() const { return options_; }

private:
	EvidenceOptions options_;
	const pg::JoinContext &context_;
	const pg::RowIds &ids_;
	pg::RowExtras extras_;
	pg::RowExtras::Buffer buffers_[2] = {};
	core::CorpusWords *corpus_ = nullptr;
	core::Signals signals_;
	double score_ = 0;
};

static_assert(std::is_trivially_destructible_v<Evidence>);

class PairRows final : public pg::PairSink {
public:
	PairRows(pg::RowResult &result, pg::RowIds &ids, std::size_t columns, Evidence *evidence)
		: result_(result), ids_(ids), columns_(columns), evidence_(evidence),
		  signal_columns_(evidence != nullptr && evidence->options().signals
				  ? lookup_rowtype_tupdesc_copy(result.type_of(4), -1)
				  : nullptr)
	{
	}
	void pair(std::uint32_t a, std::uint32_t b, double similarity) override
	{
		CHECK_FOR_INTERRUPTS();
		const bool known = evidence_ != nullptr && evidence_->look_at(a, b);
		const EvidenceOptions options = evidence_ != nullptr ? evidence_->options() : EvidenceOptions{};
		if (options.least_score > 0 && !(known && evidence_->score() >= options.least_score))
			return;
		const MemoryContext caller = result_.enter();
		const bool scored = known && options.rule != nullptr, shown = known && options.signals;
		const Datum values[] = {ids_.id(a), ids_.id(b), Float8GetDatum(similarity),
			Float8GetDatum(scored ? evidence_->score() : 0),
			shown ? pg::signals_datum(evidence_->signals(), signal_columns_) : Datum{0}};
		const bool nulls[lengthof(values)] = {false, false, false, !scored, !shown};
		result_.put(std::span<const Datum>(values, columns_), caller, nulls);
	}
	void request(std::uint32_t a, std::uint32_t b) override
	{
		ids_.request(a);
		ids_.request(b);
	}

private:
	pg::RowResult &result_;
	pg::RowIds &ids_;
	std::size_t columns_; // of the result
	Evidence *evidence_;
	TupleDesc signal_columns_;
};

// Of the pairs of each row of the first query keeps the one with the highest score by the rule; without a rule, and of
// equal ones, the most similar one, and of these that with the first row of the second.
class NearestRows final : public pg::PairSink {
public:
	NearestRows(pg::RowIds &ids, Evidence *scores, MemoryContext memory)
		: scores_(scores), rows_(std::min(ids.second_part(), ids.count())),
		  nearest_(pg::allocate<std::uint32_t>(memory, rows_)), similarity_(pg::allocate<double>(memory, rows_)),
		  score_(scores != nullptr ? pg::allocate<double>(memory, rows_) : nullptr)
	{
		std::fill_n(nearest_, rows_, core::no_element);
	}
	void pair(std::uint32_t a, std::uint32_t b, double similarity) override
	{
		CHECK_FOR_INTERRUPTS();
		const double score = scores_ == nullptr ? 0 : scores_->look_at(a, b) ? scores_->score() : -1;
		if (nearest_[a] != core::no_element && !is_nearer(a, b, similarity, score))
			return;
		nearest_[a] = b;
		similarity_[a] = similarity;
		if (score_ != nullptr)
			score_[a] = score;
	}
	void deliver(pg::PairSink &sink) const
	{
		for (std::uint32_t a = 0; a < rows_; ++a)
			if (nearest_[a] != core::no_element)
				sink.pair(a, nearest_[a], similarity_[a]);
	}

private:
	bool is_nearer(std::uint32_t a, std::uint32_t b, double similarity, double score) const
	{
		if (score_ != nullptr && score != score_[a])
			return score > score_[a];
		return similarity > similarity_[a] || (similarity == similarity_[a] && b < nearest_[a]);
	}

	Evidence *scores_; // nullptr: there is no rule
	std::uint32_t rows_, *nearest_;
	double *similarity_, *score_;
};

// ([type of ids,] query [, second query], threshold, recall, bands, rows, grouped, max_distance, min_score [, nearest,
// signals, rule, min_precision])
Datum near_duplicate_pairs(FunctionCallInfo fcinfo, pg::BulkFunction function)
{
	const bool between = function == pg::BulkFunction::near_duplicate_pairs_between;
	const int query = pg::first_query(fcinfo, between ? 13 : 8), threshold = query + (between ? 2 : 1);
	pg::JoinOptions options = pg::join_options(fcinfo, threshold, threshold + 1);
	EvidenceOptions wanted;
	bool nearest = false;
	if (between) {
		pg::check_not_null(fcinfo, threshold + 7, "nearest");
		nearest = PG_GETARG_BOOL(threshold + 7);
		wanted = evidence_options(fcinfo, threshold + 8);
	}
	options.nearest = nearest && wanted.rule == nullptr; // a rule looks at all pairs
	pg::BulkCall call(fcinfo, function, threshold + 4);
	pg::RowIds &ids = call.ids;
	const pg::JoinContext &context = call.context;
	const char *first = pg::query_argument(fcinfo, query);
	const char *second = between ? pg::query_argument(fcinfo, query + 1) : nullptr;
	if (between && !wanted.any() && pg::pairs_by_index(fcinfo, options, first, second, call))
		return call.finish_unread();
	auto *evidence = new (MemoryContextAlloc(context.memory, sizeof(Evidence))) Evidence(wanted, context, ids);
	pg::FingerprintJoin &join =
		pg::read_rows(context, options, call.result.id_type(), first, evidence->extras(), second);
	if (wanted.any())
		evidence->extras()->finish();
	PairRows rows(call.result, ids, between ? 5 : 3, wanted.any() ? evidence : nullptr);
	if (nearest) {
		NearestRows best(ids, wanted.rule != nullptr ? evidence : nullptr, context.memory);
		join.pairs(best);
		best.deliver(rows);
	} else
		join.pairs(rows);
	join.close();
	evidence->close();
	return call.finish();
}

} // namespace

TXTFP_FUNCTION(txtfp_near_duplicate_pairs_v2)
{
	return near_duplicate_pairs(fcinfo, pg::BulkFunction::near_duplicate_pairs);
}

TXTFP_FUNCTION(txtfp_near_duplicate_pairs_between_v2)
{
	return near_duplicate_pairs(fcinfo, pg::BulkFunction::near_duplicate_pairs_between);
}
