#include "pg/live_clusters/live_clusters.hpp"

#include <algorithm>
#include <utility>

#include "pg/base/text_arg.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/pg_locale.h"
#include "utils/rel.h"
}

namespace txtfp::pg {

namespace {

// Columns have the names that they have in the table on which the trigger was created; a partition has them, too.
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

bool has_nondeterministic_collation(Oid table, const char *column)
{
	Oid type, collation;
	int32 modifier;
	get_atttypetypmodcoll(table, get_attnum(table, column), &type, &modifier, &collation);
	return OidIsValid(collation) && !get_collation_isdeterministic(collation);
}

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

const FingerprintKind &kind_argument(Oid table, const char *column)
{
	const Oid type = type_of(table, column);
	const FingerprintKind *kind = find_kind(type, use_live);
	if (kind == nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("column \"%s\" of relation \"%s\" has type %s, for which no clusters are kept", column,
					get_rel_name(table), format_type_be(type)),
				errhint("The types are %s.", kind_types(use_live))));
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

const char *channel_option(const TriggerOption &option)
{
	if (option.value[0] == '\0' || strlen(option.value) >= NAMEDATALEN)
		reject_option(live_clusters_trigger_name, option, "A channel has a name of 1 to 63 bytes.");
	return pstrdup(option.value);
}

// Options besides the ones of the clusters themselves.
struct DecisionOptions {
	DecisionArguments arguments;
	int version; // 0: not given
};

int version_option(const TriggerOption &option)
{
	const double version = number_option(live_clusters_trigger_name, option);
	if (!(version >= 1 && version < 1e6))
		reject_option(live_clusters_trigger_name, option, "live_clusters_create writes this option.");
	return static_cast<int>(version);
}

void read_option(Clusters &clusters, const TriggerOption &option, DecisionOptions &decision)
{
	if (strcmp(option.name, clusters.kind->limit) == 0)
		clusters.limit = limit_option(live_clusters_trigger_name, *clusters.kind, option);
	else if (strcmp(option.name, "mode") == 0) {
		clusters.star = strcmp(option.value, "star") == 0;
		if (!clusters.star && strcmp(option.value, "components") != 0)
			reject_option(live_clusters_trigger_name, option, "Valid values are \"components\" and \"star\".");
	} else if (strcmp(option.name, "priority") == 0)
		clusters.priority_column = priority_option(clusters.table, option.value);
	else if (read_decision_option(option, decision.arguments)) {
		if (strcmp(option.name, "text") == 0)
			clusters.text_column = text_option(clusters.table, option.value);
	} else if (strcmp(option.name, "decision") == 0)
		decision.version = version_option(option);
	else if (strcmp(option.name, "locks") == 0)
		clusters.locks.table = locks_option(live_clusters_trigger_name, option);
	else if (strcmp(option.name, "notify") == 0)
		clusters.channel = channel_option(option);
	else
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("unrecognized option \"%s\" of %s", option.name, live_clusters_trigger_name),
				errhint("Valid options for %s are \"%s\", \"mode\", \"priority\", %s, \"decision\", \"notify\" and \"locks\".",
					clusters.kind->type, clusters.kind->limit, decision_options)));
}

// The text column alone is for the evidence that is stored.
void choose_decision(Clusters &clusters, Relation table, const DecisionOptions &options)
{
	DecisionArguments arguments = options.arguments;
	const char *const text = std::exchange(arguments.text, nullptr);
	const bool decides = arguments.verify != nullptr || arguments.verify_threshold != nullptr ||
		arguments.guard != nullptr || arguments.rule != nullptr || arguments.min_precision != nullptr;
	if (!decides)
		return;
	arguments.text = text;
	clusters.decision = read_decision(live_clusters_trigger_name, arguments, clusters.kind, clusters.limit);
	check_text_column(table, column_number(table, text), "text");
}

TableShape shape_of_columns(Relation table, const Clusters &clusters)
{
	AttrNumber columns[4] = {};
	int n = 0;
	for (const char *name :
		{clusters.key_column, clusters.fingerprint_column, clusters.priority_column, clusters.text_column})
		if (name != nullptr)
			columns[n++] = column_number(table, name);
	return shape_of(table, columns);
}

