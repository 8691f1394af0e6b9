// near_duplicate_trigger(key column, fingerprint column, reject | skip | flag, option=value …): looks for a row that is
// similar to the new one. Before it looks, it locks what a near-duplicate would lock as well, so that of two sessions the
// second waits for the first and then sees its row. The search runs as the table's owner, as checks of constraints do.
#include "pg/minhash/minhash.hpp"
#include "pg/simhash/simhash64.hpp"
#include "pg/trigger/near_duplicate_check.hpp"
#include "pg/trigger/near_duplicate_locks.hpp"

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
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"
}

using namespace txtfp;

namespace {

using pg::NearDuplicateCheck;

struct Fingerprint {
	Datum value;
	bool is_null;
};

// Generated columns are computed after BEFORE triggers, and virtual ones never: then by their own expression.
Fingerprint new_fingerprint(FunctionCallInfo fcinfo, const TriggerData &call, AttrNumber number)
{
	const Form_pg_attribute attribute = pg::column(call.tg_relation, number);
	const bool is_stored = attribute->attgenerated == ATTRIBUTE_GENERATED_STORED;
	Fingerprint fingerprint;
	if (attribute->attgenerated == '\0' || (is_stored && !pg::is_before(call)))
		fingerprint.value = slot_getattr(pg::new_slot(call), number, &fingerprint.is_null);
	else {
		void *&expression = fcinfo->flinfo->fn_extra;
		if (expression == nullptr) {
			MemoryContext row = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
			expression = pg::prepare_expression(build_column_default(call.tg_relation, number));
			MemoryContextSwitchTo(row);
		}
		fingerprint.value =
			pg::evaluate(*static_cast<pg::RowExpression *>(expression), pg::new_slot(call), &fingerprint.is_null);
	}
	if (!fingerprint.is_null && attribute->attlen == -1)
		fingerprint.value = PointerGetDatum(PG_DETOAST_DATUM(fingerprint.value));
	return fingerprint;
}

// A deferred check sees the row as it was: a later version of it has a check of its own, a deleted one needs none.
bool is_gone(const TriggerData &call)
{
	return !pg::is_before(call) && !table_tuple_satisfies_snapshot(call.tg_relation, pg::new_slot(call), SnapshotSelf);
}

bool was_checked_before(const TriggerData &call, const NearDuplicateCheck &check, const Fingerprint &fingerprint)
{
	if (!pg::is_update(call) || (check.within != 0 && !pg::is_unchanged(call, check.within)))
		return false;
	if (call.tg_trigger->tgdeferrable) // the check of the version before is skipped when this one is there
		return false;
	bool old_is_null;
	const Datum old_value = slot_getattr(call.tg_trigslot, check.fingerprint, &old_is_null);
	if (old_is_null || fingerprint.is_null)
		return old_is_null && fingerprint.is_null;
	const Form_pg_attribute attribute = pg::column(call.tg_relation, check.fingerprint);
	return datum_image_eq(old_value, fingerprint.value, attribute->attbyval, attribute->attlen);
}

bool is_laxer(const NearDuplicateCheck &check)
{
	const double limit = pg::current_limit(check);
	return check.kind->slots == 0 ? limit > check.locked_limit : limit < check.locked_limit;
}

// Which rows are compared with each other: the table, or those of it with the same value in a column.
std::uint64_t lock_space(const TriggerData &call, const NearDuplicateCheck &check)
{
	if (check.within == 0)
		return check.table;
	const Form_pg_attribute attribute = pg::column(call.tg_relation, check.within);
	TypeCacheEntry *type = lookup_type_cache(getBaseType(attribute->atttypid), TYPECACHE_HASH_EXTENDED_PROC_FINFO);
	if (!OidIsValid(type->hash_extended_proc))
		ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_FUNCTION),
				errmsg("could not identify an extended hash function for type %s", format_type_be(type->type_id))));
	bool is_null;
	const Datum value = slot_getattr(pg::new_slot(call), check.within, &is_null);
	return DatumGetUInt64(FunctionCall2Coll(
		&type->hash_extended_proc_finfo, attribute->attcollation, value, UInt64GetDatum(check.table)));
}

// Who has the table for itself, for a bulk load, needs no keys.
void lock(const TriggerData &call, const NearDuplicateCheck &check, Datum fingerprint)
{
	std::uint64_t keys[core::max_lock_keys];
	std::size_t n = 0;
	const bool whole_table =
		check.lock_table || is_laxer(check) || CheckRelationLockedByMe(call.tg_relation, ShareRowExclusiveLock, true);
	const std::uint64_t space = lock_space(call, check);
	if (!whole_table && check.kind->slots == 0)
		n = core::lock_keys(static_cast<std::uint64_t>(DatumGetInt64(fingerprint)), check.blocks, space, keys);
	else if (!whole_table)
		n = core::lock_keys(((const pg::Minhash *) DatumGetPointer(fingerprint))->view(), check.banding, space, keys);
	pg::lock_near_duplicates(check.table, {keys, n}, whole_table);
}

