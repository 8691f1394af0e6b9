// An index on fingerprints and its table, for functions that search it without the planner.
#pragma once

#include <type_traits>

#include "pg/base/distributed.hpp"
#include "pg/base/identity.hpp"
#include "pg/base/owner_rights.hpp"
#include "pg/fingerprint/fingerprint_kinds.hpp"
#include "pg/index/search_kind.hpp"
#include "pg/sketch/sketch.hpp"

extern "C" {
#include "access/genam.h"
#include "access/relscan.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/index.h"
#include "catalog/pg_am.h"
#include "catalog/pg_amop.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/tidbitmap.h"
#include "utils/acl.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
}

namespace txtfp::pg {

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
		check_has_rows(index);
		rights_ = assume_owner(table->rd_rel->relowner);
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
		restore_caller(rights_);
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
		IndexFetchTableData *fetch = begin_fetch();
		for_each_tid(bitmap, [&](ItemPointerData tid) { use_row(fetch, tid, fn); });
		table_index_fetch_end(fetch);
		tbm_free(bitmap);
		index_endscan(scan);
	}

	// The same for the rows in the order of their distances from a value, until fn(row, distance) returns false. `row`
	// calls the function that it is given with the row's value, unless the snapshot does not see it. The distance is
	// the index's, which may be less than the distance of the values.
	template <class Fn> void for_each_nearest(Datum value, Fn fn)
	{
		ScanKeyData key;
		ScanKeyEntryInitialize(&key, SK_ORDER_BY, static_cast<AttrNumber>(column_ + 1), strategy_sketch_distance,
			type(), InvalidOid, get_opcode(ordering_), value);
		const IndexAmRoutine &method = *index->rd_indam; // index_beginscan takes other arguments in each version
		IndexScanDesc scan = method.ambeginscan(index, 0, 1);
		scan->xs_snapshot = GetActiveSnapshot();
		method.amrescan(scan, nullptr, 0, &key, 1);
		IndexFetchTableData *fetch = begin_fetch();
		while (method.amgettuple(scan, ForwardScanDirection) && !scan->xs_orderbynulls[0]) {
			const auto row = [&](auto use) { use_row(fetch, scan->xs_heaptid, use); };
			if (!fn(row, distance_of(scan->xs_orderbyvals[0])))
				break;
		}
		table_index_fetch_end(fetch);
		method.amendscan(scan);
		IndexScanEnd(scan);
	}

	// The distance that the ordering operator returns, as a number. Needs has_order().
	bool has_order() const { return OidIsValid(ordering_); }
	Oid distance() const { return get_opcode(ordering_); }
	double distance_of(Datum returned) const
	{
		return distance_type_ == FLOAT8OID ? DatumGetFloat8(returned)
			: distance_type_ == FLOAT4OID  ? static_cast<double>(DatumGetFloat4(returned))
										   : static_cast<double>(DatumGetInt32(returned));
	}

	Oid type() const { return index->rd_opcintype[column_]; }
	Oid constructor() const { return constructor_; }
	Oid match() const { return get_opcode(operator_); }
	const void *options() const { return attribute_options_; }
	const FingerprintKind &kind() const { return *kind_; }
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
		const bool can_serve = index->rd_rel->relam == GIN_AM_OID || is_sketch_index(index);
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
		kind_ = find_kind(type(), use_pairs);
		if (kind_ == nullptr || kind_->search == nullptr)
			return false;
		find_operator();
		const Oid types[] = {type(), is_share() ? Oid{FLOAT8OID} : Oid{INT4OID}};
		constructor_ = find_function(kind_->search->probe->constructor, types, kind_->search->probe->code);
		if (!OidIsValid(operator_) || !OidIsValid(constructor_))
			return false;
		attribute_options_ = RelationGetIndexAttOptions(index, true)[column_];
		return true;
	}

	// The operators of the family, and the type of the probe.
	void find_operator()
	{
		const SearchKind &search = *kind_->search;
		operator_ = ordering_ = InvalidOid;
		CatCList *members = SearchSysCacheList1(AMOPSTRATEGY, ObjectIdGetDatum(index->rd_opfamily[column_]));
		for (int i = 0; i < members->n_members; ++i) {
			const auto *member = (Form_pg_amop) GETSTRUCT(&members->members[i]->tuple);
			if (member->amopstrategy == search.probe->strategy && member->amoplefttype == type() &&
				is_read_by(member->amoprighttype, search.probe_input)) {
				operator_ = member->amopopr;
				probe_type_ = member->amoprighttype;
			}
			if (member->amoppurpose == AMOP_ORDER && member->amoplefttype == type() &&
				member->amoprighttype == type()) {
				ordering_ = member->amopopr;
				distance_type_ = get_op_rettype(ordering_);
			}
		}
		ReleaseSysCacheList(members);
	}

	IndexFetchTableData *begin_fetch() const
	{
#if PG_VERSION_NUM >= 190000
		return table_index_fetch_begin(table, SO_NONE);
#else
		return table_index_fetch_begin(table);
#endif
	}

	template <class Fn> void use_row(IndexFetchTableData *fetch, ItemPointerData tid, Fn fn)
	{
		CHECK_FOR_INTERRUPTS();
		bool call_again = false;
		if (table_index_fetch_tuple(fetch, &tid, GetActiveSnapshot(), slot, &call_again, nullptr))
			use_value(fn);
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

	const FingerprintKind *kind_ = nullptr;
	OwnerRights rights_{};
	int column_ = 0;
	Oid probe_type_ = InvalidOid, operator_ = InvalidOid, constructor_ = InvalidOid;
	Oid ordering_ = InvalidOid, distance_type_ = InvalidOid; // valid if the index returns its rows in an order
	const void *attribute_options_ = nullptr;
	IndexInfo *info_ = nullptr;
	EState *state_ = nullptr;
	ExprState *predicate_ = nullptr;
};

static_assert(std::is_trivially_destructible_v<IndexedTable>);

} // namespace txtfp::pg
