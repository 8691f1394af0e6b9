#include "pg/trigger/near_duplicate_check.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "pg/trigger/kept_row_options.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/tuplestore.h"
}

namespace txtfp::pg {

namespace {

Action action_argument(const char *argument)
{
	if (strcmp(argument, "reject") == 0)
		return Action::reject;
	if (strcmp(argument, "skip") == 0)
		return Action::skip;
	if (strcmp(argument, "flag") == 0)
		return Action::flag;
	if (strcmp(argument, "count") == 0)
		return Action::count;
	if (strcmp(argument, "merge") == 0)
		return Action::merge;
	ereport(ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			errmsg("unrecognized action of %s: \"%s\"", near_duplicate_trigger_name, argument),
			errhint("Valid actions are \"reject\", \"skip\", \"flag\", \"count\" and \"merge\".")));
	pg_unreachable();
}

// The key is stored unchanged, so the column must be able to hold every key: it has the key's type, with the same type
// modifier or none.
AttrNumber flag_option(Relation table, const char *name, AttrNumber key)
{
	const AttrNumber number = column_number(table, name);
	check_is_written(table, number, "key");
	const Form_pg_attribute flag = column(table, number), key_column = column(table, key);
	if (flag->atttypid != key_column->atttypid || (flag->atttypmod != -1 && flag->atttypmod != key_column->atttypmod))
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("column \"%s\" of relation \"%s\" has type %s, but the key column has type %s", name,
					RelationGetRelationName(table), format_type_with_typemod(flag->atttypid, flag->atttypmod),
					format_type_with_typemod(key_column->atttypid, key_column->atttypmod))));
	return number;
}

// It says whether a row that is written is a near-duplicate or must be looked at.
AttrNumber outcome_option(Relation table, const char *name)
{
	const AttrNumber number = column_number(table, name);
	check_is_written(table, number, "decision");
	if (const Oid type = column(table, number)->atttypid; type != TEXTOID)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("column \"%s\" of relation \"%s\" has type %s, not text", name, RelationGetRelationName(table),
					format_type_be(type)),
				errdetail("The option \"outcome\" names a column for \"remove\" or \"review\".")));
	return number;
}

struct Options {
	bool partition, locks_table;
	const char *apart;
	AgainstOptions against;
	KeptRowOptions kept_row;
	DecisionArguments decision;
	const char *on_review, *log;
	const char *own; // an option that concerns the rows of the guarded table among themselves
};

void choose_within(NearDuplicateCheck &check, Relation table, const char *name)
{
	check.within = column_number(table, name);
	check.within_type = column_type(RelationGetDescr(table), check.within);
}

// Reads an option that concerns rows of one table, and that cannot be combined with `against`. False if the option is
// another one.
bool read_scope_option(NearDuplicateCheck &check, Relation table, const TriggerOption &option, Options &options)
{
	if (strcmp(option.name, "within") == 0)
		choose_within(check, table, option.value);
	else if (strcmp(option.name, "scope") == 0) {
		options.partition = strcmp(option.value, "partition") == 0;
		if (!options.partition && strcmp(option.value, "table") != 0)
			reject_option(near_duplicate_trigger_name, option, "Valid values are \"table\" and \"partition\".");
	} else if (strcmp(option.name, "apart") == 0)
		options.apart = option.value;
	else if (strcmp(option.name, "locks") == 0)
		options.locks_table = locks_option(near_duplicate_trigger_name, option);
	else
		return false;
	options.own = option.name;
	return true;
}

const char *options_of_action(Action action)
{
	switch (action) {
	case Action::flag:
		return "\"column\", \"similarity\", ";
	case Action::count:
		return "\"counter\", \"last\", \"on_update\", \"column\", \"similarity\", ";
	case Action::merge:
		return "\"merge\", \"on_update\", \"column\", \"similarity\", ";
	default:
		return "";
	}
}

