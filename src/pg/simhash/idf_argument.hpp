// IDF tables as arguments of SQL functions: jsonb, {"token": weight, …}.
#pragma once

#include "core/simhash/simhash.hpp"
#include "pg/base/pg.hpp"

namespace txtfp::pg {

// The tables that a call site was given. One may have a million entries: it is parsed again only when the argument's stored bytes
// change. Tables are one object if they are equal.
class IdfArgument {
public:
	// keep_others: those of earlier calls stay as well, in fn_mcxt; otherwise they are gone.
	const core::IdfTable *read(FunctionCallInfo fcinfo, int i, bool keep_others);

private:
	struct Known {
		const struct varlena *source;
		const core::IdfTable *table;
		Known *next;
	};

	MemoryContext memory_ = nullptr;
	Known *known_ = nullptr;
};

// The arguments weighting and idf, numbers i and i + 1; idf may be NULL, or not be there. Raises 22023 for an idf table without
// weighting "idf", and for the weighting without the table.
void read_weighting(FunctionCallInfo fcinfo, int i, IdfArgument &idf, bool keep_others, core::SimhashOptions &options);

} // namespace txtfp::pg
