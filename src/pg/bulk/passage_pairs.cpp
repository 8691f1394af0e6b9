// passage_pairs returns all pairs of rows (id, passages) that share passages. Fingerprints go to partitions. Rows that
// share a fingerprint become pairs, unless too many rows have it. The pairs are sorted, and the common fingerprints of
// each pair are counted exactly.
#include <algorithm>
#include <new>

#include "core/base/keyed_rows.hpp"
#include "core/join/partitions.hpp"
#include "core/join/spool.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/ranges.hpp"
#include "pg/bulk/memory_budget.hpp"
#include "pg/bulk/near_duplicates.hpp"
#include "pg/bulk/row_query.hpp"
#include "pg/bulk/row_result.hpp"
#include "pg/passages/passages.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

using namespace txtfp;

namespace {

class PassagesReader final : public pg::ValueReader {
public:
	PassagesReader(const pg::JoinContext &context, Oid id_type, Oid function)
		: ValueReader(context, id_type), function_(function)
	{
		rows_.open(*context.host, 64, pg::share_of(context.limit, pg::Share::passage_rows));
		fingerprints_.open(*context.host, pg::share_of(context.limit, pg::Share::passage_values));
		offsets_.open(*context.host, pg::share_of(context.limit, pg::Share::passage_offsets));
	}

	// Calls fn(rows) for each fingerprint that at least two rows of one group have. The rows are given by rank.
	template <class Fn> void for_each_shared(Fn fn)
	{
		context_.progress->begin(pg::BulkPhase::shared_passages, rows_.rows());
		rows_.for_each_sorted(pg::share_of(context_.limit, pg::Share::sort), [&](std::span<core::KeyedRow> rows) {
			core::for_each_run(rows, [&](std::span<core::KeyedRow> run) {
				for (core::KeyedRow &row : run)
					row.row = context_.ids->rank_of(row.row);
				context_.order().for_each_class(run, false, fn);
			});
			context_.progress->add(rows.size());
		});
		context_.progress->end();
	}

	// Valid until the next call with the same number of a buffer, 0 or 1.
	std::span<const std::uint64_t> fingerprints(std::uint32_t number, int buffer)
	{
		std::uint64_t offsets[2] = {0, fingerprints_.size()};
		const std::size_t known = number + 1 < context_.ids->count() ? sizeof offsets : sizeof *offsets;
		memcpy(offsets, offsets_.read(number * sizeof *offsets, known, offsets), known);
		const std::size_t size = offsets[1] - offsets[0];
		if (size == 0)
			return {};
		if (size > capacity_[buffer])
			buffers_[buffer] = pg::enlarge(context_.memory, buffers_[buffer], capacity_[buffer] = size + size / 2);
		return {static_cast<const std::uint64_t *>(fingerprints_.read(offsets[0], size, buffers_[buffer])), size / 8};
	}

	void close()
	{
		fingerprints_.close();
		offsets_.close();
	}

private:
	void check(TupleDesc columns) override { pg::check_columns(columns, context_, "passages"); }

	void value_type(Oid type) override
	{
		if (getBaseType(type) !=
			GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("passages"),
				ObjectIdGetDatum(get_func_namespace(function_))))
			ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("the second column of the query is of type %s, not passages", format_type_be(type))));
	}

	void value(std::uint32_t number, Datum value, TupleTableSlot &) override { add(number, *pg::to_passages(value)); }

	void add(std::uint32_t number, const pg::Passages &value)
	{
		pg::Passages seen{};
		seen.config = config_;
		pg::check_comparable(seen, value);
		config_ = config_ != 0 ? config_ : value.config;
		const std::uint64_t offset = fingerprints_.size();
		offsets_.append(&offset, sizeof offset);
		const auto fingerprints = value.view();
		fingerprints_.append(fingerprints.data(), 8 * fingerprints.size());
		for (const std::uint64_t fingerprint : fingerprints)
			rows_.add(core::KeyedRow::of(fingerprint, number));
	}

	Oid function_;
	std::uint64_t config_ = 0;
	core::Partitions rows_;
	core::Spool fingerprints_, offsets_;
	char *buffers_[2] = {};
	std::size_t capacity_[2] = {};
};

static_assert(std::is_trivially_destructible_v<PassagesReader>);

// Collects pairs of ranks a < b, and returns each of them once, however often it has been added.
class Pairs {
public:
	void open(const pg::JoinContext &context)
	{
		context_ = context;
		rows_.open(*context.host, 64, pg::share_of(context.limit, pg::Share::passage_pairs));
	}
	void add(std::uint32_t a, std::uint32_t b)
	{
		rows_.add(core::KeyedRow::of(key(std::min(a, b), std::max(a, b)), 0));
	}