[[noreturn]] void report_unknown(const NearDuplicateCheck &check, const TriggerOption &option)
{
	const ComparedColumn &first = check.columns.list[0];
	const bool is_one = check.columns.is_one();
	ereport(ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			errmsg("unrecognized option \"%s\" of %s", option.name, near_duplicate_trigger_name),
			errhint("Valid options for %s and this action are %s\"%s\", \"within\", \"scope\", \"locks\", "
					"\"apart\", \"log\", %s, \"on_review\", \"outcome\", \"against\", "
					"\"against_key\", \"against_column\" and \"against_text\".",
				is_one ? first.kind->type : "several columns", options_of_action(check.action),
				is_one ? first.kind->limit : "match", decision_options)));
	pg_unreachable();
}

void read_option(NearDuplicateCheck &check, Relation table, const TriggerOption &option, int argument, Options &options)
{
	const bool is_flag = check.action == Action::flag || changes_kept_row(check.action) || check.text != 0;
	if (read_scope_option(check, table, option, options) || read_decision_option(option, options.decision) ||
		read_kept_row_option(check.action, option, argument, options.kept_row) ||
		read_column_option(check.columns, table, option, is_flag))
		return;
	if (strcmp(option.name, "column") == 0 && is_flag)
		check.flag = flag_option(table, option.value, check.key);
	else if (strcmp(option.name, "outcome") == 0 && check.text != 0)
		check.outcome = outcome_option(table, option.value);
	else if (strcmp(option.name, "against") == 0)
		options.against.table = option.value;
	else if (strcmp(option.name, "against_key") == 0)
		options.against.key = option.value;
	else if (strcmp(option.name, "against_column") == 0)
		options.against.column = option.value;
	else if (strcmp(option.name, "against_text") == 0)
		options.against.text = option.value;
	else if (strcmp(option.name, "on_review") == 0)
		options.on_review = option.value;
	else if (strcmp(option.name, "log") == 0)
		options.log = option.value;
	else
		report_unknown(check, option);
}

SearchedTable choose_searched_table(const NearDuplicateCheck &check, Relation fired, const Options &options)
{
	const AgainstOptions &against = options.against;
	const RowColumns columns{check.key, check.columns, check.text};
	if (against.table == nullptr) {
		if (against.key != nullptr || against.column != nullptr || against.text != nullptr)
			ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("option \"%s\" of %s needs the option \"against\"",
						against.key != nullptr          ? "against_key"
							: against.column != nullptr ? "against_column"
														: "against_text",
						near_duplicate_trigger_name)));
		return own_table(check.table, fired, columns);
	}
	if (options.own != nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("options \"%s\" and \"against\" of %s exclude each other", options.own,
					near_duplicate_trigger_name),
				errdetail("With \"against\", rows are compared with those of another table only.")));
	const SearchedTable searched = protected_table(check.table, fired, columns, against);
	if (check.flag != 0 && base_type_of(searched.table, searched.key) != base_type_of(check.fired, check.key))
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("the key columns of relations \"%s\" and \"%s\" have different types",
					RelationGetRelationName(fired), get_rel_name(searched.table)),
				errdetail("Action \"flag\" may store a key of either table.")));
	return searched;
}

// The columns that a search and what follows it name.
TableShape searched_shape(const NearDuplicateCheck &check)
{
	const SearchedTable &searched = check.searched;
	AttrNumber columns[max_compared_columns + 5] = {searched.key, check.counter, check.last};
	if (check.within != 0)
		columns[3] = get_attnum(searched.table, get_attname(check.fired, check.within, false));
	columns[4] = searched.text;
	std::copy(std::begin(searched.fingerprints), std::end(searched.fingerprints), columns + 5);
	Relation table = open_known_table(searched.table, AccessShareLock);
	const TableShape shape = shape_of(table, columns);
	table_close(table, NoLock);
	return shape;
}

// The text column comes first: with it, rows of every action may be flagged.
void choose_text(NearDuplicateCheck &check, Relation table, const Trigger &trigger)
{
	for (int i = 3; i < trigger.tgnargs; ++i)
		if (const TriggerOption option = trigger_option(trigger.tgargs[i]); strcmp(option.name, "text") == 0) {
			check.text = column_number(table, option.value);
			check_text_column(table, check.text, option.name);
			check.text_type = column_type(RelationGetDescr(table), check.text);
		}
}

