// near_duplicate_trigger(key column, fingerprint columns, reject | skip | flag | count | merge, option=value …)
// searches for a row that is similar to the new one. Before the search it takes locks that the writer of a
// near-duplicate needs, too. So the second of two sessions waits for the first one and then sees its row. The search
// runs as the owner of the table it reads, as the checks of foreign keys do.
#include <algorithm>
#include <iterator>

#include "pg/minhash/minhash.hpp"
#include "pg/simhash/simhash64.hpp"
#include "pg/trigger/client_statement.hpp"
#include "pg/trigger/kept_row.hpp"
#include "pg/trigger/kept_row_options.hpp"
#include "pg/trigger/near_duplicate_locks.hpp"
#include "pg/trigger/near_duplicate_messages.hpp"

extern "C" {
#include "access/tableam.h"
#include "access/xact.h"
#include "rewrite/rewriteHandler.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"
}

using namespace txtfp;

namespace {

using pg::NearDuplicateCheck;

// The values of the compared columns.
struct Fingerprints {
	NullableDatum list[pg::max_compared_columns];
	NullableDatum text; // may be compressed or stored elsewhere; NULL if texts do not decide
};

// The expression of a generated column, prepared once per statement. The text comes behind the fingerprints.
const pg::RowExpression &expression_of(FunctionCallInfo fcinfo, Relation table, AttrNumber number, int i)
{
	FmgrInfo &function = *fcinfo->flinfo;
	if (function.fn_extra == nullptr)
		function.fn_extra =
			MemoryContextAllocZero(function.fn_mcxt, (pg::max_compared_columns + 1) * sizeof(pg::RowExpression *));
	pg::RowExpression *&expression = static_cast<pg::RowExpression **>(function.fn_extra)[i];
	if (expression == nullptr) {
		MemoryContext context = MemoryContextSwitchTo(function.fn_mcxt);
		expression = pg::prepare_expression(build_column_default(table, number));
		MemoryContextSwitchTo(context);
	}
	return *expression;
}

// A stored generated column is computed after BEFORE triggers, and a virtual one is never stored: in both cases the
// trigger evaluates the column's expression itself.
NullableDatum value_of(FunctionCallInfo fcinfo, const TriggerData &call, AttrNumber number, const pg::ValueType &type,
	int i, TupleTableSlot *row)
{
	const Form_pg_attribute attribute = pg::column(call.tg_relation, number);
	const bool is_stored = attribute->attgenerated == ATTRIBUTE_GENERATED_STORED;
	if (attribute->attgenerated == '\0' || (is_stored && !pg::is_before(call)))
		return pg::column_value(row, number, type);
	NullableDatum value;
	value.value = pg::evaluate(expression_of(fcinfo, call.tg_relation, number, i), row, &value.isnull);
	return value;
}

NullableDatum fingerprint_of(
	FunctionCallInfo fcinfo, const TriggerData &call, const pg::ComparedColumn &column, int i, TupleTableSlot *row)
{
	NullableDatum fingerprint = value_of(fcinfo, call, column.number, column.type, i, row);
	if (fingerprint.isnull)
		fingerprint.value = pg::null_pointer;
	else if (pg::column(call.tg_relation, column.number)->attlen == -1)
		fingerprint.value = PointerGetDatum(PG_DETOAST_DATUM(fingerprint.value));
	return fingerprint;
}

Fingerprints fingerprints_of(
	FunctionCallInfo fcinfo, const TriggerData &call, const NearDuplicateCheck &check, TupleTableSlot *row)
{
	Fingerprints fingerprints{};
	for (int i = 0; i < check.columns.count; ++i)
		fingerprints.list[i] = fingerprint_of(fcinfo, call, check.columns.list[i], i, row);
	fingerprints.text = check.text == 0
		? NullableDatum{0, true}
		: value_of(fcinfo, call, check.text, check.text_type, pg::max_compared_columns, row);
	return fingerprints;
}

// A fingerprint that is NULL is similar to nothing, and where texts decide, nothing is decided about a row without one.
bool can_be_similar(const NearDuplicateCheck &check, const Fingerprints &fingerprints)
{
	if (check.decision != nullptr && fingerprints.text.isnull)
		return false;
	const auto *begin = fingerprints.list, *end = begin + check.columns.count;
	const auto is_null = [](const NullableDatum &fingerprint) { return fingerprint.isnull; };
	return check.columns.match == pg::Match::any ? !std::all_of(begin, end, is_null)
												 : std::none_of(begin, end, is_null);
}

// The row to check. When an AFTER trigger runs, the row may have been updated again: by another trigger, or by a later
// statement if the check is deferred. Then the check applies to the latest version, because that update may not fire a
// check of its own (UPDATE OF another column) or may rely on this one (see was_checked_before).
struct Row {
	TupleTableSlot *slot; // nullptr: the row is gone
	bool is_successor;    // a later version than the one the trigger was fired for; then the caller drops the slot
};

Row current_row(const TriggerData &call)
{
	TupleTableSlot *given = pg::new_slot(call);
	if (pg::is_before(call) || table_tuple_satisfies_snapshot(call.tg_relation, given, SnapshotSelf))
		return {given, false};
	ItemPointerData place = given->tts_tid;
	TableScanDesc scan = table_beginscan_tid(call.tg_relation, SnapshotSelf);
	table_tuple_get_latest_tid(scan, &place);
	table_endscan(scan);
	TupleTableSlot *latest = table_slot_create(call.tg_relation, nullptr);
	if (table_tuple_fetch_row_version(call.tg_relation, &place, SnapshotSelf, latest))
		return {latest, true};
	ExecDropSingleTupleTableSlot(latest);
	return {nullptr, false};
}

bool was_unchanged(
	const TriggerData &call, AttrNumber number, const pg::ValueType &type, const NullableDatum &value)
{
	const NullableDatum old = pg::column_value(call.tg_trigslot, number, type);
	if (old.isnull || value.isnull)
		return old.isnull && value.isnull;
	const Form_pg_attribute attribute = pg::column(call.tg_relation, number);
	return datum_image_eq(old.value, value.value, attribute->attbyval, attribute->attlen);
}

bool was_text_unchanged(const TriggerData &call, const NearDuplicateCheck &check, const Fingerprints &fingerprints)
{
	if (check.text == 0)
		return true;
	const bool is_generated = pg::column(call.tg_relation, check.text)->attgenerated != '\0';
	return (!is_generated && pg::is_unchanged(call, check.text)) ||
		was_unchanged(call, check.text, check.text_type, fingerprints.text);
}

// True if the previous version has been checked, or if its check is pending and will apply to this version. If one
// column has changed, all are compared again, so that a flag tells of all.
bool was_checked_before(
	const TriggerData &call, const NearDuplicateCheck &check, const Row &row, const Fingerprints &fingerprints)
{
	if (!pg::is_update(call) || row.is_successor || (check.within != 0 && !pg::is_unchanged(call, check.within)))
		return false;
	for (int i = 0; i < check.columns.count; ++i)
		if (!was_unchanged(call, check.columns.list[i].number, check.columns.list[i].type, fingerprints.list[i]))
			return false;
	return was_text_unchanged(call, check, fingerprints);
}

// A number for the set of rows that are compared with each other: the table, or its rows with the same value in
// `within`.
std::uint64_t lock_space(const TriggerData &call, const NearDuplicateCheck &check, TupleTableSlot *row)
{
	if (check.within == 0)
		return check.table;
	const Form_pg_attribute attribute = pg::column(call.tg_relation, check.within);
	TypeCacheEntry *type =
		lookup_type_cache(getBaseType(check.within_type.type), TYPECACHE_HASH_EXTENDED_PROC_FINFO);
	if (!OidIsValid(type->hash_extended_proc))
		ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_FUNCTION),
				errmsg("could not identify an extended hash function for type %s", format_type_be(type->type_id))));
	const Datum value = pg::column_value(row, check.within, check.within_type).value;
	return DatumGetUInt64(FunctionCall2Coll(
		&type->hash_extended_proc_finfo, attribute->attcollation, value, UInt64GetDatum(check.table)));
}

