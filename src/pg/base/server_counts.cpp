#include "pg/base/server_counts.hpp"

#include "pg/base/reserved_numbers.hpp"

extern "C" {
#include "catalog/objectaccess.h"
#include "catalog/pg_class_d.h"
#include "miscadmin.h"
#include "pgstat.h"
#if PG_VERSION_NUM >= 180000
#include "utils/pgstat_internal.h"
#endif
}

namespace txtfp::pg {

#if PG_VERSION_NUM >= 180000

namespace {

struct SharedCounts {
	PgStatShared_Common header;
	ObjectCounts counts;
};

bool are_kept = false;
object_access_hook_type previous_access_hook;

// PostgreSQL calls this between transactions, or when the session ends.
bool flush_counts(PgStat_EntryRef *entry, bool no_wait)
{
	if (!pgstat_lock_entry(entry, no_wait))
		return false;
	add(((SharedCounts *) entry->shared_stats)->counts, *static_cast<const ObjectCounts *>(entry->pending));
	pgstat_unlock_entry(entry);
	return true;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers" // the name is constant, so it must be initialized

PgStat_KindInfo kind_info()
{
	PgStat_KindInfo info{.name = "txtfp"};
	info.write_to_file = true;
	info.shared_size = sizeof(SharedCounts);
	info.shared_data_off = offsetof(SharedCounts, counts);
	info.shared_data_len = info.pending_size = sizeof(ObjectCounts);
	info.flush_pending_cb = flush_counts;
	return info;
}

#pragma GCC diagnostic pop

// Nothing else removes the counts of an index that is dropped. If the transaction is rolled back, they begin anew.
void forget_dropped(ObjectAccessType access, Oid catalog, Oid object, int column, void *argument)
{
	if (previous_access_hook != nullptr)
		previous_access_hook(access, catalog, object, column, argument);
	if (access == OAT_DROP && catalog == RelationRelationId && column == 0 &&
		pgstat_have_entry(statistics_kind, MyDatabaseId, object))
		pgstat_drop_entry(statistics_kind, MyDatabaseId, object);
}

} // namespace

void keep_server_counts()
{
	if (!process_shared_preload_libraries_in_progress)
		return;
	if (pgstat_get_kind_info(statistics_kind) != nullptr) {
		ereport(WARNING,
			(errmsg("txtfp counts no searches of the server, because another library keeps statistics of kind %u",
				statistics_kind)));
		return;
	}
	static const PgStat_KindInfo info = kind_info();
	pgstat_register_kind(statistics_kind, &info);
	previous_access_hook = object_access_hook;
	object_access_hook = forget_dropped;
	are_kept = true;
}

void add_to_server(Oid object, const ObjectCounts &counts)
{
	if (!are_kept || !pgstat_track_counts)
		return;
	PgStat_EntryRef *entry = pgstat_prep_pending_entry(statistics_kind, MyDatabaseId, object, nullptr);
	add(*static_cast<ObjectCounts *>(entry->pending), counts);
}

#else

void keep_server_counts() {}
void add_to_server(Oid, const ObjectCounts &) {}

#endif

ObjectCounts server_counts([[maybe_unused]] Oid object)
{
#if PG_VERSION_NUM >= 180000
	if (are_kept) {
		const void *counts = pgstat_fetch_entry(statistics_kind, MyDatabaseId, object);
		return counts == nullptr ? ObjectCounts{} : *static_cast<const ObjectCounts *>(counts);
	}
#endif
	ereport(ERROR,
		(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("this server does not count searches"),
			errdetail("It can from PostgreSQL 18 on, if txtfp is in shared_preload_libraries."),
			errhint("Without of_server, the counts are those of this session.")));
}

} // namespace txtfp::pg