Action review_action(const NearDuplicateCheck &check, const char *value)
{
	if (value == nullptr)
		return Action::write;
	const TriggerOption option{"on_review", value};
	if (check.decision == nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("option \"%s\" of %s needs the option \"text\"", option.name, near_duplicate_trigger_name),
				errhint("Add text=<column>: the texts decide.")));
	for (const auto &[name, action] : {std::pair("write", Action::write), std::pair("flag", Action::flag),
			 std::pair("reject", Action::reject), std::pair("skip", Action::skip)})
		if (strcmp(value, name) == 0)
			return action;
	reject_option(
		near_duplicate_trigger_name, option, "Valid values are \"write\", \"flag\", \"reject\" and \"skip\".");
}

// After the columns, the searched table and the action are known.
void choose_decision(NearDuplicateCheck &check, const Options &options)
{
	const ComparedColumn &first = check.columns.list[0];
	const bool is_one = check.columns.is_one();
	check.decision = read_decision(
		near_duplicate_trigger_name, options.decision, is_one ? first.kind : nullptr, is_one ? first.limit : 0);
	check.on_review = review_action(check, options.on_review);
	if (options.log == nullptr)
		return;
	const bool writes_all = check.action == Action::reject || check.action == Action::flag;
	if (writes_all && check.on_review != Action::skip)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("option \"log\" of %s is for rows that are not written", near_duplicate_trigger_name),
				errhint("The actions \"skip\", \"count\" and \"merge\" do not write a row, and neither does on_review=skip.")));
	check.log = log_table(check.table, check.searched.key_type, options.log);
	if (check.decision != nullptr)
		check.decision->options.measures = true;
}

// `memory`: for what the check points to.
NearDuplicateCheck read_arguments(const TriggerData &call, Oid schema, MemoryContext memory)
{
	const Trigger &trigger = *call.tg_trigger;
	Relation table = call.tg_relation;
	if (trigger.tgnargs < 3)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("%s needs a key column, a fingerprint column and an action", near_duplicate_trigger_name),
				errhint("For example: EXECUTE FUNCTION %s('id', 'fp', 'reject', 'threshold=0.9').",
					near_duplicate_trigger_name)));
	if (table->rd_rel->relkind == RELKIND_FOREIGN_TABLE)
		ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				errmsg("%s cannot guard foreign table \"%s\"", near_duplicate_trigger_name,
					RelationGetRelationName(table)),
				errhint("Create the trigger on the foreign server.")));
	NearDuplicateCheck check{};
	Options options{};
	check.fired = RelationGetRelid(table);
	check.schema = schema;
	check.key = column_number(table, trigger.tgargs[0]);
	check.key_type = column_type(RelationGetDescr(table), check.key);
	check.columns = compared_columns(table, trigger.tgargs[1]);
	check.action = action_argument(trigger.tgargs[2]);
	choose_text(check, table, trigger);
	for (int i = 3; i < trigger.tgnargs; ++i)
		read_option(check, table, trigger_option(trigger.tgargs[i]), i, options);
	finish_columns(check.columns, table, options.locks_table);
	const auto flags = [](const char *value) { return value != nullptr && strcmp(value, "flag") == 0; };
	if (check.flag == 0 &&
		(check.action == Action::flag || flags(options.kept_row.on_update) || flags(options.on_review)))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("action \"flag\" of %s needs a column", near_duplicate_trigger_name),
				errhint("Add the option column=<name>.")));
	if (check.within != 0 && is_before(call) && column(table, check.within)->attgenerated != '\0')
		ereport(ERROR,
			(errcode(ERRCODE_GENERATED_ALWAYS),
				errmsg("column \"%s\" of relation \"%s\" is a generated column",
					NameStr(column(table, check.within)->attname), RelationGetRelationName(table)),
				errdetail("Generated columns are computed after BEFORE triggers."),
				errhint("Use a plain column, or an AFTER trigger with the action \"reject\".")));
	const TriggerDefinition definition = definition_of(trigger.tgoid);
	check.definition = definition.trigger;
	check.created_on = definition.table;
	check.table = options.partition ? check.fired : definition.table;
	check.searched = choose_searched_table(check, table, options);
	if (options.apart != nullptr)
		check.apart = apart_table(check.table, table, check.key, options.apart);
	choose_kept_row(check, options.kept_row);
	const MemoryContext caller = MemoryContextSwitchTo(memory);
	choose_decision(check, options);
	MemoryContextSwitchTo(caller);
	check.searched.shape = searched_shape(check);
	return check;
}

