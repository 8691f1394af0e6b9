// removal_sample() draws removals to be read, and removal_precision() says from what was read how many of all removals
// are right.
//
// The sample of a stratum (core/decide/strata.hpp) are the rows with the least hash of seed and ids: it depends neither
// on the order of the rows nor on the plan.
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/hash.hpp"
#include "core/decide/intervals.hpp"
#include "core/decide/strata.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/bulk/row_groups.hpp"
#include "pg/bulk/row_ids.hpp"
#include "pg/bulk/row_query.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"
}

using namespace txtfp;

namespace {

constexpr int most_rows = 100000; // of a sample

bool is_score(Oid type) { return type == FLOAT8OID || type == FLOAT4OID; }
double score_of(TupleTableSlot *row, const pg::GivenColumn &column)
{
	const auto [value, is_null] = pg::column_value(row, column);
	if (is_null)
		ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("score must not be null"),
				errhint("Without a rule deduplicate gives no score. Let the query return another number that tells doubtful removals from "
						"others, such as their similarity.")));
	const double score = column.base == FLOAT4OID ? DatumGetFloat4(value) : DatumGetFloat8(value);
	if (std::isnan(score))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("score must not be NaN")));
	return score;
}

struct SampledColumns {
	pg::GivenColumn ids[2], score;
};

SampledColumns sampled_columns(TupleDesc columns, Oid id_type)
{
	if (columns->natts != 3)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("the query must return three columns, two ids and a score, not %d", columns->natts)));
	const SampledColumns found{
		{pg::id_column(columns, 1, id_type), pg::id_column(columns, 2, id_type)}, pg::given_column(columns, 3)};
	if (!is_score(found.score.base))
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("column 3 of the query is of type %s", format_type_be(found.score.type.type)),
				errdetail("A score is of type double precision or real.")));
	return found;
}

class ScoreReader final : public pg::RowReader {
public:
	ScoreReader(MemoryContext memory, Oid id_type) : memory_(memory), id_type_(id_type) {}

	void columns(TupleDesc columns) override { score_ = sampled_columns(columns, id_type_).score; }
	void row(TupleTableSlot *row) override
	{
		const double score = score_of(row, score_);
		pg::reserve_next(memory_, scores_, count_, capacity_);
		scores_[count_++] = score;
	}
	std::span<double> scores() { return {scores_, count_}; }

private:
	MemoryContext memory_;
	Oid id_type_;
	pg::GivenColumn score_;
	double *scores_ = nullptr;
	std::uint32_t count_ = 0;
	std::size_t capacity_ = 0;
};

struct Drawn {
	std::uint64_t key;
	double score;
	Datum ids[2];
	bool operator<(const Drawn &other) const { return key < other.key; }
};

struct Sample {
	std::uint64_t wanted, count;
	Drawn *drawn; // a heap, the greatest key first
};

struct Strata {
	core::ScoreStratum strata[core::most_strata];
	Sample samples[core::most_strata];
	int count;
};

class RowDrawer final : public pg::RowReader {
public:
	RowDrawer(Strata &strata, Oid id_type, std::uint64_t seed, MemoryContext memory)
		: strata_(strata), id_type_(id_type), seed_(seed), memory_(memory),
		  scratch_(AllocSetContextCreate(memory, "a row", ALLOCSET_DEFAULT_SIZES))
	{
		get_typlenbyval(id_type, &length_, &by_value_);
	}

	void columns(TupleDesc columns) override
	{
		columns_ = sampled_columns(columns, id_type_);
		for (int i = 0; i < 2; ++i) {
			bool varlena;
			Oid function;
			getTypeOutputInfo(columns_.ids[i].base, &function, &varlena);
			fmgr_info_cxt(function, &outputs_[i], memory_);
		}
	}

	void row(TupleTableSlot *row) override
	{
		const double score = score_of(row, columns_.score);
		Sample &sample = strata_.samples[core::stratum_of(score, strata_.strata, strata_.count)];
		const MemoryContext caller = MemoryContextSwitchTo(scratch_);
		std::uint64_t key = seed_;
		NullableDatum ids[2];
		for (int i = 0; i < 2; ++i) {
			ids[i] = pg::column_value(row, columns_.ids[i]);
			if (ids[i].isnull)
				ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("id must not be null")));
			const char *text = OutputFunctionCall(&outputs_[i], ids[i].value);
			key = core::xxh3_64(text, strlen(text), key);
		}
		if (sample.count < sample.wanted || (sample.count > 0 && key < sample.drawn[0].key))
			add(sample, {key, score, {id(ids[0].value, columns_.ids[0].base), id(ids[1].value, columns_.ids[1].base)}});
		MemoryContextSwitchTo(caller);
		MemoryContextReset(scratch_);
	}