// The keys of a row, in ascending order.
struct RowKeys {
	std::uint64_t list[pg::max_compared_columns * core::max_lock_keys];
	std::size_t count;
	bool are_all; // false: a value that may be similar to others has none
};

void read_keys(const TriggerData &call, const NearDuplicateCheck &check, TupleTableSlot *row,
	const Fingerprints &fingerprints, RowKeys &keys)
{
	const std::uint64_t space = lock_space(call, check, row);
	keys.count = 0;
	keys.are_all = true;
	for (int i = 0; i < check.columns.count; ++i) {
		const pg::ComparedColumn &column = check.columns.list[i];
		if (!check.columns.locks_keys_of(i) || fingerprints.list[i].isnull)
			continue;
		const std::size_t n = row_keys(*column.kind, column.locks, fingerprints.list[i].value,
			space + static_cast<std::uint64_t>(i), keys.list + keys.count);
		keys.are_all = keys.are_all && n > 0;
		keys.count += n;
	}
	std::sort(keys.list, keys.list + keys.count);
	keys.count = static_cast<std::size_t>(std::unique(keys.list, keys.list + keys.count) - keys.list);
}

// A transaction that has locked the table, or will write many rows, writes alone from its first row on. If it changed
// to writing alone later, it could wait for transactions that wait for the rows that it has written: a deadlock.
pg::NearDuplicateLocks lock(const TriggerData &call, const NearDuplicateCheck &check, TupleTableSlot *row,
	const Fingerprints &fingerprints, RowKeys &keys)
{
	read_keys(call, check, row, fingerprints, keys);
	const bool alone = !keys.are_all || pg::statement_writes_many_rows() ||
		CheckRelationLockedByMe(call.tg_relation, ShareRowExclusiveLock, true);
	return pg::lock_near_duplicates(check.table, {keys.list, keys.count}, alone);
}

