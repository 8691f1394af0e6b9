// diverse_rows(): of the rows of an ordered query, those that are similar to none that was returned before, until there
// are k. The query is read through a cursor, and no further than that.
#include "pg/base/large_array.hpp"
#include "pg/base/local_setting.hpp"
#include "pg/base/ranges.hpp"
#include "pg/bulk/near_duplicates.hpp"
#include "pg/bulk/row_query.hpp"
#include "pg/bulk/row_result.hpp"

extern "C" {
#include "utils/memutils.h"
#include "utils/portal.h"
}

using namespace txtfp;

namespace {

constexpr int most_diverse = 10000; // each is compared with each

// The fingerprints of the rows that were returned.
class Returned {
public:
	Returned(MemoryContext memory, const pg::FingerprintKind &kind, const pg::JoinOptions &options)
		: memory_(memory), kind_(kind), bound_(pg::join_plan(options, kind).bound)
	{
	}

	// Adds a fingerprint, unless it is similar to one before. Raises an error (22023) if it was made differently.
	bool add(Datum fingerprint)
	{
		core::RowBuffer buffer;
		const std::uint8_t *row = kind_.row(fingerprint, buffer);
		if (count_ > 0 && kind_.is_sketch())
			(void) kind_.similarity(first_, fingerprint); // compares their configurations
		for (std::size_t i = 0; i < count_; ++i)
			if (kind_.is_similar(kind_.measure_of(rows_ + i * kind_.row_bytes, row), bound_))
				return false;
		if (count_ == capacity_) {
			capacity_ = 2 * capacity_ + 16;
			rows_ = pg::enlarge(memory_, rows_, capacity_ * kind_.row_bytes);
		}
		memcpy(rows_ + count_++ * kind_.row_bytes, row, kind_.row_bytes);
		if (count_ == 1 && kind_.is_sketch()) {
			const MemoryContext caller = MemoryContextSwitchTo(memory_);
			first_ = PointerGetDatum(PG_DETOAST_DATUM_COPY(fingerprint));
			MemoryContextSwitchTo(caller);
		}
		return true;
	}

private:
	MemoryContext memory_;
	const pg::FingerprintKind &kind_;
	int bound_;
	std::uint8_t *rows_ = nullptr;
	std::size_t count_ = 0, capacity_ = 0;
	Datum first_ = 0; // of sketches
};

const pg::FingerprintKind &kind_of_column(Oid type)
{
	const pg::FingerprintKind &kind = pg::fingerprint_kind(type, "second", pg::use_pairs);
	if (kind.row == nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("the second column of the query is of type %s", format_type_be(type)),
				errhint("The types are the fingerprints of texts, by which rows can be alike.")));
	return kind;
}

// Plans the query for its first rows, as LIMIT would.
Portal open_cursor(const char *query)
{
	SPIPlanPtr plan = pg::prepare_rows_query(query, CURSOR_OPT_FAST_PLAN);
	const int level = NewGUCNestLevel();
	pg::set_locally("cursor_tuple_fraction", "0");
	Portal cursor = SPI_cursor_open(nullptr, plan, nullptr, nullptr, true);
	AtEOXact_GUC(true, level);
	return cursor;
}

// Rows with the ids of a call.
class DiverseRows {
public:
	DiverseRows(FunctionCallInfo fcinfo, MemoryContext memory) : memory_(memory), result_(fcinfo)
	{
		ids_.open(memory, result_.id_type(), static_cast<std::size_t>(work_mem) * 1024);
	}

	void run(const char *query, const pg::JoinOptions &options, std::int64_t k)
	{
		Portal cursor = open_cursor(query);
		pg::check_two_columns(cursor->tupDesc, "an id and a fingerprint");
		id_ = pg::id_column(cursor->tupDesc, 1, result_.id_type());
		fingerprint_ = pg::given_column(cursor->tupDesc, 2);
		Returned returned(memory_, kind_of_column(fingerprint_.base), options);
		while (count_ < k) {
			SPI_cursor_fetch(cursor, true, static_cast<long>(k - count_)); // at least this many are needed
			if (SPI_processed == 0)
				break;
			for (std::uint64_t i = 0; i < SPI_processed; ++i)
				row(SPI_tuptable, i, returned);
			SPI_freetuptable(SPI_tuptable);
		}
		SPI_cursor_close(cursor);
		ids_.close();
	}

private:
	void row(const SPITupleTable *rows, std::uint64_t i, Returned &returned)
	{
		CHECK_FOR_INTERRUPTS();
		++place_;
		const MemoryContext caller = result_.enter();
		const NullableDatum fingerprint = pg::column_value(rows, i, fingerprint_.number, fingerprint_.type);
		const NullableDatum id = pg::column_value(rows, i, id_.number, id_.type);
		if (!fingerprint.isnull && !returned.add(fingerprint.value)) {
			MemoryContextSwitchTo(caller);
			return;
		}
		++count_;
		const Datum values[] = {ids_.id(ids_.add(ids_.bytes_of(id, id_.base))), Int64GetDatum(place_)};
		result_.put(values, caller);
	}

	MemoryContext memory_;
	pg::RowResult result_;
	pg::RowIds ids_;
	pg::GivenColumn id_, fingerprint_;
	std::int64_t place_ = 0, count_ = 0;
};

} // namespace

// ([type of ids,] query, k, threshold, max_distance, min_score)
TXTFP_FUNCTION(txtfp_diverse_rows)
{
	const int first = pg::first_query(fcinfo, 5);
	const char *query = pg::query_argument(fcinfo, first);
	pg::check_not_null(fcinfo, first + 1, "k");
	const int k = pg::within("k", PG_GETARG_INT32(first + 1), 1, most_diverse);
	pg::JoinOptions options{};
	if (!PG_ARGISNULL(first + 2))
		options.threshold = PG_GETARG_FLOAT8(first + 2);
	if (!PG_ARGISNULL(first + 3))
		options.max_distance = PG_GETARG_INT32(first + 3);
	if (!PG_ARGISNULL(first + 4))
		options.min_score = PG_GETARG_INT32(first + 4);
	const MemoryContext memory =
		AllocSetContextCreate(CurrentMemoryContext, "diverse rows", ALLOCSET_DEFAULT_SIZES);
	DiverseRows rows(fcinfo, memory);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	rows.run(query, options, k);
	SPI_finish();
	MemoryContextDelete(memory);
	return (Datum) 0;
}
