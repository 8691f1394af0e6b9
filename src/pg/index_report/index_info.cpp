// fingerprint_index_info: what an index is made for, and what is in it: the pending list of GIN, the band directory of
// sketch, and the searches of this session. It reads the catalog and one page.
#include <optional>

#include "core/simhash/hamming_index.hpp"
#include "pg/base/distributed.hpp"
#include "pg/base/guard.hpp"
#include "pg/fingerprint/fingerprint_kinds.hpp"
#include "pg/lavinhash/lavinhash_gin.hpp"
#include "pg/minhash/minhash_gin.hpp"
#include "pg/sketch/sketch.hpp"

extern "C" {
#include "access/genam.h"
#include "access/gin_private.h"
#include "access/htup_details.h"
#include "catalog/pg_am.h"
#include "catalog/pg_opclass.h"
#include "commands/defrem.h"
#include "funcapi.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"
}

using namespace txtfp;

namespace {

// What a column of an index is made for.
struct Promise {
	std::optional<int> bands, rows; // rows: slots of a band
	std::optional<double> reach;    // least similarity or score, or greatest distance, that the index serves; none: any
	double recall;
};

struct Pending {
	std::optional<bool> fastupdate;
	std::optional<int64> pages, rows;
};

template <class Served> double least_served(Served served)
{
	int percent = 1;
	while (percent < 100 && !served(percent))
		++percent;
	return percent;
}

Promise minhash_promise(const void *options, int slots)
{
	const pg::LshIndex made = pg::resolve_options((const pg::LshOptions *) options, slots);
	const double reach = least_served([&](int percent) { return made.min_matches(percent / 100.0) > 0; }) / 100;
	return {made.banding.bands, made.banding.rows, reach, made.recall};
}

Promise lavinhash_promise(const void *options)
{
	const auto &made = options != nullptr ? *(const pg::LavinhashLshOptions *) options : pg::default_lavinhash_options;
	const double reach = least_served([&](int score) { return pg::min_matches(made, score) > 0; });
	return {made.bands, made.rows, reach, made.recall};
}

// `type`: the type of the operator class. Only GIN indexes may miss rows by their options.
Promise promise_of(Relation index, Oid type, const void *options)
{
	const pg::FingerprintKind *kind = pg::find_kind(type, pg::use_pairs);
	if (index->rd_rel->relam != GIN_AM_OID || kind == nullptr)
		return {{}, {}, {}, 1};
	if (kind->join == core::JoinWay::bands)
		return minhash_promise(options, static_cast<int>(kind->slots));
	if (kind->join == core::JoinWay::bits)
		return {{}, {}, core::max_indexed_distance, 1};
	return lavinhash_promise(options);
}

Relation open_index(Oid oid)
{
	const char relkind = get_rel_relkind(oid);
	if (relkind != RELKIND_INDEX && relkind != RELKIND_PARTITIONED_INDEX)
		ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				errmsg(
					"\"%s\" is not an index", get_rel_name(oid) != nullptr ? get_rel_name(oid) : psprintf("%u", oid))));
	Relation index = index_open(oid, AccessShareLock);
	if (RELATION_IS_OTHER_TEMP(index))
		ereport(
			ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("cannot read temporary indexes of other sessions")));
	pg::check_has_rows(index);
	return index;
}

// GinGetUseFastUpdate, which is not for partitioned indexes: theirs is what their future partitions get.
bool uses_fast_update(Relation index)
{
	const auto *options = (const GinOptions *) index->rd_options;
	return options != nullptr ? options->useFastUpdate : GIN_DEFAULT_USE_FASTUPDATE;
}

// Partitioned indexes have no list of their own.
Pending pending_of(Relation index)
{
	if (index->rd_rel->relam != GIN_AM_OID)
		return {};
	if (index->rd_rel->relkind != RELKIND_INDEX)
		return {uses_fast_update(index), {}, {}};
	Buffer buffer = ReadBuffer(index, GIN_METAPAGE_BLKNO);
	LockBuffer(buffer, GIN_SHARE);
	const GinMetaPageData *meta = GinPageGetMeta(BufferGetPage(buffer));
	const Pending pending{uses_fast_update(index), meta->nPendingPages, meta->nPendingHeapTuples};
	UnlockReleaseBuffer(buffer);
	return pending;
}

// Of an index of the access method sketch. Partitioned ones have nothing inside.
struct Inside {
	pg::DirectoryInfo directory;
	pg::SearchCounts searches;
};

std::optional<Inside> inside_of(Relation index)
{
	if (!pg::is_sketch_index(index))
		return {};
	return Inside{pg::directory_info(index), pg::session_searches(index)};
}

