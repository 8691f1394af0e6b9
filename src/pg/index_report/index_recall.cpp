// fingerprint_index_recall: the recall that an index reaches on the user's own data. A sample of rows is searched for
// by a scan of the table and through the index; the planner is not involved.
#include <algorithm>
#include <cmath>

#include "core/base/hash.hpp"
#include "core/base/splitmix.hpp"
#include "core/join/value_sample.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/bulk/host.hpp"
#include "pg/index_report/indexed_table.hpp"
#include "pg/lavinhash/lavinhash_gin.hpp"
#include "pg/minhash/minhash_gin.hpp"
#include "pg/text/options.hpp"

extern "C" {
#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"
}

using namespace txtfp;
using pg::IndexedTable;

namespace {

// The limits of searches, by their names in SQL and their places among the arguments.
struct Limit {
	core::MeasureUnit unit;
	const char *name;
	int argument;
};
constexpr Limit limits[] = {{core::MeasureUnit::similarity, "threshold", 2},
	{core::MeasureUnit::distance, "max_distance", 3}, {core::MeasureUnit::score, "min_score", 4}};

struct Sample {
	Datum value, probe;
	ItemPointerData tid;
};

struct Counts {
	std::uint64_t rows, expected, found;
	int probes;
};

std::uint64_t hash_of(Datum value, bool by_value, int16 length)
{
	if (by_value)
		return core::SplitMix64::mixed(DatumGetUInt64(value));
	if (length > 0)
		return core::xxh3_64(DatumGetPointer(value), static_cast<std::size_t>(length), 0);
	struct varlena *bytes = PG_DETOAST_DATUM(value);
	const std::uint64_t hash = core::xxh3_64(VARDATA(bytes), VARSIZE(bytes) - VARHDRSZ, 0);
	if (bytes != (struct varlena *) DatumGetPointer(value))
		pfree(bytes);
	return hash;
}

// Draws a sample of the rows by their values, and sets `rows` to the number of all rows. Reads them twice.
std::span<Sample> draw(IndexedTable &indexed, std::size_t size, std::uint64_t &rows)
{
	int16 length;
	bool by_value;
	get_typlenbyval(indexed.type(), &length, &by_value);
	const MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "a sample", ALLOCSET_DEFAULT_SIZES);
	core::ValueSample drawing;
	drawing.open(pg::make_host(memory), size, static_cast<std::size_t>(maintenance_work_mem) * 1024);
	indexed.for_each_row([&](Datum value) { drawing.add(hash_of(value, by_value, length)); });
	rows = drawing.items();
	auto *sample = pg::allocate<Sample>(CurrentMemoryContext, drawing.draw());
	const MemoryContext caller = CurrentMemoryContext;
	std::size_t count = 0;
	indexed.for_each_row([&](Datum value) {
		core::DrawnValue *drawn = drawing.find(hash_of(value, by_value, length));
		if (drawn == nullptr || drawn->times == 0)
			return;
		--drawn->times;
		const MemoryContext row = MemoryContextSwitchTo(caller);
		sample[count++] = {datumCopy(value, by_value, length), 0, indexed.slot->tts_tid};
		MemoryContextSwitchTo(row);
	});
	MemoryContextDelete(memory);
	return {sample, count};
}

// The sample, and what tells whether a row is similar to one of it.
struct Searches {
	std::span<Sample> sample;
	FmgrInfo match, distance;

	bool is_match(const IndexedTable &indexed, Datum value, const Sample &one)
	{
		return !ItemPointerEquals(const_cast<ItemPointerData *>(&one.tid), &indexed.slot->tts_tid) &&
			DatumGetBool(FunctionCall2(&match, value, one.probe));
	}
	double distance_of(const IndexedTable &indexed, Datum value, const Sample &one)
	{
		return indexed.distance_of(FunctionCall2(&distance, value, one.value));
	}
};

// Counts the other rows that are similar to rows of the sample, and how many of these the index returns.
void measure_all(IndexedTable &indexed, Searches &searches, Counts &counts)
{
	indexed.for_each_row([&](Datum value) {
		for (const Sample &one : searches.sample)
			counts.expected += searches.is_match(indexed, value, one);
	});
	for (const Sample &one : searches.sample)
		indexed.for_each_candidate(
			one.probe, [&](Datum value) { counts.found += searches.is_match(indexed, value, one); });
}

