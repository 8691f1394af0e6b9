// fingerprint_index_recall: the recall that an index reaches on the user's own data. A sample of rows is searched for
// by a scan of the table and through the index; the planner is not involved.
#include <algorithm>
#include <cmath>

#include "core/base/hash.hpp"
#include "core/base/splitmix.hpp"
#include "core/join/value_sample.hpp"
#include "pg/base/distributed.hpp"
#include "pg/base/identity.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/owner_rights.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/settings.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/bulk/host.hpp"
#include "pg/fingerprint/fingerprint_kinds.hpp"
#include "pg/index/search_kind.hpp"
#include "pg/lavinhash/lavinhash_gin.hpp"
#include "pg/minhash/minhash_gin.hpp"
#include "pg/sketch/sketch.hpp"
#include "pg/text/options.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/index.h"
#include "catalog/pg_am.h"
#include "catalog/pg_amop.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/tidbitmap.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
}

using namespace txtfp;

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

// The index, its table, and the expression state that computes the indexed value of a row.
class IndexedTable {
public:
	explicit IndexedTable(Oid index_oid)
	{
		const char relkind = get_rel_relkind(index_oid);
		if (relkind != RELKIND_INDEX)
			ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					errmsg("\"%s\" is not an index%s", shown_name(index_oid),
						relkind == RELKIND_PARTITIONED_INDEX ? " with rows of its own" : ""),
					relkind == RELKIND_PARTITIONED_INDEX ? errhint("Give the index of a partition.") : 0));
		table = table_open(IndexGetRelation(index_oid, false), AccessShareLock);
		index = index_open(index_oid, AccessShareLock);
		check_rights();
		pg::check_has_rows(index);
		rights_ = pg::assume_owner(table->rd_rel->relowner);
		find_column();
		info_ = BuildIndexInfo(index);
		state_ = CreateExecutorState();
		predicate_ = ExecPrepareQual(info_->ii_Predicate, state_);
		slot = table_slot_create(table, nullptr);
		GetPerTupleExprContext(state_)->ecxt_scantuple = slot;
	}

	void close()
	{
		ExecDropSingleTupleTableSlot(slot);
		FreeExecutorState(state_);
		pg::restore_caller(rights_);
		index_close(index, AccessShareLock);
		table_close(table, AccessShareLock);
	}

	// Calls fn(value) for every row that the index covers and whose value is not null; the row's TID is slot->tts_tid.
	template <class Fn> void for_each_row(Fn fn)
	{
		TableScanDesc scan = table_beginscan_strat(table, GetActiveSnapshot(), 0, nullptr, true, false);
		while (table_scan_getnextslot(scan, ForwardScanDirection, slot)) {
			CHECK_FOR_INTERRUPTS();
			use_value(fn);
		}
		table_endscan(scan);
	}

	// The same for the candidates that the index returns for a probe, as for an index condition.
	template <class Fn> void for_each_candidate(Datum probe, Fn fn)
	{
		ScanKeyData key;
		ScanKeyEntryInitialize(&key, 0, static_cast<AttrNumber>(column_ + 1), kind_->search->probe->strategy,
			probe_type_, InvalidOid, get_opcode(operator_), probe);
#if PG_VERSION_NUM >= 180000
		IndexScanDesc scan = index_beginscan_bitmap(index, GetActiveSnapshot(), nullptr, 1);
#else
		IndexScanDesc scan = index_beginscan_bitmap(index, GetActiveSnapshot(), 1);
#endif
		index_rescan(scan, &key, 1, nullptr, 0);
		TIDBitmap *bitmap = tbm_create(static_cast<long>(maintenance_work_mem) * 1024, nullptr);
		index_getbitmap(scan, bitmap);
#if PG_VERSION_NUM >= 190000
		IndexFetchTableData *fetch = table_index_fetch_begin(table, SO_NONE);
#else
		IndexFetchTableData *fetch = table_index_fetch_begin(table);
#endif
		for_each_tid(bitmap, [&](ItemPointerData tid) {
			CHECK_FOR_INTERRUPTS();
			bool call_again = false;
			if (table_index_fetch_tuple(fetch, &tid, GetActiveSnapshot(), slot, &call_again, nullptr))
				use_value(fn);
		});
		table_index_fetch_end(fetch);
		tbm_free(bitmap);
		index_endscan(scan);
	}

	Oid type() const { return index->rd_opcintype[column_]; }
	Oid constructor() const { return constructor_; }
	Oid match() const { return get_opcode(operator_); }
	const void *options() const { return attribute_options_; }
	const pg::FingerprintKind &kind() const { return *kind_; }
	bool is_share() const { return kind_->unit == core::MeasureUnit::similarity; }

	Relation table = nullptr, index = nullptr;
	TupleTableSlot *slot = nullptr;

