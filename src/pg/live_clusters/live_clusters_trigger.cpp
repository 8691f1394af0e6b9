// live_clusters_trigger(key column, fingerprint column, name, option=value …): keeps the clusters of a table.
#include <limits>

#include "pg/live_clusters/operation.hpp"
#include "pg/trigger/client_statement.hpp"

extern "C" {
#include "access/table.h"
#include "access/tableam.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
}

using namespace txtfp;

namespace {

// A version of a row: the one before or the one after the change.
struct Version {
	bool exists; // with a key and a fingerprint
	Datum key, fingerprint;
};

const TriggerData &clusters_call(FunctionCallInfo fcinfo)
{
	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
			(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				errmsg("function \"%s\" was not called by trigger manager", pg::live_clusters_trigger_name)));
	const auto &call = *(const TriggerData *) fcinfo->context;
	const bool truncate = TRIGGER_FIRED_BY_TRUNCATE(call.tg_event);
	if (!TRIGGER_FIRED_AFTER(call.tg_event) || TRIGGER_FIRED_FOR_ROW(call.tg_event) == truncate)
		ereport(ERROR,
			(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				errmsg(
					"function \"%s\" must be fired AFTER INSERT, UPDATE or DELETE for each row, or AFTER TRUNCATE for "
					"each statement",
					pg::live_clusters_trigger_name)));
	return call;
}

AttrNumber fired_column(const TriggerData &call, const char *name) { return pg::column_number(call.tg_relation, name); }

Version version_of(const TriggerData &call, const pg::Clusters &clusters, TupleTableSlot *row)
{
	const auto value = [&](const char *column, int i) {
		return pg::column_value(row, fired_column(call, column), {clusters.shape.columns[i].type});
	};
	const NullableDatum key = value(clusters.key_column, 0), fingerprint = value(clusters.fingerprint_column, 1);
	if (fingerprint.isnull)
		return {};
	if (key.isnull)
		pg::report_null_key(clusters, RelationGetRelationName(call.tg_relation));
	return {true, pg::copy_key(clusters.key, key.value),
		clusters.fingerprint_length == -1 ? PointerGetDatum(PG_DETOAST_DATUM(fingerprint.value)) : fingerprint.value};
}

bool is_unchanged(const TriggerData &call, const pg::Clusters &clusters)
{
	return pg::is_unchanged(call, fired_column(call, clusters.fingerprint_column)) &&
		pg::is_unchanged(call, fired_column(call, clusters.key_column)) &&
		(clusters.priority_column == nullptr || pg::is_unchanged(call, fired_column(call, clusters.priority_column))) &&
		(clusters.decision == nullptr || pg::is_unchanged(call, fired_column(call, clusters.text_column)));
}

// A transaction that writes many rows does so alone from its first row on; see near_duplicate_locks.hpp.
bool writes_alone(const TriggerData &call)
{
	return pg::statement_writes_many_rows() || CheckRelationLockedByMe(call.tg_relation, ShareRowExclusiveLock, true);
}

void change(const TriggerData &call, pg::Clusters &clusters)
{
	const bool inserted = TRIGGER_FIRED_BY_INSERT(call.tg_event), updated = pg::is_update(call);
	if (updated && is_unchanged(call, clusters))
		return;
	const Version none{};
	const Version before = inserted ? none : version_of(call, clusters, call.tg_trigslot);
	const Version after = inserted || updated ? version_of(call, clusters, pg::new_slot(call)) : none;
	if (!before.exists && !after.exists)
		return;
	Datum fingerprints[2];
	int n = 0;
	for (const Version *version : {&before, &after})
		if (version->exists)
			fingerprints[n++] = version->fingerprint;
	pg::KeyLocks locks = pg::lock_row(clusters, fingerprints, n, writes_alone(call));

	// The row may have been changed again since the trigger was fired; and priority and text are read from the table.
	const bool is_current = after.exists && clusters.priority_column == nullptr && clusters.decision == nullptr &&
		table_tuple_satisfies_snapshot(call.tg_relation, pg::new_slot(call), SnapshotSelf);
	const pg::StoredRow row{after.exists, after.fingerprint, -std::numeric_limits<double>::infinity(), {0, true}};
	const pg::StoredRow *given = is_current ? &row : nullptr;
	const bool same_key = before.exists && after.exists && pg::compare_keys(clusters.key, before.key, after.key) == 0;
	const pg::SearchScope scope = pg::enter_scope(clusters);
	if (before.exists)
		pg::refresh_row(clusters, before.key, same_key ? given : nullptr, true, true, locks);
	if (after.exists && !same_key)
		pg::refresh_row(clusters, after.key, given, false, true, locks);
	pg::leave_search_scope(scope);
	locks.finish();
}

void truncate(const TriggerData &call, pg::Clusters &clusters)
{
	if (RelationGetRelid(call.tg_relation) != clusters.table)
		return;
	const pg::SearchScope scope = pg::enter_scope(clusters);
	pg::clear_state(clusters);
	pg::notify(clusters);
	pg::leave_search_scope(scope);
}

// A row of a pair is gone over, and with it the component of both.
void change_pair(const TriggerData &call, pg::Clusters &clusters)
{
	const Oid pairs = RelationGetRelid(call.tg_relation);
	if (pairs != clusters.relation(pg::State::apart) && pairs != clusters.relation(pg::State::together))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("clusters \"%s\" have no pairs in table \"%s\"", clusters.name,
					RelationGetRelationName(call.tg_relation))));
	const pg::PairsTable pair = pg::pairs_table(call.tg_relation, clusters.table, clusters.key.type);
	const pg::ValueType type{pair.shape.columns[0].type};
	const bool alone = pg::statement_writes_many_rows();
	const pg::SearchScope scope = pg::enter_scope(clusters);
	TupleTableSlot *slots[] = {call.tg_trigslot, pg::is_update(call) ? pg::new_slot(call) : nullptr};
	for (TupleTableSlot *slot : slots) {
		const NullableDatum id =
			slot != nullptr ? pg::column_value(slot, pair.a, type) : NullableDatum{0, true};
		if (!id.isnull)
			pg::go_over_row(clusters, pg::copy_key(clusters.key, id.value), true, alone);
	}
	pg::leave_search_scope(scope);
}

void change_pair(const TriggerData &call, Oid schema)
{
	const Trigger &fired = *call.tg_trigger;
	Relation table = pg::open_known_table(pg::clustered_table(fired), AccessShareLock);
	const Trigger &trigger = pg::find_clusters_trigger(table, fired.tgargs[0], fired.tgfoid);
	pg::with_clusters(table, trigger, schema, [&](pg::Clusters &clusters) { change_pair(call, clusters); });
	table_close(table, NoLock);
}

} // namespace

TXTFP_FUNCTION(txtfp_live_clusters_trigger)
{
	const TriggerData &call = clusters_call(fcinfo);
	const Oid schema = get_func_namespace(fcinfo->flinfo->fn_oid);
	if (call.tg_trigger->tgnargs == 1 && TRIGGER_FIRED_FOR_ROW(call.tg_event)) {
		change_pair(call, schema);
		return pg::null_pointer;
	}
	pg::with_clusters(call.tg_relation, *call.tg_trigger, schema, [&](pg::Clusters &clusters) {
		if (TRIGGER_FIRED_BY_TRUNCATE(call.tg_event))
			truncate(call, clusters);
		else
			change(call, clusters);
	});
	return pg::null_pointer;
}