	// Calls fn(a, b) for each pair. Pairs with the same a follow each other.
	template <class Fn> void for_each(Fn fn)
	{
		rows_.for_each_sorted(pg::share_of(context_.limit, pg::Share::sort), [&](std::span<core::KeyedRow> rows) {
			for (std::size_t i = 0; i < rows.size(); ++i)
				if (i == 0 || rows[i].key() != rows[i - 1].key())
					fn(static_cast<std::uint32_t>(scattered(rows[i].key() >> 32)),
						static_cast<std::uint32_t>(rows[i].key()));
		});
	}

private:
	// Partitions are chosen by the leading bits of the key, which are 0 in small ranks. Multiplication by an odd factor
	// spreads the ranks over the partitions; multiplication by its inverse restores them.
	static constexpr std::uint32_t factor = 0x9E3779B1, inverse = 0x0E8B2F51;
	static_assert(factor * inverse == 1);
	static std::uint64_t key(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a * factor} << 32 | b; }
	static std::uint32_t scattered(std::uint64_t a) { return static_cast<std::uint32_t>(a) * inverse; }

	pg::JoinContext context_{};
	core::Partitions rows_;
};

} // namespace

namespace {

// Forms the pairs of rows that share a passage, unless more than `crowd` rows have it.
void pair_rows(
	PassagesReader &reader, const pg::RowIds &ids, std::size_t crowd, Pairs &pairs, pg::BulkFunction function)
{
	std::uint64_t crowded = 0;
	reader.for_each_shared([&](std::span<const core::KeyedRow> rows) {
		if (rows.size() > crowd) {
			++crowded;
			return;
		}
		for (std::size_t j = 1; j < rows.size(); ++j) {
			CHECK_FOR_INTERRUPTS();
			for (std::size_t i = 0; i < j; ++i)
				if (ids.is_pair(rows[i].row, rows[j].row))
					pairs.add(rows[i].row, rows[j].row);
		}
	});
	if (crowded > 0)
		ereport(NOTICE,
			(errmsg("%s: %llu passages occur in more than %zu rows and make no pair", pg::name(function),
				 static_cast<unsigned long long>(crowded), crowd),
				errhint("frequent_passages lists them.")));
}

// ([type of ids,] query [, second query], least, crowd, grouped)
Datum passage_pairs(FunctionCallInfo fcinfo, pg::BulkFunction function, bool between)
{
	const int queries = between ? 2 : 1, query = pg::first_query(fcinfo, queries + 3), first = query + queries;
	const char *first_query = pg::query_argument(fcinfo, query);
	const char *second_query = between ? pg::query_argument(fcinfo, query + 1) : nullptr;
	pg::check_not_null(fcinfo, first, "min_shared");
	pg::check_not_null(fcinfo, first + 1, "crowd");
	const auto least = static_cast<std::size_t>(pg::at_least_one("min_shared", PG_GETARG_INT32(first)));
	const auto crowd = static_cast<std::size_t>(pg::at_least_one("crowd", PG_GETARG_INT32(first + 1)));
	pg::BulkCall call(fcinfo, function, first + 2);
	pg::RowResult &result = call.result;
	pg::RowIds &ids = call.ids;
	const pg::JoinContext &context = call.context;
	ids.open(context.memory, result.id_type(), pg::share_of(context.limit, pg::Share::ids));
	auto *reader = new (MemoryContextAlloc(context.memory, sizeof(PassagesReader)))
		PassagesReader(context, result.id_type(), fcinfo->flinfo->fn_oid);
	pg::run_query(first_query, *reader);
	call.progress.end();
	if (between) {
		ids.begin_second_part();
		pg::run_query(second_query, *reader);
		call.progress.end();
	}
	ids.rank(pg::share_of(context.limit, pg::Share::ranks));
	auto *pairs = new (MemoryContextAlloc(context.memory, sizeof(Pairs))) Pairs();
	pairs->open(context);
	pair_rows(*reader, ids, crowd, *pairs, function);
	pairs->for_each([&](std::uint32_t a, std::uint32_t b) {
		CHECK_FOR_INTERRUPTS();
		const auto x = reader->fingerprints(ids.number_of(a), 0), y = reader->fingerprints(ids.number_of(b), 1);
		const std::size_t shared = core::count_common(x, y);
		if (shared < least)
			return;
		const MemoryContext caller = result.enter();
		const auto share = [shared](std::size_t of) {
			return Float8GetDatum(static_cast<double>(shared) / static_cast<double>(of));
		};
		const Datum values[] = {
			ids.id(a), ids.id(b), Int32GetDatum(static_cast<int32>(shared)), share(x.size()), share(y.size())};
		result.put(values, caller);
	});
	reader->close();
	return call.finish();
}

} // namespace

TXTFP_FUNCTION(txtfp_passage_pairs) { return passage_pairs(fcinfo, pg::BulkFunction::passage_pairs, false); }
TXTFP_FUNCTION(txtfp_passage_pairs_between)
{
	return passage_pairs(fcinfo, pg::BulkFunction::passage_pairs_between, true);
}
