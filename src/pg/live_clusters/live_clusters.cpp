#include "pg/live_clusters/live_clusters.hpp"

#include "pg/base/text_arg.hpp"

extern "C" {
#include "catalog/pg_class.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
}

namespace txtfp::pg {

namespace {

// The names of columns are those of the table in which the trigger was created; a partition has them, too.
const char *column_argument(Oid table, const char *name)
{
	if (get_attnum(table, name) <= 0)
		ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
				errmsg("column \"%s\" of relation \"%s\" does not exist", name, get_rel_name(table)),
				errhint("Arguments of a trigger are not folded to lower case.")));
	return pstrdup(name);
}

Oid type_of(Oid table, const char *column) { return getBaseType(get_atttype(table, get_attnum(table, column))); }

KeyType key_argument(Oid table, const char *column)
{
	const Oid type = type_of(table, column);
	if (!is_key_type(type))
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("column \"%s\" of relation \"%s\" has type %s, which cannot be the key of clusters", column,
					get_rel_name(table), format_type_be(type)),
				errhint("The types are integer, bigint, uuid and text.")));
	return key_type(type);
}

const FingerprintKind &kind_argument(Oid table, const char *column, Oid schema)
{
	const Oid type = type_of(table, column);
	const FingerprintKind *kind = find_kind(type, schema, use_trigger);
	if (kind == nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("column \"%s\" of relation \"%s\" has type %s, for which no clusters are kept", column,
					get_rel_name(table), format_type_be(type)),
				errhint("The types are %s.", kind_types(use_trigger))));
	return *kind;
}

const char *priority_option(Oid table, const char *column)
{
	const char *name = column_argument(table, column);
	const Oid type = type_of(table, column);
	char category;
	bool preferred;
	get_type_category_preferred(type, &category, &preferred);
	if (category != TYPCATEGORY_NUMERIC)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("column \"%s\" of relation \"%s\" has type %s, but a priority is a number", column,
					get_rel_name(table), format_type_be(type))));
	return name;
}

const char *text_option(Oid table, const char *column)
{
	const char *name = column_argument(table, column);
	const Oid type = type_of(table, column);
	char category;
	bool preferred;
	get_type_category_preferred(type, &category, &preferred);
	if (category != TYPCATEGORY_STRING)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("column \"%s\" of relation \"%s\" has type %s, not text", column, get_rel_name(table),
					format_type_be(type))));
	return name;
}

void read_option(Clusters &clusters, const TriggerOption &option)
{
	if (strcmp(option.name, clusters.kind->limit) == 0)
		clusters.limit = limit_option(live_clusters_trigger_name, *clusters.kind, option);
	else if (strcmp(option.name, "mode") == 0) {
		clusters.star = strcmp(option.value, "star") == 0;
		if (!clusters.star && strcmp(option.value, "components") != 0)
			reject_option(live_clusters_trigger_name, option, "Valid values are \"components\" and \"star\".");
	} else if (strcmp(option.name, "priority") == 0)
		clusters.priority_column = priority_option(clusters.table, option.value);
	else if (strcmp(option.name, "text") == 0)
		clusters.text_column = text_option(clusters.table, option.value);
	else if (strcmp(option.name, "locks") == 0)
		clusters.locks.table = locks_option(live_clusters_trigger_name, option);
	else
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("unrecognized option \"%s\" of %s", option.name, live_clusters_trigger_name),
				errhint("Valid options for %s are \"%s\", \"mode\", \"priority\", \"text\" and \"locks\".",
					clusters.kind->type, clusters.kind->limit)));
}

Oid members_table(const Clusters &clusters)
{
	const char *name = psprintf("%s_members", clusters.name);
	const Oid members = get_relname_relid(name, get_rel_namespace(clusters.table));
	if (!OidIsValid(members))
		ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_TABLE),
				errmsg("the clusters of relation \"%s\" have no table \"%s\"", get_rel_name(clusters.table), name),
				errhint("live_clusters_create creates the tables and the trigger.")));
	return members;
}

// In the current memory context.
Clusters read_arguments(Relation fired, const Trigger &trigger, Oid schema)
{
	if (trigger.tgnargs < 3)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("%s needs a key column, a fingerprint column and the name of the clusters",
					live_clusters_trigger_name),
				errhint("live_clusters_create creates the tables and the trigger.")));
	if (fired->rd_rel->relkind == RELKIND_FOREIGN_TABLE)
		ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				errmsg("%s cannot follow foreign table \"%s\"", live_clusters_trigger_name,
					RelationGetRelationName(fired)),
				errhint("Keep the clusters on the foreign server.")));
	Clusters clusters{};
	const TriggerDefinition definition = definition_of(trigger.tgoid);
	clusters.definition = definition.trigger;
	clusters.table = definition.table;
	clusters.owner = owner_of(clusters.table);
	clusters.schema = schema;
	clusters.key_column = column_argument(clusters.table, trigger.tgargs[0]);
	clusters.key = key_argument(clusters.table, clusters.key_column);
	clusters.fingerprint_column = column_argument(clusters.table, trigger.tgargs[1]);
	clusters.kind = &kind_argument(clusters.table, clusters.fingerprint_column, schema);
	clusters.fingerprint_type = type_of(clusters.table, clusters.fingerprint_column);
	clusters.fingerprint_length = get_typlen(clusters.fingerprint_type);
	clusters.name = pstrdup(trigger.tgargs[2]);
	clusters.limit = clusters.kind->default_limit;
	for (int i = 3; i < trigger.tgnargs; ++i)
		read_option(clusters, trigger_option(trigger.tgargs[i]));
	choose_locks(*clusters.kind, clusters.limit, clusters.locks);
	clusters.members = members_table(clusters);
	const char *namespace_name = get_namespace_name(get_rel_namespace(clusters.table));
	clusters.table_text = quote_qualified_identifier(namespace_name, get_rel_name(clusters.table));
	clusters.state_schema = pstrdup(quote_identifier(namespace_name));
	clusters.key_text = key_type_text(clusters.key.type);
	clusters.function_text = pstrdup(quote_identifier(get_namespace_name(schema)));
	return clusters;
}

