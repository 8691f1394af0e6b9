#include "pg/base/identity.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
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

bool is_read_by(Oid type, PGFunction input)
{
	const HeapTuple row = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	if (!HeapTupleIsValid(row))
		return false;
	const Oid function = ((Form_pg_type) GETSTRUCT(row))->typinput;
	ReleaseSysCache(row);
	return runs(function, input);
}

} // namespace txtfp::pg