private:
	void add(Sample &sample, Drawn drawn)
	{
		Drawn *end = sample.drawn + sample.count;
		const MemoryContext caller = MemoryContextSwitchTo(memory_);
		if (sample.count == sample.wanted) {
			std::pop_heap(sample.drawn, end--);
			for (const Datum id : end->ids)
				if (!by_value_)
					pfree(DatumGetPointer(id));
		} else {
			++sample.count;
		}
		for (Datum &id : drawn.ids)
			id = datumCopy(id, by_value_, length_);
		*end = drawn;
		std::push_heap(sample.drawn, end + 1);
		MemoryContextSwitchTo(caller);
	}

	// The value as one of the type that the function returns.
	Datum id(Datum value, Oid type) const
	{
		const auto integer = [&]() -> std::int64_t {
			return type == INT2OID ? DatumGetInt16(value)
				: type == INT4OID  ? DatumGetInt32(value)
								   : DatumGetInt64(value);
		};
		if (id_type_ == INT8OID)
			return Int64GetDatum(integer());
		if (id_type_ == INT4OID)
			return Int32GetDatum(static_cast<std::int32_t>(integer()));
		return length_ == -1 ? PointerGetDatum(PG_DETOAST_DATUM(value)) : value;
	}

	Strata &strata_;
	Oid id_type_;
	SampledColumns columns_;
	std::uint64_t seed_;
	MemoryContext memory_, scratch_;
	FmgrInfo outputs_[2] = {};
	std::int16_t length_ = 0;
	bool by_value_ = false;
};

class StratumReader final : public pg::RowReader {
public:
	void columns(TupleDesc columns) override
	{
		groups_.columns(columns, "a stratum, a label");
		stratum_ = pg::given_column(columns, 1);
		label_ = pg::given_column(columns, 2);
		const Oid types[] = {stratum_.base, label_.base};
		if ((types[0] != TEXTOID && types[0] != VARCHAROID) || types[1] != BOOLOID)
			ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("the columns of the query are of types %s and %s, not text and boolean",
						format_type_be(types[0]), format_type_be(types[1]))));
	}

	void row(TupleTableSlot *row) override
	{
		const NullableDatum name = pg::column_value(row, stratum_), label = pg::column_value(row, label_);
		if (label.isnull)
			return; // not labelled
		if (name.isnull)
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("stratum must not be null")));
		core::Stratum &stratum = find(text_to_cstring(DatumGetTextPP(name.value)));
		if (++stratum.labels > stratum.rows)
			ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a stratum has more labels than rows"),
					errhint("Give each sampled removal once.")));
		stratum.right += DatumGetBool(label.value);
		pg::reserve_next(memory_, members_, labels_, capacity_);
		members_[labels_] = {static_cast<std::uint32_t>(&stratum - strata_), groups_.next(row, labels_)};
		++labels_;
	}

	std::span<const core::Stratum> strata()
	{
		if (count_ == 0)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the query returns no labels")));
		for (int i = 0; i < count_; ++i)
			if (strata_[i].labels == 0)
				ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("stratum %d of %d has no labels", i + 1, count_),
						errhint("Label at least a few removals of each stratum.")));
		groups_.close();
		count_independent();
		return {strata_, static_cast<std::size_t>(count_)};
	}
	std::int64_t labels() const { return labels_; }

