// sketch_searches: what the searches of this session have done in an index.
#include "pg/sketch/scan.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/relation.h"
#include "funcapi.h"
#include "utils/hsearch.h"
}

using namespace txtfp;

namespace txtfp::pg::sketch_scan {

namespace {

struct SessionCounts {
	Oid index; // the key
	Counts counts;
};

HTAB *entries;

SessionCounts *entry_of(Oid index, HASHACTION action)
{
	if (entries == nullptr) {
		HASHCTL control{};
		control.keysize = sizeof(Oid);
		control.entrysize = sizeof(SessionCounts);
		entries = hash_create("counts of sketch indexes", 16, &control, HASH_ELEM | HASH_BLOBS);
	}
	bool found;
	auto *entry = static_cast<SessionCounts *>(hash_search(entries, &index, action, &found));
	if (entry != nullptr && !found)
		entry->counts = {};
	return entry;
}

} // namespace

void add_counts(Relation index, const Counts &counts)
{
	Counts &sum = entry_of(RelationGetRelid(index), HASH_ENTER)->counts;
	for (std::size_t i = 0; i < lengthof(counts.searches); ++i)
		sum.searches[i] += counts.searches[i];
	sum.groups_read += counts.groups_read;
	sum.rows_compared += counts.rows_compared;
	sum.rows_returned += counts.rows_returned;
}

} // namespace txtfp::pg::sketch_scan

TXTFP_FUNCTION(txtfp_sketch_searches)
{
	using namespace pg::sketch_scan;
	Relation index = relation_open(PG_GETARG_OID(0), AccessShareLock);
	pg::check_is_sketch_index(index);
	const SessionCounts *entry = entry_of(RelationGetRelid(index), HASH_FIND);
	const Counts counts = entry == nullptr ? Counts{} : entry->counts;
	TupleDesc columns;
	if (get_call_result_type(fcinfo, nullptr, &columns) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	const auto searches = [&](Way way) { return Int64GetDatum(counts.searches[static_cast<std::size_t>(way)]); };
	Datum values[] = {searches(Way::bands), searches(Way::leading_columns), searches(Way::all_groups),
		Int64GetDatum(counts.groups_read), Int64GetDatum(counts.rows_compared), Int64GetDatum(counts.rows_returned)};
	bool nulls[lengthof(values)] = {};
	relation_close(index, AccessShareLock);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(columns), values, nulls)));
}
