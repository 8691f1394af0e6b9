// live_clusters_create and live_clusters_drop: the tables, the view and the triggers of clusters.
#include "pg/base/distributed.hpp"
#include "pg/base/owner_rights.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/live_clusters/live_clusters_arguments.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/catalog.h"
#include "catalog/namespace.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_inherits.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
}

using namespace txtfp;

namespace {

constexpr const char *longest_suffix = "_members";

void check_kind(Relation table)
{
	const char kind = table->rd_rel->relkind;
	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				errmsg(
					"relation \"%s\" is not a table whose rows triggers can follow", RelationGetRelationName(table))));
	if (IsCatalogRelation(table))
		ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				errmsg("permission denied: \"%s\" is a system catalog", RelationGetRelationName(table))));
	if (table->rd_rel->relispartition)
		ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("table \"%s\" is a partition", RelationGetRelationName(table)),
				errhint("Keep clusters of the whole partitioned table.")));
	if (pg::placement_of(RelationGetRelid(table)) != pg::Placement::here)
		ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				errmsg("clusters cannot follow table \"%s\", because Citus distributes it",
					RelationGetRelationName(table)),
				errhint("Keep clusters of a table that Citus does not know, or call deduplicate() at intervals.")));
	if (kind == RELKIND_RELATION && has_subclass(RelationGetRelid(table)))
		ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				errmsg("table \"%s\" has tables that inherit from it", RelationGetRelationName(table)),
				errdetail("Triggers do not follow their rows.")));
}

// What the indexes of the table are good for.
struct Indexed {
	bool unique_key, fingerprint;
};

Indexed look_at_indexes(Relation table, AttrNumber key, AttrNumber fingerprint)
{
	Indexed indexed{};
	List *indexes = RelationGetIndexList(table);
	ListCell *cell;
	foreach (cell, indexes) {
		Relation index = index_open(lfirst_oid(cell), AccessShareLock);
		const Form_pg_index form = index->rd_index;
		const bool whole = form->indisvalid && heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, nullptr);
		bool has_key = false;
		for (int i = 0; i < form->indnkeyatts; ++i)
			has_key |= form->indkey.values[i] == key;
		// a unique index of a partitioned table has the partition key, too
		indexed.unique_key |= whole && form->indisunique && has_key &&
			(form->indnkeyatts == 1 || table->rd_rel->relkind == RELKIND_PARTITIONED_TABLE);
		indexed.fingerprint |= whole && form->indkey.values[0] == fingerprint && index->rd_rel->relam != BTREE_AM_OID &&
			index->rd_rel->relam != HASH_AM_OID;
		index_close(index, AccessShareLock);
	}
	list_free(indexes);
	return indexed;
}

void check_columns(Relation table, const char *key_name, const char *fingerprint_name)
{
	const AttrNumber key = pg::column_number(table, key_name), fingerprint = pg::column_number(table, fingerprint_name);
	const Indexed indexed = look_at_indexes(table, key, fingerprint);
	if (!pg::column(table, key)->attnotnull || !indexed.unique_key)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_COLUMN_REFERENCE),
				errmsg("column \"%s\" of relation \"%s\" does not tell rows apart", key_name,
					RelationGetRelationName(table)),
				errhint("It must be the primary key, or NOT NULL and UNIQUE by itself.")));
	if (const char generated = pg::column(table, fingerprint)->attgenerated;
		generated != '\0' && generated != ATTRIBUTE_GENERATED_STORED)
		ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				errmsg("column \"%s\" of relation \"%s\" is a virtual generated column", fingerprint_name,
					RelationGetRelationName(table)),
				errhint("An index needs a stored generated column.")));
	if (!indexed.fingerprint)
		ereport(WARNING,
			(errmsg("column \"%s\" of relation \"%s\" has no index", fingerprint_name, RelationGetRelationName(table)),
				errdetail("Each row written reads the whole table."),
				errhint("Create one: CREATE INDEX ON %s USING sketch (%s).",
					quote_qualified_identifier(
						get_namespace_name(RelationGetNamespace(table)), RelationGetRelationName(table)),
					quote_identifier(fingerprint_name))));
}