private:
	using Member = std::pair<std::uint32_t, std::uint64_t>; // stratum and group

	void count_independent()
	{
		std::sort(members_, members_ + labels_, [](const Member &a, const Member &b) {
			CHECK_FOR_INTERRUPTS();
			return a < b;
		});
		auto *sizes = pg::allocate<std::uint64_t>(memory_, labels_);
		for (std::uint32_t i = 0; i < labels_;) {
			const std::uint32_t stratum = members_[i].first;
			std::size_t groups = 0;
			for (; i < labels_ && members_[i].first == stratum; ++i) {
				if (groups == 0 || members_[i].second != members_[i - 1].second)
					sizes[groups++] = 0;
				++sizes[groups - 1];
			}
			strata_[stratum].independent = core::independent_labels({sizes, groups});
		}
	}

	core::Stratum &find(const char *name)
	{
		const std::optional<core::StratumName> parsed = core::parse_stratum(name);
		if (!parsed || (count_ != 0 && parsed->count != count_))
			refuse(name);
		count_ = parsed->count;
		core::Stratum &stratum = strata_[parsed->number - 1];
		if (stratum.rows != 0 && stratum.rows != parsed->rows)
			refuse(name);
		stratum.rows = parsed->rows;
		return stratum;
	}

	[[noreturn]] static void refuse(const char *name)
	{
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("stratum \"%s\" is not one of a single sample", pg::abbreviated(name)),
				errhint("Strata are named by removal_sample.")));
		pg_unreachable();
	}

	pg::GivenColumn stratum_, label_;
	core::Stratum strata_[core::most_strata] = {};
	int count_ = 0;
	MemoryContext memory_ = CurrentMemoryContext; // of the caller, for what is needed after the query
	pg::LabelGroups groups_{memory_};
	Member *members_ = nullptr; // of the labels
	std::uint32_t labels_ = 0;
	std::size_t capacity_ = 0;
};

} // namespace

TXTFP_FUNCTION(txtfp_removal_sample)
{
	const int first = pg::first_query(fcinfo, 3);
	const char *query = pg::query_argument(fcinfo, first);
	for (int i = 1; i < 3; ++i)
		if (PG_ARGISNULL(first + i))
			ereport(
				ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", i == 1 ? "n" : "seed")));
	const int n = pg::within("n", PG_GETARG_INT32(first + 1), 1, most_rows);
	const auto seed = static_cast<std::uint64_t>(PG_GETARG_INT32(first + 2));
	InitMaterializedSRF(fcinfo, 0);
	auto *result = (ReturnSetInfo *) fcinfo->resultinfo;
	const Oid id_type = TupleDescAttr(result->setDesc, 1)->atttypid;
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "txtfp removal sample", ALLOCSET_DEFAULT_SIZES);
	ScoreReader reader(memory, id_type);
	pg::run_query(query, reader);
	Strata strata{};
	const std::span<double> scores = reader.scores();
	std::sort(scores.begin(), scores.end(), [](double a, double b) {
		CHECK_FOR_INTERRUPTS();
		return a < b;
	});
	strata.count = core::make_strata(scores, static_cast<std::uint64_t>(n), strata.strata);
	for (int i = 0; i < strata.count; ++i) {
		strata.samples[i].wanted = strata.strata[i].wanted;
		strata.samples[i].drawn = pg::allocate<Drawn>(memory, strata.strata[i].wanted);
	}
	RowDrawer drawer(strata, id_type, seed, memory);
	if (strata.count > 0)
		pg::run_query(query, drawer);
	const bool nulls[5] = {};
	for (int i = 0; i < strata.count; ++i) {
		const Sample &sample = strata.samples[i];
		const std::uint64_t rows = strata.strata[i].rows;
		char name[core::stratum_name_bytes];
		core::format_stratum({i + 1, strata.count, rows}, name);
		std::sort_heap(sample.drawn, sample.drawn + sample.count);
		for (std::uint64_t j = 0; j < sample.count; ++j) {
			const Drawn &drawn = sample.drawn[j];
			const Datum values[] = {CStringGetTextDatum(name), drawn.ids[0], drawn.ids[1], Float8GetDatum(drawn.score),
				Float8GetDatum(static_cast<double>(rows) / static_cast<double>(sample.count))};
			tuplestore_putvalues(
				result->setResult, result->setDesc, const_cast<Datum *>(values), const_cast<bool *>(nulls));
		}
	}
	MemoryContextDelete(memory);
	return (Datum) 0;
}

TXTFP_FUNCTION(txtfp_removal_precision)
{
	TupleDesc columns;
	if (get_call_result_type(fcinfo, nullptr, &columns) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "result of removal_precision is not a row");
	StratumReader reader;
	pg::run_query(pg::query_argument(fcinfo, 0), reader);
	const std::span<const core::Stratum> strata = reader.strata();
	core::Estimate estimate{};
	pg::guarded([&] { estimate = core::stratified_share(strata); });
	const Datum values[] = {Float8GetDatum(estimate.share), Float8GetDatum(estimate.low), Float8GetDatum(estimate.high),
		Int64GetDatum(reader.labels())};
	const bool nulls[lengthof(values)] = {};
	PG_RETURN_DATUM(HeapTupleGetDatum(
		heap_form_tuple(BlessTupleDesc(columns), const_cast<Datum *>(values), const_cast<bool *>(nulls))));
}
