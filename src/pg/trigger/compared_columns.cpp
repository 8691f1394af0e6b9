#include "pg/trigger/compared_columns.hpp"

#include <algorithm>

#include "core/trigger/column_list.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace txtfp::pg {

namespace {

const FingerprintKind &kind_of(Relation table, AttrNumber fingerprint)
{
	const Form_pg_attribute attribute = column(table, fingerprint);
	const FingerprintKind *kind = find_kind(attribute->atttypid, use_trigger);
	if (kind == nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("column \"%s\" of relation \"%s\" has type %s, for which there is no near-duplicate check",
					NameStr(attribute->attname), RelationGetRelationName(table), format_type_be(attribute->atttypid)),
				errhint("The types are %s.", kind_types(use_trigger))));
	return *kind;
}

struct NamedColumns {
	int count;
	core::ListedColumn list[max_compared_columns];
	AttrNumber numbers[max_compared_columns];
};

// The columns of a list. An argument that is the name of a column, whatever characters it has, is that column.
NamedColumns named_columns(Relation table, const char *argument)
{
	NamedColumns columns{};
	if (const AttrNumber number = get_attnum(RelationGetRelid(table), argument); number > 0)
		return {1, {{argument, nullptr}}, {number}};
	const core::ListError error = core::read_column_list(pstrdup(argument), columns.list, columns.count);
	if (error != core::ListError::none)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("invalid list of columns of %s: \"%s\"", near_duplicate_trigger_name, argument),
				errdetail("%s", core::describe(error)),
				errhint("Up to %d columns are listed as \"name:limit, name:limit\".", max_compared_columns)));
	for (int i = 0; i < columns.count; ++i) {
		const AttrNumber *begin = columns.numbers, *end = begin + i;
		const AttrNumber number = column_number(table, columns.list[i].name);
		if (std::find(begin, end, number) != end)
			ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_COLUMN),
					errmsg("column \"%s\" appears twice in a list of columns of %s", columns.list[i].name,
						near_duplicate_trigger_name)));
		columns.numbers[i] = number;
	}
	return columns;
}

void set_limit(ComparedColumn &column, const char *value)
{
	column.limit = limit_option(near_duplicate_trigger_name, *column.kind, {column.kind->limit, value});
	column.has_limit = true;
}

// False if no column has such a limit.
bool read_limit_option(ComparedColumns &columns, Relation table, const TriggerOption &option)
{
	const auto all = columns.all();
	const auto found = std::find_if(all.begin(), all.end(),
		[&](const ComparedColumn &column) { return strcmp(option.name, column.kind->limit) == 0; });
	if (found == all.end())
		return false;
	if (!columns.is_one())
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg(
					"option \"%s\" of %s is for a single fingerprint column", option.name, near_duplicate_trigger_name),
				errhint("Write the limit of each column behind its name: \"name:limit, name:limit\".")));
	if (found->has_limit)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("limit of column \"%s\" is given twice", NameStr(column(table, found->number)->attname))));
	set_limit(*found, option.value);
	return true;
}

Match match_option(const TriggerOption &option)
{
	const bool all = strcmp(option.value, "all") == 0;
	if (!all && strcmp(option.value, "any") != 0)
		reject_option(near_duplicate_trigger_name, option, "Valid values are \"any\" and \"all\".");
	return all ? Match::all : Match::any;
}

AttrNumber check_similarity(Relation table, AttrNumber number)
{
	const Form_pg_attribute attribute = column(table, number);
	check_is_written(table, number, "similarity");
	if (attribute->atttypid != FLOAT8OID)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("column \"%s\" of relation \"%s\" has type %s, not double precision",
					NameStr(attribute->attname), RelationGetRelationName(table), format_type_be(attribute->atttypid))));
	return number;
}

} // namespace

ComparedColumns compared_columns(Relation table, const char *argument)
{
	const NamedColumns named = named_columns(table, argument);
	ComparedColumns columns{};
	columns.count = named.count;
	for (int i = 0; i < named.count; ++i) {
		ComparedColumn &column = columns.list[i];
		column.number = named.numbers[i];
		column.type = column_type(RelationGetDescr(table), column.number);
		column.kind = &kind_of(table, column.number);
		column.limit = column.kind->default_limit;
		if (named.list[i].limit != nullptr)
			set_limit(column, named.list[i].limit);
	}
	return columns;
}

bool read_column_option(ComparedColumns &columns, Relation table, const TriggerOption &option, bool flags)
{
	if (strcmp(option.name, "match") == 0) {
		columns.match = match_option(option);
		columns.has_match = true;
	} else if (strcmp(option.name, "similarity") == 0 && flags) {
		AttrNumber numbers[max_compared_columns];
		columns_of_option(columns, table, option, numbers);
		for (int i = 0; i < columns.count; ++i)
			columns.list[i].similarity = check_similarity(table, numbers[i]);
	} else
		return read_limit_option(columns, table, option);
	return true;
}

void finish_columns(ComparedColumns &columns, Relation table, bool by_table)
{
	if (!columns.is_one() && !columns.has_match)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("%s of several fingerprint columns needs the option \"match\"", near_duplicate_trigger_name),
				errhint("With match=any, rows are similar if they are in one of the columns, with match=all if they "
						"are in all.")));
	if (columns.is_one())
		columns.match = Match::any;
	for (ComparedColumn &compared : columns.all()) {
		if (!compared.has_limit && !(compared.kind->default_limit > 0))
			ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("column \"%s\" of type %s needs a limit", NameStr(column(table, compared.number)->attname),
						compared.kind->type),
					errhint("Which %s means a near-duplicate depends on what made the values.", compared.kind->limit)));
		compared.locks.table = by_table;
		choose_locks(*compared.kind, compared.limit, compared.locks);
	}
	const auto all = columns.all();
	const auto with_keys =
		std::find_if(all.begin(), all.end(), [](const ComparedColumn &column) { return !column.locks.table; });
	columns.locked = with_keys == all.end() ? 0 : static_cast<int>(with_keys - all.begin());
}

void columns_of_option(const ComparedColumns &columns, Relation table, const TriggerOption &option,
	AttrNumber (&out)[max_compared_columns])
{
	const NamedColumns named = named_columns(table, option.value);
	for (int i = 0; i < named.count; ++i)
		if (named.list[i].limit != nullptr)
			reject_option(near_duplicate_trigger_name, option, "These columns have no limits.");
	if (named.count != columns.count)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("option \"%s\" of %s must name one column for each fingerprint column", option.name,
					near_duplicate_trigger_name),
				errdetail("It names %d, and there are %d.", named.count, columns.count)));
	std::copy(named.numbers, named.numbers + max_compared_columns, out);
}

} // namespace txtfp::pg