const char *clusters_name(Relation table, const char *given)
{
	const char *name = given != nullptr ? given : psprintf("%s_clusters", RelationGetRelationName(table));
	if (strlen(name) + strlen(longest_suffix) >= NAMEDATALEN)
		ereport(ERROR,
			(errcode(ERRCODE_NAME_TOO_LONG),
				errmsg("the name of the clusters is too long: \"%s\"", pg::abbreviated(name)),
				errdetail("With \"%s\" it would be longer than %d bytes.", longest_suffix, NAMEDATALEN - 1),
				errhint("Give another in the argument \"clusters\".")));
	return name;
}

void run(const char *statement)
{
	const int result = SPI_execute(statement, false, 0);
	if (result < 0)
		elog(ERROR, "SPI_execute failed: %s", SPI_result_code_string(result));
}

// What the statements below are made of, quoted.
struct Names {
	const char *table, *schema, *clusters; // clusters: not quoted
	const char *id_column;                 // type and collation
	bool has_long_ids, star, events;
	Oid apart, together; // tables of pairs

	bool has_decided_pairs() const { return OidIsValid(apart) || OidIsValid(together); }
};

constexpr const char *suffixes[] = {
	"", "_members", "_sets", "_links", "_history", "_events"}; // in the order of pg::State

bool is_there(const Names &names, pg::State which)
{
	switch (which) {
	case pg::State::history:
		return names.star;
	case pg::State::events:
		return names.events;
	case pg::State::apart:
		return OidIsValid(names.apart);
	case pg::State::together:
		return OidIsValid(names.together);
	default:
		return true;
	}
}

const char *state(const Names &names, const char *suffix)
{
	return psprintf("%s.%s", names.schema, quote_identifier(psprintf("%s%s", names.clusters, suffix)));
}

// DROP TABLE of a clustered table leaves its clusters, which may be wanted still.
void check_names(const Names &names, Oid space)
{
	StringInfoData drop;
	initStringInfo(&drop);
	const char *first = nullptr;
	for (const char *suffix : suffixes) {
		const char *name = psprintf("%s%s", names.clusters, suffix);
		const Oid relation = get_relname_relid(name, space);
		if (!OidIsValid(relation))
			continue;
		if (first == nullptr)
			first = name;
		appendStringInfo(&drop, "%sDROP %s %s", drop.len == 0 ? "" : "; ",
			get_rel_relkind(relation) == RELKIND_VIEW ? "VIEW" : "TABLE", pg::relation_text(relation));
	}
	if (first != nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_DUPLICATE_TABLE), errmsg("relation \"%s\" already exists", first),
				errhint("Give the clusters another name in the argument \"clusters\". Or if these are clusters of a table "
						"that was dropped, drop them, too: %s.",
					drop.data)));
}

// xact is for readers who want each event once, in the order in which transactions became visible.
void create_events(const Names &names)
{
	const char *events = state(names, "_events"), *id = names.id_column;
	run(psprintf("CREATE TABLE %s (event pg_catalog.int8 GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,"
				 " at pg_catalog.timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),"
				 " xact pg_catalog.xid8 NOT NULL DEFAULT pg_catalog.pg_current_xact_id(),"
				 " cluster pg_catalog.int8 NOT NULL, what pg_catalog.text NOT NULL, id %s, other pg_catalog.int8,"
				 " kept %s, kept_before %s)",
		events, id, id, id));
	run(psprintf("CREATE INDEX ON %s (xact)", events));
}

