// Which relations the state of clusters is made of, and that they are what they were.
#include <algorithm>

#include "pg/base/text_arg.hpp"
#include "pg/live_clusters/live_clusters.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "nodes/primnodes.h"
#include "nodes/readfuncs.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace txtfp::pg {

namespace {

// The relation that a node of a condition names; 0: it is another kind of node.
Oid relation_of(const Node *node)
{
	const std::optional<Datum> relation = constant_value(node, ValueType{REGCLASSOID});
	return relation ? DatumGetObjectId(*relation) : InvalidOid;
}

// The relations that the condition ARRAY['…'::regclass, …] IS NOT NULL names. Returns false if it has another form.
bool read_condition(const char *condition, Oid (&state)[state_count])
{
	const auto *test = condition != nullptr ? static_cast<const Node *>(stringToNode(condition)) : nullptr;
	if (test == nullptr || !IsA(test, NullTest))
		return false;
	const Node *argument = (const Node *) ((const NullTest *) test)->arg;
	if (!IsA(argument, ArrayExpr))
		return false;
	const List *elements = ((const ArrayExpr *) argument)->elements;
	const int count = list_length(elements);
	if (count < least_state_count || count > state_count)
		return false;
	std::fill_n(state, state_count, InvalidOid);
	for (int i = 0; i < count; ++i) {
		const auto *element = static_cast<const Node *>(list_nth(elements, i));
		if (!constant_value(element, ValueType{REGCLASSOID}))
			return false;
		state[i] = relation_of(element);
	}
	return std::find(state, state + least_state_count, InvalidOid) == state + least_state_count;
}

void check_table(const Clusters &clusters, Relation table, Oid owner, bool is_read)
{
	const char *detail = is_read ? "Clusters \"%s\" read it." : "Clusters \"%s\" are kept in it.";
	if (table->rd_rel->relkind != RELKIND_RELATION)
		ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("\"%s\" is not a table", RelationGetRelationName(table)),
				errdetail(detail, clusters.name)));
	if (is_read)
		(void) pairs_table(table, clusters.table, clusters.key.type);
	else if (table->rd_rel->relowner != owner)
		ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				errmsg("table \"%s\" does not belong to the owner of table \"%s\"", RelationGetRelationName(table),
					get_rel_name(clusters.table)),
				errdetail(detail, clusters.name), errhint("Change its owner by ALTER TABLE.")));
}

} // namespace

Oid clustered_table(const Trigger &trigger)
{
	const auto *test = trigger.tgqual != nullptr ? static_cast<const Node *>(stringToNode(trigger.tgqual)) : nullptr;
	const Oid table =
		test != nullptr && IsA(test, NullTest) ? relation_of((const Node *) ((const NullTest *) test)->arg) : InvalidOid;
	if (!OidIsValid(table))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("the condition of trigger \"%s\" names no clustered table", trigger.tgname),
				errhint("live_clusters_create creates the triggers of tables of pairs.")));
	return table;
}

void report_missing_state(const char *table, const char *name)
{
	ereport(ERROR,
		(errcode(ERRCODE_UNDEFINED_TABLE),
			errmsg("clusters \"%s\" of relation \"%s\" have no tables", abbreviated(name), table),
			errdetail("No trigger AFTER TRUNCATE names them."),
			errhint("live_clusters_create creates the tables and the triggers.")));
	pg_unreachable();
}

const Trigger &read_state(Relation table, const char *name, Oid function, Oid (&state)[state_count])
{
	const TriggerDesc *triggers = table->trigdesc;
	for (int i = 0; triggers != nullptr && i < triggers->numtriggers; ++i) {
		const Trigger &trigger = triggers->triggers[i];
		if (trigger.tgfoid == function && TRIGGER_FOR_TRUNCATE(trigger.tgtype) && trigger.tgnargs >= 3 &&
			strcmp(trigger.tgargs[2], name) == 0 && read_condition(trigger.tgqual, state))
			return trigger;
	}
	report_missing_state(RelationGetRelationName(table), name);
}

void check_decision_of_state(const Clusters &clusters, const Trigger &trigger, const Trigger &of_state, int version)
{
	const bool same = trigger.tgnargs == of_state.tgnargs &&
		std::equal(trigger.tgargs, trigger.tgargs + trigger.tgnargs, of_state.tgargs,
			[](const char *a, const char *b) { return strcmp(a, b) == 0; });
	if (same && version == core::decision_version)
		return;
	ereport(ERROR,
		(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			errmsg("the links of clusters \"%s\" were decided in another way", clusters.name),
			same ? errdetail("They are of version %d of the decision, not %d.", version, core::decision_version)
				 : errdetail("Trigger \"%s\" has other arguments than trigger \"%s\".", trigger.tgname, of_state.tgname),
			errhint("Drop the clusters, and create and fill them anew.")));
}

SearchScope enter_scope(const Clusters &clusters)
{
	const SearchScope scope = enter_search_scope(clusters.table);
	check_shape(scope.table, clusters.shape);
	return scope;
}

void lock_clustered_table(const Clusters &clusters)
{
	Relation table = open_known_table(clusters.table, AccessShareLock);
	check_shape(table, clusters.shape);
	table_close(table, NoLock);
}

void lock_state(const Clusters &clusters, LOCKMODE mode)
{
	const Oid owner = owner_of(clusters.table);
	for (int i = 0; i < state_count; ++i) {
		const Oid oid = clusters.state[i];
		const auto which = static_cast<State>(i);
		if (!OidIsValid(oid) || which == State::view)
			continue;
		const bool is_read = which == State::apart || which == State::together;
		Relation table = try_table_open(oid, is_read ? AccessShareLock : mode);
		if (table == nullptr)
			report_missing_state(get_rel_name(clusters.table), clusters.name);
		check_table(clusters, table, owner, is_read);
		table_close(table, NoLock);
	}
}

} // namespace txtfp::pg