// Rows with the same key are the same row: a row inserted ON CONFLICT DO UPDATE is no duplicate of the row it replaces.
Datum key_of(const TriggerData &call, const NearDuplicateCheck &check, TupleTableSlot *row)
{
	const NullableDatum key = pg::column_value(row, check.key, check.key_type);
	if (key.isnull)
		ereport(ERROR,
			(errcode(ERRCODE_NOT_NULL_VIOLATION),
				errmsg("null value in key column \"%s\" of relation \"%s\"", call.tg_trigger->tgargs[0],
					RelationGetRelationName(call.tg_relation)),
				errdetail("Near-duplicate check \"%s\" identifies rows by this column.", call.tg_trigger->tgname)));
	return key.value;
}

pg::SearchValues search_values(
	const TriggerData &call, const NearDuplicateCheck &check, TupleTableSlot *row, const Fingerprints &fingerprints)
{
	pg::SearchValues values{};
	std::copy(std::begin(fingerprints.list), std::end(fingerprints.list), values.fingerprints);
	values.text = fingerprints.text.value;
	if (!check.is_against_itself())
		return values;
	values.key = key_of(call, check, row);
	if (check.within != 0)
		values.within = pg::column_value(row, check.within, check.within_type).value;
	if (!pg::is_before(call) || pg::is_update(call)) {
		values.stored_in = RelationGetRelid(call.tg_relation);
		values.stored_at = pg::is_before(call) ? call.tg_trigslot->tts_tid : row->tts_tid;
	}
	return values;
}

// What becomes of the row, if `action` is for near-duplicates. One that is similar to many rows is not lost because
// nobody has looked at all of them.
pg::Action deed(const NearDuplicateCheck &check, pg::Action action, const pg::SimilarRow &similar)
{
	if (!similar.found)
		return pg::Action::write;
	if (!similar.is_review())
		return action;
	return similar.is_one_of_many && check.on_review == pg::Action::skip ? pg::Action::write : check.on_review;
}

// Like a unique index, `reject` considers rows that a REPEATABLE READ or SERIALIZABLE transaction does not see. If
// another action depends on such a row, the transaction fails with a serialization error and must be retried.
pg::SimilarRow search(const NearDuplicateCheck &check, pg::Action action, const pg::SearchValues &values)
{
	if (!IsolationUsesXactSnapshot())
		return pg::find_similar_row(check, values, pg::Snapshot::transaction);
	const pg::SimilarRow latest = pg::find_similar_row(check, values, pg::Snapshot::latest);
	const pg::Action what = deed(check, action, latest);
	if (!latest.found || what == pg::Action::reject || (what == pg::Action::write && !check.writes_flag()))
		return latest;
	const pg::SimilarRow seen = pg::find_similar_row(check, values, pg::Snapshot::transaction);
	if (!seen.found || seen.is_review() != latest.is_review())
		ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				errmsg("could not serialize access due to a concurrent near-duplicate"),
				errhint("The transaction might succeed if retried.")));
	return seen;
}