void create_tables(const Names &names)
{
	const char *members = state(names, "_members"), *sets = state(names, "_sets"), *links = state(names, "_links");
	const char *id = names.id_column;
	constexpr const char *evidence = "jaccard pg_catalog.float8, containment pg_catalog.float8";
	run(psprintf(
		"CREATE TABLE %s (cluster pg_catalog.int8 GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, first %s NOT NULL,"
		" priority pg_catalog.float8 NOT NULL, size pg_catalog.int8 NOT NULL%s) WITH (fillfactor = 50)",
		sets, id, names.has_decided_pairs() && !names.star ? ", number pg_catalog.int8" : ""));
	run(psprintf(
		"CREATE TABLE %s (id %s PRIMARY KEY, cluster pg_catalog.int8 NOT NULL, priority pg_catalog.float8 NOT NULL,"
		" kept %s %s, similarity pg_catalog.float8, %s, since pg_catalog.timestamptz NOT NULL%s%s)",
		members, id, id, names.star ? "NOT NULL" : "", evidence,
		names.star || names.has_decided_pairs() ? ", number pg_catalog.int8" : "",
		names.has_decided_pairs() ? ", excepted pg_catalog.bool NOT NULL DEFAULT false" : ""));
	run(psprintf("CREATE INDEX ON %s (cluster, priority DESC, id)", members));
	if (names.has_long_ids) { // an entry of an index may not have room for two of them
		run(psprintf("CREATE TABLE %s (link pg_catalog.int8 GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,"
					 " a %s NOT NULL, b %s NOT NULL)",
			links, id, id));
		run(psprintf("CREATE INDEX ON %s (a)", links));
	} else
		run(psprintf("CREATE TABLE %s (a %s, b %s, PRIMARY KEY (a, b))", links, id, id));
	run(psprintf("CREATE INDEX ON %s (b)", links));
	if (names.events)
		create_events(names);
	if (!names.star)
		return;
	const char *history = state(names, "_history");
	run(psprintf("CREATE INDEX ON %s (kept)", members));
	run(psprintf("CREATE TABLE %s (id %s NOT NULL, kept %s NOT NULL, similarity pg_catalog.float8 NOT NULL, %s,"
				 " priority pg_catalog.float8 NOT NULL, kept_priority pg_catalog.float8,"
				 " since pg_catalog.timestamptz NOT NULL, until pg_catalog.timestamptz NOT NULL)",
		history, id, id, evidence));
	run(psprintf("CREATE INDEX ON %s (id)", history));
	run(psprintf("CREATE INDEX ON %s (kept)", history));
}

void create_view(const Names &names)
{
	const char *members = state(names, "_members");
	if (!names.star && names.has_decided_pairs())
		run(psprintf("CREATE VIEW %s AS SELECT r.* FROM (SELECT m.id, COALESCE(m.kept, s.first) AS cluster,"
					 " CASE WHEN m.kept IS NULL THEN s.size ELSE (SELECT pg_catalog.count(*) FROM %s k WHERE k.cluster"
					 " OPERATOR(pg_catalog.=) m.cluster AND k.kept OPERATOR(pg_catalog.=) m.kept) END AS size,"
					 " CASE WHEN m.kept IS NULL THEN COALESCE(s.number, s.cluster) ELSE m.number END AS number"
					 " FROM %s m JOIN %s s ON s.cluster OPERATOR(pg_catalog.=) m.cluster) AS r"
					 " WHERE r.size OPERATOR(pg_catalog.>) 1",
			state(names, ""), members, members, state(names, "_sets")));
	else if (!names.star)
		run(psprintf("CREATE VIEW %s AS SELECT m.id, s.first AS cluster, s.size, m.cluster AS number FROM %s m JOIN %s "
					 "s ON s.cluster"
					 " OPERATOR(pg_catalog.=) m.cluster",
			state(names, ""), members, state(names, "_sets")));
	else
		run(psprintf("CREATE VIEW %s AS SELECT r.* FROM (SELECT m.id, m.kept AS cluster,"
					 " pg_catalog.count(*) OVER (PARTITION BY m.kept) AS size, m.similarity, m.jaccard, m.containment,"
					 " m.since, m.number FROM %s m) AS r WHERE r.size OPERATOR(pg_catalog.>) 1",
			state(names, ""), members));
}

