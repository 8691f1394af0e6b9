// What near_duplicate_pairs and near_duplicate_clusters ask of a kind of fingerprint. Rows are numbers in the order of
// arrival while they are added, ranks in the order of ids afterwards.
#pragma once

#include <optional>
#include <span>

#include "core/base/union_find.hpp"
#include "pg/bulk/progress.hpp"
#include "pg/bulk/row_ids.hpp"
#include "pg/fingerprint/fingerprint_kinds.hpp"

namespace txtfp::pg {

// The kind of the type of a query's column, which stands in the schema of the function that is called. Raises an error (42804)
// for a type that does not have this use; `column` says which column it is: "second".
const FingerprintKind &fingerprint_kind(Oid type, Oid function, const char *column, KindUse use);

struct JoinOptions {
	std::optional<double>
		threshold; // without one that of the operator %: txtfp.jaccard_threshold, txtfp.hamming_threshold
	std::optional<int> bands, rows;
	std::optional<double> recall;
};

struct JoinContext {
	MemoryContext memory; // lives for one call
	std::size_t limit;    // maintenance_work_mem
	RowIds *ids;
	Progress *progress;
};
JoinContext join_context(RowIds &ids, Progress &progress);

class PairSink {
public:
	virtual void pair(std::uint32_t a, std::uint32_t b, double similarity) = 0; // ranks, a < b

protected:
	~PairSink() = default;
};

class FingerprintJoin {
public:
	virtual void add(Datum fingerprint) = 0; // of the next row
	virtual void finish_rows() = 0;          // after the last one, with the ids ranked
	virtual void pairs(PairSink &sink) = 0;  // each once
	virtual void connect(core::UnionFind &components) = 0;
	virtual bool similar(std::uint32_t a, std::uint32_t b) = 0; // fast if a is the same as in the last call
	virtual void close() = 0;                                   // temporary files

protected:
	~FingerprintJoin() = default;
};

// All check the options: they raise errors with SQLSTATE 22023.
FingerprintJoin *make_minhash_join(const JoinContext &context, const JoinOptions &options, std::size_t slots);
FingerprintJoin *make_simhash_join(const JoinContext &context, const JoinOptions &options);
FingerprintJoin *make_embedding_join(const JoinContext &context, const JoinOptions &options);

} // namespace txtfp::pg