// The k similar rows that are nearest to one of the sample: as many of the index, in its order, are within the distance
// of the last one. `nearest` are their distances, a heap with the greatest one first.
std::uint64_t found_nearest(IndexedTable &indexed, Searches &searches, const Sample &one, const double *nearest, int n)
{
	std::uint64_t found = 0;
	if (n > 0)
		indexed.for_each_nearest(one.value, [&](auto row, double bound) {
			row([&](Datum value) {
				found += searches.is_match(indexed, value, one) &&
					searches.distance_of(indexed, value, one) <= nearest[0];
			});
			return found < static_cast<std::uint64_t>(n) && bound <= nearest[0];
		});
	return found;
}

void measure_nearest(IndexedTable &indexed, Searches &searches, int k, Counts &counts)
{
	const std::size_t most = searches.sample.size();
	auto *nearest = pg::allocate<double>(CurrentMemoryContext, most * static_cast<std::size_t>(k));
	auto *n = static_cast<int *>(MemoryContextAllocZero(CurrentMemoryContext, sizeof(int) * std::max<std::size_t>(most, 1)));
	fmgr_info(indexed.distance(), &searches.distance);
	indexed.for_each_row([&](Datum value) {
		for (std::size_t i = 0; i < most; ++i) {
			if (!searches.is_match(indexed, value, searches.sample[i]))
				continue;
			double *heap = nearest + i * static_cast<std::size_t>(k);
			const double distance = searches.distance_of(indexed, value, searches.sample[i]);
			if (n[i] == k) {
				if (distance >= heap[0])
					continue;
				std::pop_heap(heap, heap + n[i]--);
			}
			heap[n[i]++] = distance;
			std::push_heap(heap, heap + n[i]);
		}
	});
	for (std::size_t i = 0; i < most; ++i) {
		counts.expected += static_cast<std::uint64_t>(n[i]);
		counts.found +=
			found_nearest(indexed, searches, searches.sample[i], nearest + i * static_cast<std::size_t>(k), n[i]);
	}
}

// `k`: how many of the nearest rows a search asks for; 0: all similar ones, in any order.
Counts measure(IndexedTable &indexed, std::size_t size, double limit, int k)
{
	Counts counts{};
	Searches searches{};
	searches.sample = draw(indexed, size, counts.rows);
	counts.probes = static_cast<int>(searches.sample.size());
	for (Sample &one : searches.sample)
		one.probe = OidFunctionCall2(indexed.constructor(), one.value,
			indexed.is_share() ? Float8GetDatum(limit) : Int32GetDatum(static_cast<int32>(limit)));
	fmgr_info(indexed.match(), &searches.match);
	if (k > 0)
		measure_nearest(indexed, searches, k, counts);
	else
		measure_all(indexed, searches, counts);
	return counts;
}

double recall_of(const Counts &counts)
{
	return static_cast<double>(counts.found) / static_cast<double>(counts.expected);
}

// True if the index found significantly less than it promises: chance does not explain it.
bool is_below(const Counts &counts, double promise)
{
	const double deviation =
		std::sqrt(promise * (1 - promise) / std::max<double>(static_cast<double>(counts.expected), 1));
	return counts.expected > 0 && recall_of(counts) < promise - 2 * deviation;
}

void advise(const IndexedTable &indexed, const Counts &counts, double promise, const char *hint)
{
	ereport(NOTICE,
		(errmsg("index \"%s\" finds %.1f %% of the similar rows, less than the %.1f %% that it is made for",
			 RelationGetRelationName(indexed.index), 100 * recall_of(counts), 100 * promise),
			errdetail("It found %llu of %llu rows that are similar to %d sampled rows.",
				static_cast<unsigned long long>(counts.found), static_cast<unsigned long long>(counts.expected),
				counts.probes),
			errhint("%s", hint)));
}

Datum make_result(FunctionCallInfo fcinfo, const Counts &counts, double promise)
{
	TupleDesc columns;
	if (get_call_result_type(fcinfo, nullptr, &columns) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	Datum values[] = {Int64GetDatum(static_cast<int64>(counts.rows)), Int32GetDatum(counts.probes),
		Int64GetDatum(static_cast<int64>(counts.expected)), Int64GetDatum(static_cast<int64>(counts.found)),
		Float8GetDatum(counts.expected == 0 ? 0 : recall_of(counts)), Float8GetDatum(promise)};
	bool nulls[] = {false, false, false, false, counts.expected == 0, false};
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(columns), values, nulls));
}

std::size_t sample_size(FunctionCallInfo fcinfo)
{
	const int size = PG_GETARG_INT32(1);
	if (size < 1 || size > 100000)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("size of the sample must be between 1 and 100000, not %d", size)));
	return static_cast<std::size_t>(size);
}

