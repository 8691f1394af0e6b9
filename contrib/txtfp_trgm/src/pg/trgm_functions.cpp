#include "pg/trgm_functions.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "nodes/value.h"
#include "parser/parse_func.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
}

#include <cstdlib>

namespace txtfp::trgm {

namespace {

Oid schema_of_extension(Oid extension)
{
	ScanKeyData key;
	ScanKeyInit(&key, Anum_pg_extension_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(extension));
	Relation catalog = table_open(ExtensionRelationId, AccessShareLock);
	SysScanDesc scan = systable_beginscan(catalog, ExtensionOidIndexId, true, nullptr, 1, &key);
	const HeapTuple tuple = systable_getnext(scan);
	const Oid schema = HeapTupleIsValid(tuple) ? ((Form_pg_extension) GETSTRUCT(tuple))->extnamespace : InvalidOid;
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return schema;
}

// Nobody but a superuser can make one, whereas the owner of an extension may add others to it.
bool is_in_c(Oid function)
{
	const HeapTuple row = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	const bool is_c = HeapTupleIsValid(row) && ((Form_pg_proc) GETSTRUCT(row))->prolang == ClanguageId;
	if (HeapTupleIsValid(row))
		ReleaseSysCache(row);
	return is_c;
}

} // namespace

Oid trgm_function(const char *name, std::initializer_list<Oid> arguments, Oid result)
{
	const Oid extension = get_extension_oid("pg_trgm", false);
	if (char *schema = get_namespace_name(schema_of_extension(extension)); schema != nullptr) {
		List *qualified = list_make2(makeString(schema), makeString(pstrdup(name)));
		const Oid function = LookupFuncName(qualified, static_cast<int>(arguments.size()), arguments.begin(), true);
		if (OidIsValid(function) && getExtensionOfObject(ProcedureRelationId, function) == extension &&
			get_func_rettype(function) == result && is_in_c(function))
			return function;
	}
	ereport(ERROR,
		(errcode(ERRCODE_UNDEFINED_FUNCTION),
			errmsg("extension \"pg_trgm\" has no function %s",
				func_signature_string(list_make1(makeString(pstrdup(name))), static_cast<int>(arguments.size()), NIL,
					arguments.begin()))));
}

Oid trigrams_function() { return trgm_function("gin_extract_value_trgm", {TEXTOID, INTERNALOID}, INTERNALOID); }

double trgm_setting(const char *name) { return strtod(GetConfigOption(name, false, false), nullptr); }

} // namespace txtfp::trgm
