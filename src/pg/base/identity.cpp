#include "pg/base/identity.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/syscache.h"
}

namespace txtfp::pg {

PGFunction code_of(Oid function)
{
	const HeapTuple row = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(row))
		return nullptr;
	const bool is_c = ((Form_pg_proc) GETSTRUCT(row))->prolang == ClanguageId;
	ReleaseSysCache(row);
	if (!is_c)
		return nullptr;
	FmgrInfo info;
	fmgr_info(function, &info);
	return info.fn_addr;
}

namespace {

// The file of a function in C, palloc'd; nullptr of another one.
const char *library_of(Oid function)
{
	const HeapTuple row = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(row))
		return nullptr;
	bool is_null = true;
	const Datum file = ((Form_pg_proc) GETSTRUCT(row))->prolang == ClanguageId
		? SysCacheGetAttr(PROCOID, row, Anum_pg_proc_probin, &is_null)
		: (Datum) 0;
	const char *library = is_null ? nullptr : TextDatumGetCString(file);
	ReleaseSysCache(row);
	return library;
}

} // namespace

bool are_of_one_library(Oid a, Oid b)
{
	const char *of_a = library_of(a), *of_b = library_of(b);
	return of_a != nullptr && of_b != nullptr && strcmp(of_a, of_b) == 0;
}

PGFunction input_of(Oid type)
{
	const HeapTuple row = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	if (!HeapTupleIsValid(row))
		return nullptr;
	const Oid function = ((Form_pg_type) GETSTRUCT(row))->typinput;
	ReleaseSysCache(row);
	return code_of(function);
}

Oid find_function(const char *name, std::span<const Oid> types, PGFunction code)
{
	CatCList *list = SearchSysCacheList1(PROCNAMEARGSNSP, CStringGetDatum(name));
	Oid found = InvalidOid;
	for (int i = 0; i < list->n_members && !OidIsValid(found); ++i) {
		const auto *function = (Form_pg_proc) GETSTRUCT(&list->members[i]->tuple);
		if (function->pronargs == static_cast<int16>(types.size()) &&
			memcmp(function->proargtypes.values, types.data(), types.size_bytes()) == 0 && runs(function->oid, code))
			found = function->oid;
	}
	ReleaseSysCacheList(list);
	return found;
}

} // namespace txtfp::pg