// The argument `nearest`, or 0.
int nearest_of(FunctionCallInfo fcinfo, const IndexedTable &indexed)
{
	if (PG_ARGISNULL(5))
		return 0;
	const int k = PG_GETARG_INT32(5);
	if (k < 1 || k > 1000)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("nearest must be between 1 and 1000, not %d", k)));
	if (!indexed.has_order())
		ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				errmsg("index \"%s\" does not return rows in the order of their distance",
					RelationGetRelationName(indexed.index)),
				errhint("Use the access method sketch, or leave out the argument \"nearest\".")));
	return k;
}

// The limit of the searches: the argument of the index's kind, which alone may be given.
double limit_of(FunctionCallInfo fcinfo, const IndexedTable &indexed)
{
	const pg::FingerprintKind &kind = indexed.kind();
	const Limit &wanted =
		*std::find_if(limits, std::end(limits), [&](const Limit &limit) { return limit.unit == kind.unit; });
	for (const Limit &limit : limits)
		if (&limit != &wanted && !PG_ARGISNULL(limit.argument))
			ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("%s is no limit of a search for %s", limit.name, kind.type),
					errhint("Give %s instead.", wanted.name)));
	if (PG_ARGISNULL(wanted.argument))
		return kind.search->setting();
	return indexed.is_share() ? pg::unit_interval_option(wanted.name, PG_GETARG_FLOAT8(wanted.argument))
							  : PG_GETARG_INT32(wanted.argument);
}

// What an index promises at a limit, and what to do if it finds less.
struct Expectation {
	double recall;
	const char *hint;
	bool serves = true; // false: it would visit every row
};

Expectation minhash_expectation(const IndexedTable &indexed, double least)
{
	const auto slots = static_cast<int>(indexed.kind().slots);
	const pg::LshIndex made = pg::resolve_options((const pg::LshOptions *) indexed.options(), slots);
	const bool serves = made.min_matches(least) > 0;
	const double recall = serves ? std::min(0.999, (1 + made.recall) / 2) : made.recall;
	const core::Banding better = core::banding_for_recall(least, recall, slots);
	const char *hint = better.bands == 0
		? "Use sketches with more slots."
		: psprintf(
			  "It has %d bands of %d rows. An index with the options (threshold = %g, recall = %g) has %d bands of %d.",
			  made.banding.bands, made.banding.rows, least, recall, better.bands, better.rows);
	return {serves ? made.recall : 1, hint, serves};
}

Expectation lavinhash_expectation(const IndexedTable &indexed, int score)
{
	const auto *options = (const pg::LavinhashLshOptions *) indexed.options();
	const pg::LavinhashLshOptions &made = options != nullptr ? *options : pg::default_lavinhash_options;
	return {pg::min_matches(made, score) == 0 ? 1 : made.recall,
		"Make the index with more bands or fewer rows, or use the access method sketch, which is exact."};
}

Expectation expectation_of(const IndexedTable &indexed, double limit)
{
	if (pg::is_sketch_index(indexed.index))
		return {pg::recall_in_force(indexed.index),
			"SET txtfp.sketch_recall = 1, or set the index's parameter \"recall\" to 1."};
	if (indexed.is_share())
		return minhash_expectation(indexed, limit);
	if (indexed.kind().unit == core::MeasureUnit::score)
		return lavinhash_expectation(indexed, static_cast<int>(limit));
	return {1, "REINDEX it: it is damaged."}; // simhash64_ops is exact
}

} // namespace

TXTFP_FUNCTION(txtfp_fingerprint_index_recall_v2)
{
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	const std::size_t size = sample_size(fcinfo);
	IndexedTable indexed(PG_GETARG_OID(0));
	const double limit = limit_of(fcinfo, indexed);
	const Expectation promise = expectation_of(indexed, limit);
	const Counts counts = measure(indexed, size, limit, nearest_of(fcinfo, indexed));
	if (!promise.serves)
		ereport(NOTICE,
			(errmsg("index \"%s\" cannot serve a threshold of %s", RelationGetRelationName(indexed.index),
				 pg::shortest(limit)),
				errdetail("A search through the index returns every row; the planner prefers to scan the table."),
				errhint("%s", promise.hint)));
	else if (is_below(counts, promise.recall))
		advise(indexed, counts, promise.recall, promise.hint);
	indexed.close();
	PG_RETURN_DATUM(make_result(fcinfo, counts, promise.recall));
}
