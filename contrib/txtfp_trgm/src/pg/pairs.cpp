// similar_string_pairs: all pairs of strings whose similarity by pg_trgm reaches a threshold. The similarity follows from the sets
// of trigrams (core/set_join.hpp), and the first pair of each value is compared by pg_trgm's own function as well.
#include <algorithm>
#include <bit>
#include <new>

#include "core/set_join.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/settings.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/bulk/bulk_call.hpp"
#include "pg/bulk/memory_budget.hpp"
#include "pg/bulk/workers.hpp"
#include "pg/trgm_functions.hpp"

extern "C" {
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/guc.h"
}

using namespace txtfp;

namespace txtfp::pg {

bool report_progress = false; // in this library; set from txtfp.progress at each call

} // namespace txtfp::pg

namespace {

trgm::SetJoinMemory memory_of(std::size_t limit)
{
	return {.terms = pg::share_of(limit, pg::Share::string_terms),
		.sets = pg::share_of(limit, pg::Share::string_sets),
		.block = pg::share_of(limit, pg::Share::string_index)};
}

// Reads (id, string): passes the trigrams on to the join, and keeps the strings.
class StringReader final : public pg::ValueReader {
public:
	StringReader(const pg::JoinContext &context, Oid id_type, double threshold)
		: ValueReader(context, id_type), join_(*context.host, threshold, memory_of(context.limit))
	{
		fmgr_info_cxt(trgm::trigrams_function(), &trigrams_, context.memory);
		strings_.open(*context.host, pg::share_of(context.limit, pg::Share::texts));
		begins_.open(*context.host, pg::share_of(context.limit, pg::Share::row));
	}

	trgm::SetJoin &join() { return join_; }

	// palloc'd
	Datum string(std::uint32_t number)
	{
		std::uint64_t place[2] = {0, strings_.size()};
		const std::size_t known = number + 1 < join_.count() ? sizeof place : sizeof *place;
		begins_.copy(number * sizeof *place, known, place);
		const std::size_t size = place[1] - place[0];
		auto *value = static_cast<text *>(palloc(VARHDRSZ + size));
		SET_VARSIZE(value, VARHDRSZ + size);
		if (size > 0)
			strings_.copy(place[0], size, VARDATA(value));
		return PointerGetDatum(value);
	}

	void close()
	{
		join_.close();
		strings_.close();
		begins_.close();
	}

private:
	void check(TupleDesc columns) override { pg::check_columns(columns, context_, "a string"); }

	void value_type(Oid type) override
	{
		if (!IsBinaryCoercible(type, TEXTOID))
			ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("the second column of the query is of type %s, not text", format_type_be(type)),
					errhint("Add a cast to the query.")));
	}

	void value(std::uint32_t, Datum value, TupleTableSlot &) override
	{
		const text *string = DatumGetTextPP(value);
		int32 n = 0;
		const auto *trigrams = (const Datum *) DatumGetPointer(
			FunctionCall2Coll(&trigrams_, DEFAULT_COLLATION_OID, PointerGetDatum(string), PointerGetDatum(&n)));
		auto *terms = pg::allocate<std::uint32_t>(CurrentMemoryContext, static_cast<std::size_t>(n));
		for (int i = 0; i < n; ++i)
			terms[i] = static_cast<std::uint32_t>(DatumGetInt32(trigrams[i]));
		join_.add({terms, static_cast<std::size_t>(n)});
		const std::uint64_t begin = strings_.size();
		begins_.append(&begin, sizeof begin);
		strings_.append(VARDATA_ANY(string), VARSIZE_ANY_EXHDR(string));
	}

	trgm::SetJoin join_;
	FmgrInfo trigrams_;
	core::Spool strings_, begins_;
};

static_assert(std::is_trivially_destructible_v<StringReader>);

