// The SQL type corpus_words: a varlena of the stored form (core/compare/corpus_words.hpp).
#pragma once

#include "core/compare/corpus_words.hpp"
#include "pg/base/pg.hpp"

namespace txtfp::pg {

// A corpus that a call site was given; it is read again only when the argument's stored bytes change.
class CorpusArgument {
public:
	// Valid until the next call. Raises an error (XX001) if a stored value is damaged.
	const core::CorpusWords *read(FunctionCallInfo fcinfo, int i)
	{
		return read(PG_GETARG_DATUM(i), fcinfo->flinfo->fn_mcxt);
	}
	// `context` lives as long as this object.
	const core::CorpusWords *read(Datum value, MemoryContext context);

private:
	MemoryContext memory_ = nullptr;
	const struct varlena *source_ = nullptr;
	const core::CorpusWords *corpus_ = nullptr;
};

} // namespace txtfp::pg