private:
	static const char *shown_name(Oid relation)
	{
		const char *name = get_rel_name(relation);
		return name != nullptr ? name : psprintf("%u", relation);
	}

	// Requires the privileges that a query on the column would need.
	void check_rights() const
	{
		const char *name = RelationGetRelationName(table);
		if (const AclResult result = pg_class_aclcheck(RelationGetRelid(table), GetUserId(), ACL_SELECT);
			result != ACLCHECK_OK)
			aclcheck_error(result, OBJECT_TABLE, name);
		if (check_enable_rls(RelationGetRelid(table), InvalidOid, false) == RLS_ENABLED)
			ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("row-level security of table \"%s\" hides rows that its index has", name),
					errhint("Call it as a role that sees all rows.")));
		if (!index->rd_index->indisvalid || !index->rd_index->indisready)
			ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("index \"%s\" is not valid", RelationGetRelationName(index)), errhint("REINDEX it first.")));
	}

	// Finds the first column of a kind that can be searched for: `column % _to_…_probe(value, limit)`. GIN and `sketch`
	// use the same strategy number for it.
	void find_column()
	{
		const bool can_serve = index->rd_rel->relam == GIN_AM_OID || pg::is_sketch_index(index);
		for (column_ = 0; can_serve && column_ < IndexRelationGetNumberOfKeyAttributes(index); ++column_)
			if (has_search())
				return;
		ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				errmsg("index \"%s\" has no column of a fingerprint's operator class", RelationGetRelationName(index)),
				errhint(
					"It must be a GIN index, or one of the access method sketch, on a fingerprint that has a search "
					"condition.")));
	}

	bool has_search()
	{
		kind_ = pg::find_kind(type(), pg::use_pairs);
		if (kind_ == nullptr || kind_->search == nullptr)
			return false;
		find_operator();
		const Oid types[] = {type(), is_share() ? Oid{FLOAT8OID} : Oid{INT4OID}};
		constructor_ = pg::find_function(kind_->search->probe->constructor, types, kind_->search->probe->code);
		if (!OidIsValid(operator_) || !OidIsValid(constructor_))
			return false;
		attribute_options_ = RelationGetIndexAttOptions(index, true)[column_];
		return true;
	}

	// The operator of the family, and the type of its probe.
	void find_operator()
	{
		const pg::SearchKind &search = *kind_->search;
		operator_ = InvalidOid;
		CatCList *members = SearchSysCacheList1(AMOPSTRATEGY, ObjectIdGetDatum(index->rd_opfamily[column_]));
		for (int i = 0; i < members->n_members; ++i) {
			const auto *member = (Form_pg_amop) GETSTRUCT(&members->members[i]->tuple);
			if (member->amopstrategy == search.probe->strategy && member->amoplefttype == type() &&
				pg::is_read_by(member->amoprighttype, search.probe_input)) {
				operator_ = member->amopopr;
				probe_type_ = member->amoprighttype;
			}
		}
		ReleaseSysCacheList(members);
	}

	template <class Fn> void use_value(Fn fn)
	{
		ResetPerTupleExprContext(state_);
		const MemoryContext caller = MemoryContextSwitchTo(GetPerTupleMemoryContext(state_));
		Datum values[INDEX_MAX_KEYS];
		bool nulls[INDEX_MAX_KEYS];
		if (predicate_ == nullptr || ExecQual(predicate_, GetPerTupleExprContext(state_))) {
			FormIndexDatum(info_, slot, state_, values, nulls);
			if (!nulls[column_]) {
				const Datum value = values[column_];
				fn(get_typlen(type()) == -1 ? PointerGetDatum(PG_DETOAST_DATUM(value)) : value);
			}
		}
		MemoryContextSwitchTo(caller);
	}

	// On a lossy page of the bitmap all rows are candidates.
	template <class Fn> static void for_each_tid(TIDBitmap *bitmap, Fn fn)
	{
		const auto visit = [&](BlockNumber block, const OffsetNumber *offsets, int count) {
			const int n = count < 0 ? static_cast<int>(MaxHeapTuplesPerPage) : count;
			for (int i = 0; i < n; ++i) {
				ItemPointerData tid;
				ItemPointerSet(&tid, block, count < 0 ? static_cast<OffsetNumber>(i + 1) : offsets[i]);
				fn(tid);
			}
		};
#if PG_VERSION_NUM >= 180000
		TBMPrivateIterator *iterator = tbm_begin_private_iterate(bitmap);
		TBMIterateResult page;
		OffsetNumber offsets[TBM_MAX_TUPLES_PER_PAGE];
		while (tbm_private_iterate(iterator, &page))
			visit(page.blockno, offsets,
				page.lossy ? -1 : tbm_extract_page_tuple(&page, offsets, TBM_MAX_TUPLES_PER_PAGE));
		tbm_end_private_iterate(iterator);
#else
		TBMIterator *iterator = tbm_begin_iterate(bitmap);
		while (const TBMIterateResult *page = tbm_iterate(iterator))
			visit(page->blockno, page->offsets, page->ntuples);
		tbm_end_iterate(iterator);
#endif
	}

	const pg::FingerprintKind *kind_ = nullptr;
	pg::OwnerRights rights_{};
	int column_ = 0;
	Oid probe_type_ = InvalidOid, operator_ = InvalidOid, constructor_ = InvalidOid;
	const void *attribute_options_ = nullptr;
	IndexInfo *info_ = nullptr;
	EState *state_ = nullptr;
	ExprState *predicate_ = nullptr;
};