[[noreturn]] void reject(const TriggerData &call, const NearDuplicateCheck &check, const pg::SimilarRow &similar)
{
	const bool tells_row = pg::is_visible_to_writer(check, similar);
	ereport(ERROR,
		(errcode(ERRCODE_UNIQUE_VIOLATION),
			errmsg("new row for relation \"%s\" violates near-duplicate check \"%s\"",
				RelationGetRelationName(call.tg_relation), call.tg_trigger->tgname),
			tells_row ? pg::row_detail(check, similar) : 0, errtableconstraint(call.tg_relation, call.tg_trigger->tgname)));
	pg_unreachable();
}

// INSERT … RETURNING shows what is stored, so a row that the writer may not see must not be named: `flag` stores the
// new row's own key instead, and no similarity. With the similarity one could reconstruct the hidden text, word by
// word.
HeapTuple with_flag(const TriggerData &call, const NearDuplicateCheck &check, const pg::SimilarRow &similar)
{
	const bool tells_row = similar.found && pg::is_visible_to_writer(check, similar);
	NullableDatum key{similar.key, !similar.found || similar.key_is_null};
	if (similar.found && !tells_row)
		key = pg::column_value(pg::new_slot(call), check.key, check.key_type);
	HeapTuple row = pg::new_tuple(call);
	if (check.flag != 0)
		row = pg::with_value(call, check.flag, key.value, key.isnull);
	if (check.outcome != 0)
		row = pg::with_value(row, call.tg_relation, check.outcome,
			tells_row ? CStringGetTextDatum(core::removal::outcome_names[similar.outcome()]) : Datum{0}, !tells_row);
	for (int i = 0; i < check.columns.count && check.columns.writes_similarity(); ++i) {
		const pg::Evidence &evidence = similar.evidence[i];
		row = pg::with_value(row, call.tg_relation, check.columns.list[i].similarity,
			Float8GetDatum(evidence.similarity), !tells_row || !evidence.decides);
	}
	return row;
}

// To those who could change it, once in a session: a trigger function is not called when the trigger is created.
void warn_of_row_security(const TriggerData &call, pg::CachedCheck &cached)
{
	const bool answers_early = pg::is_before(call) && cached.check.action != pg::Action::flag;
	const auto *table = call.tg_relation->rd_rel;
	if (cached.warned || !answers_early || !table->relrowsecurity || !has_privs_of_role(GetUserId(), table->relowner))
		return;
	cached.warned = true;
	ereport(WARNING,
		(errmsg("near-duplicate check \"%s\" answers before row security has refused a row", call.tg_trigger->tgname),
			errdetail("A role may learn whether there is a near-duplicate of a row that it may not write."),
			errhint("Use an AFTER trigger with the action \"reject\".")));
}

void check_timing(const TriggerData &call, const NearDuplicateCheck &check)
{
	if (pg::is_before(call))
		return;
	if (check.action != pg::Action::reject)
		ereport(ERROR,
			(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				errmsg("action \"%s\" of %s needs a BEFORE trigger", call.tg_trigger->tgargs[2],
					pg::near_duplicate_trigger_name),
				errhint("An AFTER trigger can only \"reject\".")));
	if (check.writes_flag() || check.on_review == pg::Action::skip)
		ereport(ERROR,
			(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				errmsg("option \"%s\" of %s needs a BEFORE trigger",
					check.on_review == pg::Action::skip ? "on_review"
						: check.flag != 0               ? "column"
						: check.outcome != 0            ? "outcome"
														: "similarity",
					pg::near_duplicate_trigger_name)));
}

// The row that ON CONFLICT updates would be a near-duplicate of its new version, which would be skipped or counted and
// so lost, unless the key tells that both are the same row.
void check_conflicts(const TriggerData &call, const NearDuplicateCheck &check)
{
	if (!pg::is_before(call) || pg::is_update(call) || !check.is_against_itself())
		return;
	const char *key = NameStr(pg::column(call.tg_relation, check.key)->attname);
	if (const Oid index = pg::conflict_index_without(call.tg_relation, key); OidIsValid(index))
		ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				errmsg("near-duplicate check \"%s\" does not know the row that ON CONFLICT would update",
					call.tg_trigger->tgname),
				errdetail("It identifies rows by column \"%s\", which index \"%s\" does not have.", key,
					get_rel_name(index)),
				errhint("Create the trigger with a column of this index as its key.")));
}

// Rows whose value in the column `within` is NULL are not compared: as in a unique index, NULL is not equal to
// anything.
bool is_null_within(const NearDuplicateCheck &check, TupleTableSlot *row)
{
	return check.within != 0 && slot_attisnull(row, check.within);
}