struct Row {
	Datum values[24] = {};
	bool nulls[24] = {};
	int count = 0;

	void add(Datum value)
	{
		values[count] = value;
		nulls[count++] = false;
	}
	void add_null() { nulls[count++] = true; }
	void add(const std::optional<int> &value) { value ? add(Int32GetDatum(*value)) : add_null(); }
	void add(const std::optional<double> &value) { value ? add(Float8GetDatum(*value)) : add_null(); }
	void add(const std::optional<Inside> &inside)
	{
		if (!inside) {
			for (int i = 0; i < 11; ++i)
				add_null();
			return;
		}
		add(Int32GetDatum(inside->directory.tables));
		for (const auto size : {&pg::DirectoryInfo::covered_rows, &pg::DirectoryInfo::other_rows,
				 &pg::DirectoryInfo::table_bytes, &pg::DirectoryInfo::free_bytes})
			add(Int64GetDatum(inside->directory.*size));
		for (const std::int64_t count : inside->searches)
			add(Int64GetDatum(count));
	}
	void add(const Pending &pending)
	{
		pending.fastupdate ? add(BoolGetDatum(*pending.fastupdate)) : add_null();
		pending.pages ? add(Int64GetDatum(*pending.pages)) : add_null();
		pending.rows ? add(Int64GetDatum(*pending.rows)) : add_null();
	}
};

// A column of the index whose operator class is one of the extension's.
struct Column {
	int number; // from 1 on
	const char *operator_class;
	Promise promise;
};

// Calls fn(column) for each; `schema` is the extension's.
template <class Fn> void for_each_column(Relation index, Oid schema, Fn fn)
{
	bool is_null;
	const Datum classes = SysCacheGetAttr(INDEXRELID, index->rd_indextuple, Anum_pg_index_indclass, &is_null);
	const auto *oids = (const oidvector *) DatumGetPointer(classes);
	bytea **options = RelationGetIndexAttOptions(index, true);
	for (int i = 0; i < IndexRelationGetNumberOfKeyAttributes(index); ++i) {
		HeapTuple tuple = SearchSysCache1(CLAOID, ObjectIdGetDatum(oids->values[i]));
		if (!HeapTupleIsValid(tuple))
			elog(ERROR, "cache lookup failed for operator class %u", oids->values[i]);
		const auto *form = (Form_pg_opclass) GETSTRUCT(tuple);
		const char *name = pstrdup(NameStr(form->opcname));
		const bool is_sketch = strcmp(get_am_name(index->rd_rel->relam), "sketch") == 0;
		const Oid type = form->opcintype;
		const bool is_ours = form->opcnamespace == schema && OidIsValid(form->opcintype) &&
			(index->rd_rel->relam == GIN_AM_OID || is_sketch);
		ReleaseSysCache(tuple);
		if (!is_ours)
			continue; // its options are of another kind
		Promise promise = promise_of(index, type, options[i]);
		if (is_sketch)
			promise.recall = pg::sketch_options(index, pg::sketch_class(index)).recall;
		fn(Column{i + 1, name, promise});
	}
}

} // namespace

TXTFP_FUNCTION(txtfp_fingerprint_index_info_v2)
{
	InitMaterializedSRF(fcinfo, 0);
	auto *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Relation index = open_index(PG_GETARG_OID(0));
	const Pending pending = pending_of(index);
	bool found = false;
	for_each_column(index, get_func_namespace(fcinfo->flinfo->fn_oid), [&](const Column &column) {
		Row row;
		row.add(DirectFunctionCall3(pg_get_indexdef_ext, ObjectIdGetDatum(RelationGetRelid(index)),
			Int32GetDatum(column.number), BoolGetDatum(true)));
		row.add(CStringGetTextDatum(get_am_name(index->rd_rel->relam)));
		row.add(CStringGetTextDatum(column.operator_class));
		// The columns before the fingerprint have no directory.
		const bool is_fingerprint = column.number == IndexRelationGetNumberOfKeyAttributes(index);
		const std::optional<Inside> inside = is_fingerprint ? inside_of(index) : std::nullopt;
		Promise promise = column.promise;
		if (inside) {
			promise.bands = inside->directory.bands;
			promise.rows = inside->directory.rows;
		}
		row.add(promise.bands);
		row.add(promise.rows);
		row.add(promise.reach);
		row.add(Float8GetDatum(promise.recall));
		row.add(pending);
		row.add(inside);
		tuplestore_putvalues(result->setResult, result->setDesc, row.values, row.nulls);
		found = true;
	});
	if (!found)
		ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				errmsg(
					"index \"%s\" has no column of a fingerprint's operator class", RelationGetRelationName(index))));
	index_close(index, AccessShareLock);
	return (Datum) 0;
}