static_assert(std::is_trivially_destructible_v<IndexedTable>);

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

// Counts the other rows that are similar to those of the sample, and how many of these the index returns.
Counts measure(IndexedTable &indexed, std::size_t size, double limit)
{
	Counts counts{};
	const std::span<Sample> sample = draw(indexed, size, counts.rows);
	counts.probes = static_cast<int>(sample.size());
	for (Sample &one : sample)
		one.probe = OidFunctionCall2(indexed.constructor(), one.value,
			indexed.is_share() ? Float8GetDatum(limit) : Int32GetDatum(static_cast<int32>(limit)));
	FmgrInfo match;
	fmgr_info(indexed.match(), &match);
	const auto is_match = [&](Datum value, Sample &one) {
		return !ItemPointerEquals(&one.tid, &indexed.slot->tts_tid) &&
			DatumGetBool(FunctionCall2(&match, value, one.probe));
	};
	indexed.for_each_row([&](Datum value) {
		for (Sample &one : sample)
			counts.expected += is_match(value, one);
	});
	for (Sample &one : sample)
		indexed.for_each_candidate(one.probe, [&](Datum value) { counts.found += is_match(value, one); });
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

TXTFP_FUNCTION(txtfp_fingerprint_index_recall)
{
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	const std::size_t size = sample_size(fcinfo);
	IndexedTable indexed(PG_GETARG_OID(0));
	const double limit = limit_of(fcinfo, indexed);
	const Expectation promise = expectation_of(indexed, limit);
	const Counts counts = measure(indexed, size, limit);
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