// Returns the pairs, and asks pg_trgm about the first one of each similarity.
class PairRows final : public pg::PairSink {
public:
	PairRows(pg::RowResult &result, pg::RowIds &ids, StringReader &reader, MemoryContext memory)
		: result_(result), ids_(ids), reader_(reader), asked_(pg::allocate<float>(memory, most_asked))
	{
		std::fill_n(asked_, most_asked, 0.0f);
		fmgr_info_cxt(trgm::trgm_function("similarity", {TEXTOID, TEXTOID}, FLOAT4OID), &similarity_, memory);
	}

	void pair(std::uint32_t a, std::uint32_t b, double similarity) override
	{
		CHECK_FOR_INTERRUPTS();
		const auto value = static_cast<float>(similarity);
		const MemoryContext caller = result_.enter();
		if (float &asked = asked_[std::bit_cast<std::uint32_t>(value) * 0x9E3779B1u >> 18]; asked != value) {
			ask(ids_.number_of(a), ids_.number_of(b), value);
			asked = value;
		}
		const Datum values[] = {ids_.id(a), ids_.id(b), Float4GetDatum(value)};
		result_.put(values, caller);
	}

private:
	static constexpr std::size_t most_asked = std::size_t{1} << 14;

	void ask(std::uint32_t a, std::uint32_t b, float expected)
	{
		const float answer = DatumGetFloat4(
			FunctionCall2Coll(&similarity_, DEFAULT_COLLATION_OID, reader_.string(a), reader_.string(b)));
		if (answer != expected)
			ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("the installed pg_trgm has another similarity: %s, where its trigrams make it %s",
						pg::shortest(answer), pg::shortest(expected)),
					errhint("Join by its operator %%.")));
	}

	pg::RowResult &result_;
	pg::RowIds &ids_;
	StringReader &reader_;
	float *asked_;
	FmgrInfo similarity_;
};

double threshold_of(FunctionCallInfo fcinfo, int i)
{
	if (!PG_ARGISNULL(i))
		return pg::positive_unit_option("threshold", PG_GETARG_FLOAT8(i), pg::Upper::closed);
	FmgrInfo any;
	fmgr_info(trgm::trgm_function("similarity", {TEXTOID, TEXTOID}, FLOAT4OID), &any); // loads the library
	return pg::positive_unit_option(
		"pg_trgm.similarity_threshold", trgm::trgm_setting("pg_trgm.similarity_threshold"), pg::Upper::closed);
}

bool wants_progress()
{
	bool wants = false;
	const char *setting = GetConfigOption("txtfp.progress", true, false);
	return setting != nullptr && parse_bool(setting, &wants) && wants;
}

} // namespace

// (query, threshold); before them may stand a value that tells the type of ids.
TXTFP_FUNCTION(txtfp_similar_string_pairs)
{
	const int first = PG_NARGS() - 2;
	const char *query = pg::query_argument(fcinfo, first);
	const double threshold = threshold_of(fcinfo, first + 1);
	pg::report_progress = wants_progress();
	pg::BulkCall call(fcinfo, pg::BulkFunction::similar_string_pairs);
	const pg::JoinContext &context = call.context;
	pg::RowIds &ids = call.ids;
	ids.open(context.memory, call.result.id_type(), pg::share_of(context.limit, pg::Share::ids));
	auto *reader = new (MemoryContextAlloc(context.memory, sizeof(StringReader)))
		StringReader(context, call.result.id_type(), threshold);
	pg::run_query(query, *reader);
	call.progress.end();
	ids.rank(pg::share_of(context.limit, pg::Share::ranks));
	trgm::SetJoin &join = reader->join();
	context.workers->expect(join.bytes());
	call.progress.begin(pg::BulkPhase::ordering_strings, join.count());
	join.finish();
	call.progress.end();
	PairRows rows(call.result, ids, *reader, context.memory);
	context.workers->deliver_to(rows);
	call.progress.begin(pg::BulkPhase::shared_trigrams, join.steps());
	join.pairs(*context.workers, [&](unsigned worker, std::uint32_t x, std::uint32_t y, float similarity) {
		const std::uint32_t a = ids.rank_of(x), b = ids.rank_of(y);
		context.workers->pair(worker, std::min(a, b), std::max(a, b), similarity);
	});
	call.progress.end();
	reader->close();
	return call.finish();
}