// Searches until it finds none, or has locked the one found if the action changes it.
pg::SimilarRow find_and_lock(const TriggerData &call, const NearDuplicateCheck &check, pg::Action action,
	TupleTableSlot *row, const Fingerprints &fingerprints, Datum *kept)
{
	const bool locks_rows = check.is_against_itself();
	RowKeys keys;
	for (;;) {
		CHECK_FOR_INTERRUPTS();
		pg::NearDuplicateLocks locks{};
		if (locks_rows)
			locks = lock(call, check, row, fingerprints, keys);
		pg::SimilarRow similar;
		pg::RowState state;
		do {
			similar = search(check, action, search_values(call, check, row, fingerprints));
			if (!pg::changes_kept_row(deed(check, action, similar)))
				return similar;
			state = pg::lock_kept_row(check, similar, !locks_rows, kept);
		} while (state == pg::RowState::changed);
		if (state == pg::RowState::locked)
			return similar;
		if (locks.can_release)
			pg::release_near_duplicates(locks);
		pg::wait_with_locks([&] { (void) pg::lock_kept_row(check, similar, true, kept); });
	}
}

void count_found(pg::CheckCounts &counts, const pg::SimilarRow &similar)
{
	if (similar.found && similar.is_review()) {
		++counts.reviewed;
		return;
	}
	counts.found += similar.found;
	for (int i = 0; i < pg::max_compared_columns; ++i)
		counts.found_by[i] += similar.evidence[i].decides;
}

// Returns what the trigger function returns to PostgreSQL: the row, a changed row, or nullptr.
Datum unchanged(const TriggerData &call)
{
	return PointerGetDatum(pg::is_before(call) ? pg::new_tuple(call) : nullptr);
}

const char *action_name(pg::Action action)
{
	switch (action) {
	case pg::Action::count:
		return "count";
	case pg::Action::merge:
		return "merge";
	default:
		return "skip";
	}
}

// `kept`: what lock_kept_row has read of the row that is changed.
Datum follow(const TriggerData &call, const NearDuplicateCheck &check, pg::Action action, const pg::SimilarRow &similar,
	Datum kept)
{
	if (action == pg::Action::write || action == pg::Action::flag)
		return check.writes_flag() ? PointerGetDatum(with_flag(call, check, similar)) : unchanged(call);
	if (action == pg::Action::reject)
		reject(call, check, similar);
	if (pg::changes_kept_row(action))
		change_kept_row(call, check, similar, kept);
	if (pg::changes_kept_row(action) && pg::is_update(call))
		delete_updated_row(call, check);
	if (OidIsValid(check.log.table))
		pg::log_row(check, similar, action_name(action),
			pg::row_as(call.tg_relation, pg::new_tuple(call), pg::new_row_type(check)));
	return pg::null_pointer; // no row is written
}

Datum check_row(FunctionCallInfo fcinfo, const TriggerData &call, pg::CachedCheck &cached, const Row &row)
{
	// A copy, because functions that the search calls may invalidate the cache.
	const NearDuplicateCheck check = cached.check;
	const Fingerprints fingerprints = fingerprints_of(fcinfo, call, check, row.slot);
	if (was_checked_before(call, check, row, fingerprints))
		return unchanged(call);
	const pg::Action action = pg::is_update(call) ? check.on_update : check.action;
	pg::SimilarRow similar{};
	Datum kept = 0;
	if (can_be_similar(check, fingerprints) && !is_null_within(check, row.slot)) {
		++cached.counts.checked;
		similar = find_and_lock(call, check, action, row.slot, fingerprints, &kept);
		count_found(cached.counts, similar);
	}
	return follow(call, check, deed(check, action, similar), similar, kept);
}

} // namespace

TXTFP_FUNCTION(txtfp_near_duplicate_trigger)
{
	const TriggerData &call = pg::trigger_call(fcinfo, pg::near_duplicate_trigger_name, pg::Timing::before_or_after);
	const Oid schema = get_func_namespace(fcinfo->flinfo->fn_oid);
	pg::CachedCheck &cached = pg::near_duplicate_check(call, schema);
	check_timing(call, cached.check);
	check_conflicts(call, cached.check);
	warn_of_row_security(call, cached);
	const Row row = current_row(call);
	if (row.slot == nullptr)
		return unchanged(call);
	const Datum result = check_row(fcinfo, call, cached, row);
	if (row.is_successor)
		ExecDropSingleTupleTableSlot(row.slot);
	return result;
}