void add_comments(const Names &names, const char *table)
{
	constexpr const char *comments[][2] = {
		{"_members", "rows of %s that are in a cluster; kept by its trigger"},
		{"_sets", "clusters of rows of %s; kept by its trigger"},
		{"_links", "pairs of similar rows of %s that hold the clusters together; kept by its trigger"},
		{"_history", "rows of %s: which row was kept for which until when; kept by its trigger"},
		{"_events", "what has happened to the clusters of rows of %s; kept by its trigger"},
	};
	auto which = static_cast<int>(pg::State::view);
	for (const auto &[suffix, comment] : comments)
		if (is_there(names, static_cast<pg::State>(++which)))
			run(psprintf(
				"COMMENT ON TABLE %s IS %s", state(names, suffix), quote_literal_cstr(psprintf(comment, table))));
	run(psprintf("COMMENT ON VIEW %s IS %s", state(names, ""),
		quote_literal_cstr(psprintf("clusters of near-duplicates among the rows of %s", table))));
}

// The relations by their OIDs, which is how PostgreSQL stores them: see live_clusters.hpp.
const char *state_condition(const Names &names, Oid space)
{
	StringInfoData text;
	initStringInfo(&text);
	int count = pg::state_count;
	while (!is_there(names, static_cast<pg::State>(count - 1)))
		--count;
	for (int i = 0; i < count; ++i) {
		const auto which = static_cast<pg::State>(i);
		const Oid oid = which == pg::State::apart ? names.apart
			: which == pg::State::together        ? names.together
			: is_there(names, which) ? get_relname_relid(psprintf("%s%s", names.clusters, suffixes[i]), space)
									 : InvalidOid;
		appendStringInfo(&text, "%s'%u'::pg_catalog.regclass", i == 0 ? "ARRAY[" : ", ", oid);
	}
	appendStringInfoString(&text, "] IS NOT NULL");
	return text.data;
}

void create_triggers(const Names &names, const char *arguments, const char *function, Oid space)
{
	run(psprintf("CREATE TRIGGER %s AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION %s(%s)",
		quote_identifier(names.clusters), names.table, function, arguments));
	run(psprintf("CREATE TRIGGER %s AFTER TRUNCATE ON %s FOR EACH STATEMENT WHEN (%s) EXECUTE FUNCTION %s(%s)",
		quote_identifier(psprintf("%s_empty", names.clusters)), names.table, state_condition(names, space), function,
		arguments));
}

// A change of a pair is followed at once.
void create_pair_triggers(const Names &names, Oid clustered, const char *function)
{
	for (const Oid pairs : {names.apart, names.together})
		if (OidIsValid(pairs))
			run(psprintf("CREATE TRIGGER %s AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW"
						 " WHEN ('%u'::pg_catalog.regclass IS NOT NULL) EXECUTE FUNCTION %s(%s)",
				quote_identifier(names.clusters), pg::relation_text(pairs), clustered, function,
				quote_literal_cstr(names.clusters)));
}

void drop_pair_triggers(const char *name, Oid pairs)
{
	if (OidIsValid(pairs))
		run(psprintf("DROP TRIGGER IF EXISTS %s ON %s", quote_identifier(name), pg::relation_text(pairs)));
}

void add_option(StringInfo arguments, const char *name, const char *value)
{
	if (value != nullptr)
		appendStringInfo(arguments, ", %s", quote_literal_cstr(psprintf("%s=%s", name, value)));
}

// The arguments threshold and max_distance, as the option that the type of the fingerprints has.
void add_limit(StringInfo arguments, FunctionCallInfo fcinfo, const pg::FingerprintKind &kind)
{
	constexpr int threshold = 3, max_distance = 8;
	core::JoinOptions given{};
	if (!PG_ARGISNULL(threshold))
		given.threshold = PG_GETARG_FLOAT8(threshold);
	if (!PG_ARGISNULL(max_distance))
		given.max_distance = PG_GETARG_INT32(max_distance);
	pg::check_limits(given, kind.unit, kind.type);
	if (given.threshold)
		add_option(arguments, kind.limit, pg::shortest(*given.threshold));
	if (given.max_distance)
		add_option(arguments, kind.limit, psprintf("%d", *given.max_distance));
}

