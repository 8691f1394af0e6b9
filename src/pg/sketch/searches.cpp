// What the searches of this session have done in an index; fingerprint_index_info tells it.
#include "pg/sketch/scan.hpp"

extern "C" {
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

pg::SessionSearches pg::session_searches(Relation index)
{
	using namespace sketch_scan;
	const SessionCounts *entry = entry_of(RelationGetRelid(index), HASH_FIND);
	const Counts counts = entry == nullptr ? Counts{} : entry->counts;
	const auto by = [&](Way way) { return counts.searches[static_cast<std::size_t>(way)]; };
	return {by(Way::bands), by(Way::leading_columns), by(Way::all_groups), counts.groups_read, counts.rows_compared,
		counts.rows_returned};
}
