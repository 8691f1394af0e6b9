// The handler of the access method `sketch`, and the validation of its operator classes.
#include "pg/sketch/sketch.hpp"

extern "C" {
#include "access/amapi.h"
#include "access/amvalidate.h"
#include "access/htup_details.h"
#include "catalog/pg_amop.h"
#include "catalog/pg_amproc.h"
#include "catalog/pg_opclass.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "commands/vacuum.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"
}

using namespace txtfp;

namespace txtfp::pg {

namespace {

// Sets of terms have further strategies.
bool is_valid_operator(const FormData_pg_amop &entry, bool has_terms)
{
	if (entry.amopstrategy == strategy_sketch_distance || (has_terms && entry.amopstrategy >= first_terms_ordering))
		return entry.amoppurpose == AMOP_ORDER &&
			opfamily_can_sort_type(entry.amopsortfamily, get_op_rettype(entry.amopopr)) &&
			check_amop_signature(entry.amopopr, get_op_rettype(entry.amopopr), entry.amoplefttype, entry.amoprighttype);
	return entry.amoppurpose == AMOP_SEARCH && entry.amopstrategy >= 1 &&
		entry.amopstrategy <= (has_terms ? last_terms_condition : strategy_sketch_exact) &&
		check_amop_signature(entry.amopopr, BOOLOID, entry.amoplefttype, entry.amoprighttype);
}

bool complain(const char *what, const char *family)
{
	ereport(INFO,
		(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
			errmsg("operator family \"%s\" of access method sketch contains %s", family, what)));
	return false;
}

bool validate_operators(Oid family, const char *name)
{
	bool valid = true, has_terms = false;
	CatCList *functions = SearchSysCacheList1(AMPROCNUM, ObjectIdGetDatum(family));
	for (int i = 0; i < functions->n_members; ++i)
		has_terms |=
			((const FormData_pg_amproc *) GETSTRUCT(&functions->members[i]->tuple))->amprocnum == sketch_terms_function;
	ReleaseCatCacheList(functions);
	CatCList *list = SearchSysCacheList1(AMOPSTRATEGY, ObjectIdGetDatum(family));
	for (int i = 0; i < list->n_members; ++i) {
		const auto &entry = *(const FormData_pg_amop *) GETSTRUCT(&list->members[i]->tuple);
		if (!is_valid_operator(entry, has_terms))
			valid = complain(
				psprintf("operator %s with a wrong strategy or signature", format_operator(entry.amopopr)), name);
	}
	ReleaseCatCacheList(list);
	return valid;
}

bool validate_functions(Oid family, const char *name)
{
	bool valid = true;
	CatCList *list = SearchSysCacheList1(AMPROCNUM, ObjectIdGetDatum(family));
	for (int i = 0; i < list->n_members; ++i) {
		const auto &entry = *(const FormData_pg_amproc *) GETSTRUCT(&list->members[i]->tuple);
		const bool is_class = entry.amprocnum == sketch_class_function &&
			check_amproc_signature(entry.amproc, INTERNALOID, true, 1, 1, INTERNALOID);
		// as in PostgreSQL's own classes, the type of the argument may be another one with the same values
		const bool is_hash = entry.amprocnum == sketch_hash_function && get_func_rettype(entry.amproc) == INT4OID &&
			get_func_nargs(entry.amproc) == 1;
		const bool is_terms = entry.amprocnum == sketch_terms_function &&
			check_amproc_signature(entry.amproc, INT4ARRAYOID, true, 1, 1, entry.amproclefttype);
		const bool is_threshold = entry.amprocnum == sketch_threshold_function &&
			check_amproc_signature(entry.amproc, FLOAT8OID, true, 1, 1, INT2OID);
		const bool is_options = entry.amprocnum == sketch_options_function && check_amoptsproc_signature(entry.amproc);
		if (!is_class && !is_hash && !is_terms && !is_threshold && !is_options)
			valid = complain(
				psprintf("function %s with a wrong number or signature", format_procedure(entry.amproc)), name);
	}
	if (list->n_members == 0)
		valid = complain("no support function", name);
	ReleaseCatCacheList(list);
	return valid;
}

} // namespace

bool sketch_validate(Oid class_oid)
{
	HeapTuple tuple = SearchSysCache1(CLAOID, ObjectIdGetDatum(class_oid));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator class %u", class_oid);
	const Oid family = ((Form_pg_opclass) GETSTRUCT(tuple))->opcfamily;
	ReleaseSysCache(tuple);
	HeapTuple family_tuple = SearchSysCache1(OPFAMILYOID, ObjectIdGetDatum(family));
	if (!HeapTupleIsValid(family_tuple))
		elog(ERROR, "cache lookup failed for operator family %u", family);
	const char *name = pstrdup(NameStr(((Form_pg_opfamily) GETSTRUCT(family_tuple))->opfname));
	ReleaseSysCache(family_tuple);
	const bool operators = validate_operators(family, name), functions = validate_functions(family, name);
	return operators && functions;
}

} // namespace txtfp::pg

namespace {

IndexAmRoutine access_method()
{
	IndexAmRoutine method{}; // members that are not set below are false, 0 or null
	method.type = T_IndexAmRoutine;
	method.amstrategies = pg::sketch_strategies;
	method.amsupport = pg::sketch_functions;
	method.amoptsprocnum = pg::sketch_options_function;
	method.amcanmulticol = true;
	method.amcanorderbyop = true;
	method.amoptionalkey = true;
	method.amsearchnulls = true;
	method.amparallelvacuumoptions = VACUUM_OPTION_PARALLEL_BULKDEL | VACUUM_OPTION_PARALLEL_CLEANUP;
	method.amkeytype = InvalidOid;
	method.ambuild = pg::sketch_build;
	method.ambuildempty = pg::sketch_build_empty;
	method.aminsert = pg::sketch_insert;
	method.ambulkdelete = pg::sketch_bulk_delete;
	method.amvacuumcleanup = pg::sketch_vacuum_cleanup;
	method.amcostestimate = pg::sketch_cost_estimate;
	method.amoptions = pg::parse_sketch_options;
	method.ambuildphasename = pg::sketch_phase_name;
	method.amvalidate = pg::sketch_validate;
	method.ambeginscan = pg::sketch_begin_scan;
	method.amrescan = pg::sketch_rescan;
	method.amgettuple = pg::sketch_get_tuple;
	method.amgetbitmap = pg::sketch_get_bitmap;
	method.amendscan = pg::sketch_end_scan;
#if PG_VERSION_NUM >= 170000
	method.amcanbuildparallel = true;
#endif
	return method;
}

} // namespace

// PostgreSQL 19 keeps the pointer. Older servers free it.
TXTFP_FUNCTION(txtfp_sketch_handler)
{
	static const IndexAmRoutine method = access_method();
	pg::plan_conditions(); // PostgreSQL calls this function before it plans a scan of an index
	pg::explain_searches();
#if PG_VERSION_NUM >= 190000
	PG_RETURN_POINTER(&method);
#else
	auto *copy = static_cast<IndexAmRoutine *>(palloc(sizeof(IndexAmRoutine)));
	*copy = method;
	PG_RETURN_POINTER(copy);
#endif
}