// By its key a row is known not to be a duplicate of itself.
Datum key_of(const TriggerData &call, const NearDuplicateCheck &check, TupleTableSlot *row)
{
	bool is_null;
	const Datum key = slot_getattr(row, check.key, &is_null);
	if (is_null)
		ereport(ERROR,
			(errcode(ERRCODE_NOT_NULL_VIOLATION),
				errmsg("null value in key column \"%s\" of relation \"%s\"", call.tg_trigger->tgargs[0],
					RelationGetRelationName(call.tg_relation)),
				errdetail("Near-duplicate check \"%s\" tells rows apart by it.", call.tg_trigger->tgname)));
	return key;
}

// As a unique index does, `reject` looks at rows that a transaction of a stricter level does not see. Where such a row
// decides what is stored, the transaction must start again.
pg::SimilarRow search(const TriggerData &call, NearDuplicateCheck &check, Datum fingerprint)
{
	pg::SearchValues values{fingerprint, key_of(call, check, pg::new_slot(call)), 0, 0};
	values.old_key = pg::is_update(call) ? key_of(call, check, call.tg_trigslot) : values.key;
	bool is_null;
	if (check.within != 0)
		values.within = slot_getattr(pg::new_slot(call), check.within, &is_null);
	if (!IsolationUsesXactSnapshot())
		return pg::find_similar_row(check, values, InvalidSnapshot);
	const pg::SimilarRow latest = pg::find_similar_row(check, values, GetLatestSnapshot());
	if (!latest.found || check.action == pg::Action::reject)
		return latest;
	const pg::SimilarRow seen = pg::find_similar_row(check, values, InvalidSnapshot);
	if (!seen.found)
		ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				errmsg("could not serialize access due to a concurrent near-duplicate"),
				errhint("The transaction might succeed if retried.")));
	return seen;
}

bool may_see_key(const NearDuplicateCheck &check, const char *key)
{
	if (check_enable_rls(check.table, InvalidOid, true) == RLS_ENABLED)
		return false;
	return pg_class_aclcheck(check.table, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
		pg_attribute_aclcheck(check.table, get_attnum(check.table, key), GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}

[[noreturn]] void reject(const TriggerData &call, const NearDuplicateCheck &check, const pg::SimilarRow &row)
{
	const char *key = call.tg_trigger->tgargs[0], *value = "null";
	if (!row.key_is_null) {
		Oid output;
		bool is_varlena;
		getTypeOutputInfo(pg::column(call.tg_relation, check.key)->atttypid, &output, &is_varlena);
		value = OidOutputFunctionCall(output, row.key);
	}
	ereport(ERROR,
		(errcode(ERRCODE_UNIQUE_VIOLATION),
			errmsg("new row for relation \"%s\" violates near-duplicate check \"%s\"",
				RelationGetRelationName(call.tg_relation), call.tg_trigger->tgname),
			may_see_key(check, key) ? errdetail("It is similar to the row with (%s)=(%s).", key, value) : 0,
			errtableconstraint(call.tg_relation, call.tg_trigger->tgname)));
	pg_unreachable();
}

void check_timing(const TriggerData &call, const NearDuplicateCheck &check)
{
	if (check.action != pg::Action::reject && !pg::is_before(call))
		ereport(ERROR,
			(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				errmsg("action \"%s\" of %s needs a BEFORE trigger", call.tg_trigger->tgargs[2],
					pg::near_duplicate_trigger_name),
				errhint("An AFTER trigger can only \"reject\".")));
}

// As in a unique index, NULL is equal to nothing.
bool is_outside(const TriggerData &call, const NearDuplicateCheck &check)
{
	return check.within != 0 && slot_attisnull(pg::new_slot(call), check.within);
}

Datum result(const TriggerData &call) { return PointerGetDatum(pg::is_before(call) ? pg::new_tuple(call) : nullptr); }

} // namespace

TXTFP_FUNCTION(txtfp_near_duplicate_trigger)
{
	const TriggerData &call = pg::trigger_call(fcinfo, pg::near_duplicate_trigger_name, pg::Timing::before_or_after);
	const Oid schema = get_func_namespace(fcinfo->flinfo->fn_oid);
	NearDuplicateCheck &check = pg::near_duplicate_check(call, schema);
	check_timing(call, check);
	if (is_gone(call))
		return result(call);
	const Fingerprint fingerprint = new_fingerprint(fcinfo, call, check.fingerprint);
	if (was_checked_before(call, check, fingerprint))
		return result(call);
	pg::SimilarRow row{false, true, 0};
	if (!fingerprint.is_null && !is_outside(call, check)) {
		lock(call, check, fingerprint.value);
		row = search(call, check, fingerprint.value);
	}
	if (check.action == pg::Action::flag)
		return PointerGetDatum(pg::with_value(call, check.flag, row.key, !row.found || row.key_is_null));
	if (!row.found)
		return result(call);
	if (check.action == pg::Action::reject)
		reject(call, check, row);
	return PointerGetDatum(nullptr); // skip
}