bool is_same(const char *a, const char *b) { return a == b || (a != nullptr && b != nullptr && strcmp(a, b) == 0); }

// Would the statements be the same?
bool is_same(const Clusters &a, const Clusters &b)
{
	return a.table == b.table && a.members == b.members && a.kind == b.kind && a.limit == b.limit && a.star == b.star &&
		a.key.type == b.key.type && a.fingerprint_type == b.fingerprint_type && is_same(a.name, b.name) &&
		is_same(a.key_column, b.key_column) && is_same(a.fingerprint_column, b.fingerprint_column) &&
		is_same(a.priority_column, b.priority_column) && is_same(a.text_column, b.text_column) &&
		is_same(a.table_text, b.table_text) && is_same(a.state_schema, b.state_schema) &&
		is_same(a.function_text, b.function_text);
}

// One entry per trigger that this session has fired.
struct Cached {
	Oid trigger, fired;
	bool valid;
	MemoryContext memory; // of the strings; nullptr: not read yet
	Clusters clusters;
};
HTAB *cached;
uint64 invalidations;

void invalidate(Datum, Oid relation) noexcept
{
	++invalidations;
	HASH_SEQ_STATUS scan;
	hash_seq_init(&scan, cached);
	while (auto *entry = static_cast<Cached *>(hash_seq_search(&scan)))
		if (relation == InvalidOid || relation == entry->fired || relation == entry->clusters.table ||
			relation == entry->clusters.members)
			entry->valid = false;
}

void create_cache()
{
	HASHCTL control{};
	control.keysize = sizeof(Oid);
	control.entrysize = sizeof(Cached);
	cached = hash_create("txtfp clusters", 16, &control, HASH_ELEM | HASH_BLOBS);
	CacheRegisterRelcacheCallback(invalidate, 0);
}

// Reads the arguments again. The plans stay if they would be the same: an ANALYZE invalidates, too.
void read_again(Cached &entry, Relation fired, const Trigger &trigger, Oid schema)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "txtfp clusters", ALLOCSET_SMALL_SIZES);
	const MemoryContext caller = MemoryContextSwitchTo(memory);
	Clusters clusters = read_arguments(fired, trigger, schema);
	MemoryContextSwitchTo(caller);
	const bool same = entry.memory != nullptr && is_same(entry.clusters, clusters);
	for (int i = 0; i < static_cast<int>(Statement::count); ++i) {
		if (same)
			clusters.plans[i] = entry.clusters.plans[i];
		else if (SPIPlanPtr old = entry.clusters.plans[i]; old != nullptr) {
			entry.clusters.plans[i] = nullptr;
			SPI_freeplan(old);
		}
	}
	if (entry.memory != nullptr)
		MemoryContextDelete(entry.memory);
	MemoryContextSetParent(memory, TopMemoryContext);
	entry.memory = memory;
	entry.clusters = clusters;
}

} // namespace

Clusters &clusters_of(Relation fired, const Trigger &trigger, Oid schema)
{
	if (cached == nullptr)
		create_cache();
	bool found;
	auto *entry = static_cast<Cached *>(hash_search(cached, &trigger.tgoid, HASH_ENTER, &found));
	if (!found)
		*entry = {trigger.tgoid, RelationGetRelid(fired), false, nullptr, {}};
	if (!entry->valid || entry->clusters.schema != schema) {
		entry->valid = false;
		const uint64 before = invalidations;
		read_again(*entry, fired, trigger, schema);
		entry->valid = invalidations == before;
	}
	return entry->clusters;
}

const Trigger &find_clusters_trigger(Relation table, const char *name, Oid function)
{
	const Trigger *result = nullptr;
	// a copy, because the relation's own goes away when another session has changed the table, by ANALYZE for one
	const TriggerDesc *triggers = CopyTriggerDesc(table->trigdesc);
	for (int i = 0; triggers != nullptr && i < triggers->numtriggers; ++i) {
		const Trigger &trigger = triggers->triggers[i];
		if (trigger.tgfoid != function || !TRIGGER_FOR_ROW(trigger.tgtype) || trigger.tgnargs < 3 ||
			(name != nullptr && strcmp(trigger.tgargs[2], name) != 0))
			continue;
		if (result != nullptr)
			ereport(ERROR,
				(errcode(ERRCODE_AMBIGUOUS_FUNCTION),
					errmsg("relation \"%s\" has clusters of more than one name", RelationGetRelationName(table)),
					errhint("Name them in the argument \"clusters\".")));
		result = &trigger;
	}
	if (result == nullptr && name != nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
				errmsg("relation \"%s\" has no clusters \"%s\"", RelationGetRelationName(table), abbreviated(name)),
				errhint("live_clusters_create creates them.")));
	if (result == nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
				errmsg("relation \"%s\" has no clusters that are kept", RelationGetRelationName(table)),
				errhint("live_clusters_create creates them.")));
	return *result;
}

const char *state_text(const Clusters &clusters, const char *suffix)
{
	return psprintf("%s.%s", clusters.state_schema, quote_identifier(psprintf("%s%s", clusters.name, suffix)));
}

} // namespace txtfp::pg
