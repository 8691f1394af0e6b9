#include "pg/trigger/kept_statement.hpp"

extern "C" {
#include "utils/hsearch.h"
#include "utils/memutils.h"
}

namespace txtfp::pg {

namespace {

struct StatementKey {
	Oid definition, table;
	TriggerStatement statement;
};
struct CachedStatement {
	StatementKey key;
	TableQuery *query; // nullptr: there is none yet, or it runs. Its note is the text
};
HTAB *cached_statements;

CachedStatement &cached_statement(Oid definition, Oid table, TriggerStatement which)
{
	if (cached_statements == nullptr) {
		HASHCTL control{};
		control.keysize = sizeof(StatementKey);
		control.entrysize = sizeof(CachedStatement);
		cached_statements = hash_create("txtfp trigger statements", 16, &control, HASH_ELEM | HASH_BLOBS);
	}
	StatementKey key;
	memset(&key, 0, sizeof key); // padding is compared, too
	key.definition = definition;
	key.table = table;
	key.statement = which;
	bool found;
	auto *statement = static_cast<CachedStatement *>(hash_search(cached_statements, &key, HASH_ENTER, &found));
	if (!found)
		statement->query = nullptr;
	return *statement;
}

TableQuery *acquire_query(
	CachedStatement &cached, const char *text, Oid table, std::span<const QueryParameter> parameters)
{
	TableQuery *old = take_query(cached.query);
	if (old != nullptr && is_valid(*old) && strcmp(static_cast<const char *>(old->note), text) == 0)
		return old;
	if (old != nullptr)
		drop_query(old);
	TableQuery *query = prepare_query(text, parameters, {&table, 1});
	keep_query(query);
	query->note = MemoryContextStrdup(query->memory, text);
	return query;
}

} // namespace

void run_statement(Oid definition, Oid table, TriggerStatement statement, const char *text,
	std::span<const QueryParameter> parameters, const Datum *values, const bool *nulls)
{
	CachedStatement &cached = cached_statement(definition, table, statement);
	TableQuery *query = acquire_query(cached, text, table, parameters);
	run_and_give_back(cached.query, query, [&] { execute_query(*query, values, false, nulls); });
}

} // namespace txtfp::pg