// The arguments verify, verify_threshold, guard, rule and min_precision, and which version of decisions the links will
// have.
void add_decision(StringInfo arguments, FunctionCallInfo fcinfo)
{
	constexpr int first = 13, last = 17;
	bool is_given = false;
	for (int i = first; i <= last; ++i)
		is_given = is_given || !PG_ARGISNULL(i);
	if (!is_given)
		return;
	const auto string = [&](int i) { return PG_ARGISNULL(i) ? nullptr : text_to_cstring(PG_GETARG_TEXT_PP(i)); };
	const auto number = [&](int i) { return PG_ARGISNULL(i) ? nullptr : pg::shortest(PG_GETARG_FLOAT8(i)); };
	add_option(arguments, "verify", string(first));
	add_option(arguments, "verify_threshold", number(first + 1));
	add_option(arguments, "guard", string(first + 2));
	if (!PG_ARGISNULL(first + 3))
		add_option(arguments, "rule", DatumGetCString(DirectFunctionCall1(jsonb_out, PG_GETARG_DATUM(first + 3))));
	add_option(arguments, "min_precision", number(last));
	add_option(arguments, "decision", psprintf("%d", core::decision_version));
}

Oid pairs_argument(FunctionCallInfo fcinfo, int i, Relation clustered, Oid key_type)
{
	if (PG_ARGISNULL(i))
		return InvalidOid;
	Relation table = pg::open_own_table(PG_GETARG_OID(i), AccessShareLock);
	(void) pg::pairs_table(table, RelationGetRelid(clustered), key_type);
	if (table->rd_rel->relpersistence == RELPERSISTENCE_TEMP &&
		clustered->rd_rel->relpersistence != RELPERSISTENCE_TEMP)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
				errmsg("table \"%s\" is temporary", RelationGetRelationName(table)),
				errdetail("The clusters of table \"%s\" would lose it.", RelationGetRelationName(clustered))));
	table_close(table, NoLock);
	return PG_GETARG_OID(i);
}

// From here to leave_owner the current user is the table's owner. Who is the owner already keeps all rights: a
// temporary table cannot be created otherwise.
struct Caller {
	bool is_owner;
	pg::OwnerRights rights;
};
Caller become_owner(Relation table)
{
	Caller caller{table->rd_rel->relowner == GetUserId(), {}};
	if (!caller.is_owner)
		caller.rights = pg::assume_owner(table->rd_rel->relowner);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	return caller;
}
void leave_owner(const Caller &caller)
{
	SPI_finish();
	if (!caller.is_owner)
		pg::restore_caller(caller.rights);
}

// By its name, which means another relation if somebody renames its schema now: then all is undone.
void drop_relation(Oid relation)
{
	run(psprintf(
		"DROP %s %s", get_rel_relkind(relation) == RELKIND_VIEW ? "VIEW" : "TABLE", pg::relation_text(relation)));
	if (const char *name = get_rel_name(relation); name != nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				errmsg("relation \"%s\" has been renamed by another session", name),
				errhint("The statement might succeed if repeated.")));
}

// Opens the table for a change of its triggers, after a look at it that makes nobody wait.
template <class Fn> Relation open_for_change(Oid oid, const Fn &check)
{
	Relation table = pg::open_own_table(oid, AccessShareLock);
	check(table);
	table_close(table, NoLock);
	table = pg::open_own_table(oid, ShareRowExclusiveLock);
	check(table);
	return table;
}

} // namespace

