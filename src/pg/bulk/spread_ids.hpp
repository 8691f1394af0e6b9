// Which types the ids of a join over several servers can have.
#pragma once

#include "pg/base/pg.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/lsyscache.h"
}

namespace txtfp::pg {

// Ids travel as bytes, which anybody may make up. Values of these types may have any; a comparison of others, such as jsonb, would trust their bytes and
// could read beyond their end.
inline bool can_be_spread(Oid type)
{
	const Oid base = getBaseType(type);
	return get_typbyval(base) || base == TEXTOID || base == VARCHAROID || base == BPCHAROID || base == BYTEAOID ||
		base == UUIDOID;
}

} // namespace txtfp::pg
