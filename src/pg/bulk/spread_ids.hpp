// Which types the ids of a join over several servers can have.
#pragma once

#include "pg/base/pg.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/lsyscache.h"
}

namespace txtfp::pg {

// Ids travel as bytes, which anybody may make up. Bytes of these types can be checked; a comparison of others, such as
// jsonb, would trust theirs and could read beyond their end.
inline bool can_be_spread(Oid type)
{
	const Oid base = getBaseType(type);
	return get_typbyval(base) || base == TEXTOID || base == VARCHAROID || base == BPCHAROID || base == BYTEAOID ||
		base == UUIDOID;
}

// Is this a value of a type that is passed by value? Its binary form is read as if a client had sent it.
inline bool survives_transport(Datum value, Oid type)
{
	Oid send, receive, parameter;
	bool is_varlena;
	getTypeBinaryOutputInfo(type, &send, &is_varlena);
	getTypeBinaryInputInfo(type, &receive, &parameter);
	const bytea *sent = OidSendFunctionCall(send, value);
	StringInfoData message;
	initStringInfo(&message);
	appendBinaryStringInfo(&message, VARDATA(sent), static_cast<int>(VARSIZE(sent) - VARHDRSZ));
	return OidReceiveFunctionCall(receive, &message, parameter, -1) == value;
}

} // namespace txtfp::pg
