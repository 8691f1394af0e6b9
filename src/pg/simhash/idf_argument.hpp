// IDF tables as arguments of SQL functions: jsonb, {"token": weight, …}.
#pragma once

#include "core/simhash/simhash.hpp"
#include "pg/base/pg.hpp"

namespace txtfp::pg {

// The tables that a call site was given. A table may have a million entries, so it is parsed again only when the
// argument's stored bytes change. Equal tables are one object.
class IdfArgument {
public:
	// keep_others: the tables of earlier calls stay in fn_mcxt as well; otherwise they are freed.
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

// Reads the arguments weighting and idf, numbers i and i + 1; idf may be NULL or absent. Raises 22023 for an idf table
// without weighting "idf", and for weighting "idf" without a table.
void read_weighting(FunctionCallInfo fcinfo, int i, IdfArgument &idf, bool keep_others, core::SimhashOptions &options);

} // namespace txtfp::pg