TXTFP_FUNCTION(txtfp_live_clusters_create_v2)
{
	Relation table = open_for_change(pg::relation_argument(fcinfo), check_kind);
	const char *key = pg::needed_name(fcinfo, 1, "key"), *fingerprint = pg::needed_name(fcinfo, 2, "fingerprint");
	const char *mode = PG_ARGISNULL(4) ? "components" : text_to_cstring(PG_GETARG_TEXT_PP(4));
	const char *name = clusters_name(table, pg::name_argument(fcinfo, 7));
	check_columns(table, key, fingerprint);
	const Oid schema = get_func_namespace(fcinfo->flinfo->fn_oid);
	const Oid type = getBaseType(pg::column(table, pg::column_number(table, fingerprint))->atttypid);
	const pg::FingerprintKind *kind = pg::find_kind(type, pg::use_live);

	StringInfoData arguments;
	initStringInfo(&arguments);
	appendStringInfo(
		&arguments, "%s, %s, %s", quote_literal_cstr(key), quote_literal_cstr(fingerprint), quote_literal_cstr(name));
	if (kind != nullptr) // if it is null, the trigger will say so
		add_limit(&arguments, fcinfo, *kind);
	add_option(&arguments, "mode", mode);
	add_option(&arguments, "priority", pg::name_argument(fcinfo, 5));
	add_option(&arguments, "text", pg::name_argument(fcinfo, 6));
	add_option(&arguments, "notify", pg::name_argument(fcinfo, 10));
	add_decision(&arguments, fcinfo);

	const Oid key_type = getBaseType(pg::column(table, pg::column_number(table, key))->atttypid);
	const bool is_text = get_typcollation(key_type) != InvalidOid;
	const char *type_text = pg::key_type_text(key_type);
	const Oid space = RelationGetNamespace(table);
	const Names names{pg::relation_text(RelationGetRelid(table)), pstrdup(quote_identifier(get_namespace_name(space))),
		name, is_text ? psprintf("%s COLLATE pg_catalog.\"C\"", type_text) : type_text, is_text,
		strcmp(mode, "star") == 0, !PG_ARGISNULL(9) && PG_GETARG_BOOL(9), pairs_argument(fcinfo, 11, table, key_type),
		pairs_argument(fcinfo, 12, table, key_type)};
	const char *function = quote_qualified_identifier(get_namespace_name(schema), pg::live_clusters_trigger_name);
	check_names(names, space);
	const Caller caller = become_owner(table);
	create_tables(names);
	create_view(names);
	add_comments(names, RelationGetRelationName(table));
	create_triggers(names, arguments.data, function, space);
	create_pair_triggers(names, RelationGetRelid(table), function);
	leave_owner(caller);
	table_close(table, NoLock);
	// the trigger reads its arguments: what is wrong with them is reported now
	table = pg::open_known_table(pg::relation_argument(fcinfo), NoLock);
	pg::with_clusters(table, pg::find_clusters_trigger(table, name, pg::trigger_function(fcinfo)), schema,
		[](const pg::Clusters &clusters) { pg::lock_state(clusters, AccessExclusiveLock); });
	table_close(table, NoLock);
	PG_RETURN_VOID();
}

TXTFP_FUNCTION(txtfp_live_clusters_drop)
{
	const Oid oid = pg::relation_argument(fcinfo), function = pg::trigger_function(fcinfo);
	const char *name = nullptr;
	Relation table = open_for_change(oid, [&](Relation opened) {
		name = pstrdup(pg::find_clusters_trigger(opened, pg::name_argument(fcinfo, 1), function).tgargs[2]);
	});
	Oid relations[pg::state_count];
	pg::read_state(table, name, function, relations);
	List *triggers = NIL;
	for (int i = 0; i < table->trigdesc->numtriggers; ++i) {
		const Trigger &trigger = table->trigdesc->triggers[i];
		if (trigger.tgfoid == function && trigger.tgnargs >= 3 && strcmp(trigger.tgargs[2], name) == 0)
			triggers = lappend(triggers, pstrdup(trigger.tgname));
	}
	const Caller caller = become_owner(table);
	table_close(table, NoLock); // or it would be in use
	ListCell *cell;
	foreach (cell, triggers)
		run(psprintf("DROP TRIGGER %s ON %s", quote_identifier((const char *) lfirst(cell)), pg::relation_text(oid)));
	for (const pg::State which : {pg::State::apart, pg::State::together})
		drop_pair_triggers(name, relations[static_cast<int>(which)]);
	for (int i = 0; i < static_cast<int>(pg::State::apart); ++i)
		if (OidIsValid(relations[i]))
			drop_relation(relations[i]);
	leave_owner(caller);
	PG_RETURN_VOID();
}