// In the current memory context.
Clusters *read_arguments(Relation fired, const Trigger &trigger, Oid schema)
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
	auto &clusters = *static_cast<Clusters *>(palloc0(sizeof(Clusters)));
	clusters.memory = CurrentMemoryContext;
	const TriggerDefinition definition = definition_of(trigger.tgoid);
	clusters.definition = definition.trigger;
	clusters.table = definition.table;
	clusters.schema = schema;
	Relation table = open_known_table(clusters.table, AccessShareLock);
	clusters.key_column = column_argument(clusters.table, trigger.tgargs[0]);
	clusters.key = key_argument(clusters.table, clusters.key_column);
	clusters.key_needs_bytes = has_nondeterministic_collation(clusters.table, clusters.key_column);
	clusters.fingerprint_column = column_argument(clusters.table, trigger.tgargs[1]);
	clusters.kind = &kind_argument(clusters.table, clusters.fingerprint_column);
	clusters.fingerprint_type = type_of(clusters.table, clusters.fingerprint_column);
	clusters.fingerprint_length = get_typlen(clusters.fingerprint_type);
	clusters.name = pstrdup(trigger.tgargs[2]);
	clusters.limit = clusters.kind->default_limit;
	DecisionOptions decision{};
	for (int i = 3; i < trigger.tgnargs; ++i)
		read_option(clusters, trigger_option(trigger.tgargs[i]), decision);
	choose_decision(clusters, table, decision);
	choose_locks(*clusters.kind, clusters.limit, clusters.locks);
	clusters.shape = shape_of_columns(table, clusters);
	const Trigger &of_state = read_state(table, clusters.name, trigger.tgfoid, clusters.state);
	if (clusters.decision != nullptr || decision.version != 0)
		check_decision_of_state(clusters, trigger, of_state, decision.version);
	table_close(table, NoLock);
	if (clusters.star && !OidIsValid(clusters.relation(State::history)))
		report_missing_state(get_rel_name(clusters.table), clusters.name);
	return &clusters;
}

bool is_same(const char *a, const char *b) { return a == b || (a != nullptr && b != nullptr && strcmp(a, b) == 0); }

// Would the statements be the same?
bool is_same(const Clusters &a, const Clusters &b)
{
	return a.schema == b.schema && std::equal(a.state, a.state + state_count, b.state) &&
		a.kind == b.kind && a.limit == b.limit && a.star == b.star && a.shape == b.shape &&
		(a.decision == nullptr) == (b.decision == nullptr) &&
		is_same(a.priority_column, b.priority_column) && is_same(a.text_column, b.text_column);
}

// One entry per trigger that this session has fired.
struct Cached {
	Oid trigger, fired, table;
	bool valid;         // nothing has changed since the clusters were read
	Clusters *clusters; // nullptr: not read yet, or an operation has them
};
HTAB *cached;
uint64 invalidations;

void invalidate(Datum, Oid relation) noexcept
{
	++invalidations;
	HASH_SEQ_STATUS scan;
	hash_seq_init(&scan, cached);
	while (auto *entry = static_cast<Cached *>(hash_seq_search(&scan)))
		if (relation == InvalidOid || relation == entry->fired || relation == entry->table)
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

void drop(Clusters *clusters)
{
	for (TableQuery *query : clusters->queries)
		if (query != nullptr)
			drop_query(query);
	MemoryContextDelete(clusters->memory);
}

// Reads the arguments. The queries of `before` stay if they would be the same: an ANALYZE invalidates, too.
Clusters *read_clusters(Relation fired, const Trigger &trigger, Oid schema, Clusters *before)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "txtfp clusters", ALLOCSET_SMALL_SIZES);
	const MemoryContext caller = MemoryContextSwitchTo(memory);
	Clusters *clusters = read_arguments(fired, trigger, schema);
	MemoryContextSwitchTo(caller);
	if (before != nullptr && is_same(*before, *clusters))
		std::swap(before->queries, clusters->queries);
	MemoryContextSetParent(memory, TopMemoryContext);
	return clusters;
}

} // namespace

Clusters *acquire_clusters(Relation fired, const Trigger &trigger, Oid schema)
{
	if (cached == nullptr)
		create_cache();
	bool found;
	auto *entry = static_cast<Cached *>(hash_search(cached, &trigger.tgoid, HASH_ENTER, &found));
	if (!found)
		*entry = {trigger.tgoid, RelationGetRelid(fired), definition_of(trigger.tgoid).table, false, nullptr};
	Clusters *clusters = entry->clusters;
	if (clusters == nullptr || !entry->valid || clusters->schema != schema) {
		const uint64 before = invalidations;
		Clusters *now = read_clusters(fired, trigger, schema, clusters);
		entry->valid = invalidations == before;
		entry->clusters = nullptr;
		if (clusters != nullptr)
			drop(clusters);
		clusters = now;
	}
	entry->clusters = nullptr;
	clusters->state_is_locked = false;
	clusters->log = nullptr;
	clusters->numbers = nullptr;
	clusters->in_one_snapshot = false;
	return clusters;
}

void give_back(Clusters *clusters, Oid trigger)
{
	auto *entry = static_cast<Cached *>(hash_search(cached, &trigger, HASH_FIND, nullptr));
	if (entry->clusters == nullptr)
		entry->clusters = clusters;
	else
		drop(clusters);
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

} // namespace txtfp::pg
