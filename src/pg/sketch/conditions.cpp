// `jaccard(fp, q) >= 0.8` and `fp <%> q < 0.2` compare numbers, with operators of PostgreSQL, which does not ask the
// extension whether an index could serve them. So a hook of the planner replaces such a condition by the search
// function that means the same, `minhash_similar(fp, q, 0.8)`, if an index of this access method has the column. It
// looks at each table of a query before PostgreSQL distributes the conditions; conditions of joins and within OR are
// replaced, too.
//
// The answer does not change: a condition stays as it is if an index that may miss rows could serve it instead, which
// is a GIN index, or one with a recall below 1; and if an index on the number itself, or a partial one, needs the
// condition as it was written.
#include <bit>
#include <cmath>
#include <limits>

#include "pg/base/given_value.hpp"
#include "pg/base/settings.hpp"
#include "pg/sketch/sketch.hpp"
#include "pg/tlsh/tlsh.hpp"

extern "C" {
#include "access/amapi.h"
#include "access/table.h"
#include "catalog/pg_am.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/plancat.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
}

namespace txtfp::pg {

namespace {

// `number < limit`; `is_less` is false for `>`, `or_equal` true for `<=` and `>=`.
struct Comparison {
	Node *number;
	double limit;
	bool is_less, or_equal;
};

// What a type's search function is called, and the function of two values besides the distance that a condition may
// compare.
struct SearchedType {
	const char *function;
	Oid limit_type;
	double greatest;       // distance, similarity or score
	bool takes_similarity; // its limit is the least similarity, not the greatest distance
	const char *measure;   // nullptr: only the distance
	bool measures_similarity;
	Oid third_type; // of the measure's third argument, which must have this value
	double third;
};

constexpr SearchedType minhash_search{"minhash_similar", FLOAT8OID, 1, true, "jaccard", true, InvalidOid, 0};
constexpr SearchedType simhash_search{"simhash_similar", INT4OID, 64, false, nullptr, false, InvalidOid, 0};
constexpr SearchedType tlsh_search{
	"tlsh_similar", INT4OID, tlsh_max_distance, false, "tlsh_distance", false, BOOLOID, 1};
constexpr SearchedType lavinhash_search{
	"lavinhash_similar", INT4OID, 100, true, "lavinhash_similarity", true, FLOAT8OID, 0.3};

const SearchedType &search_of(const SketchClass &type)
{
	if (type.slots != 0)
		return minhash_search;
	if (strcmp(type.name, "simhash64") == 0)
		return simhash_search;
	return strcmp(type.name, "tlsh") == 0 ? tlsh_search : lavinhash_search;
}

// ---- reading a condition

bool read_constant(Node *node, double *value)
{
	if (const auto truth = constant_value(node, ValueType{BOOLOID}))
		*value = DatumGetBool(*truth) ? 1 : 0;
	else if (const auto number = constant_number(node); number && !std::isnan(*number))
		*value = *number;
	else
		return false;
	return true;
}

bool read_operator(Oid function, Comparison *comparison)
{
	switch (function) {
	case F_FLOAT8LT:
	case F_INT4LT:
		comparison->is_less = true, comparison->or_equal = false;
		return true;
	case F_FLOAT8LE:
	case F_INT4LE:
		comparison->is_less = comparison->or_equal = true;
		return true;
	case F_FLOAT8GT:
	case F_INT4GT:
		comparison->is_less = comparison->or_equal = false;
		return true;
	case F_FLOAT8GE:
	case F_INT4GE:
		comparison->is_less = false, comparison->or_equal = true;
		return true;
	default:
		return false;
	}
}

List *arguments_of(Node *number)
{
	return IsA(number, FuncExpr) ? ((FuncExpr *) number)->args : IsA(number, OpExpr) ? ((OpExpr *) number)->args : NIL;
}

Oid function_of(Node *number)
{
	return IsA(number, FuncExpr) ? ((const FuncExpr *) number)->funcid : get_opcode(((const OpExpr *) number)->opno);
}

// A number is a function of two values of one type, which is not one of PostgreSQL's.
bool read_comparison(Node *node, Comparison *comparison)
{
	auto *condition = (OpExpr *) node;
	if (!IsA(node, OpExpr) || list_length(condition->args) != 2 ||
		!read_operator(get_opcode(condition->opno), comparison))
		return false;
	auto *left = (Node *) linitial(condition->args), *right = (Node *) lsecond(condition->args);
	if (IsA(left, Const)) {
		std::swap(left, right);
		comparison->is_less = !comparison->is_less;
	}
	comparison->number = left;
	List *args = arguments_of(left);
	return read_constant(right, &comparison->limit) && list_length(args) >= 2 &&
		exprType((Node *) linitial(args)) >= FirstNormalObjectId &&
		exprType((Node *) linitial(args)) == exprType((Node *) lsecond(args));
}

// ---- the limit of a search

// The least similarity whose distance, 1 − similarity, fulfils the comparison; above 1 if there is none. Rounding makes
// the distance of different similarities equal, so it is searched for. Positive numbers are in the order of their bits.
double least_similarity(double distance, bool or_equal)
{
	std::uint64_t low = 0, high = std::bit_cast<std::uint64_t>(std::nextafter(1.0, 2.0));
	while (low < high) {
		const std::uint64_t middle = low + (high - low) / 2;
		const double found = 1 - std::bit_cast<double>(middle);
		if (or_equal ? found <= distance : found < distance)
			high = middle;
		else
			low = middle + 1;
	}
	return std::bit_cast<double>(low);
}

// The limit of the search that finds the same rows. False if none does: `distance > 3`, or a limit out of range.
bool search_limit(const SearchedType &search, const Comparison &comparison, bool is_similarity, double *limit)
{
	if (is_similarity == comparison.is_less)
		return false;
	if (search.limit_type == FLOAT8OID) {
		if (!is_similarity)
			*limit = least_similarity(comparison.limit, comparison.or_equal);
		else
			*limit = comparison.or_equal ? comparison.limit : std::nextafter(comparison.limit, 2.0);
	} else {
		*limit = comparison.limit + (comparison.or_equal ? 0 : is_similarity ? 1 : -1);
		if (is_similarity != search.takes_similarity)
			*limit = search.greatest - *limit;
	}
	return *limit >= 0 && *limit <= search.greatest;
}

// ---- the indexes of a table

// An index of the table that the hook was called for, with its expressions and predicate.
struct TableIndex {
	Relation relation;
	List *expressions, *predicate;
};

struct ConditionTable {
	Oid id;
	int number; // in the range table
	bool has_read_indexes;
	List *indexes; // of TableIndex
};

void read_indexes(ConditionTable *table)
{
	table->has_read_indexes = true;
	Relation relation = table_open(table->id, NoLock);
	ListCell *cell;
	foreach (cell, RelationGetIndexList(relation)) {
		auto *index = (TableIndex *) palloc(sizeof(TableIndex));
		index->relation = index_open(lfirst_oid(cell), AccessShareLock);
		index->expressions = RelationGetIndexExpressions(index->relation);
		index->predicate = RelationGetIndexPredicate(index->relation);
		ChangeVarNodes((Node *) index->expressions, 1, table->number, 0);
		ChangeVarNodes((Node *) index->predicate, 1, table->number, 0);
		table->indexes = lappend(table->indexes, index);
	}
	table_close(relation, NoLock);
}

void close_indexes(const ConditionTable &table)
{
	ListCell *cell;
	foreach (cell, table.indexes)
		index_close(((TableIndex *) lfirst(cell))->relation, NoLock);
}

// Is the column of the index, from 0, this operand of a condition?
bool is_column(const ConditionTable &table, const TableIndex &index, int column, Node *operand)
{
	while (operand != nullptr && IsA(operand, RelabelType))
		operand = (Node *) ((RelabelType *) operand)->arg;
	const int2vector &columns = index.relation->rd_index->indkey;
	if (columns.values[column] != 0) {
		const auto *variable = (const Var *) operand;
		return IsA(operand, Var) && variable->varno == table.number && variable->varlevelsup == 0 &&
			variable->varattno == columns.values[column];
	}
	int before = 0; // expressions
	for (int i = 0; i < column; ++i)
		before += columns.values[i] == 0 ? 1 : 0;
	return equal(operand, list_nth(index.expressions, before));
}

bool has_column(const ConditionTable &table, const TableIndex &index, Node *operand)
{
	for (int i = 0; i < IndexRelationGetNumberOfKeyAttributes(index.relation); ++i)
		if (is_column(table, index, i, operand))
			return true;
	return false;
}

// True if the index finds all rows with a condition on its last column.
bool is_exact_sketch(const TableIndex &index)
{
	return index.relation->rd_indam->ambuild == sketch_build && index.relation->rd_index->indisvalid &&
		(sketch_recall >= 0 ? sketch_recall : sketch_index_recall(index.relation)) >= 1;
}

// The index that shall serve a condition on an operand, or nullptr.
const TableIndex *serving_index(const ConditionTable &table, Node *condition, Node *number, Node *operand)
{
	const TableIndex *found = nullptr;
	ListCell *cell;
	foreach (cell, table.indexes) {
		const auto *index = (const TableIndex *) lfirst(cell);
		if (list_member(index->expressions, number) || list_member(index->predicate, condition))
			return nullptr;
		const bool is_sketch = index->relation->rd_indam->ambuild == sketch_build;
		if ((is_sketch ? !is_exact_sketch(*index) : index->relation->rd_rel->relam == GIN_AM_OID) &&
			has_column(table, *index, operand))
			return nullptr;
		if (is_sketch && is_column(table, *index, IndexRelationGetNumberOfKeyAttributes(index->relation) - 1, operand))
			found = index;
	}
	return found;
}

// ---- replacing

Oid find_function(const char *name, Oid schema, Oid type, Oid third)
{
	Oid types[] = {type, type, third};
	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
		PointerGetDatum(buildoidvector(types, OidIsValid(third) ? 3 : 2)), ObjectIdGetDatum(schema));
}

// Is the number the distance of the type, or what else its search is a condition on?
bool is_searched(const SearchedType &search, Node *number, Oid distance, Oid type, bool *is_similarity)
{
	const Oid function = function_of(number);
	*is_similarity = function != distance && search.measures_similarity;
	if (function == distance)
		return true;
	if (search.measure == nullptr ||
		function != find_function(search.measure, get_func_namespace(distance), type, search.third_type))
		return false;
	double third;
	return !OidIsValid(search.third_type) ||
		(read_constant((Node *) lthird(arguments_of(number)), &third) && third == search.third);
}

Node *make_limit(Oid type, double limit)
{
	if (type == FLOAT8OID)
		return (Node *) makeConst(type, -1, InvalidOid, 8, Float8GetDatum(limit), false, FLOAT8PASSBYVAL);
	return (Node *) makeConst(type, -1, InvalidOid, 4, Int32GetDatum(static_cast<int>(limit)), false, true);
}

// The condition as a search, or nullptr.
Node *as_search(PlannerInfo *root, const Comparison &comparison, const TableIndex &index)
{
	const int column = IndexRelationGetNumberOfKeyAttributes(index.relation) - 1;
	const Oid type = index.relation->rd_opcintype[column];
	const Oid ordering = get_opfamily_member(index.relation->rd_opfamily[column], type, type, strategy_sketch_distance);
	if (!OidIsValid(ordering))
		return nullptr;
	const SketchClass &searched = sketch_class(index.relation);
	if (searched.layout.planes > 0) // a class of another extension, which has no search function here
		return nullptr;
	const SearchedType &search = search_of(searched);
	const Oid distance = get_opcode(ordering);
	bool is_similarity;
	double limit;
	if (!is_searched(search, comparison.number, distance, type, &is_similarity) ||
		!search_limit(search, comparison, is_similarity, &limit))
		return nullptr;
	const Oid function = find_function(search.function, get_func_namespace(distance), type, search.limit_type);
	if (!OidIsValid(function))
		return nullptr;
	List *args = list_copy_head(arguments_of(comparison.number), 2);
	args = lappend(args, make_limit(search.limit_type, limit));
	return eval_const_expressions(
		root, (Node *) makeFuncExpr(function, BOOLOID, args, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
}

Node *replacement(PlannerInfo *root, ConditionTable *table, Node *condition)
{
	Comparison comparison;
	if (!read_comparison(condition, &comparison))
		return nullptr;
	if (!table->has_read_indexes)
		read_indexes(table);
	List *args = arguments_of(comparison.number);
	for (int i = 0; i < 2; ++i)
		if (const TableIndex *index = serving_index(*table, condition, comparison.number, (Node *) list_nth(args, i)))
			return as_search(root, comparison, *index);
	return nullptr;
}

void replace_in_list(PlannerInfo *root, ConditionTable *table, List *conditions)
{
	check_stack_depth();
	ListCell *cell;
	foreach (cell, conditions) {
		auto *condition = (Node *) lfirst(cell);
		if (IsA(condition, BoolExpr))
			replace_in_list(root, table, ((BoolExpr *) condition)->args);
		else if (Node *search = replacement(root, table, condition))
			lfirst(cell) = search;
	}
}

void replace_in_joins(PlannerInfo *root, ConditionTable *table, Node *node)
{
	check_stack_depth();
	if (IsA(node, FromExpr)) {
		ListCell *cell;
		foreach (cell, ((FromExpr *) node)->fromlist)
			replace_in_joins(root, table, (Node *) lfirst(cell));
		replace_in_list(root, table, (List *) ((FromExpr *) node)->quals);
	} else if (IsA(node, JoinExpr)) {
		replace_in_joins(root, table, ((JoinExpr *) node)->larg);
		replace_in_joins(root, table, ((JoinExpr *) node)->rarg);
		replace_in_list(root, table, (List *) ((JoinExpr *) node)->quals);
	}
}

// PostgreSQL has prepared the conditions, as lists, and not yet distributed them to the tables.
void replace_conditions(PlannerInfo *root, const RelOptInfo *rel, const RangeTblEntry *entry)
{
	if (rel->reloptkind != RELOPT_BASEREL || entry->rtekind != RTE_RELATION || root->parse->jointree == nullptr ||
		(entry->relkind != RELKIND_RELATION && entry->relkind != RELKIND_PARTITIONED_TABLE &&
			entry->relkind != RELKIND_MATVIEW))
		return;
	ConditionTable table{entry->relid, static_cast<int>(rel->relid), false, NIL};
	replace_in_joins(root, &table, (Node *) root->parse->jointree);
	close_indexes(table);
}

#if PG_VERSION_NUM >= 190000
build_simple_rel_hook_type hook_before;

void consider_table(PlannerInfo *root, RelOptInfo *rel, RangeTblEntry *entry)
{
	if (hook_before != nullptr)
		hook_before(root, rel, entry);
	replace_conditions(root, rel, entry);
}
#else
get_relation_info_hook_type hook_before;

void consider_table(PlannerInfo *root, Oid table, bool is_parent, RelOptInfo *rel)
{
	if (hook_before != nullptr)
		hook_before(root, table, is_parent, rel);
	replace_conditions(root, rel, root->simple_rte_array[rel->relid]);
}
#endif

} // namespace

void plan_conditions()
{
	static bool is_installed = false;
	if (is_installed)
		return;
	is_installed = true;
#if PG_VERSION_NUM >= 190000
	hook_before = build_simple_rel_hook;
	build_simple_rel_hook = consider_table;
#else
	hook_before = get_relation_info_hook;
	get_relation_info_hook = consider_table;
#endif
}

} // namespace txtfp::pg