// One entry per trigger that this session has fired.
HTAB *cached_checks;
std::uint64_t invalidations;

void invalidate(Datum, Oid relation) noexcept
{
	++invalidations;
	HASH_SEQ_STATUS scan;
	hash_seq_init(&scan, cached_checks);
	while (auto *entry = static_cast<CachedCheck *>(hash_seq_search(&scan)))
		if (relation == InvalidOid || relation == entry->check.fired || relation == entry->check.table ||
			relation == entry->check.searched.table || relation == entry->check.apart.table ||
			relation == entry->check.log.table)
			entry->valid = false;
}

void create_cache()
{
	HASHCTL control{};
	control.keysize = sizeof(Oid);
	control.entrysize = sizeof(CachedCheck);
	cached_checks = hash_create("txtfp near-duplicate checks", 16, &control, HASH_ELEM | HASH_BLOBS);
	CacheRegisterRelcacheCallback(invalidate, 0);
}

} // namespace

CachedCheck &near_duplicate_check(const TriggerData &call, Oid schema)
{
	if (cached_checks == nullptr)
		create_cache();
	bool found;
	auto *entry = static_cast<CachedCheck *>(hash_search(cached_checks, &call.tg_trigger->tgoid, HASH_ENTER, &found));
	if (!found)
		*entry = {call.tg_trigger->tgoid, false, false, nullptr, {}, {}};
	if (!entry->valid || entry->check.schema != schema) {
		entry->valid = false;
		const std::uint64_t before = invalidations;
		MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "txtfp decision", ALLOCSET_SMALL_SIZES);
		entry->check = read_arguments(call, schema, memory);
		if (entry->memory != nullptr) // a check that runs may use it still
			MemoryContextSetParent(entry->memory, TopTransactionContext);
		MemoryContextSetParent(memory, TopMemoryContext);
		entry->memory = memory;
		entry->valid = invalidations == before; // after a change in between, the next call reads the arguments again
	}
	return *entry;
}

} // namespace txtfp::pg

using namespace txtfp;

// An array of a number for each compared column.
static Datum found_by(const pg::CachedCheck &cached)
{
	Datum numbers[pg::max_compared_columns];
	const int count = cached.check.columns.count;
	for (int i = 0; i < count; ++i)
		numbers[i] = Int64GetDatum(cached.counts.found_by[i]);
	return PointerGetDatum(construct_array(numbers, count, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

TXTFP_FUNCTION(txtfp_near_duplicate_trigger_stats_v2)
{
	InitMaterializedSRF(fcinfo, 0);
	const auto *result = (ReturnSetInfo *) fcinfo->resultinfo;
	if (pg::cached_checks == nullptr)
		return (Datum) 0;
	HASH_SEQ_STATUS scan;
	hash_seq_init(&scan, pg::cached_checks);
	while (const auto *entry = static_cast<const pg::CachedCheck *>(hash_seq_search(&scan))) {
		const Datum values[] = {ObjectIdGetDatum(entry->trigger), ObjectIdGetDatum(entry->check.fired),
			Int64GetDatum(entry->counts.checked), Int64GetDatum(entry->counts.found), found_by(*entry),
			Int64GetDatum(entry->counts.reviewed)};
		// Under row security, a row that is refused afterwards has been counted nevertheless: the numbers would tell of
		// hidden rows.
		const bool hidden = check_enable_rls(entry->check.fired, InvalidOid, true) == RLS_ENABLED;
		const bool nulls[lengthof(values)] = {false, false, false, hidden, hidden, hidden};
		tuplestore_putvalues(
			result->setResult, result->setDesc, const_cast<Datum *>(values), const_cast<bool *>(nulls));
	}
	return (Datum) 0;
}
