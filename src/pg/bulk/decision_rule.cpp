// decision_rule(query, precision, seed, for_new): learns from labelled removals which ones are right.
#include <algorithm>
#include <vector>

#include "core/decide/rule_text.hpp"
#include "pg/base/given_value.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/bulk/row_groups.hpp"
#include "pg/bulk/row_query.hpp"
#include "pg/compare/signals.hpp"
#include "pg/decide/rule_json.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
}

using namespace txtfp;

namespace {

constexpr std::size_t most_labels = 1000000;

using Labels = std::vector<core::Label>; // guarded: by make_owned

class LabelReader final : public pg::RowReader {
public:
	LabelReader(Labels &labels, MemoryContext scratch)
		: labels_(labels), scratch_(scratch), groups_(CurrentMemoryContext)
	{
	}

	void columns(TupleDesc columns) override
	{
		groups_.columns(columns, "a label, signals");
		label_ = pg::given_column(columns, 1);
		signals_ = pg::given_column(columns, 2);
		if (label_.base != BOOLOID)
			ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("column 1 of the query is of type %s", format_type_be(label_.type.type)),
					errdetail("A label is a boolean: true if the removal is right.")));
		if (const Oid type = signals_.type.type; !pg::is_signals(type))
			ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("column 2 of the query is of type %s", format_type_be(type)),
					errdetail("The second column is of type difference_signals.")));
	}

	void row(TupleTableSlot *row) override
	{
		const NullableDatum is_right = pg::column_value(row, label_), signals = pg::column_value(row, signals_);
		if (is_right.isnull || signals.isnull)
			return; // not labelled
		const MemoryContext caller = MemoryContextSwitchTo(scratch_);
		const core::Label label{
			DatumGetBool(is_right.value), pg::read_signals(signals.value), groups_.next(row, labels_.size())};
		MemoryContextSwitchTo(caller);
		MemoryContextReset(scratch_);
		if (labels_.size() == most_labels)
			ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("the query returns more than %zu labels", most_labels),
					errhint("A random sample of them gives the same rule.")));
		pg::guarded([&] { labels_.push_back(label); });
		++counts_[label.right];
		const auto lacks = [&](core::Signal signal) { return label.signals[static_cast<std::size_t>(signal)] < 0; };
		without_neighbours_ += lacks(core::Signal::neighbours);
		without_corpus_ += lacks(core::Signal::weighted_shared);
	}

	void check() const
	{
		if (std::min(counts_[0], counts_[1]) < core::least_labels)
			ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("too few labels for a rule"),
					errdetail("There are %llu right and %llu wrong removals; %llu of each kind are needed.",
						static_cast<unsigned long long>(counts_[1]), static_cast<unsigned long long>(counts_[0]),
						static_cast<unsigned long long>(core::least_labels)),
					errhint("Label more removals; removal_sample chooses them.")));
		check_all_or_none(without_neighbours_, "some signals have numbers of neighbours, others do not");
		check_all_or_none(without_corpus_, "some signals were made with a corpus, others without");
	}

	bool has_groups() const { return groups_.are_given(); }
	void close() { groups_.close(); }

private:
	void check_all_or_none(std::uint64_t without, const char *message) const
	{
		if (without != 0 && without != labels_.size())
			ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", message),
					errhint("Take all signals from deduplicate, or none.")));
	}

	Labels &labels_; // owned by a memory context
	MemoryContext scratch_;
	pg::GivenColumn label_, signals_;
	pg::LabelGroups groups_;
	std::uint64_t counts_[2] = {}, without_neighbours_ = 0, without_corpus_ = 0;
};

void check_wish(const core::LearnedRule &learned, double precision)
{
	for (const core::CutOff &cut : learned.cut_offs)
		if (cut.precision >= precision)
			return;
	const char *best = learned.cut_offs.empty() ? nullptr : pg::shortest(learned.cut_offs.back().precision);
	ereport(ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			errmsg("the labels do not support a precision of %s", pg::shortest(precision)),
			best == nullptr ? errdetail("By cross-validation no score separates them.")
							: errdetail("By cross-validation they support %s.", best),
			errhint("Label more removals, or lower min_precision.")));
}

} // namespace

TXTFP_FUNCTION(txtfp_decision_rule_v2)
{
	const char *query = pg::query_argument(fcinfo, 0);
	const double wish =
		PG_ARGISNULL(1) ? -1 : pg::positive_unit_option("min_precision", PG_GETARG_FLOAT8(1), pg::Upper::open);
	if (PG_ARGISNULL(2))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("seed must not be null")));
	const auto seed = static_cast<std::uint64_t>(PG_GETARG_INT32(2));
	if (PG_ARGISNULL(3))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("for_new must not be null")));
	const bool for_new = PG_GETARG_BOOL(3);
	auto *labels = pg::make_owned<Labels>(CurrentMemoryContext);
	LabelReader reader(*labels, AllocSetContextCreate(CurrentMemoryContext, "a label", ALLOCSET_DEFAULT_SIZES));
	pg::run_query(query, reader);
	reader.check();
	reader.close();
	if (for_new && !reader.has_groups())
		ereport(NOTICE,
			(errmsg("the labels have no groups: precision is promised for texts like the labelled ones only"),
				errhint("Return a third column, such as the kept row or the cluster, or pass for_new => false.")));
	auto *learned = pg::make_owned<core::LearnedRule>(CurrentMemoryContext);
	auto *json = pg::make_owned<std::string>(CurrentMemoryContext);
	pg::guarded([&] { *learned = core::learn_and_validate(*labels, seed, for_new, pg::stop_token); });
	if (wish > 0)
		check_wish(*learned, wish);
	pg::guarded([&] { *json = core::rule_text(*learned); });
	PG_RETURN_DATUM(DirectFunctionCall1(jsonb_in, CStringGetDatum(json->c_str())));
}
